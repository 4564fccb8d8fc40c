// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm_integer with operands that are prepared: the bits of the oracle in big integers, or, where that would take long,
// of the same product without preparation.
#include <abax/gemm_integer.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "inputs.hpp"
#include "integer_reference.hpp"
#include "operands.hpp"
#include "place_functor.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class T>
matrix<T> as_stored(char op, index_t rows, index_t cols, numbers kind, std::uint64_t seed) {
  return abax::reference::transposes(op) ? random_matrix<T>(cols, rows, kind, seed)
                                         : random_matrix<T>(rows, cols, kind, seed);
}

template <class T>
struct product_case {
  index_t m, n, k;
  char op_a = 'N', op_b = 'N';
  numbers kind = numbers::unit;
  int bits = 0;
};

/// On every space: A, B, or both prepared, two products with each, compared with the oracle.
template <class T>
void check(const product_case<T>& g, const placements& where, T alpha, T beta) {
  const auto a = as_stored<T>(g.op_a, g.m, g.k, g.kind, 31), b = as_stored<T>(g.op_b, g.k, g.n, g.kind, 32);
  const auto c = random_matrix<T>(g.m, g.n, beta == T(0) ? numbers::nan : numbers::unit, 33);
  const int bits = g.bits == 0 ? std::numeric_limits<T>::digits : g.bits;
  const auto want = abax::reference::gemm_integer(g.op_a, g.op_b, alpha, a, b, beta, c, bits);
  const char op_a[] = {g.op_a, '\0'}, op_b[] = {g.op_b, '\0'};
  abax::integer_options options;
  options.bits = g.bits;
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    CAPTURE(Exec::name(), g.m, g.n, g.k, g.op_a, g.op_b, alpha, beta, bits, where.a.text(), where.b.text(),
            where.c.text());
    const operand<T, Exec> A(a, where.a), B(b, where.b);
    A.template visit<const T>([&](const auto& a_view) {
      B.template visit<const T>([&](const auto& b_view) {
        const abax::integer_operand left(exec, "L", op_a, a_view, options), right(exec, "R", op_b, b_view, options);
        REQUIRE(left.extent(0) == g.m);
        REQUIRE(left.extent(1) == g.k);
        REQUIRE(right.extent(0) == g.k);
        REQUIRE(right.extent(1) == g.n);
        REQUIRE(left.bits() == bits);
        for (int turn = 0; turn < 4; ++turn) {
          const operand<T, Exec> C(c, where.c);
          C.visit([&](const auto& c_view) {
            if (turn == 0) abax::gemm_integer(exec, "N", op_b, alpha, left, b_view, beta, c_view, options);
            if (turn == 1) abax::gemm_integer(exec, op_a, "N", alpha, a_view, right, beta, c_view, options);
            if (turn == 2) abax::gemm_integer(exec, "N", "N", alpha, left, right, beta, c_view);
            if (turn == 3) {
              const auto copy = left;
              abax::gemm_integer(exec, "N", "N", alpha, copy, right, beta, c_view, {.bits = bits, .verify = true});
            }
          });
          exec.fence();
          CAPTURE(turn);
          REQUIRE(C.difference_from(want) == "");
        }
        REQUIRE(A.change() == "");
        REQUIRE(B.change() == "");
      });
    });
  });
}

}  // namespace

TEMPLATE_TEST_CASE("Prepared operands give gemm_integer's bits", "[integer]", float, double) {
  using T = TestType;
  std::uint64_t turn = 0;
  for (const char op_a : {'N', 'T'})
    for (const char op_b : {'N', 'C'})
      for (const auto& [alpha, beta] : {std::pair(T(1), T(0)), {T(1.5), T(-0.75)}, {T(0), T(0.5)}})
        for (const placements& where : some_placements(turn++)) check<T>({35, 9, 70, op_a, op_b}, where, alpha, beta);
  for (const auto& [m, n, k] : {std::array<index_t, 3>{1, 1, 1}, {1, 300, 129}, {300, 1, 64}, {257, 131, 5}})
    for (const placements& where : some_placements(turn++)) check<T>({m, n, k}, where, T(1), T(0));
  for (const auto& [m, n, k] : {std::array<index_t, 3>{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {0, 0, 0}})
    check<T>({m, n, k}, {}, T(1), T(2));
  // Lines with infinities are read of the operands as they were given.
  for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::nan})
    for (const char op : {'N', 'T'}) check<T>({21, 11, 40, op, op, kind}, {}, T(1), T(0));
  for (const int more : {-8, 8})
    check<T>({21, 11, 40, 'N', 'N', numbers::wide, std::numeric_limits<T>::digits + more}, {}, T(1), T(0));
}

TEMPLATE_TEST_CASE("A reduced set of prepared operands for the sanitizers", "[integer][sanitizer]", float, double) {
  check<TestType>({35, 9, 70, 'T', 'N'}, {}, TestType(1.5), TestType(-0.75));
  check<TestType>({21, 11, 40, 'N', 'T', numbers::special}, {}, TestType(1), TestType(0));
}

TEMPLATE_TEST_CASE("No way to cut a product of prepared operands changes a bit", "[integer]", float, double) {
  using T = TestType;
  using Exec = Kokkos::DefaultExecutionSpace;
  using by_columns = Kokkos::LayoutLeft;
  struct {
    index_t m, n, k;
    std::size_t workspace;
  } const cases[] = {{1100, 1060, 200, 6 << 20}, {600, 540, 1400, 6 << 20}, {7, 5, 140'001, 0}};
  for (const auto& g : cases) {
    matrix<T> of_a = random_matrix<T>(g.m, g.k, numbers::unit, 1), of_b = random_matrix<T>(g.k, g.n, numbers::unit, 2);
    const auto power = [](index_t line) { return std::ldexp(T(1), static_cast<int>(line * 7 % 11)); };
    for (index_t p = 0; p < g.k; ++p) {  // every line has a grid of its own
      for (index_t i = 0; i < g.m; ++i) of_a(i, p) *= power(i);
      for (index_t j = 0; j < g.n; ++j) of_b(p, j) *= power(j);
    }
    const operand<T, Exec> A(of_a, {}), B(of_b, {}), C(matrix<T>(g.m, g.n), {}), D(matrix<T>(g.m, g.n), {});
    const auto a = A.template view<by_columns>();
    const auto b = B.template view<by_columns>();
    const Exec exec;
    abax::gemm_integer(exec, "N", "N", T(1), a, b, T(0), C.template view<by_columns>());
    const abax::integer_operand left(exec, "L", "N", a), right(exec, "R", "N", b);
    exec.fence();
    const auto want = C.values();
    for (const bool verify : {false, true}) {
      const abax::integer_options options{.workspace = g.workspace, .verify = verify};
      const auto d = D.template view<by_columns>();
      CAPTURE(g.m, g.n, g.k, verify);
      abax::gemm_integer(exec, "N", "N", T(1), left, b, T(0), d, options);
      exec.fence();
      REQUIRE(D.difference_from(want) == "");
      abax::gemm_integer(exec, "N", "N", T(1), a, right, T(0), d, options);
      exec.fence();
      REQUIRE(D.difference_from(want) == "");
      abax::gemm_integer(exec, "N", "N", T(1), left, right, T(0), d, options);
      exec.fence();
      REQUIRE(D.difference_from(want) == "");
      // A functor sees each element's own place, whichever operand is the engine's left one.
      abax::gemm_integer(exec, "N", "N", T(1), a, b, T(0), d, difference_of_places(), options);
      exec.fence();
      const auto ended = D.values();
      const operand<T, Exec> by_rows(matrix<T>(g.m, g.n), {layout::right});
      abax::gemm_integer(exec, "N", "N", T(1), left, b, T(0), by_rows.template view<Kokkos::LayoutRight>(),
                         difference_of_places(), options);
      exec.fence();
      REQUIRE(by_rows.difference_from(ended) == "");
    }
  }
}

TEMPLATE_TEST_CASE("A View that owns its memory is kept as long as what is prepared of it", "[integer]", float,
                   double) {
  using T = TestType;
  using Exec = Kokkos::DefaultExecutionSpace;
  Kokkos::View<T**, Kokkos::LayoutLeft, Exec> a("a", 20, 30);
  const Kokkos::View<T**, Kokkos::LayoutLeft, Exec> b("b", 30, 10), c("c", 20, 10);
  const abax::integer_operand left(Exec(), "L", "N", a);
  REQUIRE(a.use_count() == 2);
  a = {};
  REQUIRE_NOTHROW(abax::gemm_integer("N", "N", T(1), left, b, T(0), c));
  Kokkos::fence();
}

TEMPLATE_TEST_CASE("What another of the host's spaces has prepared gives the same bits or is refused", "[integer]",
                   float, double) {
  using T = TestType;
  using space = Kokkos::DefaultHostExecutionSpace;
#ifdef KOKKOS_ENABLE_SERIAL
  using other_space = Kokkos::Serial;
#else
  using other_space = space;
#endif
  constexpr index_t m = 37, n = 21, k = 300;  // with remainders of all sizes
  const auto a = random_matrix<T>(m, k, numbers::unit, 1), b = random_matrix<T>(k, n, numbers::unit, 2);
  const auto c = random_matrix<T>(m, n, numbers::nan, 3);
  const auto want = abax::reference::gemm_integer('N', 'N', T(1), a, b, T(0), c, std::numeric_limits<T>::digits);
  const auto multiply = [&](const auto& maker, const auto& user) {
    using Maker = std::decay_t<decltype(maker)>;
    using User = std::decay_t<decltype(user)>;
    CAPTURE(Maker::name(), User::name());
    const operand<T, User> A(a, {}), B(b, {});
    using left_layout = Kokkos::LayoutLeft;
    const auto a_view = A.template view<left_layout>(), b_view = B.template view<left_layout>();
    const abax::integer_operand left(maker, "L", "N", a_view), right(maker, "R", "N", b_view);
    maker.fence();
    {
      const operand<T, User> C(c, {});
      abax::gemm_integer(user, "N", "N", T(1), a_view, right, T(0), C.template view<left_layout>());
      user.fence();
      REQUIRE(C.difference_from(want) == "");
    }
    const operand<T, User> C(c, {});
    try {
      abax::gemm_integer(user, "N", "N", T(1), left, b_view, T(0), C.template view<left_layout>());
      user.fence();
      REQUIRE(C.difference_from(want) == "");
    } catch (const abax::invalid_argument& error) {
      REQUIRE_THAT(error.what(),
                   ContainsSubstring("abax::gemm_integer: A was prepared on an execution space or a GPU"));
      REQUIRE(C.change() == "");
    }
  };
  multiply(space(), other_space());
  multiply(other_space(), space());
  multiply(space(), space());
}

TEMPLATE_TEST_CASE("What is prepared for something else is refused", "[integer][errors]", float, double) {
  using T = TestType;
  constexpr int digits = std::numeric_limits<T>::digits;
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const operand<T, Exec> A(random_matrix<T>(4, 5, numbers::unit, 1), {}),
        B(random_matrix<T>(5, 3, numbers::unit, 2), {}), C(random_matrix<T>(4, 3, numbers::unit, 3), {});
    using left = Kokkos::LayoutLeft;
    const auto a = A.template view<left>();
    const auto b = B.template view<left>();
    const auto c = C.template view<left>();
    const abax::integer_operand pa(exec, "L", "N", a), wrong_side(exec, "R", "N", a),
        pb(exec, "R", "N", b, {.bits = digits + 1});
    const auto multiply = [&](const char* op_a, const auto& x, const auto& y, const abax::integer_options& o = {}) {
      abax::gemm_integer(exec, op_a, "N", T(1), x, y, T(0), c, o);
    };
    REQUIRE_THROWS_WITH(multiply("N", wrong_side, b),
                        ContainsSubstring("abax::gemm_integer: A was prepared as the operand \"R\", but \"L\" was "
                                          "expected"));
    REQUIRE_THROWS_WITH(multiply("N", pa, pa), ContainsSubstring("extent 1 of op(A) is 5"));
    REQUIRE_THROWS_WITH(multiply("T", pa, b), ContainsSubstring("abax::gemm_integer: "));
    REQUIRE_THROWS_WITH(multiply("N", pa, pb), ContainsSubstring("abax::gemm_integer: B was prepared with"));
    REQUIRE_THROWS_WITH(multiply("N", pa, b, {.bits = digits - 1}),
                        ContainsSubstring("A was prepared with " + std::to_string(digits) + " bits, but " +
                                          std::to_string(digits - 1) + " were expected"));
    REQUIRE_THROWS_AS(multiply("N", pa, b, {.bits = 99}), abax::invalid_argument);
    REQUIRE_THROWS_AS(abax::gemm_integer(exec, "N", "N", T(1), pa, b, T(0), a), abax::invalid_argument);
    const operand<T, Exec> S(random_matrix<T>(4, 4, numbers::unit, 4), {});
    const abax::integer_operand square(exec, "L", "N", S.template view<left>());
    REQUIRE_THROWS_WITH(abax::gemm_integer(exec, "T", "N", T(1), square, c, T(0), S.template view<left>()),
                        ContainsSubstring("abax::gemm_integer: "));
    const operand<T, Exec> E(random_matrix<T>(4, 3, numbers::unit, 5), {});
    REQUIRE_THROWS_WITH(abax::gemm_integer(exec, "T", "N", T(1), square, c, T(0), E.template view<left>()),
                        ContainsSubstring("A was prepared from op(A), and transA is 'T', but \"N\" was expected"));
    const auto prepare = [&](const char* side, const char* trans, const abax::integer_options& o) {
      return abax::integer_operand(exec, side, trans, a, o);
    };
    REQUIRE_THROWS_WITH(prepare("U", "N", {}),
                        ContainsSubstring("abax::integer_operand: side is 'U', expected \"L\" or \"R\""));
    REQUIRE_THROWS_WITH(prepare("L", "X", {}), ContainsSubstring("abax::integer_operand: trans"));
    REQUIRE_THROWS_WITH(prepare("L", "N", {.bits = 99}), ContainsSubstring("abax::integer_operand: bits is 99"));
    exec.fence();
    REQUIRE(C.change() == "");
    REQUIRE(A.change() == "");
  });
}

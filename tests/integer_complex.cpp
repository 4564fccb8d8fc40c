// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm_integer of complex numbers against the oracle in big integers: ops, layouts and spaces, special and extreme
// lines, operands that are prepared, every way to cut the work; functors, losses and the errors.
#include <abax/epilogue.hpp>
#include <abax/gemm_integer.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "complex_inputs.hpp"
#include "integer_complex_reference.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;
using abax::reference::complex;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class R>
struct product_case {
  index_t m, n, k;
  char op_a = 'N', op_b = 'N';
  complex<R> alpha{1}, beta{0};
  numbers kind = numbers::unit;
  abax::integer_options options = {};
  bool prepares = false;
};

template <class R>
matrix<complex<R>> oracle(const product_case<R>& g, const matrix<complex<R>>& a, const matrix<complex<R>>& b,
                          const matrix<complex<R>>& c) {
  const int bits = g.options.bits == 0 ? std::numeric_limits<R>::digits : g.options.bits;
  return abax::reference::gemm_integer(g.op_a, g.op_b, g.alpha, a, b, g.beta, c, bits);
}

/// What lies in memory for op(X) of rows x cols.
template <class R>
matrix<complex<R>> stored(char op, index_t rows, index_t cols, numbers kind, std::uint64_t seed) {
  return abax::reference::transposes(op) ? random_complex<R>(cols, rows, kind, seed)
                                         : random_complex<R>(rows, cols, kind, seed);
}

template <class R>
struct given {
  matrix<complex<R>> a, b, c, want;

  explicit given(const product_case<R>& g)
      : a(stored<R>(g.op_a, g.m, g.k, g.kind, 41)),
        b(stored<R>(g.op_b, g.k, g.n, g.kind, 42)),
        c(random_complex<R>(g.m, g.n, abax::reference::is(g.beta, 0) ? numbers::nan : numbers::unit, 43)),
        want(oracle(g, a, b, c)) {}
};

template <class R>
void check(const product_case<R>& g, const std::vector<placements>& where, const given<R>& x) {
  using T = complex<R>;
  const char op_a[] = {g.op_a, '\0'}, op_b[] = {g.op_b, '\0'};
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const placements& p : where) {
      CAPTURE(Exec::name(), g.m, g.n, g.k, g.op_a, g.op_b, g.options.bits, g.options.workspace, g.prepares, p.a.text(),
              p.b.text(), p.c.text());
      const operand<T, Exec> A(x.a, p.a), B(x.b, p.b), C(x.c, p.c);
      A.template visit<const T>([&](const auto& a_view) {
        B.template visit<const T>([&](const auto& b_view) {
          C.visit([&](const auto& c_view) {
            const auto multiply = [&](const char* of_a, const char* of_b, const auto& left, const auto& right) {
              abax::gemm_integer(exec, of_a, of_b, g.alpha, left, right, g.beta, c_view, g.options);
              exec.fence();
              REQUIRE(C.difference_from(x.want) == "");
              C.restore();
            };
            multiply(op_a, op_b, a_view, b_view);
            if (!g.prepares) return;
            const abax::integer_operand left(exec, "L", op_a, a_view, g.options);
            const abax::integer_operand right(exec, "R", op_b, b_view, g.options);
            multiply("N", op_b, left, b_view);
            multiply(op_a, "N", a_view, right);
            multiply("N", "N", left, right);
          });
        });
      });
      REQUIRE(A.change() == "");
      REQUIRE(B.change() == "");
    }
  });
}

template <class R>
void check(const product_case<R>& g, const std::vector<placements>& where) {
  check(g, where, given<R>(g));
}

const std::vector<placements> packed_left{{{}, {}, {}}};

struct rotated {
  template <class T>
  KOKKOS_FUNCTION T operator()(index_t i, index_t j, const T& value) const {
    return T(-value.imag() + static_cast<typename T::value_type>(i),
             value.real() - static_cast<typename T::value_type>(j));
  }
};

}  // namespace

TEMPLATE_TEST_CASE("Complex gemm_integer follows the integer canon", "[integer][complex]", float, double) {
  using R = TestType;
  const complex<R> one(1, 0), zero(0, 0), some(R(0.5), R(-1.5)), other(R(-0.75), R(0.375));
  std::uint64_t turn = 0;
  for (const char op_a : {'N', 'T', 'C'})
    for (const char op_b : {'N', 'T', 'C'})
      for (const auto& [alpha, beta] : {std::pair(one, zero), {some, other}, {other, one}, {zero, zero}, {zero, some}})
        check<R>({13, 9, 37, op_a, op_b, alpha, beta}, some_placements(turn++));
  for (const index_t m : {1, 2, 65})
    for (const index_t n : {1, 5, 33})
      for (const index_t k : {1, 3, 32, 65})
        check<R>({m, n, k, turn % 2 == 0 ? 'N' : 'C', turn % 3 == 0 ? 'N' : 'T'}, some_placements(turn++));
  check<R>({257, 131, 17}, some_placements(turn++));
  check<R>({3, 2, 2500}, some_placements(turn++));
  for (const auto& [m, n, k] : {std::array<index_t, 3>{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {0, 0, 0}})
    for (const complex<R>& beta : {zero, one, some}) check<R>({m, n, k, 'N', 'N', one, beta}, packed_left);
}

TEMPLATE_TEST_CASE("Complex gemm_integer takes any numbers and bits", "[integer][complex]", float, double) {
  using R = TestType;
  constexpr int digits = std::numeric_limits<R>::digits;
  for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing, numbers::nan})
    for (const index_t k : {1, 8, 40}) check<R>({21, 11, k, 'C', 'N', R(1), R(0), kind}, packed_left);
  for (const int more : {-8, -1, 1, 8}) {
    abax::integer_options options;
    options.bits = digits + more;
    check<R>({21, 11, 40, 'N', 'C', R(1), R(0), numbers::wide, options, true}, packed_left);
  }
}

TEMPLATE_TEST_CASE("Complex operands that are prepared give the same bits", "[integer][complex]", float, double) {
  using R = TestType;
  const complex<R> some(R(0.5), R(-1.5)), other(R(-0.75), R(0.375));
  std::uint64_t turn = 0;
  for (const char op_a : {'N', 'T', 'C'})
    for (const char op_b : {'N', 'T', 'C'})
      check<R>({35, 9, 33, op_a, op_b, some, other, numbers::unit, {}, true}, some_placements(turn++));
  for (const numbers kind : {numbers::special, numbers::nan})
    for (const char op : {'N', 'C'}) check<R>({21, 11, 40, op, op, R(1), R(0), kind, {}, true}, packed_left);
}

TEMPLATE_TEST_CASE("No way to cut a complex gemm_integer changes a bit", "[integer][complex]", float, double) {
  using R = TestType;
  // Real and imaginary parts pass half of this workspace.
  product_case<R> g{260, 140, 6400 / static_cast<index_t>(sizeof(R)), 'N', 'T'};
  g.options.workspace = 12 << 20;
  g.options.verify = g.prepares = true;
  check<R>(g, {{{layout::left}, {layout::left}, {layout::right}}});
}

TEMPLATE_TEST_CASE("A reduced set of complex integer products for the sanitizers", "[integer][complex][sanitizer]",
                   float, double) {
  using R = TestType;
  const placements packed{}, apart{{layout::right, 1, 1}, {layout::left, 1, 1}, {layout::right, 1, 0}};
  const abax::integer_options verified{.verify = true};
  for (const placements& where : {packed, apart}) {
    check<R>(
        {35, 17, 40, 'C', 'N', complex<R>(R(1.5), R(1)), complex<R>(R(-0.75), R(1)), numbers::unit, verified, true},
        {where});
    check<R>({33, 34, 65, 'N', 'T', R(1), R(0), numbers::special}, {where});
  }
}

TEMPLATE_TEST_CASE("A complex gemm_integer ends in a functor", "[integer][complex][epilogue]", float, double) {
  using R = TestType;
  using T = complex<R>;
  const product_case<R> g{19, 23, 31, 'N', 'C', T(R(0.5), R(-1.5)), T(R(-0.75), R(0.375))};
  given<R> x(g);
  for (index_t j = 0; j < g.n; ++j)
    for (index_t i = 0; i < g.m; ++i) x.want(i, j) = rotated()(i, j, x.want(i, j));
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const placements& p : some_placements(3)) {
      const operand<T, Exec> A(x.a, p.a), B(x.b, p.b), C(x.c, p.c);
      A.template visit<const T>([&](const auto& a_view) {
        B.template visit<const T>([&](const auto& b_view) {
          C.visit([&](const auto& c_view) {
            abax::gemm_integer(exec, "N", "C", g.alpha, a_view, b_view, g.beta, c_view, rotated());
          });
        });
      });
      exec.fence();
      CAPTURE(Exec::name(), p.a.text(), p.b.text(), p.c.text());
      REQUIRE(C.difference_from(x.want) == "");
    }
  });
}

TEMPLATE_TEST_CASE("Parts of complex numbers that lose bits are counted", "[integer][complex]", float, double) {
  using R = TestType;
  using T = complex<R>;
  using Exec = Kokkos::DefaultExecutionSpace;
  const R small = std::numeric_limits<R>::epsilon() / 4;
  matrix<T> x(3, 4);
  for (auto& e : x.elements) e = T(R(1), R(1));
  x(0, 1) = T(small, R(1));   // one part of row 0 and of column 1
  x(2, 3) = T(small, small);  // two of row 2 and of column 3
  x(1, 0) = T(R(0), R(0.5));
  const operand<T, Exec> X(x, {});
  const auto view = X.template view<Kokkos::LayoutLeft>();
  CHECK(abax::gemm_integer_lost(Exec(), "L", "N", view) == 3);
  CHECK(abax::gemm_integer_lost(Exec(), "R", "C", view) == 3);
  for (index_t i = 0; i < 3; ++i) x(i, 3) = T(small, small);
  const operand<T, Exec> Y(x, {});
  CHECK(abax::gemm_integer_lost(Exec(), "R", "N", Y.template view<Kokkos::LayoutLeft>()) == 1);
  CHECK(abax::gemm_integer_lost(Exec(), "L", "N", Y.template view<Kokkos::LayoutLeft>()) == 7);
}

TEST_CASE("std::complex on the host by way of integers", "[integer][complex]") {
  using T = std::complex<double>;
  using host = Kokkos::DefaultHostExecutionSpace;
  const Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> A("A", 2, 2), B("B", 2, 2), C("C", 2, 2);
  A(0, 0) = T(1, 2), A(0, 1) = T(0, 1), A(1, 0) = T(3, 0), A(1, 1) = T(-1, 1);
  B(0, 0) = T(2, -1), B(0, 1) = T(1, 0), B(1, 0) = T(0, 4), B(1, 1) = T(1, 1);
  const abax::integer_operand left(host(), "L", "C", A);
  abax::gemm_integer(host(), "N", "N", T(1), left, B, T(0), C);
  host().fence();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) CHECK(C(i, j) == std::conj(A(0, i)) * B(0, j) + std::conj(A(1, i)) * B(1, j));
}

TEST_CASE("Complex gemm_integer refuses what it cannot do", "[integer][complex][errors]") {
  using T = complex<double>;
  using host = Kokkos::DefaultHostExecutionSpace;
  using view = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  const view A("A", 300, 300), B("B", 300, 300), C("C", 300, 300);
  Kokkos::deep_copy(C, T(7, 8));
  const auto with = [&](std::size_t workspace, int bits) {
    abax::integer_options options;
    options.workspace = workspace;
    options.bits = bits;
    abax::gemm_integer(host(), "N", "N", T(1), A, B, T(0), C, options);
  };
  REQUIRE_THROWS_WITH(with(1000, 0), ContainsSubstring("abax::gemm_integer: a workspace of 1000 bytes was allowed"));
  REQUIRE_THROWS_WITH(
      with(4000000, 0),
      ContainsSubstring("abax::gemm_integer: a workspace of 4000000 bytes was allowed, but the smallest "
                        "blocks need"));
  REQUIRE_THROWS_WITH(with(0, 90), ContainsSubstring("abax::gemm_integer: bits is 90, but 0 or 45 to 61 was expected"));
  const abax::integer_operand of_a(host(), "L", "N", A);
  REQUIRE_THROWS_WITH(abax::gemm_integer(host(), "N", "N", T(1), A, of_a, T(0), C),
                      ContainsSubstring("B was prepared as the operand \"L\", but \"R\" was expected"));
  REQUIRE_THROWS_WITH(abax::gemm_integer(host(), "C", "N", T(1), of_a, B, T(0), C),
                      ContainsSubstring("A was prepared from op(A), and transA is 'C', but \"N\" was expected"));
  for (index_t j = 0; j < 300; ++j)
    for (index_t i = 0; i < 300; ++i) REQUIRE(C(i, j) == T(7, 8));
}

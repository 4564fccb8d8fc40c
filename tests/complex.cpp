// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers against the oracle, every kernel: ops, layouts and spaces, sizes at the edges of tiles and blocks,
// NaN, infinities and signed zeros; and the errors.
#include <abax/dot.hpp>
#include <abax/epilogue.hpp>
#include <abax/gemm.hpp>
#include <abax/gemm_batched.hpp>
#include <abax/gemmt.hpp>
#include <abax/gemv.hpp>
#include <abax/reductions.hpp>
#include <abax/stream.hpp>
#include <abax/transpose.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <complex>
#include <vector>

#include "complex_inputs.hpp"
#include "complex_reference.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "sample.hpp"
#include "spaces.hpp"

using namespace abax::tests;
using abax::reference::complex;

namespace {

template <class R>
struct factors {
  complex<R> alpha{R(1.25), R(-0.5)}, beta{R(-0.75), R(0.375)};
};
/// Every case that the epilogue has.
template <class R>
std::vector<factors<R>> all_factors() {
  const complex<R> one(1, 0), zero(0, 0), some(R(0.5), R(-1.5)), imaginary(0, 1);
  std::vector<factors<R>> all;
  for (const complex<R>& alpha : {one, zero, some, imaginary})
    for (const complex<R>& beta : {zero, one, some, -imaginary}) all.push_back({alpha, beta});
  return all;
}

template <class R>
struct product_case {
  index_t m, n, k;
  char op_a = 'N', op_b = 'N';
  factors<R> by = {};
  numbers a = numbers::unit, b = numbers::unit, c = numbers::unit;
};

template <class R>
void check(const product_case<R>& g, const std::vector<placements>& where) {
  const auto transposes = [](char op) { return abax::reference::transposes(op); };
  const std::uint64_t seed = 7 * g.m + 3 * g.n + g.k;
  const auto a = transposes(g.op_a) ? random_complex<R>(g.k, g.m, g.a, seed) : random_complex<R>(g.m, g.k, g.a, seed);
  const auto b =
      transposes(g.op_b) ? random_complex<R>(g.n, g.k, g.b, seed + 1) : random_complex<R>(g.k, g.n, g.b, seed + 1);
  const auto c = random_complex<R>(g.m, g.n, g.c, seed + 2);
  const auto want = abax::reference::gemm(g.op_a, g.op_b, g.by.alpha, a, b, g.by.beta, c);
  const char op_a[] = {g.op_a, '\0'}, op_b[] = {g.op_b, '\0'};
  static sample cases(5);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    using T = complex<R>;
    for (const placements& p : where) {
      if (!cases.takes()) continue;
      const operand<T, Exec> A(a, p.a), B(b, p.b), C(c, p.c);
      A.template visit<const T>([&](const auto& a_view) {
        B.template visit<const T>([&](const auto& b_view) {
          C.visit(
              [&](const auto& c_view) { abax::gemm(exec, op_a, op_b, g.by.alpha, a_view, b_view, g.by.beta, c_view); });
        });
      });
      exec.fence();
      CAPTURE(Exec::name(), g.m, g.n, g.k, g.op_a, g.op_b, hex(g.by.alpha), hex(g.by.beta), name_of(g.a), p.a.text(),
              p.b.text(), p.c.text());
      REQUIRE(C.difference_from(want) == "");
      REQUIRE(A.change() == "");
      REQUIRE(B.change() == "");
    }
  });
}

constexpr char ops[] = {'N', 'T', 'C'};

}  // namespace

TEMPLATE_TEST_CASE("Complex gemm has the canon's bits for all pairs of ops and layouts", "[complex][gemm]", float,
                   double) {
  for (const char op_a : ops)
    for (const char op_b : ops) {
      check<TestType>({53, 11, 37, op_a, op_b}, every_layout(one_per_layout));
      check<TestType>({7, 61, 19, op_a, op_b}, some_placements(op_a + 2 * op_b));
    }
}

TEMPLATE_TEST_CASE("Complex gemm has the canon's bits at the edges of tiles and blocks", "[complex][gemm]", float,
                   double) {
  std::uint64_t turn = 0;
  for (const index_t m : {0, 1, 2, 15, 16, 17, 47, 48, 49, 97})
    for (const index_t n : {1, 2, 3, 4, 5, 9}) {
      const char op_a = ops[turn % 3], op_b = ops[turn / 3 % 3];
      check<TestType>({m, n, index_t(turn % 7), op_a, op_b}, some_placements(turn));
      ++turn;
    }
  for (const index_t k : {255, 256, 257, 1023, 1024, 1025, 2049, 3073})
    check<TestType>({50, 6, k, ops[++turn % 3], ops[turn / 3 % 3]}, some_placements(turn));
  check<TestType>({200, 190, 130, 'C', 'N'}, some_placements(1));
  check<TestType>({300, 3, 1300, 'N', 'C'}, some_placements(2));
  // Few rows by many columns, and a column or a row of few blocks and of many.
  for (const auto& [m, n, k] : std::vector<std::array<index_t, 3>>{{2, 130, 40},
                                                                   {5, 260, 1030},
                                                                   {3, 97, 1},
                                                                   {67, 1, 3805},
                                                                   {1, 1, 1907},
                                                                   {4, 1, 5000},
                                                                   {1, 3, 9300},
                                                                   {1, 70, 98}})
    for (const char op_a : ops)
      for (const char op_b : ops) check<TestType>({m, n, k, op_a, op_b}, some_placements(++turn));
}

TEMPLATE_TEST_CASE("Complex gemm has the canon's epilogue for all factors", "[complex][gemm]", float, double) {
  for (const factors<TestType>& by : all_factors<TestType>()) {
    check<TestType>({21, 9, 5, 'N', 'C', by}, some_placements(3));
    check<TestType>({21, 9, 0, 'N', 'N', by}, some_placements(4));
    check<TestType>({35, 9, 1100, 'T', 'N', by, numbers::special, numbers::special, numbers::special},
                    some_placements(5));
  }
}

TEMPLATE_TEST_CASE("Complex gemm treats numbers of every kind as the canon does", "[complex][gemm]", float, double) {
  std::uint64_t turn = 0;
  for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing})
    for (const char op_a : ops)
      for (const char op_b : ops)
        check<TestType>({19, 13, 23, op_a, op_b, {}, kind, kind, kind}, some_placements(++turn));
  const complex<TestType> zero(0, 0), one(1, 0);
  check<TestType>({19, 13, 23, 'N', 'N', {one, zero}, numbers::unit, numbers::unit, numbers::nan}, some_placements(1));
  check<TestType>({19, 13, 23, 'N', 'N', {zero, one}, numbers::nan, numbers::nan, numbers::unit}, some_placements(2));
}

TEMPLATE_TEST_CASE("Complex triangles have gemm's bits, and a Hermitian one a real diagonal", "[complex][gemmt]", float,
                   double) {
  using T = complex<TestType>;
  std::uint64_t turn = 0;
  for (const index_t n : {0, 1, 5, 30, 67})
    for (const index_t k : {0, 3, 40, 1030})
      for (const char uplo : {'L', 'U'}) {
        const factors<TestType> by = all_factors<TestType>()[turn % 16];
        const char which[] = {uplo, '\0'};
        const auto square = random_complex<TestType>(n, n, turn % 2 == 0 ? numbers::unit : numbers::special, turn);
        const auto a = random_complex<TestType>(n, k, numbers::unit, turn + 1),
                   tall = random_complex<TestType>(k, n, numbers::unit, turn + 2);
        const auto product = abax::reference::gemmt(uplo, 'C', 'N', by.alpha, tall, tall, by.beta, square);
        const auto symmetric = abax::reference::gemmt(uplo, 'N', 'T', by.alpha, a, a, by.beta, square);
        const auto turned = abax::reference::gemmt(uplo, 'T', 'N', by.alpha, tall, tall, by.beta, square);
        const TestType real = by.alpha.real(), old = by.beta.real();
        const T alpha(real, 0), beta(old, 0);
        const auto hermitian = abax::reference::gemmt(uplo, 'N', 'C', alpha, a, a, beta, square, true);
        const auto inner = abax::reference::gemmt(uplo, 'C', 'N', alpha, tall, tall, beta, square, true);
        for_each_space([&](const auto& exec) {
          using Exec = std::decay_t<decltype(exec)>;
          for (const placement& where : one_per_layout) {
            const operand<T, Exec> A(a, where), B(tall, where), C(square, where);
            CAPTURE(Exec::name(), n, k, uplo, hex(by.alpha), hex(by.beta), where.text());
            const auto run = [&](const operand<T, Exec>& from, const auto& call, const matrix<T>& want) {
              from.template visit<const T>(
                  [&](const auto& view) { C.visit([&](const auto& c_view) { call(view, c_view); }); });
              exec.fence();
              REQUIRE(C.difference_from(want) == "");
              C.restore();
            };
            run(
                B,
                [&](const auto& x, const auto& c) { abax::gemmt(exec, which, "C", "N", by.alpha, x, x, by.beta, c); },
                product);
            run(
                A, [&](const auto& x, const auto& c) { abax::syrk(exec, which, "N", by.alpha, x, by.beta, c); },
                symmetric);
            run(
                B, [&](const auto& x, const auto& c) { abax::syrk(exec, which, "T", by.alpha, x, by.beta, c); },
                turned);
            run(
                A, [&](const auto& x, const auto& c) { abax::herk(exec, which, "N", real, x, old, c); }, hermitian);
            run(
                B, [&](const auto& x, const auto& c) { abax::herk(exec, which, "C", real, x, old, c); }, inner);
          }
        });
        ++turn;
      }
}

TEMPLATE_TEST_CASE("Complex gemv has the bits of gemm's column", "[complex][gemv]", float, double) {
  using T = complex<TestType>;
  std::uint64_t turn = 0;
  for (const auto& [m, k] : std::vector<std::pair<index_t, index_t>>{{0, 3},
                                                                     {1, 1},
                                                                     {3, 0},
                                                                     {5, 7},
                                                                     {16, 16},
                                                                     {67, 128},
                                                                     {40, 1280},
                                                                     {67, 33},
                                                                     {129, 1030},
                                                                     {9, 3000},
                                                                     {1, 1024},
                                                                     {2, 4096},
                                                                     {4, 5200},
                                                                     {300, 1100},
                                                                     {600, 512},
                                                                     {2000, 5}})
    for (const char op : ops)
      for (const placements& p : every_layout(std::array{all_placements[turn % 7]})) {
        const factors<TestType> by = all_factors<TestType>()[turn++ % 16];
        const bool t = op != 'N';
        const auto kind = turn % 3 == 0 ? numbers::special : numbers::unit;
        const auto a = random_complex<TestType>(t ? k : m, t ? m : k, kind, turn),
                   x = random_complex<TestType>(k, 1, kind, turn + 1),
                   y = random_complex<TestType>(m, 1, kind, turn + 2);
        const auto want = abax::reference::gemm(op, 'N', by.alpha, a, x, by.beta, y);
        const char trans[] = {op, '\0'};
        for_each_space([&](const auto& exec) {
          using Exec = std::decay_t<decltype(exec)>;
          const operand<T, Exec> A(a, p.a), X(x, p.b), Y(y, p.c);
          A.template visit<const T>([&](const auto& a_view) {
            X.visit_vector([&](const auto& x_view) {
              Y.visit_vector(
                  [&](const auto& y_view) { abax::gemv(exec, trans, by.alpha, a_view, x_view, by.beta, y_view); });
            });
          });
          exec.fence();
          CAPTURE(Exec::name(), m, k, op, hex(by.alpha), hex(by.beta), p.a.text(), p.b.text(), p.c.text());
          REQUIRE(Y.difference_from(want) == "");
        });
      }
}

TEMPLATE_TEST_CASE("Complex reductions have the canon's bits", "[complex][reductions]", float, double) {
  using T = complex<TestType>;
  for (const index_t n : {0, 1, 2, 31, 32, 33, 63, 64, 511, 512, 513, 1025, 5000, 8192, 8193, 70001})
    for (const numbers kind : {numbers::unit, numbers::wide, numbers::special, numbers::subnormal}) {
      const auto x = random_complex<TestType>(n, 1, kind, n + 5), y = random_complex<TestType>(n, 1, kind, n + 6);
      for_each_space([&](const auto& exec) {
        using Exec = std::decay_t<decltype(exec)>;
        for (const placement& where : {all_placements[0], all_placements[2], all_placements[4]}) {
          const operand<T, Exec> X(x, where), Y(y, all_placements[n % 2 == 0 ? 0 : 4]);
          CAPTURE(Exec::name(), n, name_of(kind), where.text());
          X.visit_vector([&](const auto& x_view) {
            Y.visit_vector([&](const auto& y_view) {
              REQUIRE(difference(T(abax::dot(exec, x_view, y_view)), abax::reference::dot(x, y, false)) == "");
              REQUIRE(difference(T(abax::dotc(exec, x_view, y_view)), abax::reference::dot(x, y, true)) == "");
            });
            REQUIRE(difference(abax::asum(exec, x_view), abax::reference::asum(x)) == "");
            REQUIRE(difference(abax::nrm2(exec, x_view), abax::reference::nrm2(x)) == "");
            REQUIRE(abax::iamax(exec, x_view) == abax::reference::iamax(x));
          });
        }
      });
    }
}

TEMPLATE_TEST_CASE("Complex streams have the canon's bits", "[complex][stream]", float, double) {
  using T = complex<TestType>;
  std::uint64_t turn = 0;
  for (const auto& [rows, cols] : std::vector<std::pair<index_t, index_t>>{
           {0, 1}, {1, 1}, {7, 1}, {64, 1}, {1001, 1}, {13, 9}, {70, 40}, {257, 9}})
    for (const factors<TestType>& by : all_factors<TestType>()) {
      const auto kind = ++turn % 3 == 0 ? numbers::special : numbers::unit;
      const auto x = random_complex<TestType>(rows, cols, kind, turn),
                 y = random_complex<TestType>(rows, cols, kind, turn + 1);
      const auto want = abax::reference::axpby(by.alpha, x, by.beta, y);
      const auto scaled = abax::reference::axpby(by.alpha, x, T(0, 0), x);
      const auto added = abax::reference::axpby(by.alpha, x, T(1, 0), y);
      for_each_space([&](const auto& exec) {
        using Exec = std::decay_t<decltype(exec)>;
        for (const placement& where : {all_placements[turn % 7], all_placements[0]}) {
          const operand<T, Exec> X(x, all_placements[turn / 7 % 7]), Y(y, where), Z(y, all_placements[turn % 5]);
          CAPTURE(Exec::name(), rows, cols, hex(by.alpha), hex(by.beta), where.text());
          X.template visit<const T>([&](const auto& x_view) {
            Y.visit([&](const auto& y_view) {
              abax::axpby(exec, by.alpha, x_view, by.beta, y_view);
              exec.fence();
              REQUIRE(Y.difference_from(want) == "");
              Y.restore();
              Z.visit([&](const auto& z_view) {
                abax::triad(exec, by.alpha, x_view, y_view, z_view);
                exec.fence();
                REQUIRE(Z.difference_from(added) == "");
                abax::copy(exec, x_view, z_view);
                exec.fence();
                REQUIRE(Z.difference_from(x) == "");
              });
              abax::scal(exec, y_view, by.alpha, x_view);
              exec.fence();
              REQUIRE(Y.difference_from(scaled) == "");
            });
          });
        }
      });
    }
}

TEMPLATE_TEST_CASE("Complex transposes move every bit, and conjugates change one", "[complex][transpose]", float,
                   double) {
  using T = complex<TestType>;
  std::uint64_t turn = 0;
  for (const auto& [rows, cols] : std::vector<std::pair<index_t, index_t>>{
           {0, 3}, {1, 1}, {1, 17}, {5, 9}, {33, 31}, {64, 64}, {259, 300}, {300, 300}}) {
    const auto a = random_complex<TestType>(rows, cols, numbers::special, ++turn);
    const auto b = random_complex<TestType>(cols, rows, numbers::nan, turn);
    for_each_space([&](const auto& exec) {
      using Exec = std::decay_t<decltype(exec)>;
      for (const placements& p : every_layout(std::array{all_placements[turn % 7], all_placements[1]})) {
        const operand<T, Exec> A(a, p.a), B(b, p.b);
        CAPTURE(Exec::name(), rows, cols, p.a.text(), p.b.text());
        for (const bool conjugated : {false, true}) {
          A.template visit<const T>([&](const auto& a_view) {
            B.visit([&](const auto& b_view) {
              conjugated ? abax::conjugate_transpose(exec, a_view, b_view) : abax::transpose(exec, a_view, b_view);
            });
          });
          exec.fence();
          REQUIRE(B.difference_from(abax::reference::transpose(a, conjugated)) == "");
          if (rows != cols) continue;
          A.visit([&](const auto& view) {
            conjugated ? abax::conjugate_transpose(exec, view) : abax::transpose(exec, view);
          });
          exec.fence();
          REQUIRE(A.difference_from(abax::reference::transpose(a, conjugated)) == "");
          A.restore();
        }
      }
    });
  }
}

TEMPLATE_TEST_CASE("Complex batches have the bits of gemm and gemv item by item", "[complex][batched]", float, double) {
  using T = complex<TestType>;
  const index_t items = 5;
  std::uint64_t turn = 0;
  const auto item = [](const matrix<T>& all, index_t i, index_t rows, index_t cols) {  // by rows
    matrix<T> one(rows, cols);
    for (index_t e = 0; e < rows * cols; ++e) one(e / cols, e % cols) = all(e, i);
    return one;
  };
  for (const auto& [m, n, k] :
       std::vector<std::array<index_t, 3>>{{1, 1, 1}, {3, 2, 5}, {8, 8, 8}, {17, 9, 12}, {50, 37, 1100}})
    for (const char op_a : ops)
      for (const char op_b : ops) {
        if (k > 1000 && op_a != op_b) continue;
        const bool t_a = op_a != 'N', t_b = op_b != 'N';
        const index_t a_rows = t_a ? k : m, a_cols = t_a ? m : k, b_rows = t_b ? n : k, b_cols = t_b ? k : n;
        const factors<TestType> by = all_factors<TestType>()[++turn % 16];
        const auto a = random_complex<TestType>(m * k, items, numbers::unit, turn),
                   b = random_complex<TestType>(k * n, items, numbers::unit, turn + 1),
                   c = random_complex<TestType>(m * n, items, numbers::unit, turn + 2),
                   x = random_complex<TestType>(k, items, numbers::unit, turn + 3),
                   y = random_complex<TestType>(m, items, numbers::unit, turn + 4);
        const char trans_a[] = {op_a, '\0'}, trans_b[] = {op_b, '\0'};
        for_each_space([&, m = m, n = n, k = k](const auto& exec) {
          using Exec = std::decay_t<decltype(exec)>;
          using memory = typename Exec::memory_space;
          using Batch = Kokkos::View<T***, Kokkos::LayoutRight, memory, Kokkos::MemoryUnmanaged>;
          using Vectors = Kokkos::View<T**, Kokkos::LayoutRight, memory, Kokkos::MemoryUnmanaged>;
          const operand<T, Exec> A(a, {}), B(b, {}), C(c, {}), X(x, {}), Y(y, {});
          const Batch a_view(A.data(), items, a_rows, a_cols);
          abax::gemm_batched(exec, trans_a, trans_b, by.alpha, a_view, Batch(B.data(), items, b_rows, b_cols), by.beta,
                             Batch(C.data(), items, m, n));
          abax::gemv_batched(exec, trans_a, by.alpha, a_view, Vectors(X.data(), items, k), by.beta,
                             Vectors(Y.data(), items, m));
          exec.fence();
          const matrix<T> products = C.values(), vectors = Y.values();
          for (index_t i = 0; i < items; ++i) {
            CAPTURE(Exec::name(), m, n, k, op_a, op_b, i);
            const matrix<T> of_a = item(a, i, a_rows, a_cols);
            REQUIRE(difference(item(products, i, m, n),
                               abax::reference::gemm(op_a, op_b, by.alpha, of_a, item(b, i, b_rows, b_cols), by.beta,
                                                     item(c, i, m, n))) == "");
            REQUIRE(
                difference(item(vectors, i, m, 1), abax::reference::gemm(op_a, 'N', by.alpha, of_a, item(x, i, k, 1),
                                                                         by.beta, item(y, i, m, 1))) == "");
          }
        });
      }
}

namespace {

/// The conjugate, times i, plus the element's place.
struct turned_conjugate {
  template <class R>
  KOKKOS_FUNCTION Kokkos::complex<R> operator()(index_t i, index_t j, const Kokkos::complex<R>& value) const {
    return {value.imag() + R(i), value.real() - R(j)};
  }
};

}  // namespace

TEMPLATE_TEST_CASE("Complex gemm with a functor has the bits of a pass of its own", "[complex][epilogue]", float,
                   double) {
  using T = complex<TestType>;
  for (const auto& [m, n, k] : std::vector<std::array<index_t, 3>>{{1, 1, 0},
                                                                   {9, 5, 3},
                                                                   {50, 6, 1100},
                                                                   {3, 40, 7},
                                                                   {50, 1, 2100},
                                                                   {2, 130, 40},
                                                                   {3, 260, 1100},
                                                                   {70, 130, 40},
                                                                   {3, 3000, 40}}) {
    const T alpha(TestType(0.5), TestType(-1.5)), beta(TestType(2), TestType(0.25));
    const auto a = random_complex<TestType>(m, k, numbers::special, m),
               b = random_complex<TestType>(n, k, numbers::unit, n),
               c = random_complex<TestType>(m, n, numbers::unit, k);
    matrix<T> want = abax::reference::gemm('N', 'C', alpha, a, b, beta, c);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) want(i, j) = abax::reference::one_nan(turned_conjugate()(i, j, want(i, j)));
    for_each_space([&, m = m, n = n, k = k](const auto& exec) {
      using Exec = std::decay_t<decltype(exec)>;
      for (const placement& where : one_per_layout) {
        const operand<T, Exec> A(a, where), B(b, {}), C(c, where);
        A.template visit<const T>([&](const auto& a_view) {
          C.visit([&](const auto& c_view) {
            abax::gemm(exec, "N", "C", alpha, a_view, B.template view<Kokkos::LayoutLeft, const T>(), beta, c_view,
                       turned_conjugate());
          });
        });
        exec.fence();
        CAPTURE(Exec::name(), m, n, k, where.text());
        REQUIRE(C.difference_from(want) == "");
      }
    });
  }
}

TEST_CASE("std::complex in host memory is taken as it lies", "[complex]") {
  using T = std::complex<double>;
  const index_t n = 37;
  std::vector<double> memory(6 * n * n + 1, 0.0);  // elements begin at odd multiples of 8 bytes
  auto* const first = reinterpret_cast<T*>(memory.data() + 1);
  for (index_t i = 0; i < 2 * n * n; ++i) first[i] = T(double(i % 7), double(i % 5) - 2);
  using View = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const View A(first, n, n), B(first + n * n, n, n), C(first + 2 * n * n, n, n);
  abax::gemm("N", "C", T(0, 1), A, B, T(0, 0), C);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      T sum = 0;
      for (index_t p = 0; p < n; ++p) sum += A(i, p) * std::conj(B(j, p));
      REQUIRE(C(i, j) == T(0, 1) * sum);  // small integers: every order gives the same
    }
  using Vector = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const Vector x(first, n), y(first + n, n);
  T plain = 0, conjugated = 0;
  for (index_t i = 0; i < n; ++i) {
    plain += x(i) * y(i);
    conjugated += std::conj(x(i)) * y(i);
  }
  REQUIRE(abax::dot(x, y) == plain);
  REQUIRE(abax::dotc(x, y) == conjugated);
}

TEST_CASE("Complex calls that cannot be computed are refused", "[complex][errors]") {
  using Catch::Matchers::ContainsSubstring;
  using Matrix = Kokkos::View<complex<double>**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  const Matrix A("A", 3, 4), C("C", 3, 3);
  REQUIRE_THROWS_WITH(abax::syrk("L", "C", complex<double>(1), A, complex<double>(0), C),
                      ContainsSubstring("abax::syrk: trans is 'C'") && ContainsSubstring("herk"));
  REQUIRE_THROWS_WITH(abax::herk("L", "T", 1.0, A, 0.0, C),
                      ContainsSubstring("abax::herk: trans is 'T', expected \"N\" or \"C\""));
  REQUIRE_THROWS_WITH(abax::herk("L", "X", 1.0, A, 0.0, C),
                      ContainsSubstring("abax::herk: trans is 'X', expected \"N\" or \"C\""));
  REQUIRE_THROWS_WITH(abax::herk("L", "C", 1.0, A, 0.0, C), ContainsSubstring("extent 0 of op(A) is 4"));
  const Kokkos::View<complex<double>*, Kokkos::HostSpace> x("x", 3), y("y", 4);
  REQUIRE_THROWS_WITH(abax::dot(x, y), ContainsSubstring("abax::dot: the extent of x is 3, but the extent of y is 4"));
  REQUIRE_THROWS_WITH(abax::dotc(x, y), ContainsSubstring("abax::dotc: the extent of x is 3"));
  REQUIRE_THROWS_WITH(abax::conjugate_transpose(A, C), ContainsSubstring("abax::conjugate_transpose: extent 1 of A"));
  REQUIRE_THROWS_WITH(abax::conjugate_transpose(A), ContainsSubstring("abax::conjugate_transpose: extent 0 of A"));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Abax' own functors at the end of complex products have the bits of passes of their own, each one operation an
// element.
#include <abax/epilogue.hpp>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <vector>

#include "complex_inputs.hpp"
#include "complex_reference.hpp"
#include "operands.hpp"
#include "spaces.hpp"

using namespace abax::tests;
using abax::reference::complex;
namespace ends = abax::epilogue;

namespace {

// The functors of a chain, in the order in which they follow one another. All chains are one type, so that its kernels
// are compiled once.
enum links { row_scale = 1, column_bias = 2, column_scale = 4, row_bias = 8 };
constexpr int chains[] = {row_scale,
                          column_bias,
                          column_scale,
                          row_bias,
                          0,
                          row_scale | column_bias,
                          row_bias | column_scale,
                          row_scale | column_bias | column_scale | row_bias};

template <class T, class Space>
struct any_chain {
  int which;
  ends::row_bias<T, Space> bias_of_row;
  ends::column_bias<T, Space> bias_of_column;
  ends::row_scale<T, Space> scale_of_row;
  ends::column_scale<T, Space> scale_of_column;

  // In line it would lie in every kernel many times, and they would take nvcc half an hour.
  [[gnu::noinline]] KOKKOS_FUNCTION T operator()(abax::index_t i, abax::index_t j, T value) const {
    if ((which & row_scale) != 0) value = scale_of_row(i, j, value);
    if ((which & column_bias) != 0) value = bias_of_column(i, j, value);
    if ((which & column_scale) != 0) value = scale_of_column(i, j, value);
    if ((which & row_bias) != 0) value = bias_of_row(i, j, value);
    return value;
  }
  // Of a vector, which has rows only.
  KOKKOS_FUNCTION T operator()(abax::index_t i, T value) const {
    if ((which & row_scale) != 0) value = scale_of_row(i, value);
    if ((which & row_bias) != 0) value = bias_of_row(i, value);
    return value;
  }
};

template <class R>
complex<R> sum_of(const complex<R>& a, const complex<R>& b) {
  volatile R re = a.real() + b.real(), im = a.imag() + b.imag();
  return complex<R>(R(re), R(im));
}

// What a chain should leave of r, operation by operation.
template <class R>
matrix<complex<R>> ended(int which, matrix<complex<R>> r, const matrix<complex<R>>& rows,
                         const matrix<complex<R>>& columns) {
  using abax::reference::multiply;
  for (index_t j = 0; j < r.cols; ++j)
    for (index_t i = 0; i < r.rows; ++i) {
      complex<R> value = abax::reference::one_nan(r(i, j));
      if ((which & row_scale) != 0) value = multiply(value, rows(i));
      if ((which & column_bias) != 0) value = sum_of(value, columns(j));
      if ((which & column_scale) != 0) value = multiply(value, columns(j));
      if ((which & row_bias) != 0) value = sum_of(value, rows(i));
      r(i, j) = abax::reference::one_nan(value);
    }
  return r;
}

template <class R>
struct chain_case {
  index_t m, n, k;
  complex<R> alpha{R(1.25), R(-0.5)}, beta{R(-0.75), R(0.375)};
  numbers kind = numbers::unit;
};

template <class R>
void check(const chain_case<R>& g, int which) {
  using T = complex<R>;
  const std::uint64_t seed = 2 * (g.m + 3 * g.n + 7 * g.k);
  const auto a = random_complex<R>(g.k, g.m, g.kind, seed), b = random_complex<R>(g.k, g.n, g.kind, seed + 1);
  const auto c = random_complex<R>(g.m, g.n, g.beta == T(0) ? numbers::nan : g.kind, seed + 2);
  const auto rows = random_complex<R>(g.m, 1, g.kind, seed + 3), columns = random_complex<R>(g.n, 1, g.kind, seed + 4);
  const auto want = ended(which, abax::reference::gemm('C', 'N', g.alpha, a, b, g.beta, c), rows, columns);
  const int of_rows = which & (row_scale | row_bias);
  matrix<T> first(g.k, 1), old(g.m, 1);
  for (index_t p = 0; p < g.k; ++p) first(p) = b(p, 0);
  for (index_t i = 0; i < g.m; ++i) old(i) = c(i, 0);
  const auto want_vector =
      ended(of_rows, abax::reference::gemm('C', 'N', g.alpha, a, first, g.beta, old), rows, columns);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    using memory = typename Exec::memory_space;
    const operand<T, Exec> A(a, {}), B(b, {}), Rows(rows, {layout::stride, 1, 2, 2}),
        Columns(columns, {layout::stride, 1, 1, 2});
    const auto vector = [](const operand<T, Exec>& of) {
      return Kokkos::View<const T*, Kokkos::LayoutStride, memory>(of.data(), Kokkos::LayoutStride(of.rows(), 2));
    };
    const auto chain = [&](int links) {
      return any_chain<T, memory>{links, ends::row_bias(vector(Rows)), ends::column_bias(vector(Columns)),
                                  ends::row_scale(vector(Rows)), ends::column_scale(vector(Columns))};
    };
    const auto a_view = A.template view<Kokkos::LayoutLeft, const T>();
    const auto b_view = B.template view<Kokkos::LayoutLeft, const T>();
    for (const placement& where : one_per_layout) {
      const operand<T, Exec> C(c, where);
      C.visit([&](const auto& c_view) {
        abax::gemm(exec, "C", "N", g.alpha, a_view, b_view, g.beta, c_view, chain(which));
      });
      exec.fence();
      CAPTURE(Exec::name(), g.m, g.n, g.k, which, hex(g.alpha), hex(g.beta), name_of(g.kind), where.text());
      REQUIRE(C.difference_from(want) == "");
    }
    const operand<T, Exec> Y(old, {});
    Y.visit_vector([&](const auto& y) {
      abax::gemv(exec, "C", g.alpha, a_view, Kokkos::subview(b_view, Kokkos::ALL, 0), g.beta, y, chain(of_rows));
    });
    exec.fence();
    CAPTURE(Exec::name(), g.m, g.k, of_rows);
    REQUIRE(Y.difference_from(want_vector) == "");
  });
}

}  // namespace

TEMPLATE_TEST_CASE("Functors for rows and columns have the canon's bits of complex numbers", "[complex][epilogue]",
                   float, double) {
  using R = TestType;
  using T = complex<R>;
  for (const auto& [m, n, k] : std::vector<std::array<index_t, 3>>{{1, 1, 1}, {9, 5, 3}, {50, 6, 1100}, {3, 40, 7}})
    for (const int which : chains) check<R>({m, n, k}, which);
  for (const numbers kind : {numbers::special, numbers::subnormal, numbers::wide, numbers::vanishing})
    for (const int which : chains) check<R>({17, 11, 6, T(R(0.5), R(-1.5)), T(0), kind}, which);
  // The product leaves C as it is, or scaled.
  check<R>({17, 11, 6, T(0), T(1), numbers::special}, row_scale | column_bias);
  check<R>({17, 11, 0, T(1), T(R(2), R(0.5)), numbers::special}, row_bias | column_scale);
}

namespace {

template <class T>
void check_order() {
  const int m = 13, n = 7, k = 5;
  Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace> A("A", m, k), B("B", k, n), C("C", m, n), D("D", m, n);
  Kokkos::View<T*, Kokkos::HostSpace> bias("bias", n), scale("scale", m);
  random_bits random(3);
  const auto fill = [&](T* data, std::size_t size) {
    for (std::size_t e = 0; e < size; ++e) {
      const double re = random.unit<double>();
      data[e] = T(re, random.unit<double>());
    }
  };
  fill(A.data(), A.size());
  fill(B.data(), B.size());
  fill(bias.data(), bias.size());
  fill(scale.data(), scale.size());
  abax::gemm("N", "N", T(1), A, B, T(0), D);
  abax::gemm("N", "N", T(1), A, B, T(0), C, ends::then(ends::column_bias(bias), ends::row_scale(scale)));
  int wrong = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      const auto as_complex = [](const T& x) { return complex<double>(x.real(), x.imag()); };
      const complex<double> want =
          abax::reference::multiply(sum_of(as_complex(D(i, j)), as_complex(bias(j))), as_complex(scale(i)));
      wrong += bits_of(want.real()) != bits_of(C(i, j).real()) || bits_of(want.imag()) != bits_of(C(i, j).imag());
    }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("Abax' functors follow one another on complex numbers of either type", "[complex][epilogue]") {
  check_order<Kokkos::complex<double>>();
  check_order<std::complex<double>>();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What complex calls do part by part: a real factor multiplies each part once, and a sum is that of the parts.
#include <abax/reductions.hpp>
#include <abax/stream.hpp>
#include <abax/templates.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <utility>
#include <vector>

#include "complex_inputs.hpp"
#include "complex_reference.hpp"
#include "operands.hpp"
#include "spaces.hpp"

using namespace abax::tests;
using abax::reference::complex;

namespace {

/// The real or the imaginary parts.
template <class R>
matrix<R> part_of(const matrix<complex<R>>& x, int part) {
  matrix<R> parts(x.rows, x.cols);
  for (std::size_t e = 0; e < x.elements.size(); ++e)
    parts.elements[e] = part == 0 ? x.elements[e].real() : x.elements[e].imag();
  return parts;
}

template <class R>
matrix<complex<R>> scaled(R alpha, const matrix<complex<R>>& x) {
  matrix<complex<R>> result(x.rows, x.cols);
  for (index_t j = 0; j < x.cols; ++j)
    for (index_t i = 0; i < x.rows; ++i) {
      volatile R re = alpha == 0 ? R(0) : alpha * x(i, j).real(), im = alpha == 0 ? R(0) : alpha * x(i, j).imag();
      result(i, j) = abax::reference::one_nan(complex<R>(R(re), R(im)));
    }
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("A real factor multiplies each part of complex elements", "[complex][stream]", float, double) {
  using R = TestType;
  using T = complex<R>;
  std::uint64_t turn = 0;
  for (const auto& [rows, cols] :
       std::vector<std::pair<index_t, index_t>>{{0, 1}, {1, 1}, {64, 1}, {1001, 1}, {13, 9}, {1, 30}, {70, 40}})
    for (const R alpha : {R(-0.75), R(1), R(0), -R(0), std::numeric_limits<R>::infinity()}) {
      ++turn;
      const auto x = random_complex<R>(rows, cols, turn % 2 == 0 ? numbers::special : numbers::unit, turn),
                 y = random_complex<R>(rows, cols, numbers::nan, turn + 1);
      const auto want = scaled(alpha, x);
      for_each_space([&, rows = rows, cols = cols](const auto& exec) {
        using Exec = std::decay_t<decltype(exec)>;
        for (std::uint64_t w = 0; w < 49; w += 1 + turn % 4) {
          const operand<T, Exec> X(x, all_placements[w % 7]), Y(y, all_placements[w / 7]);
          CAPTURE(Exec::name(), rows, cols, alpha, all_placements[w % 7].text(), all_placements[w / 7].text());
          X.template visit<const T>([&](const auto& x_view) {
            Y.visit([&](const auto& y_view) { abax::scal(exec, y_view, alpha, x_view); });
          });
          exec.fence();
          REQUIRE(Y.difference_from(want) == "");
          REQUIRE(X.change() == "");
          X.visit([&](const auto& x_view) { abax::scal(exec, x_view, alpha, x_view); });  // in place
          exec.fence();
          REQUIRE(X.difference_from(want) == "");
        }
        const operand<T, Exec> X(x, all_placements[4]), Y(y, all_placements[0]);
        if (cols == 1) {
          X.visit_vector([&](const auto& x_view) {
            Y.visit_vector([&](const auto& y_view) { abax::scal(exec, y_view, alpha, x_view); });
          });
          exec.fence();
          REQUIRE(Y.difference_from(want) == "");
        }
      });
    }
}

TEST_CASE("A real factor is not a complex one without an imaginary part", "[complex][stream]") {
  const Kokkos::View<complex<double>*, Kokkos::HostSpace> x("x", 1), y("y", 1), z("z", 1);
  x(0) = complex<double>(std::numeric_limits<double>::infinity(), 2);
  abax::scal(y, 2, x);
  abax::scal(z, complex<double>(2), x);
  Kokkos::fence();
  CHECK(bits_of(y(0).real()) == bits_of(std::numeric_limits<double>::infinity()));
  CHECK(bits_of(y(0).imag()) == bits_of(4.0));
  CHECK(z(0).imag() != z(0).imag());  // infinity times 0
}

TEMPLATE_TEST_CASE("A complex sum is that of the real and that of the imaginary parts", "[complex][reductions]", float,
                   double) {
  using R = TestType;
  using T = complex<R>;
  for (const index_t n : {0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 5000, 70001})
    for (const numbers kind : {numbers::unit, numbers::wide, numbers::special, numbers::vanishing}) {
      const auto x = random_complex<R>(n, 1, kind, n + 5);
      const T want(abax::reference::sum(part_of(x, 0)), abax::reference::sum(part_of(x, 1)));
      for_each_space([&](const auto& exec) {
        using Exec = std::decay_t<decltype(exec)>;
        for (const placement& where : {all_placements[0], all_placements[4]}) {
          const operand<T, Exec> X(x, where), S(matrix<T>(1, 1, T(3)), all_placements[0]);
          CAPTURE(Exec::name(), n, name_of(kind), where.text());
          X.template visit_vector<const T>([&](const auto& x_view) {
            REQUIRE(difference(T(abax::sum(exec, x_view)), want) == "");
            abax::sum(exec, x_view, Kokkos::View<T, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(S.data()));
          });
          exec.fence();
          REQUIRE(S.difference_from(matrix<T>(1, 1, want)) == "");
        }
      });
    }
}

TEST_CASE("Errors of calls part by part speak of elements", "[complex][errors]") {
  using Catch::Matchers::ContainsSubstring;
  using vector = Kokkos::View<complex<double>*, Kokkos::HostSpace>;
  const vector x("x", 3), y("y", 4);
  const Kokkos::View<complex<double>**, Kokkos::LayoutLeft, Kokkos::HostSpace> A("A", 3, 4), B("B", 3, 5);
  REQUIRE_THROWS_WITH(abax::scal(y, 2.0, x),
                      ContainsSubstring("abax::scal: the extent of x is 3, but the extent of y is 4"));
  REQUIRE_THROWS_WITH(abax::scal(B, 2.0, A),
                      ContainsSubstring("abax::scal: extent 1 of x is 4, but extent 1 of y is 5"));
  REQUIRE_THROWS_WITH(abax::scal(Kokkos::subview(y, std::pair(1, 4)), 2.0, Kokkos::subview(y, std::pair(0, 3))),
                      ContainsSubstring("abax::scal: output y (3 x 1) shares memory with input x (3 x 1)"));
  REQUIRE_THROWS_WITH(abax::scal(vector(nullptr, 3), 2.0, x), ContainsSubstring("abax::scal: y"));
  REQUIRE_THROWS_WITH(abax::sum(vector(nullptr, 3)), ContainsSubstring("abax::sum: x"));
  for (int i = 0; i < 3; ++i) {
    const Kokkos::View<complex<double>, Kokkos::HostSpace> in_x(&x(i));
    REQUIRE_THROWS_WITH(abax::sum(x, in_x),
                        ContainsSubstring("abax::sum: output result (1 x 1) shares memory with input x (3 x 1)"));
  }
  for (int part = 0; part < 6; ++part) {
    const Kokkos::View<double, Kokkos::HostSpace> in_x(reinterpret_cast<double*>(x.data()) + part);
    REQUIRE_THROWS_WITH(abax::asum(x, in_x),
                        ContainsSubstring("abax::asum: output result (1 x 1) shares memory with input x (3 x 1)"));
    REQUIRE_THROWS_WITH(abax::nrm2(x, in_x),
                        ContainsSubstring("abax::nrm2: output result (1 x 1) shares memory with input x (3 x 1)"));
  }
}

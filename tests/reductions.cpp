// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sum, asum, nrm2 and iamax against the oracle: every space, the lengths and values where reductions go wrong.
#include <abax/reductions.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <limits>

#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

constexpr placement vectors[] = {{layout::left, 0, 0}, {layout::right, 0, 1}, {layout::stride, 0, 1, 2}};

template <class T>
void check(const matrix<T>& x) {
  const matrix<T> sum(1, 1, abax::reference::sum(x)), asum(1, 1, abax::reference::asum(x)),
      nrm2(1, 1, abax::reference::nrm2(x));
  const index_t iamax = abax::reference::iamax(x);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const placement& where : vectors) {
      const operand<T, Exec> X(x, where), R(matrix<T>(1, 1, nan_with_payload<T>()), vectors[0]);
      const Kokkos::View<index_t, typename Exec::memory_space> index("index");
      CAPTURE(Exec::name(), x.rows, where.text());
      const auto agrees = [&](const auto& reduce, const matrix<T>& want) {
        X.template visit_vector<const T>(
            [&](const auto& v) { R.visit_vector([&](const auto& r) { reduce(v, Kokkos::subview(r, 0)); }); });
        exec.fence();
        REQUIRE(R.difference_from(want) == "");
        R.restore();
      };
      agrees([&](const auto& v, const auto& r) { abax::sum(exec, v, r); }, sum);
      agrees([&](const auto& v, const auto& r) { abax::asum(exec, v, r); }, asum);
      agrees([&](const auto& v, const auto& r) { abax::nrm2(exec, v, r); }, nrm2);
      X.template visit_vector<const T>([&](const auto& v) {
        abax::iamax(exec, v, index);
        index_t found = -2;
        Kokkos::deep_copy(exec, found, index);
        REQUIRE(found == iamax);
        REQUIRE(abax::iamax(exec, v) == iamax);
        REQUIRE(difference(abax::sum(exec, v), sum(0)) == "");
        REQUIRE(difference(abax::asum(exec, v), asum(0)) == "");
        REQUIRE(difference(abax::nrm2(exec, v), nrm2(0)) == "");
      });
      REQUIRE(X.change() == "");
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("Reductions have the canon's bits at every length that matters", "[reductions][bits]", float,
                   double) {
  for (index_t n = 0; n <= 70; ++n) check(random_vector<TestType>(n, numbers::unit, n));
  for (const index_t n : {127, 129, 1000, 1023, 1024, 1025, 2047, 2049, 16383, 16385, 32769, 100003, (1 << 20) + 1})
    check(random_vector<TestType>(n, numbers::unit, n));
}

TEMPLATE_TEST_CASE("A sum has all of its blocks where these fill several levels", "[reductions]", float, double) {
  using T = TestType;
  constexpr index_t n = index_t(33) << 20;  // every level's sums are whole numbers of few bits
  for_each_space([&](const auto& exec) {
    using memory = typename std::decay_t<decltype(exec)>::memory_space;
    const Kokkos::View<T, memory> one("one");
    Kokkos::deep_copy(one, T(1));
    const Kokkos::View<const T*, Kokkos::LayoutStride, memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> ones(
        one.data(), Kokkos::LayoutStride(static_cast<std::size_t>(n), 0));
    CAPTURE(std::decay_t<decltype(exec)>::name());
    REQUIRE(abax::sum(exec, ones) == T(n));
  });
}

TEMPLATE_TEST_CASE("A reduced set of reductions for the sanitizers", "[reductions][sanitizer]", float, double) {
  for (const index_t n : {5, 1023, 1025, 70001}) check(random_vector<TestType>(n, numbers::unit, n));
}

TEMPLATE_TEST_CASE("Reductions keep infinities, NaN, signed zeros and subnormals as the canon has them",
                   "[reductions][bits]", float, double) {
  for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing})
    for (const index_t n : {1, 2, 3, 5, 8, 17, 33, 65, 100, 1025, 20479}) check(random_vector<TestType>(n, kind, n));
}

TEMPLATE_TEST_CASE("A norm neither overflows nor vanishes", "[reductions]", float, double) {
  using T = TestType;
  using limits = std::numeric_limits<T>;
  for (const T scale : {limits::max() / 8, limits::min(), limits::denorm_min(), T(1)}) {
    matrix<T> x(3000, 1);
    x(5) = 3 * scale, x(2500) = -4 * scale;
    check(x);
    CHECK(abax::reference::nrm2(x) == 5 * scale);
  }
  const matrix<T> largest(2, 1, limits::max());
  check(largest);
  CHECK(abax::reference::nrm2(largest) == limits::infinity());
}

TEMPLATE_TEST_CASE("iamax takes the first of equals, and a NaN before all numbers", "[reductions]", float, double) {
  using T = TestType;
  using limits = std::numeric_limits<T>;
  for (const index_t n : {3, 100, 5000, 70001}) {
    matrix<T> x(n, 1, T(-1));
    check(x);
    x(n - 1) = 2, x(n / 2) = -2;
    check(x);
    CHECK(abax::reference::iamax(x) == n / 2);
    x(0) = limits::infinity(), x(n - 1) = -limits::quiet_NaN();
    check(x);
    CHECK(abax::reference::iamax(x) == n - 1);
  }
  check(matrix<T>(2000, 1, T(-0.0)));
}

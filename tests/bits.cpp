// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each comparer fails when it should: a comparison that cannot fail proves nothing.
#include "bits.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <limits>

#include "inputs.hpp"
#include "operands.hpp"
#include "spaces.hpp"

using namespace abax::tests;

TEMPLATE_TEST_CASE("A comparison of values sees every bit", "[selftest]", float, double) {
  using T = TestType;
  const T one = 1;
  REQUIRE(difference(one, one) == "");
  for (int bit = 0; bit < int(8 * sizeof(T)); ++bit)
    REQUIRE(difference(from_bits<T>(bits_of(one) ^ (bits_t<T>(1) << bit)), one) != "");
  REQUIRE(difference(-T(0), T(0)) != "");
  REQUIRE(difference(nan_with_payload<T>(), nan_with_payload<T>()) == "");
  REQUIRE(difference(nan_with_payload<T>(), std::numeric_limits<T>::quiet_NaN()) != "");
  REQUIRE(difference(-std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()) != "");
  REQUIRE(difference(std::numeric_limits<T>::denorm_min(), T(0)) != "");
}

TEST_CASE("A difference says where, what and how many", "[selftest]") {
  matrix<float> want(3, 2, 1.0f), got = want;
  got(1, 1) = -1.0f;
  got(2, 1) = 2.0f;
  REQUIRE(difference(got, want) == "element (1, 1) is 0xbf800000 (-1), expected 0x3f800000 (1); 2 of 6 differ");
  REQUIRE(difference(matrix<float>(2, 3), matrix<float>(3, 2)) == "extents are 2 x 3, expected 3 x 2");
  REQUIRE(difference(matrix<float>(0, 3), matrix<float>(0, 3)) == "");
}

TEMPLATE_TEST_CASE("An operand notices one flipped bit in any element of its storage", "[selftest]", float, double) {
  using T = TestType;
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const placement& where : all_placements) {
      CAPTURE(Exec::name(), where.text());
      const matrix<T> values = random_matrix<T>(4, 3, numbers::special, 1);
      const operand<T, Exec> X(values, where);
      REQUIRE(X.change() == "");
      REQUIRE(X.difference_from(values) == "");
      REQUIRE(difference(X.values(), values) == "");

      // Every element of a window around the operand, by a View that knows nothing of guards and gaps. None is -0,
      // which Kokkos' fills store as +0.
      constexpr index_t before = 10, after = 70;  // within the guards
      const Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> window(
          X.data() - before, before + after);
      for (index_t e = 0; e < before + after; ++e) {
        const auto one = Kokkos::subview(window, e);
        T value;
        Kokkos::deep_copy(value, one);
        Kokkos::deep_copy(one, from_bits<T>(bits_of(value) ^ 1));
        const bool noticed = X.change() != "" && X.difference_from(values) != "";
        Kokkos::deep_copy(one, value);
        CAPTURE(e);
        REQUIRE(noticed);
      }
      REQUIRE(X.change() == "");
    }
  });
}

TEMPLATE_TEST_CASE("A View of an operand names the operand's elements", "[selftest]", float, double) {
  using T = TestType;
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const placement& where : all_placements) {
      CAPTURE(Exec::name(), where.text());
      const matrix<T> values = random_matrix<T>(5, 4, numbers::unit, 2);
      const operand<T, Exec> X(values, where);
      X.visit([&](const auto& view) {
        REQUIRE(index_t(view.extent(0)) == 5);
        REQUIRE(index_t(view.extent(1)) == 4);
        for (int i = 0; i < 5; ++i)
          for (int j = 0; j < 4; ++j) {
            T value;
            Kokkos::deep_copy(value, Kokkos::subview(view, i, j));
            REQUIRE(bits_of(value) == bits_of(values(i, j)));
          }
      });
    }
  });
}

TEST_CASE("A message names guards as guards and elements as elements", "[selftest]") {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  const operand<double, Exec> X(matrix<double>(3, 2, 1.0), {layout::left, 2, 1});
  X.data()[3] = 7;  // the gap below column 0
  REQUIRE(X.change().starts_with("memory outside of the operand, 3 elements from its first,"));
  X.restore();
  REQUIRE(X.change() == "");
  X.data()[5 + 2] = 7;
  REQUIRE(X.change().starts_with("element (2, 1) is 0x401c000000000000 (7), expected 0x3ff0000000000000 (1)"));
}

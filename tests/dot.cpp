// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot against the oracle: every layout and space, at the lengths and values where sums go wrong.
#include <abax/dot.hpp>
#include <catch2/catch_template_test_macros.hpp>

#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "sample.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

// Contiguous with and without alignment, then strided.
constexpr placement vectors[] = {{layout::left, 0, 0},
                                 {layout::right, 0, 1},
                                 {layout::left, 0, 3},
                                 {layout::stride, 0, 1, 2},
                                 {layout::stride, 0, 0, 7}};

template <class T>
void check(index_t k, numbers kind, bool all_pairs) {
  const std::uint64_t seed = 2 * k;  // even: numbers::vanishing gets both signs below
  const matrix<T> x = random_vector<T>(k, kind, seed), y = random_vector<T>(k, kind, seed + 1);
  const matrix<T> want(1, 1, abax::reference::dot(x, y));
  static sample pairs(7);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (std::size_t i = 0; i < std::size(vectors); ++i)
      for (std::size_t j = 0; j < std::size(vectors); ++j) {
        if (!all_pairs && ((i + j + k) % 3 != 0 || !pairs.takes())) continue;
        const operand<T, Exec> X(x, vectors[i]), Y(y, vectors[j]);
        const operand<T, Exec> R(matrix<T>(1, 1, nan_with_payload<T>()), vectors[(i + j) % 3]);
        X.template visit_vector<const T>([&](const auto& x_view) {
          Y.visit_vector([&](const auto& y_view) {
            R.visit_vector([&](const auto& r_view) { abax::dot(exec, x_view, y_view, Kokkos::subview(r_view, 0)); });
            const T value = abax::dot(exec, x_view, y_view);
            CHECK(difference(&value, want.elements.data(), 1, [](index_t) { return std::string("value"); }) == "");
          });
        });
        exec.fence();
        CAPTURE(Exec::name(), k, name_of(kind), vectors[i].text(), vectors[j].text());
        REQUIRE(R.difference_from(want) == "");
        REQUIRE(X.change() == "");
        REQUIRE(Y.change() == "");
      }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("dot has the canon's bits at every short length", "[dot][bits]", float, double) {
  for (index_t k = 0; k <= 70; ++k) check<TestType>(k, numbers::unit, true);
}

TEMPLATE_TEST_CASE("dot has the canon's bits at the edges of lanes, blocks and runs of blocks", "[dot][bits]", float,
                   double) {
  for (const index_t k : {127, 128, 129, 255, 257, 1023, 1024, 1025, 1087, 1088, 1089, 2047, 2048, 2049, 4095, 4097})
    check<TestType>(k, numbers::unit, true);
  // Teams have 4, 16 or 32 blocks of 1024 and more.
  for (const index_t blocks : {3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97})
    for (const index_t delta : {-1, 0, 1, 1000}) check<TestType>(1024 * blocks + delta, numbers::unit, false);
}

TEMPLATE_TEST_CASE("dot has the canon's bits for a million terms", "[dot][bits]", float, double) {
  check<TestType>(1000003, numbers::unit, false);
  // 1024 blocks are one of the next level, and one more are two.
  for (const index_t delta : {-1, 0, 1}) check<TestType>((1 << 20) + delta, numbers::wide, false);
}

TEMPLATE_TEST_CASE("dot keeps infinities, NaN, signed zeros and subnormals as the canon has them", "[dot][bits]", float,
                   double) {
  for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing})
    for (const index_t k :
         {1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 31, 33, 65, 100, 2047, 2048, 2049, 4097, 16384, 20479, 70001})
      check<TestType>(k, kind, k < 100);
}

TEMPLATE_TEST_CASE("dot of a vector with itself is allowed", "[dot][bits]", float, double) {
  using T = TestType;
  const matrix<T> x = random_vector<T>(5000, numbers::unit, 3);
  const matrix<T> want(1, 1, abax::reference::dot(x, x));
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const operand<T, Exec> X(x, vectors[1]), R(matrix<T>(1, 1), vectors[0]);
    X.visit_vector([&](const auto& view) {
      R.visit_vector([&](const auto& r_view) { abax::dot(exec, view, view, Kokkos::subview(r_view, 0)); });
    });
    exec.fence();
    REQUIRE(R.difference_from(want) == "");
  });
}

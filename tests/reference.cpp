// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle itself: sums worked out by hand, and golden hashes of the canon's version 1.
#include "reference.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <type_traits>

#include "inputs.hpp"

using namespace abax::tests;
namespace reference = abax::reference;

namespace {

// FNV-1a over the bytes of the values, lowest byte first on any machine.
template <class T>
std::uint64_t hash(const matrix<T>& values) {
  std::uint64_t h = 14695981039346656037ull;
  for (const T& value : values.elements)
    for (unsigned byte = 0; byte < sizeof(T); ++byte)
      h = (h ^ ((bits_of(value) >> 8 * byte) & 0xFF)) * 1099511628211ull;
  return h;
}

template <class T>
T sum_of(const std::vector<T>& a) {
  return reference::canonical_sum<T>(
      a.size(), [&](index_t p) { return a[p]; }, [](index_t) { return T(1); });
}

}  // namespace

TEMPLATE_TEST_CASE("The oracle's sum is cut into blocks of 2048 terms", "[reference]", float, double) {
  using T = TestType;
  // To the largest number, adding 1 changes nothing: a tie that rounds to even. In a block without it, ones add up.
  const T large = std::ldexp(T(1), std::numeric_limits<T>::digits);
  std::vector<T> a(3 * 2048 + 10, T(1));
  a[0] = large;
  REQUIRE(difference(sum_of(a), large + T(2 * 2048 + 10)) == "");
  a[0] = 1;
  a[2047] = large;  // 2047 ones below it, and still its block
  REQUIRE(difference(sum_of(a), large + T(2048) + T(2 * 2048 + 10)) == "");
  a[2047] = 1;
  a[2048] = large;  // the second block: the ones before it are the first
  REQUIRE(difference(sum_of(a), T(2048) + large + T(2048 + 10)) == "");
}

TEMPLATE_TEST_CASE("The oracle's chain runs upwards and is fused", "[reference]", float, double) {
  using T = TestType;
  const T large = std::ldexp(T(1), std::numeric_limits<T>::digits);
  REQUIRE(difference(sum_of<T>({large, T(1), T(1)}), large) == "");
  REQUIRE(difference(sum_of<T>({T(1), T(1), large}), large + T(2)) == "");
  const T one_and_a_bit = T(1) + std::numeric_limits<T>::epsilon();  // its square needs more digits than T has
  const T squares[] = {-one_and_a_bit * one_and_a_bit, one_and_a_bit}, factors[] = {T(1), one_and_a_bit};
  const T eps = std::numeric_limits<T>::epsilon();
  REQUIRE(difference(reference::canonical_sum<T>(
                         2, [&](index_t p) { return squares[p]; }, [&](index_t p) { return factors[p]; }),
                     eps * eps) == "");
}

TEMPLATE_TEST_CASE("The oracle keeps signs of zero and has one NaN", "[reference]", float, double) {
  using T = TestType;
  const T tiny = std::numeric_limits<T>::min(), inf = std::numeric_limits<T>::infinity();
  const auto product = [](index_t k, T a, T b) {
    return reference::canonical_sum<T>(
        k, [&](index_t) { return a; }, [&](index_t) { return b; });
  };
  REQUIRE(difference(product(0, T(1), T(1)), T(0)) == "");
  for (const index_t k : {1, 2048, 2049, 4097}) REQUIRE(difference(product(k, -tiny, tiny), -T(0)) == "");
  REQUIRE(difference(product(1, -T(0), T(1)), T(0)) == "");  // fma(-0, 1, +0)

  const T quiet = std::numeric_limits<T>::quiet_NaN();
  REQUIRE(difference(reference::epilogue(T(1), inf - inf, T(0), T(0)), quiet) == "");
  REQUIRE(difference(reference::epilogue(T(1), T(1), T(1), nan_with_payload<T>()), quiet) == "");
  REQUIRE(difference(reference::epilogue_without_terms(T(2), nan_with_payload<T>()), quiet) == "");
  REQUIRE(difference(reference::epilogue_without_terms(T(1), nan_with_payload<T>()), nan_with_payload<T>()) == "");
  REQUIRE(difference(reference::epilogue(T(2), T(3), T(0), quiet), T(6)) == "");
  REQUIRE(difference(reference::epilogue(T(1), -T(0), T(0), quiet), -T(0)) == "");
}

TEMPLATE_TEST_CASE("The oracle gives the golden bits of version 1 of the canon", "[reference]", float, double) {
  using T = TestType;
  constexpr bool single = std::is_same_v<T, float>;
  const matrix<T> A = random_matrix<T>(4099, 7, numbers::unit, 1), B = random_matrix<T>(4099, 5, numbers::unit, 2),
                  C = random_matrix<T>(7, 5, numbers::special, 3);
  REQUIRE(hash(A) == (single ? 0x765C57BC6E5B2620u : 0x73DBE7DBB11D6226u));
  REQUIRE(hash(C) == (single ? 0x07275244A95BFE5Cu : 0xC5F9D82713DD4DC0u));
  // The same hashes came from exact rational arithmetic, rounded after each operation.
  REQUIRE(hash(reference::gemm('T', 'N', T(1.25), A, B, T(-0.75), C)) ==
          (single ? 0xDC1FA3A37DD33E00u : 0xD28ABE85770A9D81u));
}

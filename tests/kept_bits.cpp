// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results as they have always been: hashes of 300 products, kept in bits/products.txt. The oracle says what is right; a
// slip in both would show here. The library of commit 66ffdb9 made them; where a line is not there, the message of the
// failing check is what the line would be.
#include <abax/gemm.hpp>
#include <abax/gemv.hpp>
#include <abax/templates.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "inputs.hpp"
#include "operands.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

/// FNV-1a of 64 bits.
template <class T>
std::string hash_of(const matrix<T>& m) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const T& element : m.elements)
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
      hash ^= (bits_of(element) >> (8 * byte)) & 0xFF;
      hash *= 0x100000001B3ull;
    }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

/// The number-th product; every third is a gemv.
template <class T>
struct drawn_product {
  bool vector;
  char ta, tb;
  index_t m, n, k;
  T alpha, beta;
  numbers kind;
  std::uint64_t seed;

  explicit drawn_product(int number) : seed(1000 + 2 * number) {
    random_bits random(seed);
    const auto extent = [&](int octaves) { return index_t(1) << random.below(octaves); };
    const auto within = [&](index_t octave) { return octave + random.below(static_cast<int>(octave)); };
    constexpr T scales[] = {T(1), T(1), T(0), T(-1), T(0.625)};
    constexpr numbers kinds[] = {numbers::unit, numbers::unit, numbers::wide, numbers::special};
    vector = number % 3 == 2;
    ta = "NT"[random.below(2)];
    tb = vector ? 'N' : "NT"[random.below(2)];
    m = within(extent(8));
    n = vector ? 1 : within(extent(7));
    k = within(extent(m * n > 2000 ? 9 : 13));
    alpha = scales[random.below(5)];
    beta = scales[random.below(5)];
    kind = kinds[random.below(4)];
  }

  std::string text() const {
    char line[200];
    std::snprintf(line, sizeof line, "%s %s %c%c %lldx%lldx%lld alpha %g beta %g %s", type_name<T>(),
                  vector ? "gemv" : "gemm", ta, tb, static_cast<long long>(m), static_cast<long long>(n),
                  static_cast<long long>(k), static_cast<double>(alpha), static_cast<double>(beta), name_of(kind));
    return line;
  }

  template <class Exec>
  matrix<T> result_on(const Exec& exec) const {
    const placement columns{layout::left, static_cast<index_t>(seed % 3), static_cast<index_t>(seed % 5 / 3)};
    const operand<T, Exec> A(random_matrix<T>(ta == 'N' ? m : k, ta == 'N' ? k : m, kind, seed), columns),
        B(random_matrix<T>(tb == 'N' ? k : n, tb == 'N' ? n : k, kind, seed + 1), columns),
        C(random_matrix<T>(m, n, kind, seed + 2), columns);
    const auto a = A.template view<Kokkos::LayoutLeft, const T>(), b = B.template view<Kokkos::LayoutLeft, const T>();
    const auto c = C.template view<Kokkos::LayoutLeft>();
    const char trans_a[] = {ta, '\0'}, trans_b[] = {tb, '\0'};
    if (vector)
      abax::gemv(exec, trans_a, alpha, a, Kokkos::subview(b, Kokkos::ALL, 0), beta, Kokkos::subview(c, Kokkos::ALL, 0));
    else
      abax::gemm(exec, trans_a, trans_b, alpha, a, b, beta, c);
    exec.fence();
    return C.values();
  }
};

}  // namespace

TEMPLATE_TEST_CASE("products have the bits that they have always had", "[gemm][gemv][bits]", float, double) {
  std::ifstream file(ABAX_KEPT_BITS);
  std::set<std::string> kept;
  for (std::string line; std::getline(file, line);) kept.insert(line);
  REQUIRE(kept.size() == 300);
  for (int number = 0; number < 150; ++number) {
    const drawn_product<TestType> drawn(number);
    for_each_space([&](const auto& exec) {
      const std::string line = drawn.text() + " " + hash_of(drawn.result_on(exec));
      CAPTURE(std::decay_t<decltype(exec)>::name(), line);
      CHECK(kept.contains(line));
    });
  }
}

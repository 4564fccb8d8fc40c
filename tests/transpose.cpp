// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transpose against the oracle: every layout and space, every bit pattern.
#include <abax/transpose.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <vector>

#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

// Any bits at all: signalling NaN, payloads, subnormals.
template <class T>
matrix<T> any_bits(index_t rows, index_t cols, std::uint64_t seed) {
  random_bits random(seed);
  matrix<T> result(rows, cols);
  for (T& element : result.elements) {
    const auto bits = static_cast<bits_t<T>>(random.next());
    std::memcpy(&element, &bits, sizeof bits);
  }
  return result;
}

// B <- A^T for operands that lie so: every element of B, and nothing else.
template <class T, class Exec>
void check_between(const Exec& exec, const matrix<T>& a, const matrix<T>& want, const placement& of_a,
                   const placement& of_b) {
  const operand<T, Exec> A(a, of_a), B(matrix<T>(a.cols, a.rows, T(7)), of_b);
  A.template visit<const T>(
      [&](const auto& a_view) { B.visit([&](const auto& b_view) { abax::transpose(exec, a_view, b_view); }); });
  exec.fence();
  CAPTURE(Exec::name(), a.rows, a.cols, of_a.text(), of_b.text());
  REQUIRE(B.difference_from(want) == "");
  REQUIRE(A.change() == "");
}

template <class T>
void check(index_t m, index_t n, bool all_pairs) {
  const matrix<T> a = any_bits<T>(m, n, m + 7 * n);
  const matrix<T> want = abax::reference::transpose(a);
  for_each_space([&](const auto& exec) {
    for (std::size_t i = 0; i < all_placements.size(); ++i)
      for (std::size_t j = 0; j < all_placements.size(); ++j)
        if (all_pairs || (i + 2 * j + m + n) % 5 == 0)
          check_between(exec, a, want, all_placements[i], all_placements[j]);
  });
}

// A block of a larger matrix, transposed where it lies: every element of it, and nothing around it.
template <class T>
void check_in_place(index_t n) {
  const matrix<T> a = any_bits<T>(n, n, 3 * n + 1), want = abax::reference::transpose(a);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const placement& where : all_placements) {
      const operand<T, Exec> A(a, where);
      CAPTURE(Exec::name(), n, where.text());
      A.visit([&](const auto& view) { abax::transpose(exec, view); });
      exec.fence();
      REQUIRE(A.difference_from(want) == "");
      A.visit([&](const auto& view) { abax::transpose(exec, view); });
      exec.fence();
      REQUIRE(A.change() == "");
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("A square matrix is transposed where it lies, bit by bit", "[transpose][bits]", float, double) {
  for (const index_t n : {0, 1, 2, 3, 5, 17, 97, 100, 196, 257, 330, 521}) check_in_place<TestType>(n);
  for (const index_t edge : {4, 8, 16, 32, 64, 128, 256, 512})  // of vectors and tiles
    for (const index_t delta : {-1, 0, 1}) check_in_place<TestType>(edge + delta);
}

TEST_CASE("Every tile on and above the diagonal has one rank", "[transpose]") {
  for (int tiles = 1; tiles <= 40; ++tiles) {
    std::vector<int> met(tiles * tiles);
    for (int rank = 0; rank < abax::tile::tiles_in_triangle(tiles); ++rank) {
      const abax::tile::place at = abax::tile::place_in_triangle(rank, tiles);
      CAPTURE(tiles, rank, at.row, at.col);
      REQUIRE((0 <= at.row && at.row <= at.col && at.col < tiles));
      ++met[at.row * tiles + at.col];
    }
    for (const int times : met) REQUIRE(times <= 1);  // as many ranks as tiles: then each has one
  }
  // As many as can be launched.
  constexpr int most = 65535;
  constexpr index_t last = abax::tile::tiles_in_triangle(most) - 1;
  static_assert(last <= std::numeric_limits<int>::max());
  const abax::tile::place at = abax::tile::place_in_triangle(static_cast<int>(last), most);
  REQUIRE(at.row <= at.col);
  REQUIRE(at.col < most);
}

TEMPLATE_TEST_CASE("transpose moves every bit in every combination of layouts", "[transpose][bits]", float, double) {
  check<TestType>(19, 23, true);
  check<TestType>(67, 61, true);
  check<TestType>(300, 263, true);
}

TEMPLATE_TEST_CASE("transpose writes nothing behind lines that begin on 16 bytes", "[transpose][bits]", float, double) {
  using T = TestType;
  const auto padded = [](index_t line) { return placement{layout::left, (4 - line % 4) % 4}; };
  for (const auto& [m, n] : {std::pair<index_t, index_t>{67, 61}, {3, 130}, {129, 2}, {63, 65}, {190, 255}, {1, 5}}) {
    const matrix<T> a = any_bits<T>(m, n, m + 9 * n), want = abax::reference::transpose(a);
    for_each_space([&](const auto& exec) { check_between(exec, a, want, padded(a.rows), padded(a.cols)); });
  }
}

TEMPLATE_TEST_CASE("transpose moves every bit at extents 0, 1 and 2", "[transpose][bits]", float, double) {
  for (const index_t m : {0, 1, 2})
    for (const index_t n : {0, 1, 2}) check<TestType>(m, n, true);
}

TEMPLATE_TEST_CASE("transpose moves every bit at the edges of tiles and vectors", "[transpose][bits]", float, double) {
  const index_t edges[] = {4, 8, 16, 32, 64, 128, 256};
  for (const index_t edge : edges)
    for (const index_t delta : {-1, 0, 1})
      for (const index_t partner : edges) check<TestType>(edge + delta, partner - delta, false);
}

TEMPLATE_TEST_CASE("transpose moves every bit of tall, wide and prime shapes", "[transpose][bits]", float, double) {
  check<TestType>(10007, 3, false);
  check<TestType>(3, 10007, false);
  check<TestType>(1, 65537, false);
  check<TestType>(65537, 1, false);
  check<TestType>(509, 1031, false);
}

TEMPLATE_TEST_CASE("transpose moves every bit of what is divided among cores, and of what goes past their caches",
                   "[transpose][bits]", float, double) {
  for (const auto& [m, n] : {std::pair<index_t, index_t>{41, 1000}, {1000, 41}, {90, 130}, {130, 90}})
    check<TestType>(m, n, false);
  const matrix<TestType> a = any_bits<TestType>(2064, 2096, 5), want = abax::reference::transpose(a);
  for_each_space([&](const auto& exec) {
    for (const index_t padding : {0, 1}) check_between(exec, a, want, {layout::left, 0}, {layout::left, padding});
  });
}

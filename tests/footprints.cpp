// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether operands share memory, and whether one names an element twice, against the bytes of every element.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <set>

#include "abax/detail/launch/checks.hpp"
#include "inputs.hpp"

using abax::launch::footprint;
using abax::index_t;
using abax::tests::random_bits;

namespace {

std::array<std::byte, 4096> memory;

/// Where each element begins, counted from the beginning of the memory.
std::multiset<index_t> elements_of(const footprint& f) {
  std::multiset<index_t> all;
  const index_t first = static_cast<const std::byte*>(f.data) - memory.data();
  for (index_t i = 0; i < f.rows; ++i)
    for (index_t j = 0; j < f.cols; ++j) all.insert(first + i * f.row_stride + j * f.col_stride);
  return all;
}
std::set<index_t> bytes_of(const footprint& f) {
  std::set<index_t> all;
  for (const index_t at : elements_of(f))
    for (index_t b = 0; b < f.element; ++b) all.insert(at + b);
  return all;
}
bool share_bytes(const footprint& a, const footprint& b) {
  const std::set<index_t> of_a = bytes_of(a);
  for (const index_t at : bytes_of(b))
    if (of_a.contains(at)) return true;
  return false;
}

/// At least `least` and less than `end`.
index_t between(random_bits& random, index_t least, index_t end) {
  return least + static_cast<index_t>(random.below(static_cast<std::uint64_t>(end - least)));
}
/// Any operand of few elements, whose first lies at a multiple of `unit` bytes and whose strides are such multiples.
footprint any_footprint(random_bits& random, index_t element, index_t unit) {
  const auto stride = [&] { return between(random, -9, 10) * unit; };
  return {memory.data() + memory.size() / 2 + between(random, 0, 12) * unit,
          between(random, 0, 5),
          between(random, 0, 5),
          stride(),
          stride(),
          element};
}

}  // namespace

TEST_CASE("An operand names an element twice where two indices have one address", "[errors]") {
  random_bits random(1);
  int twice = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const footprint f = any_footprint(random, 8, 8);
    const auto all = elements_of(f);
    const bool want = std::set<index_t>(all.begin(), all.end()).size() < all.size();
    CAPTURE(f.rows, f.cols, f.row_stride, f.col_stride);
    REQUIRE(abax::launch::overlaps_itself(f) == want);
    twice += want;
  }
  REQUIRE(twice > 1000);
  REQUIRE(twice < 19000);
}

TEST_CASE("Operands that share a byte are never said to be apart", "[errors]") {
  random_bits random(2);
  int shared = 0;
  for (int turn = 0; turn < 50000; ++turn) {
    const index_t of_a = turn % 3 == 0 ? 4 : 8, of_b = turn % 2 == 0 ? 4 : 8;
    footprint a = any_footprint(random, of_a, 4), b = any_footprint(random, of_b, 4);
    if (turn % 5 == 0) b.row_stride = a.row_stride, b.col_stride = a.col_stride;
    if (!share_bytes(a, b)) continue;
    ++shared;
    CAPTURE(a.rows, a.cols, a.row_stride, a.col_stride, b.rows, b.cols, b.row_stride, b.col_stride, of_a, of_b);
    CAPTURE(static_cast<const std::byte*>(b.data) - static_cast<const std::byte*>(a.data));
    REQUIRE(abax::launch::overlap(a, b));
    REQUIRE(abax::launch::overlap(b, a));
  }
  REQUIRE(shared > 1000);
}

TEST_CASE("Blocks of one matrix are apart where they share no element", "[errors]") {
  constexpr index_t rows = 7, cols = 6, line = 9, element = 8;
  random_bits random(3);
  int shared = 0;
  const auto block = [&] {
    const index_t i = between(random, 0, rows), j = between(random, 0, cols);
    const footprint f{memory.data() + (i + j * line) * element,
                      between(random, 1, rows - i + 1),
                      between(random, 1, cols - j + 1),
                      element,
                      line * element,
                      element};
    return random.below(2) == 0 ? f : footprint{f.data, f.cols, f.rows, f.col_stride, f.row_stride, f.element};
  };
  for (int turn = 0; turn < 20000; ++turn) {
    const footprint a = block(), b = block();
    const bool want = share_bytes(a, b);
    CAPTURE(a.rows, a.cols, a.row_stride, b.rows, b.cols, b.row_stride);
    CAPTURE(static_cast<const std::byte*>(b.data) - static_cast<const std::byte*>(a.data));
    REQUIRE(abax::launch::overlap(a, b) == want);
    shared += want;
  }
  REQUIRE(shared > 1000);
  REQUIRE(shared < 19000);
}

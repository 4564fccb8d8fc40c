// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/checks.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

namespace abax::launch {
namespace {

bool empty(const footprint& f) { return f.rows <= 0 || f.cols <= 0; }

// Blocks of one matrix with lines `line` bytes apart: do the rectangles that start `apart` bytes from each other meet?
// `across` counts lines, `along` runs within a line; both blocks lie within a line's length.
bool blocks_meet(index_t apart, index_t line, index_t step, index_t a_along, index_t a_across, index_t b_along,
                 index_t b_across) {
  const index_t down = apart >= 0 ? apart / line : -((-apart + line - 1) / line);  // floor
  for (const index_t d : {down, down + 1}) {                                       // either side of a line's end
    const index_t along = apart - d * line;
    if (along % step != 0) continue;
    const index_t s = along / step;
    if (s < a_along && -s < b_along && d < a_across && -d < b_across) return true;
  }
  return false;
}

// Blocks of one matrix: the answer is exact. No value where strides differ, where they count no whole elements, or
// where a block wraps around a line's end.
std::optional<bool> blocks_overlap(footprint a, footprint b) {
  // The stride of an extent of 1 is never used: let it be the other's.
  if (a.rows == 1) a.row_stride = b.row_stride;
  if (b.rows == 1) b.row_stride = a.row_stride;
  if (a.cols == 1) a.col_stride = b.col_stride;
  if (b.cols == 1) b.col_stride = a.col_stride;
  const index_t apart = reinterpret_cast<std::intptr_t>(b.data) - reinterpret_cast<std::intptr_t>(a.data);
  const index_t row = a.row_stride, col = a.col_stride;
  if (row != b.row_stride || col != b.col_stride || row <= 0 || col <= 0) return {};
  if (a.element != b.element) return {};
  for (const index_t bytes : {apart, row, col})
    if (bytes % a.element != 0) return {};
  if (std::max(a.rows, b.rows) * row <= col) return blocks_meet(apart, col, row, a.rows, a.cols, b.rows, b.cols);
  if (std::max(a.cols, b.cols) * col <= row) return blocks_meet(apart, row, col, a.cols, a.rows, b.cols, b.rows);
  return {};
}

/// The first character of `word` in quotes, or "empty".
std::string quoted(const char* word) {
  return word == nullptr || *word == '\0' ? "empty" : std::string{'\'', *word, '\''};
}

std::string rows_cols(const footprint& f) { return std::to_string(f.rows) + " x " + std::to_string(f.cols); }

}  // namespace

bool overlaps_itself(const footprint& f) {
  if (empty(f)) return false;
  const index_t s = std::abs(f.row_stride), t = std::abs(f.col_stride);
  if (f.rows > 1 && s < f.element) return true;
  if (f.cols > 1 && t < f.element) return true;
  if (f.rows == 1 || f.cols == 1) return false;
  if (f.rows * s <= t || f.cols * t <= s) return false;  // lines one after another: no need of the rest
  const index_t g = std::gcd(s, t);                      // i s == j t first happens at i = t / g, j = s / g
  return t / g < f.rows && s / g < f.cols;
}

bool overlap(const footprint& a, const footprint& b) {
  if (empty(a) || empty(b) || !ranges_meet(a, b)) return false;

  const footprint turned{b.data, b.cols, b.rows, b.col_stride, b.row_stride, b.element};
  for (const footprint& other : {b, turned})
    if (const auto exact = blocks_overlap(a, other)) return *exact;

  const index_t apart = reinterpret_cast<std::intptr_t>(b.data) - reinterpret_cast<std::intptr_t>(a.data);
  // Every address of a differs from every address of b by `apart` plus a multiple of this.
  const auto used = [](index_t extent, index_t stride) { return extent > 1 ? stride : 0; };
  const index_t g = std::gcd(std::gcd(used(a.rows, a.row_stride), used(a.cols, a.col_stride)),
                             std::gcd(used(b.rows, b.row_stride), used(b.cols, b.col_stride)));
  if (g == 0) return true;
  const index_t rest = ((apart % g) + g) % g;
  return rest < a.element || g - rest < b.element;
}

void fail_transposition(const char* function, const char* argument, const char* trans, const char* expected) {
  throw invalid_argument(std::string(function) + ": " + argument + " is " + quoted(trans) + ", expected " + expected);
}

void fail_triangle(const char* function, const char* argument, const char* uplo) {
  throw invalid_argument(std::string(function) + ": " + argument + " is " + quoted(uplo) + ", expected \"L\" or \"U\"");
}

void fail_side(const char* function, const char* argument, const char* side) {
  throw invalid_argument(std::string(function) + ": " + argument + " is " + quoted(side) + ", expected \"L\" or \"R\"");
}

void fail_equal(const char* function, const char* left, index_t left_extent, const char* right, index_t right_extent) {
  throw invalid_argument(std::string(function) + ": " + left + " is " + std::to_string(left_extent) + ", but " + right +
                         " is " + std::to_string(right_extent));
}

void fail_same_extents(const char* function, const char* left, const footprint& a, const char* right,
                       const footprint& b) {
  const auto extent = [vectors = a.cols == 1 && b.cols == 1](const char* which, const char* name) {
    return std::string(vectors ? "the extent" : which) + " of " + name;
  };
  require_equal(function, extent("extent 0", left).c_str(), a.rows, extent("extent 0", right).c_str(), b.rows);
  fail_equal(function, extent("extent 1", left).c_str(), a.cols, extent("extent 1", right).c_str(), b.cols);
}

void fail_null(const char* function, const char* operand, const footprint& f) {
  throw invalid_argument(std::string(function) + ": " + operand + " (" + rows_cols(f) + ") is null");
}

void fail_injective(const char* function, const char* output, const footprint& out) {
  throw invalid_argument(std::string(function) + ": output " + output + " (" + rows_cols(out) +
                         ") has strides that name an element twice");
}

void fail_alias(const char* function, const char* output, const footprint& out, const char* input,
                const footprint& in) {
  throw invalid_argument(std::string(function) + ": output " + output + " (" + rows_cols(out) +
                         ") shares memory with input " + input + " (" + rows_cols(in) + ")");
}

void require_same(const char* function, const char* output, const footprint& out, const char* input,
                  const footprint& in) {
  if (!same_elements(out, in))
    throw invalid_argument(std::string(function) + ": input " + input + " (" + rows_cols(in) + ") is not output " +
                           output + " (" + rows_cols(out) + ") itself");
}

void require_scratch(const char* function, const char* plan, std::size_t needed, std::size_t available) {
  if (needed > available)
    throw resource_error(std::string(function) + ": plan " + plan + " needs " + std::to_string(needed) +
                         " bytes of scratch a team, this machine has " + std::to_string(available));
}

int league(const char* function, index_t teams) {
  constexpr int most = std::numeric_limits<int>::max() - 1;  // as Kokkos counts on CUDA
  if (teams > most)
    throw resource_error(std::string(function) + ": " + std::to_string(teams) + " teams, at most " +
                         std::to_string(most) + " can be launched");
  return static_cast<int>(teams);
}

}  // namespace abax::launch

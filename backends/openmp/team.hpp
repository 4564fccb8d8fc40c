// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the primitives of a team that is one thread have in common: its scratch, and its part of an output.
#include <Kokkos_Core.hpp>
#include <cstddef>

#include "abax/detail/backends/openmp/kernels.hpp"
#include "abax/detail/tile/functor_pass.hpp"

namespace abax::openmp {

// KOKKOS_FUNCTION throughout, although none of this ever runs on a device: algorithms are compiled for both sides.

/// The next `count` values of the team's scratch; each part starts a cache line.
template <class T, class Team>
KOKKOS_FUNCTION T* take(const Team& team, index_t count) {
  return static_cast<T*>(team.take_scratch(sizeof(T) * count));
}
inline constexpr std::size_t alignment_slack = 64;

/// What of a square output is wanted.
KOKKOS_FORCEINLINE_FUNCTION constexpr band band_of(tile::triangle part) {
  if (part == tile::triangle::lower) return {.low = 0};
  if (part == tile::triangle::upper) return {.high = 0};
  return {};
}

/// The smallest block of C with all that a tile has of it, or of its triangle.
struct box {
  index_t row, col, rows, cols;
  band wanted;
};
template <class T>
KOKKOS_FUNCTION box box_of(const tile::product_tile& size, const tile::output<T>& c, int row_tile, int col_tile) {
  index_t row = index_t(row_tile) * size.rows, col = index_t(col_tile) * size.cols;
  index_t row_end = tile::min(row + size.rows, c.rows), col_end = tile::min(col + size.cols, c.cols);
  if (c.part == tile::triangle::whole) return {row, col, row_end - row, col_end - col, {}};
  if (c.part == tile::triangle::lower) {
    row = tile::max(row, col);
    col_end = tile::min(row_end, col_end);
  } else {
    col = tile::max(row, col);
    row_end = tile::min(row_end, col_end);
  }
  return {row, col, row_end - row, col_end - col, band_of(c.part).from(row, col)};
}
}  // namespace abax::openmp

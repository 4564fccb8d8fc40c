// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A transpose cut into tiles.
#include "abax/detail/tile/matrix.hpp"

namespace abax::tile {

/// to(i, j) <- from(i, j); both m x n. Memory runs along the columns of `from`, as the launch arranges: of one that is
/// `to` as well, then, neighbours in a row are apart.
template <class T>
struct transpose {
  matrix<const T> from;
  matrix<T> to;
  bool conjugated = false;  ///< to(i, j) <- conj(from(i, j)), where `to` may be `from` itself
};

/// Tiles of `size` along an extent, the first one `skip` shorter: where memory has boundaries, tiles meet them.
KOKKOS_FORCEINLINE_FUNCTION index_t tiles_along(index_t extent, int size, int skip) {
  return ceil_div<index_t>(extent + skip, size);
}

/// What the n-th of them covers, but for the extent's end.
struct stretch {
  index_t begin;
  int size;
};
KOKKOS_FORCEINLINE_FUNCTION stretch nth_tile(int n, int size, int skip) {
  return n == 0 ? stretch{0, size - skip} : stretch{index_t(n) * size - skip, size};
}

/// A tile's place in a matrix of tiles.
struct place {
  int row, col;
};

/// The tiles of a square of tiles on and above its diagonal.
KOKKOS_FORCEINLINE_FUNCTION constexpr index_t tiles_in_triangle(index_t tiles) { return tiles * (tiles + 1) / 2; }

/// The rank-th of them. Folded into a rectangle: the first row of the triangle and its last, the second and the last
/// but one, ... are together as long as all others (an odd number of rows leaves the first, which is longest, alone).
KOKKOS_FORCEINLINE_FUNCTION constexpr place place_in_triangle(int rank, int tiles) {
  const int width = tiles | 1, row = rank / width, at = rank % width, length = tiles - row;
  if (at < length) return {row, row + at};
  const int other = 2 * tiles - width - row;
  return {other, other + at - length};
}

}  // namespace abax::tile

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tuned matrix products share: their arguments, which block does what, and the choice of a kernel.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "check.hpp"
#include "device.hpp"
#include "grid.hpp"
#include "handwritten.hpp"

namespace abax::handwritten {

template <class T>
struct product_arguments {
  int m, n, k;
  const T* A;
  const T* B;
  T* C;
  std::int64_t lda, ldb, ldc;
  int row_tiles, col_tiles, splits, whole;
  T* sums;  // shared tile, block of the canon, output, thread
  unsigned* arrivals;
};

/// One block's tile of C, how many blocks of the grid share that, its number among shared ones, and this block's blocks
/// of the canon along k.
struct product_share {
  int teams, shared, row_tile, col_tile, first_block, last_block;
};

/// Neighbouring blocks take neighbouring tiles down the rows, in bands eight tiles high: those that run together share
/// operands in the cache.
template <class T>
__device__ __forceinline__ product_share share_of(const product_arguments<T>& g) {
  const int rank = static_cast<int>(blockIdx.x), blocks = (g.k + canon_block - 1) / canon_block;
  const int teams = rank < g.whole ? 1 : g.splits;
  const int shared = (rank - g.whole) / teams, split = (rank - g.whole) % teams;
  const int tile = g.whole + shared;
  const int band = min(8, g.row_tiles), in_band = band * g.col_tiles;
  const int first_row = tile / in_band * band, within = tile % in_band;
  const int height = min(band, g.row_tiles - first_row);
  const int each = blocks / teams, more = blocks % teams;
  const int first = split * each + min(split, more);
  return {teams, max(0, shared), first_row + within % height, within / height, first, first + each + (split < more)};
}

/// One thread's part in copying tiles of (outer x Depth) elements as they lie: lines are terms where the outer index (m
/// of A, n of B) is contiguous, else outer indices. `Width` elements go at once. Lines beyond the matrix are read from
/// one that is there: they reach only outputs that are not.
template <class T, bool OuterContiguous, int Width, int Outer, int Depth, int Threads>
struct tile_copy {
  static constexpr int lanes = (OuterContiguous ? Outer : Depth) / Width, step = Threads / lanes;
  static constexpr int passes = (OuterContiguous ? Depth : Outer) / step;
  static_assert(Threads % lanes == 0 && passes * step * lanes * Width == Outer * Depth);

  int along, across, last_pass;
  const T* from;
  int pass_stride;

  /// data: the tile's first outer index, at the first term; `outer` of its outer indices exist.
  __device__ __forceinline__ tile_copy(const T* data, std::int64_t ld, int outer, int thread)
      : along(thread % lanes * Width),
        across(thread / lanes),
        last_pass(OuterContiguous || across >= outer ? 0 : (outer - 1 - across) / step),
        from(OuterContiguous ? data + (along < outer ? along : 0) + across * ld
                             : data + (across < outer ? across : 0) * ld + along),
        pass_stride(static_cast<int>(step * ld)) {}

  /// Starts copying the next stage, `left` terms before the end of all, at least a stage of them if Whole; place(line,
  /// element) is where in shared memory.
  template <bool Whole, class Place>
  __device__ __forceinline__ void copy(T* shared, int left, const Place& place) {
    const int mine = left - (OuterContiguous ? across : along);
#pragma unroll
    for (int i = 0; i < passes; ++i) {
      T* const to = shared + place(across + i * step, along);
      const T* const at = from + (OuterContiguous ? i : min(i, last_pass)) * pass_stride;
      if constexpr (Whole)
        copy_async<Width * sizeof(T)>(to, at);
      else
        copy_async_if<Width * sizeof(T)>((OuterContiguous ? i * step : 0) < mine, to, at);
    }
    from += OuterContiguous ? passes * pass_stride : Depth;
  }
};

/// Checks the product and calls launch.operator()<A's outer index is contiguous, B's is>(arguments, blocks).
template <class T, class Tile, class Launch>
void run_product(const tuned_product<T>& p, const Launch& launch) {
  constexpr const char* function = "matrix_product_tuned";
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
  using named = std::pair<const char*, std::int64_t>;
  const named extents[] = {{"m", p.m}, {"n", p.n}, {"k", p.k}};
  for (const auto& [name, extent] : extents) {
    expect_extent(function, name, extent);
    if (extent > most) refuse(function, name, extent, "at most " + std::to_string(most));
  }
  const char transposed[] = {p.trans_a, p.trans_b};
  for (const char trans : transposed)
    if (trans != 'N' && trans != 'T') refuse(function, "trans", trans, "'N' or 'T'");
  const bool ta = p.trans_a == 'T', tb = p.trans_b == 'T';
  const std::int64_t rows_a = ta ? p.k : p.m, rows_b = tb ? p.n : p.k;
  expect_leading_dimension(function, "lda", p.lda, "rows of A", rows_a);
  expect_leading_dimension(function, "ldb", p.ldb, "rows of B", rows_b);
  expect_leading_dimension(function, "ldc", p.ldc, "m", p.m);
  // A pass goes down 128 lines of a tile at most.
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max() / 128;
  const named leading[] = {{"lda", p.lda}, {"ldb", p.ldb}};
  for (const auto& [name, ld] : leading)
    if (ld > longest) refuse(function, name, ld, "at most " + std::to_string(longest));
  // Whole chunks only: no edge cuts one.
  expect_words(function, "A", p.A, p.lda);
  expect_words(function, "B", p.B, p.ldb);
  const named lines[] = {{"rows of A", rows_a}, {"rows of B", rows_b}};
  for (const auto& [name, rows] : lines)
    if (rows % (16 / sizeof(T)) != 0) refuse(function, name, rows, "a multiple of 16 bytes' worth");
  const std::int64_t blocks = pieces(p.k, canon_block);
  if (p.splits < 1 || p.splits > std::max<std::int64_t>(blocks, 1))
    refuse(function, "splits", p.splits, "1 to ceil(k / 2048)");
  if (p.m == 0 || p.n == 0) return;
  const std::int64_t row_tiles = pieces(p.m, Tile::rows), col_tiles = pieces(p.n, Tile::cols);
  const std::int64_t tiles = row_tiles * col_tiles;
  if (p.whole < 0 || p.whole > tiles) refuse(function, "whole", p.whole, "0 to the number of tiles");
  const unsigned grid = blocks_along_x(function, "m n splits", p.whole + (tiles - p.whole) * p.splits, 1);
  const product_arguments<T> arguments{
      int(p.m), int(p.n),       int(p.k),       p.A,      p.B,     p.C,    p.lda,     p.ldb,
      p.ldc,    int(row_tiles), int(col_tiles), p.splits, p.whole, p.sums, p.arrivals};
  if (!ta && tb)
    launch.template operator()<true, true>(arguments, grid);
  else if (!ta)
    launch.template operator()<true, false>(arguments, grid);
  else if (tb)
    launch.template operator()<false, true>(arguments, grid);
  else
    launch.template operator()<false, false>(arguments, grid);
  check(cudaGetLastError(), "launch of matrix_product_tuned");
}

}  // namespace abax::handwritten

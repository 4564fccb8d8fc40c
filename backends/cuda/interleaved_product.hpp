// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of products that are neighbours in memory: a lane has an item, so that a warp's accesses are whole lines.
#include <Kokkos_Core.hpp>

#include "abax/detail/tile/batch.hpp"
#include "abax/detail/tile/canon.hpp"

namespace abax::cuda {

/// `warps` warps, a lane of which has rows x cols outputs of an item at a time.
struct interleaved_shape {
  int warps, rows, cols, residents;
};

/// Warps that are neighbours have tiles of the same 32 items, and so read what is in the first cache.
template <class T, interleaved_shape Shape, class Team>
class interleaved_product {
  static constexpr int Rows = Shape.rows, Cols = Shape.cols;

 public:
  static constexpr int team_size = 32 * Shape.warps, residents = Shape.residents;
  struct parameters {};
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION static void multiply(const Team& team, const parameters&, const tile::batch<T>& batch, index_t begin,
                                       index_t end) {
    const tile::product<T>& p = batch.first;
    const int row_tiles = static_cast<int>(tile::ceil_div<index_t>(p.c.rows, Rows));
    const int tiles = row_tiles * static_cast<int>(tile::ceil_div<index_t>(p.c.cols, Cols));
    const int lane = team.team_rank() % 32, all = static_cast<int>(tile::ceil_div<index_t>(end - begin, 32)) * tiles;
#pragma unroll 1
    for (int t = team.team_rank() / 32; t < all; t += Shape.warps) {
      const int chunk = t / tiles, tile = t - chunk * tiles, col = tile / row_tiles, row = tile - col * row_tiles;
      const index_t item = begin + 32 * chunk + lane;
      if (item < end) multiply_tile(p, batch.a(item), batch.b(item), batch.c(item), row * Rows, col * Cols);
    }
  }

 private:
  /// Outputs (row, col) to (row + Rows, col + Cols), as far as there are any.
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_tile(const tile::product<T>& p, const T* a, const T* b, T* c,
                                                        int row, int col) {
    const int rows = static_cast<int>(p.c.rows) - row, cols = static_cast<int>(p.c.cols) - col;
    a += row * p.a.row_stride;
    b += col * p.b.col_stride;
    c += row * p.c.row_stride + col * p.c.col_stride;
    if (rows >= Rows && cols >= Cols)
      multiply_tile<true>(p, a, b, c, rows, cols);
    else
      multiply_tile<false>(p, a, b, c, rows, cols);
  }
  /// `at(x)` for x < Count places of an operand, `stride` apart, of which `exist`: past the end, the last one again.
  /// Addresses grow from one place to the next: as many at a time would take more registers than the outputs.
  template <bool Whole, int Count, class U, class At>
  KOKKOS_FORCEINLINE_FUNCTION static void each_place(U* first, index_t stride, int exist, const At& at) {
#pragma unroll
    for (int x = 0; x < Count; ++x) {
      at(x, first);
      first += Whole || x + 1 < exist ? stride : 0;
    }
  }
  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_tile(const tile::product<T>& p, const T* a, const T* b, T* c,
                                                        int rows, int cols) {
    T part[Cols][Rows];
#pragma unroll
    for (int y = 0; y < Cols; ++y)
#pragma unroll
      for (int x = 0; x < Rows; ++x) part[y][x] = T(0);
    const int k = static_cast<int>(p.terms());
#pragma unroll(Whole ? 2 : 1)
    for (int q = 0; q < k; ++q) {
      T left[Rows], right[Cols];
      each_place<Whole, Rows>(a, p.a.row_stride, rows, [&](int x, const T* at) { left[x] = *at; });
      each_place<Whole, Cols>(b, p.b.col_stride, cols, [&](int y, const T* at) { right[y] = *at; });
#pragma unroll
      for (int y = 0; y < Cols; ++y)
#pragma unroll
        for (int x = 0; x < Rows; ++x) part[y][x] = Kokkos::fma(left[x], right[y], part[y][x]);
      a += p.a.col_stride;
      b += p.b.row_stride;
    }
    // Column by column, all of one are loaded before the first is stored, so that the loads overlap.
    each_place<Whole, Cols>(c, p.c.col_stride, cols, [&](int y, T* column) {
      T old[Rows] = {};
      if (p.epilogue.beta != T(0))
        each_place<Whole, Rows>(column, p.c.row_stride, rows, [&](int x, const T* at) { old[x] = *at; });
      each_place<Whole, Rows>(column, p.c.row_stride, rows, [&](int x, T* at) {
        if (Whole || (x < rows && y < cols)) *at = p.epilogue(part[y][x], &old[x]);
      });
    });
  }
};

}  // namespace abax::cuda

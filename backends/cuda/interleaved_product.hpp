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
  int terms;  ///< that are loaded at once where nothing of a tile is missing
};

/// A piece of the batch is a tile of 32 items for each warp, a team's only one. Warps that are neighbours have tiles of
/// the same items, and so read what is in the first cache.
///
/// `LiesWithin`: all tiles lie within their item, which has no fewer rows and columns. The last one of a line of tiles
/// begins earlier, and does not store the outputs that it shares with the tile before it. Other tiles may end past it.
template <class T, interleaved_shape Shape, bool LiesWithin, class Team>
class interleaved_product {
  static constexpr int Rows = Shape.rows, Cols = Shape.cols;

 public:
  static constexpr int team_size = 32 * Shape.warps, residents = Shape.residents;
  struct parameters {};
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FORCEINLINE_FUNCTION static index_t tiles(const tile::output<T>& c) {
    return tile::ceil_div<index_t>(c.rows, Rows) * tile::ceil_div<index_t>(c.cols, Cols);
  }
  static index_t pieces(const tile::batch<T>& batch) {
    return tile::ceil_div<index_t>(tile::ceil_div<index_t>(batch.items(), 32) * tiles(batch.first.c), Shape.warps);
  }

  KOKKOS_FUNCTION static void multiply(const Team& team, const parameters&, const tile::batch<T>& batch, index_t piece,
                                       index_t) {
    const tile::product<T>& p = batch.first;
    const int row_tiles = static_cast<int>(tile::ceil_div<index_t>(p.c.rows, Rows)), lane = team.team_rank() % 32;
    const int tiles_of_item = static_cast<int>(tiles(p.c));
    const index_t t = piece * Shape.warps + team.team_rank() / 32;
    const index_t group = tiles_of_item == 1 ? t : t / tiles_of_item, item = 32 * group + lane;
    if (item >= batch.items()) return;
    const int tile = static_cast<int>(t - group * tiles_of_item), col = tile / row_tiles, row = tile - col * row_tiles;
    multiply_tile(p, batch.a(item), batch.b(item), batch.c(item), row * Rows, col * Cols);
  }

 private:
  /// Which of a tile's rows, or columns, are computed and which stored. Whole: all of them are both.
  template <int Count, bool Whole>
  struct extent {
    int shared = 0, exist = Count;
    /// The distance from place x to the next that is read: past the end, that is the last one again.
    KOKKOS_FORCEINLINE_FUNCTION index_t step(int x, index_t stride) const {
      return Whole || LiesWithin || x + 1 < exist ? stride : 0;
    }
    KOKKOS_FORCEINLINE_FUNCTION bool stores(int x) const { return Whole || (LiesWithin ? x >= shared : x < exist); }
  };
  /// `at(x, place)` for the tile's places of an operand. Addresses grow from one place to the next: as many at a time
  /// would take more registers than the outputs.
  template <int Count, bool Whole, class U, class At>
  KOKKOS_FORCEINLINE_FUNCTION static void each_place(const extent<Count, Whole>& of, U* first, index_t stride,
                                                     const At& at) {
#pragma unroll
    for (int x = 0; x < Count; ++x) {
      at(x, first);
      first += of.step(x, stride);
    }
  }
  /// The outputs from row `row` and column `col` on.
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_tile(const tile::product<T>& p, const T* a, const T* b, T* c,
                                                        int row, int col) {
    const int exist_rows = tile::min(Rows, static_cast<int>(p.c.rows) - row);
    const int exist_cols = tile::min(Cols, static_cast<int>(p.c.cols) - col);
    const int shared_rows = Rows - exist_rows, shared_cols = Cols - exist_cols;
    if constexpr (LiesWithin) {
      row -= shared_rows;
      col -= shared_cols;
    }
    a += row * p.a.row_stride;
    b += col * p.b.col_stride;
    c += row * p.c.row_stride + col * p.c.col_stride;
    if (shared_rows == 0 && shared_cols == 0)
      multiply_tile(p, a, b, c, extent<Rows, true>{}, extent<Cols, true>{});
    else
      multiply_tile(p, a, b, c, extent<Rows, false>{shared_rows, exist_rows},
                    extent<Cols, false>{shared_cols, exist_cols});
  }
  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_tile(const tile::product<T>& p, const T* a, const T* b, T* c,
                                                        const extent<Rows, Whole>& rows,
                                                        const extent<Cols, Whole>& cols) {
    T part[Cols][Rows];
#pragma unroll
    for (int y = 0; y < Cols; ++y)
#pragma unroll
      for (int x = 0; x < Rows; ++x) part[y][x] = T(0);
    const int k = static_cast<int>(p.terms());
#pragma unroll(Whole ? Shape.terms : 1)
    for (int q = 0; q < k; ++q) {
      T left[Rows], right[Cols];
      each_place(rows, a, p.a.row_stride, [&](int x, const T* at) { left[x] = *at; });
      each_place(cols, b, p.b.col_stride, [&](int y, const T* at) { right[y] = *at; });
#pragma unroll
      for (int y = 0; y < Cols; ++y)
#pragma unroll
        for (int x = 0; x < Rows; ++x) part[y][x] = Kokkos::fma(left[x], right[y], part[y][x]);
      a += p.a.col_stride;
      b += p.b.row_stride;
    }
    const bool reads = p.epilogue.beta != T(0);
    // Column by column, all of one are loaded before the first is stored, so that the loads overlap.
    each_place(cols, c, p.c.col_stride, [&](int y, T* column) {
      const auto each_output = [&](const auto& visit) {
        each_place(rows, column, p.c.row_stride, [&](int x, T* at) {
          if (rows.stores(x) && cols.stores(y)) visit(x, at);
        });
      };
      T old[Rows] = {};
      if (reads) each_output([&](int x, const T* at) { old[x] = *at; });
      each_output([&](int x, T* at) { *at = p.epilogue(part[y][x], &old[x]); });
    });
  }
};

}  // namespace abax::cuda

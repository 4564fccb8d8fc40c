// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of products that are neighbours in memory: tiles of several items by way of scratch, so that an element that
/// many outputs need is read from memory once.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/backends/cuda/async_copy.hpp"
#include "abax/detail/backends/cuda/pipeline.hpp"
#include "abax/detail/backends/cuda/ring.hpp"
#include "abax/detail/tile/banks.hpp"
#include "abax/detail/tile/batch.hpp"

namespace abax::cuda {

/// Threads that are neighbours have `items` neighbouring items; row_lanes x col_lanes of them share the outputs of one:
/// rows x cols each, row_lanes rows and col_lanes columns apart.
struct interleaved_tile_shape {
  int rows, cols, row_lanes, col_lanes, items;
  int depth;   ///< terms of a stage
  int stages;  ///< of the ring
  int residents;
};

/// A stage in scratch is [term][row of A][item], then [term][column of B][item]. Width: elements that are copied at a
/// time, 16 bytes or one.
template <class T, interleaved_tile_shape Shape, int Width, class Team>
class interleaved_tiles {
  static constexpr int Rows = Shape.rows, Cols = Shape.cols, RowLanes = Shape.row_lanes, ColLanes = Shape.col_lanes;
  static constexpr int Items = Shape.items, Depth = Shape.depth;
  static constexpr int tile_rows = Rows * RowLanes, tile_cols = Cols * ColLanes;
  static constexpr int size_a = Depth * tile_rows * Items;
  using ring_type = ring<T, Shape.stages, size_a + Depth * tile_cols * Items>;

 public:
  static constexpr int team_size = Items * RowLanes * ColLanes, residents = Shape.residents;
  static constexpr int items = Items;
  struct parameters {};
  static std::size_t scratch_bytes() { return sizeof(T) * ring_type::elements + scratch_slack; }

  /// Whether copies of Width elements are aligned.
  static bool serves(const tile::batch<T>& batch) {
    const auto aligned = [](const tile::matrix<const T>& m) {
      return m.row_stride % Width == 0 && m.col_stride % Width == 0 &&
             reinterpret_cast<std::uintptr_t>(m.data) % (Width * sizeof(T)) == 0;
    };
    return batch.is_interleaved() && batch.a_step == 1 && batch.b_step == 1 && aligned(batch.first.a) &&
           aligned(batch.first.b);
  }

  KOKKOS_FUNCTION static void multiply(const Team& team, const parameters&, const tile::batch<T>& batch, index_t begin,
                                       index_t end) {
    const int m = static_cast<int>(batch.first.c.rows), n = static_cast<int>(batch.first.c.cols);
    T* const scratch = take_scratch<T>(team, ring_type::elements);
#pragma unroll 1
    for (int col = 0; col < n; col += tile_cols)
#pragma unroll 1
      for (int row = 0; row < m; row += tile_rows) {
        if (row + col > 0) barrier(team);  // nobody reads the tile before
        interleaved_tiles(team, batch, scratch, begin, static_cast<int>(end - begin), row, col).run(team);
      }
  }

 private:
  /// A thread's part in copying one operand: of the stage's `Lines` rows of A, or columns of B, every line_step-th.
  template <int Lines>
  class panel {
    static constexpr int chunks = Items / Width, pieces = Lines * chunks;  // of a term
    static constexpr int line_step = tile::min(Lines, team_size / chunks), term_step = tile::max(1, team_size / pieces);
    static_assert(Items % Width == 0 && team_size % chunks == 0 && Lines % line_step == 0 && Depth % term_step == 0);

   public:
    /// m: `lines` x k, of the first of `items` items.
    KOKKOS_FORCEINLINE_FUNCTION panel(int thread, const tile::matrix<const T>& m, index_t first, int lines, int items)
        : thread_(thread),
          term_(thread / pieces),
          lines_(lines - thread / chunks % Lines),
          items_(items - thread % chunks * Width),
          line_stride_(line_step * m.row_stride),
          term_stride_(term_step * m.col_stride),
          from_(m.data + first + thread % chunks * Width + thread / chunks % Lines * m.row_stride +
                term_ * m.col_stride) {}

    KOKKOS_FORCEINLINE_FUNCTION void copy(T* to, int terms) {
      to += thread_ * Width;
#pragma unroll
      for (int q = 0; q < Depth; q += term_step) {
        const T* from = from_;
#pragma unroll
        for (int line = 0; line < Lines; line += line_step) {
          copy_chunk_if<Width>(q + term_ < terms && line < lines_, to + (q * Lines + line) * Items, from, items_);
          from += line_stride_;
        }
        from_ += term_stride_;
      }
    }

   private:
    int thread_, term_, lines_, items_;
    index_t line_stride_, term_stride_;
    const T* from_;  // of the next term
  };

  KOKKOS_FORCEINLINE_FUNCTION interleaved_tiles(const Team& team, const tile::batch<T>& batch, T* scratch,
                                                index_t begin, int items, int row, int col)
      : thread_(team.team_rank()),
        problem_(batch.first),
        ring_(scratch),
        item_(thread_ % Items),
        row_(thread_ / Items % RowLanes),
        col_(thread_ / Items / RowLanes),
        exist_(item_ < items),
        rows_left_(static_cast<int>(problem_.c.rows) - row),
        cols_left_(static_cast<int>(problem_.c.cols) - col),
        a_(thread_, problem_.a, begin + row * problem_.a.row_stride, rows_left_, items),
        b_(thread_, problem_.b.transposed(), begin + col * problem_.b.col_stride, cols_left_, items),
        c_(problem_.c.data + begin + item_ + (row + row_) * problem_.c.row_stride +
           (col + col_) * problem_.c.col_stride) {}

  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team) {
    const int k = static_cast<int>(problem_.terms());
    stages_to_fetch<Depth> to_fetch;
    to_fetch.start(0, k);
    const auto fetch = [&](T* to) {
      const int terms = to_fetch.take();
      if (terms == 0) return;
      a_.copy(to, terms);
      b_.copy(to + size_a, terms);
    };
    ring_.start(fetch);
    T part[Cols][Rows];
#pragma unroll
    for (int y = 0; y < Cols; ++y)
#pragma unroll
      for (int x = 0; x < Rows; ++x) part[y][x] = T(0);
#pragma unroll 1
    for (int p = 0; p < k; p += Depth) {
      const int ready = ring_.await(team);
      fetch(ring_.freed(ready));
      commit_copies();
      const T* const a = ring_.at(ready) + row_ * Items + item_;
      const T* const b = ring_.at(ready) + size_a + col_ * Items + item_;
      if (k - p >= Depth) {
#pragma unroll
        for (int q = 0; q < Depth; ++q) multiply_add(part, a, b, q);
      } else {
#pragma unroll 1
        for (int q = 0; q < k - p; ++q) multiply_add(part, a, b, q);
      }
    }
    store(part);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void multiply_add(T (&part)[Cols][Rows], const T* a, const T* b, int q) {
    // Lanes of one item's row are neighbours of those of the next row; columns are the same for all or most of a warp.
    static_assert(
        tile::banks::free_of_conflicts(sizeof(T), [](int l) { return sizeof(T) * (l % (Items * RowLanes)); }));
    T left[Rows], right[Cols];
#pragma unroll
    for (int x = 0; x < Rows; ++x) left[x] = a[(q * tile_rows + x * RowLanes) * Items];
#pragma unroll
    for (int y = 0; y < Cols; ++y) right[y] = b[(q * tile_cols + y * ColLanes) * Items];
#pragma unroll
    for (int y = 0; y < Cols; ++y)
#pragma unroll
      for (int x = 0; x < Rows; ++x) part[y][x] = Kokkos::fma(left[x], right[y], part[y][x]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const T (&part)[Cols][Rows]) const {
    if (!exist_) return;
    const tile::epilogue<T>& epilogue = problem_.epilogue;
    const index_t row_step = RowLanes * problem_.c.row_stride, col_step = ColLanes * problem_.c.col_stride;
#pragma unroll
    for (int y = 0; y < Cols; ++y) {
      if (col_ + y * ColLanes >= cols_left_) break;
      T* const column = c_ + y * col_step;
      T old[Rows] = {};  // all of them are loaded before the first is stored, so that the loads overlap
      if (epilogue.beta != T(0)) {
#pragma unroll
        for (int x = 0; x < Rows; ++x)
          if (row_ + x * RowLanes < rows_left_) old[x] = column[x * row_step];
      }
#pragma unroll
      for (int x = 0; x < Rows; ++x)
        if (row_ + x * RowLanes < rows_left_) column[x * row_step] = epilogue(part[y][x], &old[x]);
    }
  }

  const int thread_;
  const tile::product<T>& problem_;
  ring_type ring_;
  const int item_, row_, col_;
  const bool exist_;
  const int rows_left_, cols_left_;
  panel<tile_rows> a_;
  panel<tile_cols> b_;
  T* const c_;
};

}  // namespace abax::cuda

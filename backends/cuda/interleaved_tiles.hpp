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
  bool stays;  ///< teams are as many as run at once, and have a piece after another; else one each
};

/// A piece of the batch is a tile of `items` items; tiles of the same items come one after another. A team that has
/// several fetches the next one while it multiplies the one before.
///
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
  struct parameters {};
  static std::size_t scratch_bytes() { return sizeof(T) * ring_type::elements + scratch_slack; }

  static index_t tiles(const tile::output<T>& c) {
    return tile::ceil_div<index_t>(c.rows, tile_rows) * tile::ceil_div<index_t>(c.cols, tile_cols);
  }
  static index_t pieces(const tile::batch<T>& batch) {
    return tile::ceil_div<index_t>(batch.items(), Items) * tiles(batch.first.c);
  }
  /// Whether copies of Width elements are aligned, and pieces are few enough to be counted.
  static bool serves(const tile::batch<T>& batch) {
    const auto aligned = [](const tile::matrix<const T>& m) {
      return m.row_stride % Width == 0 && m.col_stride % Width == 0 &&
             reinterpret_cast<std::uintptr_t>(m.data) % (Width * sizeof(T)) == 0;
    };
    return batch.is_interleaved() && batch.a_step == 1 && batch.b_step == 1 && aligned(batch.first.a) &&
           aligned(batch.first.b) && pieces(batch) >> 30 == 0;
  }

  KOKKOS_FUNCTION static void multiply(const Team& team, const parameters&, const tile::batch<T>& batch, index_t piece,
                                       index_t step) {
    interleaved_tiles(team, batch, static_cast<int>(step)).run(team, static_cast<int>(piece));
  }

 private:
  static constexpr int largest_divisor(int of, int most) {
    int d = tile::min(of, most);
    while (of % d != 0) --d;
    return d;
  }
  static constexpr int largest_power_of_two(int most) {
    int p = 1;
    while (2 * p <= most) p *= 2;
    return p;
  }

  /// A thread's part in copying one operand: of the stage's `Lines` rows of A, or columns of B, every line_step-th.
  template <int Lines>
  class panel {
    static constexpr int chunks = Items / Width, at_once = team_size / chunks;
    static constexpr int line_step = largest_divisor(Lines, at_once);
    static constexpr int term_step = line_step == Lines ? tile::min(Depth, largest_power_of_two(at_once / Lines)) : 1;
    static constexpr int of_term = chunks * line_step;  // threads
    static_assert(Items % Width == 0 && team_size % chunks == 0 && Depth % term_step == 0);

   public:
    /// m: `lines` x k, of the first of `items` items.
    KOKKOS_FORCEINLINE_FUNCTION void start(int thread, const tile::matrix<const T>& m, index_t first, int lines,
                                           int items) {
      const int chunk = thread % chunks * Width, line = thread / chunks % line_step;
      term_ = thread / of_term;
      lines_ = term_ < term_step ? lines - line : 0;
      items_ = items - chunk;
      from_ = m.data + first + chunk + line * m.row_stride + term_ * m.col_stride;
    }
    KOKKOS_FORCEINLINE_FUNCTION void copy(int thread, const tile::matrix<const T>& m, T* to, int terms) {
      const index_t line_stride = line_step * m.row_stride, term_stride = term_step * m.col_stride;
      to += (term_ * Lines * chunks + thread % of_term) * Width;
#pragma unroll
      for (int q = 0; q < Depth; q += term_step) {
        const T* from = from_;
#pragma unroll
        for (int line = 0; line < Lines; line += line_step) {
          copy_chunk_if<Width>(q + term_ < terms && line < lines_, to + (q * Lines + line) * Items, from, items_);
          from += line_stride;
        }
        from_ += term_stride;
      }
    }

   private:
    int term_, lines_, items_;
    const T* from_;  // of the next term
  };

  KOKKOS_FORCEINLINE_FUNCTION interleaved_tiles(const Team& team, const tile::batch<T>& batch, int step)
      : thread_(team.team_rank()),
        problem_(batch.first),
        ring_(take_scratch<T>(team, ring_type::elements)),
        items_(static_cast<int>(batch.items())),
        row_tiles_(static_cast<int>(tile::ceil_div<index_t>(problem_.c.rows, tile_rows))),
        tiles_(row_tiles_ * static_cast<int>(tile::ceil_div<index_t>(problem_.c.cols, tile_cols))),
        pieces_((items_ + Items - 1) / Items * tiles_),
        step_(step) {}

  /// The first item of a piece, and where its tile begins.
  struct place {
    int item, row, col;
  };
  KOKKOS_FORCEINLINE_FUNCTION place place_of(int piece) const {
    const int group = piece / tiles_, tile = piece - group * tiles_, col = tile / row_tiles_;
    return {group * Items, (tile - col * row_tiles_) * tile_rows, col * tile_cols};
  }

  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, int piece) {
    const int k = static_cast<int>(problem_.terms());
    const tile::matrix<const T> a = problem_.a, b = problem_.b.transposed();
    stages_to_fetch<Depth> to_fetch;
    int next = piece;
    panel<tile_rows> panel_a;
    panel<tile_cols> panel_b;
    const auto fetch = [&](T* to) {
      if (to_fetch.left <= 0) {
        if (next >= pieces_) return;
        const place at = place_of(next);
        panel_a.start(thread_, a, at.item + at.row * a.row_stride, static_cast<int>(a.rows) - at.row, items_ - at.item);
        panel_b.start(thread_, b, at.item + at.col * b.row_stride, static_cast<int>(b.rows) - at.col, items_ - at.item);
        to_fetch.start(0, k);
        next += step_;
      }
      const int terms = to_fetch.take();
      panel_a.copy(thread_, a, to, terms);
      panel_b.copy(thread_, b, to + size_a, terms);
    };
    ring_.start(fetch);
    const int item = thread_ % Items, row = thread_ / Items % RowLanes, col = thread_ / Items / RowLanes;
#pragma unroll 1
    for (; piece < pieces_; piece += step_) {
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
        const T* const left = ring_.at(ready) + row * Items + item;
        const T* const right = ring_.at(ready) + size_a + col * Items + item;
        if (k - p >= Depth) {
#pragma unroll
          for (int q = 0; q < Depth; ++q) multiply_add(part, left, right, q);
        } else {
#pragma unroll 1
          for (int q = 0; q < k - p; ++q) multiply_add(part, left, right, q);
        }
      }
      const place at = place_of(piece);
      if (at.item + item < items_) store(part, at.item + item, at.row + row, at.col + col);
    }
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

  /// The outputs of an item that are RowLanes rows and ColLanes columns apart, from row `row` and column `col` on.
  KOKKOS_FORCEINLINE_FUNCTION void store(T (&part)[Cols][Rows], index_t item, int row, int col) const {
    const tile::output<T>& c = problem_.c;
    const tile::epilogue<T>& epilogue = problem_.epilogue;
    const index_t row_step = RowLanes * c.row_stride, col_step = ColLanes * c.col_stride;
    const int rows = static_cast<int>(c.rows) - row, cols = static_cast<int>(c.cols) - col;
    T* column = c.data + item + row * c.row_stride + col * c.col_stride;
    const bool reads = epilogue.beta != T(0);
#pragma unroll
    for (int y = 0; y < Cols; ++y) {
      if (y * ColLanes >= cols) break;
      T old[Rows] = {};  // all of them are loaded before the first is stored, so that the loads overlap
      if (reads) {
#pragma unroll
        for (int x = 0; x < Rows; ++x)
          if (x * RowLanes < rows) old[x] = column[x * row_step];
      }
      T* at = column;
#pragma unroll
      for (int x = 0; x < Rows; ++x) {
        if (x * RowLanes < rows) *at = epilogue(part[y][x], &old[x]);
        at += row_step;
      }
      column += col_step;
    }
  }

  const int thread_;
  const tile::product<T>& problem_;
  ring_type ring_;
  const int items_, row_tiles_, tiles_, pieces_, step_;
};

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of small products whose items are neighbours in memory, on a CPU core: a lane of a vector has an item.
#include <cstdint>

#include "abax/detail/backends/openmp/batch.hpp"

namespace abax::openmp {

/// Whether an operand's elements meet in few sets of the first cache: of a batch of 1024 items, say, in one. Most
/// caches have 64 sets of eight lines or more.
class cache_sets {
 public:
  /// Some columns say how they are shared out.
  template <class Matrix>
  void add(const Matrix& m) {
    constexpr index_t enough = 512;
    for (index_t j = 0; j < m.cols && j * m.rows < enough; ++j)
      for (index_t i = 0; i < m.rows; ++i) {
        const index_t line = (i * m.row_stride + j * m.col_stride) * index_t(sizeof(*m.data)) / 64;
        fullest_ = tile::max(fullest_, ++lines_[static_cast<std::uint64_t>(line) % 64]);
        ++elements_;
      }
  }
  /// One set has more than an eighth of them, and so many that moving them is over sooner.
  bool meet() const { return fullest_ > 40 && 8 * fullest_ > elements_; }

 private:
  index_t lines_[64] = {}, fullest_ = 0, elements_ = 0;
};

/// Turns of interleaved items, of which `vectors` vectors are moved to scratch at once, or none. Products too large for
/// scratch are cut into parts of rows x cols outputs.
template <class T>
struct interleaved_turns : batch_turns<T> {
  index_t vectors, rows, cols;
};

template <class T, class Team>
struct interleaved_batch_product {
  using parameters = interleaved_turns<T>;
  static constexpr index_t most_moved = second_cache - alignment_slack;  // bytes
  static std::size_t scratch_bytes() { return most_moved + alignment_slack; }

  /// `count` items from `begin` on.
  KOKKOS_FUNCTION static interleaved_batch<T> items(const tile::batch<T>& batch, index_t begin, index_t count) {
    const tile::product<T> item = batch(begin);
    return {.m = item.c.rows,
            .n = item.c.cols,
            .k = item.terms(),
            .items = count,
            .a = {item.a.data, item.a.row_stride, item.a.col_stride, batch.a_step == 0},
            .b = {item.b.data, item.b.row_stride, item.b.col_stride, batch.b_step == 0},
            .c = {item.c.data, item.c.row_stride, item.c.col_stride, false},
            .alpha = item.epilogue.alpha,
            .beta = item.epilogue.beta,
            .vectors = 0,
            .images = nullptr};
  }

  KOKKOS_FUNCTION static void multiply(const Team& team, const parameters& p, const tile::batch<T>& batch,
                                       index_t piece, index_t) {
    const index_t begin = p.begin(piece);
    interleaved_batch<T> all = items(batch, begin, p.end(batch, piece) - begin);
    all.vectors = p.vectors;
    all.images = take<T>(team, most_moved / index_t(sizeof(T)));
    for (index_t j = 0; j < all.n; j += p.cols)
      for (index_t i = 0; i < all.m; i += p.rows) {
        interleaved_batch<T> part = all;
        part.m = tile::min(p.rows, all.m - i);
        part.n = tile::min(p.cols, all.n - j);
        part.a.data += i * all.a.row;
        part.b.data += j * all.b.col;
        part.c.data += i * all.c.row + j * all.c.col;
        p.kernels->multiply_interleaved(part);
      }
  }
};

template <class T>
struct batch_of_neighbours : row_by_turns<T> {
  static constexpr const char* name = "interleaved";
  using primitives = interleaved_batch_product<T, member>;

  static bool serves(const tile::batch<T>& batch, const machine&) {
    const tile::product<T>& p = batch.first;
    return batch.is_interleaved() && is_small(p.c.rows, p.c.cols, p.terms());
  }

  static interleaved_turns<T> parameters(const tile::batch<T>& batch, const machine& m) {
    constexpr index_t most_vectors = 8;
    const kernel_set<T>& kernels = m.template loops<T>();
    interleaved_batch<T> part = primitives::items(batch, 0, batch.items());
    index_t vectors = 0;
    if (!stays_in_place(batch, kernels.side, m.teams_at_once)) {
      const index_t room = primitives::most_moved / (kernels.lanes * index_t(sizeof(T)));
      while (part.image() > room) {
        index_t& longer = part.m > part.n ? part.m : part.n;
        longer = tile::ceil_div<index_t>(longer, 2);
      }
      vectors = tile::min(most_vectors, room / part.image());
    }
    // Whole lines; as many as are moved at once, but no fewer threads for it.
    const index_t unit = tile::max<index_t>(kernels.lanes, 64 / sizeof(T));
    const index_t of_thread = batch.items() / (unit * m.teams_at_once);
    const index_t fewest = tile::max<index_t>(1, tile::min(vectors * kernels.lanes / unit, of_thread));
    return {{&kernels, items_of_turn<T>(batch, m, unit, fewest)}, vectors, part.m, part.n};
  }

 private:
  /// Elements are moved if several register tiles read them and they are more than `most`, or more than `few` of a
  /// batch larger than the caches, or meet in few sets of one.
  static bool stays_in_place(const tile::batch<T>& batch, index_t side, int threads) {
    constexpr index_t few = 1200, most = 4096;
    const tile::product<T>& p = batch.first;
    const bool a = batch.a_step != 0 && p.c.cols > side, b = batch.b_step != 0 && p.c.rows > side;
    const index_t again = (a ? p.c.rows * p.terms() : 0) + (b ? p.terms() * p.c.cols : 0);
    const index_t own = p.c.rows * p.c.cols + (batch.a_step != 0 ? p.c.rows * p.terms() : 0) +
                        (batch.b_step != 0 ? p.terms() * p.c.cols : 0);
    if (again > most || (again > few && outgrows_caches<T>(batch.items(), own, threads))) return false;
    cache_sets sets;
    if (a) sets.add(p.a);
    if (b) sets.add(p.b);
    return !sets.meet();
  }
};

template <class T>
using batch_rows = backends::rows<batch_of_neighbours<T>, batch_read_directly<T>>;

}  // namespace abax::openmp

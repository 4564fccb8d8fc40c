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
  template <class Operand>
  void add(const Operand& of, index_t rows, index_t cols) {
    constexpr index_t enough = 512;
    for (index_t j = 0; j < cols && j * rows < enough; ++j)
      for (index_t i = 0; i < rows; ++i) {
        const index_t line = (i * of.row + j * of.col) * index_t(sizeof(*of.data)) / 64;
        fullest_ = tile::max(fullest_, ++lines_[static_cast<std::uint64_t>(line) % 64]);
        ++elements_;
      }
  }
  /// One set has more than an eighth of them, and so many that moving them is over sooner.
  bool meet() const { return fullest_ > 40 && 8 * fullest_ > elements_; }

 private:
  index_t lines_[64] = {}, fullest_ = 0, elements_ = 0;
};

/// Turns of interleaved items, of which A and B of `vectors` vectors are moved to scratch at once, or none. C's columns
/// are divided into `shares`: piece share * turns + turn is that share of that turn. Products whose A and B are
/// too large for scratch are cut into parts of rows x cols outputs.
template <class T>
struct interleaved_turns : batch_turns<T> {
  index_t shares, vectors, rows, cols;
};

template <class T, class Team>
struct interleaved_batch_product {
  using parameters = interleaved_turns<T>;
  static constexpr index_t most_moved = second_cache - alignment_slack;  // bytes
  static std::size_t scratch_bytes() { return most_moved + alignment_slack; }

  /// `count` items from `begin` on, or their transposes: C's columns are farther apart than its rows.
  KOKKOS_FUNCTION static interleaved_batch<T> items(const tile::batch<T>& given, index_t begin, index_t count) {
    const auto far = [](index_t stride) { return stride < 0 ? -stride : stride; };
    const tile::output<T>& c = given.first.c;
    const bool by_rows = c.rows != 1 && (c.cols == 1 || far(c.row_stride) > far(c.col_stride));
    const tile::batch<T> batch = by_rows ? turned(given) : given;
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
    const index_t turns = tile::ceil_div(batch.items(), p.run), turn = piece % turns, share = piece / turns;
    const index_t begin = p.begin(turn);
    interleaved_batch<T> all = items(batch, begin, p.end(batch, turn) - begin);
    all.vectors = p.vectors;
    all.images = take<T>(team, most_moved / index_t(sizeof(T)));
    const index_t last_col = (share + 1) * all.n / p.shares;
    for (index_t j = share * all.n / p.shares; j < last_col; j += p.cols)
      for (index_t i = 0; i < all.m; i += p.rows) {
        interleaved_batch<T> part = all;
        part.m = tile::min(p.rows, all.m - i);
        part.n = tile::min(p.cols, last_col - j);
        part.a.data += i * all.a.row;
        part.b.data += j * all.b.col;
        part.c.data += i * all.c.row + j * all.c.col;
        p.kernels->multiply_interleaved(part);
      }
  }
};

template <class T>
struct batch_of_neighbours {
  static constexpr const char* name = "interleaved";
  using primitives = interleaved_batch_product<T, member>;

  static bool serves(const tile::batch<T>& batch, const machine&) {
    const tile::product<T>& p = batch.first;
    return batch.is_interleaved() && has_few_products(p.c.rows, p.c.cols, p.terms());
  }

  static interleaved_turns<T> parameters(const tile::batch<T>& batch, const machine& m) {
    constexpr index_t most_vectors = 8;
    const kernel_set<T>& kernels = m.template loops<T>();
    const interleaved_batch<T> all = primitives::items(batch, 0, batch.items());
    const index_t shares = shares_of(all, m.teams_at_once), threads = m.teams_at_once / shares;
    interleaved_batch<T> part = all;
    part.n = tile::ceil_div(all.n, shares);
    const index_t work = work_of_item(part.m, part.n, part.k);
    index_t vectors = 0;
    if (!stays_in_place(part, kernels.side, static_cast<int>(threads))) {
      const index_t room = primitives::most_moved / (kernels.lanes * index_t(sizeof(T)));
      while (part.image() > room) {
        index_t& longer = part.m > part.n ? part.m : part.n;
        longer = tile::ceil_div<index_t>(longer, 2);
      }
      vectors = tile::min(most_vectors, room / part.image());
    }
    // Whole lines; as many as are moved at once, but no fewer threads for it.
    const index_t unit = tile::max<index_t>(kernels.lanes, 64 / sizeof(T));
    const index_t of_thread = batch.items() / (unit * threads);
    const index_t fewest = tile::max<index_t>(1, tile::min(vectors * kernels.lanes / unit, of_thread));
    return {{&kernels, items_of_turn(batch.items(), work, threads, unit, fewest)}, shares, vectors, part.m, part.n};
  }
  static index_t teams(const tile::batch<T>& batch, const interleaved_turns<T>& turns, const machine&) {
    return turns.shares * tile::ceil_div(batch.items(), turns.run);
  }

 private:
  /// Threads that have some of the items write next to each other wherever an element's items are few, and a core that
  /// asks for lines ahead of those that it writes takes another's. A share of the columns is one piece of memory. No
  /// share is larger than the mean by more than a seventh, or so small that its register tiles are.
  static index_t shares_of(const interleaved_batch<T>& all, index_t threads) {
    constexpr index_t near = 4096;  // bytes
    constexpr index_t fewest_cols = 3;
    if (all.items * index_t(sizeof(T)) >= near * threads) return 1;
    const index_t work = all.items * work_of_item(all.m, all.n, all.k);
    index_t shares = tile::max<index_t>(1, tile::min(threads, tile::min(all.n / fewest_cols, work / least_work)));
    while (threads % shares != 0 || 7 * shares * tile::ceil_div(all.n, shares) > 8 * all.n) --shares;
    return shares;
  }

  /// Whether the items of each element of a rows x cols operand begin with a line of the cache.
  static bool begins_with_lines(const typename interleaved_batch<T>::template operand<const T>& of, index_t rows,
                                index_t cols) {
    constexpr index_t line = 64 / sizeof(T);
    return reinterpret_cast<std::uintptr_t>(of.data) % 64 == 0 && (rows == 1 || of.row % line == 0) &&
           (cols == 1 || of.col % line == 0);
  }
  /// Elements are moved if several register tiles read them and they are more than `most` that begin anywhere, or more
  /// than `few` of a batch that so many cores do not keep near them, or meet in few sets of the first cache.
  static bool stays_in_place(const interleaved_batch<T>& p, index_t side, int cores) {
    constexpr index_t few = 1200, most = 4096;
    const bool a = !p.a.shared && p.n > side, b = !p.b.shared && p.m > side;
    const index_t again = (a ? p.m * p.k : 0) + (b ? p.k * p.n : 0);
    const bool by_lines = (!a || begins_with_lines(p.a, p.m, p.k)) && (!b || begins_with_lines(p.b, p.k, p.n));
    if (again > most && !by_lines) return false;
    if (again > few && outgrows_caches<T>(p.items, p.image() + p.m * p.n, 4 * cores)) return false;
    cache_sets sets;
    if (a) sets.add(p.a, p.m, p.k);
    if (b) sets.add(p.b, p.k, p.n);
    return !sets.meet();
  }
};

template <class T>
using batch_rows = backends::rows<batch_of_neighbours<T>, batch_read_directly<T>>;

}  // namespace abax::openmp

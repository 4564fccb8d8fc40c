// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of small products on a CPU core, an item after another: read where they lie, by loops that know how many
/// there are.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/openmp/direct_product.hpp"
#include "abax/detail/backends/openmp/launch.hpp"
#include "abax/detail/backends/openmp/machine.hpp"
#include "abax/detail/backends/openmp/widest_tile.hpp"
#include "abax/detail/tile/batch.hpp"

namespace abax::openmp {

/// What a product of a batch takes, in terms of one output.
constexpr index_t work_of_item(index_t m, index_t n, index_t k) { return m * n * k + 4 * m * n + 32; }
/// Work below which another thread costs more than it saves, and below which a thread has one turn.
inline constexpr index_t least_work = 1 << 16, least_work_of_turns = 1 << 18;

/// Items of a thread's turn, of so many of `work` each: all, or whole units, `fewest` of them or more. A thread has up
/// to sixteen turns: the more there are, the less a thread that is held up delays the others; and they are of a size
/// with which all threads have as many items, within 2 %.
inline index_t items_of_turn(index_t items, index_t work, index_t most_threads, index_t unit = 1, index_t fewest = 1) {
  const index_t units = tile::ceil_div(items, unit);
  const auto units_of = [&](index_t least) { return tile::max(fewest, tile::ceil_div(least, work * unit)); };
  const index_t threads = tile::min(most_threads, units / units_of(least_work));
  if (threads < 2) return items;
  const index_t share = tile::ceil_div(units, threads);
  for (index_t turns = tile::min<index_t>(16, units / (threads * units_of(least_work_of_turns))); turns > 1; --turns) {
    const index_t size = tile::ceil_div(units, threads * turns);
    if (50 * turns * size <= 51 * share) return size * unit;
  }
  return share * unit;
}

/// Turns of `run` items, a team's only piece.
template <class T>
struct batch_turns {
  const kernel_set<T>* kernels;
  index_t run;

  KOKKOS_FORCEINLINE_FUNCTION index_t begin(index_t turn) const { return turn * run; }
  KOKKOS_FORCEINLINE_FUNCTION index_t end(const tile::batch<T>& batch, index_t turn) const {
    return tile::min(batch.items(), begin(turn) + run);
  }
};

/// Items that follow one another, a register tile after another.
template <class T, class Team>
struct direct_batch_product {
  using parameters = batch_turns<T>;
  static std::size_t scratch_bytes() { return sizeof(T) * most_tile_rows<T> * tile::canon_block + alignment_slack; }

  KOKKOS_FUNCTION static void multiply(const Team& team, const parameters& p, const tile::batch<T>& batch,
                                       index_t piece, index_t) {
    const index_t begin = p.begin(piece), end = p.end(batch, piece);
    const tile::product<T> item = batch(begin);
    if (item.c.cols == 1) return multiply_by_vectors(p, batch, begin, end);
    const bool in_place = item.a.row_stride == 1;
    p.kernels->multiply_batch(
        {.first = {.m = item.c.rows,
                   .n = item.c.cols,
                   .k = item.terms(),
                   .a = item.a.data,
                   .stride_a = in_place ? item.a.col_stride : item.a.row_stride,
                   .b = item.b.data,
                   .stride_k = item.b.row_stride,
                   .stride_b = item.b.col_stride,
                   .alpha = item.epilogue.alpha,
                   .beta = item.epilogue.beta,
                   .c = item.c.data,
                   .stride_c = item.c.col_stride,
                   .packed = in_place ? nullptr : take<T>(team, most_tile_rows<T> * tile::canon_block)},
         .items = {.count = end - begin,
                   .step_a = batch.a_step,
                   .step_b = batch.b_step,
                   .step_c = batch.c_step,
                   .a_at = batch.a_at == nullptr ? nullptr : batch.a_at + begin,
                   .b_at = batch.b_at == nullptr ? nullptr : batch.b_at + begin,
                   .c_at = batch.c_at == nullptr ? nullptr : batch.c_at + begin}});
  }

 private:
  KOKKOS_FUNCTION static void multiply_by_vectors(const parameters& p, const tile::batch<T>& batch, index_t begin,
                                                  index_t end) {
    for (index_t i = begin; i < end; ++i) {
      const tile::product<T> item = batch(i);
      p.kernels->multiply_store_vector({item.c.rows, item.terms(), item.a.data, item.a.row_stride, item.a.col_stride,
                                        item.b.data, item.b.row_stride, item.epilogue.alpha, item.epilogue.beta,
                                        item.c.data, item.c.row_stride});
    }
  }
};

template <class T>
struct batch_read_directly {
  static constexpr const char* name = "direct batch";
  using primitives = direct_batch_product<T, member>;
  static bool serves(const tile::batch<T>& batch, const machine&) {
    const tile::product<T>& p = batch.first;
    return has_few_products(p.c.rows, p.c.cols, p.terms()) && direct_matrix_product<T, member>::can(p);
  }
  static typename primitives::parameters parameters(const tile::batch<T>& batch, const machine& m) {
    const tile::product<T>& p = batch.first;
    const index_t work = work_of_item(p.c.rows, p.c.cols, p.terms());
    return {&m.template loops<T>(), items_of_turn(batch.items(), work, m.teams_at_once)};
  }
  static index_t teams(const tile::batch<T>& batch, const batch_turns<T>& turns, const machine&) {
    return tile::ceil_div(batch.items(), turns.run);
  }
};

}  // namespace abax::openmp

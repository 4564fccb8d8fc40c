// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm and gemv, once: one team's share of C <- alpha A B + beta C.
#include "abax/detail/team/last_arrival.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::team {

/// True if none of the tile's elements are to be written: teams without work cost less than finding the others.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_nobodys(const tile::output<T>& c, const tile::division<T>& division,
                                            const tile::share& mine) {
  return !tile::meets(c.part, index_t(mine.row_tile) * division.tile_rows, index_t(mine.col_tile) * division.tile_cols,
                      division.tile_rows, division.tile_cols);
}

/// store(), of the tile that `mine` names. One that is computed aside gets what C's triangle holds before, and C gets
/// it back; bits that C does not have are +0 meanwhile.
template <class T, class Team, class Store>
KOKKOS_FORCEINLINE_FUNCTION void store_to(const tile::output<T>& c, const Team& team, const tile::division<T>& division,
                                          const tile::share& mine, bool reads, const Store& store) {
  const index_t row = index_t(mine.row_tile) * division.tile_rows, col = index_t(mine.col_tile) * division.tile_cols;
  if (!c.is_aside(row, col, division.tile_rows, division.tile_cols)) return store();
  const tile::matrix<T> aside = c.block(row, col, division.tile_rows, division.tile_cols);
  const tile::matrix<T> own = c.place(row, col, division.tile_rows, division.tile_cols);
  const int rows = static_cast<int>(own.rows), outputs = rows * static_cast<int>(own.cols);
  // visit(i, j) in batches: all of one are loaded before the first is stored, so that the loads overlap.
  const auto each = [&](const auto& load, const auto& keep) {
    constexpr int batch = 8;
    const int step = team.team_size();
    for (int first = team.team_rank(); first < outputs; first += batch * step) {
      T element[batch] = {};
      for (int b = 0; b < batch; ++b)
        if (const int e = first + b * step; e < outputs) load(e % rows, e / rows, element[b]);
      for (int b = 0; b < batch; ++b)
        if (const int e = first + b * step; e < outputs) keep(e % rows, e / rows, element[b]);
    }
  };
  const auto held = [&](int i, int j) { return tile::holds(c.part, row + i, col + j); };
  if (reads) {
    each(
        [&](int i, int j, T& element) {
          if (held(i, j)) element = own(i, j);
        },
        [&](int i, int j, const T& element) { aside(i, j) = element; });
    team.team_barrier();
  }
  store();
  team.team_barrier();
  each(
      [&](int i, int j, T& element) {
        if (held(i, j)) element = aside(i, j);
      },
      [&](int i, int j, const T& element) {
        if (held(i, j)) own(i, j) = element;
      });
}

/// C <- alpha A B + beta C for the share of `division` that `team` holds. A: m x k, B: k x n, C: m x n or a triangle.
///
/// gemv is the case n == 1: it differs in the primitives that suit a single column, not in the algorithm, which is
/// why a column of a gemm has the bits of the gemv of that column.
///
/// Primitives (backends/primitives.hpp) decide what a stage is (a ring of shared-memory tiles, a packed panel, the
/// operand itself) and where the accumulators live (registers, a buffer in cache).
/// Order: per element the canon's dot product; blocks are the outer loop, because a test for the end of a block inside
/// the loop over stages costs registers on a GPU (8 % in a trial).
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void product(const Team& team, const typename Primitives::parameters& parameters,
                                         const tile::product<T>& problem, const tile::division<T>& division) {
  const index_t k = problem.terms();
  const int blocks = static_cast<int>(tile::canon_blocks(k));
  const tile::share mine = tile::share_of(division, team.league_rank(), blocks);
  if (is_nobodys(problem.c, division, mine)) return;
  Primitives tile(team, parameters, problem, mine.row_tile, mine.col_tile);
  const bool reads = problem.epilogue.beta != T(0);

  if (k == 0) return store_to(problem.c, team, division, mine, reads, [&] { tile.store_without_product(team); });

  const bool alone = division.splits == 1;
  tile.start(team, mine.first_block * tile::canon_block, tile::min(k, mine.last_block * tile::canon_block));
  for (int block = mine.first_block; block < mine.last_block; ++block) {
    const int terms = static_cast<int>(tile::min(tile::canon_block, k - block * tile::canon_block));
    const int depth = tile.depth();
    tile.clear();
    const int rest = terms % depth;  // in this form compilers see that it is short of a stage: less code
    if constexpr (Primitives::finishes)
      if (alone && block + 1 == blocks) {
        const int last = rest > 0 ? rest : depth;
        for (int p = 0; p < terms - last; p += depth) tile.multiply_add(team, tile.stage(team), depth);
        return tile.finish(team, tile.stage(team), last, block == 0);
      }
    for (int p = 0; p < terms - rest; p += depth) tile.multiply_add(team, tile.stage(team), depth);
    if (rest > 0) tile.multiply_add(team, tile.stage(team), rest);  // only ever the last stage of all
    if (alone)
      tile.fold(block == 0, block + 1 == blocks);
    else
      tile.save(team, division.sums + (index_t(mine.tile) * blocks + block) * tile.elements());
  }

  if (!alone) {
    if (division.joiners > 0) return;
    unsigned* const arrivals = division.arrivals + mine.tile;
    if (!last_arrival(team, arrivals, static_cast<unsigned>(division.splits))) return;
    if (team.team_rank() == 0) *arrivals = 0;
    tile.join(team, division.sums + index_t(mine.tile) * blocks * tile.elements(), blocks);
  }
  store_to(problem.c, team, division, mine, reads, [&] { tile.store(team); });
}

/// The second launch of a product whose block sums are very many: each team joins a run of one tile's outputs, and the
/// last of the tile stores them all. The totals take the place of the first block's sums.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void join(const Team& team, const typename Primitives::parameters& parameters,
                                      const tile::product<T>& problem, const tile::division<T>& division) {
  const int blocks = static_cast<int>(tile::canon_blocks(problem.terms()));
  const int rank = team.league_rank() / division.joiners, part = team.league_rank() % division.joiners;
  const tile::share mine = tile::share_of(division, rank * division.splits, blocks);
  if (is_nobodys(problem.c, division, mine)) return;
  Primitives tile(team, parameters, problem, mine.row_tile, mine.col_tile);
  const index_t elements = tile.elements();
  T* const sums = division.sums + index_t(mine.tile) * blocks * elements;
  const int first = static_cast<int>(elements * part / division.joiners);
  const int last = static_cast<int>(elements * (part + 1) / division.joiners);
  for (int e = first + team.team_rank(); e < last; e += team.team_size()) {
    constexpr int batch = 16;      // on their way at a time
    T total = -T(0), next[batch];  // -0 + s is s, whatever s
    int block = 0;
    for (; block + batch <= blocks; block += batch) {
      for (int b = 0; b < batch; ++b) next[b] = sums[(block + b) * elements + e];
      for (int b = 0; b < batch; ++b) total = total + next[b];
    }
    for (; block < blocks; ++block) total = total + sums[block * elements + e];
    sums[e] = total;
  }
  unsigned* const arrivals = division.arrivals + mine.tile;
  if (!last_arrival(team, arrivals, static_cast<unsigned>(division.joiners))) return;
  if (team.team_rank() == 0) *arrivals = 0;
  tile.join(team, sums, 1);
  store_to(problem.c, team, division, mine, problem.epilogue.beta != T(0), [&] { tile.store(team); });
}

}  // namespace abax::team

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm and gemv, once: one team's share of C <- alpha A B + beta C, also of one item of a batch.
#include "abax/detail/team/last_arrival.hpp"
#include "abax/detail/tile/batch.hpp"

namespace abax::team {

/// True if none of the tile's elements are to be written: teams without work cost less than finding the others.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool has_no_output(const tile::output<T>& c, const tile::division<T>& division,
                                               const tile::share& mine) {
  return !tile::meets(c.part, index_t(mine.row_tile) * division.tile_rows, index_t(mine.col_tile) * division.tile_cols,
                      division.tile_rows, division.tile_cols);
}

/// Which way copy_aside() copies.
enum class copy_direction { to_aside, from_aside };

/// If the tile that `mine` names is computed aside, copies what C's triangle holds of it: there before the epilogue,
/// beside +0 for all else, and back after it.
template <copy_direction Direction, class T, class Team>
KOKKOS_FUNCTION void copy_aside(const tile::output<T>& c, const Team& team, const tile::division<T>& division,
                                const tile::share& mine) {
  const index_t row = index_t(mine.row_tile) * division.tile_rows, col = index_t(mine.col_tile) * division.tile_cols;
  if (!c.is_aside(row, col, division.tile_rows, division.tile_cols)) return;
  const tile::matrix<T> aside = c.block(row, col, division.tile_rows, division.tile_cols);
  const tile::matrix<T> own = c.place(row, col, division.tile_rows, division.tile_cols);
  const tile::matrix<T>&from = Direction == copy_direction::to_aside ? own : aside,
        &to = Direction == copy_direction::to_aside ? aside : own;
  const int rows = static_cast<int>(own.rows), outputs = rows * static_cast<int>(own.cols), step = team.team_size();
  const auto holds = [&](int e) { return e < outputs && tile::holds(c.part, row + e % rows, col + e / rows); };
  if (Direction == copy_direction::from_aside) team.team_barrier();
  constexpr int batch = 8;  // all of them are loaded before the first is stored, so that the loads overlap
  for (int first = team.team_rank(); first < outputs; first += batch * step) {
    T element[batch] = {};
    for (int b = 0; b < batch; ++b)
      if (const int e = first + b * step; holds(e)) element[b] = from(e % rows, e / rows);
    for (int b = 0; b < batch; ++b)
      if (const int e = first + b * step; Direction == copy_direction::to_aside ? e < outputs : holds(e))
        to(e % rows, e / rows) = element[b];
  }
  if (Direction == copy_direction::to_aside) team.team_barrier();
}

/// C <- alpha A B + beta C for `mine`, a share of `division`. A: m x k, B: k x n, C: m x n or a triangle.
///
/// gemv is the case n == 1: it differs in the primitives that suit a single column, not in the algorithm, which is
/// why a column of a gemm has the bits of the gemv of that column.
///
/// Primitives (backends/primitives.hpp) decide what a stage is (a ring of shared-memory tiles, a packed panel, the
/// operand itself) and where the accumulators live (registers, a buffer in cache).
/// Order: per element the canon's dot product; blocks are the outer loop, because a test for the end of a block inside
/// the loop over stages costs registers on a GPU (8 % in a trial).
template <class Primitives, class T, class Functor, class Team>
KOKKOS_FORCEINLINE_FUNCTION void product(const Team& team, const typename Primitives::parameters& parameters,
                                         const tile::product<T, Functor>& problem, const tile::division<T>& division,
                                         const tile::share& mine) {
  const index_t k = problem.terms();
  const int blocks = static_cast<int>(tile::canon_blocks_of<T>(k));
  if (has_no_output(problem.c, division, mine)) return;
  const bool alone = mine.teams == 1, reads = !tile::is_zero(problem.epilogue.beta);
  if (alone && reads) copy_aside<copy_direction::to_aside>(problem.c, team, division, mine);
  Primitives tile(team, parameters, problem, mine.row_tile, mine.col_tile);

  if (k == 0) {
    tile.store_without_product(team);
    return copy_aside<copy_direction::from_aside>(problem.c, team, division, mine);
  }

  tile.start(team, mine.first_block * tile::canon_block_of<T>, tile::min(k, mine.last_block * tile::canon_block_of<T>));
  for (int block = mine.first_block; block < mine.last_block; ++block) {
    const int terms = static_cast<int>(tile::min(tile::canon_block_of<T>, k - block * tile::canon_block_of<T>));
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
    if (!last_arrival(team, arrivals, static_cast<unsigned>(mine.teams))) return;
    if (team.team_rank() == 0) Kokkos::atomic_exchange(arrivals, 0u);
    if (reads) copy_aside<copy_direction::to_aside>(problem.c, team, division, mine);
    tile.join(team, division.sums + index_t(mine.tile) * blocks * tile.elements(), blocks);
  }
  tile.store(team);
  copy_aside<copy_direction::from_aside>(problem.c, team, division, mine);
}

/// The same for the share that `team` holds.
template <class Primitives, class T, class Functor, class Team>
KOKKOS_FORCEINLINE_FUNCTION void product(const Team& team, const typename Primitives::parameters& parameters,
                                         const tile::product<T, Functor>& problem, const tile::division<T>& division) {
  const int blocks = static_cast<int>(tile::canon_blocks_of<T>(problem.terms()));
  product<Primitives>(team, parameters, problem, division, tile::share_of(division, team.league_rank(), blocks));
}

/// The same for one of the items of a batch, to all of which `division` applies.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void product_of_item(const Team& team, const typename Primitives::parameters& parameters,
                                                 const tile::batch<T>& batch, const tile::division<T>& division) {
  const int tiles = division.row_tiles * division.col_tiles, teams = tiles * division.splits;
  const int item = team.league_rank() / teams, rank = team.league_rank() - item * teams;
  tile::share mine = tile::share_of(division, rank, static_cast<int>(tile::canon_blocks_of<T>(batch.first.terms())));
  mine.tile += item * tiles;
  const tile::product<T> problem = batch(item);
  product<Primitives>(team, parameters, problem, division, mine);
}

/// The second launch of a product whose block sums are very many: each team joins a run of one tile's outputs, and the
/// last of the tile stores them all. The totals take the place of the first block's sums.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void join(const Team& team, const typename Primitives::parameters& parameters,
                                      const tile::product<T>& problem, const tile::division<T>& division) {
  const int blocks = static_cast<int>(tile::canon_blocks_of<T>(problem.terms()));
  const int rank = team.league_rank() / division.joiners, part = team.league_rank() % division.joiners;
  const tile::share mine = tile::share_of(division, division.whole + rank * division.splits, blocks);
  if (has_no_output(problem.c, division, mine)) return;
  Primitives tile(team, parameters, problem, mine.row_tile, mine.col_tile);
  const index_t elements = tile.elements();
  T* const sums = division.sums + index_t(mine.tile) * blocks * elements;
  const int first = static_cast<int>(elements * part / division.joiners);
  const int last = static_cast<int>(elements * (part + 1) / division.joiners);
  for (int e = first + team.team_rank(); e < last; e += team.team_size()) {
    constexpr int batch = 16;      // on their way at a time
    T total = -T{0}, next[batch];  // -0 + s is s, whatever s
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
  if (team.team_rank() == 0) Kokkos::atomic_exchange(arrivals, 0u);
  if (!tile::is_zero(problem.epilogue.beta)) copy_aside<copy_direction::to_aside>(problem.c, team, division, mine);
  tile.join(team, sums, 1);
  tile.store(team);
  copy_aside<copy_direction::from_aside>(problem.c, team, division, mine);
}

}  // namespace abax::team

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm and gemv, once: one team's share of C <- alpha A B + beta C.
#include "team/last_arrival.hpp"
#include "tile/product.hpp"

namespace abax::team {

/// C <- alpha A B + beta C for the share of `division` that `team` holds. A: m x k, B: k x n, C: m x n.
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
  Primitives tile(team, parameters, problem, mine.row_tile, mine.col_tile);

  if (k == 0) {
    tile.store_without_product(team);
    return;
  }

  const bool alone = division.splits == 1;
  tile.start(team, mine.first_block * tile::canon_block, tile::min(k, mine.last_block * tile::canon_block));
  for (int block = mine.first_block; block < mine.last_block; ++block) {
    const int terms = static_cast<int>(tile::min(tile::canon_block, k - block * tile::canon_block));
    const int depth = tile.depth();
    tile.clear();
    const int rest = terms % depth;  // in this form compilers see that it is short of a stage: less code
    for (int p = 0; p < terms - rest; p += depth) tile.multiply_add(team, tile.stage(team), depth);
    if (rest > 0) tile.multiply_add(team, tile.stage(team), rest);  // only ever the last stage of all
    if (alone)
      tile.fold(block == 0, block + 1 == blocks);
    else
      tile.save(team, division.sums + (index_t(mine.tile) * blocks + block) * tile.elements());
  }

  if (!alone) {
    unsigned* const arrivals = division.arrivals + mine.tile;
    if (!last_arrival(team, arrivals, static_cast<unsigned>(division.splits))) return;
    if (team.team_rank() == 0) *arrivals = 0;
    const T* const sums = division.sums + index_t(mine.tile) * blocks * tile.elements();
    if constexpr (requires { tile.join(team, sums, blocks); }) {
      tile.join(team, sums, blocks);
    } else {
      for (int block = 0; block < blocks; ++block) {
        tile.load(team, sums + block * tile.elements());
        tile.fold(block == 0, block + 1 == blocks);
      }
    }
  }
  tile.store(team);
}

}  // namespace abax::team

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// transpose, once: one team's tile of B <- A^T, or its pair of tiles of A <- A^T.
#include "abax/detail/tile/transpose.hpp"

namespace abax::team {

/// to(i, j) <- from(i, j) for one tile, bits untouched: B <- A^T is this with to = B^T, a change of strides alone.
/// What makes it a transpose is that `from` and `to` run fast along different indices: the tile passes through scratch
/// (or registers) so that both sides are read and written along their own memory. A tile may reach into its neighbour:
/// where rows of `to` begin anywhere in memory, each row's piece then begins and ends where memory's sectors do.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void transpose(const Team& team, const typename Primitives::parameters& parameters,
                                           const tile::transpose<T>& problem) {
  // Neighbouring teams write neighbouring tiles of one band of rows of B: whole lines of memory at about one time.
  const int col_tiles = static_cast<int>(tile::tiles_along(problem.from.cols, parameters.cols, parameters.skip_cols));
  const auto rows = tile::nth_tile(team.league_rank() / col_tiles, parameters.rows, parameters.skip_rows);
  const auto cols = tile::nth_tile(team.league_rank() % col_tiles, parameters.cols, parameters.skip_cols);
  Primitives tile(team, parameters);
  const int staged_cols = cols.size + Primitives::reach;
  const auto staged = tile.stage(team, problem.from.block(rows.begin, cols.begin, rows.size, staged_cols));
  tile.store(team, staged, problem.to.block(rows.begin, cols.begin, rows.size, staged_cols), cols.begin == 0);
}

/// A <- A^T for a square A, where it lies: two tiles that face each other across the diagonal change places, a tile on
/// the diagonal turns about it. Teams share no element, so their order does not matter.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void transpose_in_place(const Team& team, const typename Primitives::parameters& parameters,
                                                    const tile::matrix<T>& a) {
  const int tiles = static_cast<int>(tile::tiles_along(a.rows, parameters.size, parameters.skip));
  const tile::place at = tile::place_in_triangle(team.league_rank(), tiles);
  const auto rows = tile::nth_tile(at.row, parameters.size, parameters.skip);
  const auto cols = tile::nth_tile(at.col, parameters.size, parameters.skip);
  const tile::matrix<T> upper = a.block(rows.begin, cols.begin, rows.size, cols.size);
  Primitives tile(team, parameters);
  if (at.row == at.col)
    tile.turn(team, upper);
  else
    tile.exchange(team, upper, a.block(cols.begin, rows.begin, cols.size, rows.size).transposed());
}

}  // namespace abax::team

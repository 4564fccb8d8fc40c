// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// transpose, once: one team's tile of B <- A^T, or its pair of tiles of A <- A^T.
#include "tile/transpose.hpp"

namespace abax::team {

/// to(i, j) <- from(i, j) for one tile, bits untouched: B <- A^T is this with to = B^T, a change of strides alone.
/// What makes it a transpose is that `from` and `to` run fast along different indices: the tile passes through scratch
/// (or registers) so that both sides are read and written along their own memory. A tile may reach into its neighbour:
/// where rows of `to` begin anywhere in memory, each row's piece then begins and ends where memory's sectors do.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void transpose(const Team& team, const typename Primitives::parameters& parameters,
                                           const tile::transpose<T>& problem) {
  // Neighbouring teams write neighbouring tiles of one band of rows of B: whole lines of memory at about one time.
  const int col_tiles = static_cast<int>(tile::ceil_div<index_t>(problem.from.cols, parameters.cols));
  const index_t i = index_t(team.league_rank() / col_tiles) * parameters.rows;
  const index_t j = index_t(team.league_rank() % col_tiles) * parameters.cols;
  Primitives tile(team, parameters);
  const int cols = parameters.cols + Primitives::reach;
  const auto staged = tile.stage(team, problem.from.block(i, j, parameters.rows, cols));
  tile.store(team, staged, problem.to.block(i, j, parameters.rows, cols), j == 0);
}

/// A <- A^T for a square A, where it lies: two tiles that face each other across the diagonal change places, a tile on
/// the diagonal turns about it. Teams share no element, so their order does not matter.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void transpose_in_place(const Team& team, const typename Primitives::parameters& parameters,
                                                    const tile::matrix<T>& a) {
  const tile::place at = tile::place_in_triangle(team.league_rank(), tile::tiles_along(a.rows, parameters.size));
  const index_t i = index_t(at.row) * parameters.size, j = index_t(at.col) * parameters.size;
  const tile::matrix<T> upper = a.block(i, j, parameters.size, parameters.size);
  Primitives tile(team, parameters);
  if (at.row == at.col)
    tile.turn(team, upper);
  else
    tile.exchange(team, upper, a.block(j, i, parameters.size, parameters.size).transposed());
}

}  // namespace abax::team

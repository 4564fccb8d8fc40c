// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Products by way of integers, once: one team's share of each step.
#include "abax/detail/tile/integer.hpp"

namespace abax::team {

/// The largest magnitude of some lines in one piece of their terms.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void line_peaks(const Team& team, const typename Primitives::parameters& parameters,
                                            const tile::line_peaks<T>& problem) {
  using kernel = tile::line_peaks<T>;
  const index_t tiles = tile::ceil_div<index_t>(problem.lines.rows, kernel::lines_of_team);
  const index_t line = team.league_rank() % tiles * kernel::lines_of_team, piece = team.league_rank() / tiles;
  Primitives::peaks(team, parameters, problem.piece(line, piece), problem.peaks + piece * problem.lines.rows + line);
}

/// The remainders of some lines' integers in one piece of their terms, and zeros behind the last of them.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void line_residues(const Team& team, const typename Primitives::parameters& parameters,
                                               const tile::line_residues<T>& problem) {
  using kernel = tile::line_residues<T>;
  const index_t tiles = tile::ceil_div<index_t>(problem.peaks.lines.rows, kernel::lines_of_team);
  const index_t line = team.league_rank() % tiles * kernel::lines_of_team;
  const index_t term = team.league_rank() / tiles * kernel::terms_of_team;
  const index_t lines = tile::min<index_t>(kernel::lines_of_team, problem.peaks.lines.rows - line);
  Primitives::residues(team, parameters, problem, line, lines, term,
                       tile::min<index_t>(kernel::terms_of_team, problem.planes.stride - term));
}

/// How many elements of some lines in one piece of their terms lose bits.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void line_losses(const Team& team, const tile::line_losses<T>& problem) {
  using kernel = tile::line_peaks<T>;
  const index_t tiles = tile::ceil_div<index_t>(problem.peaks.lines.rows, kernel::lines_of_team);
  const index_t line = team.league_rank() % tiles * kernel::lines_of_team, piece = team.league_rank() / tiles;
  Primitives::losses(team, problem, line, problem.peaks.piece(line, piece), problem.counts + team.league_rank());
}

/// What a check needs of a tile's lines.
template <class Primitives, class Team>
KOKKOS_FORCEINLINE_FUNCTION void line_weights(const Team& team, const typename Primitives::parameters& parameters,
                                              const tile::line_weights& problem) {
  const index_t pieces = problem.pieces(), tiles = problem.tiles();
  const index_t term = team.league_rank() % pieces * tile::line_weights::terms_of_team;
  const index_t tile = team.league_rank() / pieces % tiles, first = tile * problem.lines_of_tile;
  const int t = static_cast<int>(team.league_rank() / (pieces * tiles));
  Primitives::weigh(
      team, parameters, problem, t, first, tile::min<index_t>(problem.lines_of_tile, problem.planes.lines - first),
      term, tile::min(tile::line_weights::terms_of_team, problem.planes.stride - term), problem.of(t, tile) + term);
}

/// One modulus' tile of the product of residues. A sum of integers is exact as long as it fits 32 bits: before it does
/// not, its remainder takes its place. Where that is asked for, Freivalds' check, modulo 2^64: with weights v of rows
/// and w of columns, what is added to v C w must be (v A) (B w). A wrong engine, or a wrong bit on its way, shows: a
/// single wrong sum always, any others but for one choice of 2^29 of the weights, which have 30 bits that are drawn.
template <class Primitives, class Team>
KOKKOS_FORCEINLINE_FUNCTION void residue_product(const Team& team, const typename Primitives::parameters& parameters,
                                                 const tile::residue_product& problem) {
  const index_t row_tiles = tile::ceil_div<index_t>(problem.rows(), parameters.rows);
  const index_t tiles = row_tiles * tile::ceil_div<index_t>(problem.cols(), parameters.cols);
  const int t = static_cast<int>(team.league_rank() / tiles);
  const index_t at = team.league_rank() % tiles;
  Primitives tile(team, parameters, problem, t, at % row_tiles * parameters.rows, at / row_tiles * parameters.cols);
  if (problem.adds)
    tile.load(team);
  else
    tile.clear(team);
  bool right = true;
  for (index_t p = 0; p < problem.terms; p += Primitives::exact_terms) {
    const index_t some = tile::min(Primitives::exact_terms, problem.terms - p);
    if (p > 0) tile.reduce(team);
    if (problem.faults == nullptr) {
      tile.multiply_add(team, p, some);
    } else {
      const std::uint64_t before = tile.weighed_sum(team);
      const std::uint64_t product = tile.weighed_product(team, p, some);
      tile.multiply_add(team, p, some);
      right = tile.weighed_sum(team) - before == product && right;
    }
  }
  if (problem.faults != nullptr && team.team_rank() == 0) problem.faults[team.league_rank()] = right ? 0 : 1;
  tile.store(team);
}

/// Some lines of bytes.
template <class Primitives, class Team>
KOKKOS_FORCEINLINE_FUNCTION void byte_lines(const Team& team, const typename Primitives::parameters& parameters,
                                            const tile::byte_lines& problem) {
  const index_t first = team.league_rank() * tile::byte_lines::lines_of_team;
  Primitives::copy_bytes(team, parameters, problem, first,
                         tile::min<index_t>(tile::byte_lines::lines_of_team, problem.lines.rows - first));
}

/// One tile of a product of bytes: its sums wrap around, as they may.
template <class Primitives, class Team>
KOKKOS_FORCEINLINE_FUNCTION void byte_product(const Team& team, const typename Primitives::parameters& parameters,
                                              const tile::byte_product& problem) {
  const index_t row_tiles = tile::ceil_div<index_t>(problem.c.rows, parameters.rows);
  const index_t row = team.league_rank() % row_tiles * parameters.rows;
  const index_t col = team.league_rank() / row_tiles * parameters.cols;
  Primitives tile(team, parameters, problem.product, 0, row, col);
  tile.clear(team);
  for (index_t p = 0; p < problem.product.terms; p += Primitives::exact_terms)
    tile.multiply_add(team, p, tile::min(Primitives::exact_terms, problem.product.terms - p));
  tile.each_sum(team, [&](index_t i, index_t j, std::int32_t sum) { problem.finish(row + i, col + j, sum); });
}

/// One tile of C, from the remainders of its sums.
template <class Primitives, class T, int Count, class Functor, class Team>
KOKKOS_FORCEINLINE_FUNCTION void residue_sum(const Team& team, const typename Primitives::parameters& parameters,
                                             const tile::residue_sum<T, Count, Functor>& problem) {
  using kernel = tile::residue_sum<T, Count, Functor>;
  const index_t tiles = tile::ceil_div<index_t>(problem.rows, kernel::rows_of_team);
  const index_t row = team.league_rank() % tiles * kernel::rows_of_team;
  const index_t col = team.league_rank() / tiles * kernel::cols_of_team;
  Primitives::finish(team, parameters, problem, row, tile::min<index_t>(kernel::rows_of_team, problem.rows - row), col,
                     tile::min<index_t>(kernel::cols_of_team, problem.cols - col));
}

}  // namespace abax::team

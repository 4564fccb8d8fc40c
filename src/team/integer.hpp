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
  const index_t tiles = problem.line_tiles();
  const index_t line = team.league_rank() % tiles * kernel::lines_of_team;
  const index_t term = team.league_rank() / tiles * kernel::terms_of_team;
  const index_t lines = tile::min<index_t>(kernel::lines_of_team, problem.planes.room - line);
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
  Primitives::weigh(team, parameters, problem, t, first,
                    tile::min<index_t>(problem.lines_of_tile, problem.planes.lines - first), term,
                    tile::min(tile::line_weights::terms_of_team, problem.terms - term), problem.of(t, tile) + term);
}

/// Tiles of the product of residues, each of one modulus, for so few terms that sums of integers fit 32 bits.
template <bool Checked, class Primitives, class Team>
KOKKOS_FORCEINLINE_FUNCTION void residue_product(const Team& team, const typename Primitives::parameters& parameters,
                                                 const tile::residue_product& problem) {
  constexpr tile::residue_tile_shape shape = Primitives::shape;
  const tile::residue_tiles tiles = problem.tiles(shape);
  Primitives::run(team, parameters, problem, [&](auto& tile) {
    for (index_t n = team.league_rank(); n < tiles.all(); n += team.league_size()) {
      const auto place = tiles.place_of(n);
      tile.begin(place.t, place.row, place.col);
      tile.multiply(team);
      if constexpr (Checked) {
        const std::uint64_t sum = tile.weighed_sum(team);
        if (team.team_rank() == 0)
          problem.sums[tiles.number_of(place.t, place.row / shape.rows, place.col / shape.cols)] = sum;
      }
      tile.store(team);
    }
  });
}

/// Freivalds' check of some tiles, modulo 2^64: with weights v of rows and w of columns, v C w must be (v A) (B w). A
/// wrong engine, or a wrong bit on its way, shows: a single wrong sum always, any others but for one choice of 2^29 of
/// the weights, which have 30 bits that are drawn.
template <class Primitives, class Team>
KOKKOS_FORCEINLINE_FUNCTION void residue_check(const Team& team, const tile::residue_check& problem) {
  constexpr int most_rows = tile::residue_check::rows_of_team, most_cols = tile::residue_check::cols_of_team;
  const index_t rows = problem.row_groups(), cols = problem.col_groups(), n = team.league_rank();
  const index_t row = n % rows * most_rows, col = n / rows % cols * most_cols;
  Primitives::check(team, problem, static_cast<int>(n / (rows * cols)), row,
                    static_cast<int>(tile::min<index_t>(most_rows, problem.a.tiles() - row)), col,
                    static_cast<int>(tile::min<index_t>(most_cols, problem.b.tiles() - col)));
}

/// Some lines of bytes.
template <class Primitives, class Team>
KOKKOS_FORCEINLINE_FUNCTION void byte_lines(const Team& team, const typename Primitives::parameters& parameters,
                                            const tile::byte_lines& problem) {
  const index_t first = team.league_rank() * tile::byte_lines::lines_of_team;
  Primitives::copy_bytes(team, parameters, problem, first,
                         tile::min<index_t>(tile::byte_lines::lines_of_team, problem.planes.room - first));
}

/// Tiles of a product of bytes, whose sums wrap around, as they may.
template <class Primitives, class Team>
KOKKOS_FORCEINLINE_FUNCTION void byte_product(const Team& team, const typename Primitives::parameters& parameters,
                                              const tile::byte_product& problem) {
  constexpr tile::residue_tile_shape shape = Primitives::shape;
  const tile::residue_tiles tiles = problem.product.tiles(shape);
  Primitives::run(team, parameters, problem.product, [&](auto& tile) {
    for (index_t n = team.league_rank(); n < tiles.all(); n += team.league_size()) {
      const auto place = tiles.place_of(n);
      tile.begin(place.t, place.row, place.col);
      tile.multiply(team);
      tile.each_sum(team,
                    [&](index_t i, index_t j, std::int32_t sum) { problem.finish(place.row + i, place.col + j, sum); });
    }
  });
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

/// A team's share of elements that are moved one by one: `problem` is tile::real_lines or tile::sums_of_parts.
template <class Problem, class Team>
KOKKOS_FORCEINLINE_FUNCTION void moved_elements(const Team& team, const Problem& problem) {
  const index_t begin = team.league_rank() * Problem::elements_of_team, length = problem.length();
  const index_t end = tile::min(problem.elements(), begin + Problem::elements_of_team);
  index_t e = begin + team.team_rank();
  index_t across = e / length, at = e - across * length;
  for (; e < end; e += team.team_size()) {
    problem.move(across, at);
    for (at += team.team_size(); at >= length; at -= length) ++across;
  }
}

}  // namespace abax::team

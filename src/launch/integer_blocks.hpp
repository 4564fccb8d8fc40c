// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How a product by way of integers is cut so that its memory stays within a limit.
#include <algorithm>
#include <cstddef>
#include <limits>

#include "abax/detail/tile/integer.hpp"

namespace abax::launch {

/// The extents of a product.
struct product_extents {
  index_t rows, cols, terms;
};

/// What is made beside C's remainders: an operand's lines unless they are prepared; and what a check of products needs,
/// for tiles of `checked`.
struct made_for_product {
  bool lines_of_rows = true, lines_of_cols = true;
  bool is_checked = false;
  tile::residue_tile_shape checked = {};
};

/// Blocks of C of so many rows and columns, whose terms are taken so many at a time.
struct integer_blocks {
  index_t rows, cols, terms;
  product_extents all;
  int count;  ///< moduli
  std::size_t element;
  tile::plane_order order;
  made_for_product made = {};

  static constexpr index_t padded(index_t terms) { return tile::ceil_div<index_t>(terms, 64) * 64; }
  /// Of so many lines by one modulus.
  index_t line_bytes(index_t lines) const { return tile::plane_room(order, lines) * tile::plane_stride(order, terms); }
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 127) / 128 * 128; }

  /// Of a line's terms.
  index_t pieces() const { return tile::ceil_div(all.terms, tile::line_peaks<float>::terms_of_piece(all.terms)); }
  /// Of a block's lines, where products are checked, by tiles of so many lines.
  index_t weights(index_t lines, int of_tile) const {
    return made.is_checked ? count * tile::ceil_div<index_t>(lines, of_tile) * padded(terms) : 0;
  }
  /// Where products are checked.
  index_t tiles() const { return made.is_checked ? tile::residue_tiles(made.checked, rows, cols, count).all() : 0; }
  /// What a block needs, its parts one after another; the largest number where that is too much for any machine.
  std::size_t bytes() const {
    const auto size = static_cast<index_t>(element);
    const double about = double(count) * (double(tile::plane_stride(order, terms)) * (double(rows) + double(cols)) +
                                          double(rows) * double(cols)) +
                         double(size) * double(pieces() + 1) * double(rows + cols);
    if (about > 1e17) return std::numeric_limits<std::size_t>::max();
    const auto of = [](index_t each, index_t lines) { return aligned(static_cast<std::size_t>(each * lines)); };
    const auto of_lines = [&](index_t lines, bool are_made, int of_tile) {
      const std::size_t weighed = of(sizeof(std::int64_t), weights(lines, of_tile));
      if (!are_made) return weighed;
      return weighed + of(size * pieces(), lines) + of(size, lines) + of(count, line_bytes(lines));
    };
    return of(count * tile::remainder_stride(rows), cols) + of(sizeof(std::uint64_t), tiles()) + of(1, tiles()) +
           of_lines(rows, made.lines_of_rows, made.checked.rows) +
           of_lines(cols, made.lines_of_cols, made.checked.cols);
  }
};

/// The blocks of a product by `count` moduli, of elements of `element` bytes: within `limit` bytes if that can be, and
/// within `preferred` ones if blocks are still large then.
inline integer_blocks integer_blocks_for(const product_extents& all, int count, std::size_t element,
                                         const tile::byte_engine& engine, std::size_t preferred, std::size_t limit,
                                         const made_for_product& made = {}) {
  const bool by_blocks = engine.planes == tile::plane_order::blocks;
  constexpr index_t good = 512, fewest_terms = 512;
  const index_t least = by_blocks ? 256 : 64;  // where lines come in blocks, fewer take no less room
  constexpr index_t whole_terms = 128;         // no plane holds terms of the next block behind a block's last
  const double of_row = static_cast<double>(count) * static_cast<double>(all.cols);
  const double in_cache = std::min(engine.c_in_cache / std::max(1.0, of_row), static_cast<double>(all.rows + least));
  const auto rows_in_cache = static_cast<index_t>(in_cache) / least * least;
  integer_blocks b{std::min(all.rows, std::max(good, rows_in_cache)),
                   all.cols,
                   integer_blocks::padded(std::max<index_t>(1, all.terms)),
                   all,
                   count,
                   element,
                   engine.planes,
                   made};
  const auto fits = [&] { return b.bytes() <= limit; };
  const auto is_preferred = [&] { return b.bytes() <= std::min(preferred, limit); };
  const auto halved = [](index_t n, index_t most, index_t to) { return std::min(n, std::max(most, n / 2 / to * to)); };
  while (!is_preferred() && b.rows > good) b.rows = halved(b.rows, good, least);
  while (!is_preferred() && b.cols > good) b.cols = halved(b.cols, good, least);  // rows are taken again for each
  const bool terms_take_room = made.lines_of_rows || made.lines_of_cols || made.is_checked;
  while (terms_take_room && !fits() && b.terms > fewest_terms) b.terms = halved(b.terms, fewest_terms, whole_terms);
  while (!fits() && std::max(b.rows, b.cols) > least) {
    b.rows = halved(b.rows, least, least);
    b.cols = halved(b.cols, least, least);
  }
  return b;
}

}  // namespace abax::launch

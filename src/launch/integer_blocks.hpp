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

/// Blocks of C of so many rows and columns, whose terms are taken so many at a time.
struct integer_blocks {
  index_t rows, cols, terms;
  product_extents all;
  int count;  ///< moduli
  std::size_t element;

  static constexpr index_t padded(index_t terms) { return tile::ceil_div<index_t>(terms, 64) * 64; }
  /// Bytes from one line of so many terms to the next: not a multiple of much, so that lines do not share a cache's
  /// sets.
  static constexpr index_t stride_of(index_t terms) {
    const index_t stride = padded(terms);
    return stride % 512 == 0 ? stride + 64 : stride;
  }
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 127) / 128 * 128; }

  /// Of a line's terms.
  index_t pieces() const { return tile::ceil_div(all.terms, tile::line_peaks<float>::terms_of_piece(all.terms)); }
  /// What a block needs, its parts one after another; the largest number where that is too much for any machine.
  std::size_t bytes() const {
    const auto size = static_cast<index_t>(element);
    const double about =
        double(count) * (double(stride_of(terms)) * double(rows + cols) + double(rows) * double(cols)) +
        double(size) * double(pieces() + 1) * double(rows + cols);
    if (about > 1e17) return std::numeric_limits<std::size_t>::max();
    const auto of = [](index_t each, index_t lines) { return aligned(static_cast<std::size_t>(each * lines)); };
    std::size_t sum = of(count * rows, cols);
    for (const index_t block : {rows, cols})
      sum += of(size * pieces(), block) + of(size, block) + of(count * stride_of(terms), block);
    return sum;
  }
};

/// The blocks of a product by `count` moduli, of elements of `element` bytes: within `limit` bytes if that can be, and
/// within `preferred` ones if blocks are still large then.
inline integer_blocks integer_blocks_for(const product_extents& all, int count, std::size_t element,
                                         std::size_t preferred, std::size_t limit) {
  constexpr double residues_in_cache = 64 << 20;  // bytes of C's remainders, which are soon read again
  constexpr index_t good = 512, least = 64, fewest_terms = 512;
  const double of_row = static_cast<double>(count) * static_cast<double>(all.cols);
  const auto rows_in_cache = static_cast<index_t>(residues_in_cache / std::max(1.0, of_row)) / least * least;
  integer_blocks b{std::min(all.rows, std::max(good, rows_in_cache)),
                   all.cols,
                   integer_blocks::padded(std::max<index_t>(1, all.terms)),
                   all,
                   count,
                   element};
  const auto fits = [&] { return b.bytes() <= limit; };
  const auto is_preferred = [&] { return b.bytes() <= std::min(preferred, limit); };
  const auto halved = [](index_t n, index_t most, index_t to) { return std::min(n, std::max(most, n / 2 / to * to)); };
  while (!is_preferred() && b.rows > good) b.rows = halved(b.rows, good, least);
  while (!is_preferred() && b.cols > good) b.cols = halved(b.cols, good, least);  // rows are taken again for each
  while (!fits() && b.terms > fewest_terms) b.terms = halved(b.terms, fewest_terms, least);
  while (!fits() && std::max(b.rows, b.cols) > least) {
    b.rows = halved(b.rows, least, least);
    b.cols = halved(b.cols, least, least);
  }
  return b;
}

}  // namespace abax::launch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How products are cut into tiles for the cores of a machine.
#include <limits>

#include "abax/detail/backends/openmp/kernels.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::openmp {

/// Rows of a tile that are too few to make packing B's columns worth it, if those are contiguous: packed, they are read
/// some 6 % faster, and complex ones, of which a register tile reads two parts each, by more.
template <class T>
inline constexpr index_t few_rows = tile::is_complex<T> ? 48 : 192;

/// Outputs of a tile, at most: two such buffers fit a team's scratch, and those of many cores in half a gigabyte, if
/// they can.
template <class T>
index_t most_outputs(int cores) {
  return tile::min<index_t>(18, tile::max<index_t>(9, 256 / cores)) * (index_t(1) << 20) / sizeof(T);
}
inline constexpr index_t most_cols = 2048;
inline constexpr double start_of_others = 5000;  // cycles

/// Whether a product is read where it lies, which it could be: there is little to gain from panels. Few columns read
/// A's once or twice, fewer where each block's sums are added to those before; or the operands of a block stay in the
/// cache anyway.
template <class T>
bool reads_directly(const kernel_set<T>& set, index_t m, index_t n, index_t k) {
  constexpr index_t most_products = 1 << 22;
  return m * n * tile::min<index_t>(k, tile::canon_block) <= most_products ||
         n <= (k <= tile::canon_block ? 2 * set.cols : tile::min(set.cols, 8));
}

/// Without that there is no need to ask for the kernels and lanes_are_columns(): whether rows are so few that the
/// widest vectors, of 64 bytes, could be half empty.
template <class T>
constexpr bool has_few_rows(index_t m) {
  return m <= 32 / index_t(sizeof(T));
}
/// Whether an m x n product of k terms that is read where it lies has its columns in lanes instead of its rows: few
/// rows leave lanes idle. A vector's terms of one output take a cycle, or half of one where half a vector holds all
/// rows; to pack one term of a vector's rows takes five; writing C across takes half a cycle an output.
inline bool lanes_are_columns(int lanes, index_t m, index_t n, index_t k, bool rows_contiguous,
                              bool columns_contiguous) {
  if (2 * m > lanes || n < lanes) return false;
  const auto time = [&](index_t in_lanes, index_t others, bool contiguous) {
    const double vectors = 2 * in_lanes <= lanes ? 0.5 : double(tile::ceil_div<index_t>(in_lanes, lanes));
    return double(k) * vectors * (double(others) + (contiguous ? 0 : 5));
  };
  return time(n, m, columns_contiguous) + 0.5 * double(m) * double(n) + 100 < time(m, n, rows_contiguous);
}
/// Deep stages carry fewer sums to the last cache and back. They need columns enough to pay for larger chunks of A.
template <class T>
int depth_of(const tile::product_tile& tile, bool own_columns) {
  return tile.cols >= 512 && (sizeof(T) < 8 || (own_columns && tile.rows <= few_rows<T>)) ? 512 : 256;
}

/// The tile of an m x n product of k terms by `cores` cores: of all grids of tiles the one whose busiest core is done
/// first. Time is counted in cycles: a vector of products each half cycle, 8 bytes packed and 16 bytes of C stored each
/// cycle, 64 cycles for each column of C of which two cores write one line in turn, what it costs to start other cores,
/// and 2 bytes of block sums joined each cycle by one core where several share a tile.
/// `own_columns`: B's columns could be read where they lie.
template <class T>
tile::product_tile fitted_tile(const kernel_set<T>& set, int cores, index_t m, index_t n, index_t k, bool own_columns) {
  constexpr double start = start_of_others;
  const index_t most = most_outputs<T>(cores);
  const index_t row_units = tile::ceil_div<index_t>(m, set.rows), col_units = tile::ceil_div<index_t>(n, set.cols);
  const index_t blocks = tile::max<index_t>(1, tile::canon_blocks_of<T>(k));
  tile::product_tile best{0, 0, 0, 1};
  double best_time = std::numeric_limits<double>::infinity();
  const index_t least_rounds = tile::ceil_div(m * n, most * cores);
  const auto consider = [&](index_t rows, index_t cols) {
    if (rows * cols > most || cols > most_cols) return;
    const index_t tiles = tile::ceil_div(m, rows) * tile::ceil_div(n, cols);
    const index_t splits = tiles < cores ? tile::min(blocks, tile::ceil_div<index_t>(cores, tiles)) : 1;
    const double terms = double(tile::min(k, tile::ceil_div(blocks, splits) * tile::canon_block_of<T>));
    const double live = double(tile::ceil_div<index_t>(tile::min(m, rows), set.lanes) * set.lanes);
    const bool in_place = own_columns && rows <= few_rows<T>;
    const double work = live * double(cols) / (2 * set.lanes) * (in_place ? 1.06 : 1.0) +
                        (live + (in_place ? 0 : double(cols))) * sizeof(T) / 8;
    const double joined = splits > 1 ? double(rows * cols * blocks) * sizeof(T) / 2 : 0;
    const double stored = double(tile::min(m, rows)) * double(tile::min(n, cols)) * sizeof(T) / 16 +
                          (rows < m ? 64 * double(tile::min(n, cols)) : 0);
    const double time = double(tile::ceil_div<index_t>(tiles * splits, cores)) * (work * terms + stored) + joined +
                        (tiles * splits > 1 ? start : 0);
    if (time < best_time) {
      best_time = time;
      best.rows = static_cast<int>(rows);
      best.cols = static_cast<int>(cols);
    }
  };
  const auto consider_grid = [&](index_t row_tiles, index_t col_tiles) {
    consider(tile::ceil_div(row_units, row_tiles) * set.rows,
             tile::min(tile::ceil_div(col_units, col_tiles) * set.cols, most_cols));
  };
  // One that is never too large, and then better ones.
  consider(tile::min(row_units, most / most_cols / set.rows) * set.rows,
           tile::min(col_units, most_cols / set.cols) * set.cols);
  consider_grid(1, 1);
  for (index_t rounds = least_rounds; best_time > 2 * start && rounds <= least_rounds + 1; ++rounds)
    for (index_t teams = rounds * cores; teams >= 1; teams = blocks > 1 ? teams / 2 : 0)
      for (index_t r = 1; r <= tile::min(teams, row_units); ++r) consider_grid(r, tile::min(teams / r, col_units));
  best.depth = depth_of<T>(best, own_columns);
  return best;
}

/// The same for a triangle of n x n outputs. Columns of tiles are taken in pairs that are as much as any other pair
/// (tile::division), so that an even number of them for each core needs no rows of tiles to be fair; where these are
/// better, the last tile of a core is half a tile too much. All grids store as much of C.
template <class T>
tile::product_tile fitted_triangle_tile(const kernel_set<T>& set, int cores, index_t n, index_t k, bool own_columns) {
  const index_t most = most_outputs<T>(cores);
  const index_t row_units = tile::ceil_div<index_t>(n, set.rows), col_units = tile::ceil_div<index_t>(n, set.cols);
  const index_t blocks = tile::max<index_t>(1, tile::canon_blocks_of<T>(k));
  tile::product_tile best{0, 0, 0, 1};
  double best_time = std::numeric_limits<double>::infinity();
  const auto consider = [&](index_t row_tiles, index_t col_tiles) {
    const index_t rows = tile::ceil_div(row_units, row_tiles) * set.rows;
    const index_t cols = tile::ceil_div(col_units, col_tiles) * set.cols;
    row_tiles = tile::ceil_div(n, rows);
    col_tiles = tile::ceil_div(n, cols);
    const bool in_place = own_columns && rows <= few_rows<T>;
    const double outputs = double(n) * double(n + set.rows + set.cols) / 2;
    const double packed = double(n) / 2 * double(col_tiles + 1 + (in_place ? 0 : row_tiles + 1));
    const double work = outputs / (2 * set.lanes) * (in_place ? 1.06 : 1.0) + packed * sizeof(T) / 8;
    const bool one = row_tiles == 1 && col_tiles == 1, even = row_tiles == 1 && col_tiles % (2 * cores) == 0;
    const index_t at_once = one ? tile::min<index_t>(blocks, cores) : cores;
    const double joined = one && at_once > 1 ? double(rows * cols * blocks) * sizeof(T) / 2 : 0;
    const double uneven = one || even || cores == 1 ? 0 : double(rows * cols) / (4 * set.lanes);
    const double time =
        (work / double(at_once) + uneven) * double(k) + joined + (one && at_once == 1 ? 0 : start_of_others);
    if (time >= best_time) return;
    best_time = time;
    best.rows = static_cast<int>(rows);
    best.cols = static_cast<int>(cols);
  };
  const auto consider_columns = [&](index_t col_tiles) {
    const index_t cols = tile::min(tile::ceil_div(col_units, col_tiles), most_cols / set.cols) * set.cols;
    const index_t least = tile::ceil_div(row_units, tile::max<index_t>(1, most / cols / set.rows));
    for (index_t row_tiles = least; row_tiles < least + 8; ++row_tiles)
      consider(tile::min(row_tiles, row_units), tile::ceil_div(n, cols));
  };
  consider_columns(1);
  for (index_t pairs = 1; pairs <= 16; ++pairs) consider_columns(tile::min(2 * cores * pairs, col_units));
  best.depth = depth_of<T>(best, own_columns);
  return best;
}

/// The strip of y that one of `cores` cores takes of a gemv of m outputs and k terms. Strips give every core the same
/// share, long enough to be read at the memory's pace and to outweigh their start: long columns where those are
/// contiguous; where rows are (`by_rows`), few that go on in another block, also for one core, many that end in this
/// one. Otherwise one strip for one core, where a second core would come too late, and where columns are short and
/// cores can share blocks of terms. `line`: elements from one of A's rows, or columns, to the next.
template <class T>
tile::product_tile fitted_strip(index_t cores, index_t m, index_t k, bool by_rows, index_t line) {
  constexpr index_t size = sizeof(T), longest_column = 8192, rows_at_once = 16;
  constexpr index_t too_little = index_t(128) << 10, enough = index_t(256) << 10;  // bytes of A
  const bool goes_on = by_rows && k > tile::canon_block_of<T>;                     // in another block
  const index_t lines = by_rows ? m : k, length = (by_rows ? k : m) * size;
  const index_t bytes = lines * tile::min(length + 64, tile::max(length, line * size));  // that come from memory
  index_t longest = longest_column;
  if (goes_on)
    longest = rows_at_once;
  else if (by_rows)
    longest = tile::min(longest, tile::max(rows_at_once, enough / (size * tile::max<index_t>(k, 1))));
  index_t rows = tile::min(m, longest_column);
  const bool shares_blocks = !by_rows && m <= 1024 && tile::canon_blocks_of<T>(k) >= 4 * cores;
  if ((cores > 1 || goes_on) && bytes > too_little && !shares_blocks) {
    const index_t rounds = tile::max<index_t>(1, tile::ceil_div(m, cores * longest));
    const index_t least = by_rows ? rows_at_once : 32;
    const index_t unit = by_rows ? 8 : 16;
    rows = tile::ceil_div(tile::max(least, tile::ceil_div(m, cores * rounds)), unit) * unit;
  }
  return {static_cast<int>(rows), 1, static_cast<int>(tile::canon_block_of<T>), 1};
}

}  // namespace abax::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Copies and transposes: bits moved, never computed with.
#include <cstddef>
#include <cstring>

#include "scalar.hpp"

namespace abax::openmp {
namespace {

/// dst(i, j) <- src(i, j) for one block of at most lanes x lanes; src runs along i, dst along j.
template <class V>
void transpose_part(index_t m, index_t n, const typename V::value* src, index_t src_col, typename V::value* dst,
                    index_t dst_row) {
  typename V::reg x[V::lanes];
#pragma GCC unroll 16
  for (int j = 0; j < V::lanes; ++j) x[j] = j < n ? V::load(src + j * src_col, m) : V::zero();
  V::transpose(x);
#pragma GCC unroll 16
  for (int i = 0; i < V::lanes; ++i)
    if (i < m) V::store(dst + i * dst_row, x[i], n);
}

/// The same for a block of `lanes` rows by a cache line of columns. The parts of a line are written one after another:
/// past the caches, a line that is not whole soon costs several times as much.
template <class V, bool NonTemporal>
void transpose_block(const typename V::value* src, index_t src_col, typename V::value* dst, index_t dst_row) {
  constexpr int lanes = V::lanes, parts = 64 / sizeof(typename V::value) / lanes;
  typename V::reg x[parts][lanes];
#pragma GCC unroll 4
  for (int q = 0; q < parts; ++q) {
#pragma GCC unroll 16
    for (int j = 0; j < lanes; ++j) x[q][j] = V::load(src + (q * lanes + j) * src_col);
    V::transpose(x[q]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i)
#pragma GCC unroll 4
    for (int q = 0; q < parts; ++q)
      if constexpr (NonTemporal)
        V::store_nontemporal(dst + i * dst_row + q * lanes, x[q][i]);
      else
        V::store(dst + i * dst_row + q * lanes, x[q][i]);
}

/// Any extents, block by block: the edges.
template <class V>
void transpose_edge(index_t m, index_t n, const typename V::value* src, index_t src_col, typename V::value* dst,
                    index_t dst_row) {
  for (index_t j = 0; j < n; j += V::lanes)
    for (index_t i = 0; i < m; i += V::lanes)
      transpose_part<V>(smaller(index_t{V::lanes}, m - i), smaller(index_t{V::lanes}, n - j), src + i + j * src_col,
                        src_col, dst + i * dst_row + j, dst_row);
}

/// Is every row of dst as far from a cache line's start as the first? Non-temporal stores want whole lines.
template <class T>
bool rows_share_alignment(index_t dst_row) {
  return dst_row * static_cast<index_t>(sizeof(T)) % 64 == 0;
}

/// src runs along i, dst along j. Past the caches, columns of src are read a page at a time, from the page's own start:
/// at every new page hardware starts to prefetch anew, and what it fetched beyond the end of a run is lost. Each step
/// writes two whole cache lines to each of a line's worth of rows of dst: no more columns at once than hardware
/// prefetches.
template <class V, bool NonTemporal>
void transpose(index_t m, index_t n, const typename V::value* src, index_t src_col, typename V::value* dst,
               index_t dst_row) {
  using T = typename V::value;
  constexpr index_t lanes = V::lanes;
  constexpr index_t line = 64 / sizeof(T);
  const index_t head = NonTemporal ? smaller(n, to_next_line(dst)) : 0;
  const index_t last = head + (n - head) / line * line;
  for (index_t i0 = 0, rows; i0 < m; i0 += rows) {
    rows = NonTemporal ? smaller(to_page_end(src + i0), m - i0) : m;
    const index_t whole = rows / line * line;
    const T* s = src + i0;
    T* d = dst + i0 * dst_row;
    if (head > 0) transpose_edge<V>(rows, head, s, src_col, d, dst_row);
    for (index_t j = head; j < last; j += 2 * line)
      for (index_t i = 0; i < whole; i += line)
        for (index_t c = j; c < smaller(last, j + 2 * line); c += line)
#pragma GCC unroll 4
          for (index_t v = i; v < i + line; v += lanes)
            transpose_block<V, NonTemporal>(s + v + c * src_col, src_col, d + v * dst_row + c, dst_row);
    if (whole < rows && head < last)
      transpose_edge<V>(rows - whole, last - head, s + whole + head * src_col, src_col, d + whole * dst_row + head,
                        dst_row);
    if (last < n) transpose_edge<V>(rows, n - last, s + last * src_col, src_col, d + last, dst_row);
  }
}

/// Transposes tile by tile, and fetches each tile's source and destination before it is moved. A matrix of less than
/// 3 KB is not fetched: its operands are often in the first cache, where fetching them takes a third of the time.
template <class V>
void transpose_tiles(index_t m, index_t n, const typename V::value* src, index_t src_col, typename V::value* dst,
                     index_t dst_row) {
  constexpr index_t rows = 64, cols = 32, least = 3072 / sizeof(*src);
  if (m * n < least) return transpose<V, false>(m, n, src, src_col, dst, dst_row);
  for (index_t j = 0; j < n; j += cols)
    for (index_t i = 0; i < m; i += rows) {
      const index_t tile_m = smaller(rows, m - i), tile_n = smaller(cols, n - j);
      const auto* const from = src + i + j * src_col;
      auto* const to = dst + i * dst_row + j;
      fetch_runs<V, 1>(tile_n, tile_m, from, src_col);
      fetch_runs<V, 1>(tile_m, tile_n, to, dst_row);
      transpose<V, false>(tile_m, tile_n, from, src_col, to, dst_row);
    }
}

/// Transposes where vectors would be all but empty: value by value, along the longer side, of which as much at a time
/// as the first cache holds.
template <class T>
void transpose_narrow(index_t m, index_t n, const T* src, index_t src_col, T* dst, index_t dst_row) {
  constexpr index_t strip = 256;
  const index_t end = larger(m, n);
  for (index_t first = 0, last; first < end; first = last) {
    last = smaller(first + strip, end);
    if (m < n) {
      for (index_t i = 0; i < m; ++i)
        for (index_t j = first; j < last; ++j) move_bits(dst + i * dst_row + j, src + i + j * src_col);
    } else {
      for (index_t j = 0; j < n; ++j)
        for (index_t i = first; i < last; ++i) move_bits(dst + i * dst_row + j, src + i + j * src_col);
    }
  }
}

/// Contiguous values, past the caches.
template <class V>
void copy_run_nontemporal(index_t n, const typename V::value* src, typename V::value* dst) {
  using T = typename V::value;
  const index_t head = smaller(n, to_next_line(dst));
  std::memcpy(dst, src, static_cast<std::size_t>(head) * sizeof(T));
  const index_t end = head + for_each_vector<V>(n - head, [&](index_t v) {
                        V::store_nontemporal(dst + head + v, V::load(src + head + v));
                      });
  std::memcpy(dst + end, src + end, static_cast<std::size_t>(n - end) * sizeof(T));
}

template <class V, bool NonTemporal>
void copy(index_t m, index_t n, const typename V::value* src, index_t src_row, index_t src_col, typename V::value* dst,
          index_t dst_row, index_t dst_col) {
  using T = typename V::value;
  if (m <= 0 || n <= 0) return;
  if (src_row == 1 && dst_row == 1) {
    for (index_t j = 0; j < n; ++j)
      if constexpr (NonTemporal)
        copy_run_nontemporal<V>(m, src + j * src_col, dst + j * dst_col);
      else
        std::memcpy(dst + j * dst_col, src + j * src_col, static_cast<std::size_t>(m) * sizeof(T));
  } else if (src_col == 1 && dst_col == 1) {
    copy<V, NonTemporal>(n, m, src, src_col, src_row, dst, dst_col, dst_row);
  } else if (src_row == 1 && dst_col == 1) {
    if (4 * smaller(m, n) <= V::lanes)
      transpose_narrow(m, n, src, src_col, dst, dst_row);
    else if (NonTemporal && rows_share_alignment<T>(dst_row))
      transpose<V, NonTemporal>(m, n, src, src_col, dst, dst_row);
    else
      transpose_tiles<V>(m, n, src, src_col, dst, dst_row);
  } else if (src_col == 1 && dst_row == 1) {
    copy<V, NonTemporal>(n, m, src, src_col, src_row, dst, dst_col, dst_row);
  } else {
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) move_bits(dst + i * dst_row + j * dst_col, src + i * src_row + j * src_col);
  }
  if constexpr (NonTemporal) V::fence();
}

/// The vectors of a block of m x n, at most lanes x lanes: column j of a, i < m. Whole: m and n are `lanes`.
template <class V, bool Whole>
void load_columns(index_t m, index_t n, const typename V::value* a, index_t a_col, typename V::reg (&x)[V::lanes]) {
#pragma GCC unroll 16
  for (int j = 0; j < V::lanes; ++j)
    if constexpr (Whole)
      x[j] = V::load(a + j * a_col);
    else
      x[j] = j < n ? V::load(a + j * a_col, m) : V::zero();
}
template <class V, bool Whole>
void store_columns(index_t m, index_t n, typename V::value* a, index_t a_col, const typename V::reg (&x)[V::lanes]) {
#pragma GCC unroll 16
  for (int j = 0; j < V::lanes; ++j)
    if constexpr (Whole)
      V::store(a + j * a_col, x[j]);
    else if (j < n)
      V::store(a + j * a_col, x[j], m);
}

/// a(i, j) <-> b(i, j) for one block of at most lanes x lanes; a runs along i, b along j.
template <class V, bool Whole>
void exchange_block(index_t m, index_t n, typename V::value* a, index_t a_col, typename V::value* b, index_t b_row) {
  typename V::reg x[V::lanes], y[V::lanes];
  load_columns<V, Whole>(m, n, a, a_col, x);
  V::transpose(x);
  load_columns<V, Whole>(n, m, b, b_row, y);
  store_columns<V, Whole>(n, m, b, b_row, x);
  V::transpose(y);
  store_columns<V, Whole>(m, n, a, a_col, y);
}

/// a(i, j) <-> b(i, j) for one block on or off the diagonal, whole or not.
template <class V>
void exchange_any(index_t m, index_t n, typename V::value* a, index_t a_col, typename V::value* b, index_t b_row) {
  if (m >= V::lanes && n >= V::lanes)
    exchange_block<V, true>(V::lanes, V::lanes, a, a_col, b, b_row);
  else
    exchange_block<V, false>(smaller(index_t{V::lanes}, m), smaller(index_t{V::lanes}, n), a, a_col, b, b_row);
}

/// Down the columns of a: its lines are read in order, a vector's worth of columns at a time, and as many rows of b.
template <class V>
void exchange(index_t m, index_t n, typename V::value* a, index_t a_row, index_t a_col, typename V::value* b,
              index_t b_row, index_t b_col) {
  if (a_row == 1 && b_col == 1) {
    for (index_t j = 0; j < n; j += V::lanes)
      for (index_t i = 0; i < m; i += V::lanes)
        exchange_any<V>(m - i, n - j, a + i + j * a_col, a_col, b + i * b_row + j, b_row);
  } else if (a_col == 1 && b_row == 1) {
    exchange<V>(n, m, a, a_col, a_row, b, b_col, b_row);
  } else {
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) swap_bits(a + i * a_row + j * a_col, b + i * b_row + j * b_col);
  }
}

template <class V>
void transpose_square(index_t n, typename V::value* a, index_t row, index_t col) {
  if (row == 1) {
    for (index_t j = 0; j < n; j += V::lanes) {
      for (index_t i = 0; i < j; i += V::lanes)
        exchange_any<V>(V::lanes, n - j, a + i + j * col, col, a + i * col + j, col);
      const index_t rest = smaller(index_t{V::lanes}, n - j);
      typename V::reg x[V::lanes];
      load_columns<V, false>(rest, rest, a + j + j * col, col, x);
      V::transpose(x);
      store_columns<V, false>(rest, rest, a + j + j * col, col, x);
    }
  } else if (col == 1) {
    transpose_square<V>(n, a, col, row);
  } else {
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < j; ++i) swap_bits(a + i * row + j * col, a + j * row + i * col);
  }
}

}  // namespace
}  // namespace abax::openmp

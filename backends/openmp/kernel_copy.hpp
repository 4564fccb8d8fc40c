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

template <class V, bool Stream>
void transpose_block(const typename V::value* src, index_t src_col, typename V::value* dst, index_t dst_row) {
  typename V::reg x[V::lanes];
#pragma GCC unroll 16
  for (int j = 0; j < V::lanes; ++j) x[j] = V::load(src + j * src_col);
  V::transpose(x);
#pragma GCC unroll 16
  for (int i = 0; i < V::lanes; ++i)
    if constexpr (Stream)
      V::stream(dst + i * dst_row, x[i]);
    else
      V::store(dst + i * dst_row, x[i]);
}

/// src runs along i, dst along j.
template <class V, bool Stream>
void transpose(index_t m, index_t n, const typename V::value* src, index_t src_col, typename V::value* dst,
               index_t dst_row) {
  constexpr index_t lanes = V::lanes;
  index_t head = 0;  // columns before dst reaches a vector's alignment
  if constexpr (Stream) {
    const auto misplaced = reinterpret_cast<std::uintptr_t>(dst) / sizeof(typename V::value) % lanes;
    head = smaller(n, static_cast<index_t>((lanes - misplaced) % lanes));
  }
  for (index_t i = 0; i < m; i += lanes) {
    const index_t rows = smaller(lanes, m - i);
    const auto* s = src + i;
    auto* d = dst + i * dst_row;
    index_t j = 0;
    if (head > 0) transpose_part<V>(rows, head, s, src_col, d, dst_row);
    j = head;
    if (rows == lanes)
      for (; j + lanes <= n; j += lanes) transpose_block<V, Stream>(s + j * src_col, src_col, d + j, dst_row);
    for (; j < n; j += lanes)
      transpose_part<V>(rows, smaller(lanes, n - j), s + j * src_col, src_col, d + j, dst_row);
  }
  if constexpr (Stream) V::fence();
}

template <class V>
void copy(index_t m, index_t n, const typename V::value* src, index_t src_row, index_t src_col,
          typename V::value* dst, index_t dst_row, index_t dst_col) {
  if (m <= 0 || n <= 0) return;
  if (src_row == 1 && dst_row == 1) {
    for (index_t j = 0; j < n; ++j)
      std::memcpy(dst + j * dst_col, src + j * src_col, static_cast<std::size_t>(m) * sizeof(typename V::value));
  } else if (src_col == 1 && dst_col == 1) {
    for (index_t i = 0; i < m; ++i)
      std::memcpy(dst + i * dst_row, src + i * src_row, static_cast<std::size_t>(n) * sizeof(typename V::value));
  } else if (src_row == 1 && dst_col == 1) {
    transpose<V, false>(m, n, src, src_col, dst, dst_row);
  } else if (src_col == 1 && dst_row == 1) {
    transpose<V, false>(n, m, src, src_row, dst, dst_col);
  } else {
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i)
        move_bits(dst + i * dst_row + j * dst_col, src + i * src_row + j * src_col);
  }
}

}  // namespace
}  // namespace abax::openmp

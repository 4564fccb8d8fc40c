// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The matrix product of packed panels.
#include "kernel_stream.hpp"

namespace abax::openmp {
namespace {

template <class V>
void fold(index_t n, const typename V::value* part, typename V::value* total) {
  index_t i = 0;
  for (; i + V::lanes <= n; i += V::lanes) V::store(total + i, V::add(V::load(total + i), V::load(part + i)));
  if (i < n) V::store(total + i, V::add(V::load(total + i, n - i), V::load(part + i, n - i)), n - i);
}

/// One register tile: sums <- chain over p of a[p][..] b[p][..], going on from `from` or, where that is null, from +0;
/// all of it in registers, k innermost. Of the panel's `Vectors` vectors of rows only the first `Live` are computed.
template <class V, int Vectors, int Cols, int Live>
void product_tile(index_t depth, const typename V::value* a, const typename V::value* b, const typename V::value* from,
                  typename V::value* sums) {
  using T = typename V::value;
  constexpr int rows = Vectors * V::lanes;
  constexpr int row_bytes = rows * static_cast<int>(sizeof(T));
  constexpr int live_bytes = Live * V::lanes * static_cast<int>(sizeof(T));
  typename V::reg acc[Cols][Live];
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) acc[j][v] = from == nullptr ? V::zero() : V::load(from + j * rows + v * V::lanes);

#pragma GCC unroll 2
  for (index_t p = 0; p < depth; ++p) {
    const T* ap = a + p * rows;
    const T* bp = b + p * Cols;
    typename V::reg av[Live];
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) av[v] = V::load(ap + v * V::lanes);
#pragma GCC unroll 4
    for (int line = 0; line < live_bytes; line += 64)
      V::prefetch(ahead(ap, static_cast<std::uintptr_t>(8 * row_bytes + line)));
#pragma GCC unroll 16
    for (int j = 0; j < Cols; ++j) {
      const typename V::reg bv = V::set(bp[j]);
#pragma GCC unroll 4
      for (int v = 0; v < Live; ++v) acc[j][v] = V::fma(av[v], bv, acc[j][v]);
    }
  }

#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) V::store(sums + j * rows + v * V::lanes, acc[j][v]);
}

/// The register tile at a panel of which `m` rows are still wanted.
template <class V, int Vectors, int Cols>
void product_tile(index_t m, index_t depth, const typename V::value* a, const typename V::value* b,
                  const typename V::value* from, typename V::value* sums) {
  if constexpr (Vectors > 1)
    if (m <= V::lanes) return product_tile<V, Vectors, Cols, 1>(depth, a, b, from, sums);
  if constexpr (Vectors > 2)
    if (m <= 2 * V::lanes) return product_tile<V, Vectors, Cols, 2>(depth, a, b, from, sums);
  product_tile<V, Vectors, Cols, Vectors>(depth, a, b, from, sums);
}

/// The panel of b stays in the first cache while all panels of a, resident in the second, pass by.
template <class V, int Vectors, int Cols>
void multiply_add(index_t m, index_t n, index_t depth, const typename V::value* a, const typename V::value* b,
                  typename V::value* part, bool clear) {
  using T = typename V::value;
  constexpr index_t rows = Vectors * V::lanes, tile = rows * Cols;
  const index_t row_panels = (m + rows - 1) / rows, col_panels = (n + Cols - 1) / Cols;
  for (index_t j = 0; j < col_panels; ++j)
    for (index_t i = 0; i < row_panels; ++i) {
      T* sums = part + (j * row_panels + i) * tile;
      // The next tile's sums travel to the first cache while this one computes.
      for (std::uintptr_t line = 0; line < tile * sizeof(T); line += 64)
        V::prefetch(ahead(sums, tile * sizeof(T) + line));
      product_tile<V, Vectors, Cols>(m - i * rows, depth, a + i * rows * depth, b + j * Cols * depth,
                                     clear ? nullptr : sums, sums);
    }
}

/// Each register tile goes through the epilogue while it is in the first cache: no pass over the sums remains.
template <class V, int Vectors, int Cols>
void multiply_add_store(index_t m, index_t n, index_t depth, const typename V::value* a, const typename V::value* b,
                        const typename V::value* part, const typename V::value* total, typename V::value alpha,
                        typename V::value beta, typename V::value* c, index_t stride_row, index_t stride_col) {
  using T = typename V::value;
  constexpr index_t rows = Vectors * V::lanes, tile = rows * Cols;
  const index_t row_panels = (m + rows - 1) / rows, col_panels = (n + Cols - 1) / Cols;
  with_epilogue<V>(true, alpha, beta, [&](const auto& op) {
    for (index_t j = 0; j < col_panels; ++j)
      for (index_t i = 0; i < row_panels; ++i) {
        const index_t before = (j * row_panels + i) * tile;
        const index_t live_cols = smaller(index_t{Cols}, n - j * Cols);
        T* out = c + i * rows * stride_row + j * Cols * stride_col;
        if (part != nullptr)
          for (std::uintptr_t line = 0; line < tile * sizeof(T); line += 64)
            V::prefetch(ahead(part + before, tile * sizeof(T) + line));
        if (stride_row == 1)
          for (index_t y = 0; y < live_cols; ++y)
            for (std::uintptr_t line = 0; line < rows * sizeof(T); line += 64)
              V::prefetch(ahead(out + y * stride_col, line));
        alignas(64) T sums[tile];
        product_tile<V, Vectors, Cols>(m - i * rows, depth, a + i * rows * depth, b + j * Cols * depth,
                                       part == nullptr ? nullptr : part + before, sums);
        if (total != nullptr) fold<V>(tile, total + before, sums);
        store_tile<V>(op, smaller(rows, m - i * rows), live_cols, rows, sums, out, stride_row, stride_col);
      }
  });
}

}  // namespace
}  // namespace abax::openmp

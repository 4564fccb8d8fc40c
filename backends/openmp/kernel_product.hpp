// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The matrix product of packed panels.
#include "scalar.hpp"

namespace abax::openmp {
namespace {

/// One register tile: part <- chain over p of a[p][..] b[p][..], all of it in registers, k innermost.
template <class V, int Vectors, int Cols>
void product_tile(index_t depth, const typename V::value* a, const typename V::value* b, typename V::value* part,
                  bool clear, const void* next_part) {
  using T = typename V::value;
  constexpr int rows = Vectors * V::lanes;
  constexpr int row_bytes = rows * static_cast<int>(sizeof(T));
  typename V::reg acc[Cols][Vectors];
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) acc[j][v] = clear ? V::zero() : V::load(part + j * rows + v * V::lanes);

  // The next tile's sums travel to the first cache while this one computes.
  for (int line = 0; line < Cols * row_bytes; line += 64)
    V::prefetch(ahead(static_cast<const char*>(next_part), static_cast<std::uintptr_t>(line)));

#pragma GCC unroll 2
  for (index_t p = 0; p < depth; ++p) {
    const T* ap = a + p * rows;
    const T* bp = b + p * Cols;
    typename V::reg av[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) av[v] = V::load(ap + v * V::lanes);
#pragma GCC unroll 4
    for (int line = 0; line < row_bytes; line += 64)
      V::prefetch(ahead(ap, static_cast<std::uintptr_t>(8 * row_bytes + line)));
#pragma GCC unroll 16
    for (int j = 0; j < Cols; ++j) {
      const typename V::reg bv = V::set(bp[j]);
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) acc[j][v] = V::fma(av[v], bv, acc[j][v]);
    }
  }

#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) V::store(part + j * rows + v * V::lanes, acc[j][v]);
}

/// The panel of b stays in the first cache while all panels of a, resident in the second, pass by.
template <class V, int Vectors, int Cols>
void multiply_add(index_t row_panels, index_t col_panels, index_t depth, const typename V::value* a,
                  const typename V::value* b, typename V::value* part, bool clear) {
  constexpr index_t rows = Vectors * V::lanes;
  for (index_t j = 0; j < col_panels; ++j)
    for (index_t i = 0; i < row_panels; ++i) {
      auto* tile = part + (j * row_panels + i) * rows * Cols;
      product_tile<V, Vectors, Cols>(depth, a + i * rows * depth, b + j * Cols * depth, tile, clear,
                                     ahead(tile, rows * Cols * sizeof(typename V::value)));
    }
}

template <class V>
void fold(index_t n, const typename V::value* part, typename V::value* total) {
  index_t i = 0;
  for (; i + V::lanes <= n; i += V::lanes) V::store(total + i, V::add(V::load(total + i), V::load(part + i)));
  if (i < n) V::store(total + i, V::add(V::load(total + i, n - i), V::load(part + i, n - i)), n - i);
}

}  // namespace
}  // namespace abax::openmp

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

/// What a register tile fetches ahead of time while it computes, a line now and then: `columns` columns, `stride` bytes
/// apart, of the values read or written next, into the first cache; and what stands at `later`, into the second.
struct lookahead {
  const void* near;
  std::uintptr_t stride;
  const void* later;
};

/// acc <- acc + a b for one term.
template <class V, int Cols, int Live>
void add_term(const typename V::value* a, const typename V::value* b, std::uintptr_t fetch,
              typename V::reg (&acc)[Cols][Live]) {
  typename V::reg av[Live];
#pragma GCC unroll 4
  for (int v = 0; v < Live; ++v) av[v] = V::load(a + v * V::lanes);
#pragma GCC unroll 4
  for (std::uintptr_t line = 0; line < Live * V::lanes * sizeof(typename V::value); line += 64)
    V::prefetch(ahead(a, fetch + line));
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j) {
    const typename V::reg bv = V::set(b[j]);
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) V::accumulate(acc[j][v], av[v], bv);
  }
  // Terms stay apart: left alone, the compiler gathers the prefetches of several and runs out of registers.
  asm volatile("" ::: "memory");
}

/// One register tile: sums <- chain over p of a[p][..] b[p][..], going on from `from` or, where that is null, from +0;
/// all of it in registers, k innermost. Of the panel's `Vectors` vectors of rows only the first `Live` are computed.
template <class V, int Vectors, int Cols, int Live>
void product_tile(index_t depth, const typename V::value* a, const typename V::value* b, const typename V::value* from,
                  typename V::value* sums, lookahead next) {
  constexpr index_t rows = Vectors * V::lanes;
  constexpr std::uintptr_t fetch = 8 * rows * sizeof(typename V::value);
  constexpr index_t step = 8;  // terms between two lines of `next`
  typename V::reg acc[Cols][Live];
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) acc[j][v] = from == nullptr ? V::zero() : V::load(from + j * rows + v * V::lanes);

  index_t p = 0;
  std::uintptr_t column = 0, line = 0, later = 0;
  for (; p + step <= depth; p += step) {
    V::prefetch(ahead(static_cast<const char*>(next.near), column + line));
    V::prefetch_second(ahead(static_cast<const char*>(next.later), later));
    later += 64;
    column += next.stride;
    if (column == Cols * next.stride) {
      column = 0;
      line += 64;
    }
#pragma GCC unroll 8
    for (index_t t = 0; t < step; ++t) add_term<V, Cols, Live>(a + (p + t) * rows, b + (p + t) * Cols, fetch, acc);
  }
  for (; p < depth; ++p) add_term<V, Cols, Live>(a + p * rows, b + p * Cols, fetch, acc);

#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) V::store(sums + j * rows + v * V::lanes, acc[j][v]);
}

/// The register tile at a panel of which `m` rows are still wanted.
template <class V, int Vectors, int Cols>
void product_tile(index_t m, index_t depth, const typename V::value* a, const typename V::value* b,
                  const typename V::value* from, typename V::value* sums, lookahead next) {
  if constexpr (Vectors > 1)
    if (m <= V::lanes) return product_tile<V, Vectors, Cols, 1>(depth, a, b, from, sums, next);
  if constexpr (Vectors > 2)
    if (m <= 2 * V::lanes) return product_tile<V, Vectors, Cols, 2>(depth, a, b, from, sums, next);
  product_tile<V, Vectors, Cols, Vectors>(depth, a, b, from, sums, next);
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
      const lookahead next{ahead(sums, tile * sizeof(T)), rows * sizeof(T),
                           ahead(b, ((j + 1) * Cols * depth) * sizeof(T) + i * (depth / 8) * 64)};
      product_tile<V, Vectors, Cols>(m - i * rows, depth, a + i * rows * depth, b + j * Cols * depth,
                                     clear ? nullptr : sums, sums, next);
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
        T* out = c + i * rows * stride_row + j * Cols * stride_col;
        const lookahead next{out, static_cast<std::uintptr_t>(stride_col) * sizeof(T),
                             ahead(b, ((j + 1) * Cols * depth) * sizeof(T) + i * (depth / 8) * 64)};
        if (part != nullptr)
          for (std::uintptr_t line = 0; line < tile * sizeof(T); line += 64)
            V::prefetch(ahead(part + before, tile * sizeof(T) + line));
        alignas(64) T sums[tile];
        product_tile<V, Vectors, Cols>(m - i * rows, depth, a + i * rows * depth, b + j * Cols * depth,
                                       part == nullptr ? nullptr : part + before, sums, next);
        if (total != nullptr) fold<V>(tile, total + before, sums);
        store_tile<V>(op, smaller(rows, m - i * rows), smaller(index_t{Cols}, n - j * Cols), rows, sums, out,
                      stride_row, stride_col);
      }
  });
}

}  // namespace
}  // namespace abax::openmp

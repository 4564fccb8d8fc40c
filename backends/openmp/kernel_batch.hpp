// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of small products whose items follow one another.
#include "kernel_direct_product.hpp"

namespace abax::openmp {
namespace {

/// multiply(product) for every item.
template <class T, class Multiply>
[[gnu::always_inline]] inline void each_item(const direct_batch<T>& batch, const Multiply& multiply) {
  direct_product<T> p = batch.first;
  for (index_t i = 0; i < batch.items.count; ++i) {
    begin_item(batch.items, i, p.a, p.b, p.c);
    multiply(p);
    end_item(batch.items, p.a, p.b, p.c);
  }
}

/// Items of one register tile; or, unless pointers say where they lie, of several: one tile of as many items as the
/// first cache has room for, and then the next tile of the same items. False, and nothing done, for others.
template <class V, int Vectors, int Accumulators>
bool by_tiles(const direct_batch<typename V::value>& batch) {
  using T = typename V::value;
  using tiles = direct_tiles<V, Vectors, Accumulators>;
  const direct_product<T>& p = batch.first;
  if (p.packed != nullptr) return false;
  const index_t vectors = (p.m + V::lanes - 1) / V::lanes;
  const shares down(vectors, tiles::most_vectors(vectors, p.n));
  const bool is_one = down.count == 1 && p.n <= tiles::all.most_cols[down.size - 1];
  index_t together = batch.items.count;
  if (!is_one) {
    const bool is_tall = p.k <= few_terms && p.m > Vectors * V::lanes;  // a column of its tiles is one call
    const index_t own = (batch.items.step_a == 0 ? 0 : p.m * p.k) + (batch.items.step_b == 0 ? 0 : p.k * p.n);
    together = smaller(together, first_cache / ((own + p.m * p.n) * index_t(sizeof(T))));
    if (together < 2 || is_tall || batch.items.c_at != nullptr) return false;
  }
  for (index_t first = 0; first < batch.items.count; first += together) {
    direct_items<T> items = batch.items;
    items.count = smaller(together, batch.items.count - first);
    const T* const a = moved(p.a, first * items.step_a);
    const T* const b = moved(p.b, first * items.step_b);
    T* const c = moved(p.c, first * items.step_c);
    for (index_t s = 0, i = 0; s < down.count; i += down[s++] * V::lanes) {
      const index_t live = down[s], rest = smaller<index_t>(p.m - i - (live - 1) * V::lanes, V::lanes);
      const shares across(p.n, tiles::all.most_cols[live - 1]);
      for (index_t t = 0, j = 0; t < across.count; j += across[t++])
        tiles::all.of[live - 1][across[t] - 1](p, rest, a + i, p.stride_a, b + j * p.stride_b, c + i + j * p.stride_c,
                                               items);
    }
  }
  return true;
}

template <class V, int Vectors, int Cols>
void multiply_batch(const direct_batch<typename V::value>& batch) {
  using T = typename V::value;
  using narrow = typename V::narrow;
  constexpr int accumulators = Vectors * Cols;
  if (narrow::lanes < V::lanes && batch.first.m <= narrow::lanes) {
    if (!by_tiles<narrow, 1, accumulators>(batch))
      each_item(batch, [](const direct_product<T>& item) { direct_panels<narrow, 1, accumulators>(item); });
  } else if (!by_tiles<V, Vectors, accumulators>(batch)) {
    each_item(batch, [](const direct_product<T>& item) { direct_panels<V, Vectors, accumulators>(item); });
  }
}

}  // namespace
}  // namespace abax::openmp

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

/// Items of one register tile.
template <class V, int Vectors, int Accumulators>
bool by_one_tile(const direct_batch<typename V::value>& batch) {
  using tiles = direct_tiles<V, Vectors, Accumulators>;
  const direct_product<typename V::value>& p = batch.first;
  const index_t live = (p.m + V::lanes - 1) / V::lanes;
  if (p.packed != nullptr || live > tiles::widest || p.n > tiles::all.most_cols[live - 1]) return false;
  const index_t rest = p.m - (live - 1) * V::lanes;
  tiles::all.of[live - 1][p.n - 1](p, rest, p.a, p.stride_a, p.b, p.c, batch.items);
  return true;
}

template <class V, int Vectors, int Cols>
void multiply_batch(const direct_batch<typename V::value>& batch) {
  using T = typename V::value;
  using narrow = typename V::narrow;
  constexpr int accumulators = Vectors * Cols;
  if (narrow::lanes < V::lanes && batch.first.m <= narrow::lanes) {
    if (!by_one_tile<narrow, 1, accumulators>(batch))
      each_item(batch, [](const direct_product<T>& item) { direct_panels<narrow, 1, accumulators>(item); });
  } else if (!by_one_tile<V, Vectors, accumulators>(batch)) {
    each_item(batch, [](const direct_product<T>& item) { direct_panels<V, Vectors, accumulators>(item); });
  }
}

}  // namespace
}  // namespace abax::openmp

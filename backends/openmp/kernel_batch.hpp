// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of small products: items that follow one another, and items that are neighbours, a lane each.
#include "kernel_direct_product.hpp"
#include "kernel_stream.hpp"

namespace abax::openmp {
namespace {

/// multiply(product) for every item.
template <class T, class Multiply>
[[gnu::always_inline]] inline void each_item(const direct_batch<T>& batch, const Multiply& multiply) {
  direct_product<T> p = batch.first;
  for (index_t i = 0; i < batch.items; ++i) {
    if (batch.c_at != nullptr) {
      p.a = batch.a_at[i];
      p.b = batch.b_at[i];
      p.c = batch.c_at[i];
    }
    multiply(p);
    p.a += batch.step_a;
    p.b += batch.step_b;
    p.c += batch.step_c;
  }
}

/// Items of one register tile, which is looked up once.
template <class V, int Vectors, int Accumulators>
bool by_one_tile(const direct_batch<typename V::value>& batch) {
  using tiles = direct_tiles<V, Vectors, Accumulators>;
  const direct_product<typename V::value>& p = batch.first;
  const index_t live = (p.m + V::lanes - 1) / V::lanes;
  if (p.packed != nullptr || live > Vectors || p.n > tiles::cols(static_cast<int>(live))) return false;
  const index_t rest = p.m - (live - 1) * V::lanes;
  const auto tile = tiles::all.of[live - 1][p.n - 1];
  each_item(batch, [&](const direct_product<typename V::value>& item) {
    tile(item, rest, item.a, item.stride_a, item.b, item.c);
  });
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

/// Outputs (i, j) to (i + Rows, j + Cols) of as many items as a vector has lanes, or, if not Whole, of `rest`.
template <class V, int Rows, int Cols, bool Whole, class Op>
[[gnu::always_inline]] inline void interleaved_tile(const interleaved_batch<typename V::value>& p, index_t item,
                                                    index_t rest, index_t i, index_t j, const Op& op) {
  using T = typename V::value;
  const auto load = [&](const T* at) __attribute__((always_inline)) {
    if constexpr (Whole)
      return V::load(at);
    else
      return V::load(at, rest);
  };
  const auto lanes_of = [&](const auto& operand, index_t at) __attribute__((always_inline)) {
    return operand.shared ? V::set(operand.data[at]) : load(operand.data + at + item);
  };
  typename V::reg acc[Cols][Rows];
#pragma GCC unroll 8
  for (int y = 0; y < Cols; ++y)
#pragma GCC unroll 8
    for (int x = 0; x < Rows; ++x) acc[y][x] = V::zero();
  index_t at_a = i * p.a.row, at_b = j * p.b.col;
  for (index_t q = 0; q < p.k; ++q) {
    typename V::reg left[Rows];
#pragma GCC unroll 8
    for (int x = 0; x < Rows; ++x) left[x] = lanes_of(p.a, at_a + x * p.a.row);
#pragma GCC unroll 8
    for (int y = 0; y < Cols; ++y) {
      const typename V::reg right = lanes_of(p.b, at_b + y * p.b.col);
#pragma GCC unroll 8
      for (int x = 0; x < Rows; ++x) V::accumulate(acc[y][x], left[x], right);
    }
    at_a += p.a.col;
    at_b += p.b.row;
  }
#pragma GCC unroll 8
  for (int y = 0; y < Cols; ++y)
#pragma GCC unroll 8
    for (int x = 0; x < Rows; ++x) {
      T* const out = p.c.data + (i + x) * p.c.row + (j + y) * p.c.col + item;
      typename V::reg old = V::zero();
      if constexpr (Op::reads_old) old = load(out);
      if constexpr (Whole)
        V::store(out, op(acc[y][x], old));
      else
        V::store(out, op(acc[y][x], old), rest);
    }
}

template <class V, int Size, bool Whole, class Op>
void interleaved_items(const interleaved_batch<typename V::value>& p, index_t item, index_t rest, const Op& op) {
  const auto columns = [&]<int Cols>(index_t j) __attribute__((always_inline)) {
    index_t i = 0;
    for (; i + Size <= p.m; i += Size) interleaved_tile<V, Size, Cols, Whole>(p, item, rest, i, j, op);
    if (Size > 2 && i + 2 <= p.m) {
      interleaved_tile<V, 2, Cols, Whole>(p, item, rest, i, j, op);
      i += 2;
    }
    if (i < p.m) interleaved_tile<V, 1, Cols, Whole>(p, item, rest, i, j, op);
  };
  index_t j = 0;
  for (; j + Size <= p.n; j += Size) columns.template operator()<Size>(j);
  for (; j < p.n; ++j) columns.template operator()<1>(j);
}

/// A vector's items of an operand, moved to `to`, a vector behind the other: lines that are the same distance apart
/// from each other would meet in few places of the cache, where loads wait for stores that they only seem to follow.
template <class V, bool Whole>
typename interleaved_batch<typename V::value>::template operand<const typename V::value> gathered(
    const typename interleaved_batch<typename V::value>::template operand<const typename V::value>& from, index_t rows,
    index_t cols, index_t item, index_t rest, typename V::value* to) {
  if (from.shared) return from;
  typename V::value* next = to;
  for (index_t j = 0; j < cols; ++j)
    for (index_t i = 0; i < rows; ++i, next += V::lanes) {
      const auto* const at = from.data + i * from.row + j * from.col + item;
      if constexpr (Whole)
        V::store(next, V::load(at));
      else
        V::store(next, V::load(at, rest));
    }
  return {to, V::lanes, rows * V::lanes, false};
}

template <class V, int Size, bool Whole, class Op>
void gathered_items(const interleaved_batch<typename V::value>& p, index_t item, index_t rest, const Op& op) {
  if (p.gathered == nullptr) return interleaved_items<V, Size, Whole>(p, item, rest, op);
  interleaved_batch<typename V::value> here = p;
  here.a = gathered<V, Whole>(p.a, p.m, p.k, item, rest, p.gathered);
  here.b = gathered<V, Whole>(p.b, p.k, p.n, item, rest, p.gathered + p.m * p.k * V::lanes);
  here.c.data += item;
  interleaved_items<V, Size, Whole>(here, 0, rest, op);
}

template <class V, int Size, class Op>
void all_interleaved(const interleaved_batch<typename V::value>& p, const Op& op) {
  index_t item = 0;
  for (; item + V::lanes <= p.items; item += V::lanes) gathered_items<V, Size, true>(p, item, V::lanes, op);
  if (item < p.items) gathered_items<V, Size, false>(p, item, p.items - item, op);
}

/// By tiles of 4 x 4 outputs a lane where there are registers for them, else of 3 x 3.
template <class V, int Accumulators>
void multiply_interleaved(const interleaved_batch<typename V::value>& p) {
  constexpr int size = Accumulators >= 16 ? 4 : 3;
  if (p.beta != 0) return all_interleaved<V, size>(p, update<V>(p.alpha, p.beta));
  if (p.alpha != 1) return all_interleaved<V, size>(p, scale<V>(p.alpha, p.beta));
  all_interleaved<V, size>(p, identity<V>());
}

}  // namespace
}  // namespace abax::openmp

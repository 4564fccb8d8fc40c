// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The matrix-vector product and the dot product: many chains side by side, one to a lane.
#include "scalar.hpp"

namespace abax::openmp {
namespace {

/// part[i] <- chain over `Group` neighbouring columns; the sums stay in the first cache between groups. The next
/// group's columns are fetched into the second cache meanwhile: columns are too short for the hardware to find its
/// feet, and the first cache has too few misses in flight to keep memory busy.
template <class V, int Group>
void add_columns(index_t outputs, const typename V::value* a, index_t stride_k, const typename V::value* x,
                 typename V::value* part) {
  const auto next = static_cast<std::uintptr_t>(Group * stride_k) * sizeof(typename V::value);
  typename V::reg xs[Group];
#pragma GCC unroll 8
  for (int g = 0; g < Group; ++g) xs[g] = V::set(x[g]);
  index_t i = 0;
  for (; i + V::lanes <= outputs; i += V::lanes) {
    typename V::reg acc = V::load(part + i);
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) {
      V::prefetch_second(ahead(a + g * stride_k + i, next));
      acc = V::fma(V::load(a + g * stride_k + i), xs[g], acc);
    }
    V::store(part + i, acc);
  }
  if (const index_t rest = outputs - i; rest > 0) {
    typename V::reg acc = V::load(part + i, rest);
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) acc = V::fma(V::load(a + g * stride_k + i, rest), xs[g], acc);
    V::store(part + i, acc, rest);
  }
}

/// The columns of a are contiguous.
template <class V>
void by_columns(index_t outputs, index_t depth, const typename V::value* a, index_t stride_k,
                const typename V::value* x, typename V::value* part) {
  index_t p = 0;
  for (; p + 8 <= depth; p += 8) add_columns<V, 8>(outputs, a + p * stride_k, stride_k, x + p, part);
  if (depth - p >= 4) {
    add_columns<V, 4>(outputs, a + p * stride_k, stride_k, x + p, part);
    p += 4;
  }
  for (; p < depth; ++p) add_columns<V, 1>(outputs, a + p * stride_k, stride_k, x + p, part);
}

/// `lanes` values from each of `rows` contiguous runs, transposed: x[t] holds term t of every run; +0 past `rows`.
/// `next` bytes on stand the runs that come after these: they are fetched into the second cache.
template <class V>
void load_transposed(index_t rows, const typename V::value* a, index_t stride, std::uintptr_t next,
                     typename V::reg (&x)[V::lanes]) {
  if (rows == V::lanes) {
#pragma GCC unroll 16
    for (int i = 0; i < V::lanes; ++i) {
      V::prefetch_second(ahead(a + i * stride, next));
      x[i] = V::load(a + i * stride);
    }
    return V::transpose(x);
  }
#pragma GCC unroll 16
  for (int i = 0; i < V::lanes; ++i) x[i] = i < rows ? V::load(a + i * stride) : V::zero();
  V::transpose(x);
}

template <class V>
void load_transposed(index_t rows, index_t terms, const typename V::value* a, index_t stride,
                     typename V::reg (&x)[V::lanes]) {
#pragma GCC unroll 16
  for (int i = 0; i < V::lanes; ++i) x[i] = i < rows ? V::load(a + i * stride, terms) : V::zero();
  V::transpose(x);
}

/// The rows of a are contiguous: `Groups` vectors of outputs at a time. More rows in flight would hide the chains'
/// latency better where a is in the cache, but cost speed in memory, whose prefetchers follow few streams well.
template <class V, int Groups>
void by_rows(index_t outputs, index_t depth, const typename V::value* a, index_t stride, const typename V::value* x,
             typename V::value* part) {
  constexpr index_t lanes = V::lanes;
  const auto next = static_cast<std::uintptr_t>(Groups * lanes * stride) * sizeof(typename V::value);
  typename V::reg acc[Groups];
  index_t rows[Groups];
#pragma GCC unroll 2
  for (int g = 0; g < Groups; ++g) {
    rows[g] = smaller(lanes, outputs - g * lanes);
    acc[g] = rows[g] == lanes ? V::load(part + g * lanes) : V::load(part + g * lanes, rows[g]);
  }
  index_t p = 0;
  for (; p + lanes <= depth; p += lanes)
#pragma GCC unroll 2
    for (int g = 0; g < Groups; ++g) {
      typename V::reg m[lanes];
      load_transposed<V>(rows[g], a + g * lanes * stride + p, stride, next, m);
#pragma GCC unroll 16
      for (int t = 0; t < lanes; ++t) acc[g] = V::fma(m[t], V::set(x[p + t]), acc[g]);
    }
  if (const index_t terms = depth - p; terms > 0)
#pragma GCC unroll 2
    for (int g = 0; g < Groups; ++g) {
      typename V::reg m[lanes];
      load_transposed<V>(rows[g], terms, a + g * lanes * stride + p, stride, m);
#pragma GCC unroll 16
      for (int t = 0; t < lanes; ++t)
        if (t < terms) acc[g] = V::fma(m[t], V::set(x[p + t]), acc[g]);
    }
#pragma GCC unroll 2
  for (int g = 0; g < Groups; ++g)
    if (rows[g] == lanes)
      V::store(part + g * lanes, acc[g]);
    else
      V::store(part + g * lanes, acc[g], rows[g]);
}

/// sums[r] <- chain of run r, any strides: `Runs` independent chains hide one another's latency.
template <int Runs, class T>
void scalar_chains(index_t depth, const T* a, index_t stride_output, index_t stride_k, const T* b,
                   index_t stride_b_output, index_t stride_b, T* sums) {
  T acc[Runs];
  for (int r = 0; r < Runs; ++r) acc[r] = sums[r];
  for (index_t p = 0; p < depth; ++p)
#pragma GCC unroll 8
    for (int r = 0; r < Runs; ++r)
      acc[r] = fused(a[r * stride_output + p * stride_k], b[r * stride_b_output + p * stride_b], acc[r]);
  for (int r = 0; r < Runs; ++r) sums[r] = acc[r];
}

template <class T>
void all_scalar_chains(index_t runs, index_t depth, const T* a, index_t stride_output, index_t stride_k, const T* b,
                       index_t stride_b_output, index_t stride_b, T* sums) {
  index_t r = 0;
  for (; r + 8 <= runs; r += 8)
    scalar_chains<8>(depth, a + r * stride_output, stride_output, stride_k, b + r * stride_b_output, stride_b_output,
                     stride_b, sums + r);
  for (; r + 2 <= runs; r += 2)
    scalar_chains<2>(depth, a + r * stride_output, stride_output, stride_k, b + r * stride_b_output, stride_b_output,
                     stride_b, sums + r);
  if (r < runs)
    scalar_chains<1>(depth, a + r * stride_output, stride_output, stride_k, b + r * stride_b_output, stride_b_output,
                     stride_b, sums + r);
}

template <class V>
void multiply_add_vector(index_t outputs, index_t depth, const typename V::value* a, index_t stride_output,
                         index_t stride_k, const typename V::value* x, typename V::value* part) {
  if (outputs <= 0 || depth <= 0) return;
  if (stride_output == 1) return by_columns<V>(outputs, depth, a, stride_k, x, part);
  if (stride_k != 1) return all_scalar_chains(outputs, depth, a, stride_output, stride_k, x, 0, 1, part);
  index_t o = 0;
  if constexpr (V::lanes < 8)  // too few chains to fill the multiplier
    for (; o + 2 * V::lanes <= outputs; o += 2 * V::lanes)
      by_rows<V, 2>(2 * V::lanes, depth, a + o * stride_output, stride_output, x, part + o);
  for (; outputs - o > 2; o += smaller(outputs - o, index_t{V::lanes}))
    by_rows<V, 1>(outputs - o, depth, a + o * stride_output, stride_output, x, part + o);
  if (o < outputs)
    all_scalar_chains(outputs - o, depth, a + o * stride_output, stride_output, stride_k, x, 0, 1, part + o);
}

/// acc <- chains over `depth` terms of `rows` runs of x and y, run r starting at r block.
template <class V>
typename V::reg dot_rows(index_t rows, index_t depth, index_t block, const typename V::value* x,
                         const typename V::value* y, typename V::reg acc) {
  constexpr index_t lanes = V::lanes;
  const auto next = static_cast<std::uintptr_t>(lanes * block) * sizeof(typename V::value);
  index_t p = 0;
  for (; p + lanes <= depth; p += lanes) {
    typename V::reg xs[lanes], ys[lanes];
    load_transposed<V>(rows, x + p, block, next, xs);
    load_transposed<V>(rows, y + p, block, next, ys);
#pragma GCC unroll 16
    for (int t = 0; t < lanes; ++t) acc = V::fma(xs[t], ys[t], acc);
  }
  if (const index_t terms = depth - p; terms > 0) {
    typename V::reg xs[lanes], ys[lanes];
    load_transposed<V>(rows, terms, x + p, block, xs);
    load_transposed<V>(rows, terms, y + p, block, ys);
#pragma GCC unroll 16
    for (int t = 0; t < lanes; ++t)
      if (t < terms) acc = V::fma(xs[t], ys[t], acc);
  }
  return acc;
}

template <class V>
void dot_blocks(index_t k, index_t block, const typename V::value* x, index_t stride_x, const typename V::value* y,
                index_t stride_y, typename V::value* sums) {
  using T = typename V::value;
  constexpr index_t lanes = V::lanes;
  const index_t full = k / block;
  const index_t rest = k % block;
  const bool vectors = stride_x == 1 && stride_y == 1;
  index_t b = 0;
  if (vectors)
    for (; full - b > 2; b += smaller(full - b, lanes)) {
      const index_t rows = smaller(full - b, lanes);
      const typename V::reg s = dot_rows<V>(rows, block, block, x + b * block, y + b * block, V::zero());
      if (rows == lanes)
        V::store(sums + b, s);
      else
        V::store(sums + b, s, rows);
    }
  for (index_t i = b; i < full + (rest > 0); ++i) sums[i] = T(0);
  all_scalar_chains(full - b, block, x + b * block * stride_x, block * stride_x, stride_x, y + b * block * stride_y,
                    block * stride_y, stride_y, sums + b);
  if (rest > 0)
    all_scalar_chains(index_t{1}, rest, x + full * block * stride_x, 0, stride_x, y + full * block * stride_y, 0,
                      stride_y, sums + full);
}

}  // namespace
}  // namespace abax::openmp

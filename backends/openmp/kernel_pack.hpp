// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Packing: an operand tile becomes panels that the product reads front to back.
///
/// Rows of a panel go out in whole vectors. Where `width` is no multiple of a vector, what the last vector writes past
/// its row is overwritten by what comes later; only the final rows of a panel, with nothing after them to repair the
/// damage, are written value by value.
#include "scalar.hpp"

namespace abax::openmp {
namespace {

/// The final rows of a panel, first <= p < depth, and any panel of odd strides.
template <class T>
void pack_exactly(index_t live, index_t first, index_t depth, const T* src, index_t stride_outer, index_t stride_k,
                  index_t width, T* packed) {
  for (index_t p = first; p < depth; ++p)
    for (index_t i = 0; i < width; ++i) packed[p * width + i] = i < live ? src[i * stride_outer + p * stride_k] : T(0);
}

/// How many rows of a panel may be written in whole vectors.
template <class V>
index_t vector_rows(index_t depth, index_t width) {
  const index_t excess = (width + V::lanes - 1) / V::lanes * V::lanes - width;
  return depth - smaller(depth, (excess + width - 1) / width);
}

/// Rows of exactly `Vectors` vectors, from a source that runs along the outer index. `later` bytes on stand the rows
/// that will be packed next: too far apart for the hardware to guess.
template <class V, int Vectors>
void pack_full_rows(index_t rows, const typename V::value* src, index_t stride_k, std::uintptr_t later,
                    typename V::value* packed) {
  constexpr int bytes = Vectors * V::lanes * static_cast<int>(sizeof(typename V::value));
  for (index_t p = 0; p < rows; ++p) {
    const auto* s = src + p * stride_k;
    auto* d = packed + p * Vectors * V::lanes;
#pragma GCC unroll 8
    for (int line = 0; line < bytes; line += 64)
      V::prefetch_second(ahead(s, later + static_cast<std::uintptr_t>(line)));
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) V::store(d + v * V::lanes, V::load(s + v * V::lanes));
  }
}

/// Rows of any width, `live` values of the source in each, the rest +0; `readable` values may be read.
template <class V>
void pack_any_rows(index_t live, index_t readable, index_t rows, const typename V::value* src, index_t stride_k,
                   index_t width, typename V::value* packed) {
  const index_t vectors = (width + V::lanes - 1) / V::lanes;
  const bool roomy = live == width && readable >= vectors * V::lanes;
  const index_t whole = roomy ? vectors : live / V::lanes;
  const index_t rest = live % V::lanes;
  for (index_t p = 0; p < rows; ++p) {
    const auto* s = src + p * stride_k;
    auto* d = packed + p * width;
    for (index_t v = 0; v < whole; ++v) V::store(d + v * V::lanes, V::load(s + v * V::lanes));
    for (index_t v = whole; v < vectors; ++v)
      V::store(d + v * V::lanes, v == whole && rest > 0 ? V::load(s + v * V::lanes, rest) : V::zero());
  }
}

/// The source runs along the outer index. A few k at a time pass through all panels, so that the source is read in
/// long runs from few pages.
template <class V>
void pack_outer_contiguous(index_t outer, index_t depth, const typename V::value* src, index_t stride_k, index_t width,
                           typename V::value* packed) {
  constexpr index_t step = 8;
  const auto later = static_cast<std::uintptr_t>(step * stride_k) * sizeof(typename V::value);
  const index_t fast = vector_rows<V>(depth, width);
  for (index_t p = 0; p < fast; p += step) {
    const index_t rows = smaller(step, fast - p);
    for (index_t o = 0; o < outer; o += width) {
      const index_t live = smaller(width, outer - o);
      const auto* s = src + o + p * stride_k;
      auto* d = packed + o * depth + p * width;
      if (live == width && width == V::lanes)
        pack_full_rows<V, 1>(rows, s, stride_k, later, d);
      else if (live == width && width == 2 * V::lanes)
        pack_full_rows<V, 2>(rows, s, stride_k, later, d);
      else if (live == width && width == 3 * V::lanes)
        pack_full_rows<V, 3>(rows, s, stride_k, later, d);
      else
        pack_any_rows<V>(live, outer - o, rows, s, stride_k, width, d);
    }
  }
  for (index_t o = 0; o < outer; o += width)
    pack_exactly(smaller(width, outer - o), fast, depth, src + o, 1, stride_k, width, packed + o * depth);
}

/// One vector's worth of a panel, from a source that runs along k: square blocks transposed in registers.
template <class V>
void pack_transposed(index_t live, index_t rows, const typename V::value* src, index_t stride_outer, index_t width,
                     typename V::value* packed) {
  constexpr index_t lanes = V::lanes;
  const auto later = static_cast<std::uintptr_t>(lanes * stride_outer) * sizeof(typename V::value);
  index_t p = 0;
  if (live >= lanes)
    for (; p + lanes <= rows; p += lanes) {
      typename V::reg x[lanes];
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i) {
        const auto* s = src + i * stride_outer + p;
        V::prefetch_second(ahead(s, later));
        x[i] = V::load(s);
      }
      V::transpose(x);
#pragma GCC unroll 16
      for (int t = 0; t < lanes; ++t) V::store(packed + (p + t) * width, x[t]);
    }
  for (; p < rows; p += lanes) {
    const index_t terms = smaller(lanes, rows - p);
    typename V::reg x[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) x[i] = i < live ? V::load(src + i * stride_outer + p, terms) : V::zero();
    V::transpose(x);
#pragma GCC unroll 16
    for (int t = 0; t < lanes; ++t)
      if (t < terms) V::store(packed + (p + t) * width, x[t]);
  }
}

/// The source runs along k. Within a panel the last vector goes first: the others then overwrite its surplus.
template <class V>
void pack_k_contiguous(index_t outer, index_t depth, const typename V::value* src, index_t stride_outer, index_t width,
                       typename V::value* packed) {
  const index_t fast = vector_rows<V>(depth, width);
  for (index_t o = 0; o < outer; o += width) {
    const index_t live = smaller(width, outer - o);
    const auto* s = src + o * stride_outer;
    auto* d = packed + o * depth;
    for (index_t v = (width - 1) / V::lanes * V::lanes; v >= 0; v -= V::lanes)
      pack_transposed<V>(live - v, fast, v < live ? s + v * stride_outer : s, stride_outer, width, d + v);
    pack_exactly(live, fast, depth, s, stride_outer, 1, width, d);
  }
}

template <class V>
void pack_vectors(index_t outer, index_t depth, const typename V::value* src, index_t stride_outer, index_t stride_k,
                  index_t width, typename V::value* packed) {
  if (stride_outer == 1) return pack_outer_contiguous<V>(outer, depth, src, stride_k, width, packed);
  if (stride_k == 1) return pack_k_contiguous<V>(outer, depth, src, stride_outer, width, packed);
  for (index_t o = 0; o < outer; o += width)
    pack_exactly(smaller(width, outer - o), 0, depth, src + o * stride_outer, stride_outer, stride_k, width,
                 packed + o * depth);
}

template <class V>
void pack(index_t outer, index_t depth, const typename V::value* src, index_t stride_outer, index_t stride_k, int width,
          typename V::value* packed) {
  if (width <= V::narrow::lanes)
    pack_vectors<typename V::narrow>(outer, depth, src, stride_outer, stride_k, width, packed);
  else
    pack_vectors<V>(outer, depth, src, stride_outer, stride_k, width, packed);
}

}  // namespace
}  // namespace abax::openmp

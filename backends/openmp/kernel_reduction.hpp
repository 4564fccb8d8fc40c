// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Reductions: the 64 lanes of the canon lie in as many vectors as hold them, so that nothing needs to be exchanged.
#include "abax/detail/tile/reduction_block.hpp"
#include "scalar.hpp"

namespace abax::openmp {
namespace {

// What a kind of sum does with a vector of terms: how many sums it has, how many vectors of lanes go through a block at
// once (their sums stay in registers), and whether there is a second operand.

template <class V>
struct dot_terms {
  static constexpr int sums = 1, vectors = 8;
  static constexpr bool two_operands = true;
  static void take(typename V::reg* s, typename V::reg x, typename V::reg y) { s[0] = V::fma(x, y, s[0]); }
};
template <class V>
struct sum_terms {
  static constexpr int sums = 1, vectors = 8;
  static constexpr bool two_operands = false;
  static void take(typename V::reg* s, typename V::reg x, typename V::reg) { s[0] = V::add(s[0], x); }
};
template <class V>
struct asum_terms {
  static constexpr int sums = 1, vectors = 8;
  static constexpr bool two_operands = false;
  static void take(typename V::reg* s, typename V::reg x, typename V::reg) { s[0] = V::add(s[0], V::abs(x)); }
};
template <class V>
struct nrm2_terms {
  static constexpr int sums = 3, vectors = 4;
  static constexpr bool two_operands = false;
  static void take(typename V::reg* s, typename V::reg x, typename V::reg) {
    using range = tile::norm_range<typename V::value>;
    const typename V::reg up = V::mul(x, V::set(range::raise)), down = V::mul(x, V::set(range::lower));
    s[0] = V::fma(x, x, s[0]);
    s[1] = V::fma(up, up, s[1]);
    s[2] = V::fma(down, down, s[2]);
  }
};

/// sums[0 ...] <- the sums of one block of n terms that lie side by side.
template <class V, class Terms>
[[gnu::always_inline]] inline void block_sums(index_t n, const typename V::value* x, const typename V::value* y,
                                              typename V::value* sums) {
  using reg = typename V::reg;
  constexpr int lanes = V::lanes, all = tile::reduction_lanes / lanes;
  constexpr int vectors = all < Terms::vectors ? all : Terms::vectors;
  reg lane[all][Terms::sums];
#pragma GCC unroll 8
  for (int first = 0; first < all; first += vectors) {
    reg s[vectors][Terms::sums];
    for (auto& of_vector : s)
      for (reg& r : of_vector) r = V::zero();
    index_t i = first * lanes;
    for (; i + vectors * lanes <= n; i += tile::reduction_lanes)
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        const index_t at = i + v * lanes;
        Terms::take(s[v], V::load(x + at), Terms::two_operands ? V::load(y + at) : V::zero());
      }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const index_t at = i + v * lanes, left = smaller<index_t>(lanes, n - at);
      if (left <= 0) break;
      reg with[Terms::sums];
      for (int j = 0; j < Terms::sums; ++j) with[j] = s[v][j];
      Terms::take(with, V::load(x + at, left), Terms::two_operands ? V::load(y + at, left) : V::zero());
      // A lane without a term keeps its sum, -0 included.
      for (int j = 0; j < Terms::sums; ++j) s[v][j] = V::merge(s[v][j], with[j], left);
    }
    for (int v = 0; v < vectors; ++v)
      for (int j = 0; j < Terms::sums; ++j) lane[first + v][j] = s[v][j];
  }
  for (int j = 0; j < Terms::sums; ++j) {
#pragma GCC unroll 8
    for (int half = all / 2; half > 0; half /= 2)
#pragma GCC unroll 8
      for (int v = 0; v < half; ++v) lane[v][j] = V::add(lane[v][j], lane[v + half][j]);
    sums[j] = V::sum(lane[0][j]);
  }
}

/// n terms of a vector side by side: where they lie, or copied to `to`.
template <class T>
const T* side_by_side(index_t n, const T* from, index_t stride, T* to) {
  if (stride == 1) return from;
  for (index_t i = 0; i < n; ++i) to[i] = from[i * stride];
  return to;
}

/// sums <- those of every block of n terms. x_at(i, terms) and y_at(i, terms) say where so many terms from i on lie
/// side by side.
template <class V, class Terms, class X, class Y>
[[gnu::always_inline]] inline void sums_of_blocks(index_t n, const X& x_at, const Y& y_at, typename V::value* sums) {
  constexpr index_t block = tile::reduction_block;
  index_t i = 0;
  for (; i + block <= n; i += block, sums += Terms::sums)
    block_sums<V, Terms>(block, x_at(i, block), y_at(i, block), sums);
  if (const index_t rest = n - i; rest > 0 || n == 0) block_sums<V, Terms>(rest, x_at(i, rest), y_at(i, rest), sums);
}

/// The same for any strides. Apart, because its copies of blocks make its start long.
template <class V, class Terms>
[[gnu::noinline]] void sums_of_strided_blocks(index_t n, const typename V::value* x, index_t stride_x,
                                              const typename V::value* y, index_t stride_y, typename V::value* sums) {
  alignas(64) typename V::value xs[tile::reduction_block], ys[tile::reduction_block];
  sums_of_blocks<V, Terms>(
      n, [&](index_t i, index_t terms) { return side_by_side(terms, x + i * stride_x, stride_x, xs); },
      [&](index_t i, index_t terms) {
        return Terms::two_operands ? side_by_side(terms, y + i * stride_y, stride_y, ys) : nullptr;
      },
      sums);
}

template <class V, template <class> class Terms>
void reduce(index_t n, const typename V::value* x, index_t stride_x, const typename V::value* y, index_t stride_y,
            typename V::value* sums) {
  if (stride_x != 1 || (Terms<V>::two_operands && stride_y != 1))
    return sums_of_strided_blocks<V, Terms<V>>(n, x, stride_x, y, stride_y, sums);
  sums_of_blocks<V, Terms<V>>(
      n, [&](index_t i, index_t) { return x + i; },
      [&](index_t i, index_t) { return Terms<V>::two_operands ? y + i : nullptr; }, sums);
}

/// The first of n terms for whose vector `bits` has its bit; there is one.
template <class V, class Bits>
index_t first_that(index_t n, const typename V::value* x, const Bits& bits) {
  constexpr unsigned all = (1U << V::lanes) - 1;
  index_t i = 0;
  for (; i + V::lanes <= n; i += V::lanes)
    if (const unsigned found = bits(V::load(x + i)) & all; found != 0) return i + __builtin_ctz(found);
  return i + __builtin_ctz(bits(V::load(x + i, n - i)));
}

/// A block at a time: its largest magnitude, and only where that is new, which term has it.
template <class V>
index_t largest(index_t n, const typename V::value* x, index_t stride) {
  using T = typename V::value;
  using reg = typename V::reg;
  constexpr index_t block = tile::reduction_block, lanes = V::lanes, group = 4 * lanes;
  alignas(64) T xs[block];
  T best = -1;
  index_t at = -1;
  for (index_t begin = 0; begin < n; begin += block) {
    const index_t here = smaller(block, n - begin);
    const T* const from = side_by_side(here, x + begin * stride, stride, xs);
    reg most[4], sum[4];  // a sum of magnitudes is NaN exactly where one of them is
    for (int v = 0; v < 4; ++v) most[v] = sum[v] = V::zero();
    index_t i = 0;
    const auto take = [&](int v, reg magnitude) {
      most[v] = V::max(most[v], magnitude);
      sum[v] = V::add(sum[v], magnitude);
    };
    for (; i + group <= here; i += group)
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) take(v, V::abs(V::load(from + i + v * lanes)));
    for (; i < here; i += lanes) take(0, V::abs(V::load(from + i, smaller(lanes, here - i))));
    const T total = V::sum(V::add(V::add(sum[0], sum[1]), V::add(sum[2], sum[3])));
    if (total != total) return begin + first_that<V>(here, from, [](reg x) { return ~V::equal(x, x); });
    const T largest_here = V::largest(V::max(V::max(most[0], most[1]), V::max(most[2], most[3])));
    if (largest_here <= best) continue;
    best = largest_here;
    const reg wanted = V::set(best);
    at = begin + first_that<V>(here, from, [&](reg x) { return V::equal(V::abs(x), wanted); });
  }
  return at;
}

}  // namespace
}  // namespace abax::openmp

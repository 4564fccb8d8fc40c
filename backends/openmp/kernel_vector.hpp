// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The matrix-vector product: many chains side by side, one to a lane.
#include "abax/detail/tile/canon_block.hpp"
#include "scalar.hpp"

namespace abax::openmp {
namespace {

/// Bytes ahead of its use that a long run of memory is fetched into the first cache: past the pauses that hardware
/// makes at the end of every page, not so far that sixteen such runs evict each other.
inline constexpr std::uintptr_t reach = 512;

/// Rows of this many bytes are short.
inline constexpr index_t longest_short_row = 1024;

/// part[i] <- chain over `Group` neighbouring columns; the sums stay in the first cache between groups. Eight columns
/// are what hardware alone fetches best: every way of fetching ahead in software was slower.
template <class V, int Group>
void add_columns(index_t outputs, const typename V::value* a, index_t stride_k, const typename V::value* x,
                 typename V::value* part) {
  typename V::reg xs[Group];
#pragma GCC unroll 8
  for (int g = 0; g < Group; ++g) xs[g] = V::set(x[g]);
  index_t i = 0;
  for (; i + V::lanes <= outputs; i += V::lanes) {
    typename V::reg acc = V::load(part + i);
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) acc = V::fma(V::load(a + g * stride_k + i), xs[g], acc);
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

/// V::load_transposed for at most `lanes` rows and terms: +0 past `rows` and `terms`.
template <class V>
void load_part_transposed(index_t rows, index_t terms, const typename V::value* a, index_t stride,
                          typename V::reg (&x)[V::lanes]) {
#pragma GCC unroll 16
  for (int i = 0; i < V::lanes; ++i) x[i] = i < rows ? V::load(a + i * stride, terms) : V::zero();
  V::transpose(x);
}

/// What is prefetched: a little ahead in each row; or, where rows are so short that hardware does not recognise them
/// as streams, the rows that come next, one after another, into the second cache.
enum class fetch { ahead, next_rows };

/// The rows of a are contiguous: part[i] <- chain of row i, `Groups` vectors of rows at a time. More rows in flight
/// would hide the chains' latency better where a is in the cache, but cost speed in memory, whose prefetchers follow
/// few streams well. The end of a row looks ahead to the rows that come after these if `more` do, else further on.
template <class V, int Groups, fetch Fetch>
void by_rows(index_t depth, const typename V::value* a, index_t stride, const typename V::value* x,
             typename V::value* part, bool more) {
  constexpr index_t lanes = V::lanes, rows = Groups * lanes;
  constexpr index_t size = sizeof(typename V::value), line = 64 / size;
  const auto next_rows = reach + static_cast<std::uintptr_t>((rows * stride - depth) * size);
  typename V::reg acc[Groups];
#pragma GCC unroll 4
  for (int g = 0; g < Groups; ++g) acc[g] = V::load(part + g * lanes);
  const auto add_terms = [&](index_t p) {
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
      typename V::reg m[lanes];
      V::load_transposed(a + g * lanes * stride + p, stride, m);
#pragma GCC unroll 16
      for (int t = 0; t < lanes; ++t) acc[g] = V::fma(m[t], V::set(x[p + t]), acc[g]);
    }
  };
  index_t next_row = rows, next_term = 0;
  index_t p = 0;
  for (; p + line <= depth; p += line) {
    const bool within = !more || p * size + static_cast<index_t>(reach) < depth * size;
    const auto next = within ? reach : next_rows;
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
      if constexpr (Fetch == fetch::ahead) {
        V::prefetch(ahead(a + r * stride + p, next));
      } else {
        V::prefetch_second(ahead(a, static_cast<std::uintptr_t>((next_row * stride + next_term) * size)));
        next_term += line;
        if (next_term >= depth) {
          next_term = 0;
          ++next_row;
        }
      }
#pragma GCC unroll 4
    for (index_t q = 0; q < line; q += lanes) add_terms(p + q);
  }
  for (; p + lanes <= depth; p += lanes) add_terms(p);
  if (const index_t terms = depth - p; terms > 0)
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
      typename V::reg m[lanes];
      load_part_transposed<V>(lanes, terms, a + g * lanes * stride + p, stride, m);
#pragma GCC unroll 16
      for (int t = 0; t < lanes; ++t)
        if (t < terms) acc[g] = V::fma(m[t], V::set(x[p + t]), acc[g]);
    }
#pragma GCC unroll 4
  for (int g = 0; g < Groups; ++g) V::store(part + g * lanes, acc[g]);
}

/// The same for `rows` rows in the second cache, where shuffles and loads are the limit: nothing is fetched ahead, a
/// term of x is loaded once for all rows, and half a vector's worth of terms is transposed at a time. If rows do not
/// fill the vectors, the last vector has some of the rows of the one before as well: their sums are the same in both.
template <class V, int Groups>
void by_cached_rows(index_t rows, index_t depth, const typename V::value* a, index_t stride, const typename V::value* x,
                    typename V::value* part) {
  constexpr index_t lanes = V::lanes, half = lanes / 2;
  const auto first = [rows](int g) { return g + 1 < Groups ? g * lanes : rows - lanes; };
  const typename V::value* group[Groups];
  typename V::reg acc[Groups];
#pragma GCC unroll 4
  for (int g = 0; g < Groups; ++g) {
    group[g] = a + first(g) * stride;
    acc[g] = V::load(part + first(g));
  }
  index_t p = 0;
  for (; p + half <= depth; p += half) {
    typename V::reg xs[half];
#pragma GCC unroll 8
    for (int t = 0; t < half; ++t) xs[t] = V::set(x[p + t]);
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
      typename V::reg m[half];
      V::load_half_transposed(group[g] + p, stride, m);
#pragma GCC unroll 8
      for (int t = 0; t < half; ++t) V::accumulate(acc[g], m[t], xs[t]);
    }
  }
  if (const index_t terms = depth - p; terms > 0)
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
      typename V::reg m[lanes];
      load_part_transposed<V>(lanes, terms, group[g] + p, stride, m);
#pragma GCC unroll 8
      for (int t = 0; t < half; ++t)
        if (t < terms) V::accumulate(acc[g], m[t], V::set(x[p + t]));
    }
#pragma GCC unroll 4
  for (int g = 0; g < Groups; ++g) V::store(part + first(g), acc[g]);
}

/// The same for the last few rows, at most `lanes`.
template <class V>
void by_last_rows(index_t rows, index_t depth, const typename V::value* a, index_t stride, const typename V::value* x,
                  typename V::value* part) {
  constexpr index_t lanes = V::lanes;
  typename V::reg acc = V::load(part, rows);
  for (index_t p = 0; p < depth; p += lanes) {
    const index_t terms = smaller(lanes, depth - p);
    typename V::reg m[lanes];
    load_part_transposed<V>(rows, terms, a + p, stride, m);
#pragma GCC unroll 16
    for (int t = 0; t < lanes; ++t)
      if (t < terms) acc = V::fma(m[t], V::set(x[p + t]), acc);
  }
  V::store(part, acc, rows);
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

/// The same for whole blocks of the canon, side by side in memory: few, as their lines share the first cache's sets.
template <int Blocks, class T>
void block_chains(const T* a, const T* b, T* sums) {
  T acc[Blocks];
  for (int r = 0; r < Blocks; ++r) acc[r] = sums[r];
  for (index_t p = 0; p < tile::canon_block; ++p)
#pragma GCC unroll 8
    for (int r = 0; r < Blocks; ++r) acc[r] = fused(a[r * tile::canon_block + p], b[r * tile::canon_block + p], acc[r]);
  for (int r = 0; r < Blocks; ++r) sums[r] = acc[r];
}

template <class T>
void multiply_add_blocks(index_t terms, const T* a, index_t stride_k, const T* x, index_t stride_x, T* sums) {
  constexpr index_t block = tile::canon_block;
  constexpr int at_once = 4;
  const index_t whole = terms / block;
  index_t b = 0;
  if (stride_k == 1 && stride_x == 1) {
    for (; b + at_once <= whole; b += at_once) block_chains<at_once>(a + b * block, x + b * block, sums + b);
    for (; b + 2 <= whole; b += 2) block_chains<2>(a + b * block, x + b * block, sums + b);
  }
  all_scalar_chains(whole - b, block, a + b * block * stride_k, block * stride_k, stride_k, x + b * block * stride_x,
                    block * stride_x, stride_x, sums + b);
  if (const index_t rest = terms - whole * block; rest > 0)
    all_scalar_chains(index_t{1}, rest, a + whole * block * stride_k, 0, stride_k, x + whole * block * stride_x, 0,
                      stride_x, sums + whole);
}

/// Rows that a few passes over x leave over: too few for a vector.
template <class V>
void by_rows_left(index_t outputs, index_t depth, const typename V::value* a, index_t stride,
                  const typename V::value* x, typename V::value* part) {
  if (outputs > 2)
    by_last_rows<V>(outputs, depth, a, stride, x, part);
  else if (outputs > 0)
    all_scalar_chains(outputs, depth, a, stride, 1, x, 0, 1, part);
}

template <class V>
void all_cached_rows(index_t outputs, index_t depth, const typename V::value* a, index_t stride,
                     const typename V::value* x, typename V::value* part) {
  constexpr index_t lanes = V::lanes;
  constexpr int groups = lanes == 8 ? 3 : 4;
  static constexpr decltype(&by_cached_rows<V, 1>) by_groups[] = {by_cached_rows<V, 1>, by_cached_rows<V, 2>,
                                                                  by_cached_rows<V, 3>, by_cached_rows<V, groups>};
  if (outputs < lanes) return by_rows_left<V>(outputs, depth, a, stride, x, part);
  index_t vectors = (outputs + lanes - 1) / lanes, live;
  for (index_t o = 0; vectors > 0; vectors -= live, o += live * lanes) {
    live = next_share(vectors, groups);  // one alone only where there is no other: then its rows fill it
    by_groups[live - 1](smaller(live * lanes, outputs - o), depth, a + o * stride, stride, x, part + o);
  }
}

template <class V>
void multiply_add_vector(index_t outputs, index_t depth, const typename V::value* a, index_t stride_output,
                         index_t stride_k, bool from_memory, const typename V::value* x, typename V::value* part) {
  if (outputs <= 0 || depth <= 0) return;
  if (stride_output == 1) return by_columns<V>(outputs, depth, a, stride_k, x, part);
  if (stride_k != 1) return all_scalar_chains(outputs, depth, a, stride_output, stride_k, x, 0, 1, part);
  if (!from_memory) return all_cached_rows<typename V::narrow>(outputs, depth, a, stride_output, x, part);
  constexpr int groups = V::lanes < 16 ? 16 / V::lanes : 1;
  constexpr index_t rows = groups * V::lanes;
  const bool short_rows = depth * static_cast<index_t>(sizeof(typename V::value)) <= longest_short_row;
  const auto add_rows = short_rows ? by_rows<V, groups, fetch::next_rows> : by_rows<V, groups, fetch::ahead>;
  index_t o = 0;
  for (; o + rows <= outputs; o += rows)
    add_rows(depth, a + o * stride_output, stride_output, x, part + o, o + rows < outputs);
  for (; o + V::lanes <= outputs; o += V::lanes)
    by_rows<V, 1, fetch::ahead>(depth, a + o * stride_output, stride_output, x, part + o, o + V::lanes < outputs);
  by_rows_left<V>(outputs - o, depth, a + o * stride_output, stride_output, x, part + o);
}

}  // namespace
}  // namespace abax::openmp

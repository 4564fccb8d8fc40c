// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The matrix-vector product: many chains side by side, one to a lane.
#include "abax/detail/tile/canon_block.hpp"
#include "scalar.hpp"

namespace abax::openmp {
namespace {

// Hardware follows only few streams, and short ones not at all: rows and columns of real numbers are fetched into the
// second cache by software. (Into the first, whose misses hold up all others, that is slower.)

/// Bytes ahead of its use that a row is fetched.
inline constexpr index_t fetched_ahead = 1024;

/// Whether rows take less time one by one than transposed: they have few terms, and begin so near one another that
/// hardware follows them.
template <class T>
bool multiplies_one_by_one(index_t terms, index_t stride) {
  constexpr index_t most_terms = sizeof(T) == 8 ? 5 : 3, near = 1024 / sizeof(T);
  return terms <= most_terms && -near < stride && stride < near;
}

/// Bytes of whole rows or columns ahead of their use that they are fetched, at least.
inline constexpr index_t fetched_lines = 8192;

/// part[i] <- chain over `Group` neighbouring columns; the sums stay in the first cache between groups. As many columns
/// `next` columns further on are fetched, unless that is 0.
template <class V, int Group>
void add_columns(index_t outputs, const typename V::value* a, index_t stride_k, const typename V::value* x,
                 typename V::value* part, index_t next = 0) {
  typename V::reg xs[Group];
#pragma GCC unroll 8
  for (int g = 0; g < Group; ++g) xs[g] = V::set(x[g]);
  const auto fetch = [&](index_t i) __attribute__((always_inline)) {
    if (next > 0)
#pragma GCC unroll 8
      for (int g = 0; g < Group; ++g) V::prefetch_second(a + (next + g) * stride_k + i);
  };
  index_t i = 0;
  for (; i + V::lanes <= outputs; i += V::lanes) {
    fetch(i);
    typename V::reg acc = V::load(part + i);
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) acc = V::fma(V::load(a + g * stride_k + i), xs[g], acc);
    V::store(part + i, acc);
  }
  if (const index_t rest = outputs - i; rest > 0) {
    fetch(i);
    typename V::reg acc = V::load(part + i, rest);
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) acc = V::fma(V::load(a + g * stride_k + i, rest), xs[g], acc);
    V::store(part + i, acc, rest);
  }
}

/// The columns of a are contiguous. Short ones without gaps are one stream to hardware.
template <class V>
void by_columns(index_t outputs, index_t depth, const typename V::value* a, index_t stride_k,
                const typename V::value* x, typename V::value* part) {
  constexpr index_t size = sizeof(typename V::value), group = 8;
  const index_t bytes = depth > 1 ? (stride_k < 0 ? -stride_k : stride_k) * size : 0;  // one column's may be any number
  const bool fetches = bytes >= 256 || bytes >= outputs * size + 64;
  const index_t fetched = fetches ? larger<index_t>(group, fetched_lines / bytes) : 0;
  fetch_runs<V>(smaller(fetched, depth), outputs, a, stride_k);
  index_t p = 0;
  for (; p + group <= depth; p += group) {
    const index_t next = p + fetched < depth ? smaller(fetched, depth - group - p) : 0;
    add_columns<V, group>(outputs, a + p * stride_k, stride_k, x + p, part, next);
  }
  if (depth - p >= 4) {
    add_columns<V, 4>(outputs, a + p * stride_k, stride_k, x + p, part);
    p += 4;
  }
  for (; p < depth; ++p) add_columns<V, 1>(outputs, a + p * stride_k, stride_k, x + p, part);
}

/// x[t] <- value t of each of the rows of a, of which there are at most `lanes`, as are terms: +0 past both.
template <class V>
[[gnu::always_inline]] inline void load_part_transposed(index_t rows, index_t terms, const typename V::value* a,
                                                        index_t stride, typename V::reg (&x)[V::lanes]) {
#pragma GCC unroll 16
  for (int i = 0; i < V::lanes; ++i) x[i] = i < rows ? V::load(a + i * stride, terms) : V::zero();
  V::transpose(x);
}

/// Few right-hand sides, element p of the j-th at (p, j), and as many parts, part(i, j) = part[i + j stride_part].
template <class T>
struct right_hand_sides {
  const T* data;
  index_t stride_k, stride_col;
  [[gnu::always_inline]] const T* at(index_t p, int j) const { return data + p * stride_k + j * stride_col; }
};
/// One, whose elements are contiguous.
template <class T>
struct right_hand_side {
  const T* data;
  [[gnu::always_inline]] const T* at(index_t p, int) const { return data + p; }
};

/// part(i, j) <- chain of row i and right-hand side j; the rows of a are contiguous. Shuffles and loads are the limit:
/// a term of x is loaded once for all rows, and half a vector's worth of terms is transposed at a time. If rows do not
/// fill the vectors, the last vector has some of the rows of the one before as well: their sums are the same in both.
/// Fetched are, if `long_rows`, these rows' own terms; and as many rows `next` rows further on, unless that is 0.
template <class V, int Groups, int Cols, class X>
void by_rows(index_t rows, index_t depth, const typename V::value* a, index_t stride, X x, typename V::value* part,
             index_t stride_part, bool long_rows, index_t next) {
  using T = typename V::value;
  constexpr index_t lanes = V::lanes, half = lanes / 2, line = 64 / index_t(sizeof(T));
  const auto first = [rows](int g) { return g + 1 < Groups ? g * lanes : rows - lanes; };
  const T* group[Groups];
  typename V::reg acc[Groups][Cols];
#pragma GCC unroll 4
  for (int g = 0; g < Groups; ++g) {
    group[g] = a + first(g) * stride;
#pragma GCC unroll 4
    for (int j = 0; j < Cols; ++j) acc[g][j] = V::load(part + first(g) + j * stride_part);
  }
  const auto fetch = [&](index_t p) __attribute__((always_inline)) {
    if (p % line != 0) return;
    if (long_rows)
#pragma GCC unroll 4
      for (int g = 0; g < Groups; ++g)
#pragma GCC unroll 8
        for (index_t r = 0; r < lanes; ++r) V::prefetch_second(ahead(group[g] + r * stride + p, fetched_ahead));
    if (next > 0)
#pragma GCC unroll 32
      for (index_t r = 0; r < Groups * lanes; ++r) V::prefetch_second(a + (next + r) * stride + p);
  };
  index_t p = 0;
  for (; p + half <= depth; p += half) {
    fetch(p);
    typename V::reg xs[half][Cols];
#pragma GCC unroll 8
    for (int t = 0; t < half; ++t)
#pragma GCC unroll 4
      for (int j = 0; j < Cols; ++j) xs[t][j] = V::set(*x.at(p + t, j));
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
      typename V::reg m[half];
      V::load_half_transposed(rows_from(group[g] + p, stride), m);
#pragma GCC unroll 8
      for (int t = 0; t < half; ++t)
#pragma GCC unroll 4
        for (int j = 0; j < Cols; ++j) V::accumulate(acc[g][j], m[t], xs[t][j]);
    }
  }
  if (const index_t terms = depth - p; terms > 0) {
    fetch(p);
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
      typename V::reg m[lanes];
      load_part_transposed<V>(lanes, terms, group[g] + p, stride, m);
#pragma GCC unroll 4
      for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 8
        for (int t = 0; t < half; ++t)
          if (t < terms) V::accumulate(acc[g][j], m[t], V::set(*x.at(p + t, j)));
    }
  }
#pragma GCC unroll 4
  for (int g = 0; g < Groups; ++g)
#pragma GCC unroll 4
    for (int j = 0; j < Cols; ++j) V::store(part + first(g) + j * stride_part, acc[g][j]);
}

/// The same for the last few rows, at most `lanes`.
template <class V, int Cols, class X>
void by_last_rows(index_t rows, index_t depth, const typename V::value* a, index_t stride, X x, typename V::value* part,
                  index_t stride_part) {
  constexpr index_t lanes = V::lanes;
  typename V::reg acc[Cols];
#pragma GCC unroll 4
  for (int j = 0; j < Cols; ++j) acc[j] = V::load(part + j * stride_part, rows);
  for (index_t p = 0; p < depth; p += lanes) {
    const index_t terms = smaller(lanes, depth - p);
    typename V::reg m[lanes];
    load_part_transposed<V>(rows, terms, a + p, stride, m);
#pragma GCC unroll 16
    for (int t = 0; t < lanes; ++t)
      if (t < terms)
#pragma GCC unroll 4
        for (int j = 0; j < Cols; ++j) acc[j] = V::fma(m[t], V::set(*x.at(p + t, j)), acc[j]);
  }
#pragma GCC unroll 4
  for (int j = 0; j < Cols; ++j) V::store(part + j * stride_part, acc[j], rows);
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

/// Blocks of the canon of a few rows, whose terms are contiguous, in the lanes of vectors: `depth` terms of the first
/// `blocks` blocks of `rows` rows of a, sums[r stride_sums + b] <- chain of block b of row r. Lanes that are left over
/// repeat the last row or block.
template <class V, int Rows, int Chains>
void by_blocks(index_t rows, index_t blocks, index_t depth, const typename V::value* a, index_t stride,
               const typename V::value* x, typename V::value* sums, index_t stride_sums) {
  using T = typename V::value;
  constexpr index_t lanes = V::lanes, half = lanes / 2, line = 64 / index_t(sizeof(T));
  constexpr int vectors = Chains / lanes;
  const T *of_a[Chains], *of_x[Chains];
  T *sum[Chains], own[Chains];
  for (int c = 0; c < Chains; ++c) {
    const index_t r = smaller<index_t>(c % Rows, rows - 1), b = smaller<index_t>(c / Rows, blocks - 1);
    of_a[c] = a + r * stride + b * tile::canon_block;
    of_x[c] = x + b * tile::canon_block;
    sum[c] = sums + r * stride_sums + b;
    own[c] = *sum[c];
  }
  typename V::reg acc[vectors];
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) acc[v] = V::load(own + v * lanes);
  index_t p = 0;
  for (; p + half <= depth; p += half) {
    if (p % line == 0) {
#pragma GCC unroll 8
      for (int c = 0; c < Chains; ++c) V::prefetch_second(ahead(of_a[c] + p, fetched_ahead));
#pragma GCC unroll 8
      for (int c = 0; c < Chains; c += Rows) V::prefetch_second(ahead(of_x[c] + p, fetched_ahead));
    }
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      typename V::reg m[half], xs[half];
      V::load_half_transposed([&](index_t l) { return of_a[v * lanes + l] + p; }, m);
      if constexpr (Rows % lanes == 0)
#pragma GCC unroll 4
        for (int t = 0; t < half; ++t) xs[t] = V::set(of_x[v * lanes][p + t]);
      else
        V::load_half_transposed([&](index_t l) { return of_x[v * lanes + l] + p; }, xs);
#pragma GCC unroll 4
      for (int t = 0; t < half; ++t) V::accumulate(acc[v], m[t], xs[t]);
    }
  }
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) V::store(own + v * lanes, acc[v]);
  for (int c = 0; c < Chains; ++c) {
    for (index_t q = p; q < depth; ++q) own[c] = fused(of_a[c][q], of_x[c][q], own[c]);
    *sum[c] = own[c];
  }
}

/// The last block may be shorter: as long as it lasts, its chains run beside those before it. No more than eight chains
/// at a time: their lines share the first cache's sets.
template <class V, int Rows>
void all_blocks(index_t rows, index_t terms, const typename V::value* a, index_t stride, const typename V::value* x,
                typename V::value* sums, index_t stride_sums) {
  constexpr int chains = 8;
  constexpr index_t block = tile::canon_block, most = chains / Rows;
  for (index_t b = 0; b * block < terms; b += most) {
    const auto add = [&](index_t blocks, index_t from, index_t depth) {
      if (blocks == 0 || depth == 0) return;
      const index_t p = b * block + from, live = rows * blocks;
      if (live > 2) {
        const auto add_blocks = blocks * Rows <= V::lanes ? by_blocks<V, Rows, V::lanes> : by_blocks<V, Rows, chains>;
        return add_blocks(rows, blocks, depth, a + p, stride, x + p, sums + b, stride_sums);
      }
      const bool by_row = rows > 1;  // one or two chains: each as fast as its own latency
      auto *const sum = sums + b, *const second = sum + (by_row ? stride_sums : live - 1);
      typename V::value own[] = {*sum, *second};
      all_scalar_chains(live, depth, a + p, by_row ? stride : block, 1, x + p, by_row ? 0 : block, 1, own);
      *second = own[live - 1];
      *sum = own[0];
    };
    const index_t here = smaller(terms - b * block, most * block), whole = here / block, rest = here % block;
    add(whole + 1, 0, rest);
    add(whole, rest, block - rest);
  }
}

template <class V>
void multiply_add_blocks(index_t outputs, index_t terms, const typename V::value* a, index_t stride_output,
                         index_t stride_k, const typename V::value* x, index_t stride_x, typename V::value* sums) {
  if (outputs <= 0) return;
  using narrow = typename V::narrow;
  constexpr index_t block = tile::canon_block;
  const index_t whole = terms / block, rest = terms % block, blocks = whole + (rest > 0 ? 1 : 0);
  if (stride_k == 1 && stride_x == 1) {
    const auto add = outputs == 1   ? all_blocks<narrow, 1>
                     : outputs == 2 ? all_blocks<narrow, 2>
                                    : all_blocks<narrow, most_outputs_of_blocks>;
    return add(outputs, terms, a, stride_output, x, sums, blocks);
  }
  for (index_t i = 0; i < outputs; ++i, a += stride_output, sums += blocks) {
    all_scalar_chains(whole, block, a, block * stride_k, stride_k, x, block * stride_x, stride_x, sums);
    if (rest > 0)
      all_scalar_chains(index_t{1}, rest, a + whole * block * stride_k, 0, stride_k, x + whole * block * stride_x, 0,
                        stride_x, sums + whole);
  }
}

/// Rows that a few passes over x leave over: too few for a vector. One or two chains alone are as fast as their
/// latency.
template <class V, int Cols, class X>
void by_rows_left(index_t outputs, index_t depth, const typename V::value* a, index_t stride, X x,
                  typename V::value* part, index_t stride_part) {
  if (outputs > 2 || (Cols > 1 && outputs > 0))
    by_last_rows<V, Cols>(outputs, depth, a, stride, x, part, stride_part);
  else if (outputs > 0)
    all_scalar_chains(outputs, depth, a, stride, 1, x.at(0, 0), 0, 1, part);
}

/// Rows that are taken at a time share the sets of the first cache by no more lines than it has places for, or else
/// each line would be fetched anew for every few of its terms.
template <class V>
index_t groups_of_rows(index_t stride, index_t most) {
  constexpr index_t way = 4096, ways = 8;  // of the first cache: a way's bytes, and how many are used
  const index_t bytes = stride * index_t(sizeof(typename V::value)) | way, apart = bytes & -bytes;
  return larger<index_t>(1, smaller(most, ways * (way / apart) / V::lanes));
}

/// Vectors of rows that are taken at a time, as registers allow.
template <class V, int Cols>
inline constexpr int groups_by_rows = Cols > 2                     ? 2
                                      : V::lanes == 8 && Cols == 1 ? 3
                                                                   : 4;

/// The rows of a are contiguous.
template <class V, int Cols, class X>
void all_rows(index_t outputs, index_t depth, const typename V::value* a, index_t stride, X x, typename V::value* part,
              index_t stride_part) {
  constexpr index_t lanes = V::lanes, size = sizeof(typename V::value);
  constexpr int groups = groups_by_rows<V, Cols>;
  // A single row's stride may be any number.
  if (outputs < lanes) return by_rows_left<V, Cols>(outputs, depth, a, stride, x, part, stride_part);
  static constexpr decltype(&by_rows<V, 1, Cols, X>) by_groups[] = {by_rows<V, 1, Cols, X>, by_rows<V, 2, Cols, X>,
                                                                    by_rows<V, smaller(groups, 3), Cols, X>,
                                                                    by_rows<V, groups, Cols, X>};
  const index_t most = groups_of_rows<V>(stride, groups), bytes = (stride < 0 ? -stride : stride) * size;
  const bool fetches = bytes > 64;  // shorter rows are one stream
  const index_t fetched = fetches ? larger<index_t>(groups * lanes, fetched_lines / bytes) : 0;
  fetch_runs<V>(smaller(fetched, outputs), smaller(depth, fetched_ahead / size), a, stride);
  for (index_t o = 0, rows = 0; o < outputs; o += rows) {
    const index_t left = outputs - o, live = next_share((left + lanes - 1) / lanes, most);
    if (left < lanes) return by_rows_left<V, Cols>(left, depth, a + o * stride, stride, x, part + o, stride_part);
    rows = smaller(live * lanes, left);
    const bool long_rows = o < fetched && depth * size > fetched_ahead;
    const index_t next = fetches && o + fetched < outputs ? smaller(fetched, left - rows) : 0;
    by_groups[live - 1](rows, depth, a + o * stride, stride, x, part + o, stride_part, long_rows, next);
  }
}

template <class V>
void multiply_add_vector(index_t outputs, index_t depth, const typename V::value* a, index_t stride_output,
                         index_t stride_k, const typename V::value* x, typename V::value* part) {
  if (outputs <= 0 || depth <= 0) return;
  if (stride_output == 1) return by_columns<V>(outputs, depth, a, stride_k, x, part);
  if (stride_k != 1 || multiplies_one_by_one<typename V::value>(depth, stride_output))
    return all_scalar_chains(outputs, depth, a, stride_output, stride_k, x, 0, 1, part);
  all_rows<typename V::narrow, 1>(outputs, depth, a, stride_output, right_hand_side<typename V::value>{x}, part, 0);
}

}  // namespace
}  // namespace abax::openmp

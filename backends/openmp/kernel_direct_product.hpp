// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The matrix product of operands that are read where they lie: a kernel for each number of vectors and columns that a
/// register tile may have.
#include "kernel_pack.hpp"
#include "kernel_product.hpp"
#include "kernel_vector.hpp"

namespace abax::openmp {
namespace {

/// acc <- op(acc, c).
template <class V, int Live, int Cols, bool Whole, class Op>
[[gnu::always_inline]] inline void end_direct_tile(const Op& op, index_t rest, typename V::reg (&acc)[Cols][Live],
                                                   const typename V::value* c, index_t stride_c) {
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 8
    for (int v = 0; v < Live; ++v) {
      typename V::reg old = V::zero();
      if constexpr (Op::reads_old) {
        const auto* in = c + j * stride_c + v * V::lanes;
        old = Whole || v + 1 < Live ? V::load(in) : V::load(in, rest);
      }
      acc[j][v] = op(acc[j][v], old);
    }
}

/// How the last vector of a column is stored.
enum class column_end {
  whole,   ///< all of its lanes are rows
  half,    ///< half of them are, and a half can be stored
  masked,  ///< only those that are rows
  next     ///< all, the others to the next column's first rows, which are stored after them; masked in the last column
};

/// c <- acc. All of c that is needed has been read: a CPU lets a load wait for a store of part of a vector that it
/// seems to overlap.
template <class V, int Live, int Cols, column_end End>
[[gnu::always_inline]] inline void store_direct_tile(index_t rest, const typename V::reg (&acc)[Cols][Live],
                                                     typename V::value* c, index_t stride_c) {
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 8
    for (int v = 0; v < Live; ++v) {
      auto* out = c + j * stride_c + v * V::lanes;
      if constexpr (End == column_end::half) {
        if (v + 1 < Live)
          V::store(out, acc[j][v]);
        else
          V::store_half(out, acc[j][v]);
      } else if (v + 1 < Live || End == column_end::whole || (End == column_end::next && j + 1 < Cols)) {
        V::store(out, acc[j][v]);
      } else {
        V::store(out, acc[j][v], rest);
      }
    }
}

/// Where item i begins, which its operands' addresses point at already unless there are pointers ...
template <class T>
[[gnu::always_inline]] inline void begin_item(const direct_items<T>& items, index_t i, const T*& a, const T*& b,
                                              T*& c) {
  if (items.c_at == nullptr) return;
  a = items.a_at[i];
  b = items.b_at[i];
  c = items.c_at[i];
}
/// ... and on to the next.
template <class T>
[[gnu::always_inline]] inline void end_item(const direct_items<T>& items, const T*& a, const T*& b, T*& c) {
  a = moved(a, items.step_a);  // a single item's steps may be any numbers
  b = moved(b, items.step_b);
  c = moved(c, items.step_c);
}

/// Whether no chain has ended as a NaN.
template <class V, int Live, int Cols>
[[gnu::always_inline]] inline bool all_numbers(const typename V::reg (&acc)[Cols][Live]) {
  constexpr int count = Cols * Live, last = count - 1;
  auto found = V::numbers();
#pragma GCC unroll 16
  for (int n = 0; n < count; n += 2) {
    const int other = n < last ? n + 1 : last;
    found = V::numbers(found, acc[n / Live][n % Live], acc[other / Live][other % Live]);
  }
  return V::all_numbers(found);
}

/// acc <- acc + av b for columns from J on.
template <class V, int Term, int J, int Live, int Cols>
[[gnu::always_inline]] inline void add_direct_columns(const typename V::reg (&av)[Live],
                                                      const own_columns<typename V::value, Cols>& b,
                                                      typename V::reg (&acc)[Cols][Live]) {
  if constexpr (Live == 1) {
    b.template accumulate<V, Term, J>(acc[J][0], av[0]);
  } else {
    const typename V::reg bv = b.template set<V, Term, J>();
#pragma GCC unroll 8
    for (int v = 0; v < Live; ++v) V::accumulate(acc[J][v], av[v], bv);
  }
  if constexpr (J + 1 < Cols) add_direct_columns<V, Term, J + 1>(av, b, acc);
}

/// acc <- acc + a b for terms from `Term` to `Terms` of those that a and b point at; a then points behind them.
template <class V, bool Whole, int Terms, int Term, int Live, int Cols>
[[gnu::always_inline]] inline void add_direct_terms(index_t rest, const typename V::value*& a, index_t stride_a,
                                                    const own_columns<typename V::value, Cols>& b,
                                                    typename V::reg (&acc)[Cols][Live]) {
  typename V::reg av[Live];
#pragma GCC unroll 8
  for (int v = 0; v < Live; ++v)
    av[v] = Whole || v + 1 < Live ? V::load(a + v * V::lanes) : V::load(a + v * V::lanes, rest);
  add_direct_columns<V, Term, 0>(av, b, acc);
  a = moved(a, stride_a);  // a single term's strides may be any numbers
  if constexpr (Term + 1 < Terms) add_direct_terms<V, Whole, Terms, Term + 1>(rest, a, stride_a, b, acc);
}

/// One register tile of each item: Live vectors of rows from a and c on, the last with `rest` rows, and Cols columns
/// from b and c on.
template <class V, int Live, int Cols>
void direct_tile(const direct_product<typename V::value>& product, index_t rest, const typename V::value* a_item,
                 index_t stride_a, const typename V::value* b_item, typename V::value* c,
                 const direct_items<typename V::value>& items) {
  using T = typename V::value;
  constexpr bool halves = V::narrow::lanes == V::lanes / 2;
  constexpr int together = 4;
  const index_t stride_k = product.stride_k;
  for (index_t i = 0; i < items.count; ++i) {
    begin_item(items, i, a_item, b_item, c);
    const T* a = a_item;
    index_t stride_c = product.stride_c;
    asm("" : "+r"(stride_c));  // left alone, the compiler keeps its multiples, for which there are no registers
    own_columns<T, Cols> column(b_item, 0, 0, product.stride_b);
    typename V::reg acc[Cols][Live];
#pragma GCC unroll 16
    for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 8
      for (int v = 0; v < Live; ++v) acc[j][v] = V::zero();
    index_t p = product.k;
    if (stride_k == 1 && rest == V::lanes) {
      for (; p >= together; p -= together) {
        add_direct_terms<V, true, together, 0>(rest, a, stride_a, column, acc);
        column.advance(together);
      }
    } else if (stride_k == 1) {
      for (; p >= together; p -= together) {
        add_direct_terms<V, false, together, 0>(rest, a, stride_a, column, acc);
        column.advance(together);
      }
    }
    for (; p > 0; --p) {
      add_direct_terms<V, false, 1, 0>(rest, a, stride_a, column, acc);
      column.advance(stride_k);
    }
    const auto end = [&](const auto& op) __attribute__((always_inline)) {
      if (std::decay_t<decltype(op)>::reads_old && rest == V::lanes)
        end_direct_tile<V, Live, Cols, true>(op, rest, acc, c, stride_c);
      else
        end_direct_tile<V, Live, Cols, false>(op, rest, acc, c, stride_c);
    };
    if (product.beta != 0)
      end(update<V>(product.alpha, product.beta));
    else if (product.alpha != 1)
      end(scale<V>(product.alpha, product.beta));
    else if (!all_numbers<V>(acc))
      end(identity<V>());
    // Where columns lie one behind the other, what follows one is the next, of this tile but for the last. A masked
    // store takes as long as several others.
    const index_t rows = (Live - 1) * V::lanes + rest;
    const bool next_is_own = stride_c == rows && V::lanes - rest <= rows;
    if (rest == V::lanes)
      store_direct_tile<V, Live, Cols, column_end::whole>(rest, acc, c, stride_c);
    else if (halves && rest == V::narrow::lanes)
      store_direct_tile<V, Live, Cols, halves ? column_end::half : column_end::masked>(rest, acc, c, stride_c);
    else if (next_is_own)
      store_direct_tile<V, Live, Cols, column_end::next>(rest, acc, c, stride_c);
    else
      store_direct_tile<V, Live, Cols, column_end::masked>(rest, acc, c, stride_c);
    end_item(items, a_item, b_item, c);
  }
}

/// So many elements in the fewest shares of at most `most`, as even as can be: the first `large` of `size`, the others
/// of one less. A single share is found without divisions, which small products would wait for.
struct shares {
  index_t count, size, large;

  shares(index_t elements, index_t most)
      : count(elements <= most ? elements > 0 : (elements + most - 1) / most),
        size(count <= 1 ? elements : (elements + count - 1) / count),
        large(elements - count * (size - 1)) {}
  index_t operator[](index_t share) const { return share < large ? size : size - 1; }
};

/// The register tiles of V: `Vectors` vectors and `Accumulators` accumulators at most or, where a CPU has 32 registers,
/// one more vector and as many accumulators as there is room for.
template <class V, int Vectors, int Accumulators>
struct direct_tiles {
  static constexpr bool has_many = V::registers == 32;
  static constexpr int widest = Vectors > 1 && has_many ? Vectors + 1 : Vectors;
  /// Columns of a tile of so many vectors, at most: a term takes a register for each of these and one for b.
  static constexpr int cols(int live) {
    const int most = (has_many ? V::registers - 1 - live : Accumulators) / live;
    return most < 16 ? most : 16;
  }

  using tile = void (*)(const direct_product<typename V::value>&, index_t rest, const typename V::value* a,
                        index_t stride_a, const typename V::value* b, typename V::value* c,
                        const direct_items<typename V::value>&);
  struct table {
    tile of[widest][cols(1)];
    index_t most_cols[widest];  // cols(), which would divide, of so many vectors and one
  };
  template <int Live, int Cols>
  static constexpr void fill(table& t) {
    t.of[Live - 1][Cols - 1] = direct_tile<V, Live, Cols>;
    if constexpr (Cols > 1) {
      fill<Live, Cols - 1>(t);
    } else {
      t.most_cols[Live - 1] = cols(Live);
      if constexpr (Live > 1) fill<Live - 1, cols(Live - 1)>(t);
    }
  }
  static constexpr table all = [] {
    table t{};
    fill<widest, cols(widest)>(t);
    return t;
  }();

  /// What tiles of up to `most` vectors load for each term of a product of so many vectors and columns, and what their
  /// beginnings and ends take.
  static index_t cost(index_t vectors, index_t n, index_t most) {
    const shares down(vectors, most), across(n, all.most_cols[down.size - 1]);
    return across.count * vectors + down.count * n + 8 * down.count * across.count;
  }
  /// The most vectors of a tile of such a product.
  static index_t most_vectors(index_t vectors, index_t n) {
    if (widest == Vectors || vectors <= Vectors) return Vectors;
    return cost(vectors, n, widest) < cost(vectors, n, Vectors) ? widest : Vectors;
  }
};

/// A product of few terms; A's columns are contiguous.
template <class V, int Vectors, int Accumulators>
void direct_columns(const direct_product<typename V::value>& p) {
  using tiles = direct_tiles<V, Vectors, Accumulators>;
  const index_t vectors = (p.m + V::lanes - 1) / V::lanes;
  const shares down(vectors, Vectors), across(p.n, tiles::cols(Vectors));
  // Of a column of tiles the last alone may have part of a vector.
  const index_t large = down.large - (down.large == down.count), last = down[down.count - 1];
  for (index_t s = 0, j = 0; s < across.count; j += across[s++]) {
    const auto panels = [&](index_t v, index_t live, index_t count, index_t rest) {
      const index_t i = v * V::lanes, step = live * V::lanes;
      if (count > 0)
        tiles::all.of[live - 1][across[s] - 1](p, rest, p.a + i, p.stride_a, p.b + j * p.stride_b,
                                               p.c + i + j * p.stride_c,
                                               {.count = count, .step_a = step, .step_c = step});
    };
    panels(0, down.size, large, V::lanes);
    panels(large * down.size, down.size - 1, down.count - 1 - large, V::lanes);
    panels(vectors - last, last, 1, p.m - (vectors - 1) * V::lanes);
  }
}

/// The same for any A: where its rows are contiguous, as many of them at a time as their panel has room.
template <class V, int Vectors, int Accumulators>
void direct_chunks(const direct_product<typename V::value>& p) {
  if (p.packed == nullptr) return direct_columns<V, Vectors, Accumulators>(p);
  constexpr index_t lanes = V::lanes, chunk = Vectors * lanes * (packed_terms(0) / few_terms);
  for (index_t i = 0; i < p.m; i += chunk) {
    direct_product<typename V::value> rows = p;
    rows.m = smaller(chunk, p.m - i);
    rows.c = p.c + i;
    rows.a = p.packed;
    rows.stride_a = (rows.m + lanes - 1) / lanes * lanes;
    rows.packed = nullptr;
    for (index_t v = 0; v < rows.m; v += lanes)
      pack_transposed<V>(rows.m - v, p.k, p.a + (i + v) * p.stride_a, p.stride_a, rows.stride_a, p.packed + v);
    direct_columns<V, Vectors, Accumulators>(rows);
  }
}

/// alpha (chain over p of a[i + p stride_a] b[p stride_k]) for `Vectors` vectors of rows of one column, of which the
/// last has `rest` rows, to `store_vector`.
template <class V, int Vectors, class Store>
[[gnu::always_inline]] inline void column_part(const direct_product<typename V::value>& p, index_t rest,
                                               const typename V::value* a, const typename V::value* b,
                                               const Store& store_vector) {
  const scale<V> op(p.alpha, p.beta);
  typename V::reg sums[Vectors];
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v) sums[v] = V::zero();
  for (index_t q = 0; q < p.k; ++q, a = moved(a, p.stride_a), b = moved(b, p.stride_k)) {
    const typename V::reg value = V::set(*b);
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      const auto* at = a + v * V::lanes;
      V::accumulate(sums[v], rest == V::lanes || v + 1 < Vectors ? V::load(at) : V::load(at, rest), value);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v) store_vector(v * V::lanes, op(sums[v], V::zero()));
}

/// A product of few terms whose C goes past the caches: column by column, in whole lines. A's columns are contiguous.
template <class V>
void columns_past_caches(const direct_product<typename V::value>& p) {
  constexpr int at_once = 8;
  constexpr index_t lanes = V::lanes;
  for (index_t j = 0; j < p.n; ++j) {
    const auto* b = p.b + j * p.stride_b;
    auto* c = p.c + j * p.stride_c;
    const auto masked = [&](index_t i, index_t end) {
      for (; i < end; i += lanes) {
        const index_t rest = smaller(lanes, end - i);
        column_part<V, 1>(p, rest, p.a + i, b, [&](index_t v, auto r) { V::store(c + i + v, r, rest); });
      }
    };
    index_t i = smaller(p.m, to_next_line(c));
    masked(0, i);
    const auto whole = [&](index_t v, auto r) { V::store_nontemporal(c + i + v, r); };
    for (; i + at_once * lanes <= p.m; i += at_once * lanes) column_part<V, at_once>(p, lanes, p.a + i, b, whole);
    for (; i + lanes <= p.m; i += lanes) column_part<V, 1>(p, lanes, p.a + i, b, whole);
    masked(i, p.m);
  }
  V::fence();
}

template <class V, int Vectors, int Accumulators>
void direct_panels(const direct_product<typename V::value>& p) {
  using T = typename V::value;
  using tiles = direct_tiles<V, Vectors, Accumulators>;
  if (p.k <= few_terms && p.m > Vectors * V::lanes) return direct_chunks<V, Vectors, Accumulators>(p);
  const index_t vectors = (p.m + V::lanes - 1) / V::lanes;
  const shares down(vectors, p.packed == nullptr ? tiles::most_vectors(vectors, p.n) : Vectors);
  for (index_t s = 0, i = 0; s < down.count; i += down[s++] * V::lanes) {
    const index_t live = down[s], rest = smaller<index_t>(p.m - i - (live - 1) * V::lanes, V::lanes);
    const T* a = p.a + i;
    index_t stride_a = p.stride_a;
    if (p.packed != nullptr) {
      a = p.a + i * p.stride_a;
      for (index_t v = 0; v < live; ++v)
        pack_transposed<V>(p.m - i - v * V::lanes, p.k, a + v * V::lanes * p.stride_a, p.stride_a, live * V::lanes,
                           p.packed + v * V::lanes);
      a = p.packed;
      stride_a = live * V::lanes;
    }
    const shares across(p.n, tiles::all.most_cols[live - 1]);
    const auto columns = [&](index_t j, index_t cols, index_t count) {
      if (count > 0)
        tiles::all.of[live - 1][cols - 1](p, rest, a, stride_a, p.b + j * p.stride_b, p.c + i + j * p.stride_c,
                                          {.count = count, .step_b = cols * p.stride_b, .step_c = cols * p.stride_c});
    };
    columns(0, across.size, across.large);
    columns(across.large * across.size, across.size - 1, across.count - across.large);
  }
}

/// Whether A, whose rows are contiguous, is transposed in registers as it is read: a panel of it would not be read
/// often enough to be worth its stores.
template <class T>
bool has_few_right_hand_sides(const direct_product<T>& p) {
  constexpr index_t least_terms = sizeof(T) == 8 ? 64 : few_terms;
  return p.packed != nullptr && 1 < p.n && p.n <= 4 && p.k > least_terms;
}

/// Such a product, a strip of rows after another, whose sums stay in the first cache.
template <class V, int Cols>
void strips_of_rows(const direct_product<typename V::value>& p) {
  using T = typename V::value;
  constexpr index_t most = 256;
  alignas(64) T sums[Cols * most];
  for (index_t i = 0; i < p.m; i += most) {
    const index_t here = smaller(most, p.m - i);
    for (int j = 0; j < Cols; ++j)
      for (index_t s = 0; s < here; s += V::lanes) V::store(sums + j * most + s, V::zero());
    all_rows<typename V::narrow, Cols>(here, p.k, p.a + i * p.stride_a, p.stride_a,
                                       right_hand_sides<T>{p.b, p.stride_k, p.stride_b}, sums, most);
    for (int j = 0; j < Cols; ++j) store_vector<V>(here, sums + j * most, p.alpha, p.beta, p.c + i + j * p.stride_c, 1);
  }
}

template <class V, int Vectors, int Cols>
void multiply_store(const direct_product<typename V::value>& product) {
  using narrow = typename V::narrow;
  if (product.past_caches) return columns_past_caches<V>(product);
  if (has_few_right_hand_sides(product))
    return product.n == 2   ? strips_of_rows<V, 2>(product)
           : product.n == 3 ? strips_of_rows<V, 3>(product)
                            : strips_of_rows<V, 4>(product);
  if (narrow::lanes < V::lanes && product.m <= narrow::lanes)
    direct_panels<narrow, 1, Vectors * Cols>(product);
  else
    direct_panels<V, Vectors, Vectors * Cols>(product);
}

/// A product by a vector whose outputs and columns of a are contiguous: up to eight vectors of outputs stay in
/// registers from the first term to the epilogue.
template <class V>
void columns_to_registers(const direct_product<typename V::value>& p) {
  constexpr index_t most = 8;
  static constexpr typename direct_tiles<V, 1, 1>::tile tiles[most] = {
      direct_tile<V, 1, 1>, direct_tile<V, 2, 1>, direct_tile<V, 3, 1>, direct_tile<V, 4, 1>,
      direct_tile<V, 5, 1>, direct_tile<V, 6, 1>, direct_tile<V, 7, 1>, direct_tile<V, 8, 1>};
  index_t vectors = (p.m + V::lanes - 1) / V::lanes, live;
  for (index_t i = 0; vectors > 0; vectors -= live, i += live * V::lanes) {
    live = next_share(vectors, most);
    const index_t rest = smaller<index_t>(p.m - i - (live - 1) * V::lanes, V::lanes);
    tiles[live - 1](p, rest, p.a + i, p.stride_a, p.b, p.c + i, {});
  }
}

/// The same for any strides, a strip of outputs after another, whose sums stay in the first cache; x is contiguous.
template <class V>
void strips_of_outputs(const direct_vector_product<typename V::value>& p, const typename V::value* x) {
  using T = typename V::value;
  constexpr index_t most = 1024;
  alignas(64) T sums[most];
  for (index_t i = 0; i < p.outputs; i += most) {
    const index_t here = smaller(most, p.outputs - i);
    for (index_t s = 0; s < here; s += V::lanes) V::store(sums + s, V::zero());
    multiply_add_vector<V>(here, p.depth, p.a + i * p.stride_output, p.stride_output, p.stride_k, x, sums);
    store_vector<V>(here, sums, p.alpha, p.beta, p.y + i * p.stride_y, p.stride_y);
  }
}
template <class V>
[[gnu::noinline]] void strips_of_strided_terms(const direct_vector_product<typename V::value>& p) {
  typename V::value x[tile::canon_block];
  for (index_t q = 0; q < p.depth; ++q) x[q] = p.x[q * p.stride_x];
  strips_of_outputs<V>(p, x);
}

template <class V>
void multiply_store_vector(const direct_vector_product<typename V::value>& p) {
  using T = typename V::value;
  using narrow = typename V::narrow;
  const bool one_pass = p.depth <= few_terms || p.outputs * p.depth <= first_cache / index_t(sizeof(T));
  if (p.stride_output == 1 && p.stride_y == 1 && one_pass) {
    const direct_product<T> product{p.outputs,  1, p.depth, p.a,    p.stride_k, p.x,
                                    p.stride_x, 0, p.alpha, p.beta, p.y,        0};
    if (narrow::lanes < V::lanes && p.outputs <= narrow::lanes)
      columns_to_registers<narrow>(product);
    else
      columns_to_registers<V>(product);
  } else if (p.stride_x == 1) {
    strips_of_outputs<V>(p, p.x);
  } else {
    strips_of_strided_terms<V>(p);
  }
}

}  // namespace
}  // namespace abax::openmp

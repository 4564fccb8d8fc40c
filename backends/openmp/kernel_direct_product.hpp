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

/// One register tile: Live vectors of rows from a and c on, the last with `rest` rows, and Cols columns from b and c
/// on.
template <class V, int Live, int Cols>
void direct_tile(const direct_product<typename V::value>& product, index_t rest, const typename V::value* a,
                 index_t stride_a, const typename V::value* b, typename V::value* c) {
  using T = typename V::value;
  const index_t stride_k = product.stride_k;
  own_columns<T, Cols> column(b, 0, 0, product.stride_b);
  typename V::reg acc[Cols][Live];
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 8
    for (int v = 0; v < Live; ++v) acc[j][v] = V::zero();
  for (index_t p = product.k; p > 0; --p) {
    typename V::reg av[Live];
#pragma GCC unroll 8
    for (int v = 0; v + 1 < Live; ++v) av[v] = V::load(a + v * V::lanes);
    av[Live - 1] = V::load(a + (Live - 1) * V::lanes, rest);
#pragma GCC unroll 16
    for (int j = 0; j < Cols; ++j) {
      if constexpr (Live == 1) {
        V::accumulate_times(acc[j][0], av[0], column.at(0, j));
      } else {
        const typename V::reg bv = V::set(column(0, j));
#pragma GCC unroll 8
        for (int v = 0; v < Live; ++v) V::accumulate(acc[j][v], av[v], bv);
      }
    }
    a = moved(a, stride_a);  // a single term's strides may be any numbers
    column.advance(stride_k);
  }
  const auto end = [&](const auto& op) __attribute__((always_inline)) {
    if (std::decay_t<decltype(op)>::reads_old && rest == V::lanes)
      end_direct_tile<V, Live, Cols, true>(op, rest, acc, c, product.stride_c);
    else
      end_direct_tile<V, Live, Cols, false>(op, rest, acc, c, product.stride_c);
  };
  if (product.beta != 0)
    end(update<V>(product.alpha, product.beta));
  else if (product.alpha != 1)
    end(scale<V>(product.alpha, product.beta));
  else
    end(identity<V>());
  // Where columns lie one behind the other, what follows one is the next, of this tile but for the last. A masked store
  // takes as long as several others.
  const index_t rows = (Live - 1) * V::lanes + rest;
  const bool next_is_own = product.stride_c == rows && V::lanes - rest <= rows;
  if (rest == V::lanes) return store_direct_tile<V, Live, Cols, column_end::whole>(rest, acc, c, product.stride_c);
  if constexpr (V::narrow::lanes == V::lanes / 2)
    if (rest == V::narrow::lanes)
      return store_direct_tile<V, Live, Cols, column_end::half>(rest, acc, c, product.stride_c);
  if (next_is_own) return store_direct_tile<V, Live, Cols, column_end::next>(rest, acc, c, product.stride_c);
  store_direct_tile<V, Live, Cols, column_end::masked>(rest, acc, c, product.stride_c);
}

/// The register tiles of V with at most `Vectors` vectors and as many accumulators as `Accumulators`.
template <class V, int Vectors, int Accumulators>
struct direct_tiles {
  /// Columns of a tile of so many vectors, at most.
  static constexpr int cols(int live) { return Accumulators / live < 16 ? Accumulators / live : 16; }

  using tile = void (*)(const direct_product<typename V::value>&, index_t rest, const typename V::value* a,
                        index_t stride_a, const typename V::value* b, typename V::value* c);
  struct table {
    tile of[Vectors][cols(1)];
  };
  template <int Live, int Cols>
  static constexpr void fill(table& t) {
    t.of[Live - 1][Cols - 1] = direct_tile<V, Live, Cols>;
    if constexpr (Cols > 1)
      fill<Live, Cols - 1>(t);
    else if constexpr (Live > 1)
      fill<Live - 1, cols(Live - 1)>(t);
  }
  static constexpr table all = [] {
    table t{};
    fill<Vectors, cols(Vectors)>(t);
    return t;
  }();
};

/// A product of few terms; A's columns are contiguous.
template <class V, int Vectors, int Accumulators>
void direct_columns(const direct_product<typename V::value>& p) {
  using tiles = direct_tiles<V, Vectors, Accumulators>;
  const index_t vectors = (p.m + V::lanes - 1) / V::lanes;
  index_t cols, live;
  for (index_t j = 0; j < p.n; j += cols) {
    cols = next_share(p.n - j, tiles::cols(Vectors));
    for (index_t v = 0; v < vectors; v += live) {
      live = next_share(vectors - v, Vectors);
      const index_t i = v * V::lanes, rest = smaller<index_t>(p.m - i - (live - 1) * V::lanes, V::lanes);
      tiles::all.of[live - 1][cols - 1](p, rest, p.a + i, p.stride_a, p.b + j * p.stride_b, p.c + i + j * p.stride_c);
    }
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

template <class V, int Vectors, int Accumulators>
void direct_panels(const direct_product<typename V::value>& p) {
  using T = typename V::value;
  using tiles = direct_tiles<V, Vectors, Accumulators>;
  if (p.k <= few_terms && p.m > Vectors * V::lanes) return direct_chunks<V, Vectors, Accumulators>(p);
  index_t vectors = (p.m + V::lanes - 1) / V::lanes, live;
  for (index_t i = 0; vectors > 0; vectors -= live, i += live * V::lanes) {
    live = next_share(vectors, Vectors);
    const index_t rest = smaller<index_t>(p.m - i - (live - 1) * V::lanes, V::lanes);
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
    const typename tiles::tile* const row = tiles::all.of[live - 1];
    const index_t most_cols = live == 1 ? tiles::cols(1) : live == 2 ? tiles::cols(2) : tiles::cols(3);
    index_t cols;
    for (index_t j = 0; j < p.n; j += cols) {
      cols = next_share(p.n - j, most_cols);
      row[cols - 1](p, rest, a, stride_a, p.b + j * p.stride_b, p.c + i + j * p.stride_c);
    }
  }
}

template <class V, int Vectors, int Cols>
void multiply_store(const direct_product<typename V::value>& product) {
  using narrow = typename V::narrow;
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
    tiles[live - 1](p, rest, p.a + i, p.stride_a, p.b, p.c + i);
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
  constexpr index_t first_cache = (1 << 15) / sizeof(T);
  const bool one_pass = p.depth <= few_terms || p.outputs * p.depth <= first_cache;
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

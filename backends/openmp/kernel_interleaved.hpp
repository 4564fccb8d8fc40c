// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of small products whose items are neighbours in memory: a lane of a vector has an item.
#include "kernel_product.hpp"
#include "kernel_stream.hpp"

namespace abax::openmp {
namespace {

/// What the register tiles of a batch share: the terms of a chain, elements between neighbours, and the epilogue.
template <class T>
struct interleaved_product {
  index_t k;
  typename interleaved_batch<T>::template operand<const T> a, b;
  index_t c_row, c_col;
  T alpha, beta;
};

/// How many of a vector's lanes are items, and whose operands are shared, where that is not known before.
struct any_items {
  index_t items;
  template <class V>
  [[gnu::always_inline]] typename V::reg load(const typename V::value* at, bool shared) const {
    return shared ? V::set(*at) : items == V::lanes ? V::load(at) : V::load(at, items);
  }
  template <class V>
  [[gnu::always_inline]] void store(typename V::value* at, typename V::reg v) const {
    if (items == V::lanes)
      V::store(at, v);
    else
      V::store(at, v, items);
  }
};
/// All of them, each with operands of its own.
struct own_items {
  explicit own_items(index_t) {}
  template <class V>
  [[gnu::always_inline]] typename V::reg load(const typename V::value* at, bool) const {
    return V::load(at);
  }
  template <class V>
  [[gnu::always_inline]] void store(typename V::value* at, typename V::reg v) const {
    V::store(at, v);
  }
};

/// c <- op(acc, c).
template <class V, int Rows, int Cols, class Items, class Op>
[[gnu::always_inline]] inline void store_interleaved_tile(const Op& op, const Items& items,
                                                          const typename V::reg (&acc)[Cols][Rows],
                                                          typename V::value* c, index_t c_row, index_t c_col) {
#pragma GCC unroll 8
  for (int y = 0; y < Cols; ++y)
#pragma GCC unroll 8
    for (int x = 0; x < Rows; ++x) {
      auto* const out = c + x * c_row + y * c_col;
      typename V::reg old = V::zero();
      if constexpr (Op::reads_old) old = items.template load<V>(out, false);
      items.template store<V>(out, op(acc[y][x], old));
    }
}

/// c(x, y) <- epilogue(chain over q ascending of a(x, q) b(q, y) from +0), x < Rows, y < Cols, of `count` items, a
/// vector's lanes at most.
template <class V, int Rows, int Cols, class Items>
void interleaved_tile(const interleaved_product<typename V::value>& p, index_t count, const typename V::value* a,
                      const typename V::value* b, typename V::value* c) {
  const Items items{count};
  typename V::reg acc[Cols][Rows];
#pragma GCC unroll 8
  for (int y = 0; y < Cols; ++y)
#pragma GCC unroll 8
    for (int x = 0; x < Rows; ++x) acc[y][x] = V::zero();
  for (index_t q = p.k; q > 0; --q) {
    typename V::reg left[Rows];
#pragma GCC unroll 8
    for (int x = 0; x < Rows; ++x) left[x] = items.template load<V>(a + x * p.a.row, p.a.shared);
#pragma GCC unroll 8
    for (int y = 0; y < Cols; ++y) {
      const typename V::reg right = items.template load<V>(b + y * p.b.col, p.b.shared);
#pragma GCC unroll 8
      for (int x = 0; x < Rows; ++x) V::accumulate(acc[y][x], left[x], right);
    }
    a = moved(a, p.a.col);
    b = moved(b, p.b.row);
  }
  if (p.beta != 0)
    store_interleaved_tile<V>(update<V>(p.alpha, p.beta), items, acc, c, p.c_row, p.c_col);
  else if (p.alpha != 1)
    store_interleaved_tile<V>(scale<V>(p.alpha, p.beta), items, acc, c, p.c_row, p.c_col);
  else
    store_interleaved_tile<V>(identity<V>(), items, acc, c, p.c_row, p.c_col);
}

/// The register tiles of up to Side x Side outputs. Each is a function of its own: among others' code the compiler runs
/// out of registers.
template <class V, int Side, class Items>
struct interleaved_tiles {
  using tile = void (*)(const interleaved_product<typename V::value>&, index_t count, const typename V::value* a,
                        const typename V::value* b, typename V::value* c);
  struct table {
    tile of[Side][Side];
  };
  template <int Rows, int Cols>
  static constexpr void fill(table& t) {
    t.of[Rows - 1][Cols - 1] = interleaved_tile<V, Rows, Cols, Items>;
    if constexpr (Cols > 1)
      fill<Rows, Cols - 1>(t);
    else if constexpr (Rows > 1)
      fill<Rows - 1, Side>(t);
  }
  static constexpr table all = [] {
    table t{};
    fill<Side, Side>(t);
    return t;
  }();
};

/// An m x n product of `count` items, a vector's lanes at most, by tiles of Items.
template <class V, int Side, class Items>
void multiply_lanes_by(index_t m, index_t n, const interleaved_product<typename V::value>& p, index_t count,
                       const typename V::value* a, const typename V::value* b, typename V::value* c) {
  index_t rows, cols;
  for (index_t j = 0; j < n; j += cols) {
    cols = next_share(n - j, Side);
    for (index_t i = 0; i < m; i += rows) {
      rows = next_share(m - i, Side);
      interleaved_tiles<V, Side, Items>::all.of[rows - 1][cols - 1](p, count, a + i * p.a.row, b + j * p.b.col,
                                                                    c + i * p.c_row + j * p.c_col);
    }
  }
}
template <class V, int Side>
void multiply_lanes(index_t m, index_t n, const interleaved_product<typename V::value>& p, index_t count,
                    const typename V::value* a, const typename V::value* b, typename V::value* c) {
  if (count == V::lanes && !p.a.shared && !p.b.shared)
    multiply_lanes_by<V, Side, own_items>(m, n, p, count, a, b, c);
  else
    multiply_lanes_by<V, Side, any_items>(m, n, p, count, a, b, c);
}

/// `vectors` vectors of items from `item` on and, if rest > 0, so many more. Of operands that are not shared, A's rows
/// and B's columns are copied to images in scratch first, one behind the other; C is read and written where it lies.
template <class V, int Side>
void multiply_moved(const interleaved_batch<typename V::value>& p, index_t item, index_t vectors, index_t rest) {
  using T = typename V::value;
  constexpr index_t lanes = V::lanes;
  const index_t image = p.image() * lanes;
  T* const a = p.images;
  T* const b = a + (p.a.shared ? 0 : p.m * p.k) * lanes;
  const auto copy_columns = [&](const auto& from, index_t rows, index_t cols, T* to) __attribute__((always_inline)) {
    for (index_t j = 0; j < cols; ++j)
      for (index_t i = 0; i < rows; ++i, to += lanes) {
        const T* const at = from.data + i * from.row + j * from.col + item;
        for (index_t v = 0; v < vectors; ++v) V::store(to + v * image, V::load(at + v * lanes));
        if (rest > 0) V::store(to + vectors * image, V::load(at + vectors * lanes, rest));
      }
  };
  interleaved_product<T> here = {p.k, p.a, p.b, p.c.row, p.c.col, p.alpha, p.beta};
  if (!p.a.shared) {
    copy_columns(p.a.transposed(), p.k, p.m, a);
    here.a = {a, p.k * lanes, lanes, false};
  }
  if (!p.b.shared) {
    copy_columns(p.b, p.k, p.n, b);
    here.b = {b, lanes, p.k * lanes, false};
  }
  for (index_t v = 0; v < vectors + (rest > 0); ++v)
    multiply_lanes<V, Side>(p.m, p.n, here, v < vectors ? lanes : rest, here.a.at(v * image), here.b.at(v * image),
                            p.c.at(item + v * lanes));
}

template <class V, int Side>
void multiply_interleaved(const interleaved_batch<typename V::value>& p) {
  constexpr index_t lanes = V::lanes;
  if (p.vectors == 0) {
    const interleaved_product<typename V::value> product = {p.k, p.a, p.b, p.c.row, p.c.col, p.alpha, p.beta};
    for (index_t item = 0; item < p.items; item += lanes)
      multiply_lanes<V, Side>(p.m, p.n, product, smaller(lanes, p.items - item), p.a.at(item), p.b.at(item),
                              p.c.at(item));
    return;
  }
  const index_t vectors = p.items / lanes, rest = p.items % lanes;
  for (index_t v = 0; v < vectors + (rest > 0); v += p.vectors) {
    const bool last = v + p.vectors > vectors;
    multiply_moved<V, Side>(p, v * lanes, last ? vectors - v : p.vectors, last ? rest : 0);
  }
}

}  // namespace
}  // namespace abax::openmp

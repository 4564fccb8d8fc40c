// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The matrix product of packed panels.
#include "kernel_lookahead.hpp"
#include "kernel_stream.hpp"

namespace abax::openmp {
namespace {

template <class V>
void fold(index_t n, const typename V::value* part, typename V::value* total) {
  index_t i = 0;
  for (; i + V::lanes <= n; i += V::lanes) V::store(total + i, V::add(V::load(total + i), V::load(part + i)));
  if (i < n) V::store(total + i, V::add(V::load(total + i, n - i), V::load(part + i, n - i)), n - i);
}

/// p so many elements further: any number, where nothing is read there.
template <class T>
[[gnu::always_inline]] inline T* moved(T* p, index_t elements) {
  const std::uintptr_t bytes = static_cast<std::uintptr_t>(elements) * sizeof(T);
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) + bytes);
}

/// The right operand of a register tile, term by term: a packed panel ...
template <class T, int Cols>
class packed_panel {
 public:
  packed_panel(const T* b, index_t panel, index_t depth, index_t) : data_(b + panel * Cols * depth) {}
  T operator()(index_t p, int j) const { return data_[p * Cols + j]; }
  void advance(index_t terms) { data_ += terms * Cols; }

 private:
  const T* data_;
};
/// ... or an operand's own columns, whose terms lie one after another. Every fourth column stands for four: an
/// instruction's address reaches three more from it, and few registers hold it all.
template <class T, int Cols>
class own_columns {
 public:
  own_columns(const T* b, index_t panel, index_t, index_t stride)
      // A single column's stride may be any number, which nothing is multiplied by.
      : stride_(static_cast<index_t>(static_cast<std::size_t>(stride) * sizeof(T))),
        three_(static_cast<index_t>(3 * static_cast<std::size_t>(stride_))) {
#pragma GCC unroll 4
    for (int f = 0; f < fours; ++f)
      fourth_[f] = reinterpret_cast<const char*>(b + panel * Cols * stride) + 4 * f * stride_;
  }
  T operator()(index_t p, int j) const {
    const char* four = fourth_[j / 4] + p * index_t(sizeof(T));
    return *reinterpret_cast<const T*>(j % 4 == 3 ? four + three_ : four + j % 4 * stride_);
  }
  /// acc <- fma(av, element j of the term that is `Term` ahead, acc); and that element in all lanes.
  template <class V, int Term, int J>
  [[gnu::always_inline]] void accumulate(typename V::reg& acc, typename V::reg av) const {
    V::template accumulate_times<times<J>, Term>(acc, av, base<J>(), J % 4 == 3 ? three_ : stride_);
  }
  template <class V, int Term, int J>
  [[gnu::always_inline]] typename V::reg set() const {
    return V::template set_at<times<J>, Term>(base<J>(), J % 4 == 3 ? three_ : stride_);
  }
  void advance(index_t terms) {
#pragma GCC unroll 4
    for (int f = 0; f < fours; ++f)
      fourth_[f] = reinterpret_cast<const char*>(moved(reinterpret_cast<const T*>(fourth_[f]), terms));
  }

 private:
  static constexpr int fours = (Cols + 3) / 4;
  template <int J>
  static constexpr int times = J % 4 == 3 ? 1 : J % 4;
  template <int J>
  [[gnu::always_inline]] const T* base() const {
    return reinterpret_cast<const T*>(fourth_[J / 4]);
  }
  index_t stride_, three_;
  const char* fourth_[fours];
};

/// acc <- acc + a b for term p.
template <class V, int Cols, int Live, class B>
[[gnu::always_inline]] inline void add_term(const typename V::value* a, const B& b, index_t p,
                                            typename V::reg (&acc)[Cols][Live]) {
  typename V::reg av[Live];
#pragma GCC unroll 4
  for (int v = 0; v < Live; ++v) av[v] = V::load(a + v * V::lanes);
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j) {
    const typename V::reg bv = V::set(b(p, j));
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) V::accumulate(acc[j][v], av[v], bv);
  }
  // Terms stay apart: left alone, the compiler gathers the prefetches of several and runs out of registers.
  asm volatile("" ::: "memory");
}

/// One register tile: chains over p of a[p][..] b[p][..], going on from `from` or, where that is null, from +0; all of
/// it in registers, k innermost, and then handed to `end`, which must be inlined: what takes accumulators by reference
/// would otherwise keep them in memory. Of the panel's `Vectors` vectors of rows only the first `Live` are computed.
template <class V, int Vectors, int Cols, int Live, class B, class End>
void product_tile(index_t depth, const typename V::value* a, B b, const typename V::value* from, const lookahead& next,
                  const End& end) {
  constexpr index_t rows = Vectors * V::lanes;
  typename V::reg acc[Cols][Live];
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) acc[j][v] = from == nullptr ? V::zero() : V::load(from + j * rows + v * V::lanes);

  index_t p = 0;
  std::uintptr_t near = reinterpret_cast<std::uintptr_t>(next.near);
  lines later_a = next.a, later_b = next.b;
  int column = 0;
  for (; p + turn <= depth; p += turn) {
    V::prefetch(reinterpret_cast<const void*>(near));
    near += next.stride;
    if (++column == Cols) {
      column = 0;
      near += 64 - Cols * next.stride;
    }
    later_a.fetch_next<V>();
    later_b.fetch_next<V>();
    if (next.crowded_a != nullptr) next.crowded_a->template fetch<V>();
    if (next.crowded_b != nullptr) next.crowded_b->template fetch<V>();
#pragma GCC unroll 8
    for (index_t t = 0; t < turn; ++t) add_term<V, Cols, Live>(a + t * rows, b, t, acc);
    a += turn * rows;
    b.advance(turn);
  }
  for (; p < depth; ++p) {
    add_term<V, Cols, Live>(a, b, 0, acc);
    a += rows;
    b.advance(1);
  }
  end(acc);
}

/// The register tile at a panel of which `m` rows are still wanted.
template <class V, int Vectors, int Cols, class B, class End>
void product_tile(index_t m, index_t depth, const typename V::value* a, const B& b, const typename V::value* from,
                  const lookahead& next, const End& end) {
  if constexpr (Vectors > 1)
    if (m <= V::lanes) return product_tile<V, Vectors, Cols, 1>(depth, a, b, from, next, end);
  if constexpr (Vectors > 2)
    if (m <= 2 * V::lanes) return product_tile<V, Vectors, Cols, 2>(depth, a, b, from, next, end);
  product_tile<V, Vectors, Cols, Vectors>(depth, a, b, from, next, end);
}

struct rows_range {
  index_t begin, end;
};
/// Panels of Rows rows that have wanted outputs in the first n columns, of `panels`.
template <int Rows>
rows_range wanted_panels(const band& wanted, index_t n, index_t panels) {
  const index_t last = wanted.high + n - 1;
  return {wanted.low <= 0 ? 0 : wanted.low / Rows, last < 0 ? 0 : smaller(panels, last / Rows + 1)};
}
/// Of m x n outputs the rows that have wanted ones; whole vectors of them before the first are left out.
template <class V>
rows_range wanted_rows(const band& wanted, index_t m, index_t n) {
  return {wanted.low <= 0 ? 0 : wanted.low / V::lanes * V::lanes, smaller(m, wanted.high + n)};
}

/// A panel of b, from the first cache or the second, meets all panels of a, which stay in the second.
template <class V, int Vectors, int Cols, class B>
void multiply_add_panels(const panel_product<typename V::value>& p, typename V::value* part, bool clear) {
  using T = typename V::value;
  constexpr index_t rows = Vectors * V::lanes, tile = rows * Cols;
  const index_t row_panels = (p.m + rows - 1) / rows, col_panels = (p.n + Cols - 1) / Cols;
  const index_t tiles = row_panels * col_panels, turns = p.depth / turn;
  cursor later_a(p.next_a, tiles, turns), later_b(p.next_b, tiles, turns);
  for (index_t j = 0; j < col_panels; ++j) {
    const B panel(p.b, j, p.depth, p.stride_b);
    const index_t live_cols = smaller(index_t{Cols}, p.n - j * Cols);
    const rows_range range = wanted_panels<rows>(p.wanted.from(0, j * Cols), live_cols, row_panels);
    for (index_t i = range.begin; i < range.end; ++i) {
      const rows_range live =
          wanted_rows<V>(p.wanted.from(i * rows, j * Cols), smaller(rows, p.m - i * rows), live_cols);
      if (live.begin >= live.end) continue;
      T* sums = part + (j * row_panels + i) * tile + live.begin;
      const auto keep = [sums]<int Live>(const typename V::reg(&acc)[Cols][Live]) __attribute__((always_inline)) {
#pragma GCC unroll 16
        for (int y = 0; y < Cols; ++y)
#pragma GCC unroll 4
          for (int v = 0; v < Live; ++v) V::store(sums + y * rows + v * V::lanes, acc[y][v]);
      };
      const lookahead next{ahead(sums, tile * sizeof(T)), rows * sizeof(T),     later_a.next(turns),
                           later_b.next(turns),           later_a.if_crowded(), later_b.if_crowded()};
      product_tile<V, Vectors, Cols>(live.end - live.begin, p.depth, p.a + i * rows * p.depth + live.begin, panel,
                                     clear ? nullptr : sums, next, keep);
    }
  }
}
template <class V, int Vectors, int Cols>
void multiply_add(panel_product<typename V::value> product, typename V::value* part, bool clear) {
  using T = typename V::value;
  if (product.stride_b == packed)
    multiply_add_panels<V, Vectors, Cols, packed_panel<T, Cols>>(product, part, clear);
  else
    multiply_add_panels<V, Vectors, Cols, own_columns<T, Cols>>(product, part, clear);
}

/// c <- op(acc, c) for the first m rows and n columns of a register tile; columns of c are contiguous.
template <class V, int Cols, int Live, bool Whole, class Op>
[[gnu::always_inline]] inline void store_registers(const Op& op, index_t m, index_t n,
                                                   const typename V::reg (&acc)[Cols][Live], typename V::value* c,
                                                   index_t stride_col) {
  const index_t rest = m - (Live - 1) * V::lanes;  // rows of the last vector
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j) {
    if (!Whole && j >= n) return;
    auto* out = c + j * stride_col;
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v, out += V::lanes) {
      typename V::reg old = V::zero();
      if (Whole || v + 1 < Live || rest == V::lanes) {
        if constexpr (Op::reads_old) old = V::load(out);
        V::store(out, op(acc[j][v], old));
      } else {
        if constexpr (Op::reads_old) old = V::load(out, rest);
        V::store(out, op(acc[j][v], old), rest);
      }
    }
  }
}

/// Each register tile goes through the epilogue before it leaves the registers: no pass over the sums remains.
template <class V, int Vectors, int Cols, class B>
void multiply_add_store_panels(const panel_product<typename V::value>& p, const typename V::value* part,
                               const typename V::value* total, const scaled_output<typename V::value>& out) {
  using T = typename V::value;
  constexpr index_t rows = Vectors * V::lanes, tile = rows * Cols;
  const index_t row_panels = (p.m + rows - 1) / rows, col_panels = (p.n + Cols - 1) / Cols;
  const index_t tiles = row_panels * col_panels, turns = p.depth / turn;
  const index_t stride_row = out.stride_row, stride_col = out.stride_col;
  cursor later_a(p.next_a, tiles, turns), later_b(p.next_b, tiles, turns);
  with_epilogue<V>(true, out.alpha, out.beta, [&](const auto& op) {
    for (index_t j = 0; j < col_panels; ++j) {
      const B panel(p.b, j, p.depth, p.stride_b);
      const index_t live_cols = smaller(index_t{Cols}, p.n - j * Cols);
      const rows_range range = wanted_panels<rows>(p.wanted.from(0, j * Cols), live_cols, row_panels);
      for (index_t i = range.begin; i < range.end; ++i) {
        const rows_range live =
            wanted_rows<V>(p.wanted.from(i * rows, j * Cols), smaller(rows, p.m - i * rows), live_cols);
        if (live.begin >= live.end) continue;
        const index_t first = i * rows + live.begin, live_rows = live.end - live.begin;
        const index_t before = (j * row_panels + i) * tile + live.begin;
        const band wanted = p.wanted.from(first, j * Cols);
        const bool by_columns = stride_row != 1 || !wanted.covers(live_rows, live_cols);
        T* c = out.c + first * stride_row + j * Cols * stride_col;
        const lookahead next{c,
                             static_cast<std::uintptr_t>(stride_col) * sizeof(T),
                             later_a.next(turns),
                             later_b.next(turns),
                             later_a.if_crowded(),
                             later_b.if_crowded()};
        if (part != nullptr)
          for (std::uintptr_t line = 0; line < tile * sizeof(T); line += 64)
            V::prefetch(ahead(part + before, tile * sizeof(T) + line));
        const auto finish = [&]<int Live>(typename V::reg(&acc)[Cols][Live]) __attribute__((always_inline)) {
          if (total != nullptr)
#pragma GCC unroll 16
            for (int y = 0; y < Cols; ++y)
#pragma GCC unroll 4
              for (int v = 0; v < Live; ++v)
                acc[y][v] = V::add(V::load(total + before + y * rows + v * V::lanes), acc[y][v]);
          if (by_columns) {
            alignas(64) T sums[tile];
#pragma GCC unroll 16
            for (int y = 0; y < Cols; ++y)
#pragma GCC unroll 4
              for (int v = 0; v < Live; ++v) V::store(sums + y * rows + v * V::lanes, acc[y][v]);
            store_tile<V>(op, live_rows, live_cols, rows, sums, c, stride_row, stride_col, wanted);
          } else if (live_rows == Live * V::lanes && live_cols == Cols) {
            store_registers<V, Cols, Live, true>(op, live_rows, live_cols, acc, c, stride_col);
          } else {
            store_registers<V, Cols, Live, false>(op, live_rows, live_cols, acc, c, stride_col);
          }
          out.end(first, j * Cols, live_rows, live_cols);
        };
        product_tile<V, Vectors, Cols>(live_rows, p.depth, p.a + i * rows * p.depth + live.begin, panel,
                                       part == nullptr ? nullptr : part + before, next, finish);
      }
    }
  });
}
template <class V, int Vectors, int Cols>
void multiply_add_store(panel_product<typename V::value> product, const typename V::value* part,
                        const typename V::value* total, scaled_output<typename V::value> out) {
  using T = typename V::value;
  if (product.stride_b == packed)
    multiply_add_store_panels<V, Vectors, Cols, packed_panel<T, Cols>>(product, part, total, out);
  else
    multiply_add_store_panels<V, Vectors, Cols, own_columns<T, Cols>>(product, part, total, out);
}

}  // namespace
}  // namespace abax::openmp

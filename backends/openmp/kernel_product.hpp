// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The matrix product of packed panels.
#include <type_traits>

#include "kernel_stream.hpp"

namespace abax::openmp {
namespace {

template <class V>
void fold(index_t n, const typename V::value* part, typename V::value* total) {
  index_t i = 0;
  for (; i + V::lanes <= n; i += V::lanes) V::store(total + i, V::add(V::load(total + i), V::load(part + i)));
  if (i < n) V::store(total + i, V::add(V::load(total + i, n - i), V::load(part + i, n - i)), n - i);
}

inline constexpr index_t turn = 8;  // terms between two fetches

/// Lines of memory from `at` to `last`, one after another.
struct lines {
  std::uintptr_t at, last;

  template <class V>
  [[gnu::always_inline]] void fetch_next() {
    V::prefetch_second(reinterpret_cast<const void*>(at));
    at = at < last ? at + 64 : at;
  }
};

/// Memory fetched into the second cache while `tiles` register tiles of `turns` turns each are computed: with each tile
/// a run or a part of one, a line a turn, which costs next to nothing; or, where that would not do (but for a line), as
/// many lines a turn as it takes.
class cursor {
 public:
  cursor(const upcoming& u, index_t tiles, index_t turns)
      : run_(reinterpret_cast<std::uintptr_t>(u.first)),
        stride_(static_cast<std::uintptr_t>(u.stride)),
        length_(u.lines),
        left_(u.runs),
        each_(u.runs == 0 || u.runs > tiles ? u.lines : quotient(u.lines, tiles / u.runs)),
        crowded_(u.runs > tiles || each_ > turns + 1) {
    if (crowded_) each_ = quotient(u.lines * u.runs, tiles * turns + 1);
  }

  cursor* if_crowded() { return crowded_ ? this : nullptr; }
  /// The lines of the next tile.
  lines next(index_t turns) {
    const std::uintptr_t first = line(done_);
    if (crowded_) return {first, first};
    const index_t last = smaller(done_ + each_, length_);
    const lines found{first, line(smaller(done_ + turns, last) - 1)};
    advance_to(last);
    return found;
  }
  /// Those of a turn, where they are crowded.
  template <class V>
  void fetch() {
    for (index_t i = 0; i < each_; ++i) {
      V::prefetch_second(reinterpret_cast<const void*>(line(done_)));
      advance_to(done_ + 1);
    }
  }

 private:
  static index_t quotient(index_t n, index_t d) { return (n + d - 1) / d; }
  std::uintptr_t line(index_t i) const { return run_ + static_cast<std::uintptr_t>(i) * 64; }
  void advance_to(index_t done) {
    done_ = done;
    if (done < length_) return;
    done_ = 0;
    if (--left_ > 0) run_ += stride_;
  }

  std::uintptr_t run_, stride_;
  index_t length_, left_;
  index_t each_, done_ = 0;
  bool crowded_;
};

/// What is fetched while a register tile is computed: a line each turn, into the first cache, of the `Cols` columns
/// read or written next, `stride` bytes apart; and what the core packs or reads later.
struct lookahead {
  const void* near;
  std::uintptr_t stride;
  lines a, b;
  cursor *crowded_a, *crowded_b;
};

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
/// ... or an operand's own columns, whose terms lie one after another. Columns 0 and 4 stand for all: an instruction's
/// address reaches three more from each, and few registers hold it all.
template <class T, int Cols>
class own_columns {
 public:
  own_columns(const T* b, index_t panel, index_t, index_t stride)
      : low_(reinterpret_cast<const char*>(b + panel * Cols * stride)),
        stride_(stride * index_t(sizeof(T))),
        three_(3 * stride_),
        high_(low_ + 4 * stride_) {}
  T operator()(index_t p, int j) const {
    const char* four = (j < 4 ? low_ : high_) + p * index_t(sizeof(T));
    return *reinterpret_cast<const T*>(j % 4 == 3 ? four + three_ : four + j % 4 * stride_);
  }
  void advance(index_t terms) {
    low_ += terms * index_t(sizeof(T));
    high_ += terms * index_t(sizeof(T));
  }

 private:
  static_assert(Cols <= 8);
  const char* low_;
  index_t stride_, three_;
  const char* high_;
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

/// A panel of b, from the first cache or the second, meets all panels of a, which stay in the second.
template <class V, int Vectors, int Cols, class B>
void multiply_add_panels(index_t m, index_t n, index_t depth, const typename V::value* a, const typename V::value* b,
                         index_t stride_b, typename V::value* part, bool clear, const upcoming& next_a,
                         const upcoming& next_b) {
  using T = typename V::value;
  constexpr index_t rows = Vectors * V::lanes, tile = rows * Cols;
  const index_t row_panels = (m + rows - 1) / rows, col_panels = (n + Cols - 1) / Cols;
  const index_t tiles = row_panels * col_panels, turns = depth / turn;
  cursor later_a(next_a, tiles, turns), later_b(next_b, tiles, turns);
  for (index_t j = 0; j < col_panels; ++j) {
    const B panel(b, j, depth, stride_b);
    for (index_t i = 0; i < row_panels; ++i) {
      T* sums = part + (j * row_panels + i) * tile;
      const auto keep = [sums]<int Live>(const typename V::reg(&acc)[Cols][Live]) __attribute__((always_inline)) {
#pragma GCC unroll 16
        for (int y = 0; y < Cols; ++y)
#pragma GCC unroll 4
          for (int v = 0; v < Live; ++v) V::store(sums + y * rows + v * V::lanes, acc[y][v]);
      };
      const lookahead next{ahead(sums, tile * sizeof(T)), rows * sizeof(T),     later_a.next(turns),
                           later_b.next(turns),           later_a.if_crowded(), later_b.if_crowded()};
      product_tile<V, Vectors, Cols>(m - i * rows, depth, a + i * rows * depth, panel, clear ? nullptr : sums, next,
                                     keep);
    }
  }
}
template <class V, int Vectors, int Cols>
void multiply_add(index_t m, index_t n, index_t depth, const typename V::value* a, const typename V::value* b,
                  index_t stride_b, typename V::value* part, bool clear, const upcoming& next_a,
                  const upcoming& next_b) {
  using T = typename V::value;
  if (stride_b == packed)
    multiply_add_panels<V, Vectors, Cols, packed_panel<T, Cols>>(m, n, depth, a, b, stride_b, part, clear, next_a,
                                                                 next_b);
  else
    multiply_add_panels<V, Vectors, Cols, own_columns<T, Cols>>(m, n, depth, a, b, stride_b, part, clear, next_a,
                                                                next_b);
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
void multiply_add_store_panels(index_t m, index_t n, index_t depth, const typename V::value* a,
                               const typename V::value* b, index_t stride_b, const typename V::value* part,
                               const typename V::value* total, typename V::value alpha, typename V::value beta,
                               typename V::value* c, index_t stride_row, index_t stride_col, const upcoming& next_a,
                               const upcoming& next_b) {
  using T = typename V::value;
  constexpr index_t rows = Vectors * V::lanes, tile = rows * Cols;
  const index_t row_panels = (m + rows - 1) / rows, col_panels = (n + Cols - 1) / Cols;
  const index_t tiles = row_panels * col_panels, turns = depth / turn;
  cursor later_a(next_a, tiles, turns), later_b(next_b, tiles, turns);
  with_epilogue<V>(true, alpha, beta, [&](const auto& op) {
    for (index_t j = 0; j < col_panels; ++j) {
      const B panel(b, j, depth, stride_b);
      for (index_t i = 0; i < row_panels; ++i) {
        const index_t before = (j * row_panels + i) * tile;
        const index_t live_rows = smaller(rows, m - i * rows), live_cols = smaller(index_t{Cols}, n - j * Cols);
        T* out = c + i * rows * stride_row + j * Cols * stride_col;
        const lookahead next{out,
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
          if (stride_row != 1) {
            alignas(64) T sums[tile];
#pragma GCC unroll 16
            for (int y = 0; y < Cols; ++y)
#pragma GCC unroll 4
              for (int v = 0; v < Live; ++v) V::store(sums + y * rows + v * V::lanes, acc[y][v]);
            store_tile<V>(op, live_rows, live_cols, rows, sums, out, stride_row, stride_col);
          } else if (live_rows == Live * V::lanes && live_cols == Cols) {
            store_registers<V, Cols, Live, true>(op, live_rows, live_cols, acc, out, stride_col);
          } else {
            store_registers<V, Cols, Live, false>(op, live_rows, live_cols, acc, out, stride_col);
          }
        };
        product_tile<V, Vectors, Cols>(m - i * rows, depth, a + i * rows * depth, panel,
                                       part == nullptr ? nullptr : part + before, next, finish);
      }
    }
  });
}
template <class V, int Vectors, int Cols>
void multiply_add_store(index_t m, index_t n, index_t depth, const typename V::value* a, const typename V::value* b,
                        index_t stride_b, const typename V::value* part, const typename V::value* total,
                        typename V::value alpha, typename V::value beta, typename V::value* c, index_t stride_row,
                        index_t stride_col, const upcoming& next_a, const upcoming& next_b) {
  using T = typename V::value;
  if (stride_b == packed)
    multiply_add_store_panels<V, Vectors, Cols, packed_panel<T, Cols>>(m, n, depth, a, b, stride_b, part, total, alpha,
                                                                       beta, c, stride_row, stride_col, next_a, next_b);
  else
    multiply_add_store_panels<V, Vectors, Cols, own_columns<T, Cols>>(m, n, depth, a, b, stride_b, part, total, alpha,
                                                                      beta, c, stride_row, stride_col, next_a, next_b);
}

/// One register tile of a product whose operands are read where they lie: Live vectors of rows, `m` rows in all, and
/// Cols columns. a's and c's columns are contiguous, b has any strides.
template <class V, int Cols, int Live, class Op>
void direct_tile(const Op& op, index_t m, index_t k, const typename V::value* a, index_t stride_a,
                 const typename V::value* b, index_t stride_k, index_t stride_b, typename V::value* c,
                 index_t stride_c) {
  using T = typename V::value;
  const index_t rest = m - (Live - 1) * V::lanes;  // rows of the last vector
  const T* column[Cols];
  typename V::reg acc[Cols][Live];
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j) {
    column[j] = b + j * stride_b;
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) acc[j][v] = V::zero();
  }
  for (index_t p = 0, q = 0; p < k; ++p, q += stride_k, a += stride_a) {
    typename V::reg av[Live];
#pragma GCC unroll 4
    for (int v = 0; v + 1 < Live; ++v) av[v] = V::load(a + v * V::lanes);
    av[Live - 1] = V::load(a + (Live - 1) * V::lanes, rest);
#pragma GCC unroll 16
    for (int j = 0; j < Cols; ++j) {
      const typename V::reg bv = V::set(column[j][q]);
#pragma GCC unroll 4
      for (int v = 0; v < Live; ++v) V::accumulate(acc[j][v], av[v], bv);
    }
  }
  store_registers<V, Cols, Live, false>(op, m, index_t{Cols}, acc, c, stride_c);
}

/// Live vectors of rows of such a product, all its columns.
template <class V, int Cols, int Live, class Op>
void direct_rows(const Op& op, index_t m, index_t n, index_t k, const typename V::value* a, index_t stride_a,
                 const typename V::value* b, index_t stride_k, index_t stride_b, typename V::value* c,
                 index_t stride_c) {
  index_t j = 0;
  for (; j + Cols <= n; j += Cols)
    direct_tile<V, Cols, Live>(op, m, k, a, stride_a, b + j * stride_b, stride_k, stride_b, c + j * stride_c, stride_c);
  if constexpr (Cols > 1)
    if (j < n)
      direct_rows<V, Cols / 2, Live>(op, m, n - j, k, a, stride_a, b + j * stride_b, stride_k, stride_b,
                                     c + j * stride_c, stride_c);
}

template <class V, int Vectors, int Cols>
void multiply_store(index_t m, index_t n, index_t k, const typename V::value* a, index_t stride_a,
                    const typename V::value* b, index_t stride_k, index_t stride_b, typename V::value alpha,
                    typename V::value beta, typename V::value* c, index_t stride_c) {
  const auto run = [&](const auto& op) {
    const auto rows_by = [&]<int Live>(std::integral_constant<int, Live>, index_t i) {
      const index_t rows = smaller(index_t{Live * V::lanes}, m - i);
      direct_rows<V, Cols, Live>(op, rows, n, k, a + i, stride_a, b, stride_k, stride_b, c + i, stride_c);
      return i + rows;
    };
    for (index_t i = 0; i < m;) {
      const index_t vectors = (m - i + V::lanes - 1) / V::lanes;
      if (Vectors == 3 && (vectors == 2 || vectors == 4))  // twice two, not three and one: one has too few chains
        i = rows_by(std::integral_constant<int, smaller(2, Vectors)>(), i);
      else if (vectors >= Vectors)
        i = rows_by(std::integral_constant<int, Vectors>(), i);
      else
        i = rows_by(std::integral_constant<int, 1>(), i);
    }
  };
  if (beta != 0)
    run(update<V>(alpha, beta));
  else if (alpha != 1)
    run(scale<V>(alpha, beta));
  else
    run(identity<V>());
}

}  // namespace
}  // namespace abax::openmp

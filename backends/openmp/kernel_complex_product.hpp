// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The matrix product of complex values. Lanes are rows of C. Of the operand that lies along them a panel holds, term
/// by term, the rows' real parts and then their imaginary ones; of the other, its columns' values as they are.
#include "kernel_complex_stream.hpp"
#include "kernel_pack.hpp"
#include "kernel_product.hpp"

namespace abax::openmp {
namespace {

/// Flips the sign of every imaginary part: of `depth` terms of whole panels that are `width` wide.
template <class Real>
void conjugate_rows(index_t panels, index_t depth, index_t width, Real* packed) {
  for (index_t line = 1; line < 2 * panels * depth; line += 2)
    for (index_t i = 0; i < width; ++i) packed[line * width + i] = -packed[line * width + i];
}

/// Rows of one term, `live` of them, from a source in which they follow one another.
template <class V>
[[gnu::always_inline]] inline void split_rows(index_t live, const typename V::value* src, typename V::value* re,
                                              typename V::value* im) {
  constexpr index_t lanes = V::lanes;
  for (index_t i = 0; i < live; i += lanes) {
    typename V::reg low, high, x, y;
    if (const index_t parts = 2 * (live - i); parts >= 2 * lanes) {
      low = V::load(src + 2 * i);
      high = V::load(src + 2 * i + lanes);
    } else {
      low = V::load(src + 2 * i, smaller(parts, lanes));
      high = parts > lanes ? V::load(src + 2 * i + lanes, parts - lanes) : V::zero();
    }
    V::split(low, high, x, y);
    V::store(re + i, x);
    V::store(im + i, y);
  }
}

/// packed[q][p][part][i] <- part of src(q rows + i, p), +0 past `outer` in the vector that holds the last of them.
template <class V, int Vectors>
void pack_complex_rows(index_t outer, index_t depth, const complex<typename V::value>* src, index_t stride_outer,
                       index_t stride_k, bool conjugated, complex<typename V::value>* packed) {
  using Real = typename V::value;
  constexpr index_t rows = Vectors * V::lanes;
  const auto* const from = reinterpret_cast<const Real*>(src);
  auto* const to = reinterpret_cast<Real*>(packed);
  const index_t panels = (outer + rows - 1) / rows;
  if (stride_k == 1) {  // a row's parts are terms twice as many
    pack<V>(outer, 2 * depth, from, 2 * stride_outer, 1, rows, to);
  } else {
    constexpr index_t step = 8;
    for (index_t first = 0; first < depth; first += step)
      for (index_t q = 0; q < panels; ++q) {
        const index_t live = smaller(rows, outer - q * rows);
        for (index_t p = first; p < smaller(depth, first + step); ++p) {
          Real *const re = to + (q * depth + p) * 2 * rows, *const im = re + rows;
          const Real* const s = from + 2 * (q * rows * stride_outer + p * stride_k);
          if (stride_outer == 1) {
            V::prefetch_second(ahead(s, static_cast<std::uintptr_t>(step * stride_k) * 2 * sizeof(Real)));
            split_rows<V>(live, s, re, im);
          } else {
            for (index_t i = 0; i < live; ++i) {
              re[i] = s[2 * i * stride_outer];
              im[i] = s[2 * i * stride_outer + 1];
            }
          }
          // Whole vectors past the last row are read by no register tile.
          for (index_t i = live; i < (live + V::lanes - 1) / V::lanes * V::lanes; ++i) re[i] = im[i] = 0;
        }
      }
  }
  if (conjugated) conjugate_rows(panels, depth, rows, to);
}

/// packed[q][p][j] <- src(q Cols + j, p), +0 past `outer`.
template <class V, int Cols>
void pack_complex_cols(index_t outer, index_t depth, const complex<typename V::value>* src, index_t stride_outer,
                       index_t stride_k, bool conjugated, complex<typename V::value>* packed) {
  using T = complex<typename V::value>;
  for (index_t o = 0; o < outer; o += Cols) {
    const index_t live = smaller(index_t{Cols}, outer - o);
    const T* const s = src + o * stride_outer;
    T* const d = packed + o * depth;
    for (index_t p = 0; p < depth; ++p) {
      if (live == Cols)
#pragma GCC unroll 4
        for (int j = 0; j < Cols; ++j) d[p * Cols + j] = s[j * stride_outer + p * stride_k];
      else
        for (int j = 0; j < Cols; ++j) d[p * Cols + j] = j < live ? s[j * stride_outer + p * stride_k] : T{};
    }
    if (conjugated)
      for (index_t i = 0; i < depth * Cols; ++i) d[i].im = -d[i].im;
  }
}

/// acc <- acc + a b for one term, or + b a where the product is turned: a's parts in vectors, b's one by one.
template <class V, int Cols, int Live, bool Turned, class B>
[[gnu::always_inline]] inline void add_complex_term(const typename V::value* a, index_t rows, const B& b, index_t p,
                                                    typename V::reg (&re)[Cols][Live],
                                                    typename V::reg (&im)[Cols][Live]) {
  using reg = typename V::reg;
  reg a_re[Live], a_im[Live];
#pragma GCC unroll 4
  for (int v = 0; v < Live; ++v) a_re[v] = V::load(a + v * V::lanes);
  if constexpr (Turned) {
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) a_im[v] = V::load(a + rows + v * V::lanes);
  }
#pragma GCC unroll 8
  for (int j = 0; j < Cols; ++j) {
    const reg b_re = V::set(b(2 * p, j));
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) V::accumulate(re[j][v], a_re[v], b_re);
    if constexpr (Turned) {
#pragma GCC unroll 4
      for (int v = 0; v < Live; ++v) V::accumulate(im[j][v], a_im[v], b_re);
    } else {
      const reg b_im = V::set(b(2 * p + 1, j));
#pragma GCC unroll 4
      for (int v = 0; v < Live; ++v) V::accumulate(im[j][v], a_re[v], b_im);
    }
  }
  if constexpr (!Turned) {
    // For three vectors b's parts are loaded anew, as no registers are left to keep them in.
    if constexpr (Live > 2) asm volatile("" ::: "memory");
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) a_im[v] = V::load(a + rows + v * V::lanes);
  }
#pragma GCC unroll 8
  for (int j = 0; j < Cols; ++j) {
    const reg b_im = V::set(b(2 * p + 1, j));
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) V::accumulate_negated(re[j][v], a_im[v], b_im);
    if constexpr (Turned) {
#pragma GCC unroll 4
      for (int v = 0; v < Live; ++v) V::accumulate(im[j][v], a_re[v], b_im);
    } else {
      const reg b_re = V::set(b(2 * p, j));
#pragma GCC unroll 4
      for (int v = 0; v < Live; ++v) V::accumulate(im[j][v], a_im[v], b_re);
    }
  }
  asm volatile("" ::: "memory");  // terms stay apart, see add_term
}

/// b's parts, term by term, of a packed panel; of an operand's own columns own_columns has them.
template <class T, int Cols>
class complex_panel {
 public:
  complex_panel(const T* b, index_t panel, index_t depth, index_t) : data_(b + panel * Cols * 2 * depth) {}
  T operator()(index_t p, int j) const { return data_[(p / 2 * Cols + j) * 2 + p % 2]; }
  void advance(index_t terms) { data_ += terms * Cols; }

 private:
  const T* data_;
};

/// One register tile, as product_tile of kernel_product.hpp: sums <- chains that go on from `from` or, where that is
/// null, from +0.
template <class V, int Vectors, int Cols, int Live, bool Turned, class B>
[[gnu::noinline]] void complex_product_tile(index_t depth, const typename V::value* a, B b,
                                            const typename V::value* from, const lookahead& next,
                                            typename V::value* sums) {
  constexpr index_t rows = Vectors * V::lanes;
  typename V::reg re[Cols][Live], im[Cols][Live];
#pragma GCC unroll 8
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) {
      re[j][v] = from == nullptr ? V::zero() : V::load(from + 2 * j * rows + v * V::lanes);
      im[j][v] = from == nullptr ? V::zero() : V::load(from + (2 * j + 1) * rows + v * V::lanes);
    }
  std::uintptr_t near = reinterpret_cast<std::uintptr_t>(next.near);
  lines later_a = next.a, later_b = next.b;
  int column = 0;
  constexpr index_t some = 4;
  index_t p = 0;
  for (; p + some <= depth; p += some) {
    V::prefetch(reinterpret_cast<const void*>(near));
    near += next.stride;
    if (++column == Cols) {
      column = 0;
      near += 64 - Cols * next.stride;
    }
    later_a.fetch_next<V>();
    later_b.fetch_next<V>();
#pragma GCC unroll 4
    for (index_t t = 0; t < some; ++t) add_complex_term<V, Cols, Live, Turned>(a + t * 2 * rows, rows, b, t, re, im);
    a += some * 2 * rows;
    b.advance(2 * some);
  }
  for (; p < depth; ++p) {
    add_complex_term<V, Cols, Live, Turned>(a, rows, b, 0, re, im);
    a += 2 * rows;
    b.advance(2);
  }
#pragma GCC unroll 8
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) {
      V::store(sums + 2 * j * rows + v * V::lanes, re[j][v]);
      V::store(sums + (2 * j + 1) * rows + v * V::lanes, im[j][v]);
    }
}

template <class V, int Vectors, int Cols, bool Turned, class B>
void complex_product_tile(index_t m, index_t depth, const typename V::value* a, const B& b,
                          const typename V::value* from, const lookahead& next, typename V::value* sums) {
  if constexpr (Vectors > 1)
    if (m <= V::lanes) return complex_product_tile<V, Vectors, Cols, 1, Turned>(depth, a, b, from, next, sums);
  if constexpr (Vectors > 2)
    if (m <= 2 * V::lanes) return complex_product_tile<V, Vectors, Cols, 2, Turned>(depth, a, b, from, next, sums);
  complex_product_tile<V, Vectors, Cols, Vectors, Turned>(depth, a, b, from, next, sums);
}

/// For every register tile that has wanted outputs: its chains, going on from `part` if there is one, and then
/// end(sums, first row, rows, first column, columns), `sums` being where `keep` has it written.
template <class V, int Vectors, int Cols, bool Turned, class B, class Keep, class End>
void each_complex_tile(const panel_product<complex<typename V::value>>& p, const complex<typename V::value>* part,
                       const Keep& keep, const End& end) {
  using Real = typename V::value;
  constexpr index_t rows = Vectors * V::lanes, tile = 2 * rows * Cols;
  const index_t row_panels = (p.m + rows - 1) / rows, col_panels = (p.n + Cols - 1) / Cols;
  const index_t tiles = row_panels * col_panels, turns = p.depth / 4;
  const auto* const a = reinterpret_cast<const Real*>(p.a);
  const auto* const from = reinterpret_cast<const Real*>(part);
  cursor later_a(p.next_a, tiles, turns), later_b(p.next_b, tiles, turns);
  for (index_t j = 0; j < col_panels; ++j) {
    const B panel(reinterpret_cast<const Real*>(p.b), j, p.depth, p.stride_b == packed ? 0 : 2 * p.stride_b);
    const index_t live_cols = smaller(index_t{Cols}, p.n - j * Cols);
    const rows_range range = wanted_panels<rows>(p.wanted.from(0, j * Cols), live_cols, row_panels);
    for (index_t i = range.begin; i < range.end; ++i) {
      const rows_range live =
          wanted_rows<V>(p.wanted.from(i * rows, j * Cols), smaller(rows, p.m - i * rows), live_cols);
      if (live.begin >= live.end) continue;
      const index_t before = (j * row_panels + i) * tile + live.begin;
      Real* const sums = keep(before);
      const lookahead next = end.ahead(sums, i * rows + live.begin, j * Cols, later_a.next(turns), later_b.next(turns));
      complex_product_tile<V, Vectors, Cols, Turned>(live.end - live.begin, p.depth,
                                                     a + i * rows * 2 * p.depth + live.begin, panel,
                                                     from == nullptr ? nullptr : from + before, next, sums);
      end(sums, before, i * rows + live.begin, live.end - live.begin, j * Cols, live_cols);
    }
  }
}
template <class V, int Vectors, int Cols, class Keep, class End>
void each_complex_tile(const panel_product<complex<typename V::value>>& p, const complex<typename V::value>* part,
                       const Keep& keep, const End& end) {
  using Real = typename V::value;
  using own = own_columns<Real, Cols>;
  using panel = complex_panel<Real, Cols>;
  if (p.stride_b == packed)
    p.turned ? each_complex_tile<V, Vectors, Cols, true, panel>(p, part, keep, end)
             : each_complex_tile<V, Vectors, Cols, false, panel>(p, part, keep, end);
  else
    p.turned ? each_complex_tile<V, Vectors, Cols, true, own>(p, part, keep, end)
             : each_complex_tile<V, Vectors, Cols, false, own>(p, part, keep, end);
}

/// What a stage that is not the last does once a register tile's sums are kept.
template <class Real>
struct kept_sums {
  index_t bytes, column;  // of a register tile, of one of its columns of parts
  lookahead ahead(const Real* sums, index_t, index_t, const lines& a, const lines& b) const {
    return {openmp::ahead(sums, bytes), static_cast<std::uintptr_t>(column), a, b, nullptr, nullptr};
  }
  void operator()(Real*, index_t, index_t, index_t, index_t, index_t) const {}
};

template <class V, int Vectors, int Cols>
void multiply_add_complex(const panel_product<complex<typename V::value>>& p, complex<typename V::value>* part,
                          bool clear) {
  using Real = typename V::value;
  constexpr index_t rows = Vectors * V::lanes, size = sizeof(Real);
  auto* const sums = reinterpret_cast<Real*>(part);
  each_complex_tile<V, Vectors, Cols>(
      p, clear ? nullptr : part, [sums](index_t before) { return sums + before; },
      kept_sums<Real>{2 * rows * Cols * size, 2 * rows * size});
}

/// What the last stage does: total, epilogue, store.
template <class V, int Vectors, int Cols, class Op>
struct stored_sums {
  using Real = typename V::value;
  static constexpr index_t rows = Vectors * V::lanes;
  const Op& op;
  const panel_product<complex<Real>>& product;
  const Real* total;
  const scaled_output<complex<Real>>& out;

  lookahead ahead(const Real*, index_t row, index_t col, const lines& a, const lines& b) const {
    return {out.c + row * out.stride_row + col * out.stride_col,
            static_cast<std::uintptr_t>(out.stride_col) * sizeof(complex<Real>),
            a,
            b,
            nullptr,
            nullptr};
  }
  void operator()(Real* sums, index_t before, index_t row, index_t m, index_t col, index_t n) const {
    if (total != nullptr)
      for (index_t y = 0; y < 2 * Cols; ++y)
        for (index_t i = 0; i < m; i += V::lanes)
          V::store(sums + y * rows + i, V::add(V::load(total + before + y * rows + i), V::load(sums + y * rows + i)));
    store_complex_tile<V>(op, m, n, rows, sums, out.c + row * out.stride_row + col * out.stride_col, out.stride_row,
                          out.stride_col, product.wanted.from(row, col));
    out.end(row, col, m, n);
  }
};

template <class V, int Vectors, int Cols>
void multiply_add_store_complex(const panel_product<complex<typename V::value>>& p,
                                const complex<typename V::value>* part, const complex<typename V::value>* total,
                                const scaled_output<complex<typename V::value>>& out) {
  using Real = typename V::value;
  constexpr index_t rows = Vectors * V::lanes;
  alignas(64) Real sums[2 * rows * Cols];
  with_complex_epilogue<V>(true, out.alpha, out.beta, [&](const auto& op) {
    using op_type = std::decay_t<decltype(op)>;
    if constexpr (op_type::reads_sum)
      each_complex_tile<V, Vectors, Cols>(
          p, part, [&](index_t) { return sums; },
          stored_sums<V, Vectors, Cols, op_type>{op, p, reinterpret_cast<const Real*>(total), out});
  });
}

}  // namespace
}  // namespace abax::openmp

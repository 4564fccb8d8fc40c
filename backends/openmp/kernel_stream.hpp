// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The canon's epilogue, and the kernels that are nothing else: every loop that ends in an operand, not in scratch.
#include <type_traits>

#include "kernel_copy.hpp"
#include "scalar.hpp"

namespace abax::openmp {
namespace {

/// r = S, where a multiplication by one would be felt
template <class V>
struct identity {
  typename V::reg operator()(typename V::reg s, typename V::reg) const { return V::canonical(s); }
  static constexpr bool reads_old = false;
};

// alpha == 1 and beta == 1 need no case of their own: multiplying by one changes no bit but a NaN's, and every NaN
// ends as the canonical one.

/// r = alpha S
template <class V>
struct scale {
  using T = typename V::value;
  typename V::reg alphas;
  T alpha;
  scale(T alpha_, T) : alphas(V::set(alpha_)), alpha(alpha_) {}
  typename V::reg operator()(typename V::reg s, typename V::reg) const { return V::canonical(V::mul(alphas, s)); }
  T operator()(T s, T) const { return canonical_nan(alpha * s); }
  static constexpr bool reads_sum = true;
  static constexpr bool reads_old = false;
};

/// r = fma(alpha, S, beta C)
template <class V>
struct update {
  using T = typename V::value;
  typename V::reg alphas, betas;
  T alpha, beta;
  update(T alpha_, T beta_) : alphas(V::set(alpha_)), betas(V::set(beta_)), alpha(alpha_), beta(beta_) {}
  typename V::reg operator()(typename V::reg s, typename V::reg c) const {
    return V::canonical(V::fma(alphas, s, V::mul(betas, c)));
  }
  T operator()(T s, T c) const {
    const T t = beta * c;
    return canonical_nan(fused(alpha, s, t));
  }
  static constexpr bool reads_sum = true;
  static constexpr bool reads_old = true;
};

/// r = beta C: a product without terms, or alpha == 0
template <class V>
struct rescale {
  using T = typename V::value;
  typename V::reg betas;
  T beta;
  rescale(T, T beta_) : betas(V::set(beta_)), beta(beta_) {}
  typename V::reg operator()(typename V::reg, typename V::reg c) const { return V::canonical(V::mul(betas, c)); }
  T operator()(T, T c) const { return canonical_nan(beta * c); }
  static constexpr bool reads_sum = false;
  static constexpr bool reads_old = true;
};

/// r = +0
template <class V>
struct clear_to_zero {
  using T = typename V::value;
  clear_to_zero(T, T) {}
  typename V::reg operator()(typename V::reg, typename V::reg) const { return V::zero(); }
  T operator()(T, T) const { return T(0); }
  static constexpr bool reads_sum = false;
  static constexpr bool reads_old = false;
};

/// r = x + value
template <class V>
struct plus {
  using T = typename V::value;
  typename V::reg values;
  T value;
  plus(T value_, T) : values(V::set(value_)), value(value_) {}
  typename V::reg operator()(typename V::reg s, typename V::reg) const { return V::canonical(V::add(s, values)); }
  T operator()(T s, T) const { return canonical_nan(s + value); }
  static constexpr bool reads_sum = true;
  static constexpr bool reads_old = false;
};

/// out[i] <- op(sum[i], old[i]); out may be sum or old itself. NonTemporal: past the caches, where out is aligned.
template <class V, bool NonTemporal = false, class Op>
[[gnu::always_inline]] inline void apply(const Op& op, index_t n, const typename V::value* sum, index_t stride_sum,
                                         const typename V::value* old, index_t stride_old, typename V::value* out,
                                         index_t stride_out) {
  using T = typename V::value;
  index_t i = 0;
  if (stride_out == 1 && (stride_sum == 1 || !Op::reads_sum) && (stride_old == 1 || !Op::reads_old)) {
    if (NonTemporal || n >= V::lanes)
      i = for_each_vector<V>(n, [&](index_t v) {
        typename V::reg s = V::zero(), c = V::zero();
        if constexpr (Op::reads_sum) s = V::load(sum + v);
        if constexpr (Op::reads_old) c = V::load(old + v);
        if constexpr (NonTemporal)
          V::store_nontemporal(out + v, op(s, c));
        else
          V::store(out + v, op(s, c));
      });
    if (const index_t rest = n - i; rest > 0) {
      typename V::reg s = V::zero(), c = V::zero();
      if constexpr (Op::reads_sum) s = V::load(sum + i, rest);
      if constexpr (Op::reads_old) c = V::load(old + i, rest);
      V::store(out + i, op(s, c), rest);
    }
    return;
  }
  for (; i < n; ++i) {
    T s = T(0), c = T(0);
    if constexpr (Op::reads_sum) s = sum[i * stride_sum];
    if constexpr (Op::reads_old) c = old[i * stride_old];
    out[i * stride_out] = op(s, c);
  }
}

/// Calls `loop` with the operation that alpha and beta stand for; not at all where C stays as it is.
template <class V, class Loop>
[[gnu::always_inline]] inline void with_epilogue(bool terms, typename V::value alpha, typename V::value beta,
                                                 const Loop& loop) {
  if (terms && alpha != 0) {
    if (beta == 0)
      loop(scale<V>(alpha, beta));
    else
      loop(update<V>(alpha, beta));
  } else if (beta == 0) {
    loop(clear_to_zero<V>(alpha, beta));
  } else if (beta != 1) {
    loop(rescale<V>(alpha, beta));
  }
}

/// c <- op(sums, c) for the wanted outputs in the m x n corner of one register tile, `rows` sums a column.
/// Never inlined: beside its loops the compiler no longer keeps a caller's accumulators in registers.
template <class V, class Op>
[[gnu::noinline]] void store_tile(const Op& op, index_t m, index_t n, index_t rows, const typename V::value* sums,
                                  typename V::value* c, index_t stride_row, index_t stride_col, const band& wanted) {
  for (index_t j = 0; j < n; ++j) {
    const index_t first = larger(index_t{0}, wanted.low + j), last = smaller(m - 1, wanted.high + j);
    if (first <= last) {
      auto* out = c + first * stride_row + j * stride_col;
      apply<V>(op, last - first + 1, sums + first, 1, out, stride_row, out, stride_row);
    }
    sums += rows;
  }
}

/// out <- op(-, out) for one column of n contiguous values. Its end is a whole vector, too, which was read before what
/// it shares with the one before is written: a load would wait for a store of part of a vector that it seems to
/// overlap.
template <class V, class Op>
[[gnu::always_inline]] inline void apply_to_column(const Op& op, index_t n, typename V::value* out) {
  constexpr index_t lanes = V::lanes;
  const auto old = [](const auto* at) { return Op::reads_old ? V::load(at) : V::zero(); };
  typename V::reg last = V::zero();
  if (n % lanes != 0) last = op(V::zero(), old(out + n - lanes));
  for (index_t i = 0; i + lanes <= n; i += lanes) V::store(out + i, op(V::zero(), old(out + i)));
  if (n % lanes != 0) V::store(out + n - lanes, last);
}

/// out <- op(sum, old) for `Cols` columns of n values, fewer than a vector has; all are loaded before one is stored.
template <class V, int Cols, class Op>
[[gnu::always_inline]] inline void apply_to_narrow_columns(const Op& op, index_t n, const typename V::value* sum,
                                                           index_t stride_sum, const typename V::value* old,
                                                           index_t stride_old, typename V::value* out,
                                                           index_t stride_out) {
  typename V::reg sums[Cols], olds[Cols];
#pragma GCC unroll 8
  for (int j = 0; j < Cols; ++j) {
    sums[j] = Op::reads_sum ? V::load(sum + j * stride_sum, n) : V::zero();
    olds[j] = Op::reads_old ? V::load(old + j * stride_old, n) : V::zero();
  }
#pragma GCC unroll 8
  for (int j = 0; j < Cols; ++j) V::store(out + j * stride_out, op(sums[j], olds[j]), n);
}
inline constexpr index_t narrow_columns_at_once = 8;

/// c <- op(-, c) for the wanted outputs of m x n.
template <class V, class Op>
void apply_to_output(const Op& op, index_t m, index_t n, typename V::value* c, index_t stride_row, index_t stride_col,
                     const band& wanted) {
  constexpr index_t at_once = narrow_columns_at_once, in_cache = (1 << 19) / sizeof(typename V::value);
  const bool whole = wanted.covers(m, n);
  if (whole && stride_row == 1 && stride_col == m && n > 1) {
    if (m * n > in_cache) return apply<V>(op, m * n, nullptr, 0, c, 1, c, 1);
    return apply_to_output<V>(op, m * n, 1, c, 1, 0, {});
  }
  index_t j = 0;
  if (whole && stride_row == 1 && m < V::lanes)
    for (; j + at_once <= n; j += at_once) {
      auto* const out = c + j * stride_col;
      apply_to_narrow_columns<V, at_once>(op, m, nullptr, 0, out, stride_col, out, stride_col);
    }
  for (; j < n; ++j) {
    const index_t first = larger(index_t{0}, wanted.low + j), rows = smaller(m - 1, wanted.high + j) + 1 - first;
    auto* const out = c + first * stride_row + j * stride_col;
    if (rows <= 0) continue;
    if (stride_row != 1)
      apply<V>(op, rows, nullptr, 0, out, stride_row, out, stride_row);
    else if (rows < V::lanes)
      apply_to_narrow_columns<V, 1>(op, rows, nullptr, 0, out, 0, out, 0);
    else
      apply_to_column<V>(op, rows, out);
  }
}

/// Tile by tile, so that the total is read straight through.
template <class V, int Vectors, int Cols>
void store(index_t m, index_t n, const typename V::value* total, typename V::value alpha, typename V::value beta,
           typename V::value* c, index_t stride_row, index_t stride_col, band wanted) {
  constexpr index_t rows = Vectors * V::lanes;
  with_epilogue<V>(total != nullptr, alpha, beta, [&](const auto& op) {
    if constexpr (!std::decay_t<decltype(op)>::reads_sum) {
      apply_to_output<V>(op, m, n, c, stride_row, stride_col, wanted);
    } else {
      const auto* tile = total;
      for (index_t j = 0; j < n; j += Cols)
        for (index_t i = 0; i < m; i += rows) {
          store_tile<V>(op, smaller(rows, m - i), smaller(index_t{Cols}, n - j), rows, tile,
                        c + i * stride_row + j * stride_col, stride_row, stride_col, wanted.from(i, j));
          tile += rows * Cols;
        }
    }
  });
}

template <class V>
void store_vector(index_t n, const typename V::value* total, typename V::value alpha, typename V::value beta,
                  typename V::value* y, index_t stride) {
  with_epilogue<V>(total != nullptr, alpha, beta,
                   [&](const auto& op) { apply<V>(op, n, total, 1, y, stride, y, stride); });
}

template <class V, bool NonTemporal>
void combine(index_t n, typename V::value alpha, const typename V::value* x, index_t stride_x, typename V::value beta,
             const typename V::value* y, index_t stride_y, typename V::value* z, index_t stride_z) {
  if (alpha == 0 && beta == 1) {  // z is y, untouched
    if (z != y) copy<V, NonTemporal>(n, 1, y, stride_y, 0, z, stride_z, 0);
    return;
  }
  with_epilogue<V>(true, alpha, beta, [&](const auto& op) {
    const index_t head = NonTemporal && stride_z == 1 ? smaller(n, to_next_line(z)) : n;
    apply<V>(op, head, x, stride_x, y, stride_y, z, stride_z);
    if (head == n) return;
    apply<V, NonTemporal>(op, n - head, x + head * stride_x, stride_x, y + head * stride_y, stride_y, z + head, 1);
    V::fence();
  });
}

template <class V>
void combine_columns(index_t m, index_t n, typename V::value alpha, const typename V::value* x, index_t stride_x,
                     typename V::value beta, const typename V::value* y, index_t stride_y, typename V::value* z,
                     index_t stride_z) {
  constexpr index_t at_once = narrow_columns_at_once;
  if (alpha == 0 && beta == 1) {  // Z is Y, untouched
    if (z != y) copy<V, false>(m, n, y, 1, stride_y, z, 1, stride_z);
    return;
  }
  with_epilogue<V>(true, alpha, beta, [&](const auto& op) {
    index_t j = 0;
    if (m < V::lanes)
      for (; j + at_once <= n; j += at_once)
        apply_to_narrow_columns<V, at_once>(op, m, x + j * stride_x, stride_x, y + j * stride_y, stride_y,
                                            z + j * stride_z, stride_z);
    for (; j < n; ++j) apply<V>(op, m, x + j * stride_x, 1, y + j * stride_y, 1, z + j * stride_z, 1);
  });
}

template <class V>
void increment(index_t n, typename V::value value, typename V::value* x, index_t stride) {
  apply<V>(plus<V>(value, 0), n, x, stride, nullptr, 0, x, stride);
}

}  // namespace
}  // namespace abax::openmp

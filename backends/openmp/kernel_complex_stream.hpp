// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The canon's epilogue of complex values, and the loops that end in an operand: sums of a register tile, vectors,
/// copies, transposes.
#include <type_traits>

#include "scalar.hpp"

namespace abax::openmp {
namespace {

using tile::complex;

template <class T>
complex<T> canonical_nan(const complex<T>& v) {
  return {canonical_nan(v.re), canonical_nan(v.im)};
}
/// a b: re takes ar br, then -ai bi; im takes ar bi, then ai br.
template <class T>
complex<T> product_of(const complex<T>& a, const complex<T>& b) {
  return {fused(-a.im, b.im, a.re * b.re), fused(a.im, b.re, a.re * b.im)};
}
/// a b + c likewise.
template <class T>
complex<T> fused(const complex<T>& a, const complex<T>& b, const complex<T>& c) {
  return {fused(-a.im, b.im, fused(a.re, b.re, c.re)), fused(a.im, b.re, fused(a.re, b.im, c.im))};
}

/// A factor in every place: of parts that lie apart, or side by side.
template <class V>
struct complex_factor {
  using reg = typename V::reg;
  reg re, im, minus_im, turned;

  explicit complex_factor(const complex<typename V::value>& f)
      : re(V::set(f.re)), im(V::set(f.im)), minus_im(V::set(-f.im)), turned(V::set_parts(-f.im, f.im)) {}

  void multiply(reg& x_re, reg& x_im) const {
    const reg r = V::fma(minus_im, x_im, V::mul(re, x_re));
    x_im = V::fma(im, x_re, V::mul(re, x_im));
    x_re = r;
  }
  void multiply_add(reg& x_re, reg& x_im, reg t_re, reg t_im) const {
    const reg r = V::fma(minus_im, x_im, V::fma(re, x_re, t_re));
    x_im = V::fma(im, x_re, V::fma(re, x_im, t_im));
    x_re = r;
  }
  reg times(reg x) const { return V::fma(turned, V::swapped_parts(x), V::mul(re, x)); }
  reg times_plus(reg x, reg t) const { return V::fma(turned, V::swapped_parts(x), V::fma(re, x, t)); }
};

// Each operation: of sums s and C's old values c, whose parts lie apart; side by side; and of one value.

/// r = S: a multiplication by one would make a NaN of an infinite part
template <class V>
struct complex_identity {
  using T = complex<typename V::value>;
  using reg = typename V::reg;
  complex_identity(const T&, const T&) {}
  void operator()(reg& re, reg& im, reg, reg) const {
    re = V::canonical(re);
    im = V::canonical(im);
  }
  reg operator()(reg s, reg) const { return V::canonical(s); }
  T operator()(const T& s, const T&) const { return canonical_nan(s); }
  static constexpr bool reads_sum = true, reads_old = false;
};

/// r = alpha S
template <class V>
struct complex_scale {
  using T = complex<typename V::value>;
  using reg = typename V::reg;
  complex_factor<V> factor;
  T alpha;
  complex_scale(const T& alpha_, const T&) : factor(alpha_), alpha(alpha_) {}
  void operator()(reg& re, reg& im, reg, reg) const {
    factor.multiply(re, im);
    re = V::canonical(re);
    im = V::canonical(im);
  }
  reg operator()(reg s, reg) const { return V::canonical(factor.times(s)); }
  T operator()(const T& s, const T&) const { return canonical_nan(product_of(alpha, s)); }
  static constexpr bool reads_sum = true, reads_old = false;
};

/// r = alpha S + C
template <class V>
struct complex_add {
  using T = complex<typename V::value>;
  using reg = typename V::reg;
  complex_factor<V> factor;
  T alpha;
  complex_add(const T& alpha_, const T&) : factor(alpha_), alpha(alpha_) {}
  void operator()(reg& re, reg& im, reg old_re, reg old_im) const {
    factor.multiply_add(re, im, old_re, old_im);
    re = V::canonical(re);
    im = V::canonical(im);
  }
  reg operator()(reg s, reg c) const { return V::canonical(factor.times_plus(s, c)); }
  T operator()(const T& s, const T& c) const { return canonical_nan(fused(alpha, s, c)); }
  static constexpr bool reads_sum = true, reads_old = true;
};

/// r = alpha S + beta C
template <class V>
struct complex_update {
  using T = complex<typename V::value>;
  using reg = typename V::reg;
  complex_factor<V> factor, of_old;
  T alpha, beta;
  complex_update(const T& alpha_, const T& beta_) : factor(alpha_), of_old(beta_), alpha(alpha_), beta(beta_) {}
  void operator()(reg& re, reg& im, reg old_re, reg old_im) const {
    of_old.multiply(old_re, old_im);
    factor.multiply_add(re, im, old_re, old_im);
    re = V::canonical(re);
    im = V::canonical(im);
  }
  reg operator()(reg s, reg c) const { return V::canonical(factor.times_plus(s, of_old.times(c))); }
  T operator()(const T& s, const T& c) const { return canonical_nan(fused(alpha, s, product_of(beta, c))); }
  static constexpr bool reads_sum = true, reads_old = true;
};

/// r = beta C: a product without terms, or alpha == 0
template <class V>
struct complex_rescale {
  using T = complex<typename V::value>;
  using reg = typename V::reg;
  complex_factor<V> of_old;
  T beta;
  complex_rescale(const T&, const T& beta_) : of_old(beta_), beta(beta_) {}
  reg operator()(reg, reg c) const { return V::canonical(of_old.times(c)); }
  T operator()(const T&, const T& c) const { return canonical_nan(product_of(beta, c)); }
  static constexpr bool reads_sum = false, reads_old = true;
};

/// r = +0
template <class V>
struct complex_zero {
  using T = complex<typename V::value>;
  using reg = typename V::reg;
  complex_zero(const T&, const T&) {}
  reg operator()(reg, reg) const { return V::zero(); }
  T operator()(const T&, const T&) const { return {0, 0}; }
  static constexpr bool reads_sum = false, reads_old = false;
};

/// Calls `loop` with the operation that alpha and beta stand for; not at all where C stays as it is.
template <class V, class Loop>
void with_complex_epilogue(bool terms, const complex<typename V::value>& alpha, const complex<typename V::value>& beta,
                           const Loop& loop) {
  const auto is = [](const complex<typename V::value>& x, int value) { return x.re == value && x.im == 0; };
  if (terms && !is(alpha, 0)) {
    if (!is(beta, 0))
      is(beta, 1) ? loop(complex_add<V>(alpha, beta)) : loop(complex_update<V>(alpha, beta));
    else
      is(alpha, 1) ? loop(complex_identity<V>(alpha, beta)) : loop(complex_scale<V>(alpha, beta));
  } else if (is(beta, 0)) {
    loop(complex_zero<V>(alpha, beta));
  } else if (!is(beta, 1)) {
    loop(complex_rescale<V>(alpha, beta));
  }
}

/// out[i] <- op(sum[i], old[i]); out may be sum or old itself.
template <class V, class Op>
void apply_complex(const Op& op, index_t n, const complex<typename V::value>* sum, index_t stride_sum,
                   const complex<typename V::value>* old, index_t stride_old, complex<typename V::value>* out,
                   index_t stride_out) {
  using Real = typename V::value;
  using T = complex<Real>;
  if (stride_out == 1 && (stride_sum == 1 || !Op::reads_sum) && (stride_old == 1 || !Op::reads_old)) {
    const auto* const s = reinterpret_cast<const Real*>(sum);
    const auto* const c = reinterpret_cast<const Real*>(old);
    auto* const r = reinterpret_cast<Real*>(out);
    const index_t i = for_each_vector<V>(2 * n, [&](index_t v) {
      V::store(r + v, op(Op::reads_sum ? V::load(s + v) : V::zero(), Op::reads_old ? V::load(c + v) : V::zero()));
    });
    if (const index_t rest = 2 * n - i; rest > 0)
      V::store(r + i,
               op(Op::reads_sum ? V::load(s + i, rest) : V::zero(), Op::reads_old ? V::load(c + i, rest) : V::zero()),
               rest);
    return;
  }
  for (index_t i = 0; i < n; ++i) {
    T s{}, c{};
    if constexpr (Op::reads_sum) s = sum[i * stride_sum];
    if constexpr (Op::reads_old) c = old[i * stride_old];
    out[i * stride_out] = op(s, c);
  }
}

/// c <- op(sums, c) for the wanted outputs in the m x n corner of one register tile, whose columns are `rows` real
/// parts and then `rows` imaginary ones.
template <class V, class Op>
[[gnu::noinline]] void store_complex_tile(const Op& op, index_t m, index_t n, index_t rows,
                                          const typename V::value* sums, complex<typename V::value>* c,
                                          index_t stride_row, index_t stride_col, const band& wanted) {
  using Real = typename V::value;
  for (index_t j = 0; j < n; ++j, sums += 2 * rows) {
    const index_t first = larger(index_t{0}, wanted.low + j), end = smaller(m - 1, wanted.high + j) + 1;
    auto* const out = c + j * stride_col;
    index_t i = first;
    if (stride_row == 1)
      for (; i < end; i += V::lanes) {
        const index_t live = smaller(index_t{V::lanes}, end - i);
        const bool whole = live == V::lanes;
        const index_t low_parts = smaller(2 * live, index_t{V::lanes}), high_parts = 2 * live - low_parts;
        auto* const at = reinterpret_cast<Real*>(out + i);
        typename V::reg re, im, old_re = V::zero(), old_im = V::zero(), low, high;
        re = whole ? V::load(sums + i) : V::load(sums + i, live);
        im = whole ? V::load(sums + rows + i) : V::load(sums + rows + i, live);
        if constexpr (Op::reads_old) {
          low = whole ? V::load(at) : V::load(at, low_parts);
          high = whole ? V::load(at + V::lanes) : high_parts > 0 ? V::load(at + V::lanes, high_parts) : V::zero();
          V::split(low, high, old_re, old_im);
        }
        op(re, im, old_re, old_im);
        V::join(re, im, low, high);
        if (whole) {
          V::store(at, low);
          V::store(at + V::lanes, high);
        } else {
          V::store(at, low, low_parts);
          if (high_parts > 0) V::store(at + V::lanes, high, high_parts);
        }
      }
    else
      for (; i < end; ++i) {
        complex<Real> old{};
        if constexpr (Op::reads_old) old = out[i * stride_row];
        out[i * stride_row] = op(complex<Real>{sums[i], sums[rows + i]}, old);
      }
  }
}

template <class V, int Vectors, int Cols>
void store_complex(index_t m, index_t n, const complex<typename V::value>* total,
                   const scaled_output<complex<typename V::value>>& out, band wanted) {
  constexpr index_t rows = Vectors * V::lanes;
  with_complex_epilogue<V>(total != nullptr, out.alpha, out.beta, [&](const auto& op) {
    if constexpr (!std::decay_t<decltype(op)>::reads_sum) {
      for (index_t j = 0; j < n; ++j) {
        const index_t first = larger(index_t{0}, wanted.low + j), end = smaller(m - 1, wanted.high + j) + 1;
        auto* const c = out.c + first * out.stride_row + j * out.stride_col;
        if (first < end) apply_complex<V>(op, end - first, nullptr, 0, c, out.stride_row, c, out.stride_row);
      }
    } else {
      const auto* tile = reinterpret_cast<const typename V::value*>(total);
      for (index_t j = 0; j < n; j += Cols)
        for (index_t i = 0; i < m; i += rows) {
          store_complex_tile<V>(op, smaller(rows, m - i), smaller(index_t{Cols}, n - j), rows, tile,
                                out.c + i * out.stride_row + j * out.stride_col, out.stride_row, out.stride_col,
                                wanted.from(i, j));
          tile += 2 * rows * Cols;
        }
    }
  });
}

template <class V>
void store_complex_vector(index_t n, const complex<typename V::value>* total, complex<typename V::value> alpha,
                          complex<typename V::value> beta, complex<typename V::value>* y, index_t stride) {
  with_complex_epilogue<V>(total != nullptr, alpha, beta,
                           [&](const auto& op) { apply_complex<V>(op, n, total, 1, y, stride, y, stride); });
}

template <class V>
void combine_complex(index_t n, complex<typename V::value> alpha, const complex<typename V::value>* x, index_t stride_x,
                     complex<typename V::value> beta, const complex<typename V::value>* y, index_t stride_y,
                     complex<typename V::value>* z, index_t stride_z) {
  if (alpha.re == 0 && alpha.im == 0 && beta.re == 1 && beta.im == 0) {  // z is y, untouched
    if (z != y)
      for (index_t i = 0; i < n; ++i) move_bits(z + i * stride_z, y + i * stride_y);
    return;
  }
  with_complex_epilogue<V>(true, alpha, beta,
                           [&](const auto& op) { apply_complex<V>(op, n, x, stride_x, y, stride_y, z, stride_z); });
}

/// dst(i, j) <- src(i, j), a cache line of the side that runs along j at a time, if one does.
template <class T>
void copy_complex(index_t m, index_t n, const T* src, index_t src_row, index_t src_col, T* dst, index_t dst_row,
                  index_t dst_col) {
  constexpr index_t line = 64 / sizeof(T);
  index_t j = 0;
  for (; j + line <= n; j += line)
    for (index_t i = 0; i < m; ++i)
#pragma GCC unroll 8
      for (index_t l = 0; l < line; ++l)
        move_bits(dst + i * dst_row + (j + l) * dst_col, src + i * src_row + (j + l) * src_col);
  for (; j < n; ++j)
    for (index_t i = 0; i < m; ++i) move_bits(dst + i * dst_row + j * dst_col, src + i * src_row + j * src_col);
}

template <class V>
void conjugate(index_t m, index_t n, complex<typename V::value>* a, index_t row, index_t col) {
  using Real = typename V::value;
  for (index_t j = 0; j < n; ++j) {
    index_t i = 0;
    if (row == 1) {
      auto* const parts = reinterpret_cast<Real*>(a + j * col);
      for (; i + V::lanes / 2 <= m; i += V::lanes / 2) V::store(parts + 2 * i, V::conjugate(V::load(parts + 2 * i)));
    }
    for (; i < m; ++i) {
      // By bits, as for all that moves them: a signalling NaN stays one.
      auto* const sign = reinterpret_cast<unsigned char*>(&a[i * row + j * col].im);
      using bits_type = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
      bits_type bits;
      std::memcpy(&bits, sign, sizeof bits);
      bits ^= bits_type{1} << (8 * sizeof(Real) - 1);
      std::memcpy(sign, &bits, sizeof bits);
    }
  }
}

template <class T>
void exchange_complex(index_t m, index_t n, T* a, index_t a_row, index_t a_col, T* b, index_t b_row, index_t b_col) {
  constexpr index_t line = 64 / sizeof(T);
  for (index_t first = 0; first < n; first += line)
    for (index_t i = 0; i < m; ++i)
      for (index_t j = first; j < smaller(n, first + line); ++j)
        swap_bits(a + i * a_row + j * a_col, b + i * b_row + j * b_col);
}

template <class T>
void transpose_complex_square(index_t n, T* a, index_t row, index_t col) {
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < j; ++i) swap_bits(a + i * row + j * col, a + j * row + i * col);
}

}  // namespace
}  // namespace abax::openmp

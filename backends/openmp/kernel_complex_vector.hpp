// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Complex vectors: the matrix-vector product, an output to each pair of lanes, and reductions over parts.
#include "kernel_complex_stream.hpp"
#include "kernel_reduction.hpp"
#include "kernel_vector.hpp"

namespace abax::openmp {
namespace {

/// What one x contributes: acc <- acc + a x, first the products of a's real part, then those of its imaginary one; or,
/// where the product is turned, acc + x a, first those of x' real part. A conjugate of a turns signs.
template <class V, bool Turned>
struct complex_term {
  using reg = typename V::reg;
  reg first, second;

  complex_term() = default;
  complex_term(const complex<typename V::value>& x, bool conjugated) {
    const reg v = V::set_value(&x.re);
    if constexpr (Turned) {
      const reg re = V::real_parts(v), im = V::imaginary_parts(v);
      first = conjugated ? V::conjugate(re) : re;
      second = conjugated ? im : V::negate_real(im);
    } else {
      const reg turned = V::swapped_parts(v);
      first = v;
      second = conjugated ? V::conjugate(turned) : V::negate_real(turned);
    }
  }

  reg add(reg a, reg acc) const {
    if constexpr (Turned)
      return V::fma(V::swapped_parts(a), second, V::fma(a, first, acc));
    else
      return V::fma(V::imaginary_parts(a), second, V::fma(V::real_parts(a), first, acc));
  }
};

/// part[i] <- chain over `Group` neighbouring columns.
template <class V, bool Turned, int Group>
void add_complex_columns(index_t outputs, const complex<typename V::value>* a, index_t stride_k, bool conjugated,
                         const complex<typename V::value>* x, complex<typename V::value>* part) {
  using Real = typename V::value;
  complex_term<V, Turned> xs[Group];
#pragma GCC unroll 8
  for (int g = 0; g < Group; ++g) xs[g] = complex_term<V, Turned>(x[g], conjugated);
  const auto* const from = reinterpret_cast<const Real*>(a);
  auto* const sums = reinterpret_cast<Real*>(part);
  index_t i = 0;
  for (; i + V::lanes <= 2 * outputs; i += V::lanes) {
    typename V::reg acc = V::load(sums + i);
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) acc = xs[g].add(V::load(from + 2 * g * stride_k + i), acc);
    V::store(sums + i, acc);
  }
  if (const index_t rest = 2 * outputs - i; rest > 0) {
    typename V::reg acc = V::load(sums + i, rest);
#pragma GCC unroll 8
    for (int g = 0; g < Group; ++g) acc = xs[g].add(V::load(from + 2 * g * stride_k + i, rest), acc);
    V::store(sums + i, acc, rest);
  }
}

/// sums <- sums + a x for one term of a vector of rows, whose parts lie apart.
template <class V, bool Turned, bool Conjugated>
[[gnu::always_inline]] inline void add_complex_rows_term(typename V::reg a_re, typename V::reg a_im,
                                                         const complex<typename V::value>& x, typename V::reg& re,
                                                         typename V::reg& im) {
  const typename V::reg x_re = V::set(x.re), x_im = V::set(x.im);
  const auto add_imaginary = [&] {
    Conjugated ? V::accumulate_negated(im, a_im, x_re) : V::accumulate(im, a_im, x_re);
  };
  V::accumulate(re, a_re, x_re);
  Conjugated ? V::accumulate(re, a_im, x_im) : V::accumulate_negated(re, a_im, x_im);
  if constexpr (Turned) {
    add_imaginary();
    V::accumulate(im, a_re, x_im);
  } else {
    V::accumulate(im, a_re, x_im);
    add_imaginary();
  }
}

/// The rows of a are contiguous: part[i] <- chain of row i, `Groups` vectors of rows; of the last vector `last` rows.
/// `Fetches`: they come from beyond the second cache.
template <class V, bool Turned, bool Conjugated, int Groups, bool Fetches>
void add_complex_rows(index_t last, index_t depth, const complex<typename V::value>* a, index_t stride,
                      const complex<typename V::value>* x, complex<typename V::value>* part) {
  using Real = typename V::value;
  using reg = typename V::reg;
  constexpr index_t lanes = V::lanes, half = lanes / 2, terms = half / 2;
  const auto* const from = reinterpret_cast<const Real*>(a);
  auto* const sums = reinterpret_cast<Real*>(part);
  const index_t parts = 2 * last, low_parts = smaller(parts, lanes), high_parts = parts - low_parts;
  const auto whole = [last](int g) { return g + 1 < Groups || last == V::lanes; };
  reg re[Groups], im[Groups];
#pragma GCC unroll 4
  for (int g = 0; g < Groups; ++g) {
    Real* const s = sums + 2 * g * lanes;
    const reg low = whole(g) ? V::load(s) : V::load(s, low_parts);
    const reg high = whole(g) ? V::load(s + lanes) : high_parts > 0 ? V::load(s + lanes, high_parts) : V::zero();
    V::split(low, high, re[g], im[g]);
  }
  index_t p = 0;
  if (last == V::lanes)
    for (; p + terms <= depth; p += terms)
#pragma GCC unroll 4
      for (int g = 0; g < Groups; ++g) {
        if (Fetches && p * index_t(sizeof(Real)) * 2 % 64 == 0)
#pragma GCC unroll 8
          for (int r = 0; r < lanes; ++r) V::prefetch(ahead(from + 2 * ((g * lanes + r) * stride + p), reach));
        reg m[half];
        V::load_half_transposed(from + 2 * (g * lanes * stride + p), 2 * stride, m);
#pragma GCC unroll 4
        for (int t = 0; t < terms; ++t)
          add_complex_rows_term<V, Turned, Conjugated>(m[2 * t], m[2 * t + 1], x[p + t], re[g], im[g]);
      }
  for (; p < depth; p += half)
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
      const index_t rest = smaller(half, depth - p);
      reg m[lanes];
      load_part_transposed<V>(whole(g) ? lanes : last, 2 * rest, from + 2 * (g * lanes * stride + p), 2 * stride, m);
#pragma GCC unroll 8
      for (int t = 0; t < half; ++t)
        if (t < rest) add_complex_rows_term<V, Turned, Conjugated>(m[2 * t], m[2 * t + 1], x[p + t], re[g], im[g]);
    }
#pragma GCC unroll 4
  for (int g = 0; g < Groups; ++g) {
    Real* const s = sums + 2 * g * lanes;
    reg low, high;
    V::join(re[g], im[g], low, high);
    if (whole(g)) {
      V::store(s, low);
      V::store(s + lanes, high);
    } else {
      V::store(s, low, low_parts);
      if (high_parts > 0) V::store(s + lanes, high, high_parts);
    }
  }
}

/// The same where rows lie so far apart that their lines share few of the first cache's sets: some terms of each row at
/// a time are copied to where they do not. What comes next is on its way to the first cache meanwhile.
template <class V, bool Turned, bool Conjugated, int Groups>
void add_copied_complex_rows(index_t depth, const complex<typename V::value>* a, index_t stride,
                             const complex<typename V::value>* x, complex<typename V::value>* part) {
  using T = complex<typename V::value>;
  constexpr index_t rows = Groups * V::lanes, at_once = 512 / sizeof(T), line = 64 / sizeof(T);
  alignas(64) T copy[rows * (at_once + line)];
  for (index_t p = 0; p < depth; p += at_once) {
    const index_t terms = smaller(at_once, depth - p), whole = terms / line * line;
    for (index_t r = 0; r < rows; ++r) {
      const T* const from = a + r * stride + p;
      T* const to = copy + r * (at_once + line);
      for (index_t t = 0; t < whole; t += line) {
        V::prefetch_second(ahead(from + t, 512));
        for (index_t v = 0; v < 2 * line; v += V::lanes) V::store(&to[t].re + v, V::load(&from[t].re + v));
      }
      for (index_t t = whole; t < terms; ++t) to[t] = from[t];
    }
    add_complex_rows<V, Turned, Conjugated, Groups, false>(V::lanes, terms, copy, at_once + line, x + p, part);
  }
}

template <class V, bool Turned, bool Conjugated>
void all_complex_rows(index_t outputs, index_t depth, const complex<typename V::value>* a, index_t stride,
                      const complex<typename V::value>* x, complex<typename V::value>* part) {
  constexpr int groups = 4;
  constexpr index_t lanes = V::lanes, rows = groups * lanes, size = sizeof(complex<typename V::value>);
  const bool copies = stride * size % (8 * 4096 / rows) == 0;  // eight of the rows in one set, and more
  const auto add_rows = outputs * depth * size > second_cache ? add_complex_rows<V, Turned, Conjugated, groups, true>
                                                              : add_complex_rows<V, Turned, Conjugated, groups, false>;
  index_t i = 0;
  for (; i + rows <= outputs; i += rows)
    if (copies)
      add_copied_complex_rows<V, Turned, Conjugated, groups>(depth, a + i * stride, stride, x, part + i);
    else
      add_rows(lanes, depth, a + i * stride, stride, x, part + i);
  for (; i < outputs; i += lanes)
    add_complex_rows<V, Turned, Conjugated, 1, false>(smaller(lanes, outputs - i), depth, a + i * stride, stride, x,
                                                      part + i);
}

template <bool Turned, class T>
void complex_chain(index_t depth, const complex<T>* a, index_t stride_k, bool conjugated, const complex<T>* x,
                   complex<T>& sum) {
  complex<T> s = sum;
  for (index_t p = 0; p < depth; ++p) {
    const complex<T> from{a[p * stride_k].re, conjugated ? -a[p * stride_k].im : a[p * stride_k].im};
    s = Turned ? fused(x[p], from, s) : fused(from, x[p], s);
  }
  sum = s;
}

template <class V, bool Turned>
void add_complex_products(index_t outputs, index_t depth, const complex<typename V::value>* a, index_t stride_output,
                          index_t stride_k, bool conjugated, const complex<typename V::value>* x,
                          complex<typename V::value>* part) {
  if (stride_output == 1) {
    index_t p = 0;
    for (; p + 8 <= depth; p += 8)
      add_complex_columns<V, Turned, 8>(outputs, a + p * stride_k, stride_k, conjugated, x + p, part);
    if (depth - p >= 4) {
      add_complex_columns<V, Turned, 4>(outputs, a + p * stride_k, stride_k, conjugated, x + p, part);
      p += 4;
    }
    for (; p < depth; ++p)
      add_complex_columns<V, Turned, 1>(outputs, a + p * stride_k, stride_k, conjugated, x + p, part);
  } else if (stride_k == 1) {
    using narrow = typename V::narrow;
    (conjugated ? all_complex_rows<narrow, Turned, true>
                : all_complex_rows<narrow, Turned, false>)(outputs, depth, a, stride_output, x, part);
  } else {
    for (index_t i = 0; i < outputs; ++i)
      complex_chain<Turned>(depth, a + i * stride_output, stride_k, conjugated, x, part[i]);
  }
}

template <class V>
void multiply_add_complex_vector(index_t outputs, index_t depth, const complex<typename V::value>* a,
                                 index_t stride_output, index_t stride_k, bool conjugated, bool turned,
                                 const complex<typename V::value>* x, complex<typename V::value>* part) {
  (turned ? add_complex_products<V, true> : add_complex_products<V, false>)(outputs, depth, a, stride_output, stride_k,
                                                                            conjugated, x, part);
}

/// Sums of x(i) y(i), the parts of a term side by side: re's terms are xr yr and -xi yi, im's are xr yi and xi yr.
template <class V>
struct dotu_terms {
  static constexpr int sums = 2, vectors = 4;
  static constexpr bool two_operands = true;
  static void take(typename V::reg* s, typename V::reg x, typename V::reg y) {
    s[0] = V::fma(V::conjugate(x), y, s[0]);
    s[1] = V::fma(x, V::swapped_parts(y), s[1]);
  }
};
/// Of conj(x(i)) y(i).
template <class V>
struct dotc_terms {
  static constexpr int sums = 2, vectors = 4;
  static constexpr bool two_operands = true;
  static void take(typename V::reg* s, typename V::reg x, typename V::reg y) {
    s[0] = V::fma(x, y, s[0]);
    s[1] = V::fma(V::conjugate(x), V::swapped_parts(y), s[1]);
  }
};
template <class V, template <class> class Terms>
void reduce_complex(index_t n, const complex<typename V::value>* x, const complex<typename V::value>* y,
                    complex<typename V::value>* sums) {
  using Real = typename V::value;
  reduce<V, Terms>(2 * n, reinterpret_cast<const Real*>(x), 1, reinterpret_cast<const Real*>(y), 1,
                   reinterpret_cast<Real*>(sums));
}

template <class V>
void complex_magnitudes(index_t n, const complex<typename V::value>* x, index_t stride, typename V::value* magnitude) {
  using Real = typename V::value;
  index_t i = 0;
  if (stride == 1)
    for (const auto* const from = reinterpret_cast<const Real*>(x); i + V::lanes <= n; i += V::lanes) {
      typename V::reg re, im;
      V::split(V::load(from + 2 * i), V::load(from + 2 * i + V::lanes), re, im);
      V::store(magnitude + i, V::add(V::abs(re), V::abs(im)));
    }
  for (; i < n; ++i)
    magnitude[i] =
        static_cast<Real>(__builtin_fabs(x[i * stride].re)) + static_cast<Real>(__builtin_fabs(x[i * stride].im));
}

}  // namespace
}  // namespace abax::openmp

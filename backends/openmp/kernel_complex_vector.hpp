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
    const auto sign = conjugated ? typename V::value(-1) : typename V::value(1);  // exact
    if constexpr (Turned) {
      first = V::set_parts(x.re, sign * x.re);
      second = V::set_parts(-sign * x.im, x.im);
    } else {
      first = V::set_parts(x.re, x.im);
      second = V::set_parts(-sign * x.im, sign * x.re);
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

/// The rows of a are contiguous: part[i] <- chain of row i, `Groups` vectors of rows at a time, `rows` in the last.
template <class V, bool Turned, int Groups>
void add_complex_rows(index_t rows, index_t depth, const complex<typename V::value>* a, index_t stride, bool conjugated,
                      const complex<typename V::value>* x, complex<typename V::value>* part) {
  using Real = typename V::value;
  constexpr index_t values = V::lanes / 2;
  const auto* const from = reinterpret_cast<const Real*>(a);
  auto* const sums = reinterpret_cast<Real*>(part);
  const auto in_group = [rows](int g) { return smaller(values, rows - g * values); };
  typename V::reg acc[Groups];
#pragma GCC unroll 4
  for (int g = 0; g < Groups; ++g)
    acc[g] = in_group(g) == values ? V::load(sums + g * V::lanes) : V::load(sums + g * V::lanes, 2 * in_group(g));
  for (index_t p = 0; p < depth; p += values) {
    const index_t terms = smaller(values, depth - p);
    typename V::reg m[Groups][values];
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
#pragma GCC unroll 8
      for (int i = 0; i < values; ++i) {
        const Real* const row = from + 2 * ((g * values + i) * stride + p);
        V::prefetch(ahead(row, reach));
        m[g][i] = i >= in_group(g) ? V::zero() : terms == values ? V::load(row) : V::load(row, 2 * terms);
      }
      V::transpose_complex(m[g]);
    }
#pragma GCC unroll 8
    for (int t = 0; t < values; ++t) {
      if (t >= terms) break;
      const complex_term<V, Turned> term(x[p + t], conjugated);
#pragma GCC unroll 4
      for (int g = 0; g < Groups; ++g) acc[g] = term.add(m[g][t], acc[g]);
    }
  }
#pragma GCC unroll 4
  for (int g = 0; g < Groups; ++g)
    in_group(g) == values ? V::store(sums + g * V::lanes, acc[g])
                          : V::store(sums + g * V::lanes, acc[g], 2 * in_group(g));
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
    constexpr int groups = V::lanes >= 16 ? 2 : 4;
    constexpr index_t values = V::lanes / 2, rows = groups * values;
    index_t i = 0;
    for (; i + rows <= outputs; i += rows)
      add_complex_rows<V, Turned, groups>(rows, depth, a + i * stride_output, stride_output, conjugated, x, part + i);
    for (; i < outputs; i += values)
      add_complex_rows<V, Turned, 1>(smaller(values, outputs - i), depth, a + i * stride_output, stride_output,
                                     conjugated, x, part + i);
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

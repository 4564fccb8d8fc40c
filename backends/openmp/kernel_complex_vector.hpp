// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Complex vectors: the matrix-vector product, an output to each pair of lanes, and reductions over parts.
#include "kernel_complex_stream.hpp"
#include "kernel_reduction.hpp"
#include "kernel_vector.hpp"

namespace abax::openmp {
namespace {

/// Bytes ahead of its use that a row is fetched into the first cache: past the pauses that hardware makes at the end of
/// every page, not so far that rows evict each other.
inline constexpr std::uintptr_t reach = 512;

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

/// part[i] <- chain over `Group` neighbouring columns. `Fetches`: they come from beyond the second cache, each a
/// kilobyte ahead of its use.
template <class V, bool Turned, int Group, bool Fetches = false>
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
    for (int g = 0; g < Group; ++g) {
      const Real* const column = from + 2 * g * stride_k + i;
      if constexpr (Fetches) V::prefetch(ahead(column, 1024));
      acc = xs[g].add(V::load(column), acc);
    }
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
        V::load_half_transposed(rows_from(from + 2 * (g * lanes * stride + p), 2 * stride), m);
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

/// Chains of one value each that go on at once: as many as hide one another's latency.
inline constexpr index_t most_complex_chains = 4;

/// sums[r] <- chain over p of a(r, p) x(r, p), a(r, p) = a[r stride_output + p stride_k] and x alike; r < Runs.
template <bool Turned, int Runs, class T>
void complex_chains(index_t depth, const complex<T>* a, index_t stride_output, index_t stride_k, bool conjugated,
                    const complex<T>* x, index_t stride_x_output, index_t stride_x, bool conjugated_x,
                    complex<T>* sums) {
  const auto element = [](const complex<T>& of, bool conjugate) {
    return complex<T>{of.re, conjugate ? -of.im : of.im};
  };
  complex<T> s[Runs];
  for (int r = 0; r < Runs; ++r) s[r] = sums[r];
  for (index_t p = 0; p < depth; ++p)
#pragma GCC unroll 4
    for (int r = 0; r < Runs; ++r) {
      const complex<T> from = element(a[r * stride_output + p * stride_k], conjugated);
      const complex<T> with = element(x[r * stride_x_output + p * stride_x], conjugated_x);
      s[r] = Turned ? fused(with, from, s[r]) : fused(from, with, s[r]);
    }
  for (int r = 0; r < Runs; ++r) sums[r] = s[r];
}
template <bool Turned, class T>
void all_complex_chains(index_t runs, index_t depth, const complex<T>* a, index_t stride_output, index_t stride_k,
                        bool conjugated, const complex<T>* x, index_t stride_x_output, index_t stride_x,
                        bool conjugated_x, complex<T>* sums) {
  constexpr index_t at_once = most_complex_chains;
  static constexpr decltype(&complex_chains<Turned, 1, T>) by_runs[at_once] = {
      complex_chains<Turned, 1, T>, complex_chains<Turned, 2, T>, complex_chains<Turned, 3, T>,
      complex_chains<Turned, 4, T>};
  for (index_t r = 0, live; r < runs; r += live) {
    live = smaller(at_once, runs - r);
    by_runs[live - 1](depth, a + r * stride_output, stride_output, stride_k, conjugated, x + r * stride_x_output,
                      stride_x_output, stride_x, conjugated_x, sums + r);
  }
}

/// A last block of fewer terms goes along with the first terms of the whole ones that are left over.
template <class T>
void multiply_add_complex_blocks(index_t terms, const complex<T>* a, index_t stride_k, bool conjugated, bool turned,
                                 const complex<T>* x, index_t stride_x, bool conjugated_x, complex<T>* sums) {
  constexpr index_t block = tile::canon_block_of<complex<T>>;
  const index_t whole = terms / block, rest = terms % block, left = whole % most_complex_chains;
  const auto add = [&](index_t first, index_t blocks, index_t term, index_t depth) {
    if (blocks == 0) return;
    const index_t at = first * block + term;
    (turned ? all_complex_chains<true, T>
            : all_complex_chains<false, T>)(blocks, depth, a + at * stride_k, block * stride_k, stride_k, conjugated,
                                            x + at * stride_x, block * stride_x, stride_x, conjugated_x, sums + first);
  };
  add(0, whole - left, 0, block);
  if (rest > 0) add(whole - left, left + 1, 0, rest);
  add(whole - left, left, rest, block - rest);
}

template <class V, bool Turned, bool Conjugated>
void all_complex_rows(index_t outputs, index_t depth, const complex<typename V::value>* a, index_t stride,
                      bool from_memory, const complex<typename V::value>* x, complex<typename V::value>* part) {
  constexpr index_t lanes = V::lanes, size = sizeof(complex<typename V::value>);
  // Two vectors of rows hide each other's latency, unless more than eight of their lines fall in one set of the cache.
  const index_t groups = lanes > 4 && stride * size % 4096 == 0 ? 1 : 2, rows = groups * lanes;
  static constexpr decltype(&add_complex_rows<V, Turned, Conjugated, 1, false>) by_groups[2][2] = {
      {add_complex_rows<V, Turned, Conjugated, 1, false>, add_complex_rows<V, Turned, Conjugated, 1, true>},
      {add_complex_rows<V, Turned, Conjugated, 2, false>, add_complex_rows<V, Turned, Conjugated, 2, true>}};
  const auto add_rows = by_groups[groups - 1][from_memory ? 1 : 0];
  index_t i = 0;
  for (; i + rows <= outputs; i += rows) add_rows(lanes, depth, a + i * stride, stride, x, part + i);
  for (; i + most_complex_chains < outputs; i += lanes)
    add_complex_rows<V, Turned, Conjugated, 1, false>(smaller(lanes, outputs - i), depth, a + i * stride, stride, x,
                                                      part + i);
  if (i < outputs)
    all_complex_chains<Turned>(outputs - i, depth, a + i * stride, stride, 1, Conjugated, x, 0, 1, false, part + i);
}

template <class V, bool Turned>
void add_complex_products(index_t outputs, index_t depth, const complex<typename V::value>* a, index_t stride_output,
                          index_t stride_k, bool from_memory, bool conjugated, const complex<typename V::value>* x,
                          complex<typename V::value>* part) {
  if (outputs <= most_complex_chains) {  // latency is all that counts
    all_complex_chains<Turned>(outputs, depth, a, stride_output, stride_k, conjugated, x, 0, 1, false, part);
  } else if (stride_output == 1) {
    const auto add_eight = from_memory ? add_complex_columns<V, Turned, 8, true> : add_complex_columns<V, Turned, 8>;
    index_t p = 0;
    for (; p + 8 <= depth; p += 8) add_eight(outputs, a + p * stride_k, stride_k, conjugated, x + p, part);
    if (depth - p >= 4) {
      add_complex_columns<V, Turned, 4>(outputs, a + p * stride_k, stride_k, conjugated, x + p, part);
      p += 4;
    }
    for (; p < depth; ++p)
      add_complex_columns<V, Turned, 1>(outputs, a + p * stride_k, stride_k, conjugated, x + p, part);
  } else if (stride_k == 1) {
    using narrow = typename V::narrow;
    (conjugated ? all_complex_rows<narrow, Turned, true>
                : all_complex_rows<narrow, Turned, false>)(outputs, depth, a, stride_output, from_memory, x, part);
  } else {
    all_complex_chains<Turned>(outputs, depth, a, stride_output, stride_k, conjugated, x, 0, 1, false, part);
  }
}

template <class V>
void multiply_add_complex_vector(index_t outputs, index_t depth, const complex<typename V::value>* a,
                                 index_t stride_output, index_t stride_k, bool from_memory, bool conjugated,
                                 bool turned, const complex<typename V::value>* x, complex<typename V::value>* part) {
  (turned ? add_complex_products<V, true> : add_complex_products<V, false>)(outputs, depth, a, stride_output, stride_k,
                                                                            from_memory, conjugated, x, part);
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

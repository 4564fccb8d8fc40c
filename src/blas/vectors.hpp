// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Vectors: dot, nrm2, asum, iamax, axpy, scal and copy.
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "abax/detail/backends/portable/gradual_underflow.hpp"
#include "abax/detail/launch/trace.hpp"
#include "arguments.hpp"

namespace abax::blas {

/// The canon's NaN for any.
template <class T>
T canonical(const T& r) {
  if constexpr (is_complex<T>)
    return {canonical(r.re), canonical(r.im)};
  else
    return r != r ? std::numeric_limits<T>::quiet_NaN() : r;
}
/// a b and a b + c in the canon's order; a may be the factor of both parts of b.
template <class Factor, class T>
T product_of(const Factor& a, const T& b) {
  if constexpr (is_complex<Factor>)
    return {std::fma(-a.im, b.im, a.re * b.re), std::fma(a.im, b.re, a.re * b.im)};
  else if constexpr (is_complex<T>)
    return {a * b.re, a * b.im};
  else
    return a * b;
}
template <class T>
T multiply_add(const T& a, const T& b, const T& c) {
  if constexpr (is_complex<T>)
    return {std::fma(-a.im, b.im, std::fma(a.re, b.re, c.re)), std::fma(a.im, b.re, std::fma(a.re, b.im, c.im))};
  else
    return std::fma(a, b, c);
}

template <class T>
struct dot {
  std::int64_t n;
  const T* x;
  std::int64_t incx;
  const T* y;
  std::int64_t incy;
  bool conjugated = false;  ///< conj(x) for x

  int check() const {
    if (n <= 0) return 0;
    const int info = fault(2, x, n, incx);
    return info != 0 ? info : fault(4, y, n, incy);
  }
  T run() const {
    if (n <= 0) return {};
    T result;
    call here("dot", {range_of(x, n), range_of(y, n), range_of(&result, 1)});
    if constexpr (!is_complex<T>)
      if (may_run_at_once() && here.is_on_host() &&
          c::dot_at_once(n, first(x, n, incx), incx, first(y, n, incy), incy, &result))
        return result;
    const auto X = here.use(x, n, incx, access::read);
    const auto Y = here.use(y, n, incy, access::read);
    const auto R = here.use(&result, 1, 1, access::write);
    auto* product = interface<T>::dot;
    if constexpr (is_complex<T>)
      if (conjugated) product = interface<T>::dotc;
    here.require(product(here.stream(), n, X.data, X.inc, Y.data, Y.inc, R.data));
    here.finish();
    return result;
  }
  void describe(c::line& text) const { text.add_arguments("n,incx,incy", n, incx, incy); }
};

/// What a reduction of one vector has; `any_increment`: without, it has no terms unless the increment is positive.
template <class T, bool any_increment>
struct reduction {
  std::int64_t n;
  const T* x;
  std::int64_t incx;

  int check() const { return has_terms() ? fault(2, x, n, incx) : 0; }
  void describe(c::line& text) const { text.add_arguments("n,incx", n, incx); }

 protected:
  bool has_terms() const { return n > 0 && (any_increment || incx > 0); }
  /// What `reduce` of the C interface makes of the terms; `name` is the routine's.
  template <class Result>
  Result reduced(c::reduction kind, const char* name,
                 abax_status (*reduce)(abax_stream*, std::int64_t, const T*, std::int64_t, Result*)) const {
    Result result;
    call here(name, {range_of(x, n), range_of(&result, 1)});
    if constexpr (!is_complex<T>)
      if (may_run_at_once() && here.is_on_host() && c::reduce_at_once(kind, n, first(x, n, incx), incx, &result))
        return result;
    const auto X = here.use(x, n, incx, access::read);
    const auto R = here.use(&result, 1, 1, access::write);
    here.require(reduce(here.stream(), n, X.data, X.inc, R.data));
    here.finish();
    return result;
  }
};

template <class T>
struct nrm2 : reduction<T, true> {
  real_of<T> run() const {
    return this->has_terms() ? this->reduced(c::reduction::nrm2, "nrm2", interface<T>::nrm2) : 0;
  }
};

template <class T>
struct asum : reduction<T, false> {
  real_of<T> run() const {
    return this->has_terms() ? this->reduced(c::reduction::asum, "asum", interface<T>::asum) : 0;
  }
};

/// Counted from 1; 0 if there is none.
template <class T>
struct iamax : reduction<T, false> {
  std::int64_t run() const {
    return this->has_terms() ? 1 + this->reduced(c::reduction::iamax, "iamax", interface<T>::iamax) : 0;
  }
};

/// y <- alpha x + y.
template <class T>
struct axpy {
  std::int64_t n;
  T alpha;
  const T* x;
  std::int64_t incx;
  T* y;
  std::int64_t incy;

  int check() const {
    if (returns_at_once()) return 0;
    const int info = fault(3, x, n, incx);
    return info != 0 ? info : fault(5, y, n, incy);
  }
  void run() const {
    if (returns_at_once()) return;
    call here("axpy", {range_of(x, n), range_of(y, n)});
    const auto X = here.use(x, n, incx, access::read);
    const auto Y = here.use(y, n, incy, access::update);
    // With an increment of zero every term goes to the one element, one after the other.
    if (incy == 0 && here.is_on_host()) {
      launch::note("loop", 1);
      portable::under_ieee([&] {
        T sum = *Y.data;
        for (std::int64_t i = 0; i < n; ++i) sum = multiply_add(alpha, X.data[i * X.inc], sum);
        *Y.data = canonical(sum);
      });
      return;
    }
    const std::int64_t calls = incy == 0 ? n : 1, each = incy == 0 ? 1 : n;
    for (std::int64_t i = 0; i < calls; ++i)
      here.require(interface<T>::axpby(here.stream(), each, alpha, X.data + i * X.inc, X.inc, T{1}, Y.data, Y.inc));
    here.finish();
  }
  void describe(c::line& text) const { text.add_arguments("n,alpha,incx,incy", n, alpha, incx, incy); }

 private:
  bool returns_at_once() const { return n <= 0 || is_zero(alpha); }
};

/// x <- alpha x, where alpha may be a real factor of complex elements.
template <class T, class Factor = T>
struct scal {
  std::int64_t n;
  Factor alpha;
  T* x;
  std::int64_t incx;

  int check() const { return returns_at_once() ? 0 : fault(3, x, n, incx); }
  void run() const {
    if (returns_at_once()) return;
    if (is_zero(alpha)) {  // the reference multiplies here, too: signs stay, infinity and NaN become NaN
      launch::note("loop", 1);
      const auto multiply = [this](T* y, std::int64_t incy) {
        portable::under_ieee([&] {
          for (std::int64_t i = 0; i < n; ++i) {
            y[i * incy] = canonical(product_of(alpha, y[i * incy]));
          }
        });
      };
      if constexpr (device::exists)
        if (device::visit_on_host(x, sizeof(T), n, sizeof(T) * incx,
                                  [&](void* copy) { multiply(static_cast<T*>(copy), 1); }))
          return;
      return multiply(x, incx);
    }
    call here("scal", {range_of(x, n)});
    const auto X = here.use(x, n, incx, access::update);
    const auto scale = [] {
      if constexpr (is_complex<T> && !is_complex<Factor>)
        return interface<T>::scal_by_real;
      else
        return interface<T>::scal;
    }();
    here.require(scale(here.stream(), n, X.data, X.inc, alpha, X.data, X.inc));
    here.finish();
  }
  void describe(c::line& text) const { text.add_arguments("n,alpha,incx", n, alpha, incx); }

 private:
  bool returns_at_once() const { return n <= 0 || incx <= 0 || is_one(alpha); }
};

/// y <- x.
template <class T>
struct copy {
  std::int64_t n;
  const T* x;
  std::int64_t incx;
  T* y;
  std::int64_t incy;

  int check() const {
    if (n <= 0) return 0;
    const int info = fault(2, x, n, incx);
    return info != 0 ? info : fault(4, y, n, incy);
  }
  void run() const {
    if (n <= 0) return;
    // With an increment of zero every element goes to the one place: the last one stays.
    const T* const from = incy == 0 ? first(x, n, incx) + (n - 1) * incx : x;
    const std::int64_t count = incy == 0 ? 1 : n;
    call here("copy", {range_of(from, count), range_of(y, count)});
    const auto X = here.use(from, count, incx, access::read);
    const auto Y = here.use(y, count, incy, access::write);
    here.require(interface<T>::copy(here.stream(), count, X.data, X.inc, Y.data, Y.inc));
    here.finish();
  }
  void describe(c::line& text) const { text.add_arguments("n,incx,incy", n, incx, incy); }
};

}  // namespace abax::blas

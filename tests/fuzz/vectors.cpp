// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors: reductions of the BLAS and of abax.h, and what the BLAS makes of vectors.
#include "one_call.hpp"

namespace abax::tests::fuzz {
namespace {

template <class T>
std::string compare(const char* name, const T& got, const T& want) {
  return same_bits(got, want) ? "" : std::string(name) + " is " + hex(got) + ", expected " + hex(want);
}

/// `conjugated`: of x, complex numbers only.
template <class T>
void dot(one_call& c, bool conjugated) {
  c.kernel = conjugated ? "dotc" : "dot";
  index_t n = c.length();
  const auto x = c.place<T>(0, c.vector_layout(n, true));
  const auto y = c.choose.one_in(8) ? x : c.place<T>(1, c.vector_layout(n, true));
  auto r = c.place<T>(2, {1, 1, 1, 1});
  const bool native = c.is_native();
  const T *a = native ? x.first() : x.lowest(), *b = native ? y.first() : y.lowest();
  T* to = r.first();
  index_t incx = x.where().row_stride, incy = y.where().row_stride;
  const int bad = native ? c.spoil({{1, true, [&] { n = -1; }},
                                    {2, n > 0, [&] { a = nullptr; }},
                                    {4, n > 0, [&] { b = nullptr; }},
                                    {5, n > 1, [&] { incy = far; }},
                                    {6, true, [&] { to = nullptr; }},
                                    {6, n > 0, [&] { to = const_cast<T*>(a); }}})
                         : c.spoil({{2, n > 0, [&] { a = nullptr; }},
                                    {4, n > 0, [&] { b = nullptr; }},
                                    {3, n > 1 && c.is_wide(), [&] { incx = far; }},
                                    {5, n > 1 && c.is_wide(), [&] { incy = -far; }}});
  if (!native && bad == 0 && n == 0) n = c.none();
  matrix<T> want(1, 1);
  if (bad == 0) {
    if constexpr (is_complex<T>)
      want(0) = reference::dot(x.values(), y.values(), conjugated);
    else
      want(0) = reference::dot(x.values(), y.values());
  }
  c.tell<T>("n incx incy x y result", n, incx, incy, a, b, to);
  c.run([&] {
    if (native) {
      if (bad == 0) r.expect(want);
      const auto make = [&](auto function) { c.expect_status(function(c.stream, n, a, incx, b, incy, to), bad); };
      if constexpr (is_complex<T>) {
        if (conjugated) return make(functions<T>::dotc);
      }
      return make(functions<T>::dot);
    }
    with_names<T>(c, [&]<class f>(f) {
      using Int = typename f::integer;
      if constexpr (is_complex<T>) {
        if (c.is_cblas()) {
          if (bad == 0) r.expect(want);
          by_value<Int>(conjugated ? f::cblas_dotc : f::cblas_dotu, n, a, incx, b, incy, to);
        } else {
          T got;
#if ABAX_BLAS_F2C
          by_address<Int>(conjugated ? f::dotc : f::dotu, &got, n, a, incx, b, incy);
#else
          const auto result = by_address<Int>(conjugated ? f::dotc : f::dotu, n, a, incx, b, incy);
          std::memcpy(static_cast<void*>(&got), &result, sizeof got);
#endif
          if (bad == 0) c.expect(compare("the result", got, want(0)));
        }
      } else {
        const T got = c.is_cblas() ? by_value<Int>(f::cblas_dot, n, a, incx, b, incy)
                                   : by_address<Int>(f::dot, n, a, incx, b, incy);
        if (bad == 0) c.expect(compare("the result", got, want(0)));
      }
    });
    c.expect_info(bad, the_same);
  });
  c.expect(r.difference("result"));
  c.expect(x.difference("x"));
  c.expect(y.difference("y"));
}

enum class reduction { nrm2, asum, iamax, sum };

template <class T>
void reduce(one_call& c, reduction kind) {
  using R = real_of<T>;
  const char* const kernels[] = {"nrm2", "asum", "iamax", "sum"};
  c.kernel = kernels[int(kind)];
  index_t n = c.length();
  const auto x = c.place<T>(0, c.vector_layout(n, true));
  const bool native = c.is_native();
  const T* a = native ? x.first() : x.lowest();
  index_t incx = x.where().row_stride;
  const bool acts = n > 0 && (native || kind == reduction::nrm2 || incx > 0);
  R number = -7;
  index_t index = -7;
  R* to = &number;
  index_t* index_to = &index;
  const int bad =
      native ? c.spoil({{1, true, [&] { n = -1; }},
                        {2, n > 0, [&] { a = nullptr; }},
                        {3, n > 1, [&] { incx = far; }},
                        {4, true,
                         [&] {
                           to = nullptr;
                           index_to = nullptr;
                         }}})
             : c.spoil({{2, acts, [&] { a = nullptr; }}, {3, acts && n > 1 && c.is_wide(), [&] { incx = far; }}});
  if (!native && bad == 0 && n == 0) n = c.none();
  R want = native && bad != 0 ? R(-7) : R(0);
  index_t want_index = native && bad != 0 ? -7 : native ? -1 : 0;
  if (acts && bad == 0) {
    const matrix<T> v = x.values();
    if (kind == reduction::iamax) want_index = reference::iamax(v) + (native ? 0 : 1);
    if (kind == reduction::nrm2) want = reference::nrm2(v);
    if (kind == reduction::asum) want = reference::asum(v);
    if constexpr (!is_complex<T>)
      if (kind == reduction::sum) want = reference::sum(v);
  }
  c.tell<T>("n incx x result", n, incx, a, kind == reduction::iamax ? (void*)index_to : (void*)to);
  c.run([&] {
    if (native) {
      using f = functions<T>;
      const auto make = [&](auto function, auto* result) {
        c.expect_status(function(c.stream, n, a, incx, result), bad);
      };
      if (kind == reduction::nrm2) return make(f::nrm2, to);
      if (kind == reduction::asum) return make(f::asum, to);
      if constexpr (!is_complex<T>)
        if (kind == reduction::sum) return make(f::sum, to);
      return make(f::iamax, index_to);
    }
    with_names<T>(c, [&]<class f>(f) {
      using Int = typename f::integer;
      if (kind == reduction::iamax && c.is_cblas())  // counted from 0, and 0 for none
        index = static_cast<index_t>(by_value<Int>(f::cblas_iamax, n, a, incx)) + (acts ? 1 : 0);
      else if (kind == reduction::iamax)
        index = by_address<Int>(f::iamax, n, a, incx);
      else if (kind == reduction::nrm2)
        number = c.is_cblas() ? by_value<Int>(f::cblas_nrm2, n, a, incx) : by_address<Int>(f::nrm2, n, a, incx);
      else
        number = c.is_cblas() ? by_value<Int>(f::cblas_asum, n, a, incx) : by_address<Int>(f::asum, n, a, incx);
    });
    c.expect_info(bad, the_same);
  });
  if (!native && bad != 0) return;  // what it returns then is not said
  if (kind == reduction::iamax && index != want_index)
    c.expect("the result is " + std::to_string(index) + ", expected " + std::to_string(want_index));
  if (kind != reduction::iamax) c.expect(compare("the result", number, want));
  c.expect(x.difference("x"));
}

template <class T>
void axpy(one_call& c) {
  c.kernel = "axpy";
  index_t n = c.length();
  const T alpha = c.factor<T>();
  const auto x = c.place<T>(0, c.vector_layout(n, true));
  auto y = c.place<T>(1, c.vector_layout(n, true));
  const T* a = x.lowest();
  T* to = y.lowest();
  index_t incx = x.where().row_stride, incy = y.where().row_stride;
  const bool acts = n > 0 && !is_value(alpha, 0);
  const int bad = c.spoil({{3, acts, [&] { a = nullptr; }},
                           {5, acts, [&] { to = nullptr; }},
                           {4, acts && n > 1 && c.is_wide(), [&] { incx = far; }},
                           {6, acts && n > 1 && c.is_wide(), [&] { incy = -far; }}});
  if (bad == 0 && acts) {
    matrix<T> result = y.values();
    if (incy == 0) {  // each term goes to the one element
      const matrix<T> v = x.values();
      matrix<T> sum(1, 1, result(0)), term(1, 1);
      for (index_t i = 0; i < n; ++i) {
        term(0) = v(i);
        sum = reference::axpby(alpha, term, T(1), sum);
      }
      result = matrix<T>(n, 1, sum(0));
    } else {
      result = reference::axpby(alpha, x.values(), T(1), result);
    }
    y.expect(result);
  }
  if (bad == 0 && n == 0) n = c.none();
  c.tell<T>("n alpha incx incy x y", n, alpha, incx, incy, a, to);
  c.run([&] {
    with_names<T>(c, [&]<class f>(f) {
      using Int = typename f::integer;
      if (c.is_cblas())
        by_value<Int>(f::cblas_axpy, n, alpha, a, incx, to, incy);
      else
        by_address<Int>(f::axpy, n, alpha, a, incx, to, incy);
    });
    c.expect_info(bad, the_same);
  });
  c.expect(y.difference("y"));
  c.expect(x.difference("x"));
}

/// Of the BLAS, by a factor that may be real.
template <class T, class Factor>
void blas_scal(one_call& c) {
  c.kernel = std::is_same_v<T, Factor> ? "scal" : "scal by a real factor";
  index_t n = c.length();
  const Factor alpha = c.factor<Factor>();
  auto x = c.place<T>(0, c.vector_layout(n, true));
  T* to = x.lowest();
  index_t incx = x.where().row_stride;
  const bool acts = n > 0 && incx > 0 && !is_value(alpha, 1);
  const int bad = c.spoil({{3, acts, [&] { to = nullptr; }}, {4, acts && n > 1 && c.is_wide(), [&] { incx = far; }}});
  if (bad == 0 && acts) x.expect(multiplied(alpha, x.values()));
  if (bad == 0 && n == 0) n = c.none();
  c.tell<T>("n alpha incx x", n, alpha, incx, to);
  c.run([&] {
    with_names<T>(c, [&]<class f>(f) {
      using Int = typename f::integer;
      const auto make = [&](auto fortran, auto cblas) {
        if (c.is_cblas())
          by_value<Int>(cblas, n, alpha, to, incx);
        else
          by_address<Int>(fortran, n, alpha, to, incx);
      };
      if constexpr (std::is_same_v<T, Factor>)
        make(f::scal, f::cblas_scal);
      else
        make(f::scal_real, f::cblas_scal_real);
    });
    c.expect_info(bad, the_same);
  });
  c.expect(x.difference("x"));
}

template <class T>
void copy(one_call& c) {
  c.kernel = "copy";
  const bool native = c.is_native();
  index_t n = c.length();
  const auto x = c.place<T>(0, c.vector_layout(n, true));
  auto y = c.place<T>(1, c.vector_layout(n, !native));
  const T* a = native ? x.first() : x.lowest();
  T* to = native ? y.first() : y.lowest();
  index_t incx = x.where().row_stride, incy = y.where().row_stride;
  const int bad = native ? c.spoil({{1, true, [&] { n = -1; }},
                                    {2, n > 0, [&] { a = nullptr; }},
                                    {4, n > 0, [&] { to = nullptr; }},
                                    {5, n > 1, [&] { incy = 0; }},
                                    {4, n > 0, [&] { to = const_cast<T*>(a); }}})
                         : c.spoil({{2, n > 0, [&] { a = nullptr; }},
                                    {4, n > 0, [&] { to = nullptr; }},
                                    {3, n > 1 && c.is_wide(), [&] { incx = far; }},
                                    {5, n > 1 && c.is_wide(), [&] { incy = far; }}});
  if (bad == 0) y.expect(x.values());
  if (!native && bad == 0 && n == 0) n = c.none();
  c.tell<T>("n incx incy x y", n, incx, incy, a, to);
  c.run([&] {
    if (native) return c.expect_status(functions<T>::copy(c.stream, n, a, incx, to, incy), bad);
    with_names<T>(c, [&]<class f>(f) {
      using Int = typename f::integer;
      if (c.is_cblas())
        by_value<Int>(f::cblas_copy, n, a, incx, to, incy);
      else
        by_address<Int>(f::copy, n, a, incx, to, incy);
    });
    c.expect_info(bad, the_same);
  });
  c.expect(y.difference("y"));
  c.expect(x.difference("x"));
}

}  // namespace

template <class T>
void vector(one_call& c) {
  const bool native = c.is_native();
  switch (c.choose.below(8)) {
    case 0:
    case 1:
      return dot<T>(c, is_complex<T> && c.choose.below(2) == 1);
    case 2:
      if constexpr (!is_complex<T>)
        if (native) return reduce<T>(c, reduction::sum);
      [[fallthrough]];
    case 3:
      return reduce<T>(c, reduction(c.choose.below(3)));
    case 4:
    case 5:
      if (!native) return axpy<T>(c);
      [[fallthrough]];
    case 6:
      if constexpr (is_complex<T>)
        if (!native && c.choose.below(2) == 1) return blas_scal<T, real_of<T>>(c);
      if (!native) return blas_scal<T, T>(c);
      [[fallthrough]];
    default:
      return copy<T>(c);
  }
}
template void vector<float>(one_call&);
template void vector<double>(one_call&);
template void vector<c32>(one_call&);
template void vector<c64>(one_call&);

}  // namespace abax::tests::fuzz

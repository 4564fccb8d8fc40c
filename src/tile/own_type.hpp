// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Complex numbers as a caller's kernel holds them, Kokkos::complex, and as the library's functions inside it do.
#include <Kokkos_Complex.hpp>

#include "abax/detail/tile/complex_value.hpp"

namespace abax::tile {

template <class T>
struct own_type {
  using type = T;
};
template <class Real>
struct own_type<Kokkos::complex<Real>> {
  using type = complex<Real>;
};
template <class T>
struct own_type<const T> {
  using type = const typename own_type<T>::type;
};
template <class T>
using own_t = typename own_type<T>::type;

KOKKOS_FORCEINLINE_FUNCTION float own(float x) { return x; }
KOKKOS_FORCEINLINE_FUNCTION double own(double x) { return x; }
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION complex<Real> own(const Kokkos::complex<Real>& x) {
  return {x.real(), x.imag()};
}

/// And back: an own number as the caller's T.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T as_callers(const own_t<T>& x) {
  if constexpr (is_complex<own_t<T>>)
    return T(x.re, x.im);
  else
    return x;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION own_t<T>* own_elements(T* data) {
  return reinterpret_cast<own_t<T>*>(data);
}

/// Compilers may take it that the two types never share memory. So, where elements have been a caller's and will be the
/// library's, or the other way round, none may move a load or a store past this.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void change_hands() {
  if constexpr (is_complex<own_t<T>>) asm volatile("" ::: "memory");
}

}  // namespace abax::tile

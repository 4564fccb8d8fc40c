// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// abax.h's complex numbers and the library's own, which lie alike.
#include <bit>

#include "abax/abax.h"
#include "abax/detail/tile/complex_value.hpp"

namespace abax::c {

/// The library's own type for one of abax.h's: a number, an operand, or an array of them.
template <class T>
struct own_type {
  using type = T;
};
template <>
struct own_type<abax_complex_float> {
  using type = tile::complex<float>;
};
template <>
struct own_type<abax_complex_double> {
  using type = tile::complex<double>;
};
template <class T>
struct own_type<const T> {
  using type = const typename own_type<T>::type;
};
template <class T>
struct own_type<T*> {
  using type = typename own_type<T>::type*;
};
template <class T>
using own_t = typename own_type<T>::type;

template <class T>
own_t<T> own(T x) {
  return std::bit_cast<own_t<T>>(x);
}

/// call(...) is a function of abax.h, with the library's own numbers.
template <auto function>
struct with_own;
template <class... Arguments, abax_status (*function)(Arguments...)>
struct with_own<function> {
  static abax_status call(own_t<Arguments>... arguments) { return function(std::bit_cast<Arguments>(arguments)...); }
};

}  // namespace abax::c

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A complex number as two real ones side by side, for code that knows nothing of Kokkos, too.

namespace abax::tile {

/// Laid out as std::complex, Kokkos::complex and Fortran's; aligned as its parts are, since that is all that a caller's
/// operands promise.
template <class Real>
struct complex {
  Real re = 0, im = 0;
};

template <class T>
struct real_type {
  using type = T;
};
template <class Real>
struct real_type<complex<Real>> {
  using type = Real;
};
/// The type of an element's parts; a real element is its own part.
template <class T>
using real_of = typename real_type<T>::type;

template <class T>
inline constexpr bool is_complex = false;
template <class Real>
inline constexpr bool is_complex<complex<Real>> = true;

}  // namespace abax::tile

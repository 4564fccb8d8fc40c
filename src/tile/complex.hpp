// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Complex arithmetic in the canon's order: each operation is one or two real fma for each part, and nothing else.
#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <cstdint>

#include "abax/detail/tile/complex_value.hpp"

namespace abax::tile {

/// sum + a b by one fma, or by two for each part: re takes ar br, then -ai bi; im takes ar bi, then ai br.
KOKKOS_FORCEINLINE_FUNCTION float multiply_add(float a, float b, float sum) { return Kokkos::fma(a, b, sum); }
KOKKOS_FORCEINLINE_FUNCTION double multiply_add(double a, double b, double sum) { return Kokkos::fma(a, b, sum); }
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION complex<Real> multiply_add(const complex<Real>& a, const complex<Real>& b,
                                                       const complex<Real>& sum) {
  return {Kokkos::fma(-a.im, b.im, Kokkos::fma(a.re, b.re, sum.re)),
          Kokkos::fma(a.im, b.re, Kokkos::fma(a.re, b.im, sum.im))};
}

KOKKOS_FORCEINLINE_FUNCTION float product_of(float a, float b) { return a * b; }
KOKKOS_FORCEINLINE_FUNCTION double product_of(double a, double b) { return a * b; }
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION complex<Real> product_of(const complex<Real>& a, const complex<Real>& b) {
  return {Kokkos::fma(-a.im, b.im, a.re * b.re), Kokkos::fma(a.im, b.re, a.re * b.im)};
}

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION complex<Real> operator+(const complex<Real>& a, const complex<Real>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION complex<Real> operator-(const complex<Real>& a) {
  return {-a.re, -a.im};
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION bool operator==(const complex<Real>& a, const complex<Real>& b) {
  return a.re == b.re && a.im == b.im;
}

/// -x where `wanted`: one bit differs, a NaN's too. Machines' own negations may give another NaN.
KOKKOS_FORCEINLINE_FUNCTION float negated_if(bool wanted, float x) {
  return Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(x) ^ (wanted ? 0x80000000u : 0u));
}
KOKKOS_FORCEINLINE_FUNCTION double negated_if(bool wanted, double x) {
  return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) ^ (wanted ? std::uint64_t(1) << 63 : 0));
}

/// The conjugate where `wanted`: one bit differs. A real number is its own.
KOKKOS_FORCEINLINE_FUNCTION float conjugate_if(bool, float x) { return x; }
KOKKOS_FORCEINLINE_FUNCTION double conjugate_if(bool, double x) { return x; }
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION complex<Real> conjugate_if(bool wanted, const complex<Real>& x) {
  return {x.re, negated_if(wanted, x.im)};
}

}  // namespace abax::tile

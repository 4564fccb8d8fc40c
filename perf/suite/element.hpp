// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The types that are measured, for sources without Kokkos, too: complex numbers are the library's own.
#include "abax/detail/tile/complex_value.hpp"

namespace abax::perf {

/// By the bits of an element.
template <class T>
inline constexpr const char* type_name = nullptr;
template <>
inline constexpr const char* type_name<float> = "f32";
template <>
inline constexpr const char* type_name<double> = "f64";
template <>
inline constexpr const char* type_name<tile::complex<float>> = "c64";
template <>
inline constexpr const char* type_name<tile::complex<double>> = "c128";

/// Real numbers in an element.
template <class T>
inline constexpr int parts_in = sizeof(T) / sizeof(tile::real_of<T>);
/// Elements as these: real and imaginary parts in turn.
template <class T>
const tile::real_of<T>* parts_of(const T* x) {
  return reinterpret_cast<const tile::real_of<T>*>(x);
}

/// Operations of a multiply-add, which is four of real numbers where elements are complex.
template <class T>
inline constexpr double multiply_add_flops = tile::is_complex<T> ? 8 : 2;

}  // namespace abax::perf

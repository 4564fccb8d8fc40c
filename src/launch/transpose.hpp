// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// transpose, as the library has it for common spaces and types: what transpose_def.hpp defines.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/complex_value.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax::launch {

template <class Exec, class T>
struct transpose {
  static void run(const Exec& exec, tile::matrix<const T> a, tile::matrix<T> b, sharing memory = sharing::checked);
  /// B <- A^H.
  static void run_conjugated(const Exec& exec, const tile::matrix<const T>& a, const tile::matrix<T>& b,
                             sharing memory = sharing::checked) requires tile::is_complex<T>;
  static void run_in_place_conjugated(const Exec& exec, const tile::matrix<T>& a,
                                      sharing memory = sharing::checked) requires tile::is_complex<T>;
  static void run_in_place(const Exec& exec, tile::matrix<T> a, sharing memory = sharing::checked);
};

extern template struct transpose<Kokkos::DefaultHostExecutionSpace, float>;
extern template struct transpose<Kokkos::DefaultHostExecutionSpace, double>;
extern template struct transpose<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
extern template struct transpose<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct transpose<Kokkos::Cuda, float>;
extern template struct transpose<Kokkos::Cuda, double>;
extern template struct transpose<Kokkos::Cuda, tile::complex<float>>;
extern template struct transpose<Kokkos::Cuda, tile::complex<double>>;
#endif

}  // namespace abax::launch

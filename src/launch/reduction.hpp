// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Reductions, as the library has them for common spaces and types: what reduction_def.hpp defines.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/reduction.hpp"

namespace abax::launch {

template <class Exec, class T>
struct reductions {
  /// *result <- the reduction by `kernel`.
  static void run(const Exec&, const tile::dot<T>& kernel, T* result, sharing = sharing::checked);
  static void run(const Exec&, const tile::sum<T>& kernel, T* result, sharing = sharing::checked);
  static void run(const Exec&, const tile::asum<T>& kernel, T* result, sharing = sharing::checked);
  static void run(const Exec&, const tile::nrm2<T>& kernel, T* result, sharing = sharing::checked);
  static void run(const Exec&, const tile::iamax<T>& kernel, index_t* result, sharing = sharing::checked);
  /// The result itself: waits until it is there.
  static T value(const Exec&, const tile::dot<T>& kernel);
  static T value(const Exec&, const tile::sum<T>& kernel);
  static T value(const Exec&, const tile::asum<T>& kernel);
  static T value(const Exec&, const tile::nrm2<T>& kernel);
  static index_t value(const Exec&, const tile::iamax<T>& kernel);
};

/// Of complex vectors; asum, nrm2 and iamax are real.
template <class Exec, class Real>
struct reductions<Exec, tile::complex<Real>> {
  using T = tile::complex<Real>;
  static void run(const Exec&, const tile::dot<T>& kernel, T* result, sharing = sharing::checked);
  static void run(const Exec&, const tile::asum<T>& kernel, Real* result, sharing = sharing::checked);
  static void run(const Exec&, const tile::nrm2<T>& kernel, Real* result, sharing = sharing::checked);
  static void run(const Exec&, const tile::iamax<T>& kernel, index_t* result, sharing = sharing::checked);
  static T value(const Exec&, const tile::dot<T>& kernel);
  static Real value(const Exec&, const tile::asum<T>& kernel);
  static Real value(const Exec&, const tile::nrm2<T>& kernel);
  static index_t value(const Exec&, const tile::iamax<T>& kernel);
};

extern template struct reductions<Kokkos::DefaultHostExecutionSpace, float>;
extern template struct reductions<Kokkos::DefaultHostExecutionSpace, double>;
extern template struct reductions<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
extern template struct reductions<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct reductions<Kokkos::Cuda, float>;
extern template struct reductions<Kokkos::Cuda, double>;
extern template struct reductions<Kokkos::Cuda, tile::complex<float>>;
extern template struct reductions<Kokkos::Cuda, tile::complex<double>>;
#endif

}  // namespace abax::launch

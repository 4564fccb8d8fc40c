// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemv, as the library has it for common spaces and types: what gemv_def.hpp defines.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/complex_value.hpp"
#include "abax/detail/tile/functor.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax::launch {

template <class Exec, class T>
struct gemv {
  static void run(const Exec& exec, const char* trans, T alpha, const tile::matrix<const T>& a,
                  const tile::vector<const T>& x, T beta, const tile::vector<T>& y, sharing memory = sharing::checked);
  using input = tile::conjugable<tile::vector<const T>>;
  /// z <- alpha A x + beta y, where y is exactly z's elements or none of them; `function` is what errors name.
  static void update(const char* function, const Exec& exec, T alpha, const tile::conjugable<tile::matrix<const T>>& a,
                     const input& x, T beta, const input& y, const tile::vector<T>& z);
  /// One column of C, whose extents agree.
  static void launch(const char* function, const Exec& exec, const tile::product<T>& problem);
};

extern template struct gemv<Kokkos::DefaultHostExecutionSpace, float>;
extern template struct gemv<Kokkos::DefaultHostExecutionSpace, double>;
extern template struct gemv<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
extern template struct gemv<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct gemv<Kokkos::Cuda, float>;
extern template struct gemv<Kokkos::Cuda, double>;
extern template struct gemv<Kokkos::Cuda, tile::complex<float>>;
extern template struct gemv<Kokkos::Cuda, tile::complex<double>>;
#endif

}  // namespace abax::launch

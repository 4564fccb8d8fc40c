// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// transpose, as the library has it for common spaces and types: what transpose_def.hpp defines.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax::launch {

template <class Exec, class T>
struct transpose {
  static void run(const Exec& exec, tile::matrix<const T> a, tile::matrix<T> b, sharing memory = sharing::checked);
  static void run_in_place(const Exec& exec, tile::matrix<T> a, sharing memory = sharing::checked);
};

extern template struct transpose<Kokkos::DefaultHostExecutionSpace, float>;
extern template struct transpose<Kokkos::DefaultHostExecutionSpace, double>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct transpose<Kokkos::Cuda, float>;
extern template struct transpose<Kokkos::Cuda, double>;
#endif

}  // namespace abax::launch

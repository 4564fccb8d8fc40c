// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/gemm_bytes_def.hpp"
#include "abax/detail/launch/gemm_integer_def.hpp"

namespace abax::launch {

template struct gemm_bytes<Kokkos::DefaultHostExecutionSpace>;
template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, float>;
template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, double>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct gemm_integer<openmp::instance, float>;
template struct gemm_integer<openmp::instance, double>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct gemm_bytes<Kokkos::Cuda>;
template struct gemm_integer<Kokkos::Cuda, float>;
template struct gemm_integer<Kokkos::Cuda, double>;
#endif

}  // namespace abax::launch

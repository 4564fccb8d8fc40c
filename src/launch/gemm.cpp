// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/gemm.hpp"

namespace abax::launch {

#ifdef KOKKOS_ENABLE_OPENMP
template struct gemm<Kokkos::OpenMP, float>;
template struct gemm<Kokkos::OpenMP, double>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct gemm<Kokkos::Cuda, float>;
template struct gemm<Kokkos::Cuda, double>;
#endif

}  // namespace abax::launch

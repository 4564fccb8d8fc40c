// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/gemv.hpp"

namespace abax::launch {

#ifdef KOKKOS_ENABLE_OPENMP
template struct gemv<Kokkos::OpenMP, float>;
template struct gemv<Kokkos::OpenMP, double>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct gemv<Kokkos::Cuda, float>;
template struct gemv<Kokkos::Cuda, double>;
#endif

}  // namespace abax::launch

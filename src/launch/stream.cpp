// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/stream.hpp"

namespace abax::launch {

#ifdef KOKKOS_ENABLE_OPENMP
template struct stream<Kokkos::OpenMP, float>;
template struct stream<openmp::instance, float>;
template struct stream<Kokkos::OpenMP, double>;
template struct stream<openmp::instance, double>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct stream<Kokkos::Cuda, float>;
template struct stream<Kokkos::Cuda, double>;
#endif

}  // namespace abax::launch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/probe.hpp"

namespace abax::launch {

#ifdef KOKKOS_ENABLE_OPENMP
template struct probe<Kokkos::OpenMP>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct probe<Kokkos::Cuda>;
#endif

}  // namespace abax::launch

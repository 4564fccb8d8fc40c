// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/reduction_def.hpp"

namespace abax::launch {

template struct reductions<Kokkos::DefaultHostExecutionSpace, float>;
template struct reductions<Kokkos::DefaultHostExecutionSpace, double>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct reductions<openmp::instance, float>;
template struct reductions<openmp::instance, double>;
template struct kernel_rows<openmp::backend, tile::reduction<tile::dot<float>>>;
template struct kernel_rows<openmp::backend, tile::reduction<tile::dot<double>>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct reductions<Kokkos::Cuda, float>;
template struct reductions<Kokkos::Cuda, double>;
template struct kernel_rows<cuda::backend, tile::reduction<tile::dot<float>>>;
template struct kernel_rows<cuda::backend, tile::reduction<tile::dot<double>>>;
#endif

}  // namespace abax::launch

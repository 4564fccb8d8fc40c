// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/dot.hpp"

namespace abax::launch {

#ifdef KOKKOS_ENABLE_OPENMP
template struct dot<Kokkos::OpenMP, float>;
template struct dot<openmp::instance, float>;
template struct dot<Kokkos::OpenMP, double>;
template struct dot<openmp::instance, double>;
template struct kernel_rows<openmp::backend, tile::dot<float>>;
template struct kernel_rows<openmp::backend, tile::dot<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct dot<Kokkos::Cuda, float>;
template struct dot<Kokkos::Cuda, double>;
template struct kernel_rows<cuda::backend, tile::dot<float>>;
template struct kernel_rows<cuda::backend, tile::dot<double>>;
#endif

}  // namespace abax::launch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/transpose_def.hpp"

namespace abax::launch {

template struct transpose<Kokkos::DefaultHostExecutionSpace, float>;
template struct transpose<Kokkos::DefaultHostExecutionSpace, double>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct transpose<openmp::instance, float>;
template struct transpose<openmp::instance, double>;
template struct kernel_rows<openmp::backend, tile::transpose<float>>;
template struct kernel_rows<openmp::backend, tile::transpose<double>>;
template struct kernel_rows<openmp::backend, tile::matrix<float>>;
template struct kernel_rows<openmp::backend, tile::matrix<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct transpose<Kokkos::Cuda, float>;
template struct transpose<Kokkos::Cuda, double>;
template struct kernel_rows<cuda::backend, tile::transpose<float>>;
template struct kernel_rows<cuda::backend, tile::transpose<double>>;
template struct kernel_rows<cuda::backend, tile::matrix<float>>;
template struct kernel_rows<cuda::backend, tile::matrix<double>>;
#endif

}  // namespace abax::launch

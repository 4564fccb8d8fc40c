// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/stream_def.hpp"

namespace abax::launch {

template struct stream<Kokkos::DefaultHostExecutionSpace, float>;
template struct stream<Kokkos::DefaultHostExecutionSpace, double>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct stream<openmp::instance, float>;
template struct stream<openmp::instance, double>;
template struct kernel_rows<openmp::backend, tile::combine<float>>;
template struct kernel_rows<openmp::backend, tile::combine<double>>;
template struct kernel_rows<openmp::backend, tile::combine_matrices<float>>;
template struct kernel_rows<openmp::backend, tile::combine_matrices<double>>;
template struct kernel_rows<openmp::backend, tile::increment<float>>;
template struct kernel_rows<openmp::backend, tile::increment<double>>;
template struct kernel_rows<openmp::backend, tile::copy<float>>;
template struct kernel_rows<openmp::backend, tile::copy<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct stream<Kokkos::Cuda, float>;
template struct stream<Kokkos::Cuda, double>;
template struct kernel_rows<cuda::backend, tile::combine<float>>;
template struct kernel_rows<cuda::backend, tile::combine<double>>;
template struct kernel_rows<cuda::backend, tile::combine_matrices<float>>;
template struct kernel_rows<cuda::backend, tile::combine_matrices<double>>;
template struct kernel_rows<cuda::backend, tile::increment<float>>;
template struct kernel_rows<cuda::backend, tile::increment<double>>;
template struct kernel_rows<cuda::backend, tile::copy<float>>;
template struct kernel_rows<cuda::backend, tile::copy<double>>;
#endif

}  // namespace abax::launch

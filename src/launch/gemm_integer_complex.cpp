// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/gemm_integer_def.hpp"

namespace abax::launch {

template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct gemm_integer<openmp::instance, tile::complex<float>>;
template struct gemm_integer<openmp::instance, tile::complex<double>>;
template struct kernel_rows<openmp::backend, tile::real_lines<float>>;
template struct kernel_rows<openmp::backend, tile::real_lines<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct gemm_integer<Kokkos::Cuda, tile::complex<float>>;
template struct gemm_integer<Kokkos::Cuda, tile::complex<double>>;
template struct kernel_rows<cuda::backend, tile::real_lines<float>>;
template struct kernel_rows<cuda::backend, tile::real_lines<double>>;
#endif

}  // namespace abax::launch

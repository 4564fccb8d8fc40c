// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/gemm.hpp"

namespace abax::launch {

#ifdef KOKKOS_ENABLE_OPENMP
template struct gemm<Kokkos::OpenMP, float>;
template struct gemm<openmp::instance, float>;
template struct gemm<Kokkos::OpenMP, double>;
template struct gemm<openmp::instance, double>;
template struct product_rows<openmp::backend, shape::matrix, float>;
template struct product_rows<openmp::backend, shape::matrix, double>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct gemm<Kokkos::Cuda, float>;
template struct gemm<Kokkos::Cuda, double>;
template struct product_rows<cuda::backend, shape::matrix, float>;
template struct product_rows<cuda::backend, shape::matrix, double>;
#endif

}  // namespace abax::launch

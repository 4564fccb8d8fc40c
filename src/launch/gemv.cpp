// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/gemv_def.hpp"

namespace abax::launch {

template struct gemv<Kokkos::DefaultHostExecutionSpace, float>;
template struct gemv<Kokkos::DefaultHostExecutionSpace, double>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct gemv<openmp::instance, float>;
template struct gemv<openmp::instance, double>;
template struct product_rows<openmp::backend, shape::vector, float>;
template struct product_rows<openmp::backend, shape::vector, double>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct gemv<Kokkos::Cuda, float>;
template struct gemv<Kokkos::Cuda, double>;
template struct product_rows<cuda::backend, shape::vector, float>;
template struct product_rows<cuda::backend, shape::vector, double>;
#endif

}  // namespace abax::launch

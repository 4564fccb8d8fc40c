// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/gemm_def.hpp"

namespace abax::launch {

template struct gemm<Kokkos::DefaultHostExecutionSpace, float>;
template struct gemm<Kokkos::DefaultHostExecutionSpace, double>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct gemm<openmp::instance, float>;
template struct gemm<openmp::instance, double>;
template struct product_rows<openmp::backend, shape::matrix, float>;
template struct product_rows<openmp::backend, shape::matrix, double>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
// Compiled in gemm_cuda_*.cpp, each group in one of them.
static_assert(catalogue<cuda::backend, shape::matrix, float>::groups::count == 8 &&
              catalogue<cuda::backend, shape::matrix, double>::groups::count == 8);
extern template struct product_group<cuda::backend, shape::matrix, float, 0>;
extern template struct product_group<cuda::backend, shape::matrix, float, 1>;
extern template struct product_group<cuda::backend, shape::matrix, float, 2>;
extern template struct product_group<cuda::backend, shape::matrix, float, 3>;
extern template struct product_group<cuda::backend, shape::matrix, float, 4>;
extern template struct product_group<cuda::backend, shape::matrix, float, 5>;
extern template struct product_group<cuda::backend, shape::matrix, float, 6>;
extern template struct product_group<cuda::backend, shape::matrix, float, 7>;
extern template struct product_group<cuda::backend, shape::matrix, double, 0>;
extern template struct product_group<cuda::backend, shape::matrix, double, 1>;
extern template struct product_group<cuda::backend, shape::matrix, double, 2>;
extern template struct product_group<cuda::backend, shape::matrix, double, 3>;
extern template struct product_group<cuda::backend, shape::matrix, double, 4>;
extern template struct product_group<cuda::backend, shape::matrix, double, 5>;
extern template struct product_group<cuda::backend, shape::matrix, double, 6>;
extern template struct product_group<cuda::backend, shape::matrix, double, 7>;
template struct gemm<Kokkos::Cuda, float>;
template struct gemm<Kokkos::Cuda, double>;
template struct product_rows<cuda::backend, shape::matrix, float>;
template struct product_rows<cuda::backend, shape::matrix, double>;
#endif

}  // namespace abax::launch

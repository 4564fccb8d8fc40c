// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/batch_def.hpp"

namespace abax::launch {

template struct batch<Kokkos::DefaultHostExecutionSpace, float>;
template struct batch<Kokkos::DefaultHostExecutionSpace, double>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct batch<openmp::instance, float>;
template struct batch<openmp::instance, double>;
template struct kernel_rows<openmp::backend, tile::batch<float>>;
template struct kernel_rows<openmp::backend, tile::batch<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
// Compiled in batch_cuda_*.cpp, each group in one of them.
static_assert(catalogue<cuda::backend, shape::matrices, float>::groups::count == 8 &&
              catalogue<cuda::backend, shape::matrices, double>::groups::count == 8);
extern template struct product_group<cuda::backend, shape::matrices, float, 0>;
extern template struct product_group<cuda::backend, shape::matrices, float, 1>;
extern template struct product_group<cuda::backend, shape::matrices, float, 2>;
extern template struct product_group<cuda::backend, shape::matrices, float, 3>;
extern template struct product_group<cuda::backend, shape::matrices, float, 4>;
extern template struct product_group<cuda::backend, shape::matrices, float, 5>;
extern template struct product_group<cuda::backend, shape::matrices, float, 6>;
extern template struct product_group<cuda::backend, shape::matrices, float, 7>;
extern template struct product_group<cuda::backend, shape::matrices, double, 0>;
extern template struct product_group<cuda::backend, shape::matrices, double, 1>;
extern template struct product_group<cuda::backend, shape::matrices, double, 2>;
extern template struct product_group<cuda::backend, shape::matrices, double, 3>;
extern template struct product_group<cuda::backend, shape::matrices, double, 4>;
extern template struct product_group<cuda::backend, shape::matrices, double, 5>;
extern template struct product_group<cuda::backend, shape::matrices, double, 6>;
extern template struct product_group<cuda::backend, shape::matrices, double, 7>;
template struct batch<Kokkos::Cuda, float>;
template struct batch<Kokkos::Cuda, double>;
template struct product_rows<cuda::backend, shape::matrices, float>;
template struct product_rows<cuda::backend, shape::matrices, double>;
#endif

}  // namespace abax::launch

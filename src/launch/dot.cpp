// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/dot_def.hpp"

namespace abax::launch {

template struct dot<Kokkos::DefaultHostExecutionSpace, float>;
template float dot_value(const Kokkos::DefaultHostExecutionSpace&, tile::vector<const float>,
                         tile::vector<const float>);
template struct dot<Kokkos::DefaultHostExecutionSpace, double>;
template double dot_value(const Kokkos::DefaultHostExecutionSpace&, tile::vector<const double>,
                          tile::vector<const double>);
#ifdef KOKKOS_ENABLE_OPENMP
template struct dot<openmp::instance, float>;
template struct dot<openmp::instance, double>;
template struct kernel_rows<openmp::backend, tile::dot<float>>;
template struct kernel_rows<openmp::backend, tile::dot<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct dot<Kokkos::Cuda, float>;
template float dot_value(const Kokkos::Cuda&, tile::vector<const float>, tile::vector<const float>);
template struct dot<Kokkos::Cuda, double>;
template double dot_value(const Kokkos::Cuda&, tile::vector<const double>, tile::vector<const double>);
template struct kernel_rows<cuda::backend, tile::dot<float>>;
template struct kernel_rows<cuda::backend, tile::dot<double>>;
#endif

}  // namespace abax::launch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/gemv.hpp"

namespace abax::launch {

#ifdef KOKKOS_ENABLE_OPENMP
template struct gemv<Kokkos::OpenMP, float>;
template struct gemv<openmp::instance, float>;
template struct gemv<Kokkos::OpenMP, double>;
template struct gemv<openmp::instance, double>;
template void run_product<backends::backend_for_t<Kokkos::OpenMP>, shape::vector, float>(
    const char*, const openmp::instance&, const tile::product<float>&, const tile::product_plan&, index_t);
template void run_product<backends::backend_for_t<Kokkos::OpenMP>, shape::vector, double>(
    const char*, const openmp::instance&, const tile::product<double>&, const tile::product_plan&, index_t);
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct gemv<Kokkos::Cuda, float>;
template struct gemv<Kokkos::Cuda, double>;
template void run_product<backends::backend_for_t<Kokkos::Cuda>, shape::vector, float>(const char*, const Kokkos::Cuda&,
                                                                                       const tile::product<float>&,
                                                                                       const tile::product_plan&,
                                                                                       index_t);
template void run_product<backends::backend_for_t<Kokkos::Cuda>, shape::vector, double>(
    const char*, const Kokkos::Cuda&, const tile::product<double>&, const tile::product_plan&, index_t);
#endif

}  // namespace abax::launch

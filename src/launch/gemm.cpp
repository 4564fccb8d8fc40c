// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/gemm.hpp"

namespace abax::launch {

#ifdef KOKKOS_ENABLE_OPENMP
template struct gemm<Kokkos::OpenMP, float>;
template struct gemm<openmp::instance, float>;
template struct gemm<Kokkos::OpenMP, double>;
template struct gemm<openmp::instance, double>;
template void run_product<backends::backend_for_t<Kokkos::OpenMP>, shape::matrix, float>(
    const char*, const openmp::instance&, const tile::product<float>&, const tile::product_plan&, index_t);
template void run_product<backends::backend_for_t<Kokkos::OpenMP>, shape::matrix, double>(
    const char*, const openmp::instance&, const tile::product<double>&, const tile::product_plan&, index_t);
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct gemm<Kokkos::Cuda, float>;
template struct gemm<Kokkos::Cuda, double>;
template void run_product<backends::backend_for_t<Kokkos::Cuda>, shape::matrix, float>(const char*, const Kokkos::Cuda&,
                                                                                       const tile::product<float>&,
                                                                                       const tile::product_plan&,
                                                                                       index_t);
template void run_product<backends::backend_for_t<Kokkos::Cuda>, shape::matrix, double>(
    const char*, const Kokkos::Cuda&, const tile::product<double>&, const tile::product_plan&, index_t);
#endif

}  // namespace abax::launch

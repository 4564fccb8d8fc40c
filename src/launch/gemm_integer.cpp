// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/gemm_bytes_def.hpp"
#include "abax/detail/launch/gemm_integer_def.hpp"

namespace abax::launch {

template struct gemm_bytes<Kokkos::DefaultHostExecutionSpace>;
template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, float>;
template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, double>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct gemm_bytes<openmp::instance>;
template struct gemm_integer<openmp::instance, float>;
template struct gemm_integer<openmp::instance, double>;
template void launch_integer_product<openmp::backend, float, tile::no_functor>(
    const char*, const openmp::backend::instance&, const tile::product<float>&, int, const integer_options&,
    prepared_operands<float>, const place_in_c&, std::size_t);
template void launch_integer_product<openmp::backend, double, tile::no_functor>(
    const char*, const openmp::backend::instance&, const tile::product<double>&, int, const integer_options&,
    prepared_operands<double>, const place_in_c&, std::size_t);
template struct kernel_rows<openmp::backend, tile::line_peaks<float>>;
template struct kernel_rows<openmp::backend, tile::line_peaks<double>>;
template struct kernel_rows<openmp::backend, tile::line_residues<float>>;
template struct kernel_rows<openmp::backend, tile::line_residues<double>>;
template struct kernel_rows<openmp::backend, tile::line_weights>;
template struct kernel_rows<openmp::backend, tile::residue_check>;
template struct kernel_rows<openmp::backend, tile::residue_product>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct gemm_bytes<Kokkos::Cuda>;
template struct gemm_integer<Kokkos::Cuda, float>;
template struct gemm_integer<Kokkos::Cuda, double>;
template void launch_integer_product<cuda::backend, float, tile::no_functor>(
    const char*, const cuda::backend::instance&, const tile::product<float>&, int, const integer_options&,
    prepared_operands<float>, const place_in_c&, std::size_t);
template void launch_integer_product<cuda::backend, double, tile::no_functor>(
    const char*, const cuda::backend::instance&, const tile::product<double>&, int, const integer_options&,
    prepared_operands<double>, const place_in_c&, std::size_t);
template struct kernel_rows<cuda::backend, tile::line_peaks<float>>;
template struct kernel_rows<cuda::backend, tile::line_peaks<double>>;
template struct kernel_rows<cuda::backend, tile::line_residues<float>>;
template struct kernel_rows<cuda::backend, tile::line_residues<double>>;
template struct kernel_rows<cuda::backend, tile::line_weights>;
template struct kernel_rows<cuda::backend, tile::residue_check>;
#endif

}  // namespace abax::launch

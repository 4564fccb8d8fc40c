// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All kernels of complex double.
#include "abax/detail/launch/batch_def.hpp"
#include "abax/detail/launch/gemm_def.hpp"
#include "abax/detail/launch/reduction_def.hpp"
#include "abax/detail/launch/stream_def.hpp"
#include "abax/detail/launch/transpose_def.hpp"

namespace abax::launch {

template struct batch<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
template struct gemm<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
template struct gemv<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
template struct reductions<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
template struct stream<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
template struct transpose<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct batch<openmp::instance, tile::complex<double>>;
template struct gemm<openmp::instance, tile::complex<double>>;
template struct product_rows<openmp::backend, shape::matrix, tile::complex<double>>;
template struct product_rows<openmp::backend, shape::vector, tile::complex<double>>;
template struct gemv<openmp::instance, tile::complex<double>>;
template struct reductions<openmp::instance, tile::complex<double>>;
template struct stream<openmp::instance, tile::complex<double>>;
template struct transpose<openmp::instance, tile::complex<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct batch<Kokkos::Cuda, tile::complex<double>>;
template struct gemm<Kokkos::Cuda, tile::complex<double>>;
template struct product_rows<cuda::backend, shape::matrix, tile::complex<double>>;
template struct product_rows<cuda::backend, shape::vector, tile::complex<double>>;
template struct gemv<Kokkos::Cuda, tile::complex<double>>;
template struct reductions<Kokkos::Cuda, tile::complex<double>>;
template struct stream<Kokkos::Cuda, tile::complex<double>>;
template struct transpose<Kokkos::Cuda, tile::complex<double>>;
#endif

}  // namespace abax::launch

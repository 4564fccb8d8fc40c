// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All kernels of complex float.
#include "abax/detail/launch/batch_def.hpp"
#include "abax/detail/launch/gemm_def.hpp"
#include "abax/detail/launch/reduction_def.hpp"
#include "abax/detail/launch/stream_def.hpp"
#include "abax/detail/launch/transpose_def.hpp"

namespace abax::launch {

template struct batch<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
template struct gemm<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
template struct gemv<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
template struct reductions<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
template struct stream<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
template struct transpose<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
#ifdef KOKKOS_ENABLE_OPENMP
template struct batch<openmp::instance, tile::complex<float>>;
template struct gemm<openmp::instance, tile::complex<float>>;
template struct product_rows<openmp::backend, shape::matrix, tile::complex<float>>;
template struct product_rows<openmp::backend, shape::vector, tile::complex<float>>;
template struct gemv<openmp::instance, tile::complex<float>>;
template struct reductions<openmp::instance, tile::complex<float>>;
template struct stream<openmp::instance, tile::complex<float>>;
template struct transpose<openmp::instance, tile::complex<float>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template struct batch<Kokkos::Cuda, tile::complex<float>>;
template struct gemm<Kokkos::Cuda, tile::complex<float>>;
template struct product_rows<cuda::backend, shape::matrix, tile::complex<float>>;
template struct product_rows<cuda::backend, shape::vector, tile::complex<float>>;
template struct gemv<Kokkos::Cuda, tile::complex<float>>;
template struct reductions<Kokkos::Cuda, tile::complex<float>>;
template struct stream<Kokkos::Cuda, tile::complex<float>>;
template struct transpose<Kokkos::Cuda, tile::complex<float>>;
#endif

}  // namespace abax::launch

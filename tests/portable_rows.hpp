// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The portable backend on every space of the build, compiled once, in portable_rows.cpp: each test that calls it would
/// take longer to compile for its rows than for the test itself.
#include <abax/templates.hpp>

#include "abax/detail/backends/portable/backend.hpp"

/// Declares (`Which` is extern) or defines (it is empty) the tables of Exec's rows for T.
#define ABAX_PORTABLE_ROWS(Which, Exec, T)                                                     \
  Which template struct product_rows<portable::backend<Exec>, shape::matrix, T>;               \
  Which template struct product_rows<portable::backend<Exec>, shape::vector, T>;               \
  Which template struct kernel_rows<portable::backend<Exec>, tile::reduction<tile::dot<T>>>;   \
  Which template struct kernel_rows<portable::backend<Exec>, tile::reduction<tile::sum<T>>>;   \
  Which template struct kernel_rows<portable::backend<Exec>, tile::reduction<tile::asum<T>>>;  \
  Which template struct kernel_rows<portable::backend<Exec>, tile::reduction<tile::nrm2<T>>>;  \
  Which template struct kernel_rows<portable::backend<Exec>, tile::reduction<tile::iamax<T>>>; \
  Which template struct kernel_rows<portable::backend<Exec>, tile::transpose<T>>;              \
  Which template struct kernel_rows<portable::backend<Exec>, tile::matrix<T>>;                 \
  Which template struct kernel_rows<portable::backend<Exec>, tile::combine<T>>;                \
  Which template struct kernel_rows<portable::backend<Exec>, tile::combine_matrices<T>>;       \
  Which template struct kernel_rows<portable::backend<Exec>, tile::increment<T>>;              \
  Which template struct kernel_rows<portable::backend<Exec>, tile::copy<T>>;

/// The same for the functions of a space that has no backend of its own, and for the steps of gemm_integer.
#define ABAX_PORTABLE_SPACE(Which, Exec, T)                                        \
  ABAX_PORTABLE_ROWS(Which, Exec, T)                                               \
  Which template struct gemm<Exec, T>;                                             \
  Which template struct gemm_integer<Exec, T>;                                     \
  Which template struct gemv<Exec, T>;                                             \
  Which template struct reductions<Exec, T>;                                       \
  Which template struct stream<Exec, T>;                                           \
  Which template struct transpose<Exec, T>;                                        \
  Which template struct kernel_rows<portable::backend<Exec>, tile::line_peaks<T>>; \
  Which template struct kernel_rows<portable::backend<Exec>, tile::line_residues<T>>;

/// All of them for complex elements.
#define ABAX_PORTABLE_COMPLEX(Which, Exec, T)                                                  \
  Which template struct product_rows<portable::backend<Exec>, shape::matrix, T>;               \
  Which template struct product_rows<portable::backend<Exec>, shape::vector, T>;               \
  Which template struct kernel_rows<portable::backend<Exec>, tile::reduction<tile::dot<T>>>;   \
  Which template struct kernel_rows<portable::backend<Exec>, tile::reduction<tile::asum<T>>>;  \
  Which template struct kernel_rows<portable::backend<Exec>, tile::reduction<tile::nrm2<T>>>;  \
  Which template struct kernel_rows<portable::backend<Exec>, tile::reduction<tile::iamax<T>>>; \
  Which template struct kernel_rows<portable::backend<Exec>, tile::transpose<T>>;              \
  Which template struct kernel_rows<portable::backend<Exec>, tile::matrix<T>>;                 \
  Which template struct batch<Exec, T>;                                                        \
  Which template struct gemm<Exec, T>;                                                         \
  Which template struct gemv<Exec, T>;                                                         \
  Which template struct reductions<Exec, T>;                                                   \
  Which template struct stream<Exec, T>;                                                       \
  Which template struct transpose<Exec, T>;

/// Of gemm_integer's steps, those that know of no type.
#define ABAX_PORTABLE_BYTES(Which, Exec)                                             \
  Which template struct kernel_rows<portable::backend<Exec>, tile::line_weights>;    \
  Which template struct kernel_rows<portable::backend<Exec>, tile::residue_product>; \
  Which template struct kernel_rows<portable::backend<Exec>, tile::residue_check>;

#ifdef KOKKOS_ENABLE_SERIAL
#define ABAX_PORTABLE_SERIAL(Which)                                  \
  ABAX_PORTABLE_SPACE(Which, Kokkos::Serial, float)                  \
  ABAX_PORTABLE_SPACE(Which, Kokkos::Serial, double)                 \
  ABAX_PORTABLE_BYTES(Which, Kokkos::Serial)                         \
  ABAX_PORTABLE_COMPLEX(Which, Kokkos::Serial, tile::complex<float>) \
  ABAX_PORTABLE_COMPLEX(Which, Kokkos::Serial, tile::complex<double>)
#else
#define ABAX_PORTABLE_SERIAL(Which)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define ABAX_PORTABLE_OPENMP(Which)                \
  ABAX_PORTABLE_ROWS(Which, Kokkos::OpenMP, float) \
  ABAX_PORTABLE_ROWS(Which, Kokkos::OpenMP, double)
#else
#define ABAX_PORTABLE_OPENMP(Which)
#endif
#ifdef KOKKOS_ENABLE_CUDA
#define ABAX_PORTABLE_CUDA(Which)                \
  ABAX_PORTABLE_ROWS(Which, Kokkos::Cuda, float) \
  ABAX_PORTABLE_ROWS(Which, Kokkos::Cuda, double)
#else
#define ABAX_PORTABLE_CUDA(Which)
#endif

namespace abax::launch {

ABAX_PORTABLE_SERIAL(extern)
ABAX_PORTABLE_OPENMP(extern)
ABAX_PORTABLE_CUDA(extern)

}  // namespace abax::launch

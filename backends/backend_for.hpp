// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Which backend serves an execution space: its own where there is one, else the portable one.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/portable/backend.hpp"
#ifdef KOKKOS_ENABLE_OPENMP
#include "abax/detail/backends/openmp/backend.hpp"
#endif
#ifdef KOKKOS_ENABLE_CUDA
#include "abax/detail/backends/cuda/backend.hpp"
#endif

namespace abax::backends {

template <class ExecutionSpace>
struct backend_for {
  using type = portable::backend<ExecutionSpace>;
};
#ifdef KOKKOS_ENABLE_OPENMP
template <>
struct backend_for<Kokkos::OpenMP> {
  using type = openmp::backend;
};
template <>
struct backend_for<openmp::instance> {
  using type = openmp::backend;
};
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct backend_for<Kokkos::Cuda> {
  using type = cuda::backend;
};
#endif
template <class ExecutionSpace>
using backend_for_t = typename backend_for<ExecutionSpace>::type;

}  // namespace abax::backends

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a kernel of an execution space has for the functions of <abax/team.hpp> and <abax/serial.hpp>.
#include <Kokkos_Core.hpp>
#include <type_traits>

#include "abax/detail/backends/openmp/in_kernel.hpp"
#include "abax/detail/backends/portable/in_kernel.hpp"
#include "abax/detail/tile/register_tile.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "abax/detail/backends/cuda/in_kernel.hpp"
#endif

namespace abax::backends {

/// Every host space has the loops of the CPU's instruction set, a space without answers of its own the portable ones.
template <class ExecutionSpace>
struct in_kernel_for {
  using type = std::conditional_t<std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>,
                                  openmp::in_kernel, portable::in_kernel>;
};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct in_kernel_for<Kokkos::Cuda> {
  using type = cuda::in_kernel;
};
#endif
template <class ExecutionSpace>
using in_kernel_for_t = typename in_kernel_for<ExecutionSpace>::type;

/// c <- epilogue(a b) by the calling thread alone, on whichever side it runs. a: m x k, bt: n x k, c: m x n; all lie by
/// strides.
template <class A, class B, class C, class T>
KOKKOS_FORCEINLINE_FUNCTION void serial_product(const A& a, const B& bt, const C& c,
                                                const tile::epilogue<T>& epilogue) {
  if (c.rows() == 0 || c.cols() == 0) return;
  KOKKOS_IF_ON_HOST((if (tile::has_no_terms(a, epilogue))
                         openmp::in_kernel::under_ieee([&] { tile::serial_product(a, bt, c, epilogue); });
                     else openmp::in_kernel::product(0, 1, a, bt, c, epilogue);))
  KOKKOS_IF_ON_DEVICE((tile::serial_product(a, bt, c, epilogue);))
}

}  // namespace abax::backends

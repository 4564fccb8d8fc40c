// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/probe_def.hpp"

namespace abax::launch {

template struct probe<Kokkos::DefaultHostExecutionSpace>;
#ifdef KOKKOS_ENABLE_CUDA
template struct probe<Kokkos::Cuda>;
#endif

}  // namespace abax::launch

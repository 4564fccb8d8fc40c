// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spaces.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>
#endif

namespace abax::lab {

void fence(backend where) {
  if (where == backend::host)
    Kokkos::DefaultHostExecutionSpace().fence();
  else
    Kokkos::DefaultExecutionSpace().fence();
}

void labelled([[maybe_unused]] const std::string& label, const std::function<void()>& launch) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (!label.empty()) {
    Kokkos::fence("abax-lab: before a kernel that is counted");
    nvtxRangePushA(label.c_str());
    cudaProfilerStart();
    launch();
    Kokkos::fence("abax-lab: a kernel that is counted");
    cudaProfilerStop();
    nvtxRangePop();
    return;
  }
#endif
  launch();
  Kokkos::fence("abax-lab: a kernel");
}

}  // namespace abax::lab

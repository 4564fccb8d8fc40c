// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.hpp"

#include <Kokkos_Core.hpp>
#include <string>

namespace abax::perf {

bool with_kokkos(const std::function<bool()>& job) {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0)
    throw no_gpu(std::string("this build needs a GPU, and none is visible here (") +
                 (error != cudaSuccess ? cudaGetErrorString(error) : "no device") + ")");
#endif
  // Whether threads are bound stands in the table's head, so Kokkos need not warn of it.
  const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
  return job();
}

}  // namespace abax::perf

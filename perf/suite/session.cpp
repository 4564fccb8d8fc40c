// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.hpp"

#include <Kokkos_Core.hpp>
#include <string>

#include "ranks.hpp"

namespace abax::perf {

bool with_kokkos(const std::function<bool()>& job) {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0)
    throw no_gpu(std::string("this build needs a GPU, and none is visible here (") +
                 (error != cudaSuccess ? cudaGetErrorString(error) : "no device") + ")");
#endif
  Kokkos::InitializationSettings settings;
#if defined(KOKKOS_ENABLE_CUDA)
  if (local_rank() >= 0) settings.set_device_id(local_rank() % count);  // one of several ranks on this node
#endif
  // Whether threads are bound stands in the table's head, so Kokkos need not warn of it.
  const Kokkos::ScopeGuard kokkos(settings.set_disable_warnings(true));
  return job();
}

}  // namespace abax::perf

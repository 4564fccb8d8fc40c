// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the CUDA backend's choices depend on.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/backend.hpp"
#include "abax/detail/backends/cuda/launch.hpp"

namespace abax::cuda {

/// The FP64 tensor cores of sm_90 were measured to follow the canon, and only code compiled for them can use them.
#ifdef KOKKOS_ARCH_HOPPER
inline constexpr bool compiled_for_hopper = true;
#else
inline constexpr bool compiled_for_hopper = false;
#endif

/// A GPU, as a build of its own sees it.
struct machine : backends::machine {
  bool tensor_cores;  ///< for FP64, that keep the canon, and code that uses them

  machine(int multiprocessors, std::size_t block_scratch, bool fp64_tensor_cores)
      : backends::machine{multiprocessors, block_scratch - collective_bytes, 850000,
                          250000},  // 4 and 1.2 us on an H200
        tensor_cores(fp64_tensor_cores) {}
  explicit machine(const cudaDeviceProp& device)
      : machine(device.multiProcessorCount, device.sharedMemPerBlockOptin, compiled_for_hopper && device.major == 9) {}
};

}  // namespace abax::cuda

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

/// The tensor cores of sm_80 and later multiply bytes, and only code compiled for them can use them.
#if defined(KOKKOS_ARCH_AMPERE) || defined(KOKKOS_ARCH_ADA89) || defined(KOKKOS_ARCH_HOPPER) || \
    defined(KOKKOS_ARCH_BLACKWELL)
inline constexpr bool compiled_for_ampere = true;
#else
inline constexpr bool compiled_for_ampere = false;
#endif

/// A GPU, as a build of its own sees it.
struct machine : backends::machine {
  /// Of outputs, on a multiprocessor whose row has rate 1: an H200's, where all costs here were measured.
  static constexpr double terms_in_us = 212500;

  bool tensor_cores;  ///< for FP64, that keep the canon, and code that uses them
  bool byte_tensor_cores = false;
  bool is_hopper = false;

  machine(int multiprocessors, std::size_t block_scratch, bool fp64_tensor_cores)
      : backends::machine{multiprocessors, block_scratch - collective_bytes}, tensor_cores(fp64_tensor_cores) {
    constexpr double us = terms_in_us;
    launch = 4 * us;
    arrival = 1.2 * us;
    in_turn = true;
    uneven = 0.02;
    shared_byte = us / 11e6;
    output_byte = us / 3.3e6;
    copy = 8 * us;  // 3.3 of them a launch: copies that looked faster by less were not
    copied_byte = us / 3.4e6;
  }
  explicit machine(const cudaDeviceProp& device)
      : machine(device.multiProcessorCount, device.sharedMemPerBlockOptin, compiled_for_hopper && device.major == 9) {
    byte_tensor_cores = compiled_for_ampere && device.major >= 8;
    is_hopper = device.major == 9 && device.minor == 0;
  }
};

}  // namespace abax::cuda

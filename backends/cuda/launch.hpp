// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Launching a functor of a Kokkos team member from a kernel of our own.
#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdint>

#include "abax/detail/backends/cuda/check.hpp"

namespace abax::cuda {

/// Makes an instance's device the current one for a scope.
struct device_of : current_device {
  explicit device_of(const Kokkos::Cuda& exec) : current_device(exec.cuda_device()) {}
};

/// Kokkos keeps the first bytes of a team's shared memory for its collectives: broadcasts of a word. (Its sums over a
/// team have memory of their own.)
inline constexpr int collective_bytes = 128;

/// Tells Kokkos' tools of a launch, as parallel_for does.
class reported_launch {
 public:
  reported_launch(const char* label, const Kokkos::Cuda& exec) : profiled_(Kokkos::Tools::profileLibraryLoaded()) {
    if (profiled_) Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &event_);
  }
  ~reported_launch() {
    if (profiled_) Kokkos::Tools::endParallelFor(event_);
  }
  reported_launch(const reported_launch&) = delete;

 private:
  bool profiled_;
  std::uint64_t event_ = 0;
};

/// True where kernels are compiled for GPUs that bring a kernel's teams to their processors while the kernel before it
/// in the stream ends (sm_90 and later).
#if defined(KOKKOS_ARCH_HOPPER) || defined(KOKKOS_ARCH_BLACKWELL)
inline constexpr bool compiled_for_early_teams = true;
#else
inline constexpr bool compiled_for_early_teams = false;
#endif

/// The same functor and the same member type as under TeamPolicy, through which a small transpose took 5.5 us a call
/// and not 3.2 (H200), and which Kokkos up to 5.1 caps at 48 KB of level-0 scratch less its own part.
template <class Functor, int Threads, int Residents>
__global__ __launch_bounds__(Threads, Residents) void team_kernel(const __grid_constant__ Functor functor,
                                                                  int scratch) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;\n" ::: "memory");  // until what the kernel before has written is there
#endif
  extern __shared__ __align__(128) char shared[];
  functor(typename Kokkos::TeamPolicy<Kokkos::Cuda>::member_type(
      shared, collective_bytes, scratch, nullptr, 0, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)));
}

/// Lets teams of Kernel have all the scratch that the current device, which is `device`, gives one.
template <auto Kernel>
void allow_all_scratch(int device, int most) {
  // An attribute of the kernel on a device: always the device's most, never a call's own, since another host thread may
  // launch with more. What is set twice is set to the same.
  static std::atomic<std::uint64_t> allowed{0};  // bit d: on device d
  const std::uint64_t bit = device < 64 ? std::uint64_t(1) << device : 0;
  if ((allowed.load(std::memory_order_acquire) & bit) != 0) return;
  check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "cudaFuncSetAttribute");
  allowed.fetch_or(bit, std::memory_order_release);
}

/// Runs `functor` on `teams` teams of Threads, asynchronously on `exec`; Residents teams share a multiprocessor, and
/// each Cluster of them, of which `teams` is a multiple, reach each other's scratch.
template <int Threads, int Residents, int Cluster = 1, class Functor>
void launch_teams(const char* label, const Kokkos::Cuda& exec, int teams, std::size_t scratch, const Functor& functor) {
  constexpr auto kernel = team_kernel<Functor, Threads, Residents>;
  constexpr std::size_t without_asking = 48 * 1024;
  const device_of current(exec);
  const std::size_t bytes = scratch + collective_bytes;
  const cudaDeviceProp& device = exec.cuda_device_prop();
  if (bytes > without_asking)
    allow_all_scratch<kernel>(exec.cuda_device(), static_cast<int>(device.sharedMemPerBlockOptin));
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(static_cast<unsigned>(teams));
  how.blockDim = dim3(1, Threads);
  how.dynamicSmemBytes = bytes;
  how.stream = exec.cuda_stream();
  cudaLaunchAttribute attributes[2] = {};
  how.attrs = attributes;
  if (compiled_for_early_teams && device.major >= 9) {
    cudaLaunchAttribute& early = attributes[how.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  if constexpr (Cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[how.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {Cluster, 1, 1};
  }
  int scratch_size = static_cast<int>(scratch);
  void* arguments[] = {const_cast<Functor*>(&functor), &scratch_size};
  const reported_launch event(label, exec);
  check(cudaLaunchKernelExC(&how, reinterpret_cast<const void*>(kernel), arguments), label);
}

}  // namespace abax::cuda

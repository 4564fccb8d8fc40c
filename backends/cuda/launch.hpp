// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Launching a functor of a Kokkos team member, also with more scratch than Kokkos' level 0 allows.
#include <Kokkos_Core.hpp>
#include <cstdint>

#include "abax/detail/backends/cuda/check.hpp"

namespace abax::cuda {

/// Makes an instance's device the current one for a scope.
struct device_of : current_device {
  explicit device_of(const Kokkos::Cuda& exec) : current_device(exec.cuda_device()) {}
};

/// Kokkos keeps the first bytes of a team's shared memory for its collectives; a broadcast of one word is all that
/// algorithms use.
inline constexpr int collective_bytes = 128;

/// The same functor and the same member type as under TeamPolicy, from a kernel of our own: Kokkos up to 5.1 caps
/// level-0 scratch at 48 KB less its own part, while the hardware gives a team up to 227 KB when asked to.
template <class Functor, int Threads, int Residents>
__global__ __launch_bounds__(Threads, Residents) void team_kernel(const __grid_constant__ Functor functor,
                                                                  int scratch) {
  extern __shared__ __align__(128) char shared[];
  functor(typename Kokkos::TeamPolicy<Kokkos::Cuda>::member_type(
      shared, collective_bytes, scratch, nullptr, 0, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)));
}

/// Scratch that every Kokkos gives a team through TeamPolicy: 48 KB less what it keeps at its largest team.
inline constexpr std::size_t policy_scratch = 40 * 1024 - 64;
/// Kokkos after 5.1 may give more, and is asked; before, code for TeamPolicy would only be compiled in vain.
inline constexpr bool policy_may_give_more = KOKKOS_VERSION >= 50200;

/// True where teams that never ask for more than `most_scratch` are launched through TeamPolicy.
inline bool policy_gives(std::size_t most_scratch) {
  return most_scratch <= static_cast<std::size_t>(Kokkos::TeamPolicy<Kokkos::Cuda>::scratch_size_max(0));
}

// A function of its own: a lambda's body would be compiled with the function around it, and each kernel twice.
template <int Threads, int Residents, class Functor>
void launch_through_policy(const char* label, const Kokkos::Cuda& exec, int teams, std::size_t scratch,
                           const Functor& functor) {
  using policy = Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<Threads, Residents>>;
  Kokkos::parallel_for(
      label, policy(exec, teams, Threads).set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch))), functor);
}

/// Runs `functor` on `teams` teams of Threads, asynchronously on `exec`; Residents teams share a multiprocessor.
/// Through TeamPolicy where it gives `MostScratch`, the most that such teams ever ask for; else by our own kernel.
template <int Threads, int Residents, std::size_t MostScratch, class Functor>
void launch_teams(const char* label, const Kokkos::Cuda& exec, int teams, std::size_t scratch, const Functor& functor) {
  static_assert(sizeof(Functor) <= 384, "Kokkos 4 launches a functor and policy of 512 bytes or more the slow way");
  if constexpr (MostScratch <= policy_scratch) {
    launch_through_policy<Threads, Residents>(label, exec, teams, scratch, functor);
  } else {
    if constexpr (policy_may_give_more)
      if (policy_gives(MostScratch))
        return launch_through_policy<Threads, Residents>(label, exec, teams, scratch, functor);
    const device_of current(exec);
    const auto kernel = team_kernel<Functor, Threads, Residents>;
    // An attribute of the kernel on the current device: always the device's most, never this call's own, since another
    // host thread may be between the same two lines.
    const int most = static_cast<int>(exec.cuda_device_prop().sharedMemPerBlockOptin);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "cudaFuncSetAttribute");
    std::uint64_t event = 0;  // what parallel_for does for tools
    const bool profiled = Kokkos::Tools::profileLibraryLoaded();
    if (profiled) Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &event);
    int scratch_size = static_cast<int>(scratch);
    void* arguments[] = {const_cast<Functor*>(&functor), &scratch_size};
    const cudaError_t status = cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(teams), dim3(1, Threads),
                                                arguments, scratch + collective_bytes, exec.cuda_stream());
    if (profiled) Kokkos::Tools::endParallelFor(event);
    check(status, label);
  }
}

}  // namespace abax::cuda

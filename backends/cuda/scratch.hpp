// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A team's scratch as the compiler should see it: shared memory.
#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <cstdint>

namespace abax::cuda {

/// Room for alignment in a team's scratch.
inline constexpr std::size_t scratch_slack = 128;

/// `count` elements of the team's level-0 scratch, aligned to 128 bytes. Kokkos hands out generic pointers; told
/// what they point to, the compiler uses the loads and stores of shared memory.
template <class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION T* take_scratch(const Team& team, std::size_t count) {
  void* p = team.team_scratch(0).get_shmem_aligned(sizeof(T) * count, scratch_slack);
#ifdef __CUDA_ARCH__
  __builtin_assume(__isShared(p));
#endif
  return static_cast<T*>(p);
}

/// An address in scratch as the instructions want it.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t shared_address([[maybe_unused]] const void* scratch) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(scratch));
#else
  return 0;
#endif
}

/// The same, computed here and not again. To spare a register, compilers repeat what leads to an address wherever it is
/// used.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t fixed_address(const void* scratch) {
  std::uint32_t address = shared_address(scratch);
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(address));
#endif
  return address;
}

/// What lies at such an address.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T* at_address(std::uint32_t address) {
#ifdef __CUDA_ARCH__
  return static_cast<T*>(__cvta_shared_to_generic(address));
#else
  return reinterpret_cast<T*>(std::uintptr_t(address));  // never runs: scratch with addresses is a GPU's
#endif
}

/// `scratch` at its fixed_address().
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T* computed_once(T* scratch) {
#ifdef __CUDA_ARCH__
  return at_address<T>(fixed_address(scratch));
#else
  return scratch;
#endif
}

/// What Kokkos' team_barrier() does for a team that is a whole thread block, without its question whether it is one.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION void barrier([[maybe_unused]] const Team& team) {
#ifdef __CUDA_ARCH__
  __syncthreads();
#else
  team.team_barrier();
#endif
}

/// A barrier of a team whose warps may wait for each other at different places of the code: CUDA's own must be reached
/// by all threads at one place, PTX's counts them wherever they are. `Threads` is the whole thread block, and each warp
/// arrives as a whole, but without `.aligned`, which compute-sanitizer takes for a promise of one place. 0: all threads
/// wait at one place.
template <int Threads, class Team>
KOKKOS_FORCEINLINE_FUNCTION void barrier_of([[maybe_unused]] const Team& team) {
  if constexpr (Threads == 0) {
    barrier(team);
  } else {
#ifdef __CUDA_ARCH__
    asm volatile("barrier.sync 0, %0;\n" ::"n"(Threads) : "memory");
#else
    team.team_barrier();
#endif
  }
}

}  // namespace abax::cuda

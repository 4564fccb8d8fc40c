// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Bulk copies to scratch, the barriers that count their bytes, and teams of a cluster, which fill each other's scratch
/// (sm_90). Source: PTX ISA, sections on mbarrier, cp.async.bulk and barrier.cluster.
#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace abax::cuda {

/// Barriers in scratch, each of a phase at a time: one ends when all arrivals and bytes that it waits for are in.
/// `at` is a barrier's address. What they order are bulk copies and the tensor cores' reads, not threads' own reads and
/// writes: arrivals and waits have the scope of a team, although arrivals reach other teams. With the cluster's scope
/// each would write back and empty the first cache.
struct phase_barrier {
  std::uint32_t at;

  KOKKOS_FORCEINLINE_FUNCTION void init([[maybe_unused]] int arrivals) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(at), "r"(arrivals) : "memory");
#endif
  }
  /// This thread's arrival, and that so many bytes are on their way.
  KOKKOS_FORCEINLINE_FUNCTION void expect([[maybe_unused]] int bytes) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(at), "r"(bytes) : "memory");
#endif
  }
  /// An arrival at the barrier that lies here in the scratch of the cluster's team of that rank.
  KOKKOS_FORCEINLINE_FUNCTION void arrive_at([[maybe_unused]] int team) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n}\n" ::"r"(at),
        "r"(team)
        : "memory");
#endif
  }
  /// Until the phase of that parity is over.
  KOKKOS_FORCEINLINE_FUNCTION void wait([[maybe_unused]] unsigned parity) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
        "@over bra ended;\nbra again;\nended:\n}\n" ::"r"(at),
        "r"(parity)
        : "memory");
#endif
  }
};

/// Shows barriers that this thread has initialised to the cluster and to bulk copies.
KOKKOS_FORCEINLINE_FUNCTION void show_barriers() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
#endif
}

/// Starts copying `bytes` (a multiple of 16, as both addresses) to scratch; `whole` is told when they are there.
KOKKOS_FORCEINLINE_FUNCTION void bulk_copy([[maybe_unused]] std::uint32_t scratch, [[maybe_unused]] const void* global,
                                           [[maybe_unused]] int bytes, [[maybe_unused]] const phase_barrier& whole) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(scratch),
      "l"(global), "r"(bytes), "r"(whole.at)
      : "memory");
#endif
}
/// The same for all teams of `teams`, a bit for each of the cluster: each gets the bytes at that place in its scratch,
/// and its barrier is told.
KOKKOS_FORCEINLINE_FUNCTION void bulk_copy_to_teams([[maybe_unused]] std::uint32_t scratch,
                                                    [[maybe_unused]] const void* global, [[maybe_unused]] int bytes,
                                                    [[maybe_unused]] const phase_barrier& whole,
                                                    [[maybe_unused]] std::uint16_t teams) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
      "%4;\n" ::"r"(scratch),
      "l"(global), "r"(bytes), "r"(whole.at), "h"(teams)
      : "memory");
#elif defined(__CUDA_ARCH__)
  __trap();  // PTX of a GPU without it, on one that has it: whoever waits for the bytes would wait for ever
#endif
}

/// This team's rank in its cluster.
KOKKOS_FORCEINLINE_FUNCTION int rank_in_cluster() {
  int rank = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
#endif
  return rank;
}
/// A barrier of all threads of all the cluster's teams.
KOKKOS_FORCEINLINE_FUNCTION void cluster_barrier() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n" ::: "memory");
#endif
}

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The hand-over between teams that share one result.
#include <Kokkos_Core.hpp>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define ABAX_THREAD_SANITIZER
#endif
#endif

namespace abax::team {

/// Tells the thread sanitizer, which follows no fences, what those of last_arrival() order.
#ifdef ABAX_THREAD_SANITIZER
inline void tell_release(unsigned* counter) { __tsan_release(counter); }
inline void tell_acquire(unsigned* counter) { __tsan_acquire(counter); }
#undef ABAX_THREAD_SANITIZER
#else
KOKKOS_FORCEINLINE_FUNCTION void tell_release(unsigned*) {}
KOKKOS_FORCEINLINE_FUNCTION void tell_acquire(unsigned*) {}
#endif

/// True for all threads of the one team that calls last of `expected` teams; that team then sees everything the others
/// wrote before they called. `counter` starts at zero and ends at `expected`: who was last sets it back, for the next
/// launch, by an exchange, as nothing but the counter itself orders the additions before it. Which team that is
/// varies; what it then does must not depend on that.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION bool last_arrival(const Team& team, unsigned* counter, unsigned expected) {
  team.team_barrier();  // the team's writes come before its speaker's fence, which covers them
  unsigned before = 0;
  if (team.team_rank() == 0) {
    Kokkos::memory_fence();
    tell_release(counter);
    before = Kokkos::atomic_fetch_add(counter, 1u);
    tell_acquire(counter);
    Kokkos::memory_fence();  // the arrivals before the team's reads
  }
  team.team_broadcast(before, 0);
  return before + 1 == expected;
}

}  // namespace abax::team

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The hand-over between teams that share one result.
#include <Kokkos_Core.hpp>

namespace abax::team {

/// True for all threads of the one team that calls last of `expected` teams; that team then sees everything the others
/// wrote before they called. `counter` starts at zero. Which team is last varies; what it then does must not depend on
/// that.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION bool last_arrival(const Team& team, unsigned* counter, unsigned expected) {
  Kokkos::memory_fence();  // this thread's writes before the team's arrival
  team.team_barrier();
  unsigned before = 0;
  if (team.team_rank() == 0) before = Kokkos::atomic_fetch_add(counter, 1u);
  team.team_broadcast(before, 0);
  Kokkos::memory_fence();  // the arrivals before this thread's reads
  return before + 1 == expected;
}

}  // namespace abax::team

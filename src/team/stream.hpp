// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The streaming kernels, once: one team's run of elements.
#include "tile/stream.hpp"

namespace abax::team {

/// Applies `kernel` (tile/stream.hpp: combine, increment, copy) to the team's run of elements.
template <class Primitives, class Kernel, class Team>
KOKKOS_FORCEINLINE_FUNCTION void stream(const Team& team, const Kernel& kernel, index_t run) {
  Primitives::apply(team, kernel.block(team.league_rank() * run, run));
}

}  // namespace abax::team

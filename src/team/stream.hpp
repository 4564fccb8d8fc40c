// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The streaming kernels, once: one team's run of elements.
#include "abax/detail/tile/stream.hpp"

namespace abax::team {

/// Applies `kernel` (one of tile/stream.hpp) to the team's run of elements.
template <class Primitives, class Kernel, class Team>
KOKKOS_FORCEINLINE_FUNCTION void stream(const Team& team, const typename Primitives::parameters& parameters,
                                        const Kernel& kernel) {
  const index_t run = Primitives::run(parameters);
  Primitives::apply(team, parameters, kernel.block(team.league_rank() * run, run));
}

}  // namespace abax::team

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Reductions, once: one team's share of dot, sum, asum, nrm2 and iamax.
#include "abax/detail/team/last_arrival.hpp"
#include "abax/detail/tile/ieee_math.hpp"
#include "abax/detail/tile/reduction.hpp"

namespace abax::team {

/// A team reduces its run of blocks. Up to 1024 of these are the terms of one block of the next level, which the team
/// reduces that completes them, and so on; no team waits for another.
template <class Primitives, class Kernel, class Team>
KOKKOS_FORCEINLINE_FUNCTION void reduce(const Team& team, const typename Primitives::parameters& parameters,
                                        const tile::reduction<Kernel>& problem) {
  index_t terms = tile::reduction_blocks(problem.size());
  auto* states = problem.states;
  const index_t first = team.league_rank() * problem.run;
  Primitives::reduce(team, parameters, problem.kernel, first, tile::min(terms, first + problem.run), states);
  index_t arrivers = team.league_size(), of_a_block = tile::reduction_block / problem.run;
  unsigned* arrivals = problem.arrivals;
  index_t self = team.league_rank();
  while (terms > 1) {
    const index_t blocks = tile::reduction_blocks(terms), block = self / of_a_block;
    const index_t expected = tile::min(of_a_block, arrivers - block * of_a_block);
    if (expected == 1) {
      team.team_barrier();
    } else {
      if (!last_arrival(team, arrivals + block, static_cast<unsigned>(expected))) return;
      if (team.team_rank() == 0) Kokkos::atomic_exchange(arrivals + block, 0u);  // for the next launch
    }
    const tile::block_states<Kernel> level{{{states, terms, 1}}};
    states += terms;
    arrivals += blocks;
    Primitives::reduce(team, parameters, level, block, block + 1, states);
    self = block;
    arrivers = terms = blocks;
    of_a_block = tile::reduction_block;
  }
  if (team.team_rank() == 0) *problem.result = Kernel::finish(states[0]);
}

}  // namespace abax::team

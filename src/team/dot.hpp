// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// dot, once: one team's share of result <- x . y.
#include "team/last_arrival.hpp"
#include "tile/dot.hpp"

namespace abax::team {

/// result <- x . y, the canon's dot product. A single result has no outputs to spread over lanes, so lanes take whole
/// blocks of the canon: every team sums the blocks of its share, the team that arrives last adds the block sums in
/// ascending order.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void dot(const Team& team, const typename Primitives::parameters& parameters,
                                     const tile::dot<T>& problem) {
  const index_t blocks = tile::canon_blocks(problem.x.size);
  Primitives group(team, parameters, problem, team.league_rank());
  group.start(team);
  for (index_t p = 0; p < tile::canon_block; p += group.depth()) group.multiply_add(team, group.stage(team, p), p);
  group.save(team, problem.sums);
  if (last_arrival(team, problem.arrivals, static_cast<unsigned>(team.league_size())))
    group.join(team, problem.sums, blocks, problem.result);
}

}  // namespace abax::team

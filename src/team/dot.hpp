// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// dot, once: one team's share of result <- x . y.
#include "abax/detail/team/last_arrival.hpp"
#include "abax/detail/tile/dot.hpp"

namespace abax::team {

/// Joins every chunk of block sums that is complete and next in order. Teams call it as they complete chunks; one at a
/// time joins, and none waits: a team that finds another one joining returns, because that one looks again at its end.
template <class Team, class Primitives, class T>
KOKKOS_FORCEINLINE_FUNCTION void join_in_order(const Team& team, const Primitives& group, const tile::dot<T>& problem,
                                               index_t blocks) {
  const bool speaks = team.team_rank() == 0;
  unsigned* const busy = problem.arrivals;
  unsigned* const next = problem.arrivals + 1;
  unsigned* const arrived = problem.arrivals + 2;
  const int teams = team.league_size(), chunks = tile::ceil_div(teams, problem.chunk);
  const auto first_of = [&](int chunk) { return tile::min(teams, chunk * problem.chunk); };
  const auto complete = [&](int chunk) {
    return chunk < chunks &&
           Kokkos::atomic_load(arrived + chunk) == static_cast<unsigned>(first_of(chunk + 1) - first_of(chunk));
  };
  int again = 1;
  while (again != 0) {
    T total = 0;   // the speaker's
    int turn = 0;  // 1 + the chunk to begin with; 0: somebody else is at it
    if (speaks && Kokkos::atomic_exchange(busy, 1u) == 0) {
      Kokkos::memory_fence();  // the turn before reading what the one before it left
      turn = 1 + static_cast<int>(Kokkos::atomic_load(next));
      if (turn > 1) total = problem.sums[blocks];
    }
    team.team_broadcast(turn, 0);
    if (turn == 0) return;
    int chunk = turn - 1;
    for (;; ++chunk) {
      int ready = 0;
      if (speaks && complete(chunk)) {
        ready = 1;
        Kokkos::memory_fence();                     // the arrivals before the team's reads
        Kokkos::atomic_store(arrived + chunk, 0u);  // ready for the next launch
      }
      team.team_broadcast(ready, 0);
      if (ready == 0) break;
      total = group.join(team, problem.sums, index_t(first_of(chunk)) * Primitives::blocks,
                         tile::min<index_t>(blocks, index_t(first_of(chunk + 1)) * Primitives::blocks), total);
    }
    again = 0;
    if (speaks) {
      if (chunk == chunks) *problem.result = tile::canonical(total);
      problem.sums[blocks] = total;
      Kokkos::atomic_store(next, chunk == chunks ? 0u : static_cast<unsigned>(chunk));
      Kokkos::memory_fence();  // what this turn leaves before the next turn
      Kokkos::atomic_store(busy, 0u);
      Kokkos::memory_fence();  // letting go before looking again
      again = complete(chunk);
    }
    team.team_broadcast(again, 0);
  }
}

/// result <- x . y, the canon's dot product. A single result has no outputs to spread over lanes, so lanes take whole
/// blocks of the canon. The additions of the block sums are one long chain: it begins while other teams still read.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void dot(const Team& team, const typename Primitives::parameters& parameters,
                                     const tile::dot<T>& problem) {
  const index_t blocks = tile::canon_blocks(problem.x.size);
  Primitives group(team, parameters, problem, team.league_rank());
  group.start(team);
  for (index_t p = 0; p < tile::canon_block; p += group.depth()) group.multiply_add(team, group.stage(team, p), p);
  group.save(team, problem.sums);
  const int chunk = team.league_rank() / problem.chunk;
  const int expected = tile::min(problem.chunk, team.league_size() - chunk * problem.chunk);
  if (last_arrival(team, problem.arrivals + 2 + chunk, static_cast<unsigned>(expected)))
    join_in_order(team, group, problem, blocks);
}

}  // namespace abax::team

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of small products, once: one team's run of items.
#include "abax/detail/tile/batch.hpp"

namespace abax::team {

/// C_b <- alpha A_b B_b + beta C_b for the team's `run` items, each by the canon: a product of one block of terms.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void batch(const Team& team, const typename Primitives::parameters& parameters,
                                       const tile::batch<T>& batch, index_t run) {
  const index_t begin = team.league_rank() * run;
  Primitives::multiply(team, parameters, batch, begin, tile::min(batch.items(), begin + run));
}

}  // namespace abax::team

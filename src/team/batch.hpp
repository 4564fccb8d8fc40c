// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of small products, once: one team's pieces.
#include "abax/detail/tile/batch.hpp"

namespace abax::team {

/// C_b <- alpha A_b B_b + beta C_b for the team's pieces of the batch, each output by the canon: a product of one block
/// of terms. What a piece is, some items or a tile of them, the primitives say. Teams that run at once have
/// neighbouring pieces, so that what they read lies together.
template <class Primitives, class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION void batch(const Team& team, const typename Primitives::parameters& parameters,
                                       const tile::batch<T>& batch) {
  Primitives::multiply(team, parameters, batch, index_t(team.league_rank()), index_t(team.league_size()));
}

}  // namespace abax::team

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Reduction primitives in plain Kokkos: a thread of the team to a block of the canon.
#include <Kokkos_Core.hpp>

#include "abax/detail/tile/reduction.hpp"

namespace abax::portable {

template <class Team>
struct reduction {
  struct parameters {};
  static std::size_t scratch_bytes() { return 0; }

  template <class Terms>
  KOKKOS_FUNCTION static void reduce(const Team& team, const parameters&, const Terms& terms, index_t begin,
                                     index_t end, typename Terms::state* states) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end),
                         [&](index_t b) { states[b] = tile::block_state(terms, b); });
    team.team_barrier();
  }
};

}  // namespace abax::portable

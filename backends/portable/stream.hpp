// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Streaming primitives in plain Kokkos.
#include <Kokkos_Core.hpp>

#include "abax/detail/tile/stream.hpp"

namespace abax::portable {

template <class Team>
struct stream {
  struct parameters {};
  KOKKOS_FUNCTION static constexpr index_t run(const parameters&) { return 4096; }
  static std::size_t scratch_bytes() { return 0; }

  template <class Kernel>
  KOKKOS_FUNCTION static void apply(const Team& team, const parameters&, const Kernel& kernel) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(kernel.size())), kernel);
  }
};

}  // namespace abax::portable

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A ring of stages in scratch: one is read while cp.async fills the others.
#include <Kokkos_Macros.hpp>

#include "backends/cuda/async_copy.hpp"

namespace abax::cuda {

/// `Stages` stages of `Elements` elements each. `fill(stage)` starts this thread's copies of the next stage to be
/// fetched, or of none where all are; the ring counts and closes their groups.
///
/// One barrier a stage: it makes a stage whole for all threads, and tells that nobody reads the one before any longer.
template <class T, int Stages, int Elements>
class ring {
  static_assert(Stages >= 2);

 public:
  static constexpr int elements = Stages * Elements;

  KOKKOS_FORCEINLINE_FUNCTION explicit ring(T* scratch) : memory_(scratch) {}

  /// Sends the first stages on their way.
  template <class Fill>
  KOKKOS_FORCEINLINE_FUNCTION void start(const Fill& fill) {
#pragma unroll
    for (int s = 0; s < Stages - 1; ++s) {
      fill(memory_ + s * Elements);
      commit_copies();  // also an empty group: waiting counts groups
    }
  }

  /// The next stage, whole for all threads. Ends the reading of the one before, whose place is filled anew.
  template <class Team, class Fill>
  KOKKOS_FORCEINLINE_FUNCTION const T* next(const Team& team, const Fill& fill) {
    wait_copies<Stages - 2>();
    team.team_barrier();
    const T* const ready = memory_ + current_;
    fill(memory_ + (current_ == 0 ? (Stages - 1) * Elements : current_ - Elements));
    commit_copies();
    current_ = current_ == (Stages - 1) * Elements ? 0 : current_ + Elements;
    return ready;
  }

 private:
  T* memory_;
  int current_ = 0;
};

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A ring of stages in scratch: one is read while cp.async fills the others.
#include <Kokkos_Macros.hpp>

#include "abax/detail/backends/cuda/async_copy.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"

namespace abax::cuda {

/// `Stages` stages of `Elements` elements each. `fill(stage)` starts this thread's copies of the next stage to be
/// fetched, or of none where all are; the ring counts and closes their groups.
///
/// One barrier a stage: after it a stage is whole for all threads, and no thread reads the one before. `Threads` is the
/// size of a team whose warps wait at different places of the code, or 0 where all wait at the same.
template <class T, int Stages, int Elements, int Threads = 0>
class ring {
  static_assert(Stages >= 2);

 public:
  static constexpr int elements = Stages * Elements;

  KOKKOS_FORCEINLINE_FUNCTION explicit ring(T* scratch) : memory_(scratch) {}

  /// Of all stages.
  KOKKOS_FORCEINLINE_FUNCTION T* memory() const { return memory_; }
  /// Where the next stage is, for threads that store into it before they wait for it.
  KOKKOS_FORCEINLINE_FUNCTION T* upcoming() const { return memory_ + current_; }

  /// Starts to fill the first stages. Threads that fill nothing need not call it.
  template <class Fill>
  KOKKOS_FORCEINLINE_FUNCTION void start(const Fill& fill) {
#pragma unroll 1  // little code: all of it is fetched before the first copy starts
    for (int s = 0; s < Stages - 1; ++s) {
      fill(memory_ + s * Elements);
      commit_copies();  // also an empty group: waiting counts groups
    }
  }

  /// Waits for the next stage, whole then for all threads, and says where it begins; ends the reading of the one
  /// before, whose place freed() is to be filled next, and the group committed. `arrived(stage)` may work on what this
  /// thread has copied there, before others see it.
  template <class Team, class Arrived>
  KOKKOS_FORCEINLINE_FUNCTION int await(const Team& team, const Arrived& arrived) {
    wait_copies<Stages - 2>();
    arrived(memory_ + current_);
    barrier_of<Threads>(team);
    const int ready = current_;
    current_ = current_ == (Stages - 1) * Elements ? 0 : current_ + Elements;
    return ready;
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION int await(const Team& team) {
    return await(team, [](T*) {});
  }
  KOKKOS_FORCEINLINE_FUNCTION const T* at(int stage) const { return memory_ + stage; }
  KOKKOS_FORCEINLINE_FUNCTION T* freed(int stage) const {
    return memory_ + (stage == 0 ? (Stages - 1) * Elements : stage - Elements);
  }

 private:
  T* memory_;
  int current_ = 0;
};

}  // namespace abax::cuda

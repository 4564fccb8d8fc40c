// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Kokkos for callers who know nothing of it.

namespace abax::c {

/// What there is to compute on.
enum class machine {
  none,  ///< Kokkos has been finalized: it starts only once in a process
  host,  ///< Kokkos' host space alone: nobody wants a GPU, there is none, this process is a child of one that has it, or
         ///< the program ends
  all    ///< Kokkos runs
};

/// Starts Kokkos, once, if nobody has. The host's part is never stopped: a library cannot know which of its callers is
/// the last.
machine start_kokkos();

/// Starts the host's part alone, if nothing runs yet. There is no device in this process then.
machine start_host();

/// What runs now, without starting anything.
machine running();

/// To be called before the calling thread begins a parallel region of its own: a child of this process would wait for its
/// threads, and computes alone instead.
void watch_forks();

/// The CUDA runtime's number of the device that Kokkos computes on; -1 in a build without CUDA.
int device_ordinal();

}  // namespace abax::c

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What callers who know nothing of Kokkos need of it. The host computes with OpenMP's threads, which need no Kokkos
/// that runs. A device does, and so does the host of a build without OpenMP.

namespace abax::c {

/// Starts what the host needs, once, if nobody has. It is never stopped: a library cannot know which of its callers is
/// the last. False where Kokkos would be needed and has been finalized: it starts only once in a process.
bool start_host();

/// The same for the device. False where there is none: in this build, on this machine, in a child of a process that has
/// it, before main() or at the end of the program.
bool start_device();

/// False while functions that run before main() call the library and its own have not run: there is no device yet.
bool is_loaded();

/// Whether they compute now, without starting anything.
bool host_runs();
bool device_runs();

/// From here on there is no device in this process, unless it runs already.
void renounce_device();

/// Whether this process was forked from one that has the device.
bool device_stayed_with_parent();

/// To be called before the calling thread begins a parallel region of its own: a child of this process would wait for
/// its threads, and computes alone instead.
void watch_forks();

/// The CUDA runtime's number of the device that Kokkos computes on; -1 in a build without CUDA.
int device_ordinal();

/// What the device that Kokkos computes on is called; where it runs.
const char* device_name();

}  // namespace abax::c

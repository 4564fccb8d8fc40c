// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Kokkos for callers who know nothing of it.

namespace abax::c {

/// True with Kokkos running; starts it, once, if nobody has. False where it has been finalized (it starts only once in
/// a process) or misses its GPU. What is started here is never stopped: a library cannot know which
/// of its callers is the last.
bool start_kokkos();

}  // namespace abax::c

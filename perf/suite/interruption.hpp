// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Ctrl-C and SIGTERM: a run stops for them between two samples, so that what was measured can be kept.

namespace abax::perf {

/// Thrown where one came.
struct interruption {
  int signal;
};

/// From now on the first such signal only waits for require_going_on(); a second one ends the program, unless it comes
/// within half a second of the first: timeout(1) and launchers of ranks send it to a process and to the process' group.
void wait_for_interruption();

/// The signal that came, or 0.
int came_signal();

/// Throws if a signal came.
void require_going_on();

}  // namespace abax::perf

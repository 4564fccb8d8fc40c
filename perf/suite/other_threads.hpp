// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Threads of libraries, which spin for a while after a call and take cores from another library's meanwhile.
#include <vector>

namespace abax::perf {

/// The calling thread, by the system's number.
int this_thread();
/// This process' threads but the calling one; none where the system does not say.
std::vector<int> other_threads();

/// What became of waiting: nothing had to be waited for, or some threads ran and then slept, or they did not sleep.
enum class waited { no, yes, in_vain };
/// Waits until all other threads sleep, for half a second at most.
waited wait_for_other_threads();

}  // namespace abax::perf

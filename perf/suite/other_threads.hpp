// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Threads of libraries, which spin for a while after a call and take cores from another library's meanwhile.
#include <vector>

namespace abax::perf {

/// This process' threads but the calling one, by the system's numbers; none where the system does not say.
std::vector<int> other_threads();
/// Waits until all of them sleep, for half a second at most; true where one did not.
bool wait_for_other_threads();

}  // namespace abax::perf

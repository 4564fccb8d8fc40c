// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The gatherer of a run on several ranks: tells all what comes next, and keeps and prints what they found.
#include "run.hpp"

namespace abax::perf {

/// Where a run on several ranks is heard of: the status that its ranks are to end with.
int gather(const selection& what);

}  // namespace abax::perf

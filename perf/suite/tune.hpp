// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf tune`: the plans of products measured anew, for the tables in backends/.
#include "run.hpp"

namespace abax::perf {

/// Prints, for each type, what the rates of the GPU's tables would be on this machine, then how far the plan that is
/// chosen for a shape is from the fastest one. Throws without a GPU backend.
void tune(const selection& what);

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf tune`: the rows of products measured anew, for the tables in backends/.
#include "run.hpp"

namespace abax::perf {

/// Prints, for each type, what the rates of the GPU's tables would be on this machine. Throws without a GPU backend.
void tune(const selection& what);

}  // namespace abax::perf

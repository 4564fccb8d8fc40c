// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf tune`: what a GPU's rows of products cost, fitted to how long random ones took.
#include <string>

#include "run.hpp"

namespace abax::perf {

/// Prints a table, and writes what src/launch/tuning.hpp reads to `file`, if it has a name. `what` chooses types.
void tune(const selection& what, const std::string& file);

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The experiments' functions, a file each.
#include "experiment.hpp"

namespace abax::lab {

void run_tile(const settings& how, experiment_result& result);

}  // namespace abax::lab

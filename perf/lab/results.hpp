// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The file of a run. docs/lab/README.md describes it.
#include <string>
#include <vector>

#include "experiment.hpp"

namespace abax::lab {

/// Writes the file whole or not at all.
void write_json(const std::vector<experiment_result>& results, const std::string& path);

}  // namespace abax::lab

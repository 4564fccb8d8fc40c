// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Python scripts that are a part of a program, so that there is nothing to find when it runs.
#include <span>
#include <string>

namespace abax::perf {

enum class script_end { done, failed, lacking };

/// Runs `script` by the first Python that has what it needs: it ends with status 3 where something is missing.
script_end run_script(const char* script, std::span<const std::string> arguments);

}  // namespace abax::perf

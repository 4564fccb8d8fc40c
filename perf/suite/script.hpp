// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The Python tools of perf/tools, which are a part of the programs, so that there is nothing to find when they run.
#include <span>
#include <string>

namespace abax::perf {

/// Calls main(arguments) of the tool by the first Python that has what it needs; its status. Throws where none has:
/// `needs` says in a sentence what to install.
int run_tool(const std::string& tool, std::span<const std::string> arguments, const std::string& needs);

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The golden table, run on this machine.
#include <functional>
#include <string>
#include <vector>

#include "call.hpp"
#include "findings.hpp"

namespace abax::perf::golden {

/// Those that this program was built with.
std::vector<call> own_calls();

/// What became of one kernel's calls on one backend.
struct tally {
  std::string kernel, backend;
  int calls = 0, runs = 0;  ///< a run is a call as one of the layouts
  int differ = 0;           ///< calls of which a run did
};

/// Runs every call as each of the layouts, and reports each that differs. A signal ends it.
std::vector<tally> run_all(const std::vector<call>& calls, const std::vector<backend>& where,
                           const std::function<void(verify::difference)>& report);

}  // namespace abax::perf::golden

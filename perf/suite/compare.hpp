// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf compare`: what became faster or slower from one result file to another. docs/results.md says how that is
/// decided.
#include <optional>
#include <string>

namespace abax::perf {

struct comparison {
  std::string before, after;      ///< the files
  double threshold = 0.05;        ///< changes up to this count as none
  std::optional<double> fail_on;  ///< Abax' slow-downs beyond this are failures
  bool all = false;               ///< print what is the same, too
  std::string json;               ///< where the verdicts go, too
};

/// Prints the verdicts. False if one is a failure, or if a result in `after` has other bits than the canon's.
bool compare(const comparison& what);

}  // namespace abax::perf

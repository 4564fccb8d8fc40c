// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A run's results as they come: printed, and kept in its files.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "ceilings.hpp"
#include "machine.hpp"
#include "results.hpp"
#include "run.hpp"

namespace abax::perf {

/// Where a run's results go, so that they are there, whatever ends the run.
class keeper {
 public:
  /// Throws where a file cannot be written.
  explicit keeper(const selection& what);
  void keep(const run_results& results) const;
  /// Not after every case: a file of hundreds takes a while to write.
  bool due();

 private:
  std::string json_, csv_;
  std::chrono::steady_clock::time_point next_;
};

void print(const text_lines& lines);
std::string ceilings_text(const ceilings& c);

void print_heading();
/// A row; of a run on several ranks with the least and the largest of their medians, and those that are slow.
void print(const case_result& c);
/// Each peer's ratios over all cases of a kernel: the geometric mean and the least.
void print_means(const std::vector<case_result>& cases);

}  // namespace abax::perf

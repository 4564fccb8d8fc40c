// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A run's results as they come.
#include <string>
#include <vector>

#include "ceilings.hpp"
#include "machine.hpp"
#include "results.hpp"

namespace abax::perf {

void print(const text_lines& lines);
std::string ceilings_text(const ceilings& c);

void print_heading();
/// A row; of a run on several ranks with the least and the largest of their medians, and those that are slow.
void print(const case_result& c);
/// Each peer's ratios over all cases of a kernel: the geometric mean and the least.
void print_means(const std::vector<case_result>& cases);

}  // namespace abax::perf

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
/// Each peer's ratios over all cases of a kernel; of random cases also those of each shape's fastest peer, gemm's and
/// gemv's with all transpositions together.
void print_means(const std::vector<case_result>& cases, bool random);
/// Of random cases: how good the chosen rows are, and where a peer is faster by most, with the chosen row and the
/// fastest, so that a planner's miss and a kernel's are told apart.
void print_choices(const std::vector<case_result>& cases);

}  // namespace abax::perf

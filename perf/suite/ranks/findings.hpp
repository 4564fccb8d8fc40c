// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What rank 0 makes of what all ranks have found: which ranks and links are slow, and which cases failed where.
#include <string>
#include <vector>

#include "../results.hpp"
#include "ranks.hpp"

namespace abax::perf::ranks {

/// What all ranks say, in their order.
template <class T>
std::vector<T> gathered_of(const T& mine) {
  std::vector<T> all;
  for (const std::string& one : gathered(text_of(mine))) all.push_back(nlohmann::json::parse(one).get<T>());
  return all;
}

/// What one rank says of one pass over one case: its result, or why there is none.
struct answer {
  std::vector<case_result> result;
  std::string failed;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(answer, result, failed)

/// The rank with the median, with the others' figures and those that are slow by more than `slow` (0.05: 5 %); without
/// variants where all failed. Failures are added to the results, and printed.
case_result of_all(const std::vector<answer>& answers, const std::string& name, double slow, run_results& results);

/// Marks the slow ones, prints them, and adds them to the results.
void judge(const std::vector<link_result>& links, const std::string& by, double slow, run_results& results);

void fail(const rank_failure& failure, run_results& results);

/// The ranks that are slow in half of their cases or more.
std::vector<slow_rank> slow_ranks(const run_results& results);

/// Who is there, and which ranks share a GPU.
void print(const std::vector<rank_place>& places);
/// What is slow, and what failed.
void conclude(const run_results& results, double slow);

}  // namespace abax::perf::ranks

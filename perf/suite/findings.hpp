// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a run on several ranks has found so far: kept, judged, printed.
#include <string>
#include <vector>

#include "rank_lines.hpp"
#include "results.hpp"
#include "run.hpp"
#include "spread.hpp"
#include "timing.hpp"

namespace abax::perf {

class findings {
 public:
  static constexpr long long long_message = 4 << 20;  ///< bytes, of a link's rate

  findings(const selection& what, const std::vector<member>& ranks);

  /// The context, and how many more cases there are going to be.
  void begin(std::vector<std::pair<std::string, std::string>> context) { results_.context = std::move(context); }
  void expect(std::size_t cases) { whole_ += cases; }
  /// A line of the context that only now is known.
  void note(const std::string& name, const std::string& value);
  void fail(const member& m, const std::string& what, const std::string& why);

  /// What all of them found in one case, which is kept, and printed once no further pass is going to add to it.
  void take(const members& all, const std::string& text);
  /// The rows of cases that time was left for in some passes only.
  void print_rest() const;
  void take(link_result link) { results_.ranks.links.push_back(std::move(link)); }
  void judge_links();
  /// What rank 0 said of a distributed product, to its end or not: false where there is no such engine.
  bool take_product(const std::vector<std::string>& lines, const std::string& type, index_t m, index_t n, index_t k);

  void keep();
  std::string so_far() const;
  void end(const std::string& status);
  /// What the reader is to take home, and the status.
  int conclude(bool out_of_time);

 private:
  void print(const case_result& c, const spread& s) const;
  void judge(const std::string& kind, const std::vector<link_result*>& group);
  void find_slow();

  const selection& what_;
  const std::vector<member>& ranks_;
  run_results results_;
  std::size_t whole_ = 0;
  stopwatch watch_;
};

std::string product_text(index_t m, index_t n, index_t k);
double product_operations(index_t m, index_t n, index_t k);

}  // namespace abax::perf

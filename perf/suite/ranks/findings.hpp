// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What rank 0 makes of what all ranks have found: kept, judged, printed.
#include <optional>
#include <string>
#include <vector>

#include "../output.hpp"
#include "../results.hpp"

namespace abax::perf::ranks {

/// What one rank says of one pass over one case.
struct answer {
  std::optional<case_result> result;
  std::string failed;
};

class findings {
 public:
  /// `cases`: that there are going to be.
  findings(const selection& what, std::vector<rank_place> places, text_lines context, std::size_t cases);

  void take(const std::vector<answer>& of_all, const std::string& text);
  void take(const std::vector<link_result>& links, const std::string& by);
  /// A distributed product, whose roof is all ranks' together.
  void take(case_result product);
  void note(const std::string& name, const std::string& value);
  void keep();
  std::string so_far() const;
  void end(const std::string& status);
  /// Prints what a reader is to take home; false where a rank failed.
  bool conclude() const;

 private:
  void fail(int rank, const std::string& what, const std::string& why);
  void find_slow();
  std::string name_of(int rank) const;

  const selection& what_;
  keeper files_;
  run_results results_;
  std::size_t whole_;
};

}  // namespace abax::perf::ranks

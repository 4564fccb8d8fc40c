// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// For tests of what a run on several ranks makes of a bad one: ABAX_PERF_TEST says which rank is to be hindered, and
/// how. Nothing is pretended where it is not set; where it is, the result's context says so.
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

#include "kernels.hpp"

namespace abax::perf {

/// What befalls this rank in the case `text`. ABAX_PERF_TEST is "slow RANK FACTOR" (each call of Abax is made that many
/// times), or "wrong RANK CASE", "throw RANK CASE", "abort RANK CASE" for the cases that begin so; or several of these,
/// with a ";" between two.
class hindrance {
 public:
  static std::string asked() {
    const char* const value = std::getenv("ABAX_PERF_TEST");
    return value == nullptr ? "" : value;
  }

  explicit hindrance(const std::string& text) {
    const char* const own = std::getenv("ABAX_PERF_RANK");
    std::istringstream all(asked());
    for (std::string one; std::getline(all, one, ';');) {
      std::istringstream words(one);
      std::string what, which;
      int rank = -1;
      words >> what >> rank;
      std::getline(words >> std::ws, which);
      if (rank != std::atoi(own == nullptr ? "0" : own)) continue;
      if (what == "slow")
        factor_ = std::stod(which);
      else if (text.starts_with(which))
        (what == "wrong" ? wrong_ : what == "throw" ? throws_ : aborts_) = true;
    }
  }

  verdict on(verdict v) const {
    if (throws_) throw std::runtime_error("ABAX_PERF_TEST throws here");
    if (aborts_) std::abort();
    if (wrong_) v.wrong = v.samples = std::max(v.samples, 1);
    return v;
  }
  /// How often the next call of the variant is made.
  int calls(int variant) {
    if (variant > 0 || factor_ <= 1) return 1;
    owed_ += factor_;
    const int now = static_cast<int>(owed_);
    owed_ -= now;
    return now;
  }

 private:
  double factor_ = 1, owed_ = 0;
  bool wrong_ = false, throws_ = false, aborts_ = false;
};

}  // namespace abax::perf

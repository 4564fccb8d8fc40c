// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a run on several ranks found beyond the cases. docs/results.md describes how a file keeps it.
#include <string>
#include <utility>
#include <vector>

namespace abax::perf {

/// Where a rank ran.
struct rank_place {
  int rank;
  long pid;
  std::string host, mpi;
  std::string cpus;                                          ///< that the launcher left it: "0-3"
  std::vector<std::pair<std::string, std::string>> context;  ///< its machine and ceilings, as in a run of its own
  std::string end;                                           ///< why it took part no longer; empty: it did to the end

  /// A line of the context; "" where it has none of this name.
  std::string line(const std::string& name) const {
    for (const auto& [key, value] : context)
      if (key == name) return value;
    return "";
  }
};

/// One rank's timing of Abax in one case.
struct rank_figure {
  int rank;
  double median, minimum, deviation;
  std::string bits;
};

/// Two ranks and what lies between them.
struct link_result {
  std::string by;  ///< "MPI" from host memory, "NCCL" from GPU memory
  int from, to;
  bool same_host;
  bool intact;                  ///< what came back was what had been sent
  bool slow;                    ///< beside the others of its kind
  double latency;               ///< seconds one way, a short message
  double rate;                  ///< bytes a second one way, a long one
  std::vector<double> samples;  ///< of the long one, seconds
};

/// A rank that failed a case, or slow in many.
struct rank_failure {
  int rank;
  std::string what, why;
};
struct slow_rank {
  int rank, cases, of;
  double factor;  ///< its time over the median, the geometric mean over all cases
};

struct rank_results {
  std::vector<rank_place> places;
  std::vector<link_result> links;
  std::vector<rank_failure> failures;
  std::vector<slow_rank> slow;
};

}  // namespace abax::perf

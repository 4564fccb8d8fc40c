// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a run found, with the names of the result file (docs/results.md, docs/results.schema.json), and its writing.
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace abax::perf {

struct variant_result {
  std::string name;  ///< "abax", or the peer's
  double median = 0, median_low = 0, median_high = 0, minimum = 0, deviation = 0;
  double ratio = 1, ratio_low = 1, ratio_high = 1;  ///< its median over Abax'
  int calls_per_sample = 1;
  std::vector<double> samples;
  double device_median = 0;
  std::vector<double> device_samples;  ///< the same samples by the GPU's own clock; none where it has none
  std::vector<int> throttled;          ///< samples that were taken while the machine held its clocks back
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(variant_result, name, median, median_low, median_high, minimum, deviation, ratio,
                                   ratio_low, ratio_high, calls_per_sample, samples, device_median, device_samples,
                                   throttled)

/// A row of the catalogue that serves the case.
struct row_figure {
  std::string name;
  bool chosen;  ///< by Abax
  double median;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(row_figure, name, chosen, median)

/// One rank's timing of Abax in one case.
struct rank_figure {
  int rank;
  double median, minimum, deviation;
  std::string bits;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(rank_figure, rank, median, minimum, deviation, bits)

struct case_result {
  std::string kernel, type, shape, backend;
  long long m = 1, n = 1, k = 1;
  int operand_sets = 1;
  std::string bits = "same";  ///< or what was wrong
  int compared = 0;           ///< elements recomputed in the canon's order
  double amount = 0;          ///< bytes or operations of one call
  std::string unit;           ///< "B" or "FLOP"
  std::string roof;           ///< "copy", "read", "write" or "fma"
  double roof_rate = 0;
  bool converged = true;
  std::vector<int> passes;                               ///< samples of each variant in each of them
  std::map<std::string, std::array<double, 3>> sensors;  ///< least, median, most
  std::vector<std::string> throttled_by;
  std::vector<variant_result> variants;  ///< Abax first
  std::vector<row_figure> rows;          ///< of a random case
  std::vector<rank_figure> ranks;        ///< of a run on several: then the rest is the rank's with the median
  std::vector<int> slow;                 ///< of these ranks
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(case_result, kernel, type, shape, backend, m, n, k, operand_sets, bits, compared,
                                   amount, unit, roof, roof_rate, converged, passes, sensors, throttled_by, variants,
                                   rows, ranks, slow)

/// Where a rank ran.
struct rank_place {
  int rank = 0;
  long pid = 0;
  std::string host, mpi, cpus, ended;  ///< cpus: that the launcher left it; ended: empty, as the format has it
  std::map<std::string, std::string> context;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(rank_place, rank, pid, host, mpi, cpus, ended, context)

/// Two ranks and what lies between them.
struct link_result {
  std::string by;  ///< "MPI" from host memory, "NCCL" from GPU memory
  int from = 0, to = 0;
  bool same_host = true;
  bool intact = true;  ///< what came back was what had been sent
  bool slow = false;
  double latency = 0, rate = 0;  ///< seconds one way of 8 bytes; bytes a second one way of 4 MiB
  std::vector<double> samples;   ///< of the latter, seconds
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(link_result, by, from, to, same_host, intact, slow, latency, rate, samples)

struct rank_failure {
  int rank;
  std::string what, why;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(rank_failure, rank, what, why)

struct slow_rank {
  int rank, cases, of;
  double factor;  ///< its time over the median, the geometric mean over all cases
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(slow_rank, rank, cases, of, factor)

struct run_results {
  std::vector<std::pair<std::string, std::string>> context;  ///< machine, build, environment
  std::vector<case_result> cases;
  std::string status = "unfinished";  ///< "complete", or why cases or passes are missing
  // Of a run on several ranks:
  std::vector<rank_place> places;
  std::vector<link_result> links;
  std::vector<rank_failure> failures;
  std::vector<slow_rank> slow;
};

/// JSON in one line, whatever the environment holds.
std::string text_of(const nlohmann::json& value);

/// Throws if write_whole(path) is going to fail: to be asked before hours of measuring.
void require_writable(const std::string& path);

/// Writes a file whole or not at all: to a new file beside it, which is on the disk before it takes the place.
void write_whole(const std::string& path, const std::string& text);

void write_json(const run_results& results, const std::string& path);

/// A line for each variant of each case, without the samples.
void write_csv(const run_results& results, const std::string& path);

}  // namespace abax::perf

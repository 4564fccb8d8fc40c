// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a run found, and the file that keeps it. docs/results.md describes the file.
#include <string>
#include <utility>
#include <vector>

#include "rank_results.hpp"
#include "timing.hpp"

namespace abax::perf {

struct variant_result {
  std::string name;  ///< "abax", or the peer's
  timing times;
  interval median_confidence;          ///< 95 % of the median
  double ratio;                        ///< this variant's median time over Abax': above 1, Abax is the faster
  interval confidence;                 ///< 95 % of it
  std::vector<double> device_samples;  ///< the same samples by the GPU's own clock; none where it has none
  std::vector<int> throttled;          ///< which samples were taken while the machine held its clocks back
};

/// What a sensor said while a case was timed: the least, the median, the most.
struct sensor_range {
  std::string name;  ///< with its unit: "power_W"
  double low, median, high;
};

struct case_result {
  std::string kernel, type, shape, backend;
  long long m, n, k;
  int sets;                 ///< of operands, taken in turns
  std::string bits;         ///< "same", or what was wrong
  int samples;              ///< elements compared with the canon
  double amount;            ///< bytes or operations of one call
  std::string unit;         ///< "B" or "FLOP"
  std::string roof;         ///< "copy", "read" or "fma"
  double roof_rate;         ///< `unit` a second, measured in this run
  bool converged;           ///< the interval of each median became as narrow as was asked
  std::vector<int> passes;  ///< samples of each variant in each of them: operands lie elsewhere in each
  std::vector<sensor_range> sensors;
  std::vector<std::string> throttled_by;
  std::vector<variant_result> variants;  ///< Abax first
  std::vector<rank_figure> ranks{};      ///< of a run on several: then everything else is the rank's with the median
  std::vector<int> slow{};               ///< of these ranks
};

struct run_results {
  std::vector<std::pair<std::string, std::string>> context;  ///< machine, build, environment
  std::vector<case_result> cases;
  std::string status = "complete";  ///< or why cases or passes are missing
  rank_results ranks{};             ///< of a run on several
};

/// Throws if write_whole(path) is going to fail: to be asked before hours of measuring.
void require_writable(const std::string& path);

/// Writes a file whole or not at all: beside it first, under a name of chance. Throws if that fails.
void write_whole(const std::string& path, const std::string& text);

void write_json(const run_results& results, const std::string& path);

/// A line for each variant of each case, without the samples.
void write_csv(const run_results& results, const std::string& path);

/// A case as one line, and back.
std::string line_of(const case_result& c);
case_result case_of(const std::string& line);

/// Reads what write_json() has written, this version or an earlier one. The file may be anything: throws where it is not
/// that, saying what was expected.
run_results read_json(const std::string& path);

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What `abax-perf verify` has found, and the file that it leaves.
#include <limits>
#include <string>
#include <vector>

#include "../machine.hpp"
#include "../results.hpp"

namespace abax::perf::verify {

/// A result with other bits than it should have.
struct difference {
  int rank = 0;
  std::string host, gpu;        ///< gpu: its UUID, "" on the host
  std::string backend, call;    ///< what was computed, as "gemm TN f32 17 x 5 x 2049, by rows"
  std::string beside;           ///< what it differs from: "table", "reference", "repeat", "backends and ranks"
  std::string element;          ///< "(3, 4)", "(3, 4), imaginary part"; "" where it is not known
  std::string found, expected;  ///< bits of the element, or of the hash where the element is not known
  std::string found_hash, expected_hash;
  std::string when;  ///< UTC
  double temperature_C = std::numeric_limits<double>::quiet_NaN(),
         clock_MHz = std::numeric_limits<double>::quiet_NaN();  ///< at that time; null where the system does not say
};

void to_json(nlohmann::json& json, const difference& d);
void from_json(const nlohmann::json& json, difference& d);

/// The line that names it.
std::string text(const difference& d);

/// What one rank did with one kernel on one backend.
struct work_done {
  std::string kernel, type, backend, unit;  ///< unit: "B" or "FLOP"
  bool large = false;                       ///< at full load; else drawn with layouts and scales, and mostly small
  long long cases = 0, calls = 0;
  double amount = 0, seconds = 0;  ///< of the calls alone, without checks

  double rate() const { return seconds > 0 ? amount / seconds : 0; }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(work_done, kernel, type, backend, unit, large, cases, calls, amount, seconds)

/// One rank's share of a run.
struct rank_report {
  rank_place place;
  std::vector<work_done> work;
  std::map<std::string, std::map<std::string, std::array<double, 3>>> sensors;  ///< by backend: least, median, most
  std::vector<difference> differences;
  long long unlisted = 0;  ///< differences past the first hundred
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(rank_report, place, work, sensors, differences, unlisted)

struct report {
  std::string status = "unfinished";  ///< "complete", or why it ended
  double minutes = 0, seconds = 0;    ///< asked for, taken
  unsigned seed = 1;
  long long table_calls = 0, table_runs = 0;  ///< of the golden table, on each rank
  long long cases = 0;                        ///< drawn, the same on all ranks
  std::vector<std::pair<std::string, std::string>> context;
  std::vector<rank_report> ranks;

  long long differences() const;
};

/// Whole or not at all.
void write_json(const report& all, const std::string& path);

}  // namespace abax::perf::verify

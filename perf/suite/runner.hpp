// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// One pass over one case: operands filled, results checked, each variant timed.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceilings.hpp"
#include "plan.hpp"
#include "results.hpp"
#include "sensors.hpp"

namespace abax::perf {

/// Makes the sensor of what Abax runs on. A test may put another in its place, before main().
extern std::unique_ptr<sensor> (*sensor_of)(backend where);

/// What is known of a case so far.
struct measured {
  job what;
  case_result found{};
  std::array<std::vector<double>, sensor_names.size()> sensed;
  int concluded = 0;  // passes that the medians in `found` are of
  bool printed = false;

  int passes() const { return static_cast<int>(found.passes.size()); }
};

class runner {
 public:
  /// Throws where a peer that is asked for by name is not found.
  explicit runner(const selection& what, bool with_ceilings = true);

  /// Again in each pass: the machine changes while a run goes on.
  void measure_ceilings();
  void watch_sensors();

  const ceilings& ceiling(backend where) const { return ceilings_.at(where); }
  const std::vector<peer>& peers(backend where) const { return searches_.at(where).found; }
  /// Which peers there are, and which are not.
  std::string searched(backend where) const { return text(searches_.at(where)); }

  /// Of one pass: operands filled, and each variant timed. The first has elements recomputed, too.
  double estimate(const job& j, bool first) const;
  /// Of all passes that are asked for.
  double estimate(const job& j) const { return estimate(j, true) + (what_.passes - 1) * estimate(j, false); }

  /// One pass over one case; `together` is called once results are checked, before anything is timed.
  void measure_pass(measured& m, const std::function<void()>& together);

  const case_result& result(measured& m) const;

 private:
  /// Samples of each variant in a pass: five in all at least.
  int fewest() const { return (4 + what_.passes) / what_.passes; }

  /// The rows that Abax chooses among, beside each other and as long as a pass.
  void measure_rows(measured& m, workload& work) const;

  selection what_;
  std::map<std::pair<const kernel*, extents>, std::uint64_t> checksums_;  // the same on all backends, in all passes
  std::map<backend, ceilings> ceilings_;
  std::map<backend, peer_search> searches_;
  std::map<backend, recorder> recorders_;
};

/// Medians, ratios and their intervals from the samples; whether the former are known to `precision`.
void conclude(case_result& r, double precision);

/// "same", or what is wrong.
std::string bits_text(const verdict& v);

}  // namespace abax::perf

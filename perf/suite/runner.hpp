// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// One pass over one case: operands filled, results checked, each variant timed.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ceilings.hpp"
#include "plan.hpp"
#include "results.hpp"
#include "sensors.hpp"
#include "timing.hpp"

namespace abax::perf {

/// What is known of a case so far.
struct measured {
  job what;
  case_result head{};  // all but the variants
  std::vector<variant_result> variants;
  std::array<sensor_values, sensor_names.size()> sensed;
  bool printed = false;
  std::optional<case_result> concluded;  // from as many passes as it has

  int passes() const { return static_cast<int>(head.passes.size()); }
};

/// When a sample was taken, and how long the GPU itself was busy with it.
struct taken_sample;

class runner {
 public:
  /// Throws where a peer that is asked for by name is not found.
  explicit runner(const selection& what, bool with_ceilings = true);

  /// Again in each pass: the machine changes while a run goes on.
  void measure_ceilings();
  void watch_sensors();

  const ceilings& ceiling(backend where) const { return ceilings_.at(where); }
  const std::vector<peer>& peers(backend where) const { return peers_.at(where); }
  /// Which peers there are, and which are not.
  const std::string& searched(backend where) const { return searched_.at(where); }

  /// Of one pass: operands filled, and each variant timed. The first has elements recomputed, too.
  double estimate(const job& j, bool first) const;

  /// One pass over one case; `together` is called once results are checked, before anything is timed.
  void measure_pass(
      measured& m, const std::function<void()>& together = [] {});

  const case_result& result(measured& m) const;

 private:
  /// Samples of each variant in a pass: five in all at least.
  int fewest() const { return (4 + what_.passes) / what_.passes; }

  static void begin(measured& m, const verdict& v, const workload& work);

  void keep_samples(measured& m, const std::vector<taken_sample>& taken) const;

  selection what_;
  std::map<std::pair<const kernel*, extents>, std::uint64_t> checksums_;  // the same on all backends, in all passes
  std::map<backend, ceilings> ceilings_;
  std::map<backend, std::vector<peer>> peers_;
  std::map<backend, std::string> searched_;
  std::map<backend, std::unique_ptr<recorder>> recorders_;
};

/// Medians, ratios and their intervals from the samples; whether the former are known to `precision`.
void conclude(case_result& r, double precision);

/// "same", or what is wrong.
std::string bits_text(const verdict& v);

}  // namespace abax::perf

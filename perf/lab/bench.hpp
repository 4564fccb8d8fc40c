// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How a case comes about, whatever the experiment: a kernel is launched under its label, its output is checked, and
/// all kernels of a bench are timed together.
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiment.hpp"

namespace abax::lab {

/// What times a case on a GPU: events around its calls, where all of them are put into the default stream; or the
/// host's clock, from the first call until the device is done, where the host has a part in it.
enum class timed_by { events, host };

/// A kernel, and all that its case says.
struct rung {
  std::string name;
  std::string variant = "portable";
  std::function<void()> launch = {};
  std::function<std::string()> check = {};  ///< throws wrong_output, or says what was compared with what
  std::map<std::string, double> given = {};
  std::vector<access> accesses = {};
  std::map<std::string, std::string> notes = {};
  bool counted = false;               ///< on a GPU, by a profiler: launch() starts exactly one kernel
  std::function<void()> timed = {};   ///< what is timed, where that is not launch()
  timed_by clock = timed_by::events;  ///< on the host it is always the host's
};

/// The cases of one backend that are timed together.
class bench {
 public:
  bench(const settings& how, backend where, experiment_result& result) : how_(how), where_(where), result_(result) {}

  /// Launches once, under the case's label where it is counted, waits, and has the output checked.
  case_result& add(rung r);

  case_result& add(std::string name, std::string variant, std::function<void()> launch,
                   std::function<std::string()> check, std::map<std::string, double> given = {},
                   timed_by clock = timed_by::events) {
    return add({.name = std::move(name),
                .variant = std::move(variant),
                .launch = std::move(launch),
                .check = std::move(check),
                .given = std::move(given),
                .clock = clock});
  }

  /// A case that is not timed goes straight to the experiment's result.
  case_result& add_untimed(std::string name, std::string variant, std::string checked);

  /// Times all that was added and adds their cases to the experiment's result; returns them. Calls are made in random
  /// order, so that what the machine does meanwhile affects all alike. seconds_low and seconds_high are the median's
  /// 95 % interval; given bytes and operations become rates. With --once nothing is timed.
  std::vector<case_result> finish();

 private:
  struct entry {
    case_result result;
    std::function<void()> call;
    timed_by clock;
  };
  void time_all();

  const settings& how_;
  backend where_;
  experiment_result& result_;
  std::deque<entry> all_;  // whose addresses last
};

}  // namespace abax::lab

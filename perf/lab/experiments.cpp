// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>

#include "../suite/events.hpp"
#include "../suite/machine.hpp"
#include "../suite/timing.hpp"
#include "experiment.hpp"
#include "runs.hpp"
#include "spaces.hpp"

namespace abax::lab {
namespace {

constexpr std::array all{
    experiment{"tile", "A tile, written and read by rows and columns", "banks, conflicts, padding, swizzling",
               run_tile},
    experiment{"sweep", "Strides, widths and shared words", "wavefronts, broadcast, hidden conflicts", run_sweep},
    experiment{"coalescing", "What a warp's reads move", "sectors, lines, offsets, strides", run_coalescing},
    experiment{"transpose_ladder", "A transpose, from naive to a copy's speed", "tiles, padding, swizzling in use",
               run_transpose_ladder},
    experiment{"product_ladder", "A matrix product, from naive to the vendor's", "sharing what was fetched",
               run_product_ladder},
    experiment{"vector", "A matrix-vector product", "block sizes, partial tiles, what is worth staging", run_vector},
    experiment{"copies", "Copies and streams", "page-locked, mapped and pitched memory; overlap", run_copies},
    experiment{"ordering", "Fences and barriers", "what one thread may see of another's stores", run_ordering},
    experiment{"carveout", "Cache and scratch share a memory", "wishes, occupancy, threads and elements", run_carveout},
    experiment{"memory", "Kinds of memory", "latency and bandwidth from registers to the host", run_memory},
};

/// Keeps each sample's seconds for one call, by the clock of its case.
class clocks {
 public:
  clocks(backend where, std::span<const timed_case> cases) : where_(where), cases_(cases), samples_(cases.size()) {}

  bool by_events(std::size_t c) const { return asked() && cases_[c].clock == timed_by::events; }
  const std::vector<double>& samples(std::size_t c) const { return samples_[c]; }

  void begin() {
    if (asked()) events_.begin(device());
  }
  void queued() {
    if (asked()) events_.end(device());
  }
  void taken(int variant, int calls, perf::sample_clock::time_point begin, perf::sample_clock::time_point end) {
    const auto c = static_cast<std::size_t>(variant);
    const double seconds = by_events(c) ? events_.seconds() : std::chrono::duration<double>(end - begin).count();
    if (!std::isfinite(seconds)) throw std::runtime_error("the GPU's events give no time");
    samples_[c].push_back(seconds / calls);
  }

 private:
  bool asked() const { return perf::events<device>::exist && where_ == backend::device; }

  backend where_;
  std::span<const timed_case> cases_;
  perf::events<device> events_;
  std::vector<std::vector<double>> samples_;
};

}  // namespace

std::span<const experiment> experiments() { return all; }

bool settings::wants(backend where) const {
  const char* const name = where == backend::host ? "host" : "device";
  if (where == backend::device && !perf::has_device()) return false;
  return backends.empty() || std::find(backends.begin(), backends.end(), name) != backends.end();
}

std::string label_of(const char* experiment, const case_result& c) {
  return std::string(experiment) + "/" + c.name + "/" + c.variant;
}

void time_together(const settings& how, backend where, std::span<const timed_case> cases) {
  if (how.once || cases.empty()) return;
  const double sample = std::min(where == backend::host ? perf::host_sample : perf::device_sample, how.seconds / 5);
  const double budget = how.seconds * static_cast<double>(cases.size());
  const auto call = [&](int c) { cases[static_cast<std::size_t>(c)].call(); };
  clocks all_clocks(where, cases);
  perf::measure(
      static_cast<int>(cases.size()), call, [&] { fence(where); }, perf::effort{budget, sample}, all_clocks);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const perf::interval i = perf::median_interval(all_clocks.samples(c));
    case_result& result = *cases[c].result;
    result.measured["seconds_median"] = perf::median_of(all_clocks.samples(c));
    result.measured["seconds_low"] = i.low;
    result.measured["seconds_high"] = i.high;
    result.notes["clock"] = all_clocks.by_events(c)    ? "events on the device"
                            : where == backend::device ? "the host's, until the device is done"
                                                       : "the host's";
  }
}

}  // namespace abax::lab

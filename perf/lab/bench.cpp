// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench.hpp"

#include <algorithm>
#include <cmath>

#include "../suite/events.hpp"
#include "../suite/timing.hpp"
#include "arrays.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>
#endif

namespace abax::lab {
namespace {

/// Runs `launch` so that a profiler knows its kernel by `label`, if it has one, and counts nothing else.
void run_labelled([[maybe_unused]] const std::string& label, const std::function<void()>& launch) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (!label.empty()) {
    Kokkos::fence("abax-lab: before a kernel that is counted");
    nvtxRangePushA(label.c_str());
    cudaProfilerStart();
    launch();
    Kokkos::fence("abax-lab: a kernel that is counted");
    cudaProfilerStop();
    nvtxRangePop();
    return;
  }
#endif
  launch();
  Kokkos::fence("abax-lab: a kernel");
}

void wait_for(backend where) { where == backend::host ? host().fence() : device().fence(); }

/// Keeps each sample's seconds for one call, by the clock of its case.
struct watch : perf::no_watch {
  std::vector<bool> by_events;
  std::vector<std::vector<double>> samples;
  perf::events<device> events = {};

  void begin() { events.begin(device()); }
  void queued() { events.end(device()); }
  void taken(int variant, int calls, perf::sample_clock::time_point begin, perf::sample_clock::time_point end) {
    const auto c = static_cast<std::size_t>(variant);
    const double seconds = by_events[c] ? events.seconds() : std::chrono::duration<double>(end - begin).count();
    if (!std::isfinite(seconds)) throw std::runtime_error("the GPU's events give no time");
    samples[c].push_back(seconds / calls);
  }
};

}  // namespace

bool settings::wants(backend where) const {
  const char* const name = where == backend::host ? "host" : "device";
  return (where == backend::host || has_gpu) &&
         (backends.empty() || std::find(backends.begin(), backends.end(), name) != backends.end());
}

case_result& bench::add(rung r) {
  case_result c{r.name, perf::backend_name(where_), r.variant};
  if (r.counted && where_ == backend::device) c.label = result_.name + "/" + c.name + "/" + c.variant;
  run_labelled(c.label, r.launch);
  try {
    c.checked = r.check();
  } catch (const wrong_output& error) {
    throw wrong_output(c.name + " (" + c.variant + ", " + c.backend + "): " + error.what());
  }
  c.accesses = std::move(r.accesses);
  c.given = std::move(r.given);
  c.notes = std::move(r.notes);
  all_.push_back({std::move(c), r.timed ? std::move(r.timed) : std::move(r.launch), r.clock});
  return all_.back().result;
}

case_result& bench::add_untimed(std::string name, std::string variant, std::string checked) {
  result_.cases.push_back({std::move(name), perf::backend_name(where_), std::move(variant), "", std::move(checked)});
  return result_.cases.back();
}

void bench::time_all() {
  const double sample = std::min(where_ == backend::host ? perf::host_sample : perf::device_sample, how_.seconds / 5);
  const double budget = how_.seconds * static_cast<double>(all_.size());
  watch all{{}, {}, std::vector<std::vector<double>>(all_.size())};
  for (const entry& e : all_) all.by_events.push_back(where_ == backend::device && e.clock == timed_by::events);
  perf::measure(
      static_cast<int>(all_.size()), [&](int c) { all_[static_cast<std::size_t>(c)].call(); },
      [&] { wait_for(where_); }, perf::effort{budget, sample}, all);
  for (std::size_t e = 0; e < all_.size(); ++e) {
    case_result& c = all_[e].result;
    const double median = perf::median_of(all.samples[e]);
    const perf::interval i = perf::median_interval(all.samples[e]);
    c.measured = {{"seconds_median", median}, {"seconds_low", i.low}, {"seconds_high", i.high}};
    for (const char* const what : {"bytes", "asked_bytes", "flops"})
      if (c.given.contains(what)) c.measured[std::string(what) + "_per_second"] = c.given[what] / median;
    c.notes["clock"] = all.by_events[e]            ? "events on the device"
                       : where_ == backend::device ? "the host's, until the device is done"
                                                   : "the host's";
  }
}

std::vector<case_result> bench::finish() {
  if (!how_.once && !all_.empty()) time_all();
  std::vector<case_result> cases;
  for (entry& e : all_) cases.push_back(std::move(e.result));
  all_.clear();
  result_.cases.insert(result_.cases.end(), cases.begin(), cases.end());
  return cases;
}

}  // namespace abax::lab

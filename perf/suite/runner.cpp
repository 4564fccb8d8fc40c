// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner.hpp"

#include <algorithm>
#include <cmath>

#include "machine.hpp"
#include "other_threads.hpp"
#include "timing.hpp"

namespace abax::perf {
namespace {

/// Of a random set each shape weighs little, and there are many: a fence is a few thousandths of such a sample.
constexpr double random_device_sample = 5e-3, random_row_sample = 2e-3;

struct taken_sample {
  int variant;
  sample_clock::time_point begin, end;
  double seconds, device;  // for one call; by the GPU's own clock NaN where there is none
};

/// Keeps when each sample was taken, and how long the GPU itself was busy with it; and gives a library whose threads
/// are its own, and those that it is measured beside, the cores that the others' threads would spin on.
class sample_watch {
 public:
  explicit sample_watch(workload& work)
      : work_(work), waits_(std::ranges::any_of(work.peers(), [](const peer* p) { return p->takes_turns; })) {}
  bool turn() { return waits_ && wait_for_other_threads() != waited::no; }
  void begin() { work_.begin_events(); }
  void queued() { work_.end_events(); }
  void taken(int variant, int calls, sample_clock::time_point begin, sample_clock::time_point end) {
    const double seconds = std::chrono::duration<double>(end - begin).count();
    all.push_back({variant, begin, end, seconds / calls, work_.seconds_between_events() / calls});
  }

  std::vector<taken_sample> all;

 private:
  workload& work_;
  bool waits_;
};

void keep_samples(measured& m, const std::vector<taken_sample>& taken, const recorder& recorded) {
  std::vector<std::string>& reasons = m.found.throttled_by;
  for (const reading& r : recorded.between(taken.front().begin, taken.back().end))
    for (std::size_t s = 0; s < r.values.size(); ++s)
      if (std::isfinite(r.values[s])) m.sensed[s].push_back(r.values[s]);
  for (const taken_sample& t : taken) {
    variant_result& v = m.found.variants[static_cast<std::size_t>(t.variant)];
    bool throttled = false;
    for (const reading& r : recorded.between(t.begin, t.end))
      for (const std::string& reason : r.throttled_by) {
        throttled = true;
        if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
      }
    if (throttled) v.throttled.push_back(static_cast<int>(v.samples.size()));
    v.samples.push_back(t.seconds);
    if (std::isfinite(t.device)) v.device_samples.push_back(t.device);
  }
}

/// A case before its first pass.
case_result begun(const job& j, const verdict& v, const workload& work) {
  case_result r;
  r.kernel = j.what->name;
  r.type = j.what->type;
  r.shape = shape_text(j.what->written, j.shape);
  r.backend = backend_name(j.where);
  r.m = j.shape.m;
  r.n = j.shape.n;
  r.k = j.shape.k;
  r.operand_sets = j.sets();
  r.compared = v.samples;
  r.bits = bits_text(v);
  r.amount = j.what->amount(j.shape);
  r.unit = j.what->arithmetic() ? "FLOP" : "B";
  r.roof = roof_names[static_cast<int>(j.what->bound)];
  r.variants.emplace_back().name = "abax";
  for (const peer* const p : work.peers()) r.variants.emplace_back().name = p->name;
  return r;
}

std::unique_ptr<sensor> own_sensor(backend where) {
  return where == backend::host ? cpu_sensor(thread_cpus()) : gpu_sensor(gpu_pci(used_gpu()));
}

}  // namespace

std::unique_ptr<sensor> (*sensor_of)(backend where) = own_sensor;

std::string bits_text(const verdict& v) {
  if (v.wrong > 0) return std::to_string(v.wrong) + " of " + std::to_string(v.samples) + " wrong";
  if (v.unwritten > 0) return std::to_string(v.unwritten) + " elements not written";
  return "same";
}

runner::runner(const selection& what, bool with_ceilings) : what_(what) {
  std::vector<peer_search> searches;
  for (const backend where : backends_of(what)) searches.push_back(find_peers(where, what.peers, what.peer_files));
  require_found(what.peers, searches);
  auto search = searches.begin();
  for (const backend where : backends_of(what)) {
    if (what.random > 0 && what.peers.empty())  // what is Abax' own, or computes nothing, is no measure of a shape
      std::erase_if(search->found, [](const peer& p) { return !p.same_result || p.name == "twin"; });
    searches_[where] = std::move(*search++);
  }
  if (with_ceilings) measure_ceilings();
}

void runner::measure_ceilings() {
  const double seconds = std::min(0.5, 5 * what_.seconds) / what_.passes;
  for (const backend where : backends_of(what_)) {
    const ceilings found = perf::measure_ceilings(where, seconds);
    const auto [known, is_new] = ceilings_.try_emplace(where, found);
    if (!is_new) known->second = best_of(known->second, found);
  }
}

void runner::watch_sensors() {
  for (const backend where : backends_of(what_)) recorders_.try_emplace(where, sensor_of(where));
}

double runner::estimate(const job& j, bool first) const {
  const ceilings& c = ceilings_.at(j.where);
  const double call = 2 * j.what->amount(j.shape) / c.of(j.what->bound, j.what->part);  // half of what it may
  const double variants = 1 + static_cast<double>(peers(j.where).size());
  const double moved = 4 * j.what->bytes(j.shape) * j.sets();
  constexpr double turn = 0.01;  // until threads sleep, and to wake others
  const double waits = std::ranges::any_of(peers(j.where), &peer::takes_turns) ? 2 * variants * fewest() * turn : 0;
  return moved / c.copy + (first ? 0.2 : 0.02) + waits +
         variants * std::max(what_.seconds / what_.passes, (2 + fewest()) * call);
}

void runner::measure_pass(measured& m, const std::function<void()>& together) {
  const job& j = m.what;
  const bool first = m.passes() == 0;
  const std::unique_ptr<workload> work = j.what->prepare(j.where, j.shape, j.sets(), peers(j.where));
  const verdict v = work->check(first);
  if (first) m.found = begun(j, v, *work);
  std::string& bits = m.found.bits;
  const auto [known, is_new] = checksums_.try_emplace({j.what, j.shape}, v.checksum);
  if (bits == "same" && known->second != v.checksum) bits = "not those of another backend or pass";
  together();
  const int variants = static_cast<int>(m.found.variants.size());
  const double shortest = j.where == backend::host ? host_sample
                          : what_.random > 0       ? random_device_sample
                                                   : device_sample;
  sample_watch watch(*work);
  const std::vector<timing> times = measure(
      variants, [&](int variant) { work->run(variant); }, [&] { work->fence(); },
      {what_.seconds * variants / what_.passes,
       std::max(shortest, what_.seconds / 200),  // so that a result file keeps a few hundred samples at most
       fewest()},
      watch);
  if (first && what_.random > 0) {
    watch.turn();
    measure_rows(m, *work);
  }
  if (bits == "same" && (!v.right() || !work->unchanged(v.checksum))) bits = "changed from run to run";
  m.found.passes.push_back(static_cast<int>(times[0].samples.size()));
  for (std::size_t i = 0; i < times.size(); ++i) m.found.variants[i].calls_per_sample = times[i].calls;
  keep_samples(m, watch.all, recorders_.at(j.where));
}

void runner::measure_rows(measured& m, workload& work) const {
  const std::vector<workload::catalogue_row> rows = work.rows();
  if (rows.empty()) return;
  const int count = static_cast<int>(rows.size());
  const double shortest = m.what.where == backend::host ? host_sample : random_row_sample;
  const std::vector<timing> times = measure(
      count, [&](int row) { work.run_row(row); }, [&] { work.fence(); },
      {what_.seconds * count / what_.passes, shortest, 3});
  for (int row = 0; row < count; ++row) m.found.rows.push_back({rows[row].name, rows[row].chosen, times[row].median});
}

const case_result& runner::result(measured& m) const {
  if (m.concluded != m.passes()) {
    m.concluded = m.passes();
    conclude(m.found, what_.precision);
    for (std::size_t s = 0; s < m.sensed.size(); ++s)
      if (const std::vector<double>& all = m.sensed[s]; !all.empty())
        m.found.sensors[sensor_names[s]] = {std::ranges::min(all), median_of(all), std::ranges::max(all)};
  }
  m.found.roof_rate = ceilings_.at(m.what.where).of(m.what.what->bound, m.what.what->part);
  return m.found;
}

void conclude(case_result& r, double precision) {
  r.converged = true;
  for (variant_result& v : r.variants) {
    const timing times = summary(v.calls_per_sample, v.samples);
    const interval of_median = median_interval(v.samples, r.passes);
    v.median = times.median;
    v.minimum = times.best;
    v.deviation = times.deviation;
    v.median_low = of_median.low;
    v.median_high = of_median.high;
    r.converged = r.converged && known(v.median, of_median, precision);
    if (!v.device_samples.empty()) v.device_median = median_of(v.device_samples);
    if (&v == &r.variants[0]) continue;
    const interval of_ratio = ratio_interval(v.samples, r.variants[0].samples, r.passes);
    v.ratio = v.median / r.variants[0].median;
    v.ratio_low = of_ratio.low;
    v.ratio_high = of_ratio.high;
  }
}

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "machine.hpp"

namespace abax::perf {

struct taken_sample {
  int variant;
  sample_clock::time_point begin, end;
  double device;  // seconds for one call; NaN where there is no such clock
};

namespace {

/// Keeps when each sample was taken, and how long the GPU itself was busy with it.
class sample_watch {
 public:
  explicit sample_watch(workload& work) : work_(work) {}
  void begin() { work_.begin_events(); }
  void queued() { work_.end_events(); }
  void taken(int variant, int calls, sample_clock::time_point begin, sample_clock::time_point end) {
    all_.push_back({variant, begin, end, work_.seconds_between_events() / calls});
  }
  const std::vector<taken_sample>& all() const { return all_; }

 private:
  workload& work_;
  std::vector<taken_sample> all_;
};

std::unique_ptr<sensor> sensor_of(backend where) {
  if (const sensor_maker& replaced = replaced_sensor(where)) return replaced();
  if (where == backend::host) return cpu_sensor(thread_cpus());
  return gpu_sensor(gpu_pci(used_gpu()));
}

}  // namespace

std::string bits_text(const verdict& v) {
  if (v.wrong > 0) return std::to_string(v.wrong) + " of " + std::to_string(v.samples) + " wrong";
  if (v.unwritten > 0) return std::to_string(v.unwritten) + " elements not written";
  return "same";
}

runner::runner(const selection& what, bool with_ceilings) : what_(what) {
  std::vector<peer_search> searches;
  for (const backend where : backends_of(what)) {
    searches.push_back(find_peers(where, what.peers, what.peer_files));
    searched_[where] = text(searches.back());
  }
  require_found(what.peers, searches);
  auto search = searches.begin();
  for (const backend where : backends_of(what)) peers_[where] = std::move((search++)->found);
  if (with_ceilings) measure_ceilings();
}

void runner::measure_ceilings() {
  constexpr double seconds = 0.5;
  for (const backend where : backends_of(what_)) {
    const ceilings found = perf::measure_ceilings(where, seconds / what_.passes);
    const auto before = ceilings_.find(where);
    ceilings_[where] = before == ceilings_.end() ? found : best_of(before->second, found);
  }
}

void runner::watch_sensors() {
  for (const backend where : backends_of(what_)) recorders_[where] = std::make_unique<recorder>(sensor_of(where));
}

double runner::estimate(const job& j, bool first) const {
  const bool arithmetic = j.what->bound == roof::fma;
  const double amount = arithmetic ? j.what->flops(j.shape) : j.what->bytes(j.shape);
  const double call = 2 * amount / ceilings_.at(j.where).of(j.what->bound, j.what->element);  // half of what it may
  const double variants = 1 + static_cast<double>(peers_.at(j.where).size());
  const double moved = 4 * j.what->bytes(j.shape) * j.sets();
  return moved / ceilings_.at(j.where).copy + (first ? 0.2 : 0.02) +
         variants * std::max(what_.seconds / what_.passes, (2 + fewest()) * call);
}

void runner::measure_pass(measured& m, const std::function<void()>& together) {
  const job& j = m.what;
  const bool first = m.passes() == 0;
  const std::unique_ptr<workload> work = j.what->prepare(j.where, j.shape, j.sets(), peers_.at(j.where));
  const verdict v = work->check(first);
  if (first) begin(m, v, *work);
  const auto [known, is_new] = checksums_.try_emplace({j.what, j.shape}, v.checksum);
  if (m.head.bits == "same" && known->second != v.checksum) m.head.bits = "not those of another backend or pass";
  together();
  const int variants = static_cast<int>(m.variants.size());
  const double shortest = j.where == backend::host ? host_sample : device_sample;
  sample_watch watch(*work);
  const std::vector<timing> times = measure(
      variants, [&](int variant) { work->run(variant); }, [&] { work->fence(); },
      {what_.seconds * variants / what_.passes,
       std::max(shortest, what_.seconds / 200),  // so that a result file keeps a few hundred samples at most
       fewest()},
      watch);
  if (m.head.bits == "same" && (!v.right() || !work->unchanged(v.checksum))) m.head.bits = "changed from run to run";
  m.head.passes.push_back(static_cast<int>(times[0].samples.size()));
  for (int i = 0; i < variants; ++i) m.variants[i].calls_per_sample = times[i].calls;
  keep_samples(m, watch.all());
}

const case_result& runner::result(measured& m) const {
  if (!m.concluded || m.concluded->passes != m.head.passes) {
    m.concluded = m.head;
    m.concluded->variants = m.variants;
    conclude(*m.concluded, what_.precision);
    for (std::size_t s = 0; s < m.sensed.size(); ++s)
      if (const sensor_values& all = m.sensed[s]; !all.empty())
        m.concluded->sensors[sensor_names[s]] = {all.low(), all.median(), all.high()};
  }
  m.concluded->roof_rate = ceilings_.at(m.what.where).of(m.what.what->bound, m.what.what->element);
  return *m.concluded;
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

void runner::begin(measured& m, const verdict& v, const workload& work) {
  const job& j = m.what;
  m.head = {};  // of a first pass that failed
  m.variants.clear();
  case_result& r = m.head;
  r.kernel = j.what->name;
  r.type = j.what->type;
  r.shape = j.what->written->text(j.shape);
  r.backend = backend_name(j.where);
  r.m = j.shape.m;
  r.n = j.shape.n;
  r.k = j.shape.k;
  r.operand_sets = j.sets();
  r.compared = v.samples;
  r.bits = bits_text(v);
  const bool arithmetic = j.what->bound == roof::fma;
  r.amount = arithmetic ? j.what->flops(j.shape) : j.what->bytes(j.shape);
  r.unit = arithmetic ? "FLOP" : "B";
  r.roof = roof_names[static_cast<int>(j.what->bound)];
  m.variants.resize(1 + work.peers().size());
  m.variants[0].name = "abax";
  for (std::size_t p = 0; p < work.peers().size(); ++p) m.variants[p + 1].name = work.peers()[p]->name;
}

void runner::keep_samples(measured& m, const std::vector<taken_sample>& taken) const {
  const auto recorded = recorders_.find(m.what.where);
  const auto read = [&](sample_clock::time_point begin, sample_clock::time_point end) {
    return recorded == recorders_.end() ? std::vector<reading>() : recorded->second->between(begin, end);
  };
  for (const reading& r : read(taken.front().begin, taken.back().end))
    for (std::size_t s = 0; s < r.values.size(); ++s)
      if (std::isfinite(r.values[s])) m.sensed[s].add(r.values[s]);
  for (const taken_sample& t : taken) {
    variant_result& v = m.variants[t.variant];
    const double seconds = std::chrono::duration<double>(t.end - t.begin).count();
    std::set<std::string> reasons;
    for (const reading& r : read(t.begin, t.end)) reasons.insert(r.throttled_by.begin(), r.throttled_by.end());
    if (!reasons.empty()) v.throttled.push_back(static_cast<int>(v.samples.size()));
    for (const std::string& reason : reasons)
      if (std::find(m.head.throttled_by.begin(), m.head.throttled_by.end(), reason) == m.head.throttled_by.end())
        m.head.throttled_by.push_back(reason);
    v.samples.push_back(seconds / v.calls_per_sample);
    if (std::isfinite(t.device)) v.device_samples.push_back(t.device);
  }
}

}  // namespace abax::perf

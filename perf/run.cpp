// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "arguments.hpp"
#include "ceilings.hpp"
#include "hindrance.hpp"
#include "interruption.hpp"
#include "kernels.hpp"
#include "machine.hpp"
#include "ranks.hpp"
#include "results.hpp"
#include "sensors.hpp"
#include "table.hpp"
#include "timing.hpp"

namespace abax::perf {
namespace {

struct job {
  const kernel* what;
  extents shape;
  backend where;
  bool warm;

  /// Arithmetic on a CPU is timed with its operands where the call before left them, as a code that works on blocks
  /// finds them. Everything else finds none of its operands in a cache.
  int sets() const {
    if (warm || (what->bound == roof::fma && where == backend::host)) return 1;
    return sets_past_cache(where, what->bytes(shape));
  }
};

std::string text(const job& j) {
  return std::string(j.what->name) + " " + j.what->type + " " + j.what->written->text(j.shape) + " " +
         backend_name(j.where);
}

template <class T>
bool chosen(const std::vector<T>& list, const T& x) {
  return list.empty() || std::find(list.begin(), list.end(), x) != list.end();
}

bool chosen_kernel(const std::vector<std::string>& names, std::string_view name) {
  if (names.empty()) return true;
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& n) { return name == n || name.starts_with(n + " "); });
}

std::vector<extents> shapes_of(const kernel& k, backend where, const selection& what) {
  std::vector<extents> shapes;
  for (const index_t n : what.sizes) shapes.push_back(k.written->shape({n, n, n}));
  for (const std::vector<index_t>& s : what.shapes) {
    std::array<index_t, 3> numbers{1, 1, 1};
    if (static_cast<int>(s.size()) != k.written->count) continue;
    std::copy(s.begin(), s.end(), numbers.begin());
    shapes.push_back(k.written->shape(numbers));
  }
  if (what.sizes.empty() && what.shapes.empty()) {
    const auto all = k.shapes(where);
    shapes.assign(all.begin(), all.end());
  }
  return shapes;
}

std::vector<backend> backends_of(const selection& what) {
  std::vector<backend> found;
  if (chosen(what.backends, std::string("host"))) found.push_back(backend::host);
  if (has_device() && chosen(what.backends, std::string("device"))) found.push_back(backend::device);
  if (found.empty()) throw std::runtime_error("this build has no GPU backend: expected --backend host");
  return found;
}

void require_known(const std::vector<std::string>& names) {
  std::vector<std::string> known{"pgemm"};
  for (const kernel& k : kernels())
    for (const std::string& name : {std::string(k.name), std::string(k.name).substr(0, std::string(k.name).find(' '))})
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  for (const std::string& name : names)
    if (!chosen(known, name))
      throw std::runtime_error("--kernel \"" + name + "\" is unknown" + suggestion(name, known) +
                               " (`abax-perf list` shows all)");
}

/// Too long for a quick run. Fixed amounts, so that two runs have the same cases.
bool is_long(const job& j) {
  const bool host = j.where == backend::host;
  return j.what->flops(j.shape) > (host ? 2e10 : 2e12) || j.what->bytes(j.shape) > (host ? 1e9 : 1e10);
}

std::vector<job> jobs_of(const selection& what) {
  require_known(what.kernels);
  std::vector<job> jobs;
  for (const backend where : backends_of(what))
    for (const kernel& k : kernels()) {
      if (!chosen_kernel(what.kernels, k.name) || !chosen(what.types, std::string(k.type))) continue;
      std::set<extents> chosen_twice;
      for (const extents& e : shapes_of(k, where, what))
        if (chosen_twice.insert(e).second) jobs.push_back({&k, e, where, what.warm});
    }
  if (what.quick) std::erase_if(jobs, is_long);
  if (jobs.empty() && !asks_pgemm(what))
    throw std::runtime_error("nothing is chosen: `abax-perf list` shows what there is");
  return jobs;
}

std::string bits_text(const verdict& v) {
  if (v.wrong > 0) return std::to_string(v.wrong) + " of " + std::to_string(v.samples) + " wrong";
  if (v.unwritten > 0) return std::to_string(v.unwritten) + " elements not written";
  return "same";
}

/// Nothing is measured where a later case is going to fail.
void require_memory(const std::vector<job>& jobs) {
  constexpr double giga = 1e9;
  for (const job& j : jobs) {
    const double results = 1.0 * j.shape.m * j.shape.n * j.what->element;  // the peers' own
    const int of_all = j.where == backend::host ? neighbours() : 1;        // ranks share a node's memory
    const double needed = (j.what->bytes(j.shape) + results) * j.sets() * of_all, there = free_memory(j.where);
    if (there > 0 && needed > 0.95 * there)
      throw std::runtime_error(text(j) + " needs " + number(needed / giga, 1, "GB") + ", and there are " +
                               number(there / giga, 1, "GB") + ": choose smaller sizes");
  }
}

/// Peers run when a workload is prepared, Abax when it is checked.
bool run_once(const std::vector<job>& jobs, const selection& what) {
  std::map<backend, std::vector<peer>> peers;
  for (const backend where : backends_of(what)) peers[where] = find_peers(where, what.peers, what.peer_files);
  bool same = true;
  for (const job& j : jobs) {
    const verdict v = j.what->prepare(j.where, j.shape, 1, peers.at(j.where))->check();
    std::printf("%-13s %-3s  %-20s %-6s  %s\n", j.what->name, j.what->type, j.what->written->text(j.shape).c_str(),
                backend_name(j.where).c_str(), bits_text(v).c_str());
    same = same && v.right();
  }
  return same;
}

constexpr const char* roof_names[] = {"copy", "read", "fma"};

/// What is known of a case so far.
struct measured {
  struct variant {
    std::string name;
    int calls = 0;
    std::vector<double> samples, device_samples;
    std::vector<int> throttled;
  };

  job what;
  case_result head{};  // all but the variants
  std::uint64_t checksum = 0;
  std::vector<variant> variants;
  std::array<std::vector<double>, sensor_names.size()> sensed;
  double timed = 0;  // seconds
  bool printed = false;
  std::optional<case_result> concluded;  // from as many passes as it has

  int passes() const { return static_cast<int>(head.passes.size()); }
};

/// Keeps when each sample was taken, and how long the GPU itself was busy with it.
class sample_watch {
 public:
  struct taken_sample {
    int variant;
    sample_clock::time_point begin, end;
    double device;  // seconds for one call; NaN where there is no such clock
  };

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

class runner {
 public:
  explicit runner(const selection& what) : what_(what) {
    for (const backend where : backends_of(what)) peers_[where] = find_peers(where, what.peers, what.peer_files);
    measure_ceilings();
  }

  /// Again in each pass: the machine changes while a run goes on.
  void measure_ceilings() {
    constexpr double seconds = 0.5;
    for (const backend where : backends_of(what_)) {
      const ceilings found = perf::measure_ceilings(where, seconds / what_.passes);
      const auto before = ceilings_.find(where);
      ceilings_[where] = before == ceilings_.end() ? found : best_of(before->second, found);
    }
  }
  void watch_sensors() {
    for (const backend where : backends_of(what_)) recorders_[where] = std::make_unique<recorder>(sensor_of(where));
  }

  const ceilings& ceiling(backend where) const { return ceilings_.at(where); }
  const std::vector<peer>& peers(backend where) const { return peers_.at(where); }

  /// Of one pass: operands filled, and each variant timed. The first has elements recomputed, too.
  double estimate(const job& j, bool first) const {
    const bool arithmetic = j.what->bound == roof::fma;
    const double amount = arithmetic ? j.what->flops(j.shape) : j.what->bytes(j.shape);
    const double call = 2 * amount / ceilings_.at(j.where).of(j.what->bound, j.what->element);  // half of what it may
    const double variants = 1 + static_cast<double>(peers_.at(j.where).size());
    const double moved = 4 * j.what->bytes(j.shape) * j.sets();
    return moved / ceilings_.at(j.where).copy + (first ? 0.2 : 0.02) +
           variants * std::max(what_.seconds / what_.passes, (2 + fewest()) * call);
  }

  /// One pass over one case.
  void measure_pass(measured& m) const {
    const job& j = m.what;
    const bool first = m.passes() == 0;
    const std::unique_ptr<workload> work = j.what->prepare(j.where, j.shape, j.sets(), peers_.at(j.where));
    hindrance hindered(text(j));
    const verdict v = hindered.on(work->check(first));
    if (what_.ranks != nullptr) what_.ranks->together();
    if (first) begin(m, v, *work);
    const int variants = static_cast<int>(m.variants.size());
    const double shortest = j.where == backend::host ? host_sample : device_sample;
    sample_watch watch(*work);
    const std::vector<timing> times = measure(
        variants,
        [&](int variant) {
          for (int c = hindered.calls(variant); c > 0; --c) work->run(variant);
        },
        [&] { work->fence(); },
        {what_.seconds * variants / what_.passes,
         std::max(shortest, what_.seconds / 200),  // so that a result file keeps a few hundred samples at most
         fewest()},
        watch);
    if (m.head.bits == "same" && (!v.right() || v.checksum != m.checksum || !work->unchanged(m.checksum)))
      m.head.bits = "changed from run to run";
    m.head.passes.push_back(static_cast<int>(times[0].samples.size()));
    for (int i = 0; i < variants; ++i) m.variants[i].calls = times[i].calls;
    keep_samples(m, watch.all());
  }

  const case_result& result(measured& m) const {
    if (!m.concluded || m.concluded->passes != m.head.passes) m.concluded = conclude(m);
    m.concluded->roof_rate = ceilings_.at(m.what.where).of(m.what.what->bound, m.what.what->element);
    return *m.concluded;
  }

 private:
  case_result conclude(const measured& m) const {
    case_result r = m.head;
    r.converged = true;
    const std::vector<double>& abax = m.variants[0].samples;
    for (const measured::variant& v : m.variants) {
      const timing times = summary(v.calls, v.samples);
      const interval of_median = median_interval(v.samples, r.passes);
      r.converged = r.converged && known(times.median, of_median, what_.precision);
      r.variants.push_back({v.name, times, of_median, times.median / median_of(abax),
                            ratio_interval(v.samples, abax, r.passes), v.device_samples, v.throttled});
    }
    for (std::size_t s = 0; s < m.sensed.size(); ++s)
      if (const std::vector<double>& all = m.sensed[s]; !all.empty())
        r.sensors.push_back({sensor_names[s], *std::min_element(all.begin(), all.end()), median_of(all),
                             *std::max_element(all.begin(), all.end())});
    return r;
  }

  /// Samples of each variant in a pass: five in all at least.
  int fewest() const { return std::max(2, (4 + what_.passes) / what_.passes); }

  static void begin(measured& m, const verdict& v, const workload& work) {
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
    r.sets = j.sets();
    r.samples = v.samples;
    r.bits = bits_text(v);
    const bool arithmetic = j.what->bound == roof::fma;
    r.amount = arithmetic ? j.what->flops(j.shape) : j.what->bytes(j.shape);
    r.unit = arithmetic ? "FLOP" : "B";
    r.roof = roof_names[static_cast<int>(j.what->bound)];
    m.checksum = v.checksum;
    m.variants.push_back({"abax", 0, {}, {}, {}});
    for (const peer* p : work.peers()) m.variants.push_back({p->name, 0, {}, {}, {}});
  }

  void keep_samples(measured& m, const std::vector<sample_watch::taken_sample>& taken) const {
    const auto recorded = recorders_.find(m.what.where);
    const auto read = [&](sample_clock::time_point begin, sample_clock::time_point end) {
      return recorded == recorders_.end() ? std::vector<reading>() : recorded->second->between(begin, end);
    };
    for (const reading& r : read(taken.front().begin, taken.back().end))
      for (std::size_t s = 0; s < r.values.size(); ++s)
        if (std::isfinite(r.values[s])) m.sensed[s].push_back(r.values[s]);
    for (const sample_watch::taken_sample& t : taken) {
      measured::variant& v = m.variants[t.variant];
      const double seconds = std::chrono::duration<double>(t.end - t.begin).count();
      m.timed += seconds;
      std::set<std::string> reasons;
      for (const reading& r : read(t.begin, t.end)) reasons.insert(r.throttled_by.begin(), r.throttled_by.end());
      if (!reasons.empty()) v.throttled.push_back(static_cast<int>(v.samples.size()));
      for (const std::string& reason : reasons)
        if (std::find(m.head.throttled_by.begin(), m.head.throttled_by.end(), reason) == m.head.throttled_by.end())
          m.head.throttled_by.push_back(reason);
      v.samples.push_back(seconds / v.calls);
      if (std::isfinite(t.device)) v.device_samples.push_back(t.device);
    }
  }

  selection what_;
  std::map<backend, ceilings> ceilings_;
  std::map<backend, std::vector<peer>> peers_;
  std::map<backend, std::unique_ptr<recorder>> recorders_;
};

std::string ratio_text(const variant_result& v) {
  char text[64];
  std::snprintf(text, sizeof text, "%s %.2f (%.2f-%.2f)", v.name.c_str(), v.ratio, v.confidence.low, v.confidence.high);
  return text;
}

/// How many of all samples, and why.
std::string throttled_text(const case_result& c) {
  if (c.throttled_by.empty()) return "";
  std::size_t samples = 0, throttled = 0;
  for (const variant_result& v : c.variants) {
    samples += v.times.samples.size();
    throttled += v.throttled.size();
  }
  std::string text = "  throttled " + number(100.0 * throttled / samples, 0, "%") + " (";
  for (const std::string& why : c.throttled_by) text += (why == c.throttled_by[0] ? "" : ", ") + why;
  return text + ")";
}

void print(const case_result& c) {
  const double rate = c.amount / c.variants[0].times.median;
  std::printf("%-13s %-3s  %-20s %-6s  %10s  %14s  %-12s  %s", c.kernel.c_str(), c.type.c_str(), c.shape.c_str(),
              c.backend.c_str(), time_text(c.variants[0].times.median).c_str(),
              rate_text(rate, c.unit == "FLOP" ? "GFLOP/s" : "GB/s   ").c_str(),
              number(100 * rate / c.roof_rate, 0, ("% of " + c.roof).c_str()).c_str(), c.bits.c_str());
  for (std::size_t v = 1; v < c.variants.size(); ++v) std::printf("  %s", ratio_text(c.variants[v]).c_str());
  if (const variant_result& abax = c.variants[0]; !abax.device_samples.empty())
    std::printf("  events %s", time_text(median_of(abax.device_samples)).c_str());
  std::printf("%s%s\n", c.converged ? "" : "  not converged", throttled_text(c).c_str());
  std::fflush(stdout);
}

/// Each peer's ratios over all cases of a kernel: the geometric mean and the least.
void print_means(const std::vector<case_result>& cases) {
  struct mean {
    double logarithms = 0, least = 1e300;
    int count = 0;
  };
  std::map<std::array<std::string, 4>, mean> means;
  for (const case_result& c : cases)
    for (std::size_t v = 1; v < c.variants.size(); ++v) {
      mean& m = means[{c.backend, c.variants[v].name, c.kernel, c.type}];
      m.logarithms += std::log(c.variants[v].ratio);
      m.least = std::min(m.least, c.variants[v].ratio);
      ++m.count;
    }
  if (means.empty()) return;
  std::printf("\nAbax beside      kernel         type  cases  geometric mean  least\n");
  for (const auto& [key, m] : means)
    std::printf("%-6s %-9s %-13s  %-4s  %5d  %14.3f  %5.2f\n", key[0].c_str(), key[1].c_str(), key[2].c_str(),
                key[3].c_str(), m.count, std::exp(m.logarithms / m.count), m.least);
}

std::string now() {
  char text[32];
  const std::time_t time = std::time(nullptr);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

/// Where a run's results go as they come: so that they are there, whatever ends the run.
class keeper {
 public:
  explicit keeper(const selection& what) : json_(what.json), csv_(what.csv) {
    for (const std::string& path : {json_, csv_})
      if (!path.empty()) require_writable(path);
  }
  void keep(const run_results& results) const {
    if (!json_.empty()) write_json(results, json_);
    if (!csv_.empty()) write_csv(results, csv_);
  }
  /// Not after every case: a file of hundreds takes a while to write.
  bool due() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::seconds(5);
    return true;
  }

 private:
  std::string json_, csv_;
  std::chrono::steady_clock::time_point next_;
};

/// All cases in each pass; then those again that scatter, until they are known or patience ends. A row is printed once
/// nothing is going to be added to it.
class pass_by_pass {
 public:
  /// Called after each case.
  using observer = std::function<void()>;

  pass_by_pass(const selection& what, const std::vector<job>& jobs, runner& all, const stopwatch& watch, observer done)
      : what_(what), all_(all), watch_(watch), case_done_(std::move(done)) {
    for (const job& j : jobs) cases_.emplace_back().what = j;
  }

  void run() {
    std::vector<measured*> open;
    for (measured& m : cases_) {
      open.push_back(&m);
      ahead_ += all_.estimate(m.what, true) + (what_.passes - 1) * all_.estimate(m.what, false);
    }
    for (pass_ = 1; pass_ <= what_.passes; ++pass_) {
      if (pass_ > 1) all_.measure_ceilings();
      if (!measure(open, pass_ == what_.passes)) break;
    }
    out_of_time_ =
        std::any_of(cases_.begin(), cases_.end(), [&](const measured& m) { return m.passes() < what_.passes; });

    const int most = static_cast<int>(what_.passes * what_.patience);
    for (int goal = what_.passes; goal < most && !out_of_time_;) {
      // Asked only now and then: who asks after each pass stops where chance made the intervals narrow.
      std::erase_if(open, [&](measured* m) { return all_.result(*m).converged; });
      goal = std::min(2 * goal, most);
      ahead_ = 0;
      for (const measured* m : open) ahead_ += (goal + 1 - pass_) * all_.estimate(m->what, false);
      for (; pass_ <= goal; ++pass_)
        if (!measure(open, pass_ == goal)) return;
    }
  }

  std::vector<case_result> results() {
    std::vector<case_result> all;
    for (measured& m : cases_)
      if (m.passes() > 0) all.push_back(all_.result(m));
    return all;
  }
  /// The same, and prints the rows that are not yet.
  std::vector<case_result> finish() {
    const std::vector<case_result> all = results();
    auto r = all.begin();
    for (measured& m : cases_)
      if (m.passes() > 0) print_once(m, *r++);
    return all;
  }

  bool out_of_time() const { return out_of_time_; }
  std::string so_far() const {
    const auto begun = std::count_if(cases_.begin(), cases_.end(), [](const measured& m) { return m.passes() > 0; });
    const auto whole =
        std::count_if(cases_.begin(), cases_.end(), [&](const measured& m) { return m.passes() >= what_.passes; });
    std::string text = std::to_string(begun) + " of " + std::to_string(cases_.size()) + " cases";
    if (whole < begun)
      text +=
          ", " + std::to_string(begun - whole) + " of them in fewer than " + std::to_string(what_.passes) + " passes";
    return text;
  }

 private:
  /// One pass; false where there was time for none of them.
  bool measure(const std::vector<measured*>& open, bool last) {
    progress line(static_cast<int>(open.size()));
    bool any = false;
    for (measured* const m : open) {
      const double needed = all_.estimate(m->what, m->passes() == 0);
      const double slower = done_ > 0 ? taken_.seconds() / done_ : 1;
      const bool late = what_.time_limit > 0 && what_.time_limit - watch_.seconds() < needed;
      if (!late) {
        line.step("pass " + std::to_string(pass_) + ": " + text(m->what), slower * ahead_);
        all_.measure_pass(*m);
        line.clear();
        done_ += needed;
        any = true;
        if (last && m->passes() >= what_.passes && all_.result(*m).converged) print_once(*m, all_.result(*m));
        case_done_();
      }
      ahead_ -= needed;
    }
    return any;
  }

  static void print_once(measured& m, const case_result& r) {
    if (!m.printed) print(r);
    m.printed = true;
  }

  const selection& what_;
  runner& all_;
  const stopwatch& watch_;
  observer case_done_;
  std::vector<measured> cases_;
  int pass_ = 1;
  bool out_of_time_ = false;
  double ahead_ = 0, done_ = 0;  // seconds, as estimated
  stopwatch taken_;
};

std::string ceilings_text(const ceilings& c) {
  return "copy " + rate_text(c.copy, "GB/s") + ", read " + rate_text(c.read, "GB/s") + "; FMA " +
         rate_text(c.fma_f32, "GFLOP/s") + " in float (" + c.fma_f32_by + "), " + rate_text(c.fma_f64, "GFLOP/s") +
         " in double (" + c.fma_f64_by + ")";
}

/// A run's cases as one of several ranks: each when the gatherer says so, and what came of it goes there.
bool run_as_rank(const selection& what, const std::vector<job>& jobs) {
  worker_line& ranks = *what.ranks;
  ranks.together();
  std::vector<std::pair<std::string, std::string>> context = describe_machine();
  for (const auto& variable : describe_environment()) context.push_back(variable);
  context.emplace_back("Begun", now());
  runner all(what);
  double fma_f32 = 0, fma_f64 = 0;
  for (const backend where : backends_of(what)) {
    const ceilings& c = all.ceiling(where);
    context.emplace_back(backend_name(where), ceilings_text(c));
    if (where == backend::host) std::tie(fma_f32, fma_f64) = std::tie(c.fma_f32, c.fma_f64);
    for (const peer& p : all.peers(where)) context.emplace_back(p.name, p.version);
  }
  std::vector<measured> cases;
  std::vector<std::pair<std::string, double>> steps;
  for (const job& j : jobs) cases.emplace_back().what = j;
  for (int pass = 0; pass < what.passes; ++pass)
    for (const job& j : jobs) steps.emplace_back(text(j), all.estimate(j, pass == 0));
  ranks.present(context, fma_f32, fma_f64, free_memory(backend::host), steps);
  all.watch_sensors();
  for (int pass = 0; pass < what.passes; ++pass)
    for (measured& m : cases) {
      if (!ranks.step()) continue;
      try {
        all.measure_pass(m);
        ranks.done(all.result(m));
      } catch (const std::exception& error) {
        ranks.failed(error.what());
      }
    }
  ranks.serve(has_device());
  return true;
}

}  // namespace

bool asks_pgemm(const selection& what) { return !what.kernels.empty() && chosen(what.kernels, std::string("pgemm")); }

void list(const selection& what) {
  for (const job& j : jobs_of(what))
    std::printf("%-13s %-3s  %-20s %s\n", j.what->name, j.what->type, j.what->written->text(j.shape).c_str(),
                backend_name(j.where).c_str());
  for (const backend where : backends_of(what)) {
    std::printf("\nVariants on %s: abax", backend_name(where).c_str());
    for (const peer& p : find_peers(where, what.peers, what.peer_files)) std::printf(", %s", p.name.c_str());
    std::printf("\n");
  }
}

void dry_run(const selection& what) {
  const std::vector<job> jobs = jobs_of(what);
  require_memory(jobs);
  const keeper files(what);
  const runner all(what);
  double seconds = 0;
  for (const job& j : jobs) {
    const double whole = all.estimate(j, true) + (what.passes - 1) * all.estimate(j, false);
    seconds += whole;
    std::printf("%-13s %-3s  %-20s %-6s  %6.1f s\n", j.what->name, j.what->type, j.what->written->text(j.shape).c_str(),
                backend_name(j.where).c_str(), whole);
  }
  std::printf("\n%zu cases, about %s", jobs.size(), duration_text(seconds).c_str());
  if (what.patience > 1) std::printf(", and more where the medians scatter");
  if (what.time_limit > 0) std::printf("; %s at most", duration_text(what.time_limit).c_str());
  std::printf(".\n");
}

bool run(const selection& what) {
  const double waited_before = seconds_waited();
  const stopwatch watch;
  const std::vector<job> jobs = jobs_of(what);
  require_memory(jobs);
  if (what.once) return run_once(jobs, what);
  if (what.ranks != nullptr) return run_as_rank(what, jobs);
  keeper files(what);
  wait_for_interruption();
  std::signal(SIGPIPE, SIG_IGN);  // what is measured is kept, whoever reads on
  run_results results;
  results.status = "unfinished";
  results.context = describe_machine();
  for (const auto& variable : describe_environment()) results.context.push_back(variable);
  results.context.emplace_back("Begun", now());
  for (const auto& [name, value] : results.context) std::printf("%-10s %s\n", name.c_str(), value.c_str());
  std::fflush(stdout);

  progress beginning(1);
  beginning.step("what this machine can do at most");
  runner all(what);
  beginning.clear();
  for (const backend where : backends_of(what)) {
    for (const peer& p : all.peers(where)) {
      results.context.emplace_back(p.name, p.version);
      std::printf("%-10s %s\n", p.name.c_str(), p.version.c_str());
    }
    std::printf("%-10s %s\n", backend_name(where).c_str(), ceilings_text(all.ceiling(where)).c_str());
  }
  all.watch_sensors();
  std::printf(
      "\nkernel        type shape                backend     median            rate  of the roof   bits  "
      "peer's time / Abax' (95 %%)\n");

  pass_by_pass passes(what, jobs, all, watch, [&] {
    if (!files.due()) return;
    results.cases = passes.results();
    files.keep(results);
  });
  const auto end = [&](const std::string& status) {
    results.cases = passes.finish();
    results.status = status;
    for (const backend where : backends_of(what))
      results.context.emplace_back(backend_name(where), ceilings_text(all.ceiling(where)));
    const double taken = (seconds_waited() - waited_before) / watch.seconds();
    results.context.emplace_back("Waited",
                                 number(100 * taken, 1, "% of the time other programs had the main thread's CPU"));
    files.keep(results);
  };
  try {
    passes.run();
  } catch (const interruption&) {
    end("interrupted: " + passes.so_far());
    std::printf("\nInterrupted: %s measured.\n", passes.so_far().c_str());
    throw;
  } catch (const std::exception& error) {
    end("failed: " + passes.so_far() + ", then " + error.what());
    throw;
  }
  end(passes.out_of_time() ? "out of time: " + passes.so_far() : "complete");

  print_means(results.cases);
  const auto count = [&](const auto& which) {
    return std::count_if(results.cases.begin(), results.cases.end(), which);
  };
  std::printf("\n%zu cases, %.0f s; %s.\n", results.cases.size(), watch.seconds(),
              results.context.back().second.c_str());
  if (const auto few = count([](const case_result& c) { return !c.converged; }); few > 0)
    std::printf("%td did not converge: a median is not known to %g %% (see --seconds, --patience).\n", few,
                100 * what.precision);
  if (const auto held = count([](const case_result& c) { return !c.throttled_by.empty(); }); held > 0)
    std::printf("%td were timed while the machine held its clocks back.\n", held);
  if (passes.out_of_time())
    std::printf(
        "The time limit left %zu cases out, and %td with fewer passes than %d.\n", jobs.size() - results.cases.size(),
        count([&](const case_result& c) { return static_cast<int>(c.passes.size()) < what.passes; }), what.passes);
  const auto wrong = count([](const case_result& c) { return c.bits != "same"; });
  if (wrong > 0) std::printf("%td of them are WRONG.\n", wrong);
  return wrong == 0;
}

}  // namespace abax::perf

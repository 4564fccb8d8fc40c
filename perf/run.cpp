// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "ceilings.hpp"
#include "kernels.hpp"
#include "machine.hpp"
#include "results.hpp"
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
  for (const std::string& name : names) {
    std::string known;
    bool found = false;
    for (const kernel& k : kernels()) {
      found = found || chosen_kernel({name}, k.name);
      if (known.find(k.name) == std::string::npos) known += (known.empty() ? "" : ", ") + std::string(k.name);
    }
    if (!found) throw std::runtime_error("--kernel \"" + name + "\": expected one of " + known + ", or its first word");
  }
}

std::vector<job> jobs_of(const selection& what) {
  require_known(what.kernels);
  std::vector<job> jobs;
  for (const backend where : backends_of(what))
    for (const kernel& k : kernels()) {
      if (!chosen_kernel(what.kernels, k.name) || !chosen(what.types, std::string(k.type))) continue;
      for (const extents& e : shapes_of(k, where, what)) jobs.push_back({&k, e, where, what.warm});
    }
  if (jobs.empty()) throw std::runtime_error("nothing is chosen: `abax-perf list` shows what there is");
  return jobs;
}

std::string bits_text(const verdict& v) {
  if (v.wrong > 0) return std::to_string(v.wrong) + " of " + std::to_string(v.samples) + " wrong";
  if (v.unwritten > 0) return std::to_string(v.unwritten) + " elements not written";
  return "same";
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

class runner {
 public:
  explicit runner(const selection& what) : seconds_(what.seconds) {
    for (const backend where : backends_of(what)) peers_[where] = find_peers(where, what.peers, what.peer_files);
    for (const backend where : backends_of(what)) ceilings_[where] = measure_ceilings(where);
  }

  const ceilings& ceiling(backend where) const { return ceilings_.at(where); }
  const std::vector<peer>& peers(backend where) const { return peers_.at(where); }

  case_result run(const job& j) const {
    const std::unique_ptr<workload> work = j.what->prepare(j.where, j.shape, j.sets(), peers_.at(j.where));
    const verdict v = work->check();
    const int variants = 1 + static_cast<int>(work->peers().size());
    const double shortest = j.where == backend::host ? host_sample : device_sample;
    const std::vector<timing> times = measure(
        variants, [&](int variant) { work->run(variant); }, [&] { work->fence(); }, seconds_ * variants,
        std::max(shortest, seconds_ / 200));  // so that a result file keeps 200 samples at most

    case_result r{};
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
    if (v.right() && !work->unchanged(v.checksum)) r.bits = "changed from run to run";
    const bool arithmetic = j.what->bound == roof::fma;
    r.amount = arithmetic ? j.what->flops(j.shape) : j.what->bytes(j.shape);
    r.unit = arithmetic ? "FLOP" : "B";
    r.roof = roof_names[static_cast<int>(j.what->bound)];
    r.roof_rate = ceilings_.at(j.where).of(j.what->bound, j.what->element);
    for (int i = 0; i < variants; ++i)
      r.variants.push_back({i == 0 ? "abax" : work->peers()[i - 1]->name, times[i], times[i].median / times[0].median,
                            ratio_interval(times[i], times[0])});
    return r;
  }

 private:
  double seconds_;
  std::map<backend, ceilings> ceilings_;
  std::map<backend, std::vector<peer>> peers_;
};

std::string ratio_text(const variant_result& v) {
  char text[64];
  std::snprintf(text, sizeof text, "%s %.2f (%.2f-%.2f)", v.name.c_str(), v.ratio, v.confidence.low, v.confidence.high);
  return text;
}

void print(const case_result& c) {
  const double rate = c.amount / c.variants[0].times.median;
  std::printf("%-13s %-3s  %-20s %-6s  %10s  %14s  %-12s  %s", c.kernel.c_str(), c.type.c_str(), c.shape.c_str(),
              c.backend.c_str(), time_text(c.variants[0].times.median).c_str(),
              rate_text(rate, c.unit == "FLOP" ? "GFLOP/s" : "GB/s   ").c_str(),
              number(100 * rate / c.roof_rate, 0, ("% of " + c.roof).c_str()).c_str(), c.bits.c_str());
  for (std::size_t v = 1; v < c.variants.size(); ++v) std::printf("  %s", ratio_text(c.variants[v]).c_str());
  std::printf("\n");
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

}  // namespace

void list(const selection& what) {
  for (const job& j : jobs_of(what))
    std::printf("%-13s %-3s  %-20s %s\n", j.what->name, j.what->type, j.what->written->text(j.shape).c_str(),
                backend_name(j.where).c_str());
}

bool run(const selection& what) {
  const double waited_before = seconds_waited();
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<job> jobs = jobs_of(what);
  if (what.once) return run_once(jobs, what);
  if (!what.json.empty()) require_writable(what.json);
  run_results results;
  results.context = describe_machine();
  for (const auto& variable : describe_environment()) results.context.push_back(variable);
  results.context.emplace_back("Begun", now());
  for (const auto& [name, value] : results.context) std::printf("%-8s %s\n", name.c_str(), value.c_str());
  std::fflush(stdout);

  progress line(static_cast<int>(jobs.size()) + 1);
  line.step("what this machine can do at most");
  const runner all(what);
  line.clear();
  for (const backend where : backends_of(what)) {
    const ceilings& c = all.ceiling(where);
    const std::string text = "copy " + rate_text(c.copy, "GB/s") + ", read " + rate_text(c.read, "GB/s") + "; FMA " +
                             rate_text(c.fma_f32, "GFLOP/s") + " in float (" + c.fma_f32_by + "), " +
                             rate_text(c.fma_f64, "GFLOP/s") + " in double (" + c.fma_f64_by + ")";
    results.context.emplace_back(backend_name(where), text);
    std::printf("%-8s %s\n", backend_name(where).c_str(), text.c_str());
    for (const peer& p : all.peers(where)) {
      results.context.emplace_back(p.name, p.version);
      std::printf("%-8s %s\n", p.name.c_str(), p.version.c_str());
    }
  }
  std::printf(
      "\nkernel        type shape                backend     median            rate  of the roof   bits  "
      "peer's time / Abax' (95 %%)\n");

  int wrong = 0;
  for (const job& j : jobs) {
    line.step(std::string(j.what->name) + " " + j.what->type + " " + j.what->written->text(j.shape) + " " +
              backend_name(j.where));
    results.cases.push_back(all.run(j));
    line.clear();
    print(results.cases.back());
    wrong += results.cases.back().bits != "same";
  }
  print_means(results.cases);

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double taken = (seconds_waited() - waited_before) / seconds;
  results.context.emplace_back("Waited",
                               number(100 * taken, 1, "% of the time other programs had the main thread's CPU"));
  std::printf("\n%zu cases, %.0f s; %s.\n", jobs.size(), seconds, results.context.back().second.c_str());
  if (wrong > 0) std::printf("%d of them are WRONG.\n", wrong);
  if (!what.json.empty()) write_json(results, what.json);
  return wrong == 0;
}

}  // namespace abax::perf

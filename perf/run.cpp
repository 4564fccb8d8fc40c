// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iterator>
#include <map>
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

class runner {
 public:
  explicit runner(const selection& what)
      : seconds_(what.seconds), patience_(what.patience), precision_(what.precision), ranks_(what.ranks) {
    for (const backend where : backends_of(what)) peers_[where] = find_peers(where, what.peers, what.peer_files);
    for (const backend where : backends_of(what)) ceilings_[where] = measure_ceilings(where);
  }

  const ceilings& ceiling(backend where) const { return ceilings_.at(where); }
  const std::vector<peer>& peers(backend where) const { return peers_.at(where); }

  /// Of a whole case: operands filled, elements recomputed, and each variant timed.
  double estimate(const job& j) const {
    const bool arithmetic = j.what->bound == roof::fma;
    const double amount = arithmetic ? j.what->flops(j.shape) : j.what->bytes(j.shape);
    const double call = 2 * amount / ceilings_.at(j.where).of(j.what->bound, j.what->element);  // half of what it may
    const double variants = 1 + static_cast<double>(peers_.at(j.where).size());
    const double moved = 2 * j.what->bytes(j.shape) * j.sets();
    return moved / ceilings_.at(j.where).copy + 0.3 + variants * std::max(seconds_, 7 * call);
  }

  /// `left`: seconds that it may take to make the medians' intervals narrow.
  case_result run(const job& j, double left) const {
    const std::unique_ptr<workload> work = j.what->prepare(j.where, j.shape, j.sets(), peers_.at(j.where));
    hindrance hindered(text(j));
    const verdict v = hindered.on(work->check());
    if (ranks_ != nullptr) ranks_->together();
    const int variants = 1 + static_cast<int>(work->peers().size());
    const double shortest = j.where == backend::host ? host_sample : device_sample;
    const std::vector<timing> times = measure(
        variants,
        [&](int variant) {
          for (int c = hindered.calls(variant); c > 0; --c) work->run(variant);
        },
        [&] { work->fence(); },
        effort{seconds_ * variants,
               std::max(shortest, seconds_ / 200),  // so that a result file keeps a few hundred samples at most
               std::min(seconds_ * variants * patience_, left), precision_});

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
    const effort asked{0, 0, 0, precision_};
    r.converged = std::all_of(times.begin(), times.end(), [&](const timing& t) { return asked.reached(t.samples); });
    for (int i = 0; i < variants; ++i)
      r.variants.push_back({i == 0 ? "abax" : work->peers()[i - 1]->name, times[i], times[i].median / times[0].median,
                            ratio_interval(times[i], times[0])});
    return r;
  }

 private:
  double seconds_, patience_, precision_;
  worker_line* ranks_;
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
  std::printf("%s\n", c.converged ? "" : "  not converged");
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
  void keep_now_and_then(const run_results& results) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    keep(results);
    next_ = now + std::chrono::seconds(5);
  }

 private:
  std::string json_, csv_;
  std::chrono::steady_clock::time_point next_;
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
  if (!hindrance::asked().empty()) context.emplace_back("ABAX_PERF_TEST", hindrance::asked());
  context.emplace_back("Begun", now());
  const runner all(what);
  double fma_f32 = 0, fma_f64 = 0;
  for (const backend where : backends_of(what)) {
    const ceilings& c = all.ceiling(where);
    context.emplace_back(backend_name(where), ceilings_text(c));
    if (where == backend::host) std::tie(fma_f32, fma_f64) = std::tie(c.fma_f32, c.fma_f64);
    for (const peer& p : all.peers(where)) context.emplace_back(p.name, p.version);
  }
  std::vector<std::pair<std::string, double>> steps;
  for (const job& j : jobs) steps.emplace_back(text(j), all.estimate(j));
  ranks.present(context, fma_f32, fma_f64, steps);
  for (const job& j : jobs) {
    if (!ranks.step()) continue;
    try {
      ranks.done(all.run(j, INFINITY));
    } catch (const std::exception& error) {
      ranks.failed(error.what());
    }
  }
  ranks.serve(has_device());
  return true;
}

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

bool asks_pgemm(const selection& what) { return !what.kernels.empty() && chosen(what.kernels, std::string("pgemm")); }

void list(const selection& what) {
  for (const job& j : jobs_of(what))
    std::printf("%-13s %-3s  %-20s %s\n", j.what->name, j.what->type, j.what->written->text(j.shape).c_str(),
                backend_name(j.where).c_str());
}

void dry_run(const selection& what) {
  const std::vector<job> jobs = jobs_of(what);
  require_memory(jobs);
  const keeper files(what);
  const runner all(what);
  double seconds = 0;
  for (const job& j : jobs) {
    seconds += all.estimate(j);
    std::printf("%-13s %-3s  %-20s %-6s  %6.1f s\n", j.what->name, j.what->type, j.what->written->text(j.shape).c_str(),
                backend_name(j.where).c_str(), all.estimate(j));
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
  run_results results;
  results.status = "unfinished";
  results.context = describe_machine();
  for (const auto& variable : describe_environment()) results.context.push_back(variable);
  results.context.emplace_back("Begun", now());
  for (const auto& [name, value] : results.context) std::printf("%-8s %s\n", name.c_str(), value.c_str());
  std::fflush(stdout);

  progress line(static_cast<int>(jobs.size()) + 1);
  line.step("what this machine can do at most");
  const runner all(what);
  for (const backend where : backends_of(what)) {
    const ceilings& c = all.ceiling(where);
    const std::string text = ceilings_text(c);
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

  double ahead = 0, done = 0;  // seconds, as estimated
  for (const job& j : jobs) ahead += all.estimate(j);
  const stopwatch cases;
  const auto end = [&](const std::string& status) {
    line.clear();
    results.status = status;
    const double taken = (seconds_waited() - waited_before) / watch.seconds();
    results.context.emplace_back("Waited",
                                 number(100 * taken, 1, "% of the time other programs had the main thread's CPU"));
    files.keep(results);
  };
  const auto so_far = [&] {
    return std::to_string(results.cases.size()) + " of " + std::to_string(jobs.size()) + " cases";
  };
  std::string status = "complete";
  try {
    for (const job& j : jobs) {
      const double slower = done > 0 ? cases.seconds() / done : 1;
      const double left = what.time_limit > 0 ? what.time_limit - watch.seconds() : INFINITY;
      if (left < all.estimate(j)) {  // a shorter one may still fit
        status = "out of time";
        ahead -= all.estimate(j);
        continue;
      }
      line.step(text(j), slower * ahead);
      results.cases.push_back(all.run(j, left));
      line.clear();
      print(results.cases.back());
      done += all.estimate(j);
      ahead -= all.estimate(j);
      files.keep_now_and_then(results);
    }
  } catch (const interruption&) {
    end("interrupted: " + so_far());
    std::printf("\nInterrupted: %s measured.\n", so_far().c_str());
    throw;
  } catch (const std::exception& error) {
    end("failed: " + so_far() + ", then " + error.what());
    throw;
  }
  end(status == "complete" ? status : status + ": " + so_far());

  print_means(results.cases);
  const auto count = [&](const auto& which) {
    return std::count_if(results.cases.begin(), results.cases.end(), which);
  };
  std::printf("\n%zu cases, %.0f s; %s.\n", results.cases.size(), watch.seconds(),
              results.context.back().second.c_str());
  if (const auto few = count([](const case_result& c) { return !c.converged; }); few > 0)
    std::printf("%td did not converge: a median is not known to %g %% (see --seconds, --patience).\n", few,
                100 * what.precision);
  if (status != "complete") std::printf("The time limit left %zu cases out.\n", jobs.size() - results.cases.size());
  const auto wrong = count([](const case_result& c) { return c.bits != "same"; });
  if (wrong > 0) std::printf("%td of them are WRONG.\n", wrong);
  return wrong == 0;
}

}  // namespace abax::perf

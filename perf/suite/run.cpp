// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <functional>
#include <map>
#include <tuple>

#include "interruption.hpp"
#include "machine.hpp"
#include "plan.hpp"
#include "ranks.hpp"
#include "results.hpp"
#include "runner.hpp"
#include "table.hpp"

namespace abax::perf {
namespace {

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

/// All cases in each pass; then those again that scatter, until they are known or patience or time ends. A row is printed
/// once nothing is going to be added to it.
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

    if (!out_of_time_) go_on(open);
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
  /// One pass over all; false where there was time for none of them.
  bool measure(const std::vector<measured*>& open, bool last) {
    progress line(static_cast<int>(open.size()));
    bool any = false;
    for (measured* const m : open) {
      if (measure(*m, line)) {
        any = true;
        if (last && m->passes() >= what_.passes && all_.result(*m).converged) print_once(*m, all_.result(*m));
      }
    }
    return any;
  }

  /// One pass over one; false where there is no time for it.
  bool measure(measured& m, progress& line) {
    const double needed = all_.estimate(m.what, m.passes() == 0);
    const double slower = done_ > 0 ? taken_.seconds() / done_ : 1, left = what_.time_limit - watch_.seconds();
    const bool there_is_time = what_.time_limit <= 0 || left >= needed;
    if (there_is_time) {
      line.step("pass " + std::to_string(m.passes() + 1) + ": " + text(m.what),
                what_.time_limit > 0 ? std::min(left, slower * ahead_) : slower * ahead_);
      all_.measure_pass(m);
      line.clear();
      done_ += needed;
      case_done_();
    }
    ahead_ -= needed;
    return there_is_time;
  }

  /// The time that is left goes where it tells most: a pass more makes an error smaller by the less the more passes there
  /// are, so that what is short has more of them than what is long. All lie over the whole run.
  void go_on(std::vector<measured*> open) {
    const int most = static_cast<int>(what_.passes * what_.patience);
    struct share {
      measured* what;
      double seconds;
      int goal;

      double price() const { return seconds * what->passes() * what->passes(); }
    };
    std::vector<share> shares;
    ahead_ = 0;
    int steps = 0;
    for (measured* const m : open) {
      if (all_.result(*m).converged || most <= what_.passes) continue;
      shares.push_back({m, all_.estimate(m->what, false), std::min(2 * what_.passes, most)});
      ahead_ += (most - what_.passes) * shares.back().seconds;
      steps += most - what_.passes;
    }
    progress line(steps);
    while (!shares.empty()) {
      const auto next = std::min_element(shares.begin(), shares.end(),
                                         [](const share& a, const share& b) { return a.price() < b.price(); });
      measured& m = *next->what;
      bool ends = !measure(m, line);
      // Asked only now and then: who asks after each pass stops where chance made the intervals narrow.
      if (!ends && m.passes() == next->goal) {
        next->goal = std::min(2 * next->goal, most);
        ends = m.passes() == most || all_.result(m).converged;
        if (ends) print_once(m, all_.result(m));
      }
      if (ends) shares.erase(next);
    }
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

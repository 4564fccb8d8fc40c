// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include <algorithm>
#include <csignal>
#include <functional>

#include "interruption.hpp"
#include "machine.hpp"
#include "output.hpp"
#include "plan.hpp"
#include "ranks/course.hpp"
#include "ranks/ranks.hpp"
#include "runner.hpp"
#include "table.hpp"

namespace abax::perf {
namespace {

/// Peers run when a workload is prepared, Abax when it is checked.
bool run_once(const std::vector<job>& jobs, const selection& what) {
  const runner all(what, false);
  bool same = true;
  for (const job& j : jobs) {
    const verdict v = j.what->prepare(j.where, j.shape, 1, all.peers(j.where))->check();
    std::printf("%-13s %-3s  %-20s %-6s  %s\n", j.what->name, j.what->type, j.what->written->text(j.shape).c_str(),
                backend_name(j.where).c_str(), bits_text(v).c_str());
    same = same && v.right();
  }
  return same;
}

/// All cases in each pass; then those again that scatter, until they are known or patience or time ends. A row is
/// printed once nothing is going to be added to it.
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

  /// The time that is left goes where it tells most: a pass more makes an error smaller by the less the more passes
  /// there are, so that what is short has more of them than what is long. All lie over the whole run.
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

}  // namespace

void list(const selection& what) {
  for (const job& j : jobs_of(what))
    std::printf("%-13s %-3s  %-20s %s\n", j.what->name, j.what->type, j.what->written->text(j.shape).c_str(),
                backend_name(j.where).c_str());
  const runner all(what, false);
  for (const backend where : backends_of(what))
    std::printf("\nVariants on %s: abax, %s\n", backend_name(where).c_str(), all.searched(where).c_str());
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
  wait_for_interruption();
  std::signal(SIGPIPE, SIG_IGN);  // what is measured is kept, whoever reads on
  if (!what.once && (ranks::self().size > 1 || asks_pgemm(what))) return ranks::run(what);
  const double waited_before = seconds_waited();
  const stopwatch watch;
  const std::vector<job> jobs = jobs_of(what);
  require_memory(jobs);
  if (what.once) return run_once(jobs, what);
  keeper files(what);
  run_results results;
  results.context = describe_run();
  print(results.context);

  progress beginning(1);
  beginning.step("what this machine can do at most");
  runner all(what);
  beginning.clear();
  for (const backend where : backends_of(what)) {
    for (const peer& p : all.peers(where)) {
      results.context.emplace_back(p.name, p.version);
      std::printf("%-10s %s\n", p.name.c_str(), p.version.c_str());
    }
    print({{"Peers", backend_name(where) + ": " + all.searched(where)},
           {backend_name(where), ceilings_text(all.ceiling(where))}});
  }
  all.watch_sensors();
  print_heading();

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
  if (wrong > 0)
    std::printf("%td of them are WRONG.\n", wrong);
  else
    std::printf("All have the canon's bits, on every backend.\n");
  return wrong == 0;
}

}  // namespace abax::perf

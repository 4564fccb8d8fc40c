// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "interruption.hpp"
#include "machine.hpp"
#include "output.hpp"
#include "plan.hpp"
#include "ranks/findings.hpp"
#include "ranks/links.hpp"
#include "ranks/pgemm.hpp"
#include "ranks/ranks.hpp"
#include "runner.hpp"
#include "table.hpp"
#include "timing.hpp"

namespace abax::perf {
namespace {

constexpr int cannot_run = 2;

void print_job(const job& j, const std::string& end) {
  std::printf(end.empty() ? "%-13s %-4s %-20s %s\n" : "%-13s %-4s %-20s %-6s  %s\n", j.what->name, j.what->type,
              shape_text(j.what->written, j.shape).c_str(), backend_name(j.where).c_str(), end.c_str());
}

void require_writable_files(const selection& what) {
  for (const std::string& path : {what.json, what.csv})
    if (!path.empty()) require_writable(path);
}

/// Peers run when a workload is prepared, Abax when it is checked.
bool run_once(const std::vector<job>& jobs, const selection& what) {
  const runner all(what, false);
  bool same = true;
  for (const job& j : jobs) {
    const verdict v = j.what->prepare(j.where, j.shape, 1, all.peers(j.where))->check();
    print_job(j, bits_text(v));
    same = same && v.right();
  }
  return same;
}

/// Passes over all cases, then over those again that scatter, until they are known or patience or time ends; on several
/// ranks the links between them, and products over all of them. All ranks do the same in the same order, and rank 0 has
/// the results: a part that only it does is no call of MPI's.
class course {
 public:
  explicit course(const selection& what)
      : what_(what), several_(ranks::self().size > 1 || asks_pgemm(what)), first_(ranks::self().rank == 0) {}

  bool run() {
    const double waited_before = seconds_waited();
    attempt([&] {
      const std::vector<job> jobs = jobs_of(what_);
      require_memory(jobs);
      for (const job& j : jobs) cases_.emplace_back().what = j;
      if (asks_pgemm(what_)) products_ = ranks::products_of(what_);
      if (first_) require_writable_files(what_);
    });
    if (const auto n = static_cast<double>(cases_.size()); ranks::largest(n) != -ranks::largest(-n))
      throw ranks::refused("the ranks would run different cases: expected one build on all", cannot_run);
    results_.context = describe_run();  // before peers, which set variables of the environment
    if (what_.random > 0)
      results_.context.emplace_back("Random", std::to_string(what_.random) + " of a kernel and type, seed " +
                                                  std::to_string(what_.seed) + ", up to " +
                                                  bytes_text(what_.most_bytes));
    progress beginning(1);
    if (first_) beginning.step("what this machine can do at most");
    ranks::together();
    attempt([&] { all_.emplace(what_); });  // whose ceilings all measure at once, as the cases are
    beginning.clear();
    introduce();
    all_->watch_sensors();
    std::string status = "complete";
    std::exception_ptr stopped;
    try {
      measure_cases();
      if (several_ && what_.links && ranks::self().size > 1) measure_links();
      for (const auto& order : products_) measure_product(order);
      if (!left_out_.empty()) status = "out of time: " + so_far() + left_out_;
    } catch (const interruption&) {
      stopped = std::current_exception();
      status = "interrupted: " + so_far();
      if (first_) std::printf("\nInterrupted: %s measured.\n", so_far().c_str());
    } catch (const std::exception& error) {
      stopped = std::current_exception();
      status = "failed: " + so_far() + ", then " + error.what();
    }
    if (first_) {
      for (measured& m : cases_) print_once(m);
      for (const backend where : backends_of(what_))
        results_.context.emplace_back(backend_name(where), ceilings_text(all_->ceiling(where)));
      const double taken = 100 * (seconds_waited() - waited_before) / watch_.seconds();
      results_.context.emplace_back("Waited",
                                    number(taken, 1, "% of the time other programs had the main thread's CPU"));
      results_.status = status;
      keep();
    }
    if (stopped) {
      if (first_ && several_) ranks::conclude(results_, what_.slow);
      std::rethrow_exception(stopped);
    }
    return ranks::largest(first_ && !conclude() ? 1 : 0) == 0;
  }

 private:
  /// A part that may fail or be interrupted on any rank, and then ends the run on all.
  template <class Part>
  static void attempt(const Part& part) {
    std::string problem;
    try {
      part();
    } catch (const interruption&) {
      // The signal is asked for below, on all ranks.
    } catch (const std::exception& error) {
      problem = error.what();
    }
    ranks::require_all(problem, cannot_run);
    require_all_going_on();
  }

  /// Says on what the figures depend, and who is there.
  void introduce() {
    text_lines roofs;
    for (const backend where : backends_of(what_)) {
      for (const peer& p : all_->peers(where)) results_.context.emplace_back(p.name, p.version);
      roofs.emplace_back(backend_name(where), ceilings_text(all_->ceiling(where)));
    }
    if (several_) {
      rank_place mine{
          ranks::self().rank, getpid(), ranks::self().host, ranks::self().mpi, ranges_text(allowed_cpus()), "", {}};
      mine.context = {results_.context.begin(), results_.context.end()};
      mine.context.insert(roofs.begin(), roofs.end());
      results_.places = ranks::gathered_of(mine);
      std::set<std::string> hosts;
      for (const rank_place& p : results_.places) hosts.insert(p.host);
      results_.context.emplace_back("Ranks", std::to_string(results_.places.size()) + " on " +
                                                 std::to_string(hosts.size()) +
                                                 (hosts.size() == 1 ? " host" : " hosts"));
      results_.context.emplace_back("MPI", ranks::self().mpi);
    }
    if (!first_) return;
    print(results_.context);
    for (const backend where : backends_of(what_))
      print({{"Peers", backend_name(where) + ": " + all_->searched(where)}});
    print(roofs);
    if (several_) ranks::print(results_.places);
    if (!cases_.empty() && what_.random == 0) print_heading();
  }

  /// Throws on all ranks where a signal came to one.
  static void require_all_going_on() {
    if (const auto signal = static_cast<int>(ranks::largest(came_signal())); signal != 0) throw interruption{signal};
  }

  /// Whether there is time for so many seconds more, on all ranks alike; `what` is missing if not. Throws on all where
  /// a signal came to one.
  bool goes_on(double seconds, const std::string& what) {
    require_all_going_on();
    if (what_.time_limit <= 0 || ranks::largest(watch_.seconds() + seconds) <= what_.time_limit) return true;
    if (left_out_.find(what) == std::string::npos) left_out_ += what;
    return false;
  }

  // -------------------------------------------------------------------------------------------------------------------

  void measure_cases() {
    progress line(first_ ? static_cast<int>(cases_.size()) * what_.passes : 0);
    for (int pass = 1; pass <= what_.passes; ++pass) {
      if (pass > 1) {
        ranks::together();
        attempt([&] { all_->measure_ceilings(); });
      }
      for (measured& m : cases_)
        if (measure(m, line) && pass == what_.passes && (several_ || most() == pass || all_->result(m).converged))
          print_once(m);
    }
    if (!several_ && left_out_.empty()) go_on();
  }

  /// One pass over one case; false where there is no time for it.
  bool measure(measured& m, progress& line) {
    if (!goes_on(all_->estimate(m.what, m.passes() == 0), ", without all passes")) return false;
    if (first_) line.step("pass " + std::to_string(m.passes() + 1) + ": " + text(m.what));
    ranks::answer mine;
    bool waited = false;
    const auto meet = [&] {
      waited = true;
      ranks::together();
    };
    try {
      all_->measure_pass(m, meet);
      if (several_) mine.result = {all_->result(m)};
    } catch (const interruption&) {
      mine.failed = "interrupted";
    } catch (const std::exception& error) {
      if (!several_) throw;
      mine.failed = error.what();
    }
    if (!waited) meet();
    std::vector<ranks::answer> answers;
    if (several_) answers = ranks::gathered_of(mine);
    require_all_going_on();
    line.clear();
    if (!first_) return true;
    // A later pass: with what the passes before it had found.
    if (several_) of_all_[&m] = ranks::of_all(answers, text(m.what), what_.slow, results_);
    if (std::chrono::steady_clock::now() >= next_) keep();
    return true;
  }

  int most() const { return static_cast<int>(what_.passes * what_.patience); }

  /// The time that is left goes where it tells most: a pass more makes an error smaller by the less the more passes
  /// there are, so that what is short has more of them than what is long. All lie over the whole run.
  void go_on() {
    struct share {
      measured* what;
      double seconds;
      int goal;

      double price() const { return seconds * what->passes() * what->passes(); }
    };
    std::vector<share> shares;
    for (measured& m : cases_)
      if (!all_->result(m).converged && most() > what_.passes)
        shares.push_back({&m, all_->estimate(m.what, false), std::min(2 * what_.passes, most())});
    progress line(static_cast<int>(shares.size()) * (most() - what_.passes));
    while (!shares.empty()) {
      const auto next = std::ranges::min_element(shares, {}, &share::price);
      measured& m = *next->what;
      bool ends = !measure(m, line);
      // Asked only now and then: who asks after each pass stops where chance made the intervals narrow.
      if (!ends && m.passes() == next->goal) {
        next->goal = std::min(2 * next->goal, most());
        ends = m.passes() == most() || all_->result(m).converged;
        if (ends) print_once(m);
      }
      if (ends) shares.erase(next);
    }
    left_out_.clear();  // all have the passes that were asked for
  }

  // -------------------------------------------------------------------------------------------------------------------

  void measure_links() {
    const auto time_for = [&](double seconds) { return goes_on(seconds, ", without all links"); };
    std::vector<int> every, with_gpu;
    std::set<std::string> gpus;
    for (const rank_place& p : results_.places) {
      every.push_back(p.rank);
      if (const auto gpu = p.context.find("GPU UUID"); gpu != p.context.end() && gpus.insert(gpu->second).second)
        with_gpu.push_back(p.rank);
    }
    const auto measure = [&](const std::string& by, ranks::wire* own, const std::vector<int>& members) {
      const auto found = ranks::measure_links(by, own, members, results_.places, time_for);
      if (!first_) return;
      ranks::judge(found, by, what_.slow, results_);
      keep();
    };
    measure("MPI", nullptr, every);
    if (with_gpu.size() < 2 || !time_for(15)) return;
    std::string version;
    const std::unique_ptr<ranks::wire> own = ranks::nccl_wire(with_gpu, version);
    note("NCCL", version);
    if (!version.starts_with("left out")) measure("NCCL", own.get(), with_gpu);
  }

  void note(const std::string& name, const std::string& value) {
    results_.context.emplace_back(name, value);
    if (first_) print({{name, value}});
  }

  void measure_product(const ranks::product_order& order) {
    if (product_missing_) return;
    if (std::ranges::count(backends_of(what_), backend::host) == 0) {
      product_missing_ = true;
      return note("pgemm", "left out: it is the host's product, which was not chosen (--backend host)");
    }
    const double peak = ranks::sum(all_->ceiling(backend::host).of(roof::fma, order.wide ? 8 : 4));
    const auto time_for = [&](double seconds) { return goes_on(seconds, ", without all products"); };
    // Two variants, each checked and timed once, at half of what the cores can do.
    if (!time_for(2 * 2 * 2 * order.operations() / peak)) return;
    ranks::product_answer answer = ranks::measure_product(order, time_for);
    product_missing_ = !answer.missing.empty();
    if (product_missing_) return note("pgemm", "left out: " + answer.missing);
    for (const auto& [name, value] : answer.notes) note(name, value);
    case_result& c = answer.result;
    c.roof_rate = peak;
    c.passes = {static_cast<int>(c.variants[0].samples.size())};
    if (!first_) return;
    if (c.bits != "same") ranks::fail({0, "pgemm " + c.type + " " + c.shape, c.bits}, results_);
    perf::conclude(c, what_.precision);
    print(c);
    found_products_.push_back(std::move(c));
    keep();
  }

  // -------------------------------------------------------------------------------------------------------------------

  /// What is known of a case: with all ranks' figures where there are several.
  const case_result& result(measured& m) { return several_ ? of_all_.at(&m) : all_->result(m); }
  bool is_begun(const measured& m) const { return several_ ? of_all_.count(&m) > 0 : m.passes() > 0; }

  void print_once(measured& m) {
    if (first_ && !m.printed && what_.random == 0 && is_begun(m) && !result(m).variants.empty()) print(result(m));
    m.printed = true;
  }

  /// Keeps what is there, whatever ends the run: not after every case, for a file of hundreds takes a while to write.
  void keep() {
    results_.cases.clear();
    for (measured& m : cases_)
      if (is_begun(m) && !result(m).variants.empty()) results_.cases.push_back(result(m));
    results_.cases.insert(results_.cases.end(), found_products_.begin(), found_products_.end());
    if (several_) results_.slow = ranks::slow_ranks(results_);
    if (!what_.json.empty()) write_json(results_, what_.json);
    if (!what_.csv.empty()) write_csv(results_, what_.csv);
    std::fflush(stdout);
    next_ = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  }

  int short_of_passes() const {
    return static_cast<int>(
        std::ranges::count_if(cases_, [&](const measured& m) { return m.passes() > 0 && m.passes() < what_.passes; }));
  }

  std::string so_far() const {
    const auto begun = std::ranges::count_if(cases_, [&](const measured& m) { return m.passes() > 0; });
    std::string text = std::to_string(begun + std::ssize(found_products_)) + " of " +
                       std::to_string(cases_.size() + products_.size()) + " cases";
    if (const int few = short_of_passes(); few > 0)
      text += ", " + std::to_string(few) + " of them in fewer than " + std::to_string(what_.passes) + " passes";
    return text;
  }

  /// Prints what a reader is to take home; false where bits are wrong or a rank failed.
  bool conclude() const {
    const std::vector<case_result>& all = results_.cases;
    print_means(all, what_.random > 0);
    if (what_.random > 0) print_choices(all);
    const auto count = [&](const auto& which) { return static_cast<int>(std::ranges::count_if(all, which)); };
    std::printf("\n%zu cases, %.0f s; %s.\n", all.size(), watch_.seconds(), results_.context.back().second.c_str());
    if (const int few = count([](const case_result& c) { return !c.converged; }); few > 0)
      std::printf("%d did not converge: a median is not known to %g %% (see --seconds, --patience).\n", few,
                  100 * what_.precision);
    if (const int held = count([](const case_result& c) { return !c.throttled_by.empty(); }); held > 0)
      std::printf("%d were timed while the machine held its clocks back.\n", held);
    if (!left_out_.empty())
      std::printf("The time limit left %zu cases out, and %d with fewer passes than %d%s.\n",
                  cases_.size() + products_.size() - all.size(), short_of_passes(), what_.passes, left_out_.c_str());
    const int wrong = count([](const case_result& c) { return c.bits != "same"; });
    if (wrong > 0)
      std::printf("%d of them are WRONG.\n", wrong);
    else
      std::printf("All have the canon's bits, on every backend.\n");
    if (several_) ranks::conclude(results_, what_.slow);
    return wrong == 0 && results_.failures.empty();
  }

  const selection& what_;
  bool several_, first_;
  std::vector<measured> cases_;
  std::map<const measured*, case_result> of_all_;  // where several ranks measure
  std::vector<ranks::product_order> products_;
  std::vector<case_result> found_products_;
  std::optional<runner> all_;
  run_results results_;
  std::chrono::steady_clock::time_point next_;  // when the files are written again
  std::string left_out_;                        // what there was no time for
  bool product_missing_ = false;
  stopwatch watch_;
};

}  // namespace

void list(const selection& what) {
  for (const job& j : jobs_of(what)) print_job(j, "");
  const runner all(what, false);
  for (const backend where : backends_of(what))
    std::printf("\nVariants on %s: abax, %s\n", backend_name(where).c_str(), all.searched(where).c_str());
}

void dry_run(const selection& what) {
  const std::vector<job> jobs = jobs_of(what);
  require_memory(jobs);
  require_writable_files(what);
  const runner all(what);
  double seconds = 0;
  for (const job& j : jobs) {
    seconds += all.estimate(j);
    print_job(j, number(all.estimate(j), 1, "s"));
  }
  std::printf("\n%zu cases, about %s", jobs.size(), duration_text(seconds).c_str());
  if (what.patience > 1) std::printf(", and more where the medians scatter");
  if (what.time_limit > 0) std::printf("; %s at most", duration_text(what.time_limit).c_str());
  std::printf(".\n");
}

bool run(const selection& what) {
  wait_for_interruption();
  std::signal(SIGPIPE, SIG_IGN);  // what is measured is kept, whoever reads on
  if (!what.once) return course(what).run();
  const std::vector<job> jobs = jobs_of(what);
  require_memory(jobs);
  return run_once(jobs, what);
}

}  // namespace abax::perf

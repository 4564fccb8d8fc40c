// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>
#include <stdexcept>
#include <tuple>

#include "../interruption.hpp"
#include "../output.hpp"
#include "../plan.hpp"
#include "../random.hpp"
#include "../ranks/findings.hpp"
#include "../ranks/ranks.hpp"
#include "../runner.hpp"
#include "../table.hpp"
#include "../timing.hpp"
#include "golden.hpp"
#include "repeated.hpp"

namespace abax::perf::verify {
namespace {

constexpr int cannot_run = 2;
constexpr std::size_t most_listed = 100;
constexpr double between_files = 20;                // seconds
constexpr auto patience = std::chrono::seconds(5);  // with a sensor that is not read while a short call runs

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

bool chosen(const std::vector<std::string>& names, const std::string& kernel) {
  return names.empty() || std::ranges::any_of(names, [&](const std::string& n) { return first_word(n) == kernel; });
}

class verification {
 public:
  verification(const selection& what, double minutes)
      : what_(what), minutes_(minutes), backends_(backends_of(what)), first_(ranks::self().rank == 0) {}

  bool run() {
    std::vector<golden::call> calls;
    attempt([&] {
      calls = table_calls();
      if (minutes_ > 0) draw(drawn_from(), 0);  // throws where nothing is chosen
      if (first_ && !what_.json.empty()) require_writable(what_.json);
      for (const backend where : backends_) recorders_.try_emplace(where, sensor_of(where));
    });
    all_.minutes = minutes_;
    all_.seed = what_.seed;
    all_.context = describe_run();
    mine_.place = {
        ranks::self().rank, getpid(), ranks::self().host, ranks::self().mpi, ranges_text(allowed_cpus()), "", {}};
    mine_.place.context = {all_.context.begin(), all_.context.end()};
    if (first_) print(all_.context);
    std::exception_ptr stopped;
    try {
      run_table(calls);
      if (minutes_ > 0) run_drawn();
      all_.status = "complete";
    } catch (const interruption&) {
      stopped = std::current_exception();
      all_.status = "interrupted";
    } catch (const std::exception& error) {
      stopped = std::current_exception();
      all_.status = std::string("failed: ") + error.what();
    }
    keep();
    if (first_) conclude();
    if (stopped) std::rethrow_exception(stopped);
    return ranks::largest(first_ && all_.differences() > 0 ? 1 : 0) == 0;
  }

 private:
  /// A part that may fail or be interrupted on any rank, and then ends the run on all.
  template <class Part>
  static void attempt(const Part& part) {
    std::string problem;
    try {
      part();
    } catch (const std::exception& error) {
      problem = error.what();
      if (ranks::self().size > 1)
        problem = "rank " + std::to_string(ranks::self().rank) + " on " + ranks::self().host + ": " + problem;
    }
    ranks::require_all(problem, cannot_run);
    if (const auto signal = static_cast<int>(ranks::largest(came_signal())); signal != 0) throw interruption{signal};
  }

  /// Notes a difference, with what the sensor said last.
  void note(backend where, sample_clock::time_point since, difference d) {
    d.when = utc_now();
    if (mine_.differences.size() >= most_listed) {
      ++mine_.unlisted;
      return;
    }
    const bool of_this_rank = d.rank == ranks::self().rank;
    if (where == backend::device && of_this_rank)
      if (const auto gpu = mine_.place.context.find("GPU UUID"); gpu != mine_.place.context.end()) d.gpu = gpu->second;
    if (of_this_rank) {
      d.host = mine_.place.host;
      for (const reading& r : recorders_.at(where).between(since - patience, sample_clock::now())) {
        d.clock_MHz = r.values[0];
        d.temperature_C = r.values[2];
      }
    }
    mine_.differences.push_back(d);
  }

  /// Those of the golden table that are chosen.
  std::vector<golden::call> table_calls() const {
    std::vector<golden::call> calls = golden::own_calls();
    std::erase_if(calls, [&](const golden::call& c) {
      return !chosen(what_.kernels, c.kernel) || (!what_.types.empty() && std::ranges::count(what_.types, c.type) == 0);
    });
    if (calls.empty() && minutes_ == 0) throw std::runtime_error("the golden table has no such kernel");
    return calls;
  }

  void run_table(const std::vector<golden::call>& calls) {
    std::vector<golden::tally> tallies;
    const auto begin = sample_clock::now();
    attempt([&] {
      tallies = golden::run_all(calls, backends_, [&](difference d) {
        d.rank = ranks::self().rank;
        const bool on_host = d.backend == backend_name(backend::host);
        note(on_host ? backend::host : backend::device, begin, d);
      });
    });
    all_.table_calls = std::ssize(calls);
    for (const golden::tally& t : tallies) all_.table_runs += t.runs;
    if (first_) print_table(tallies);
    gather();
  }

  void print_table(const std::vector<golden::tally>& tallies) const {
    std::printf("\nkernel                        calls   runs  on       golden hashes\n");
    for (const golden::tally& t : tallies)
      std::printf("%-29s %5d  %5d  %-7s  %s\n", t.kernel.c_str(), t.calls, t.runs, t.backend.c_str(),
                  t.differ == 0 ? "same" : (std::to_string(t.differ) + " DIFFER").c_str());
    std::fflush(stdout);
  }

  drawing drawn_from() const {
    return {kernels_of(what_), backends_, what_.seed, what_.most_bytes, static_cast<double>(host_threads())};
  }

  void run_drawn() {
    drawing from = drawn_from();
    from.most_threads = ranks::largest(from.most_threads);
    const stopwatch watch;
    const double seconds = 60 * minutes_, of_one = std::clamp(seconds / 40, 0.05, 5.0);
    double kept = 0;
    for (int number = 0;; ++number) {
      const double now = ranks::largest(watch.seconds());
      all_.seconds = now;
      if (now >= seconds) break;
      if (now - kept > between_files) {
        keep();
        kept = now;
      }
      run_one(draw(from, number), of_one);
    }
  }

  void run_one(const drawn_call& call, double seconds) {
    const double bytes = 4 * call.what->stored_bytes(call.shape) * ranks::self().neighbours;
    const bool fits = std::ranges::all_of(call.where, [&](backend where) { return is_free(bytes, where); });
    if (ranks::largest(fits ? 0 : 1) > 0) return;
    repeated one(call,
                 [&](backend where, sample_clock::time_point since, const difference& d) { note(where, since, d); });
    attempt([&] { one.run(seconds, [&](const work_done& w) { add(w); }); });
    try {
      one.compare();
    } catch (const std::exception& error) {  // the other ranks wait for this one's part
      std::fprintf(stderr, "abax-perf: rank %d on %s: %s\n", ranks::self().rank, ranks::self().host.c_str(),
                   error.what());
      ranks::abort(cannot_run);
    }
    ++all_.cases;
  }

  void add(const work_done& w) {
    work_done& sum = work_[{w.kernel, w.type, w.backend, w.large}];
    const work_done before = sum;
    sum = w;
    sum.cases += before.cases;
    sum.calls += before.calls;
    sum.amount += before.amount;
    sum.seconds += before.seconds;
  }

  // -------------------------------------------------------------------------------------------------------------------

  /// What all ranks have found until now; new differences are printed.
  void gather() {
    mine_.work.clear();
    for (const auto& [name, w] : work_) mine_.work.push_back(w);
    for (const auto& [where, recorded] : recorders_) {
      const std::vector<reading> readings = recorded.between(begin_, sample_clock::now());
      for (std::size_t s = 0; s < sensor_names.size(); ++s) {
        std::vector<double> values;
        for (const reading& r : readings)
          if (std::isfinite(r.values[s])) values.push_back(r.values[s]);
        if (!values.empty())
          mine_.sensors[backend_name(where)][sensor_names[s]] = {std::ranges::min(values), median_of(values),
                                                                 std::ranges::max(values)};
      }
    }
    all_.ranks = ranks::gathered_of(mine_);
    if (!first_) return;
    for (rank_report& r : all_.ranks) {
      for (difference& d : r.differences)
        if (d.host.empty()) d.host = all_.ranks[static_cast<std::size_t>(d.rank)].place.host;
      std::size_t& printed = printed_[r.place.rank];
      for (; printed < r.differences.size(); ++printed) std::printf("%s\n", text(r.differences[printed]).c_str());
    }
    std::fflush(stdout);
  }

  void keep() {
    gather();
    if (first_ && !what_.json.empty()) write_json(all_, what_.json);
  }

  void conclude() const {
    if (!work_.empty()) print_rates();
    const long long differ = all_.differences();
    std::printf("\n%lld golden calls in %lld runs", all_.table_calls, all_.table_runs);
    if (minutes_ > 0)
      std::printf("; %lld drawn calls with their repeats in %s, seed %u", all_.cases,
                  duration_text(all_.seconds).c_str(), all_.seed);
    if (all_.ranks.size() > 1) std::printf("; on each of %zu ranks", all_.ranks.size());
    if (all_.status != "complete") std::printf("; %s", all_.status.c_str());
    std::printf(".\n");
    if (differ > 0)
      std::printf("%lld comparisons DIFFER.\n", differ);
    else
      std::printf(all_.status == "complete" ? "All have the canon's bits.\n"
                                            : "All until then have the canon's bits.\n");
    for (const rank_report& r : all_.ranks)
      if (r.unlisted > 0) std::printf("%lld of rank %d's are not listed.\n", r.unlisted, r.place.rank);
  }

  /// Of the large calls: the rate of the median rank, of the slowest and of the fastest.
  void print_rates() const {
    std::map<std::tuple<std::string, std::string, std::string>, std::pair<work_done, std::vector<double>>> all;
    for (const rank_report& r : all_.ranks)
      for (const work_done& w : r.work) {
        if (!w.large) continue;
        auto& [sum, rates] = all[{w.kernel, w.type, w.backend}];
        const long long calls = sum.calls + w.calls;
        sum = w;
        sum.calls = calls;
        rates.push_back(w.rate());
      }
    std::printf("\nlarge calls              type  on      cases    calls  rate of a rank\n");
    for (const auto& [name, found] : all) {
      const auto& [w, rates] = found;
      const char* const unit = w.unit == "B" ? "GB/s" : "GFLOP/s";
      std::printf("%-24s %-4s  %-7s %5lld %8lld  %s", w.kernel.c_str(), w.type.c_str(), w.backend.c_str(), w.cases,
                  w.calls, rate_text(median_of(rates), unit).c_str());
      if (rates.size() > 1)
        std::printf(" (%s to %s)", rate_text(std::ranges::min(rates), unit).c_str(),
                    rate_text(std::ranges::max(rates), unit).c_str());
      std::printf("\n");
    }
  }

  const selection& what_;
  double minutes_;
  std::vector<backend> backends_;
  bool first_;
  std::map<backend, recorder> recorders_;
  std::map<std::tuple<std::string, std::string, std::string, bool>, work_done> work_;
  std::map<int, std::size_t> printed_;
  rank_report mine_;
  report all_;
  sample_clock::time_point begin_ = sample_clock::now();
};

}  // namespace

bool run(const selection& what, double minutes) {
  wait_for_interruption();
  std::signal(SIGPIPE, SIG_IGN);
  return verification(what, minutes).run();
}

}  // namespace abax::perf::verify

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "course.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "../interruption.hpp"
#include "../machine.hpp"
#include "../plan.hpp"
#include "../runner.hpp"
#include "../table.hpp"
#include "findings.hpp"
#include "links.hpp"
#include "pgemm.hpp"
#include "ranks.hpp"

namespace abax::perf::ranks {
namespace {

constexpr int cannot_run = 2;

/// What all ranks do, in the same order; rank 0 has the findings.
class course {
 public:
  explicit course(const selection& what) : what_(what) {}

  bool run() {
    attempt([&] {
      jobs_ = jobs_of(what_);
      require_memory(jobs_);
      if (asks_pgemm(what_)) choose_products();
    });
    if (largest(static_cast<double>(jobs_.size())) != -largest(-static_cast<double>(jobs_.size())))
      throw refused("the ranks would run different cases: expected one build on all", cannot_run);
    together();
    attempt([&] { all_ = std::make_unique<runner>(what_); });  // whose ceilings all measure at once, as the cases are
    introduce();
    all_->watch_sensors();
    std::string status = "complete";
    int signal = 0;
    try {
      cases();
      if (what_.links && self().size > 1) links();
      for (const auto& order : products_) product(order);
      if (!left_out_.empty()) status = "out of time: " + so_far() + left_out_;
    } catch (const interruption& i) {
      signal = i.signal;
      status = "interrupted: " + so_far();
    }
    bool right = true;
    if (found_) {
      found_->end(status);
      right = found_->conclude();
    }
    right = largest(right ? 0 : 1) == 0;
    if (signal != 0) throw interruption{signal};
    return right;
  }

 private:
  std::string so_far() const { return found_ ? found_->so_far() : ""; }

  /// A part that may fail on any rank, and then ends the run on all.
  template <class Part>
  static void attempt(const Part& part) {
    std::string problem;
    try {
      part();
    } catch (const std::exception& error) {
      problem = error.what();
    }
    require_all(problem, cannot_run);
  }

  /// Who is there.
  void introduce() {
    rank_place mine;
    mine.rank = self().rank;
    mine.pid = getpid();
    mine.host = self().host;
    mine.mpi = self().mpi;
    mine.cpus = ranges_text(allowed_cpus());
    text_lines context = describe_run();
    for (const backend where : backends_of(what_)) {
      context.emplace_back(backend_name(where), ceilings_text(all_->ceiling(where)));
      for (const peer& p : all_->peers(where)) context.emplace_back(p.name, p.version);
    }
    mine.context = {context.begin(), context.end()};
    std::vector<rank_place> places;
    const nlohmann::json text = mine;
    for (const std::string& one : gathered(text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)))
      places.push_back(nlohmann::json::parse(one).get<rank_place>());
    std::set<std::string> distinct;
    for (const rank_place& p : places) {
      hosts_.push_back(p.host);
      distinct.insert(p.host);
      const auto gpu = p.context.find("GPU UUID");
      gpus_.push_back(gpu == p.context.end() ? "" : gpu->second);
    }
    context.emplace_back("Ranks", std::to_string(places.size()) + " on " + std::to_string(distinct.size()) +
                                      (distinct.size() == 1 ? " host" : " hosts"));
    context.emplace_back("MPI", self().mpi);
    if (self().rank != 0) return attempt([] {});
    print(context);
    std::printf("\nrank  host                  process  CPUs allowed  runs on\n");
    std::map<std::string, int> owner;
    for (const rank_place& p : places) {
      const std::string& gpu = gpus_[static_cast<std::size_t>(p.rank)];
      std::printf("%4d  %-20s %8ld  %-12s  %s%s\n", p.rank, p.host.c_str(), p.pid, p.cpus.c_str(),
                  p.context.at("Binding").c_str(), (gpu.empty() ? "" : "; " + gpu).c_str());
      if (const auto [it, alone] = owner.emplace(gpu, p.rank); !gpu.empty() && !alone)
        std::printf("ranks %d and %d share one GPU: neither's figures are what it can do\n", it->second, p.rank);
    }
    const std::size_t cases = jobs_.size() + products_.size();
    attempt([&] { found_.emplace(what_, std::move(places), std::move(context), cases); });
  }

  /// Whether there is time for so many seconds more, on all ranks alike; `what` is missing if not. Throws on all where
  /// a signal came to one.
  bool goes_on(double seconds, const std::string& what) {
    if (const auto signal = static_cast<int>(largest(came_signal())); signal != 0) throw interruption{signal};
    if (what_.time_limit <= 0 || largest(watch_.seconds() + seconds) <= what_.time_limit) return true;
    if (left_out_.find(what) == std::string::npos) left_out_ += what;
    return false;
  }

  void cases() {
    if (found_ && !jobs_.empty()) print_heading();
    std::vector<measured> all;
    for (const job& j : jobs_) all.emplace_back().what = j;
    progress line(self().rank == 0 ? static_cast<int>(jobs_.size()) * what_.passes : 0);
    for (int pass = 0; pass < what_.passes; ++pass)
      for (measured& m : all) {
        const std::string name = text(m.what);
        if (!goes_on(all_->estimate(m.what, pass == 0), ", without all passes")) continue;
        if (self().rank == 0) line.step("pass " + std::to_string(pass + 1) + ": " + name);
        nlohmann::json mine;
        bool waited = false;
        const auto meet = [&] {
          waited = true;
          together();
        };
        try {
          all_->measure_pass(m, meet);
          mine["result"] = all_->result(m);
        } catch (const interruption&) {
          mine["failed"] = "interrupted";
        } catch (const std::exception& error) {
          mine["failed"] = error.what();
        }
        if (!waited) meet();
        const std::vector<std::string> texts =
            gathered(mine.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        goes_on(-std::numeric_limits<double>::infinity(), "");
        line.clear();
        if (!found_) continue;
        std::vector<answer> answers;
        for (const std::string& one : texts) {
          const auto said = nlohmann::json::parse(one);
          answers.emplace_back();
          if (said.contains("result")) answers.back().result = said["result"].get<case_result>();
          answers.back().failed = said.value("failed", "");
        }
        found_->take(answers, name);
      }
  }

  void links() {
    const auto time_for = [&](double seconds) { return goes_on(seconds, ", without all links"); };
    std::vector<int> every, with_gpu;
    std::set<std::string> gpus;
    for (int r = 0; r < self().size; ++r) {
      every.push_back(r);
      if (const std::string& gpu = gpus_[static_cast<std::size_t>(r)]; !gpu.empty() && gpus.insert(gpu).second)
        with_gpu.push_back(r);
    }
    const auto by_mpi = measure_links("MPI", nullptr, every, hosts_, time_for);
    if (found_) found_->take(by_mpi, "MPI");
    if (with_gpu.size() < 2 || !time_for(15)) return;
    std::string version;
    const std::unique_ptr<wire> own = nccl_wire(with_gpu, version);
    if (found_) found_->note("NCCL", version);
    if (version.starts_with("left out")) return;
    const auto by_nccl = measure_links("NCCL", own.get(), with_gpu, hosts_, time_for);
    if (found_) found_->take(by_nccl, "NCCL");
  }

  // -------------------------------------------------------------------------------------------------------------------

  /// The shapes of ScaLAPACK's product over all ranks: those that cannot be are refused before anything is measured.
  void choose_products() {
    std::set<std::array<index_t, 3>> shapes;
    for (const index_t n : what_.sizes) shapes.insert({n, n, n});
    for (const std::vector<index_t>& s : what_.shapes)
      if (s.size() == 3) shapes.insert({s[0], s[1], s[2]});
    if (shapes.empty()) {
      const auto n = static_cast<index_t>(2048 * std::ceil(std::sqrt(static_cast<double>(self().size)) / 2));
      shapes.insert({n, n, n});
    }
    for (const char* const type : {"f32", "f64"}) {
      if (!what_.types.empty() && std::find(what_.types.begin(), what_.types.end(), type) == what_.types.end())
        continue;
      for (const auto& [m, n, k] : shapes) {
        require_possible(m, n, k, std::string(type) == "f64" ? 8 : 4);
        products_.push_back(
            {std::string(type) == "f64", static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), what_.seconds});
      }
    }
  }

  static void require_possible(index_t m, index_t n, index_t k, double element) {
    const std::string text = "pgemm " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
    if (std::max({m, n, k}) > std::numeric_limits<int>::max())
      throw std::runtime_error(text + ": expected extents below 2^31");
    // What a rank holds at most.
    const int rows = grid_rows(self().size), cols = self().size / rows;
    const auto held = [](index_t extent, int over) {
      constexpr index_t block = product_block;
      return static_cast<double>(std::min(extent, ((extent + block - 1) / block + over - 1) / over * block));
    };
    const auto local = [&](index_t r, index_t c) { return held(r, rows) * held(c, cols); };
    const double needed = element * (local(m, k) + local(k, n) + local(m, n)) * self().neighbours;
    const double there = free_memory(backend::host);
    constexpr double giga = 1e9;
    if (there > 0 && needed > 0.95 * there)
      throw std::runtime_error(text + " needs " + number(needed / giga, 1, "GB") + " on " + self().host +
                               ", and there are " + number(there / giga, 1, "GB") + ": choose smaller sizes");
  }

  void product(const product_order& order) {
    if (product_missing_) return;
    const auto hosts = backends_of(what_);
    if (std::find(hosts.begin(), hosts.end(), backend::host) == hosts.end()) {
      product_missing_ = true;
      if (found_) found_->note("pgemm", "left out: it is the host's product, which was not chosen (--backend host)");
      return;
    }
    const double operations = 2.0 * order.m * order.n * order.k;
    const double peak = sum(all_->ceiling(backend::host).of(roof::fma, order.wide ? 8 : 4));
    const auto time_for = [&](double seconds) { return goes_on(seconds, ", without all products"); };
    // Two variants, each checked and timed once, at half of what the cores can do.
    if (!time_for(2 * 2 * 2 * operations / peak)) return;
    product_answer answer = measure_product(order, time_for);
    product_missing_ = !answer.missing.empty();
    if (!found_) return;
    if (product_missing_) return found_->note("pgemm", "left out: " + answer.missing);
    for (const auto& [name, value] : answer.notes) found_->note(name, value);
    case_result& c = answer.result;
    c.kernel = "pgemm";
    c.type = order.wide ? "f64" : "f32";
    c.shape = std::to_string(order.m) + " x " + std::to_string(order.n) + " x " + std::to_string(order.k);
    c.backend = "ScaLAPACK";
    c.m = order.m;
    c.n = order.n;
    c.k = order.k;
    c.amount = operations;
    c.unit = "FLOP";
    c.roof = "fma";
    c.roof_rate = peak;
    found_->take(std::move(c));
  }

  const selection& what_;
  std::vector<job> jobs_;
  std::vector<product_order> products_;
  std::unique_ptr<runner> all_;
  std::vector<std::string> hosts_, gpus_;  // of each rank
  std::optional<findings> found_;
  std::string left_out_;
  bool product_missing_ = false;
  stopwatch watch_;
};

}  // namespace

bool run(const selection& what) { return course(what).run(); }

}  // namespace abax::perf::ranks

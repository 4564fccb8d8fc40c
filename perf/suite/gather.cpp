// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gather.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "findings.hpp"
#include "interruption.hpp"
#include "mpi/pgemm.hpp"
#include "rank_lines.hpp"
#include "table.hpp"

namespace abax::perf {
namespace {

constexpr int cannot_run = 2, no_gpu = 77;
constexpr double answer_limit = 60;  // seconds: for a link
constexpr double grace = 5;          // and for those that wait for one that has failed
constexpr long long short_message = 8, long_message = findings::long_message;

/// The course of a run: who is there, the cases, the links, the products.
class gathering {
 public:
  explicit gathering(const selection& what)
      : what_(what),
        lines_([this](const member& m, const std::string& why) {
          found_.fail(m, doing_.empty() ? "start" : doing_, why);
        }),
        found_(what, lines_.ranks()) {
    lines_.listen();
  }

  int run() {
    int status = 0;
    bool lost_one = false;
    try {
      meet();
      if (asks_pgemm(what_)) choose_products();
      cases();
      if (what_.links) links();
      if (asks_pgemm(what_)) products();
      found_.end(out_of_time_ ? "out of time: " + found_.so_far() + left_out_ : "complete");
      status = found_.conclude(out_of_time_);
    } catch (const lost& l) {
      lost_one = true;
      const std::string text = l.who + ": " + l.how + (doing_.empty() ? "" : ", during " + doing_);
      found_.end("failed: " + found_.so_far() + ", then " + text);
      std::fprintf(stderr, "abax-perf: %s. The run ends; %s measured.\n", text.c_str(), found_.so_far().c_str());
      status = cannot_run;
    } catch (const interruption& i) {
      found_.end("interrupted: " + found_.so_far());
      std::fprintf(stderr, "abax-perf: interrupted; %s measured.\n", found_.so_far().c_str());
      status = 128 + i.signal;
    } catch (const std::exception& error) {
      found_.end("failed: " + found_.so_far() + ", then " + error.what());
      std::fprintf(stderr, "abax-perf: %s\n", error.what());
      status = status_ != 0 ? status_ : cannot_run;
    }
    std::fflush(stdout);
    lines_.dismiss(status, lost_one);
    return status;
  }

 private:
  void meet() {
    doing_ = "start";
    lines_.meet();
    // Ceilings are measured by all at once, as the cases are.
    const auto is_ready = [](const member& m) { return m.ready; };
    const auto has_answered = [](const member& m) { return m.answered; };
    lines_.wait(lines_.present(), is_ready);
    const members started = lines_.present();
    for (member* const m : started) m->ask();
    lines_.tell(started, "w go");
    lines_.wait(started, has_answered);
    introduce();
  }

  /// Who is there.
  void introduce() {
    const members all = lines_.present();
    if (all.empty()) {
      const auto without = [](const member& m) { return m.status == no_gpu; };
      if (std::all_of(lines_.ranks().begin(), lines_.ranks().end(), without)) status_ = no_gpu;
      throw std::runtime_error("no rank could start");
    }
    const member& first = *all.front();
    for (const member* const m : all) {
      const auto other = [](const auto& a, const auto& b) { return a.first != b.first; };
      if (m->steps.size() != first.steps.size() ||
          !std::equal(m->steps.begin(), m->steps.end(), first.steps.begin(),
                      [&](const auto& a, const auto& b) { return !other(a, b); }))
        throw std::runtime_error(m->name() + " would run other cases than " + first.name() +
                                 ": expected one build on all");
    }
    std::set<std::string> hosts;
    for (const member& m : lines_.ranks()) hosts.insert(m.place.host);
    std::vector<std::pair<std::string, std::string>> context = first.place.context;
    context.emplace_back("Ranks", std::to_string(lines_.ranks().size()) + " on " + std::to_string(hosts.size()) +
                                      (hosts.size() == 1 ? " host" : " hosts"));
    context.emplace_back("MPI", first.place.mpi);
    for (const auto& [name, value] : context) std::printf("%-8s %s\n", name.c_str(), value.c_str());
    found_.begin(std::move(context));
    std::printf("\nrank  host                  process  CPUs allowed  runs on\n");
    std::map<std::string, int> owner;
    for (const member& m : lines_.ranks()) {
      const rank_place& p = m.place;
      std::string runs = p.line("Binding");
      if (const std::string gpu = p.line("GPU UUID"); !gpu.empty()) runs += "; " + gpu;
      std::printf("%4d  %-20s %8ld  %-12s  %s\n", p.rank, p.host.c_str(), p.pid, p.cpus.c_str(), runs.c_str());
    }
    for (const member& m : lines_.ranks()) {
      const std::string gpu = m.place.line("GPU UUID");
      if (gpu.empty()) continue;
      if (const auto [it, alone] = owner.emplace(gpu, m.place.rank); !alone)
        std::printf("ranks %d and %d share one GPU: neither's figures are what it can do\n", it->second, m.place.rank);
    }
  }

  /// Whether something that takes so many seconds would end too late; `what` is left out then.
  bool too_late(double seconds, const char* what) {
    if (what_.time_limit <= 0 || watch_.seconds() + seconds <= what_.time_limit) return false;
    const std::string text = std::string(", without ") + what;
    if (left_out_.find(text) == std::string::npos) left_out_ += text;
    return out_of_time_ = true;
  }

  void cases() {
    const members all = lines_.present();
    if (all.empty()) return;
    const std::vector<std::pair<std::string, double>> steps = all.front()->steps;
    std::set<std::string> texts;
    for (const auto& step : steps) texts.insert(step.first);
    found_.expect(texts.size());
    if (!texts.empty())
      std::printf(
          "\n                                              seconds of a call, over all ranks\n"
          "kernel        type shape                backend     minimum      median     maximum   rate at the median  "
          "of "
          "the roof  bits\n");
    progress line(static_cast<int>(steps.size()));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      members now = lines_.present();
      if (now.empty()) throw std::runtime_error("no rank is left");
      double expected = 0;
      for (const member* const m : now) expected = std::max(expected, m->steps[i].second);
      if (what_.time_limit > 0 && watch_.seconds() + expected > what_.time_limit) {
        lines_.tell(now, "w skip");
        out_of_time_ = true;
        continue;
      }
      doing_ = steps[i].first;
      line.step(doing_);
      for (member* const m : now) m->ask();
      lines_.tell(now, "w step");
      lines_.wait(now, [](const member& m) { return m.ready || m.answered; });
      members ready;
      for (member* const m : now)
        if (!m->out && m->ready && !m->answered) ready.push_back(m);
      lines_.tell(ready, "w go");
      lines_.wait(now, [](const member& m) { return m.answered; });
      line.clear();
      found_.take(now, doing_);
    }
    doing_.clear();
    found_.print_rest();
  }

  // -------------------------------------------------------------------------------------------------------------------

  using pair_of_ranks = std::pair<int, int>;

  /// Which links are measured, in rounds: those of one at the same time. All links, one by one, of up to eight ranks; of
  /// more those to the ranks 1, 2, 4, ... further, of which as many at a time as there are without a rank in two.
  static std::vector<std::vector<pair_of_ranks>> rounds_of(int ranks) {
    constexpr int few = 8;
    std::vector<std::vector<pair_of_ranks>> rounds;
    if (ranks <= few) {
      for (int a = 0; a < ranks; ++a)
        for (int b = a + 1; b < ranks; ++b) rounds.push_back({{a, b}});
      return rounds;
    }
    for (int distance = 1; distance < ranks; distance *= 2) {
      std::vector<std::vector<pair_of_ranks>> here;
      std::vector<std::set<int>> busy;
      for (int a = 0; a < ranks; ++a) {
        const int b = (a + distance) % ranks;
        std::size_t r = 0;
        while (r < here.size() && (busy[r].count(a) > 0 || busy[r].count(b) > 0)) ++r;
        if (r == here.size()) {
          here.emplace_back();
          busy.emplace_back();
        }
        here[r].emplace_back(a, b);
        busy[r].insert({a, b});
      }
      rounds.insert(rounds.end(), here.begin(), here.end());
    }
    return rounds;
  }

  /// "SAME s1 s2 ...": what a rank says of a link.
  static std::vector<double> samples_of(const std::string& text, bool& intact) {
    std::istringstream words(text);
    int same = 0;
    words >> same;
    intact = intact && same == 1;
    std::vector<double> samples;
    for (double s = 0; words >> s;) samples.push_back(std::max(s, 1e-12));
    return samples;
  }

  /// Measures the links between the ranks `who`; order(bytes, from, to) is what is told them.
  void links_by(const std::string& by, const members& who,
                const std::function<std::string(long long, int, int)>& order) {
    double longest = 1.5;  // seconds of a round
    for (const auto& round : rounds_of(static_cast<int>(who.size()))) {
      if (too_late(longest, "all links")) break;
      const stopwatch taken;
      std::vector<link_result> found;
      for (const auto& [a, b] : round)
        found.push_back({by,
                         who[a]->place.rank,
                         who[b]->place.rank,
                         who[a]->place.host == who[b]->place.host,
                         true,
                         false,
                         0,
                         0,
                         {}});
      for (const long long bytes : {short_message, long_message}) {
        for (const auto& [a, b] : round) {
          doing_ = by + " between the ranks " + std::to_string(who[a]->place.rank) + " and " +
                   std::to_string(who[b]->place.rank);
          who[a]->ask();
          who[b]->ask();
          lines_.tell({who[a], who[b]}, order(bytes, a, b));
        }
        for (std::size_t l = 0; l < round.size(); ++l) {
          member& from = *who[round[l].first];
          member& to = *who[round[l].second];
          if (by == "NCCL")
            wait_for_all({&from, &to});
          else
            lines_.wait(
                {&from, &to}, [](const member& m) { return m.answered; }, asked::rank, answer_limit);
          const std::vector<double> samples = samples_of(from.text, found[l].intact);
          if (samples.empty()) throw std::runtime_error(from.name() + " said nothing of its link");
          if (bytes == short_message) {
            found[l].latency = median_of(samples);
          } else {
            found[l].samples = samples;
            found[l].rate = static_cast<double>(bytes) / median_of(samples);
          }
        }
      }
      for (link_result& l : found) found_.take(std::move(l));
      longest = std::max(longest, taken.seconds());
    }
    doing_.clear();
  }

  /// For workers that wait for one another: where one has failed, the others may never answer. Who failed first is named.
  void wait_for_all(const members& who) {
    const auto has_failed = [](const member* m) { return m->out || (m->answered && !m->why.empty()); };
    std::optional<stopwatch> failed;
    lines_.wait(
        who,
        [&](const member& m) {
          if (!failed && std::any_of(who.begin(), who.end(), has_failed)) failed.emplace();
          return m.answered || (failed && failed->seconds() > grace);
        },
        asked::worker, answer_limit);
    const member* first = nullptr;
    for (const member* const m : who)
      if (has_failed(m) && (first == nullptr || m->turn < first->turn)) first = m;
    if (first == nullptr) return;
    if (!first->out) found_.fail(*first, doing_, first->why);
    throw std::runtime_error(first->name() + ": " + (first->out ? first->place.end : first->why));
  }

  void links() {
    const members all = lines_.all();
    if (all.size() < 2) return;
    links_by("MPI", all, [&](long long bytes, int a, int b) {
      return "link " + std::to_string(all[a]->place.rank) + " " + std::to_string(all[b]->place.rank) + " " +
             std::to_string(bytes);
    });
    found_.keep();
    try {
      gpu_links();
    } catch (const std::runtime_error& error) {
      found_.note("NCCL", std::string("left out: ") + error.what());
    }
    found_.judge_links();
  }

  /// Between the workers that have a GPU each to themselves.
  void gpu_links() {
    members group;
    std::set<std::string> gpus;
    for (member* const m : lines_.present())
      if (const std::string gpu = m->place.line("GPU UUID"); !gpu.empty() && gpus.insert(gpu).second)
        group.push_back(m);
    if (group.size() < 2) return;
    doing_ = "NCCL's start";
    if (too_late(answer_limit / 4, "links by NCCL")) return;
    member& first = *group.front();
    first.ask();
    lines_.tell({&first}, "w id");
    lines_.wait(
        {&first}, [](const member& m) { return m.answered; }, asked::worker, answer_limit);
    if (first.out || !first.why.empty())  // there is no NCCL
      throw std::runtime_error(first.name() + ": " + (first.out ? first.place.end : first.why));
    const std::string id = first.text;
    for (std::size_t i = 0; i < group.size(); ++i) {
      group[i]->ask();
      lines_.tell({group[i]}, "w join " + id + " " + std::to_string(i) + " " + std::to_string(group.size()));
    }
    wait_for_all(group);
    found_.note("NCCL", first.text);
    links_by("NCCL", group, [](long long bytes, int a, int b) {
      return "w link " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(bytes);
    });
  }

  // -------------------------------------------------------------------------------------------------------------------

  /// The shapes of ScaLAPACK's product over all ranks: those that cannot be are refused before anything is measured.
  void choose_products() {
    const auto share = [](double sum, const member& m) { return sum + m.fma_f64; };
    if (std::accumulate(lines_.ranks().begin(), lines_.ranks().end(), 0.0, share) == 0) {
      found_.note("pgemm", "left out: the host was not measured, whose product it is (--backend host)");
      return;
    }
    for (const index_t n : what_.sizes) products_.push_back({n, n, n});
    for (const std::vector<index_t>& s : what_.shapes)
      if (s.size() == 3) products_.push_back({s[0], s[1], s[2]});
    if (products_.empty()) {
      const auto n = static_cast<index_t>(2048 * std::ceil(std::sqrt(static_cast<double>(lines_.ranks().size())) / 2));
      products_.push_back({n, n, n});
    }
    std::sort(products_.begin(), products_.end());
    products_.erase(std::unique(products_.begin(), products_.end()), products_.end());
    for (const auto& shape : products_) require_possible(shape);
    found_.expect(products_.size() * (what_.types.empty() ? 2 : what_.types.size()));
  }

  void require_possible(const std::array<index_t, 3>& shape) const {
    const auto& [m, n, k] = shape;
    const std::string text = "pgemm " + product_text(m, n, k);
    constexpr index_t most = std::numeric_limits<int>::max();
    if (std::max({m, n, k}) > most)
      throw std::runtime_error(text + ": expected extents of " + std::to_string(most) + " at most");
    // What a rank holds at most.
    const int ranks = static_cast<int>(lines_.ranks().size()), rows = pgemm::grid_rows(ranks);
    const auto held = [](index_t extent, int over) {
      constexpr index_t block = pgemm::block;
      return static_cast<double>(std::min(extent, ((extent + block - 1) / block + over - 1) / over * block));
    };
    const auto local = [&](index_t r, index_t c) { return held(r, rows) * held(c, ranks / rows); };
    const bool wide =
        what_.types.empty() || std::find(what_.types.begin(), what_.types.end(), "f64") != what_.types.end();
    const double share = (wide ? 8 : 4) * (local(m, k) + local(k, n) + local(m, n));
    for (const member& r : lines_.ranks()) {
      const double needed = share * static_cast<double>(std::count_if(
                                        lines_.ranks().begin(), lines_.ranks().end(),
                                        [&](const member& other) { return other.place.host == r.place.host; }));
      constexpr double giga = 1e9;
      if (r.free_memory > 0 && needed > 0.95 * r.free_memory)
        throw std::runtime_error(text + " needs " + number(needed / giga, 1, "GB") + " on " + r.place.host +
                                 ", and there are " + number(r.free_memory / giga, 1, "GB") + ": choose smaller sizes");
    }
  }

  void products() {
    const members all = lines_.all();
    for (const std::string type : {"f32", "f64"}) {
      if (!what_.types.empty() && std::find(what_.types.begin(), what_.types.end(), type) == what_.types.end())
        continue;
      for (const auto& [m, n, k] : products_) {
        double peak = 0;
        for (const member& r : lines_.ranks()) peak += type == "f32" ? r.fma_f32 : r.fma_f64;
        // Two variants, each checked and timed once, at half of what the cores can do.
        if (too_late(2 * 2 * 2 * product_operations(m, n, k) / peak, "all products")) continue;
        std::ostringstream order;
        order << "pgemm " << type << " " << m << " " << n << " " << k << " " << what_.seconds << " "
              << (what_.time_limit > 0 ? what_.time_limit - watch_.seconds() : 0);
        doing_ = order.str();
        for (member* const r : all) r->ask();
        lines_.tell(all, order.str());
        constexpr double hours = 4 * 3600;
        const auto take = [&] { return found_.take_product(all.front()->lines, type, m, n, k); };
        try {
          lines_.wait(
              all, [](const member& r) { return !r.lines.empty() && r.lines.back() == "end"; }, asked::rank, hours);
        } catch (...) {
          take();
          throw;
        }
        const bool there = take();
        found_.keep();
        if (!there) return;
      }
    }
    doing_.clear();
  }

  const selection& what_;
  rank_lines lines_;
  findings found_;
  std::string doing_;  // what the ranks are asked for at present
  std::vector<std::array<index_t, 3>> products_;
  bool out_of_time_ = false;
  std::string left_out_;  // and what else
  int status_ = 0;
  stopwatch watch_;
};

}  // namespace

int gather(const selection& what) {
  wait_for_interruption();
  std::signal(SIGPIPE, SIG_IGN);  // what is measured is kept, whoever reads on
  return gathering(what).run();
}

}  // namespace abax::perf

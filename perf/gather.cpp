// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gather.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>

#include "interruption.hpp"
#include "mpi/channel.hpp"
#include "mpi/pgemm.hpp"
#include "ranks.hpp"
#include "results.hpp"
#include "spread.hpp"
#include "table.hpp"

namespace abax::perf {
namespace {

using json = nlohmann::json;

constexpr int failed = 1, cannot_run = 2, no_gpu = 77;
constexpr double start_limit = 60;   // seconds: until all ranks have reported in
constexpr double answer_limit = 60;  // and, once half of them are through with a step, for the others
constexpr double least_link_threshold = 0.2;
constexpr long long short_message = 8, long_message = 4 << 20;

/// One rank, as it is heard of.
struct member {
  channel line;
  rank_place place{};
  bool out = false;   ///< takes part no longer
  bool gone = false;  ///< has taken its leave
  int status = 0;     ///< that its worker ended with where it refused
  double fma_f32 = 0, fma_f64 = 0;
  double free_memory = 0;  ///< bytes of its host; 0: not known
  std::vector<std::pair<std::string, double>> steps{};
  // What it has said since it was asked.
  bool ready = false, answered = false;
  std::optional<case_result> result{};
  std::string text{}, why{};
  std::vector<std::string> lines{};

  void ask() {
    ready = answered = false;
    result.reset();
    text.clear();
    why.clear();
    lines.clear();
  }
  std::string name() const {
    std::string all = "rank " + std::to_string(place.rank) + " on " + place.host;
    if (const std::string gpu = place.line("GPU UUID"); !gpu.empty()) all += " (" + gpu.substr(0, gpu.find(',')) + ")";
    return all;
  }
};

/// A rank that is no longer there: the run ends with it.
struct lost {
  std::string who, how;
};

std::string end_text(const std::string& how, int number) {
  if (how == "exit") return "its worker ended with status " + std::to_string(number);
  return "its worker was ended by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

class gathering {
 public:
  explicit gathering(const selection& what) : what_(what) {
    for (const std::string& path : {what.json, what.csv})
      if (!path.empty()) require_writable(path);
    listen();
    results_.status = "unfinished";
  }

  int run() {
    int status = 0;
    try {
      meet();
      if (asks_pgemm(what_)) choose_products();
      cases();
      if (what_.links) links();
      if (asks_pgemm(what_)) products();
      end(out_of_time_ ? "out of time: " + so_far() : "complete");
      status = conclude();
    } catch (const lost& l) {
      lost_ = true;
      const std::string text = l.who + ": " + l.how + (doing_.empty() ? "" : ", during " + doing_);
      end("failed: " + so_far() + ", then " + text);
      std::fprintf(stderr, "abax-perf: %s. The run ends; %s measured.\n", text.c_str(), so_far().c_str());
      status = cannot_run;
    } catch (const interruption& i) {
      end("interrupted: " + so_far());
      std::fprintf(stderr, "abax-perf: interrupted; %s measured.\n", so_far().c_str());
      status = 128 + i.signal;
    } catch (const std::exception& error) {
      end("failed: " + so_far() + ", then " + error.what());
      std::fprintf(stderr, "abax-perf: %s\n", error.what());
      status = status_ != 0 ? status_ : cannot_run;
    }
    std::fflush(stdout);
    dismiss(status);
    return status;
  }

 private:
  // -------------------------------------------------------------------------------------------------------------------
  // Lines. All are waited for in one epoll, which tells of them in the order in which they came: so the rank that is
  // heard to end first is the one that ended first, and not one of those that the launcher then ended, too.

  void listen() {
    listening_ = channel(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_ANY);
    socklen_t size = sizeof any;
    if (bind(listening_.fd(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
        ::listen(listening_.fd(), 4096) != 0 ||
        getsockname(listening_.fd(), reinterpret_cast<sockaddr*>(&any), &size) != 0)
      throw std::runtime_error(std::string("no socket for the ranks: ") + std::strerror(errno));
    poll_ = epoll_create1(EPOLL_CLOEXEC);
    hear(listening_);
    std::random_device random;
    char token[40];
    std::snprintf(token, sizeof token, "%08x%08x%08x", random(), random(), random());
    token_ = token;
    constexpr int starter = 3;  // rank 0's end, as abax-perf-mpi starts this process
    if (!channel(starter).send(std::to_string(ntohs(any.sin_port)) + " " + token_))
      throw std::runtime_error("abax-perf-mpi starts this part");
  }

  void hear(const channel& line) const {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP;
    event.data.fd = line.fd();
    epoll_ctl(poll_, EPOLL_CTL_ADD, line.fd(), &event);
  }

  void accept() {
    channel line(accept4(listening_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!line.open()) return;
    // A node that fails takes no leave.
    const int on = 1, idle = 5, interval = 5, count = 5, silence = 30'000;
    setsockopt(line.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(line.fd(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(line.fd(), IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(line.fd(), IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    setsockopt(line.fd(), IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof silence);
    setsockopt(line.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    hear(line);
    const int fd = line.fd();
    strangers_.emplace(fd, std::move(line));
  }

  /// Hears what comes within a while.
  void pump() {
    require_going_on();
    epoll_event events[64];
    constexpr int milliseconds = 500;
    const int count = epoll_wait(poll_, events, 64, milliseconds);
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == listening_.fd()) {
        accept();
      } else if (const auto stranger = strangers_.find(fd); stranger != strangers_.end()) {
        greet(stranger->second);
      } else if (const auto rank = rank_of_.find(fd); rank != rank_of_.end()) {
        hear_from(members_[rank->second]);
      }
    }
  }

  void greet(channel& line) {
    const int fd = line.fd();
    std::string text, verb, token;
    const bool open = line.receive();
    if (open && !line.next(text)) return;
    std::istringstream words(text);
    rank_place p{};
    std::size_t size = 0;
    words >> verb >> token >> p.rank >> size >> p.pid >> p.host >> p.cpus;
    std::getline(words >> std::ws, p.mpi);
    if (!open || verb != "hello" || token != token_ || p.rank < 0 || static_cast<std::size_t>(p.rank) >= size) {
      strangers_.erase(fd);
      return;
    }
    if (members_.empty()) members_.resize(size);
    member& m = members_.at(static_cast<std::size_t>(p.rank));
    m.place = p;
    m.line = std::move(line);
    rank_of_[fd] = static_cast<std::size_t>(p.rank);
    strangers_.erase(fd);
    while (m.line.next(text)) understand(m, text);
  }

  void hear_from(member& m) {
    const bool open = m.line.receive();
    std::string text;
    while (m.line.next(text)) understand(m, text);
    if (open) return;
    rank_of_.erase(m.line.fd());
    m.line.close();
    if (!m.gone) {
      m.gone = true;
      throw lost{m.name() + ", process " + std::to_string(m.place.pid),
                 "it ended without a word: killed, or its node failed"};
    }
  }

  void understand(member& m, const std::string& text) {
    std::istringstream words(text);
    std::string verb, how;
    int number = 0;
    words >> verb;
    if (verb == "w") {
      understand(m, json::parse(text.substr(2)));
    } else if (verb == "gone") {
      words >> how >> number;
      if (!m.out && how == "signal" && number == SIGKILL) throw lost{m.name(), end_text(how, number)};
      if (!m.out) leave(m, end_text(how, number));
    } else if (verb == "link") {
      m.text = text.size() > 5 ? text.substr(5) : "";
      m.answered = true;
    } else if (verb == "pgemm") {
      m.lines.push_back(text.substr(6));
    } else if (verb == "interrupted") {
      words >> number;
      if (!dismissed_) throw interruption{number};
    } else if (verb == "bye") {
      m.gone = true;
    }
  }

  void understand(member& m, const json& message) {
    if (message.contains("ready")) m.ready = true;
    if (message.contains("context")) {
      m.place.context = message["context"].get<std::vector<std::pair<std::string, std::string>>>();
      std::erase_if(m.place.context, [](const auto& line) {  // what abax-perf-mpi has set
        return line.first.starts_with("ABAX_PERF_") && line.first != "ABAX_PERF_TEST";
      });
      m.steps = message["steps"].get<std::vector<std::pair<std::string, double>>>();
      m.fma_f32 = message["fma"][0];
      m.fma_f64 = message["fma"][1];
      m.free_memory = message["free"];
      m.answered = true;
    }
    if (message.contains("case")) {
      m.result = case_of(message["case"].dump());
      m.answered = true;
    }
    if (message.contains("nccl")) {
      m.text = message["nccl"];
      m.answered = true;
    }
    if (message.contains("failed")) {
      m.why = message["failed"];
      m.answered = true;
    }
    if (message.contains("refused")) {
      m.status = message["status"];
      leave(m, message["refused"]);
    }
  }

  void leave(member& m, const std::string& why) {
    m.out = true;
    m.place.end = why;
    fail(m, doing_.empty() ? "start" : doing_, why);
  }

  void fail(const member& m, const std::string& what, const std::string& why) {
    const auto alike = [&](const rank_failure& f) { return f.what == what && f.why == why; };
    const bool known_already = std::any_of(results_.ranks.failures.begin(), results_.ranks.failures.end(), alike);
    results_.ranks.failures.push_back({m.place.rank, what, why});
    if (known_already) return;  // the conclusion has all of them
    std::printf("%s FAILED: %s: %s\n", m.name().c_str(), what.c_str(), why.c_str());
    std::fflush(stdout);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Asking.

  using members = std::vector<member*>;

  /// Those that still take part.
  members present() {
    members all;
    for (member& m : members_)
      if (!m.out) all.push_back(&m);
    return all;
  }

  static void tell(const members& who, const std::string& order) {
    for (member* const m : who) m->line.send(order);
  }

  /// Until each of them has() what is waited for, or, where a worker is asked, is out. Where one takes far longer than half of the others did, it is
  /// lost.
  enum class asked { worker, rank };
  void wait(const members& who, const std::function<bool(const member&)>& has, asked whom = asked::worker,
            double limit = 0) {
    const stopwatch watch;
    for (;;) {
      const auto waiting = [&](const member* m) { return !(m->out && whom == asked::worker) && !has(*m); };
      const auto left = std::count_if(who.begin(), who.end(), waiting);
      if (left == 0) return;
      if (limit == 0 && 2 * left <= static_cast<std::ptrdiff_t>(who.size()))
        limit = answer_limit + 10 * watch.seconds();
      if (limit > 0 && watch.seconds() > limit) {
        const member* const late = *std::find_if(who.begin(), who.end(), waiting);
        throw lost{late->name(), "it has not answered for " + duration_text(watch.seconds())};
      }
      pump();
    }
  }

  // -------------------------------------------------------------------------------------------------------------------

  void meet() {
    doing_ = "start";
    const stopwatch watch;
    const auto missing = [&] {
      std::string list;
      for (std::size_t r = 0; r < members_.size(); ++r)
        if (!members_[r].line.open() && !members_[r].gone) list += (list.empty() ? "" : ", ") + std::to_string(r);
      return list;
    };
    while (members_.empty() || !missing().empty()) {
      if (watch.seconds() > start_limit) throw std::runtime_error("these ranks did not report in: " + missing());
      pump();
    }
    // Ceilings are measured by all at once, as the cases are.
    const auto is_ready = [](const member& m) { return m.ready; };
    const auto has_answered = [](const member& m) { return m.answered; };
    wait(present(), is_ready);
    const members started = present();
    for (member* const m : started) m->ask();
    tell(started, "w go");
    wait(started, has_answered);
    introduce();
  }

  /// Who is there.
  void introduce() {
    const members all = present();
    if (all.empty()) {
      const auto without = [](const member& m) { return m.status == no_gpu; };
      if (std::all_of(members_.begin(), members_.end(), without)) status_ = no_gpu;
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
    for (const member& m : members_) hosts.insert(m.place.host);
    results_.context = first.place.context;
    results_.context.emplace_back("Ranks", std::to_string(members_.size()) + " on " + std::to_string(hosts.size()) +
                                               (hosts.size() == 1 ? " host" : " hosts"));
    results_.context.emplace_back("MPI", first.place.mpi);
    for (const auto& [name, value] : results_.context) std::printf("%-8s %s\n", name.c_str(), value.c_str());
    std::printf("\nrank  host                  process  CPUs allowed  runs on\n");
    std::map<std::string, int> owner;
    for (const member& m : members_) {
      const rank_place& p = m.place;
      std::string runs = p.line("Binding");
      if (const std::string gpu = p.line("GPU UUID"); !gpu.empty()) runs += "; " + gpu;
      std::printf("%4d  %-20s %8ld  %-12s  %s\n", p.rank, p.host.c_str(), p.pid, p.cpus.c_str(), runs.c_str());
    }
    for (const member& m : members_) {
      const std::string gpu = m.place.line("GPU UUID");
      if (gpu.empty()) continue;
      if (const auto [it, alone] = owner.emplace(gpu, m.place.rank); !alone)
        std::printf("ranks %d and %d share one GPU: neither's figures are what it can do\n", it->second, m.place.rank);
    }
  }

  void cases() {
    const members all = present();
    if (all.empty()) return;
    const std::vector<std::pair<std::string, double>> steps = all.front()->steps;
    std::set<std::string> texts;
    for (const auto& step : steps) texts.insert(step.first);
    whole_ = texts.size();
    if (whole_ > 0)
      std::printf(
          "\n                                              seconds of a call, over all ranks\n"
          "kernel        type shape                backend     minimum      median     maximum   rate at the median  "
          "of "
          "the roof  bits\n");
    progress line(static_cast<int>(steps.size()));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      members now = present();
      if (now.empty()) throw std::runtime_error("no rank is left");
      double expected = 0;
      for (const member* const m : now) expected = std::max(expected, m->steps[i].second);
      if (what_.time_limit > 0 && watch_.seconds() + expected > what_.time_limit) {
        tell(now, "w skip");
        out_of_time_ = true;
        continue;
      }
      doing_ = steps[i].first;
      line.step(doing_);
      for (member* const m : now) m->ask();
      tell(now, "w step");
      wait(now, [](const member& m) { return m.ready || m.answered; });
      members ready;
      for (member* const m : now)
        if (!m->out && m->ready && !m->answered) ready.push_back(m);
      tell(ready, "w go");
      wait(now, [](const member& m) { return m.answered; });
      line.clear();
      take(now, doing_);
    }
    doing_.clear();
    print_rest();
  }

  /// What all of them found in one case, which is kept, and printed once no further pass is going to add to it.
  void take(const members& all, const std::string& text) {
    std::vector<const member*> right, with_figures;
    for (const member* const m : all) {
      if (m->out) continue;  // has been named
      if (!m->result) {
        fail(*m, text, m->why);
        continue;
      }
      with_figures.push_back(m);
      if (m->result->bits == "same")
        right.push_back(m);
      else
        fail(*m, text, "bits: " + m->result->bits);
    }
    if (with_figures.empty()) return keep();
    const std::vector<const member*>& compared = right.empty() ? with_figures : right;
    std::vector<std::vector<double>> samples;
    for (const member* const m : compared) samples.push_back(m->result->variants[0].times.samples);
    const spread s = spread_of(samples, what_.slow);
    case_result c = *compared[s.typical]->result;
    for (const member* const m : with_figures) {
      const timing& t = m->result->variants[0].times;
      c.ranks.push_back({m->place.rank, t.median, t.best, t.deviation, m->result->bits});
      if (m->result->bits != "same") c.bits = "wrong on rank " + std::to_string(m->place.rank) + ": " + m->result->bits;
      c.converged = c.converged && m->result->converged;
    }
    for (const std::size_t i : s.slow) c.slow.push_back(compared[i]->place.rank);
    const auto same = [&](const case_result& o) {
      return o.kernel == c.kernel && o.type == c.type && o.shape == c.shape && o.backend == c.backend;
    };
    const auto before = std::find_if(results_.cases.begin(), results_.cases.end(), same);
    case_result& taken = before == results_.cases.end() ? results_.cases.emplace_back() : *before;
    taken = std::move(c);  // of a later pass: with what the passes before it had found
    keep();
    if (static_cast<int>(taken.passes.size()) == what_.passes) print(taken, s);
  }

  /// The rows of cases that time was left for in some passes only.
  void print_rest() const {
    for (const case_result& c : results_.cases) {
      if (static_cast<int>(c.passes.size()) >= what_.passes) continue;
      spread s{c.ranks.front().median, c.variants[0].times.median, c.ranks.front().median, 0, {}};
      for (const rank_figure& f : c.ranks) {
        s.minimum = std::min(s.minimum, f.median);
        s.maximum = std::max(s.maximum, f.median);
      }
      print(c, s);
    }
  }

  void print(const case_result& c, const spread& s) const {
    const double rate = c.amount / c.variants[0].times.median;
    std::printf("%-13s %-3s  %-20s %-6s  %10s  %10s  %10s  %19s  %-11s  %s", c.kernel.c_str(), c.type.c_str(),
                c.shape.c_str(), c.backend.c_str(), time_text(s.minimum).c_str(), time_text(s.median).c_str(),
                time_text(s.maximum).c_str(), rate_text(rate, c.unit == "FLOP" ? "GFLOP/s" : "GB/s   ").c_str(),
                number(100 * rate / c.roof_rate, 0, ("% of " + c.roof).c_str()).c_str(), c.bits.c_str());
    for (const int rank : c.slow) {
      const auto figure =
          std::find_if(c.ranks.begin(), c.ranks.end(), [&](const rank_figure& f) { return f.rank == rank; });
      std::printf("  SLOW: rank %d, %.2f x", rank, figure->median / s.median);
    }
    std::printf("%s\n", c.converged ? "" : "  not converged");
    std::fflush(stdout);
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
    for (const auto& round : rounds_of(static_cast<int>(who.size()))) {
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
          tell({who[a], who[b]}, order(bytes, a, b));
        }
        for (std::size_t l = 0; l < round.size(); ++l) {
          member& from = *who[round[l].first];
          member& to = *who[round[l].second];
          wait(
              {&from, &to}, [](const member& m) { return m.answered; }, by == "NCCL" ? asked::worker : asked::rank,
              answer_limit);
          for (const member* const m : {&from, &to})
            if (by == "NCCL" && (!m->why.empty() || m->out))
              throw std::runtime_error(m->name() + ": " + (m->out ? m->place.end : m->why));
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
      for (link_result& l : found) results_.ranks.links.push_back(std::move(l));
    }
    doing_.clear();
  }

  void links() {
    members all;
    for (member& m : members_) all.push_back(&m);
    if (all.size() < 2) return;
    links_by("MPI", all, [&](long long bytes, int a, int b) {
      return "link " + std::to_string(all[a]->place.rank) + " " + std::to_string(all[b]->place.rank) + " " +
             std::to_string(bytes);
    });
    keep();
    try {
      gpu_links();
    } catch (const std::runtime_error& error) {
      note("NCCL", std::string("left out: ") + error.what());
    }
    std::printf("\nlinks        from    to   one way, 8 B   one way, 4 MiB\n");
    std::map<std::pair<std::string, bool>, std::vector<link_result*>> kinds;
    for (link_result& l : results_.ranks.links) kinds[{l.by, l.same_host}].push_back(&l);
    for (const auto& [kind, group] : kinds) judge(kind.first + (kind.second ? " in a host" : " across"), group);
    keep();
  }

  /// Between the workers that have a GPU each to themselves.
  void gpu_links() {
    members group;
    std::set<std::string> gpus;
    for (member* const m : present())
      if (const std::string gpu = m->place.line("GPU UUID"); !gpu.empty() && gpus.insert(gpu).second)
        group.push_back(m);
    if (group.size() < 2) return;
    const auto ask = [&](const members& who, const std::function<std::string(std::size_t)>& order) {
      for (std::size_t i = 0; i < who.size(); ++i) {
        who[i]->ask();
        tell({who[i]}, "w " + order(i));
      }
      wait(
          who, [](const member& m) { return m.answered; }, asked::worker, answer_limit);
      for (const member* const m : who)
        if (m->out || !m->why.empty()) throw std::runtime_error(m->name() + ": " + (m->out ? m->place.end : m->why));
    };
    doing_ = "NCCL's start";
    ask({group.front()}, [](std::size_t) { return "id"; });
    const std::string id = group.front()->text;
    ask(group,
        [&](std::size_t i) { return "join " + id + " " + std::to_string(i) + " " + std::to_string(group.size()); });
    note("NCCL", group.front()->text);
    links_by("NCCL", group, [](long long bytes, int a, int b) {
      return "w link " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(bytes);
    });
  }

  /// Names the slowest link of a kind, and those that are slower than chance makes one.
  void judge(const std::string& kind, const std::vector<link_result*>& group) {
    std::vector<std::vector<double>> samples;
    for (const link_result* const l : group) samples.push_back(l->samples);
    const spread s = spread_of(samples, std::max(what_.slow, least_link_threshold));
    for (const std::size_t i : s.slow) group[i]->slow = true;
    const link_result* worst = group.front();
    const link_result* latest = group.front();
    constexpr std::size_t shown = 28;
    for (const link_result* const l : group) {
      if (l->rate < worst->rate) worst = l;
      if (l->latency > latest->latency) latest = l;
      if (!l->intact) {
        fail(members_[static_cast<std::size_t>(l->from)], kind + " to rank " + std::to_string(l->to),
             "what came back is not what was sent");
      }
      if (group.size() <= shown || l->slow)
        std::printf("%-12s %4d  %4d  %13s  %15s%s\n", kind.c_str(), l->from, l->to, time_text(l->latency).c_str(),
                    rate_text(l->rate, "GB/s").c_str(), l->slow ? "  SLOW" : "");
    }
    std::printf("%s, %zu links: median %s; the slowest is %d-%d with %s, the latest %d-%d with %s\n", kind.c_str(),
                group.size(), rate_text(long_message / s.median, "GB/s").c_str(), worst->from, worst->to,
                rate_text(worst->rate, "GB/s").c_str(), latest->from, latest->to, time_text(latest->latency).c_str());
    std::fflush(stdout);
  }

  // -------------------------------------------------------------------------------------------------------------------

  /// The shapes of ScaLAPACK's product over all ranks: those that cannot be are refused before anything is measured.
  void choose_products() {
    const auto share = [](double sum, const member& m) { return sum + m.fma_f64; };
    if (std::accumulate(members_.begin(), members_.end(), 0.0, share) == 0) {
      note("pgemm", "left out: the host was not measured, whose product it is (--backend host)");
      return;
    }
    for (const index_t n : what_.sizes) products_.push_back({n, n, n});
    for (const std::vector<index_t>& s : what_.shapes)
      if (s.size() == 3) products_.push_back({s[0], s[1], s[2]});
    if (products_.empty()) {
      const auto n = static_cast<index_t>(2048 * std::ceil(std::sqrt(static_cast<double>(members_.size())) / 2));
      products_.push_back({n, n, n});
    }
    std::sort(products_.begin(), products_.end());
    products_.erase(std::unique(products_.begin(), products_.end()), products_.end());
    for (const auto& shape : products_) require_possible(shape);
  }

  void require_possible(const std::array<index_t, 3>& shape) const {
    const auto& [m, n, k] = shape;
    const std::string text = "pgemm " + product_text(m, n, k);
    constexpr index_t most = std::numeric_limits<int>::max();
    if (std::max({m, n, k}) > most)
      throw std::runtime_error(text + ": expected extents of " + std::to_string(most) + " at most");
    // What a rank holds at most.
    const int ranks = static_cast<int>(members_.size()), rows = pgemm::grid_rows(ranks);
    const auto held = [](index_t extent, int over) {
      constexpr index_t block = pgemm::block;
      return static_cast<double>(std::min(extent, ((extent + block - 1) / block + over - 1) / over * block));
    };
    const auto local = [&](index_t r, index_t c) { return held(r, rows) * held(c, ranks / rows); };
    const bool wide =
        what_.types.empty() || std::find(what_.types.begin(), what_.types.end(), "f64") != what_.types.end();
    const double share = (wide ? 8 : 4) * (local(m, k) + local(k, n) + local(m, n));
    for (const member& r : members_) {
      const double needed =
          share * static_cast<double>(std::count_if(members_.begin(), members_.end(), [&](const member& other) {
            return other.place.host == r.place.host;
          }));
      constexpr double giga = 1e9;
      if (r.free_memory > 0 && needed > 0.95 * r.free_memory)
        throw std::runtime_error(text + " needs " + number(needed / giga, 1, "GB") + " on " + r.place.host +
                                 ", and there are " + number(r.free_memory / giga, 1, "GB") + ": choose smaller sizes");
    }
  }

  static std::string product_text(index_t m, index_t n, index_t k) {
    return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  }

  void products() {
    members all;
    for (member& m : members_) all.push_back(&m);
    for (const std::string type : {"f32", "f64"}) {
      if (!what_.types.empty() && std::find(what_.types.begin(), what_.types.end(), type) == what_.types.end())
        continue;
      for (const auto& [m, n, k] : products_) {
        std::ostringstream order;
        order << "pgemm " << type << " " << m << " " << n << " " << k << " " << what_.seconds;
        doing_ = order.str();
        for (member* const r : all) r->ask();
        tell(all, order.str());
        constexpr double hours = 4 * 3600;
        wait(
            all, [](const member& r) { return !r.lines.empty() && r.lines.back() == "end"; }, asked::rank, hours);
        if (!take_product(all.front()->lines, type, m, n, k)) return;
        keep();
      }
    }
    doing_.clear();
  }

  /// False where there is no such engine.
  bool take_product(const std::vector<std::string>& lines, const std::string& type, index_t m, index_t n, index_t k) {
    case_result c{};
    c.kernel = "pgemm";
    c.type = type;
    c.shape = product_text(m, n, k);
    c.backend = "ScaLAPACK";
    c.m = m;
    c.n = n;
    c.k = k;
    c.sets = 1;
    c.bits = "same";
    constexpr int compared_by_each = 64;
    c.samples = static_cast<int>(members_.size()) * compared_by_each;
    c.amount = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    c.unit = "FLOP";
    c.roof = "fma";
    for (const member& r : members_) c.roof_rate += type == "f32" ? r.fma_f32 : r.fma_f64;
    for (const std::string& line : lines) {
      if (line.starts_with("missing ")) {
        note("pgemm", "left out: " + line.substr(8));
        return false;
      }
      if (line.starts_with("engine ")) note("pgemm", line.substr(7));
      if (!line.starts_with("variant ")) continue;
      std::istringstream fields(line.substr(8));
      std::string name, version, bits, calls;
      std::getline(fields, name, '|');
      std::getline(fields, version, '|');
      std::getline(fields, bits, '|');
      std::getline(fields, calls, '|');
      std::vector<double> samples;
      for (double s = 0; fields >> s;) samples.push_back(s);
      if (samples.empty()) throw std::runtime_error("pgemm: no samples of " + name);
      note("pgemm, " + name, calls + " products on the ranks by " + version);
      if (bits != "same") {
        c.bits = name + ": " + bits;
        fail(members_.front(), "pgemm " + type + " " + c.shape, c.bits);
      }
      c.passes = {static_cast<int>(samples.size())};
      variant_result v{name, summary(1, samples), median_interval(samples, c.passes), 1, {1, 1}, {}, {}};
      if (!c.variants.empty()) {
        v.ratio = v.times.median / c.variants[0].times.median;
        v.confidence = ratio_interval(samples, c.variants[0].times.samples, c.passes);
      }
      c.variants.push_back(std::move(v));
    }
    c.converged = true;
    for (const variant_result& v : c.variants)
      c.converged = c.converged && known(v.times.median, v.median_confidence, what_.precision);
    const double rate = c.amount / c.variants[0].times.median;
    std::printf("%-13s %-3s  %-20s %-6s  %10s  %19s  %-11s  %s", c.kernel.c_str(), c.type.c_str(), c.shape.c_str(),
                c.backend.c_str(), time_text(c.variants[0].times.median).c_str(), rate_text(rate, "GFLOP/s").c_str(),
                number(100 * rate / c.roof_rate, 0, "% of fma").c_str(), c.bits.c_str());
    for (std::size_t v = 1; v < c.variants.size(); ++v)
      std::printf("  %s %.2f (%.2f-%.2f)", c.variants[v].name.c_str(), c.variants[v].ratio,
                  c.variants[v].confidence.low, c.variants[v].confidence.high);
    std::printf("%s\n", c.converged ? "" : "  not converged");
    std::fflush(stdout);
    results_.cases.push_back(std::move(c));
    return true;
  }

  // -------------------------------------------------------------------------------------------------------------------

  /// A line of the context that only now is known.
  void note(const std::string& name, const std::string& value) {
    for (auto& [key, text] : results_.context)
      if (key == name) {
        text = value;
        return;
      }
    results_.context.emplace_back(name, value);
    std::printf("%-8s %s\n", name.c_str(), value.c_str());
    std::fflush(stdout);
  }

  std::string so_far() const {
    std::string text = std::to_string(results_.cases.size()) + " of " + std::to_string(whole_) + " cases";
    const bool begun = std::any_of(results_.cases.begin(), results_.cases.end(), [&](const case_result& c) {
      return c.kernel != "pgemm" && static_cast<int>(c.passes.size()) < what_.passes;
    });
    return text + (begun ? ", some of them in fewer than " + std::to_string(what_.passes) + " passes" : "");
  }

  /// Whether each rank is slow: in half of its cases and more.
  void find_slow() {
    results_.ranks.slow.clear();
    for (const member& m : members_) {
      slow_rank s{m.place.rank, 0, 0, 0};
      for (const case_result& c : results_.cases)
        for (const rank_figure& f : c.ranks) {
          if (f.rank != s.rank || f.bits != "same" || c.ranks.size() < 2) continue;
          ++s.of;
          s.factor += std::log(f.median / c.variants[0].times.median);
          s.cases += std::count(c.slow.begin(), c.slow.end(), s.rank) > 0;
        }
      if (s.of == 0 || 2 * s.cases < s.of) continue;
      s.factor = std::exp(s.factor / s.of);
      results_.ranks.slow.push_back(s);
    }
  }

  void keep() {
    find_slow();
    results_.ranks.places.clear();
    for (const member& m : members_) results_.ranks.places.push_back(m.place);
    if (!what_.json.empty()) write_json(results_, what_.json);
    if (!what_.csv.empty()) write_csv(results_, what_.csv);
  }

  void end(const std::string& status) {
    results_.status = status;
    keep();
  }

  /// What the reader is to take home, and the status.
  int conclude() {
    std::printf("\n%zu cases on %zu ranks, %.0f s.\n", results_.cases.size(), members_.size(), watch_.seconds());
    if (out_of_time_) std::printf("The time limit left cases out.\n");
    std::map<std::string, std::pair<int, int>> of_host;  // slow ranks, all ranks
    for (const member& m : members_) ++of_host[m.place.host].second;
    for (const slow_rank& s : results_.ranks.slow) {
      const member& m = members_[static_cast<std::size_t>(s.rank)];
      ++of_host[m.place.host].first;
      std::printf("SLOW: %s, in %d of %d cases; %.2f times the median's time in the mean.\n", m.name().c_str(), s.cases,
                  s.of, s.factor);
    }
    for (const auto& [host, count] : of_host)
      if (count.second > 1 && count.first == count.second && of_host.size() > 1)
        std::printf("SLOW: the node %s, with all of its %d ranks.\n", host.c_str(), count.second);
    if (results_.ranks.slow.empty() && !results_.cases.empty() && members_.size() > 1)
      std::printf("No rank is slower than the others by more than %.0f %% and chance.\n", 100 * what_.slow);
    for (const link_result& l : results_.ranks.links)
      if (l.slow)
        std::printf("SLOW: the link by %s from %s to %s, %s.\n", l.by.c_str(),
                    members_[static_cast<std::size_t>(l.from)].name().c_str(),
                    members_[static_cast<std::size_t>(l.to)].name().c_str(), rate_text(l.rate, "GB/s").c_str());
    for (const rank_failure& f : results_.ranks.failures)
      std::printf("FAILED: %s: %s: %s\n", members_[static_cast<std::size_t>(f.rank)].name().c_str(), f.what.c_str(),
                  f.why.c_str());
    if (results_.cases.empty()) return cannot_run;
    return results_.ranks.failures.empty() ? 0 : failed;
  }

  /// Sends all away, and sees them off. Where one is not there, none can wait for it at MPI's end.
  void dismiss(int status) {
    dismissed_ = true;
    const stopwatch watch;
    const auto absent = [](const member& m) { return !m.line.open(); };
    const bool abort = lost_ || std::any_of(members_.begin(), members_.end(), absent);
    for (member& m : members_)
      if (m.line.open()) m.line.send("stop " + std::to_string(status) + (abort ? " abort" : ""));
    constexpr double limit = 10;
    const auto here = [](const member& m) { return m.line.open() && !m.gone; };
    while (watch.seconds() < limit && std::any_of(members_.begin(), members_.end(), here)) try {
        pump();
      } catch (const lost&) {  // the launcher ends the others as well
      } catch (const interruption&) {
        return;
      }
  }

  const selection& what_;
  channel listening_;
  int poll_ = -1;
  std::string token_;
  std::map<int, channel> strangers_;
  std::map<int, std::size_t> rank_of_;
  std::vector<member> members_;
  run_results results_;
  std::string doing_;      // what the ranks are asked for at present
  std::size_t whole_ = 0;  // cases
  std::vector<std::array<index_t, 3>> products_;
  bool out_of_time_ = false, lost_ = false, dismissed_ = false;
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

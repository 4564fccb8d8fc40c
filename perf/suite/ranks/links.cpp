// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "links.hpp"

#include <algorithm>
#include <set>

#include "../timing.hpp"
#include "findings.hpp"

namespace abax::perf::ranks {
namespace {

using pair_of_ranks = std::pair<int, int>;

/// Those of one round are measured at the same time.
std::vector<std::vector<pair_of_ranks>> rounds_of(int ranks) {
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
      if (r == here.size()) here.emplace_back(), busy.emplace_back();
      here[r].emplace_back(a, b);
      busy[r].insert({a, b});
    }
    rounds.insert(rounds.end(), here.begin(), here.end());
  }
  return rounds;
}

class mpi_wire final : public wire {
 public:
  void begin(const std::vector<unsigned char>& message) override {
    out_ = message;
    in_.assign(message.size(), 0xff);
  }
  void send(int other, bool back) override { ranks::send(other, (back ? in_ : out_).data(), in_.size()); }
  void receive(int other) override { ranks::receive(other, in_.data(), in_.size()); }
  void wait() override {}
  std::vector<unsigned char> came() override { return in_; }

 private:
  std::vector<unsigned char> out_, in_;
};

/// Seconds of one way of a message, sample by sample, at the end that is `first`; `intact` becomes false where what
/// comes back is not what was sent.
std::vector<double> ping_pong(wire& w, bool first, int other, std::size_t bytes, bool& intact) {
  constexpr double shortest = 1e-3, longest = 0.5;  // seconds: of a sample, of all
  std::vector<unsigned char> message(bytes);
  for (std::size_t i = 0; i < bytes; ++i) message[i] = static_cast<unsigned char>((i * 2654435761u) >> 13);
  w.begin(message);
  const auto batch = [&](int calls) {
    const stopwatch taken;
    for (int c = 0; c < calls; ++c) {
      if (first) w.send(other, false);
      w.receive(other);
      if (!first) w.send(other, true);
    }
    w.wait();
    return std::max(taken.seconds() / (2 * calls), 1e-12);
  };
  batch(2);  // connections are made at the first message
  const double once = 2 * batch(5);
  int plan[2] = {};
  if (first) {
    plan[0] = static_cast<int>(std::clamp(shortest / once, 1.0, 1e5));
    plan[1] = static_cast<int>(std::clamp(longest / (once * plan[0]), 5.0, 25.0));
    send(other, plan, sizeof plan);
  } else {
    receive(other, plan, sizeof plan);
  }
  std::vector<double> samples;
  for (int s = 0; s < plan[1]; ++s) samples.push_back(batch(plan[0]));
  intact = intact && w.came() == message;
  return samples;
}

}  // namespace

std::vector<link_result> measure_links(const std::string& by, wire* w, const std::vector<int>& members,
                                       const std::vector<rank_place>& places,
                                       const std::function<bool(double seconds)>& goes_on) {
  mpi_wire own;
  if (w == nullptr) w = &own;
  std::vector<link_result> all;
  double longest = 1.5;  // seconds of a round
  for (const auto& round : rounds_of(static_cast<int>(members.size()))) {
    if (!goes_on(longest)) break;
    const stopwatch taken;
    together();
    std::vector<link_result> mine;
    for (const auto& [a, b] : round) {
      link_result l;
      l.by = by;
      l.from = members[static_cast<std::size_t>(a)];
      l.to = members[static_cast<std::size_t>(b)];
      if (self().rank != l.from && self().rank != l.to) continue;
      const bool first = self().rank == l.from;
      const int other = first ? l.to : l.from;
      l.same_host = places[static_cast<std::size_t>(l.from)].host == places[static_cast<std::size_t>(l.to)].host;
      l.latency = median_of(ping_pong(*w, first, other, short_message, l.intact));
      l.samples = ping_pong(*w, first, other, long_message, l.intact);
      l.rate = long_message / median_of(l.samples);
      if (first) mine.push_back(l);
    }
    for (const std::vector<link_result>& of_rank : gathered_of(mine))
      all.insert(all.end(), of_rank.begin(), of_rank.end());
    longest = std::max(longest, largest(taken.seconds()));
  }
  return all;
}

}  // namespace abax::perf::ranks

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "../table.hpp"
#include "links.hpp"
#include "spread.hpp"

namespace abax::perf::ranks {
namespace {

constexpr double least_link_threshold = 0.2;

std::string gpu_of(const rank_place& p) {
  const auto gpu = p.context.find("GPU UUID");
  return gpu == p.context.end() ? "" : gpu->second;
}

std::string name_of(int rank, const run_results& results) {
  const rank_place& p = results.places[static_cast<std::size_t>(rank)];
  const std::string gpu = gpu_of(p);
  return "rank " + std::to_string(rank) + " on " + p.host +
         (gpu.empty() ? "" : " (" + gpu.substr(0, gpu.find(',')) + ")");
}

}  // namespace

void fail(const rank_failure& failure, run_results& results) {
  const bool known = std::ranges::any_of(
      results.failures, [&](const rank_failure& f) { return f.what == failure.what && f.why == failure.why; });
  results.failures.push_back(failure);
  if (!known)
    std::printf("%s FAILED: %s: %s\n", name_of(failure.rank, results).c_str(), failure.what.c_str(),
                failure.why.c_str());
}

case_result of_all(const std::vector<answer>& answers, const std::string& name, double slow, run_results& results) {
  std::vector<int> right, there;
  for (int r = 0; r < static_cast<int>(answers.size()); ++r) {
    const answer& a = answers[static_cast<std::size_t>(r)];
    if (!a.result.empty()) there.push_back(r);
    if (a.result.empty())
      fail({r, name, a.failed}, results);
    else if (a.result[0].bits != "same")
      fail({r, name, "bits: " + a.result[0].bits}, results);
    else
      right.push_back(r);
  }
  if (there.empty()) return {};
  const auto of = [&](int rank) -> const case_result& { return answers[static_cast<std::size_t>(rank)].result[0]; };
  const std::vector<int>& compared = right.empty() ? there : right;
  std::vector<std::vector<double>> samples;
  for (const int r : compared) samples.push_back(of(r).variants[0].samples);
  const spread s = spread_of(samples, slow);
  case_result c = of(compared[s.typical]);
  for (const int r : there) {
    const variant_result& v = of(r).variants[0];
    c.ranks.push_back({r, v.median, v.minimum, v.deviation, of(r).bits});
    if (of(r).bits != "same") c.bits = "wrong on rank " + std::to_string(r) + ": " + of(r).bits;
    c.converged = c.converged && of(r).converged;
  }
  for (const std::size_t i : s.slow) c.slow.push_back(compared[i]);
  return c;
}

void judge(const std::vector<link_result>& links, const std::string& by, double slow, run_results& results) {
  for (const bool within : {true, false}) {
    std::vector<link_result> group = links;
    std::erase_if(group, [&](const link_result& l) { return l.same_host != within; });
    if (group.empty()) continue;
    const std::string kind = by + (within ? " in a host" : " across");
    std::vector<std::vector<double>> samples;
    for (const link_result& l : group) samples.push_back(l.samples);
    const spread s = spread_of(samples, std::max(slow, least_link_threshold));
    for (const std::size_t i : s.slow) group[i].slow = true;
    std::printf("\nlinks        from    to   one way, 8 B   one way, 4 MiB\n");
    constexpr std::size_t shown = 28;
    for (const link_result& l : group) {
      if (!l.intact)
        fail({l.from, kind + " to rank " + std::to_string(l.to), "what came back is not what was sent"}, results);
      if (group.size() <= shown || l.slow)
        std::printf("%-12s %4d  %4d  %13s  %15s%s\n", kind.c_str(), l.from, l.to, time_text(l.latency).c_str(),
                    rate_text(l.rate, "GB/s").c_str(), l.slow ? "  SLOW" : "");
    }
    const auto worst = std::ranges::min_element(group, {}, &link_result::rate);
    const auto latest = std::ranges::max_element(group, {}, &link_result::latency);
    std::printf("%s, %zu links: median %s; the slowest is %d-%d with %s, the latest %d-%d with %s\n", kind.c_str(),
                group.size(), rate_text(long_message / s.median, "GB/s").c_str(), worst->from, worst->to,
                rate_text(worst->rate, "GB/s").c_str(), latest->from, latest->to, time_text(latest->latency).c_str());
    results.links.insert(results.links.end(), group.begin(), group.end());
  }
}

std::vector<slow_rank> slow_ranks(const run_results& results) {
  std::vector<slow_rank> all;
  for (const rank_place& p : results.places) {
    slow_rank s{p.rank, 0, 0, 0};
    for (const case_result& c : results.cases)
      for (const rank_figure& f : c.ranks) {
        if (f.rank != s.rank || f.bits != "same" || c.ranks.size() < 2) continue;
        ++s.of;
        s.factor += std::log(f.median / c.variants[0].median);
        s.cases += std::ranges::count(c.slow, s.rank) > 0;
      }
    if (s.of == 0 || 2 * s.cases < s.of) continue;
    s.factor = std::exp(s.factor / s.of);
    all.push_back(s);
  }
  return all;
}

void print(const std::vector<rank_place>& places) {
  std::printf("\nrank  host                  process  CPUs allowed  runs on\n");
  std::map<std::string, int> owner;
  for (const rank_place& p : places) {
    const std::string gpu = gpu_of(p);
    std::printf("%4d  %-20s %8ld  %-12s  %s%s\n", p.rank, p.host.c_str(), p.pid, p.cpus.c_str(),
                p.context.at("Binding").c_str(), (gpu.empty() ? "" : "; " + gpu).c_str());
    if (const auto [it, alone] = owner.emplace(gpu, p.rank); !gpu.empty() && !alone)
      std::printf("ranks %d and %d share one GPU: neither's figures are what it can do\n", it->second, p.rank);
  }
}

void conclude(const run_results& results, double slow) {
  std::map<std::string, std::pair<int, int>> of_host;  // slow ranks, all ranks
  for (const rank_place& p : results.places) ++of_host[p.host].second;
  for (const slow_rank& s : results.slow) {
    ++of_host[results.places[static_cast<std::size_t>(s.rank)].host].first;
    std::printf("SLOW: %s, in %d of %d cases; %.2f times the median's time in the mean.\n",
                name_of(s.rank, results).c_str(), s.cases, s.of, s.factor);
  }
  for (const auto& [host, count] : of_host)
    if (count.second > 1 && count.first == count.second && of_host.size() > 1)
      std::printf("SLOW: the node %s, with all of its %d ranks.\n", host.c_str(), count.second);
  if (results.slow.empty() && !results.cases.empty() && results.places.size() > 1)
    std::printf("No rank is slower than the others by more than %.0f %% and chance.\n", 100 * slow);
  for (const link_result& l : results.links)
    if (l.slow)
      std::printf("SLOW: the link by %s from %s to %s, %s.\n", l.by.c_str(), name_of(l.from, results).c_str(),
                  name_of(l.to, results).c_str(), rate_text(l.rate, "GB/s").c_str());
  for (const rank_failure& f : results.failures)
    std::printf("FAILED: %s: %s: %s\n", name_of(f.rank, results).c_str(), f.what.c_str(), f.why.c_str());
}

}  // namespace abax::perf::ranks

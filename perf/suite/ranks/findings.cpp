// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "../runner.hpp"
#include "../table.hpp"
#include "links.hpp"
#include "spread.hpp"

namespace abax::perf::ranks {
namespace {

constexpr double least_link_threshold = 0.2;

}  // namespace

findings::findings(const selection& what, std::vector<rank_place> places, text_lines context, std::size_t cases)
    : what_(what), files_(what), whole_(cases) {
  results_.places = std::move(places);
  results_.context = std::move(context);
}

std::string findings::name_of(int rank) const {
  const rank_place& p = results_.places[static_cast<std::size_t>(rank)];
  const auto gpu = p.context.find("GPU UUID");
  return "rank " + std::to_string(rank) + " on " + p.host +
         (gpu == p.context.end() ? "" : " (" + gpu->second.substr(0, gpu->second.find(',')) + ")");
}

void findings::fail(int rank, const std::string& what, const std::string& why) {
  const auto alike = [&](const rank_failure& f) { return f.what == what && f.why == why; };
  const bool known = std::any_of(results_.failures.begin(), results_.failures.end(), alike);
  results_.failures.push_back({rank, what, why});
  if (!known) std::printf("%s FAILED: %s: %s\n", name_of(rank).c_str(), what.c_str(), why.c_str());
}

void findings::take(const std::vector<answer>& of_all, const std::string& text) {
  std::vector<int> right, there;
  for (int r = 0; r < static_cast<int>(of_all.size()); ++r) {
    const answer& a = of_all[static_cast<std::size_t>(r)];
    if (!a.result) {
      fail(r, text, a.failed);
      continue;
    }
    there.push_back(r);
    if (a.result->bits == "same")
      right.push_back(r);
    else
      fail(r, text, "bits: " + a.result->bits);
  }
  if (there.empty()) return keep();
  const auto of = [&](int rank) -> const case_result& { return *of_all[static_cast<std::size_t>(rank)].result; };
  const std::vector<int>& compared = right.empty() ? there : right;
  std::vector<std::vector<double>> samples;
  for (const int r : compared) samples.push_back(of(r).variants[0].samples);
  const spread s = spread_of(samples, what_.slow);
  case_result c = of(compared[s.typical]);
  for (const int r : there) {
    const variant_result& v = of(r).variants[0];
    c.ranks.push_back({r, v.median, v.minimum, v.deviation, of(r).bits});
    if (of(r).bits != "same") c.bits = "wrong on rank " + std::to_string(r) + ": " + of(r).bits;
    c.converged = c.converged && of(r).converged;
  }
  for (const std::size_t i : s.slow) c.slow.push_back(compared[i]);
  const auto same = [&](const case_result& o) {
    return o.kernel == c.kernel && o.type == c.type && o.shape == c.shape && o.backend == c.backend;
  };
  const auto before = std::find_if(results_.cases.begin(), results_.cases.end(), same);
  case_result& taken = before == results_.cases.end() ? results_.cases.emplace_back() : *before;
  taken = std::move(c);  // of a later pass: with what the passes before it had found
  keep();
  if (static_cast<int>(taken.passes.size()) == what_.passes) print(taken);
}

void findings::take(const std::vector<link_result>& links, const std::string& by) {
  for (const bool within : {true, false}) {
    std::vector<link_result> group;
    std::copy_if(links.begin(), links.end(), std::back_inserter(group),
                 [&](const link_result& l) { return l.same_host == within; });
    if (group.empty()) continue;
    const std::string kind = by + (within ? " in a host" : " across");
    std::vector<std::vector<double>> samples;
    for (const link_result& l : group) samples.push_back(l.samples);
    const spread s = spread_of(samples, std::max(what_.slow, least_link_threshold));
    for (const std::size_t i : s.slow) group[i].slow = true;
    std::printf("\nlinks        from    to   one way, 8 B   one way, 4 MiB\n");
    constexpr std::size_t shown = 28;
    for (const link_result& l : group) {
      if (!l.intact) fail(l.from, kind + " to rank " + std::to_string(l.to), "what came back is not what was sent");
      if (group.size() <= shown || l.slow)
        std::printf("%-12s %4d  %4d  %13s  %15s%s\n", kind.c_str(), l.from, l.to, time_text(l.latency).c_str(),
                    rate_text(l.rate, "GB/s").c_str(), l.slow ? "  SLOW" : "");
    }
    const auto worst = std::min_element(group.begin(), group.end(),
                                        [](const link_result& a, const link_result& b) { return a.rate < b.rate; });
    const auto latest = std::max_element(
        group.begin(), group.end(), [](const link_result& a, const link_result& b) { return a.latency < b.latency; });
    std::printf("%s, %zu links: median %s; the slowest is %d-%d with %s, the latest %d-%d with %s\n", kind.c_str(),
                group.size(), rate_text(long_message / s.median, "GB/s").c_str(), worst->from, worst->to,
                rate_text(worst->rate, "GB/s").c_str(), latest->from, latest->to, time_text(latest->latency).c_str());
    results_.links.insert(results_.links.end(), group.begin(), group.end());
  }
  keep();
}

void findings::take(case_result product) {
  if (product.bits != "same") fail(0, "pgemm " + product.type + " " + product.shape, product.bits);
  product.passes = {static_cast<int>(product.variants[0].samples.size())};
  perf::conclude(product, what_.precision);
  print(product);
  results_.cases.push_back(std::move(product));
  keep();
}

void findings::note(const std::string& name, const std::string& value) {
  const auto line = std::find_if(results_.context.begin(), results_.context.end(),
                                 [&](const auto& pair) { return pair.first == name; });
  if (line != results_.context.end()) {
    line->second = value;
    return;
  }
  results_.context.emplace_back(name, value);
  print({{name, value}});
}

std::string findings::so_far() const {
  const bool begun = std::any_of(results_.cases.begin(), results_.cases.end(), [&](const case_result& c) {
    return c.kernel != "pgemm" && static_cast<int>(c.passes.size()) < what_.passes;
  });
  return std::to_string(results_.cases.size()) + " of " + std::to_string(whole_) + " cases" +
         (begun ? ", some of them in fewer than " + std::to_string(what_.passes) + " passes" : "");
}

void findings::find_slow() {
  results_.slow.clear();
  for (const rank_place& p : results_.places) {
    slow_rank s{p.rank, 0, 0, 0};
    for (const case_result& c : results_.cases)
      for (const rank_figure& f : c.ranks) {
        if (f.rank != s.rank || f.bits != "same" || c.ranks.size() < 2) continue;
        ++s.of;
        s.factor += std::log(f.median / c.variants[0].median);
        s.cases += std::count(c.slow.begin(), c.slow.end(), s.rank) > 0;
      }
    if (s.of == 0 || 2 * s.cases < s.of) continue;
    s.factor = std::exp(s.factor / s.of);
    results_.slow.push_back(s);
  }
}

void findings::keep() {
  find_slow();
  files_.keep(results_);
  std::fflush(stdout);
}

void findings::end(const std::string& status) {
  results_.status = status;
  for (const case_result& c : results_.cases)  // the rows of those that time was left for in some passes only
    if (c.kernel != "pgemm" && static_cast<int>(c.passes.size()) < what_.passes) print(c);
  keep();
}

bool findings::conclude() const {
  std::printf("\n%zu cases on %zu ranks: %s.\n", results_.cases.size(), results_.places.size(),
              results_.status.c_str());
  std::map<std::string, std::pair<int, int>> of_host;  // slow ranks, all ranks
  for (const rank_place& p : results_.places) ++of_host[p.host].second;
  for (const slow_rank& s : results_.slow) {
    ++of_host[results_.places[static_cast<std::size_t>(s.rank)].host].first;
    std::printf("SLOW: %s, in %d of %d cases; %.2f times the median's time in the mean.\n", name_of(s.rank).c_str(),
                s.cases, s.of, s.factor);
  }
  for (const auto& [host, count] : of_host)
    if (count.second > 1 && count.first == count.second && of_host.size() > 1)
      std::printf("SLOW: the node %s, with all of its %d ranks.\n", host.c_str(), count.second);
  if (results_.slow.empty() && !results_.cases.empty() && results_.places.size() > 1)
    std::printf("No rank is slower than the others by more than %.0f %% and chance.\n", 100 * what_.slow);
  for (const link_result& l : results_.links)
    if (l.slow)
      std::printf("SLOW: the link by %s from %s to %s, %s.\n", l.by.c_str(), name_of(l.from).c_str(),
                  name_of(l.to).c_str(), rate_text(l.rate, "GB/s").c_str());
  for (const rank_failure& f : results_.failures)
    std::printf("FAILED: %s: %s: %s\n", name_of(f.rank).c_str(), f.what.c_str(), f.why.c_str());
  return results_.failures.empty();
}

}  // namespace abax::perf::ranks

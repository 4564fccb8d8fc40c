// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <stdexcept>

#include "table.hpp"

namespace abax::perf {
namespace {

constexpr int failed = 1, cannot_run = 2;
constexpr double least_link_threshold = 0.2;

}  // namespace

std::string product_text(index_t m, index_t n, index_t k) {
  return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
}

double product_operations(index_t m, index_t n, index_t k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

findings::findings(const selection& what, const std::vector<member>& ranks) : what_(what), ranks_(ranks) {
  for (const std::string& path : {what.json, what.csv})
    if (!path.empty()) require_writable(path);
  results_.status = "unfinished";
}

void findings::fail(const member& m, const std::string& what, const std::string& why) {
  const auto alike = [&](const rank_failure& f) { return f.what == what && f.why == why; };
  const bool known_already = std::any_of(results_.ranks.failures.begin(), results_.ranks.failures.end(), alike);
  results_.ranks.failures.push_back({m.place.rank, what, why});
  if (known_already) return;  // the conclusion has all of them
  std::printf("%s FAILED: %s: %s\n", m.name().c_str(), what.c_str(), why.c_str());
  std::fflush(stdout);
}

void findings::take(const members& all, const std::string& text) {
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

void findings::print_rest() const {
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

void findings::print(const case_result& c, const spread& s) const {
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

void findings::judge_links() {
  std::printf("\nlinks        from    to   one way, 8 B   one way, 4 MiB\n");
  std::map<std::pair<std::string, bool>, std::vector<link_result*>> kinds;
  for (link_result& l : results_.ranks.links) kinds[{l.by, l.same_host}].push_back(&l);
  for (const auto& [kind, group] : kinds) judge(kind.first + (kind.second ? " in a host" : " across"), group);
  keep();
}

void findings::judge(const std::string& kind, const std::vector<link_result*>& group) {
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
      fail(ranks_[static_cast<std::size_t>(l->from)], kind + " to rank " + std::to_string(l->to),
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

bool findings::take_product(const std::vector<std::string>& lines, const std::string& type, index_t m, index_t n,
                            index_t k) {
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
  c.samples = static_cast<int>(ranks_.size()) * compared_by_each;
  c.amount = product_operations(m, n, k);
  c.unit = "FLOP";
  c.roof = "fma";
  for (const member& r : ranks_) c.roof_rate += type == "f32" ? r.fma_f32 : r.fma_f64;
  for (const std::string& line : lines) {
    if (line.starts_with("missing ")) {
      note("pgemm", "left out: " + line.substr(8));
      return false;
    }
    std::istringstream fields(line);
    std::string what;
    fields >> what >> std::ws;
    if (what == "engine") note("pgemm", line.substr(7));
    if (what == "variant") {
      std::string name, version, bits, calls;
      for (std::string* const field : {&name, &version, &bits, &calls}) std::getline(fields, *field, '|');
      note("pgemm, " + name, calls + " products on the ranks by " + version);
      if (bits != "same") {
        c.bits = name + ": " + bits;
        fail(ranks_.front(), "pgemm " + type + " " + c.shape, c.bits);
      }
      c.variants.push_back({name, {}, {}, 1, {1, 1}, {}, {}});
    }
    if (what == "sample") {
      std::size_t variant = 0;
      double seconds = 0;
      fields >> variant >> seconds;
      if (variant < c.variants.size()) c.variants[variant].times.samples.push_back(seconds);
    }
  }
  std::size_t rounds = c.variants.empty() ? 0 : c.variants[0].times.samples.size();
  for (const variant_result& v : c.variants) rounds = std::min(rounds, v.times.samples.size());
  if (rounds == 0) return true;  // it was cut off before any was measured
  c.passes = {static_cast<int>(rounds)};
  for (variant_result& v : c.variants) {
    v.times.samples.resize(rounds);
    v.times = summary(1, v.times.samples);
    v.median_confidence = median_interval(v.times.samples, c.passes);
    if (&v == &c.variants[0]) continue;
    v.ratio = v.times.median / c.variants[0].times.median;
    v.confidence = ratio_interval(v.times.samples, c.variants[0].times.samples, c.passes);
  }
  c.converged = true;
  for (const variant_result& v : c.variants)
    c.converged = c.converged && known(v.times.median, v.median_confidence, what_.precision);
  const double rate = c.amount / c.variants[0].times.median;
  std::printf("%-13s %-3s  %-20s %-6s  %10s  %19s  %-11s  %s", c.kernel.c_str(), c.type.c_str(), c.shape.c_str(),
              c.backend.c_str(), time_text(c.variants[0].times.median).c_str(), rate_text(rate, "GFLOP/s").c_str(),
              number(100 * rate / c.roof_rate, 0, "% of fma").c_str(), c.bits.c_str());
  for (std::size_t v = 1; v < c.variants.size(); ++v)
    std::printf("  %s %.2f (%.2f-%.2f)", c.variants[v].name.c_str(), c.variants[v].ratio, c.variants[v].confidence.low,
                c.variants[v].confidence.high);
  std::printf("%s\n", c.converged ? "" : "  not converged");
  std::fflush(stdout);
  results_.cases.push_back(std::move(c));
  return true;
}

void findings::note(const std::string& name, const std::string& value) {
  for (auto& [key, text] : results_.context)
    if (key == name) {
      text = value;
      return;
    }
  results_.context.emplace_back(name, value);
  std::printf("%-8s %s\n", name.c_str(), value.c_str());
  std::fflush(stdout);
}

std::string findings::so_far() const {
  std::string text = std::to_string(results_.cases.size()) + " of " + std::to_string(whole_) + " cases";
  const bool begun = std::any_of(results_.cases.begin(), results_.cases.end(), [&](const case_result& c) {
    return c.kernel != "pgemm" && static_cast<int>(c.passes.size()) < what_.passes;
  });
  return text + (begun ? ", some of them in fewer than " + std::to_string(what_.passes) + " passes" : "");
}

void findings::find_slow() {
  results_.ranks.slow.clear();
  for (const member& m : ranks_) {
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

void findings::keep() {
  find_slow();
  results_.ranks.places.clear();
  for (const member& m : ranks_) results_.ranks.places.push_back(m.place);
  if (!what_.json.empty()) write_json(results_, what_.json);
  if (!what_.csv.empty()) write_csv(results_, what_.csv);
}

void findings::end(const std::string& status) {
  results_.status = status;
  keep();
}

int findings::conclude(bool out_of_time) {
  std::printf("\n%zu cases on %zu ranks, %.0f s.\n", results_.cases.size(), ranks_.size(), watch_.seconds());
  if (out_of_time) std::printf("The time limit left cases out.\n");
  std::map<std::string, std::pair<int, int>> of_host;  // slow ranks, all ranks
  for (const member& m : ranks_) ++of_host[m.place.host].second;
  for (const slow_rank& s : results_.ranks.slow) {
    const member& m = ranks_[static_cast<std::size_t>(s.rank)];
    ++of_host[m.place.host].first;
    std::printf("SLOW: %s, in %d of %d cases; %.2f times the median's time in the mean.\n", m.name().c_str(), s.cases,
                s.of, s.factor);
  }
  for (const auto& [host, count] : of_host)
    if (count.second > 1 && count.first == count.second && of_host.size() > 1)
      std::printf("SLOW: the node %s, with all of its %d ranks.\n", host.c_str(), count.second);
  if (results_.ranks.slow.empty() && !results_.cases.empty() && ranks_.size() > 1)
    std::printf("No rank is slower than the others by more than %.0f %% and chance.\n", 100 * what_.slow);
  for (const link_result& l : results_.ranks.links)
    if (l.slow)
      std::printf("SLOW: the link by %s from %s to %s, %s.\n", l.by.c_str(),
                  ranks_[static_cast<std::size_t>(l.from)].name().c_str(),
                  ranks_[static_cast<std::size_t>(l.to)].name().c_str(), rate_text(l.rate, "GB/s").c_str());
  for (const rank_failure& f : results_.ranks.failures)
    std::printf("FAILED: %s: %s: %s\n", ranks_[static_cast<std::size_t>(f.rank)].name().c_str(), f.what.c_str(),
                f.why.c_str());
  if (results_.cases.empty()) return cannot_run;
  return results_.ranks.failures.empty() ? 0 : failed;
}

}  // namespace abax::perf

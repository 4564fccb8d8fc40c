// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "results.hpp"
#include "table.hpp"

namespace abax::perf {
namespace {

// How much two runs of one program differ beyond what their passes show, as standard deviations of a time's logarithm:
// docs/results.md has the measurements. What one launch costs depends on where a process' threads meet.
constexpr double between_processes = 0.015, between_launches = 0.09;
constexpr double between_passes = 0.02;  // where a file has one only

/// The logarithm of after / before, and its standard deviation.
struct change {
  double log, error;

  double ratio() const { return std::exp(log); }
  interval within(double errors) const { return {std::exp(log - errors * error), std::exp(log + errors * error)}; }
};
constexpr double of_95 = 1.96, of_90 = 1.645;  // standard deviations to each side of a normal distribution's middle

/// As many on both sides as chance leaves in one of `tests` at most, in 95 of 100 such comparisons.
double of_all(std::size_t tests) {
  const double outside = 0.05 / static_cast<double>(std::max<std::size_t>(1, tests));
  double low = 0, high = 40;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > outside ? low : high) = middle;
  }
  return low;
}

struct beside {
  std::string name;
  change ratio;
};
struct row {
  const case_result* what;
  double before, after;  // Abax' medians
  double roof;           // the logarithm of what the measured ceiling alone would make of the time
  change ratio;
  std::vector<beside> peers;
  std::string verdict;

  /// The geometric mean over its peers: what the machine did meanwhile. 0: there are none.
  double of_peers() const {
    double sum = 0;
    for (const beside& p : peers) sum += p.ratio.log;
    return peers.empty() ? 0 : std::exp(sum / static_cast<double>(peers.size()));
  }
};

/// `sure`: so many deviations are no chance.
bool is_slower(const change& c, double threshold, double sure) {
  return c.log > std::log1p(threshold) && c.log > sure * c.error;
}
std::string verdict_of(const change& c, double threshold, double sure) {
  if (is_slower(c, threshold, sure)) return "slower";
  if (is_slower({-c.log, c.error}, threshold, sure)) return "faster";
  return std::abs(c.log) + of_90 * c.error <= std::log1p(threshold) ? "same" : "uncertain";
}

/// The peers whose code is the same in both files: what has become of their times is what the machine did. Those that are
/// a part of Abax are not among them.
std::vector<double> foreign_changes(const std::vector<row>& rows, const run_results& before, const run_results& after) {
  const auto version = [](const run_results& r, const std::string& peer) {
    const auto line = std::find_if(r.context.begin(), r.context.end(), [&](const auto& l) { return l.first == peer; });
    return line == r.context.end() ? "" : line->second;
  };
  std::vector<double> changes;
  for (const row& r : rows)
    for (const beside& p : r.peers)
      if (p.name != "copy" && p.name != "twin" && version(before, p.name) == version(after, p.name))
        changes.push_back(p.ratio.log);
  return changes;
}

/// How much faster or slower the machine was in all: their median. Nothing where they are too few.
change drift_of(std::vector<double> changes) {
  constexpr std::size_t fewest = 20;
  if (changes.size() < fewest) return {0, 0};
  const double middle = median_of(changes), n = static_cast<double>(changes.size());
  for (double& c : changes) c = std::abs(c - middle);
  return {middle, 1.25 * 1.4826 * median_of(changes) / std::sqrt(n)};  // as a median of normal ones
}

/// What of a case's change is Abax': without what the machine did in all, and what it did to the case's own ceiling
/// where that moved beyond the threshold.
change of_abax(const row& r, const change& drift, double threshold) {
  const double log = r.ratio.log - drift.log;
  const double roof = std::abs(r.roof) > std::log1p(threshold) ? r.roof - drift.log : 0;
  const double explained = log > 0 ? std::clamp(roof, 0.0, log) : std::clamp(roof, log, 0.0);
  return {log - explained, std::hypot(r.ratio.error, drift.error)};
}

/// The geometric mean of many. Its error is what each one's makes, or what their scatter shows: whichever is larger.
change mean_of(const std::vector<change>& all) {
  const double n = static_cast<double>(all.size());
  double sum = 0, squares = 0, own = 0;
  for (const change& c : all) sum += c.log;
  for (const change& c : all) {
    squares += (c.log - sum / n) * (c.log - sum / n);
    own += c.error * c.error;
  }
  return {sum / n, std::sqrt(std::max(all.size() > 1 ? squares / (n - 1) / n : 0, own / (n * n)))};
}

/// Passes are few, and so an error taken from one case's may be small by chance: a third of each is the typical one.
void moderate(std::vector<row>& rows) {
  const auto typical = [](std::vector<double> squares) { return squares.empty() ? 0 : median_of(std::move(squares)); };
  std::vector<double> of_abax, of_peers;
  for (const row& r : rows) {
    of_abax.push_back(r.ratio.error * r.ratio.error);
    for (const beside& p : r.peers) of_peers.push_back(p.ratio.error * p.ratio.error);
  }
  const double abax = typical(of_abax), peers = typical(of_peers);
  for (row& r : rows) {
    const double beyond = r.what->kernel.starts_with("launch") ? between_launches : between_processes;
    const auto whole = [&](double error, double usual) {
      return std::sqrt((2 * error * error + usual) / 3 + beyond * beyond);
    };
    r.ratio.error = whole(r.ratio.error, abax);
    for (beside& p : r.peers) p.ratio.error = whole(p.ratio.error, peers);
  }
}

change change_of(const variant_result& after, const std::vector<int>& passes_after, const variant_result& before,
                 const std::vector<int>& passes_before) {
  double squares = 0;
  for (const auto& [v, passes] : {std::pair{&after, &passes_after}, {&before, &passes_before}}) {
    const double error = median_error(v->times.samples, *passes);
    squares += error * error + (passes->size() > 1 ? 0 : between_passes * between_passes);
  }
  return {std::log(after.times.median / before.times.median), std::sqrt(squares)};
}

using key = std::array<std::string, 4>;
key key_of(const case_result& c) { return {c.kernel, c.type, c.shape, c.backend}; }
std::string text(const case_result& c) { return c.kernel + " " + c.type + " " + c.shape + " " + c.backend; }

std::map<key, const case_result*> by_key(const run_results& results) {
  std::map<key, const case_result*> cases;
  for (const case_result& c : results.cases) cases[key_of(c)] = &c;
  return cases;
}

std::map<std::string, const variant_result*> by_name(const case_result& c) {
  std::map<std::string, const variant_result*> variants;
  for (const variant_result& v : c.variants) variants[v.name] = &v;
  return variants;
}

/// Where the two runs differ in what figures depend on. Ceilings are compared as numbers, below.
void print_contexts(const run_results& before, const run_results& after) {
  std::set<std::string> skipped{"Begun"};
  for (const run_results* r : {&before, &after})
    for (const case_result& c : r->cases) skipped.insert(c.backend);
  const std::map<std::string, std::string> a(before.context.begin(), before.context.end());
  const std::map<std::string, std::string> b(after.context.begin(), after.context.end());
  std::set<std::string> names;
  for (const auto& [name, value] : a) names.insert(name);
  for (const auto& [name, value] : b) names.insert(name);
  for (const std::string& name : names) {
    const auto in_a = a.find(name), in_b = b.find(name);
    const std::string was = in_a == a.end() ? "(nothing)" : in_a->second;
    const std::string is = in_b == b.end() ? "(nothing)" : in_b->second;
    if (was != is && skipped.count(name) == 0)
      std::printf("%s differs:\n  before  %s\n  after   %s\n", name.c_str(), was.c_str(), is.c_str());
  }
  for (const auto& [results, name] : {std::pair{&before, "before"}, {&after, "after"}})
    if (results->status != "complete")
      std::printf("The run %s was not completed: %s.\n", name, results->status.c_str());
}

/// Each ceiling that the machine itself did not reach again, within the threshold; how many.
std::size_t print_ceilings(const std::vector<row>& rows, const std::map<key, const case_result*>& before,
                           double threshold) {
  std::set<std::string> said;
  for (const row& r : rows) {
    const double was = before.at(key_of(*r.what))->roof_rate, is = r.what->roof_rate;
    const bool fma = r.what->roof == "fma";
    const std::string name = r.what->backend + "'s ceiling " + r.what->roof + (fma ? " " + r.what->type : "");
    if (std::max(was, is) > (1 + threshold) * std::min(was, is) && said.insert(name).second) {
      const char* const unit = fma ? "GFLOP/s" : "GB/s";
      std::printf("%s differs: before %s, after %s\n", name.c_str(), rate_text(was, unit).c_str(),
                  rate_text(is, unit).c_str());
    }
  }
  return said.size();
}

std::string text(const change& c) {
  const interval sure = c.within(of_95);
  char ratio[64];
  std::snprintf(ratio, sizeof ratio, "%.3f (%.3f-%.3f)", c.ratio(), sure.low, sure.high);
  return ratio;
}

void print(const row& r) {
  const std::string peers = r.peers.empty() ? "" : number(r.of_peers(), 3, "");
  std::printf("%-13s %-3s  %-20s %-6s  %10s  %10s  %-21s  %6s  %s\n", r.what->kernel.c_str(), r.what->type.c_str(),
              r.what->shape.c_str(), r.what->backend.c_str(), time_text(r.before).c_str(), time_text(r.after).c_str(),
              text(r.ratio).c_str(), peers.c_str(), r.verdict.c_str());
}

/// By kernel: whether one of them changed by less than can be seen in a single case.
void print_kernels(const std::vector<row>& rows) {
  std::map<std::array<std::string, 3>, std::pair<std::vector<change>, std::vector<change>>> kernels;
  for (const row& r : rows) {
    auto& [abax, peers] = kernels[{r.what->backend, r.what->kernel, r.what->type}];
    abax.push_back(r.ratio);
    for (const beside& p : r.peers) peers.push_back(p.ratio);
  }
  if (kernels.size() == rows.size()) return;
  std::printf("\nbackend kernel              type  cases  after / before         peers'\n");
  for (const auto& [name, of] : kernels)
    std::printf("%-6s  %-18s  %-4s  %5zu  %-21s  %s\n", name[0].c_str(), name[1].c_str(), name[2].c_str(),
                of.first.size(), text(mean_of(of.first)).c_str(),
                of.second.empty() ? "" : number(mean_of(of.second).ratio(), 3, "").c_str());
}

struct outcome {
  std::string verdict = "nothing to compare";
  std::optional<change> abax, peers;
};

/// Of the runs as a whole: by the cases that moved, and else by the mean.
outcome whole_of(const std::vector<row>& rows, const change& drift, double threshold) {
  outcome o;
  if (rows.empty()) return o;
  std::vector<change> abax, peers;
  std::set<std::string> verdicts;
  for (const row& r : rows) {
    abax.push_back(r.ratio);
    for (const beside& p : r.peers) peers.push_back(p.ratio);
    verdicts.insert(r.verdict);
  }
  o.abax = mean_of(abax);
  if (!peers.empty()) o.peers = mean_of(peers);
  const change own{o.abax->log - drift.log, std::hypot(o.abax->error, drift.error)};
  const std::string of_mean = verdict_of(own, threshold, of_95);
  verdicts.insert(of_mean);
  const bool slower = verdicts.count("slower") > 0, faster = verdicts.count("faster") > 0;
  o.verdict = slower && faster ? "slower and faster" : slower ? "slower" : faster ? "faster" : of_mean;
  return o;
}

nlohmann::ordered_json json_of(const change& c) {
  return {{"ratio", c.ratio()}, {"ratio_low", c.within(of_95).low}, {"ratio_high", c.within(of_95).high}};
}

void write(const std::vector<row>& rows, const outcome& whole, const change& drift, const comparison& what) {
  nlohmann::ordered_json all = {{"schema", "abax-perf-compare 2"},
                                {"before", what.before},
                                {"after", what.after},
                                {"threshold", what.threshold},
                                {"verdict", whole.verdict}};
  if (whole.abax) all["mean"] = json_of(*whole.abax);
  if (whole.peers) all["mean_of_peers"] = json_of(*whole.peers);
  all["machine"] = drift.ratio();
  all["cases"] = nlohmann::ordered_json::array();
  for (const row& r : rows) {
    nlohmann::ordered_json one = {{"kernel", r.what->kernel},   {"type", r.what->type}, {"shape", r.what->shape},
                                  {"backend", r.what->backend}, {"before", r.before},   {"after", r.after}};
    one.update(json_of(r.ratio));
    one["verdict"] = r.verdict;
    one["peers"] = nlohmann::ordered_json::object();
    for (const beside& p : r.peers) one["peers"][p.name] = json_of(p.ratio);
    all["cases"].push_back(std::move(one));
  }
  write_whole(what.json, all.dump(1) + "\n");
}

}  // namespace

bool compare(const comparison& what) {
  const run_results before = read_json(what.before), after = read_json(what.after);
  if (!what.json.empty()) require_writable(what.json);
  print_contexts(before, after);

  const auto old_cases = by_key(before), new_cases = by_key(after);
  std::vector<row> rows;
  std::vector<std::string> only_before, only_after, other_operands, wrong;
  for (const case_result& c : before.cases)
    if (new_cases.count(key_of(c)) == 0) only_before.push_back(text(c));
  for (const case_result& c : after.cases) {
    if (c.bits != "same") wrong.push_back(text(c) + ": " + c.bits);
    const auto old = old_cases.find(key_of(c));
    if (old == old_cases.end()) {
      only_after.push_back(text(c));
      continue;
    }
    if ((c.sets == 1) != (old->second->sets == 1)) {  // a warm time says nothing of a cold one
      other_operands.push_back(text(c));
      continue;
    }
    const auto old_variants = by_name(*old->second), new_variants = by_name(c);
    for (const variant_result& v : old->second->variants)
      if (new_variants.count(v.name) == 0) only_before.push_back(text(c) + ", " + v.name);
    std::optional<row> found;
    for (const variant_result& v : c.variants) {
      const auto was = old_variants.find(v.name);
      if (was == old_variants.end()) {
        only_after.push_back(text(c) + ", " + v.name);
        continue;
      }
      const change ratio = change_of(v, c.passes, *was->second, old->second->passes);
      if (v.name == "abax")
        found = row{
            &c, was->second->times.median, v.times.median, std::log(old->second->roof_rate / c.roof_rate), ratio, {},
            ""};
      else if (found)
        found->peers.push_back({v.name, ratio});
    }
    if (found) rows.push_back(std::move(*found));
  }
  moderate(rows);
  const double sure = of_all(rows.size());
  const change drift = drift_of(foreign_changes(rows, before, after));
  const std::size_t changed = print_ceilings(rows, old_cases, what.threshold);

  std::map<std::string, int> counts;
  std::vector<const row*> failures;
  bool headed = false;
  for (row& r : rows) {
    const change own = of_abax(r, drift, what.threshold);
    r.verdict = verdict_of(own, what.threshold, sure);
    ++counts[r.verdict];
    if (what.fail_on && is_slower(own, *what.fail_on, sure)) failures.push_back(&r);
    if ((r.verdict == "same" || r.verdict == "uncertain") && !what.all) continue;
    if (!headed)
      std::printf("\n%-13s %-3s %-20s %-7s  %10s  %10s  %-21s  %6s\n", "kernel", "type", "shape", "backend", "before",
                  "after", "after / before (95 %)", "peers'");
    headed = true;
    print(r);
  }
  print_kernels(rows);
  const auto print_list = [](const char* title, const std::vector<std::string>& list) {
    if (!list.empty()) std::printf("\n%s\n", title);
    for (const std::string& line : list) std::printf("  %s\n", line.c_str());
  };
  print_list("Only before:", only_before);
  print_list("Only after:", only_after);
  print_list("Not compared, one run with its operands in the caches and one without:", other_operands);
  print_list("Wrong bits after:", wrong);
  const outcome whole = whole_of(rows, drift, what.threshold);
  std::printf("\nThe runs are: %s\n", whole.verdict.c_str());
  if (whole.abax)
    std::printf("Abax takes %s of the time before, in the mean of %zu cases", text(*whole.abax).c_str(), rows.size());
  if (whole.peers) std::printf("; its peers %s", text(*whole.peers).c_str());
  if (drift.log != 0)
    std::printf(". The machine took %.3f, by the median of %s: verdicts are of what remains", drift.ratio(),
                "the peers that did not change");
  std::printf("%s%zu compared: %d slower, %d faster, %d same (within %g %%), %d uncertain.\n", whole.abax ? ".\n" : "",
              rows.size(), counts["slower"], counts["faster"], counts["same"], 100 * what.threshold,
              counts["uncertain"]);
  if (changed > 0 && counts["slower"] + counts["faster"] > 0)
    std::printf("The machine's own ceilings are others, too: run both again before you believe that Abax is.\n");
  if (!failures.empty())
    std::printf("Abax is slower by more than %g %% in %zu of them.\n", 100 * *what.fail_on, failures.size());
  if (!what.json.empty()) write(rows, whole, drift, what);
  return failures.empty() && wrong.empty();
}

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "results.hpp"
#include "table.hpp"

namespace abax::perf {
namespace {

struct row {
  const case_result* what;
  std::string variant;
  double before, after;  // medians
  interval ratio;        // 95 % of after / before: above 1, it became slower
  std::string verdict;
};

std::string verdict_of(const interval& ratio, double threshold) {
  const double slower = 1 + threshold, faster = 1 / slower;
  if (ratio.low > slower) return "slower";
  if (ratio.high < faster) return "faster";
  return ratio.low >= faster && ratio.high <= slower ? "same" : "uncertain";
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

void print(const row& r) {
  char ratio[64];
  std::snprintf(ratio, sizeof ratio, "%.3f (%.3f-%.3f)", r.after / r.before, r.ratio.low, r.ratio.high);
  std::printf("%-13s %-3s  %-20s %-6s  %-8s  %10s  %10s  %-21s  %s\n", r.what->kernel.c_str(), r.what->type.c_str(),
              r.what->shape.c_str(), r.what->backend.c_str(), r.variant.c_str(), time_text(r.before).c_str(),
              time_text(r.after).c_str(), ratio, r.verdict.c_str());
}

void write(const std::vector<row>& rows, const comparison& what) {
  nlohmann::ordered_json all = {{"schema", "abax-perf-compare 1"},
                                {"before", what.before},
                                {"after", what.after},
                                {"threshold", what.threshold},
                                {"cases", nlohmann::ordered_json::array()}};
  for (const row& r : rows)
    all["cases"].push_back({{"kernel", r.what->kernel},
                            {"type", r.what->type},
                            {"shape", r.what->shape},
                            {"backend", r.what->backend},
                            {"variant", r.variant},
                            {"before", r.before},
                            {"after", r.after},
                            {"ratio_low", r.ratio.low},
                            {"ratio_high", r.ratio.high},
                            {"verdict", r.verdict}});
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
    for (const variant_result& v : c.variants) {
      const auto was = old_variants.find(v.name);
      if (was == old_variants.end()) {
        only_after.push_back(text(c) + ", " + v.name);
        continue;
      }
      const std::vector<double>&a = was->second->times.samples, &b = v.times.samples;
      const interval ratio = independent_ratio_interval(b, c.passes, a, old->second->passes);
      rows.push_back({&c, v.name, median_of(a), median_of(b), ratio, verdict_of(ratio, what.threshold)});
    }
  }
  const std::size_t changed = print_ceilings(rows, old_cases, what.threshold);

  std::map<std::string, int> counts;
  std::vector<const row*> failures;
  bool headed = false;
  for (const row& r : rows) {
    ++counts[r.verdict];
    if (what.fail_on && r.variant == "abax" && r.ratio.low > 1 + *what.fail_on) failures.push_back(&r);
    if (r.verdict == "same" && !what.all) continue;
    if (!headed)
      std::printf("\n%-13s %-3s %-20s %-7s  %-8s  %10s  %10s  %-21s\n", "kernel", "type", "shape", "backend", "variant",
                  "before", "after", "after / before (95 %)");
    headed = true;
    print(r);
  }
  const auto print_list = [](const char* title, const std::vector<std::string>& list) {
    if (!list.empty()) std::printf("\n%s\n", title);
    for (const std::string& line : list) std::printf("  %s\n", line.c_str());
  };
  print_list("Only before:", only_before);
  print_list("Only after:", only_after);
  print_list("Not compared, one run with its operands in the caches and one without:", other_operands);
  print_list("Wrong bits after:", wrong);
  std::printf("\n%zu compared: %d slower, %d faster, %d same (within %g %%), %d uncertain.\n", rows.size(),
              counts["slower"], counts["faster"], counts["same"], 100 * what.threshold, counts["uncertain"]);
  if (changed > 0 && counts["slower"] + counts["faster"] > 0)
    std::printf("The machine's own ceilings are others, too: run both again before you believe that Abax is.\n");
  if (!failures.empty())
    std::printf("Abax is slower by more than %g %% in %zu of them.\n", 100 * *what.fail_on, failures.size());
  if (!what.json.empty()) write(rows, what);
  return failures.empty() && wrong.empty();
}

}  // namespace abax::perf

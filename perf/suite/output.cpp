// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "random.hpp"
#include "table.hpp"
#include "timing.hpp"

namespace abax::perf {
namespace {

/// How many of all samples, and why.
std::string throttled_text(const case_result& c) {
  if (c.throttled_by.empty()) return "";
  std::size_t samples = 0, throttled = 0;
  for (const variant_result& v : c.variants) {
    samples += v.samples.size();
    throttled += v.throttled.size();
  }
  std::string text = "  throttled " + number(100.0 * throttled / samples, 0, "%") + " (";
  for (const std::string& why : c.throttled_by) text += (why == c.throttled_by[0] ? "" : ", ") + why;
  return text + ")";
}

/// The fastest peer of a case that has some.
const variant_result& worst_of(const case_result& c) {
  return *std::min_element(c.variants.begin() + 1, c.variants.end(),
                           [](const variant_result& a, const variant_result& b) { return a.ratio < b.ratio; });
}

struct choice {
  const row_figure *chosen, *best;

  double factor() const { return chosen->median / best->median; }
};
/// Of a case that has rows.
choice choice_of(const case_result& c) {
  const auto chosen = std::ranges::find(c.rows, true, &row_figure::chosen);
  const auto best = std::ranges::min_element(c.rows, {}, &row_figure::median);
  return {chosen == c.rows.end() ? &c.rows.back() : &*chosen, &*best};
}

}  // namespace

void print(const text_lines& lines) {
  for (const auto& [name, value] : lines) std::printf("%-10s %s\n", name.c_str(), value.c_str());
  std::fflush(stdout);
}

std::string ceilings_text(const ceilings& c) {
  return "copy " + rate_text(c.copy, "GB/s") + ", read " + rate_text(c.read, "GB/s") + ", update " +
         rate_text(c.update, "GB/s") + ", combine " + rate_text(c.combine, "GB/s") + "; FMA " +
         rate_text(c.fma_f32, "GFLOP/s") + " in float (" + c.fma_f32_by + "), " + rate_text(c.fma_f64, "GFLOP/s") +
         " in double (" + c.fma_f64_by + ")";
}

void print_heading() {
  std::printf(
      "\nkernel        type shape                backend     median            rate  of the roof   bits  "
      "peer's time / Abax' (95 %%)\n");
}

void print(const case_result& c) {
  const variant_result& abax = c.variants[0];
  const double rate = c.amount / abax.median;
  std::printf("%-13s %-4s %-20s %-6s  %10s  %14s  %-12s  %s", c.kernel.c_str(), c.type.c_str(), c.shape.c_str(),
              c.backend.c_str(), time_text(abax.median).c_str(),
              rate_text(rate, c.unit == "FLOP" ? "GFLOP/s" : "GB/s   ").c_str(),
              number(100 * rate / c.roof_rate, 0, ("% of " + c.roof).c_str()).c_str(), c.bits.c_str());
  for (std::size_t v = 1; v < c.variants.size(); ++v)
    std::printf("  %s %.2f (%.2f-%.2f)", c.variants[v].name.c_str(), c.variants[v].ratio, c.variants[v].ratio_low,
                c.variants[v].ratio_high);
  if (!abax.device_samples.empty()) std::printf("  events %s", time_text(abax.device_median).c_str());
  if (!c.ranks.empty()) {
    const auto [least, most] = std::ranges::minmax(c.ranks, {}, &rank_figure::median);
    std::printf("  ranks %s to %s", time_text(least.median).c_str(), time_text(most.median).c_str());
    for (const rank_figure& f : c.ranks)
      if (std::ranges::count(c.slow, f.rank) > 0)
        std::printf("  SLOW: rank %d, %.2f x", f.rank, f.median / abax.median);
  }
  std::printf("%s%s\n", c.converged ? "" : "  not converged", throttled_text(c).c_str());
  std::fflush(stdout);
}

void print_means(const std::vector<case_result>& cases, bool random) {
  std::map<std::array<std::string, 4>, std::vector<double>> ratios;
  for (const case_result& c : cases) {
    const std::string kernel = random ? std::string(first_word(c.kernel)) : c.kernel;
    for (std::size_t v = 1; v < c.variants.size(); ++v)
      ratios[{c.backend, c.variants[v].name, kernel, c.type}].push_back(c.variants[v].ratio);
    if (random && c.variants.size() > 2)
      ratios[{c.backend, "the fastest", kernel, c.type}].push_back(worst_of(c).ratio);
  }
  if (ratios.empty()) return;
  std::printf("\nAbax beside         kernel         type  cases  geometric mean  5 %%    least\n");
  for (const auto& [key, all] : ratios) {
    const ratio_summary s = summary_of(all);
    std::printf("%-6s %-12s %-13s  %-4s  %5zu  %14.3f  %5.2f  %5.2f\n", key[0].c_str(), key[1].c_str(), key[2].c_str(),
                key[3].c_str(), all.size(), s.mean, s.fifth, s.least);
  }
}

void print_choices(const std::vector<case_result>& cases) {
  struct shapes {
    int near = 0, all = 0;
    std::vector<const case_result*> slow;
  };
  std::map<std::array<std::string, 3>, shapes> groups;
  for (const case_result& c : cases) {
    shapes& group = groups[{c.backend, std::string(first_word(c.kernel)), c.type}];
    if (!c.rows.empty()) {
      ++group.all;
      group.near += choice_of(c).factor() <= 1.05;
    }
    if (c.variants.size() > 1 && worst_of(c).ratio < 1) group.slow.push_back(&c);
  }
  std::printf("\nRows of the catalogue: shapes whose chosen row takes at most 5 %% longer than the fastest\n");
  for (const auto& [key, group] : groups)
    if (group.all > 0)
      std::printf("%-6s %-9s %-4s %5d of %d\n", key[0].c_str(), key[1].c_str(), key[2].c_str(), group.near, group.all);
  constexpr std::size_t most = 10;
  for (auto& [key, group] : groups) {
    if (group.slow.empty()) continue;
    std::ranges::sort(group.slow, {}, [](const case_result* c) { return worst_of(*c).ratio; });
    std::printf("\n%s %s %s: the worst\n", key[0].c_str(), key[1].c_str(), key[2].c_str());
    group.slow.resize(std::min(most, group.slow.size()));
    for (const case_result* c : group.slow) {
      const variant_result& peer = worst_of(*c);
      std::printf("  %s%.2f  %s %s: %s, %s %s", c->converged ? " " : "~", peer.ratio, c->kernel.c_str(),
                  c->shape.c_str(), time_text(c->variants[0].median).c_str(), peer.name.c_str(),
                  time_text(peer.median).c_str());
      if (!c->rows.empty()) {
        const choice found = choice_of(*c);
        std::printf("; row \"%s\" %s", found.chosen->name.c_str(), time_text(found.chosen->median).c_str());
        if (found.best != found.chosen)
          std::printf(", \"%s\" %s (%.2f)", found.best->name.c_str(), time_text(found.best->median).c_str(),
                      found.factor());
      }
      std::printf("\n");
    }
  }
}

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "table.hpp"

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
  std::printf("%-13s %-3s  %-20s %-6s  %10s  %14s  %-12s  %s", c.kernel.c_str(), c.type.c_str(), c.shape.c_str(),
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

void print_means(const std::vector<case_result>& cases) {
  struct mean {
    double logarithms = 0, least = 1e300;
    int count = 0;
  };
  std::map<std::array<std::string, 4>, mean> means;
  for (const case_result& c : cases)
    for (std::size_t v = 1; v < c.variants.size(); ++v) {
      mean& m = means[{c.backend, c.variants[v].name, c.kernel, c.type}];
      m.logarithms += std::log(c.variants[v].ratio);
      m.least = std::min(m.least, c.variants[v].ratio);
      ++m.count;
    }
  if (means.empty()) return;
  std::printf("\nAbax beside      kernel         type  cases  geometric mean  least\n");
  for (const auto& [key, m] : means)
    std::printf("%-6s %-9s %-13s  %-4s  %5d  %14.3f  %5.2f\n", key[0].c_str(), key[1].c_str(), key[2].c_str(),
                key[3].c_str(), m.count, std::exp(m.logarithms / m.count), m.least);
}

}  // namespace abax::perf

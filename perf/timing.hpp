// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How long calls take, from samples long enough for the clock and for a fence, and how sure that is.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

namespace abax::perf {

/// Shortest samples. A call on the host is over when it returns, so only the clock's step counts, and short samples
/// leave other programs' interruptions to the few that they fall in. The way to a GPU and back must not count.
inline constexpr double host_sample = 1e-4, device_sample = 2e-2;

/// The middle value; `values` must not be empty.
inline double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct timing {
  double median, best, deviation;  ///< seconds for one call; deviation: the median absolute one
  int calls;                       ///< in one sample
  std::vector<double> samples;     ///< seconds for one call, in the order they were taken
};

inline timing summary(int calls, const std::vector<double>& samples) {
  const double median = median_of(samples);
  std::vector<double> away;
  for (const double s : samples) away.push_back(std::abs(s - median));
  return {median, *std::min_element(samples.begin(), samples.end()), median_of(away), calls, samples};
}

/// Calls call(0) to call(variants - 1) over and over for about `budget` seconds in all: round by round, each variant
/// once in a round and in random order, so that what the machine does meanwhile befalls all alike. A sample is a batch
/// of calls and one fence(), at least `sample` seconds of work.
template <class Call, class Fence>
std::vector<timing> measure(int variants, const Call& call, const Fence& fence, double budget, double sample) {
  using clock = std::chrono::steady_clock;
  const auto batch = [&](int variant, int calls) {
    const auto begin = clock::now();
    for (int c = 0; c < calls; ++c) call(variant);
    fence();
    return std::chrono::duration<double>(clock::now() - begin).count();
  };
  constexpr int fewest = 5, most = 2000;
  std::vector<int> calls(variants, 1), order;
  double spent = 0;
  for (int v = 0; v < variants; ++v) {  // warm-up, which also says how many calls fill a sample
    double last = batch(v, 1);
    while (last < sample) {
      calls[v] = std::max(2 * calls[v], static_cast<int>(calls[v] * std::min(sample / last, 1000.0)));
      last = batch(v, calls[v]);
    }
    order.push_back(v);
  }
  std::vector<std::vector<double>> times(variants);
  std::mt19937 random(1);
  while (static_cast<int>(times[0].size()) < most && (static_cast<int>(times[0].size()) < fewest || spent < budget)) {
    std::shuffle(order.begin(), order.end(), random);
    for (const int v : order) {
      const double seconds = batch(v, calls[v]);
      spent += seconds;
      times[v].push_back(seconds / calls[v]);
    }
  }
  std::vector<timing> all;
  for (int v = 0; v < variants; ++v) all.push_back(summary(calls[v], times[v]));
  return all;
}

struct interval {
  double low, high;
};

/// The 95 % interval of median(a) / median(b), taken in the same rounds: by the bootstrap, which draws rounds anew.
inline interval ratio_interval(const timing& a, const timing& b) {
  constexpr int draws = 1000;
  std::mt19937 random(2);
  const std::size_t rounds = a.samples.size();
  std::uniform_int_distribution<std::size_t> any(0, rounds - 1);
  std::vector<double> ratios, drawn_a(rounds), drawn_b(rounds);
  for (int d = 0; d < draws; ++d) {
    for (std::size_t r = 0; r < rounds; ++r) {
      const std::size_t round = any(random);
      drawn_a[r] = a.samples[round];
      drawn_b[r] = b.samples[round];
    }
    ratios.push_back(median_of(drawn_a) / median_of(drawn_b));
  }
  std::sort(ratios.begin(), ratios.end());
  return {ratios[draws / 40], ratios[draws - 1 - draws / 40]};
}

}  // namespace abax::perf

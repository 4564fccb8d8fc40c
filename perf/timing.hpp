// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How long calls take, from samples long enough for the clock and for a fence, and how sure that is.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "interruption.hpp"

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

struct interval {
  double low, high;
};

/// The 95 % interval of the samples' median by their ranks, whatever their distribution.
inline interval median_interval(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const double n = static_cast<double>(samples.size());
  const auto outside = static_cast<std::size_t>(std::max(1.0, std::floor(n / 2 - 0.98 * std::sqrt(n)))) - 1;
  return {samples[outside], samples[samples.size() - 1 - outside]};
}

/// How long to measure.
struct effort {
  double budget;        ///< seconds in all, at least
  double sample;        ///< seconds of one sample, at least
  double patience = 0;  ///< seconds in all: until then it goes on where a median is not known to `precision`
  double precision = std::numeric_limits<double>::infinity();

  bool reached(const std::vector<double>& samples) const {
    const double median = median_of(samples);
    const interval i = median_interval(samples);
    return i.high <= (1 + precision) * median && i.low >= (1 - precision) * median;
  }
};

inline timing summary(int calls, const std::vector<double>& samples) {
  const double median = median_of(samples);
  std::vector<double> away;
  for (const double s : samples) away.push_back(std::abs(s - median));
  return {median, *std::min_element(samples.begin(), samples.end()), median_of(away), calls, samples};
}

/// Calls call(0) to call(variants - 1) over and over: round by round, each variant once in a round and in random order,
/// so that what the machine does meanwhile befalls all alike. A sample is a batch of calls and one fence(). How narrow
/// the medians' intervals are is asked only now and then: who asks after each round stops where chance made them narrow.
template <class Call, class Fence>
std::vector<timing> measure(int variants, const Call& call, const Fence& fence, const effort& how) {
  using clock = std::chrono::steady_clock;
  const auto batch = [&](int variant, int calls) {
    require_going_on();
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
    while (last < how.sample) {
      calls[v] = std::max(2 * calls[v], static_cast<int>(calls[v] * std::min(how.sample / last, 1000.0)));
      last = batch(v, calls[v]);
    }
    order.push_back(v);
  }
  std::vector<std::vector<double>> times(variants);
  std::mt19937 random(1);
  double enough = how.budget;
  while (static_cast<int>(times[0].size()) < most) {
    if (static_cast<int>(times[0].size()) >= fewest && spent >= enough) {
      const auto reached = [&](const std::vector<double>& samples) { return how.reached(samples); };
      if (spent >= how.patience || std::all_of(times.begin(), times.end(), reached)) break;
      enough = std::min(2 * enough, how.patience);
    }
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

/// Medians of `draws` resamplings. Whole runs of neighbours are drawn, so that what lasts longer than a sample (a clock,
/// another program) counts for what it is: the circular block bootstrap (Politis and Romano, 1992).
inline std::vector<double> drawn_medians(const std::vector<double>& samples, int draws, unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t n = samples.size();
  const std::size_t block = n < 16 ? 1 : static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  std::uniform_int_distribution<std::size_t> any(0, n - 1);
  std::vector<double> medians, drawn(n);
  for (int d = 0; d < draws; ++d) {
    for (std::size_t s = 0, at = 0; s < n; ++s) {
      at = s % block == 0 ? any(random) : (at + 1) % n;
      drawn[s] = samples[at];
    }
    medians.push_back(median_of(drawn));
  }
  return medians;
}

/// The 95 % interval of median(a) / median(b), which have nothing to do with each other: two runs' samples.
inline interval independent_ratio_interval(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr int draws = 2000;
  std::vector<double> ratios = drawn_medians(a, draws, 3);
  const std::vector<double> below = drawn_medians(b, draws, 4);
  for (int d = 0; d < draws; ++d) ratios[d] /= below[d];
  std::sort(ratios.begin(), ratios.end());
  return {ratios[draws / 40], ratios[draws - 1 - draws / 40]};
}

}  // namespace abax::perf

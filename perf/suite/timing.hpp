// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How long calls take, from samples long enough for the clock and for a fence, and how sure that is.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
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

inline timing summary(int calls, const std::vector<double>& samples) {
  const double median = median_of(samples);
  std::vector<double> away;
  for (const double s : samples) away.push_back(std::abs(s - median));
  return {median, *std::min_element(samples.begin(), samples.end()), median_of(away), calls, samples};
}

/// How long to measure.
struct effort {
  double budget;   ///< seconds in all, at least
  double sample;   ///< seconds of one sample, at least
  int fewest = 5;  ///< samples
};

using sample_clock = std::chrono::steady_clock;

/// Since it was made.
class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(sample_clock::now() - begin_).count(); }

 private:
  sample_clock::time_point begin_ = sample_clock::now();
};

/// Who wants to know of each sample has functions like these.
struct no_watch {
  /// Another variant's calls are about to be made: true where the threads of the one before had to be waited for.
  bool turn() { return false; }
  void begin() {}   ///< its calls are about to be made
  void queued() {}  ///< they have been made, and not yet waited for
  void taken(int /*variant*/, int /*calls*/, sample_clock::time_point /*begin*/, sample_clock::time_point /*end*/) {}
};

/// Calls call(0) to call(variants - 1) over and over: round by round, each variant once in a round and in random order,
/// so that what the machine does meanwhile disturbs all of them equally. A sample is a batch of calls and one fence().
/// Where threads are waited for at turns, samples are longer, as many rounds would be spent on waiting, and a tenth as
/// many calls, which are not timed, wake the threads that a sample needs.
template <class Call, class Fence, class Watch = no_watch>
std::vector<timing> measure(int variants, const Call& call, const Fence& fence, const effort& how, Watch&& watch = {}) {
  struct taken {
    sample_clock::time_point begin, end;
    double seconds() const { return std::chrono::duration<double>(end - begin).count(); }
  };
  const auto batch = [&](int variant, int calls) {
    require_going_on();
    taken t{sample_clock::now(), {}};
    watch.begin();
    for (int c = 0; c < calls; ++c) call(variant);
    watch.queued();
    fence();
    t.end = sample_clock::now();
    return t;
  };
  constexpr int most = 2000;
  std::vector<int> calls(variants, 1), order(variants);
  std::iota(order.begin(), order.end(), 0);
  const auto warm_up = [&](double sample) {  // which also says how many calls fill a sample; whether threads wait
    bool waited = false;
    watch.turn();
    for (int v = 0; v < variants; ++v) {
      double last = batch(v, calls[v]).seconds();
      while (last < sample) {
        calls[v] = std::max(2 * calls[v], static_cast<int>(calls[v] * std::min(sample / last, 1000.0)));
        last = batch(v, calls[v]).seconds();
      }
      waited = watch.turn() || waited;
    }
    return waited;
  };
  if (warm_up(how.sample)) warm_up(std::max(how.sample, how.budget / (2 * how.fewest * variants)));
  double spent = 0;
  std::vector<std::vector<double>> times(variants);
  std::mt19937 random(1);
  for (int round = 0; round < most && (round < how.fewest || spent < how.budget); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const int v : order) {
      if (watch.turn() && calls[v] > 1) batch(v, (calls[v] + 9) / 10);
      const taken t = batch(v, calls[v]);
      watch.taken(v, calls[v], t.begin, t.end);
      spent += t.seconds();
      times[v].push_back(t.seconds() / calls[v]);
    }
  }
  std::vector<timing> all;
  for (int v = 0; v < variants; ++v) all.push_back(summary(calls[v], times[v]));
  return all;
}

/// What is known of ratios, which must be some.
struct ratio_summary {
  double mean, fifth, least;  ///< the geometric mean; what 95 % reach; what all do
};
inline ratio_summary summary_of(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  double logarithms = 0;
  for (const double r : ratios) logarithms += std::log(r);
  return {std::exp(logarithms / static_cast<double>(ratios.size())), ratios[(ratios.size() - 1) / 20], ratios[0]};
}

// ---------------------------------------------------------------------------------------------------------------------
// How sure a median is: the bootstrap, which draws the samples anew as the machine would.

/// Draws as many passes as there are, and of each drawn pass as many samples as it has: what differs from pass to pass
/// (where pages lie, what else the machine does) weighs as it should, however many samples a pass has. In a pass whole
/// runs of neighbours are drawn, because what disturbs a machine lasts longer than one sample: the circular block
/// bootstrap (Politis and Romano, 1992). draws_of() in tools/compare.py draws by the same rule, and median_error()
/// there widens the error of few passes; the intervals here are percentiles of what was drawn, and are not widened.
class resampling {
 public:
  /// `passes`: how many samples each has; together they are all.
  resampling(std::span<const int> passes, unsigned seed)
      : passes_(passes.begin(), passes.end()), random_(seed), any_pass_(0, passes.size() - 1) {}

  /// Indices of samples.
  const std::vector<std::size_t>& draw() {
    drawn_.clear();
    for (std::size_t p = 0; p < passes_.size(); ++p) {
      const std::size_t pass = any_pass_(random_);
      const std::size_t begin = std::accumulate(passes_.begin(), passes_.begin() + pass, std::size_t(0));
      const auto n = static_cast<std::size_t>(passes_[pass]);
      const std::size_t block = n < 16 ? 1 : static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
      std::uniform_int_distribution<std::size_t> any(0, n - 1);
      for (std::size_t s = 0, at = 0; s < n; ++s) {
        at = s % block == 0 ? any(random_) : (at + 1) % n;
        drawn_.push_back(begin + at);
      }
    }
    return drawn_;
  }

 private:
  std::vector<int> passes_;
  std::mt19937 random_;
  std::uniform_int_distribution<std::size_t> any_pass_;
  std::vector<std::size_t> drawn_;
};

inline double median_at(const std::vector<double>& samples, const std::vector<std::size_t>& indices) {
  std::vector<double> chosen;
  for (const std::size_t i : indices) chosen.push_back(samples[i]);
  return median_of(std::move(chosen));
}

/// The middle 95 %.
inline interval middle_of(std::vector<double> drawn) {
  std::sort(drawn.begin(), drawn.end());
  return {drawn[drawn.size() / 40], drawn[drawn.size() - 1 - drawn.size() / 40]};
}

/// The 95 % interval of the samples' median.
inline interval median_interval(const std::vector<double>& samples, std::span<const int> passes) {
  constexpr int draws = 500;
  resampling any(passes, 2);
  std::vector<double> medians;
  for (int d = 0; d < draws; ++d) medians.push_back(median_at(samples, any.draw()));
  return middle_of(std::move(medians));
}

/// The same of samples that were taken in one pass.
inline interval median_interval(const std::vector<double>& samples) {
  const int all[] = {static_cast<int>(samples.size())};
  return median_interval(samples, all);
}

/// Whether a median is known to a fraction of `precision`.
inline bool known(double median, const interval& of_median, double precision) {
  return of_median.high <= (1 + precision) * median && of_median.low >= (1 - precision) * median;
}

/// The 95 % interval of median(a) / median(b), taken in the same rounds: both are drawn together.
inline interval ratio_interval(const std::vector<double>& a, const std::vector<double>& b,
                               std::span<const int> passes) {
  constexpr int draws = 1000;
  resampling any(passes, 2);
  std::vector<double> ratios;
  for (int d = 0; d < draws; ++d) {
    const std::vector<std::size_t>& rounds = any.draw();
    ratios.push_back(median_at(a, rounds) / median_at(b, rounds));
  }
  return middle_of(std::move(ratios));
}

}  // namespace abax::perf

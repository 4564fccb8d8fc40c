// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How long a call takes, from samples long enough for the clock and for a fence.
#include <algorithm>
#include <chrono>
#include <vector>

namespace abax::perf {

/// Shortest samples. A call on the host is over when it returns, so only the clock's step counts, and short samples
/// leave other programs' interruptions to the few that they fall in. The way to a GPU and back must not count.
inline constexpr double host_sample = 1e-4, device_sample = 2e-2;

struct timing {
  double median, best;  ///< seconds for one call
  int samples;
};

/// Calls call() over and over for about `budget` seconds. A sample is a batch of calls and one fence(), at least
/// `sample` seconds of work.
template <class Call, class Fence>
timing measure(const Call& call, const Fence& fence, double budget, double sample) {
  using clock = std::chrono::steady_clock;
  const auto batch = [&](int calls) {
    const auto begin = clock::now();
    for (int c = 0; c < calls; ++c) call();
    fence();
    return std::chrono::duration<double>(clock::now() - begin).count();
  };
  // Warm-up, which also says how long a call is. It doubles until one batch fills a sample.
  double spent = batch(1), last = spent;
  int calls = 1;
  while (last < sample) {
    calls = std::max(2 * calls, static_cast<int>(calls * std::min(sample / last, 1000.0)));
    spent += last = batch(calls);
  }
  constexpr int fewest = 5, most = 2000;
  std::vector<double> times;
  while (static_cast<int>(times.size()) < most && (static_cast<int>(times.size()) < fewest || spent < budget)) {
    spent += last = batch(calls);
    times.push_back(last / calls);
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), static_cast<int>(times.size())};
}

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What abax-perf concludes from samples.
#include "../perf/suite/timing.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <thread>
#include <vector>

#include "../perf/suite/other_threads.hpp"
#include "../perf/suite/ranks/spread.hpp"

using namespace abax::perf;

namespace {

std::vector<double> noisy(int count, double median, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> around(median * (1 - noise), median * (1 + noise));
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(around(random));
  return samples;
}

std::vector<int> one_pass(const std::vector<double>& samples) { return {static_cast<int>(samples.size())}; }

}  // namespace

TEST_CASE("a median's interval holds it, and is the narrower the more samples there are", "[perf]") {
  const std::vector<double> many = noisy(400, 1, 0.04, 1), few(many.begin(), many.begin() + 25);
  const interval of_many = median_interval(many, one_pass(many)), of_few = median_interval(few, one_pass(few));
  CHECK(of_many.low <= median_of(many));
  CHECK(of_many.high >= median_of(many));
  CHECK(of_many.low > 0.99);
  CHECK(of_many.high < 1.01);
  CHECK(of_few.high - of_few.low > 2 * (of_many.high - of_many.low));
  CHECK(median_interval({7}, std::vector<int>{1}).low == 7);
}

TEST_CASE("ratios are summed up by their geometric mean, what 95 of 100 reach, and the least", "[perf]") {
  const ratio_summary one = summary_of({0.5});
  CHECK(one.mean == 0.5);
  CHECK(one.fifth == 0.5);
  const ratio_summary two = summary_of({4, 0.25});
  CHECK(std::abs(two.mean - 1) < 1e-12);
  CHECK(two.least == 0.25);
  std::vector<double> hundred;  // 1.00 to 0.01
  for (int i = 100; i > 0; --i) hundred.push_back(0.01 * i);
  CHECK(summary_of(hundred).fifth == 0.05);
  CHECK(summary_of(hundred).least == 0.01);
  hundred.push_back(7);
  CHECK(summary_of(hundred).fifth == 0.01 * 6);
}

TEST_CASE("a median is known once its interval is narrow on both sides", "[perf]") {
  CHECK(known(1, {0.985, 1.015}, 0.02));
  CHECK_FALSE(known(1, {0.975, 1.015}, 0.02));
  CHECK_FALSE(known(1, {0.985, 1.025}, 0.02));
  CHECK(known(50, {50, 50}, 0.02));
}

TEST_CASE("what differs from pass to pass counts, however many samples a pass has", "[perf]") {
  std::vector<double> samples;
  std::vector<int> passes;
  for (const double level : {1.0, 1.1, 0.95, 1.05, 1.0}) {
    const std::vector<double> more = noisy(200, level, 0.001, 1);
    samples.insert(samples.end(), more.begin(), more.end());
    passes.push_back(200);
  }
  const interval by_passes = median_interval(samples, passes);
  CHECK(by_passes.low < 0.97);
  CHECK(by_passes.high > 1.04);
  std::shuffle(samples.begin(), samples.end(), std::mt19937(1));
  const interval shuffled = median_interval(samples, passes);
  CHECK(shuffled.low > 0.99);
  CHECK(shuffled.high < 1.05);
}

TEST_CASE("a ratio within one run is of the same rounds", "[perf]") {
  std::vector<double> a, b;  // what befalls both alike says nothing of their ratio
  for (const double level : {1.0, 1.5, 0.7, 1.2}) {
    for (const double s : noisy(50, level, 0.001, 1)) a.push_back(s);
    for (const double s : noisy(50, 2 * level, 0.001, 2)) b.push_back(s);
  }
  const std::vector<int> passes(4, 50);
  const interval paired = ratio_interval(b, a, passes);
  CHECK(paired.low > 1.95);
  CHECK(paired.high < 2.05);
  CHECK(median_interval(a, passes).high > 1.1 * median_interval(a, passes).low);  // of each alone
}

TEST_CASE("each variant is timed once in a round, and watched", "[perf]") {
  struct {
    int begun = 0, queued = 0, last = -1;
    std::vector<int> taken{0, 0, 0};
    bool in_order = true;
  } seen;
  struct watch : no_watch {
    decltype(seen)& s;
    explicit watch(decltype(seen)& all) : s(all) {}
    void begin() { ++s.begun; }
    void queued() {
      ++s.queued;
      s.in_order = s.in_order && s.queued == s.begun && s.last >= 0;
    }
    void taken(int variant, int calls, sample_clock::time_point begin, sample_clock::time_point end) {
      ++s.taken[variant];
      s.in_order = s.in_order && end >= begin && calls >= 1 && variant == s.last;
    }
  };
  const std::vector<timing> times = measure(
      3, [&](int v) { seen.last = v; }, [] {}, {0, 0, 9}, watch{seen});
  CHECK(seen.taken == std::vector<int>{9, 9, 9});
  CHECK(seen.in_order);
  for (const timing& t : times) CHECK(t.samples.size() == 9);
}

TEST_CASE("where threads are waited for, samples are longer, and calls wake threads before each", "[perf]") {
  struct watch : no_watch {
    bool waits;
    int batches = 0, calls = 0, samples = 0;
    bool woken = true;  // before each sample but the first, which the warm-up's batches precede
    explicit watch(bool do_wait) : waits(do_wait) {}
    bool turn() { return waits; }
    void begin() { ++batches; }
    void taken(int, int count, sample_clock::time_point, sample_clock::time_point) {
      woken = woken && (samples == 0 || batches == (waits ? 2 : 1));
      calls += count;
      ++samples;
      batches = 0;
    }
  };
  constexpr effort how{0.2, 1e-4};
  watch one{false}, other{true};
  const auto call = [](int) {
    for (const stopwatch since; since.seconds() < 1e-5;) continue;
  };
  const auto fence = [] {};
  const std::vector<timing> before = measure(2, call, fence, how, one);
  const std::vector<timing> after = measure(2, call, fence, how, other);
  CHECK(other.calls / other.samples > 5 * (one.calls / one.samples));  // 10 ms instead of 0.1
  CHECK(before[0].samples.size() > 2 * after[0].samples.size());
  CHECK(one.woken);
  CHECK(other.woken);
  for (const timing& t : after) CHECK(t.samples.size() >= static_cast<std::size_t>(how.fewest));
}

TEST_CASE("threads that spin for a while are waited for", "[perf]") {
  constexpr double spin_time = 0.1;
  std::atomic<int> number = 0;
  std::atomic<bool> begins = false, ends = false;
  std::thread library([&] {
    number = this_thread();
    while (!begins) continue;
    for (const stopwatch since; since.seconds() < spin_time;) continue;
    ends.wait(false);
  });
  while (number == 0) std::this_thread::yield();
  const std::vector<int> threads = other_threads();
  const stopwatch since;
  begins = true;
  const waited what = wait_for_other_threads();
  const double seconds = since.seconds();
  ends = true;
  ends.notify_all();
  library.join();
  CHECK(std::ranges::count(threads, number.load()) == 1);
  CHECK(std::ranges::count(threads, this_thread()) == 0);
  CHECK(what != waited::no);
  CHECK(seconds >= spin_time);
}

TEST_CASE("samples that are like their neighbours count as fewer than they are", "[perf]") {
  std::vector<double> drifting;
  for (int i = 0; i < 100; ++i) drifting.push_back(1 + 0.002 * i);
  std::vector<double> shuffled = drifting;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  const std::vector<int> all{100};
  const auto width = [&](const std::vector<double>& samples) {
    const interval i = median_interval(samples, all);
    return i.high - i.low;
  };
  CHECK(width(drifting) > 1.5 * width(shuffled));
}

TEST_CASE("the slow one among equals is found, and none where chance explains it", "[perf]") {
  constexpr double threshold = 0.05, narrow = 0.005;
  const auto four = [&](double last, double noise) {
    return std::vector<std::vector<double>>{noisy(50, 1, narrow, 1), noisy(50, 1, narrow, 2), noisy(50, 1, narrow, 3),
                                            noisy(50, last, noise, 4)};
  };
  const spread one_slow = spread_of(four(1.2, narrow), threshold);
  CHECK(one_slow.slow == std::vector<std::size_t>{3});
  CHECK(one_slow.typical < 3);
  CHECK(one_slow.maximum > 1.19);
  CHECK(spread_of(four(1.04, narrow), threshold).slow.empty());
  CHECK(spread_of(four(1.2, 0.5), threshold).slow.empty());  // its own samples scatter
  std::vector<std::vector<double>> scattered;
  for (const double median : {0.8, 0.9, 1.0, 1.1, 1.25}) scattered.push_back(noisy(50, median, narrow, 5));
  CHECK(spread_of(scattered, threshold).slow.empty());  // all of them do
}

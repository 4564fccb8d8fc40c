// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What abax-perf concludes from samples.
#include "perf/timing.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

using namespace abax::perf;

namespace {

std::vector<double> noisy(int count, double median, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> around(median * (1 - noise), median * (1 + noise));
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(around(random));
  return samples;
}

}  // namespace

TEST_CASE("a median's interval lies between the ranks of the binomial distribution", "[perf]") {
  std::vector<double> samples;
  for (int i = 100; i > 0; --i) samples.push_back(i);
  CHECK(median_interval(samples).low == 40);
  CHECK(median_interval(samples).high == 61);
  CHECK(median_interval({5, 1, 3, 2, 4}).low == 1);  // so few say no more than their extremes
  CHECK(median_interval({5, 1, 3, 2, 4}).high == 5);
  CHECK(median_interval({7}).low == 7);
}

TEST_CASE("a median is known once its interval is narrow on both sides", "[perf]") {
  const effort asked{0, 0, 0, 0.02};
  CHECK(asked.reached(noisy(100, 1, 0.04, 1)));
  CHECK_FALSE(asked.reached(noisy(100, 1, 0.4, 1)));
  CHECK_FALSE(asked.reached({1, 1, 1, 1, 1.03}));
  CHECK_FALSE(asked.reached({1, 1, 1, 1, 0.97}));
  CHECK(asked.reached({1, 1, 1.01, 1.01, 0.99}));
  CHECK(effort{0, 0}.reached({1, 2, 3}));  // nothing is asked
}

TEST_CASE("the ratio of two runs is found, and how sure it is", "[perf]") {
  const std::vector<double> before = noisy(100, 1, 0.04, 1), again = noisy(100, 1, 0.04, 2);
  const std::vector<double> slower = noisy(100, 1.1, 0.04, 3);
  const interval same = independent_ratio_interval(again, before), more = independent_ratio_interval(slower, before);
  CHECK(same.low < 1);
  CHECK(same.high > 1);
  CHECK(more.low > 1.05);
  CHECK(more.low < 1.1);
  CHECK(more.high > 1.1);
  CHECK(more.high < 1.15);
  const interval less = independent_ratio_interval(before, slower);
  CHECK(less.high < 1 / 1.05);

  const interval few = independent_ratio_interval({slower.begin(), slower.begin() + 5}, before);
  CHECK(few.high - few.low > more.high - more.low);
}

TEST_CASE("samples that go in waves count as fewer than they are", "[perf]") {
  std::vector<double> waves;
  for (int i = 0; i < 100; ++i) waves.push_back(i / 10 % 2 == 0 ? 1.0 + 0.001 * i : 1.2 + 0.001 * i);
  std::vector<double> shuffled = waves;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  const std::vector<double> steady(100, 1.0);
  const interval of_waves = independent_ratio_interval(waves, steady);
  const interval of_shuffled = independent_ratio_interval(shuffled, steady);
  CHECK(of_waves.high - of_waves.low > 1.2 * (of_shuffled.high - of_shuffled.low));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Which of many equal things is the slow one.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../timing.hpp"

namespace abax::perf {

/// The 95 % interval of the samples' median by their ranks, whatever their distribution.
inline interval median_bounds(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const double n = static_cast<double>(samples.size());
  const auto outside = static_cast<std::size_t>(std::max(1.0, std::floor(n / 2 - 0.98 * std::sqrt(n)))) - 1;
  return {samples[outside], samples[samples.size() - 1 - outside]};
}

struct spread {
  double minimum, median, maximum;
  std::size_t typical;            ///< which of them has the median: where their number is even, the lower of the two
  std::vector<std::size_t> slow;  ///< those that take longer than the median by more than anything explains
};

/// The slow ones among `all`, the samples of each: their median is above the median of all by more than `threshold`
/// (0.05: 5 %), beyond the 95 % interval of its own samples, and by more than three standard deviations of all, which
/// are taken from the median absolute deviation, so that the slow ones themselves do not widen them.
inline spread spread_of(const std::vector<std::vector<double>>& all, double threshold) {
  std::vector<double> medians;
  for (const std::vector<double>& samples : all) medians.push_back(median_of(samples));
  const auto lower_median = [](std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  const double median = lower_median(medians);
  std::vector<double> away;
  for (const double m : medians) away.push_back(std::abs(m - median));
  const double scatter = 1.4826 * lower_median(away);
  spread s{*std::min_element(medians.begin(), medians.end()),
           median,
           *std::max_element(medians.begin(), medians.end()),
           0,
           {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (medians[i] == median) s.typical = i;
    if (median_bounds(all[i]).low > (1 + threshold) * median && medians[i] - median > 3 * scatter) s.slow.push_back(i);
  }
  return s;
}

}  // namespace abax::perf

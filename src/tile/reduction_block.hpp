// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The numbers in the canon's order of reductions, for code that knows nothing of Kokkos, too. Other values give other
/// bits.
#include <cstdint>
#include <limits>

namespace abax::tile {

/// Terms of a block, and lanes that take them in turn.
inline constexpr std::int64_t reduction_block = 1024;
inline constexpr int reduction_lanes = 64;

/// What a norm's terms are multiplied by, and between which sums of squares they need not be.
template <class T>
struct norm_range;
template <>
struct norm_range<float> {
  static constexpr float raise = 0x1p+90F, lower = 0x1p-90F;
  static constexpr float least = 0x1p-90F, most = std::numeric_limits<float>::max();
};
template <>
struct norm_range<double> {
  static constexpr double raise = 0x1p+600, lower = 0x1p-600;
  static constexpr double least = 0x1p-900, most = std::numeric_limits<double>::max();
};

}  // namespace abax::tile

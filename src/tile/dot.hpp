// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A dot product cut into teams' shares.
#include "abax/detail/tile/canon.hpp"

namespace abax::tile {

/// result <- x . y. Every team takes as many of the canon's blocks as its primitives hold side by side.
template <class T>
struct dot {
  vector<const T> x, y;
  T* result;
  T* sums;             ///< one block sum a block, then the total so far
  unsigned* arrivals;  ///< two counters, then one a chunk; zero at the start and at the end
  int chunk = 0;       ///< teams whose block sums are joined in one go; 0: the launch chooses
};

}  // namespace abax::tile

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The canon's sum of the blocks of a reduction, which come one after another.
#include "abax/detail/tile/reduction.hpp"

namespace abax::tile {

/// Sums of blocks are the terms of the next level, whose blocks are those of the level after it. `Lanes` holds the 64
/// lanes of one level: clear(), add(lane, term) and sum(), which joins them by halves.
template <class T, class Lanes>
class running_sum {
 public:
  /// The next block's sum.
  KOKKOS_FUNCTION void add(T sum) { add(0, sum); }
  /// Of all that came, at least one.
  KOKKOS_FUNCTION T total() {
    for (int level = 0; terms_[level] > 1; ++level)
      if (terms_[level] % reduction_block != 0) add(level + 1, lanes_[level].sum());
    int level = 0;
    while (terms_[level] > 1) ++level;
    return newest_[level];
  }

 private:
  static constexpr int levels = 3;  // of 1024^4 terms

  KOKKOS_FUNCTION void add(int level, T term) {
    for (;; ++level) {
      newest_[level] = term;
      const index_t at = terms_[level]++ % reduction_block;
      if (level == levels) return;
      if (at == 0) lanes_[level].clear();
      lanes_[level].add(static_cast<int>(at % reduction_lanes), term);
      if (at + 1 < reduction_block) return;
      term = lanes_[level].sum();
    }
  }

  Lanes lanes_[levels];
  index_t terms_[levels + 1] = {};
  T newest_[levels + 1];
};

/// The lanes of one thread.
template <class T>
struct own_lanes {
  T lane[reduction_lanes];

  KOKKOS_FUNCTION void clear() {
    for (T& l : lane) l = T{0};
  }
  KOKKOS_FUNCTION void add(int l, T term) { lane[l] = lane[l] + term; }
  KOKKOS_FUNCTION T sum() {
    for (int half = reduction_lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) lane[l] = lane[l] + lane[l + half];
    return lane[0];
  }
};

}  // namespace abax::tile

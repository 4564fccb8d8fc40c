// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Transpose primitives: a padded tile in scratch, filled along one index and emptied along the other.
#include <Kokkos_Core.hpp>

#include "backends/cuda/async_copy.hpp"
#include "backends/cuda/scratch.hpp"
#include "tile/transpose.hpp"

namespace abax::cuda {

/// A tile of Rows x Cols: all of a thread's elements are in flight before the first is stored.
template <class T, int Rows, int Cols, int Threads, class Team>
class transpose {
  static constexpr int ld = Rows + 1;  // odd: a row of the tile touches every bank
  static constexpr int load_step = Threads / Rows, store_step = Threads / Cols;
  static_assert(Threads % Rows == 0 && Threads % Cols == 0 && Cols % load_step == 0 && Rows % store_step == 0);

 public:
  struct parameters {
    int rows = Rows, cols = Cols;
  };
  static constexpr int team_size = Threads, residents = 4;
  static constexpr std::size_t most_scratch = sizeof(T) * Cols * ld + scratch_slack;
  static std::size_t scratch_bytes() { return most_scratch; }

  KOKKOS_FORCEINLINE_FUNCTION transpose(const Team& team, const parameters&)
      : thread_(team.team_rank()), scratch_(take_scratch<T>(team, Cols * ld)) {}

  /// (Rows, Cols) of the tile at scratch[col ld + row].
  KOKKOS_FORCEINLINE_FUNCTION const T* stage(const Team& team, const tile::matrix<const T>& from) const {
    const int i = thread_ % Rows;
#pragma unroll
    for (int j = thread_ / Rows; j < Cols; j += load_step)
      if (i < from.rows && j < from.cols) copy_async<sizeof(T)>(scratch_ + j * ld + i, &from(i, j));
    commit_copies();
    wait_copies<0>();
    team.team_barrier();
    return scratch_;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&, const T* staged, const tile::matrix<T>& to) const {
    if (to.row_stride == 1) {  // both sides run along their rows: a copy
      const int i = thread_ % Rows;
#pragma unroll
      for (int j = thread_ / Rows; j < Cols; j += load_step)
        if (i < to.rows && j < to.cols) to(i, j) = staged[j * ld + i];
    } else {
      const int j = thread_ % Cols;
#pragma unroll
      for (int i = thread_ / Cols; i < Rows; i += store_step)
        if (i < to.rows && j < to.cols) to(i, j) = staged[j * ld + i];
    }
  }

 private:
  int thread_;
  T* scratch_;
};

}  // namespace abax::cuda

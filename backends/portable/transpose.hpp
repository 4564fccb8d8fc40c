// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Transpose primitives in plain Kokkos: element by element, nothing staged.
#include <Kokkos_Core.hpp>

#include "tile/transpose.hpp"

namespace abax::portable {

template <class T, class Team>
class transpose {
 public:
  struct parameters {
    int rows = 32, cols = 32;
  };
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION transpose(const Team&, const parameters&) {}

  KOKKOS_FUNCTION tile::matrix<const T> stage(const Team&, const tile::matrix<const T>& from) { return from; }

  KOKKOS_FUNCTION void store(const Team& team, const tile::matrix<const T>& from, const tile::matrix<T>& to) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(to.rows * to.cols)), [&](int e) {
      const index_t i = e % to.rows, j = e / to.rows;
      to(i, j) = from(i, j);
    });
  }
};

}  // namespace abax::portable

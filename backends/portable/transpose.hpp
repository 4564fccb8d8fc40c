// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Transpose primitives in plain Kokkos: element by element, nothing staged.
#include <Kokkos_Core.hpp>

#include "abax/detail/tile/complex.hpp"
#include "abax/detail/tile/transpose.hpp"

namespace abax::portable {

template <class T, class Team>
class transpose {
 public:
  struct parameters {
    bool conjugated;
    static constexpr int rows = 32, cols = 32, skip_rows = 0, skip_cols = 0;
  };
  static constexpr int reach = 0;
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION transpose(const Team&, const parameters& parameters) : conjugated_(parameters.conjugated) {}

  KOKKOS_FUNCTION tile::matrix<const T> stage(const Team&, const tile::matrix<const T>& from) { return from; }

  KOKKOS_FUNCTION void store(const Team& team, const tile::matrix<const T>& from, const tile::matrix<T>& to,
                             bool) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(to.rows * to.cols)),
                         [&, conjugated = conjugated_](int e) {
                           const index_t i = e % to.rows, j = e / to.rows;
                           to(i, j) = tile::conjugate_if(conjugated, from(i, j));
                         });
  }

 private:
  bool conjugated_;
};

template <class T, class Team>
class in_place_transpose {
 public:
  struct parameters {
    static constexpr int size = 32, skip = 0;
  };
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION in_place_transpose(const Team&, const parameters&) {}

  KOKKOS_FUNCTION void exchange(const Team& team, const tile::matrix<T>& a, const tile::matrix<T>& b) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(a.rows * a.cols)),
                         [&](int e) { swap(a(e % a.rows, e / a.rows), b(e % a.rows, e / a.rows)); });
  }
  KOKKOS_FUNCTION void turn(const Team& team, const tile::matrix<T>& a) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(a.rows * a.cols)), [&](int e) {
      const index_t i = e % a.rows, j = e / a.rows;
      if (i < j) swap(a(i, j), a(j, i));
    });
  }

 private:
  KOKKOS_FUNCTION static void swap(T& a, T& b) {
    const T before = a;
    a = b;
    b = before;
  }
};

}  // namespace abax::portable

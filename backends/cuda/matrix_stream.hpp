// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The streaming primitives of matrices that are not vectors.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/tile/stream.hpp"

namespace abax::cuda {

/// Neighbouring threads take neighbouring elements, down the columns, each moved in one access: they lie on multiples
/// of their size. A thread has `Accesses` of each operand in flight, as far apart as a team has threads: the first is
/// found by a division, each other by its distance from the one before.
template <class T, int Accesses, class Team>
class matrix_stream {
  /// From a thread's element to its next one of an operand: over whole columns and down the last of these; with one
  /// column more where that passes its end.
  struct distance {
    index_t within, past_end;

    KOKKOS_FORCEINLINE_FUNCTION index_t step(bool wraps) const { return wraps ? past_end : within; }
  };
  using element = pack<T, 1>;

 public:
  static constexpr int team_size = 256, residents = 5;  // more have too few registers
  static std::size_t scratch_bytes() { return 0; }

  struct parameters {
    index_t rows;  ///< from a thread's element down to its next one, beside whole columns
    distance x, y, z;

    explicit parameters(const tile::combine_matrices<T>& k)
        : rows(team_size % k.z.rows), x(of(k.x)), y(of(k.y)), z(of(k.z)) {}

   private:
    template <class Element>
    distance of(const tile::matrix<Element>& m) const {
      const index_t within = rows * m.row_stride + team_size / m.rows * m.col_stride;
      return {within, within + m.col_stride - m.rows * m.row_stride};
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t run(const parameters&) { return team_size * Accesses; }
  KOKKOS_FORCEINLINE_FUNCTION static void apply(const Team& team, const parameters& p,
                                                const tile::combine_matrices<T>& k) {
    const int begin = team.team_rank(), size = static_cast<int>(k.size());
    if (size == run(p))
      at_once<true>(p, k, begin, size);
    else if (begin < size)
      at_once<false>(p, k, begin, size);
  }

 private:
  /// A thread's elements, the first of them element `begin`: all are loaded before one is stored. Without `Whole` only
  /// those that lie before `size`.
  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION static void at_once(const parameters& p, const tile::combine_matrices<T>& k, int begin,
                                                  int size) {
    const index_t col = k.col_of(begin);
    index_t row = k.first + begin - col * k.z.rows;
    const T *x = &k.x(row, col), *y = &k.y(row, col);
    T* z = &k.z(row, col);
    element from_x[Accesses] = {}, from_y[Accesses] = {};
    bool wraps[Accesses] = {};
#pragma unroll
    for (int a = 0; a < Accesses; ++a) {
      if (!Whole && begin + a * team_size >= size) break;
      if (a > 0) {
        row += p.rows;
        wraps[a] = row >= k.z.rows;
        if (wraps[a]) row -= k.z.rows;
        x += p.x.step(wraps[a]);
        y += p.y.step(wraps[a]);
      }
      if (k.epilogue.alpha != T(0)) from_x[a] = *reinterpret_cast<const element*>(x);
      if (k.epilogue.beta != T(0)) from_y[a] = *reinterpret_cast<const element*>(y);
    }
#pragma unroll
    for (int a = 0; a < Accesses; ++a) {
      if (!Whole && begin + a * team_size >= size) break;
      if (a > 0) z += p.z.step(wraps[a]);
      const T* const old = from_y[a].element;
      *reinterpret_cast<element*>(z) = {k.epilogue.alpha != T(0) ? k.epilogue(from_x[a].element[0], old)
                                                                 : k.epilogue.without_product(old)};
    }
  }
};

}  // namespace abax::cuda

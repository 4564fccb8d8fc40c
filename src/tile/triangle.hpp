// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The output of a product: a matrix, or one triangle of a square one.
#include "abax/detail/tile/matrix.hpp"

namespace abax::tile {

/// Which elements of a square matrix are meant: all, or those of one triangle with the diagonal.
enum class triangle : int { whole, lower, upper };

constexpr triangle transposed(triangle part) {
  if (part == triangle::whole) return part;
  return part == triangle::lower ? triangle::upper : triangle::lower;
}
KOKKOS_FORCEINLINE_FUNCTION constexpr bool holds(triangle part, index_t i, index_t j) {
  return part == triangle::whole || (part == triangle::lower ? i >= j : i <= j);
}
/// True if the m x n block whose first element is (i, j) has an element that `part` holds.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool meets(triangle part, index_t i, index_t j, index_t m, index_t n) {
  return part == triangle::lower ? holds(part, i + m - 1, j) : holds(part, i, j + n - 1);
}
/// True if it has no other.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool covers(triangle part, index_t i, index_t j, index_t m, index_t n) {
  return part == triangle::lower ? holds(part, i, j + n - 1) : holds(part, i + m - 1, j);
}

/// The matrix that a product is written to; of a square one, nothing but `part` is read or written.
template <class T>
struct output : matrix<T> {
  triangle part = triangle::whole;
  /// Where tiles across the diagonal are computed, all of each, for primitives that know nothing of triangles: what
  /// `part` holds is brought before and taken back afterwards (team/product.hpp). Null: primitives keep to `part`.
  T* aside = nullptr;

  constexpr output() = default;
  KOKKOS_FORCEINLINE_FUNCTION constexpr output(T* data, index_t rows, index_t cols, index_t row_stride,
                                               index_t col_stride)
      : matrix<T>{data, rows, cols, row_stride, col_stride} {}
  /// One element is a triangle, too.
  KOKKOS_FORCEINLINE_FUNCTION constexpr output(const matrix<T>& all, triangle of_it = triangle::whole)  // NOLINT
      : matrix<T>(all), part(all.rows > 1 ? of_it : triangle::whole) {}

  /// Elements of `aside` for tiles of m x n.
  constexpr index_t elements_aside(index_t m, index_t n) const { return this->rows * (line_aside(m, n) + 1); }
  /// True if the m x n tile whose first element is (i, j) is computed there.
  KOKKOS_FORCEINLINE_FUNCTION bool is_aside(index_t i, index_t j, index_t m, index_t n) const {
    return aside != nullptr && !covers(part, i, j, m, n);
  }
  /// Where that tile is computed.
  KOKKOS_FORCEINLINE_FUNCTION matrix<T> block(index_t i, index_t j, index_t m, index_t n) const {
    matrix<T> at = place(i, j, m, n);
    if (is_aside(i, j, m, n)) {
      at.data = aside + i + j * line_aside(m, n);
      at.row_stride = 1;
      at.col_stride = line_aside(m, n);
    }
    return at;
  }
  /// Where it is in the end.
  KOKKOS_FORCEINLINE_FUNCTION matrix<T> place(index_t i, index_t j, index_t m, index_t n) const {
    return matrix<T>::block(i, j, m, n);
  }
  KOKKOS_FORCEINLINE_FUNCTION output transposed() const { return {matrix<T>::transposed(), tile::transposed(part)}; }

 private:
  // Element (i, j) of a tile across the diagonal is aside[i + j line]. In one column of tiles these tiles span less
  // than 2 m + n rows, and from one column to the next they never move up by as much.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t line_aside(index_t m, index_t n) {
    constexpr index_t aligned = 32;
    return ceil_div(2 * m + n, aligned) * aligned;
  }
};

}  // namespace abax::tile

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A complex product by way of integers as a real one of twice the terms: its operands' real lines, and what becomes of
/// the real sums.
#include "abax/detail/tile/complex.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::tile {

/// The real lines of a complex operand whose lines are its rows. Term p becomes terms 2p and 2p + 1: of the left
/// operand's line i (re, im) in line i; of the right operand's line j (re, -im) in line 2j and (im, re) in line 2j + 1.
/// The real sum of line i and line 2j is then the complex sum's real part, that of line 2j + 1 its imaginary part; and
/// the largest of a real line is the largest part of the complex one.
template <class Real>
struct real_lines {
  using real = Real;
  static constexpr index_t elements_of_team = 4096;
  matrix<const complex<Real>> lines;
  bool conjugated, is_left;
  Real* to;

  KOKKOS_FORCEINLINE_FUNCTION index_t elements() const { return lines.rows * lines.cols; }
  index_t teams() const { return ceil_div<index_t>(elements(), elements_of_team); }
  /// Numbers at `to`, for so many lines.
  static index_t size(index_t lines, index_t terms, bool is_left) { return lines * terms * (is_left ? 2 : 4); }
  /// What neighbours in memory are, of `lines` and of what is made of them.
  KOKKOS_FORCEINLINE_FUNCTION bool along_terms() const { return lines.col_stride == 1 || lines.row_stride != 1; }
  KOKKOS_FORCEINLINE_FUNCTION index_t length() const { return along_terms() ? lines.cols : lines.rows; }
  KOKKOS_FORCEINLINE_FUNCTION matrix<Real> made() const {
    const index_t rows = lines.rows * (is_left ? 1 : 2), cols = 2 * lines.cols;
    if (along_terms()) return {to, rows, cols, cols, 1};
    return {to, rows, cols, 1, rows};
  }
  KOKKOS_FORCEINLINE_FUNCTION matrix<const Real> result() const { return made().as_input(); }
  /// Of element `at` of line `across`, or, where lines are neighbours in memory, of line `at` and element `across`.
  KOKKOS_FORCEINLINE_FUNCTION void move(index_t across, index_t at) const {
    const index_t i = along_terms() ? across : at, p = along_terms() ? at : across;
    const complex<Real> x = conjugate_if(conjugated, lines(i, p));
    const matrix<Real> real = made();
    if (is_left) {
      real(i, 2 * p) = x.re;
      real(i, 2 * p + 1) = x.im;
    } else {
      real(2 * i, 2 * p) = x.re;
      real(2 * i, 2 * p + 1) = negated_if(true, x.im);
      real(2 * i + 1, 2 * p) = x.im;
      real(2 * i + 1, 2 * p + 1) = x.re;
    }
  }
};

/// A block of a complex product, from the real sums of its operands' lines: a complex column's are two columns.
template <class T, class Functor>
struct sums_of_parts {
  using real = real_of<T>;
  static constexpr index_t elements_of_team = 4096;
  tile::product<T, Functor> product;
  index_t row, col, rows, cols;  ///< the block
  real* sums;

  KOKKOS_FORCEINLINE_FUNCTION index_t elements() const { return rows * cols; }
  index_t teams() const { return ceil_div<index_t>(elements(), elements_of_team); }
  /// As C lies.
  KOKKOS_FORCEINLINE_FUNCTION bool along_cols() const { return product.c.row_stride != 1 && product.c.col_stride == 1; }
  KOKKOS_FORCEINLINE_FUNCTION index_t length() const { return along_cols() ? cols : rows; }
  KOKKOS_FORCEINLINE_FUNCTION matrix<real> parts() const {
    if (along_cols()) return {sums, rows, 2 * cols, 2 * cols, 1};
    return {sums, rows, 2 * cols, 1, rows};
  }
  KOKKOS_FORCEINLINE_FUNCTION void move(index_t across, index_t at) const {
    const index_t i = along_cols() ? across : at, j = along_cols() ? at : across;
    const matrix<real> of = parts();
    T& c = product.c(row + i, col + j);
    c = product.ended(row + i, col + j, product.epilogue(T{of(i, 2 * j), of(i, 2 * j + 1)}, &c));
  }
};

}  // namespace abax::tile

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A complex product as a real one of twice the terms and twice the columns, whose results are the parts of C: its
/// operands made, and C from its result. Each is a streaming kernel over the elements of a complex matrix.
#include "abax/detail/tile/product.hpp"

namespace abax::tile {

/// The element that a streaming kernel over a matrix calls its i-th: along memory where `along_cols` says rows are
/// contiguous.
struct element_order {
  index_t rows, cols;
  bool along_cols;

  KOKKOS_FORCEINLINE_FUNCTION index_t count() const { return rows * cols; }
  /// take(row, col)
  template <class Take>
  KOKKOS_FORCEINLINE_FUNCTION void at(index_t i, const Take& take) const {
    const index_t length = along_cols ? cols : rows;
    const index_t line =
        ((i | length) >> 32) == 0 ? static_cast<unsigned>(i) / static_cast<unsigned>(length) : i / length;
    const index_t along = i - line * length;
    along_cols ? take(line, along) : take(along, line);
  }
};

/// to(i, 2 p) <- Re a(i, p), to(i, 2 p + 1) <- Im a(i, p), of conjugates where wanted: the left factor.
template <class T>
struct left_parts {
  matrix<const T> a;
  matrix<real_of<T>> to;
  bool conjugated;
  element_order order;
  index_t first = 0, count = order.count();

  KOKKOS_FORCEINLINE_FUNCTION index_t size() const { return count; }
  bool in_place() const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION left_parts block(index_t i, index_t n) const {
    return {a, to, conjugated, order, first + i, n < count - i ? n : count - i};
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(index_t e) const {
    order.at(first + e, [&](index_t i, index_t p) {
      const T x = conjugate_if(conjugated, a(i, p));
      to(i, 2 * p) = x.re;
      to(i, 2 * p + 1) = x.im;
    });
  }
};

/// Columns 2 j and 2 j + 1 of `to` are (br, -bi, ...) and (bi, br, ...), b being column j: the right factor.
template <class T>
struct right_parts {
  matrix<const T> b;
  matrix<real_of<T>> to;
  bool conjugated;
  element_order order;
  index_t first = 0, count = order.count();

  KOKKOS_FORCEINLINE_FUNCTION index_t size() const { return count; }
  bool in_place() const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION right_parts block(index_t i, index_t n) const {
    return {b, to, conjugated, order, first + i, n < count - i ? n : count - i};
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(index_t e) const {
    order.at(first + e, [&](index_t p, index_t j) {
      const T x = conjugate_if(conjugated, b(p, j));
      to(2 * p, 2 * j) = x.re;
      to(2 * p + 1, 2 * j) = -x.im;
      to(2 * p, 2 * j + 1) = x.im;
      to(2 * p + 1, 2 * j + 1) = x.re;
    });
  }
};

/// c(i, j) <- epilogue(sums(i, 2 j) + i sums(i, 2 j + 1)), in C's triangle.
template <class T, class Functor = no_functor>
struct joined_parts {
  product<T, Functor> problem;
  matrix<const real_of<T>> sums;
  element_order order;
  index_t first = 0, count = order.count();

  KOKKOS_FORCEINLINE_FUNCTION index_t size() const { return count; }
  bool in_place() const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION joined_parts block(index_t i, index_t n) const {
    return {problem, sums, order, first + i, n < count - i ? n : count - i};
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(index_t e) const {
    order.at(first + e, [&](index_t i, index_t j) {
      if (!holds(problem.c.part, i, j)) return;
      T& c = problem.c(i, j);
      c = problem.ended(i, j, problem.epilogue(T{sums(i, 2 * j), sums(i, 2 * j + 1)}, &c));
    });
  }
};

}  // namespace abax::tile

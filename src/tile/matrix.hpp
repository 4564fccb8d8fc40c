// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Operands as an algorithm sees them: a pointer, extents and strides, whatever layout they came in.
#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace abax {
/// Extents, strides and offsets. Signed and 64 bits wide everywhere: a leading dimension times a column count passes
/// 2^31 long before memory runs out.
using index_t = std::int64_t;
}  // namespace abax

namespace abax::tile {

/// rows x cols elements; element (i, j) lies at data[i row_stride + j col_stride]. Strides may be anything.
template <class T>
struct matrix {
  T* data;
  index_t rows, cols;
  index_t row_stride, col_stride;

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(index_t i, index_t j) const {
    return data[i * row_stride + j * col_stride];
  }
  /// The m x n block whose first element is (i, j), cut off at the matrix' edge.
  KOKKOS_FORCEINLINE_FUNCTION matrix block(index_t i, index_t j, index_t m, index_t n) const {
    return {data + i * row_stride + j * col_stride, m < rows - i ? m : rows - i, n < cols - j ? n : cols - j,
            row_stride, col_stride};
  }
  KOKKOS_FORCEINLINE_FUNCTION matrix transposed() const { return {data, cols, rows, col_stride, row_stride}; }
  /// The same elements, to be read.
  KOKKOS_FORCEINLINE_FUNCTION matrix<const T> as_input() const { return {data, rows, cols, row_stride, col_stride}; }
};

/// size elements; element i lies at data[i stride].
template <class T>
struct vector {
  T* data;
  index_t size;
  index_t stride;

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(index_t i) const { return data[i * stride]; }
  /// The n elements from i on, cut off at the vector's end.
  KOKKOS_FORCEINLINE_FUNCTION vector block(index_t i, index_t n) const {
    return {data + i * stride, n < size - i ? n : size - i, stride};
  }
  /// The same elements, to be read.
  KOKKOS_FORCEINLINE_FUNCTION vector<const T> as_input() const { return {data, size, stride}; }
};

/// The parts of a vector of complex elements, two terms of each: its real part and its imaginary part or, where they
/// are `swapped`, the other way round.
template <class Real>
struct parts {
  const Real* data;
  index_t size;    ///< terms
  index_t stride;  ///< of elements
  bool swapped = false;

  KOKKOS_FORCEINLINE_FUNCTION const Real& operator()(index_t i) const {
    return data[i / 2 * 2 * stride + (i % 2 != index_t(swapped))];
  }
  /// The n terms from i on, cut off at the end; i and n are even.
  KOKKOS_FORCEINLINE_FUNCTION parts block(index_t i, index_t n) const {
    return {data + i * stride, n < size - i ? n : size - i, stride, swapped};
  }
};

/// A matrix or vector, or the conjugate of each of its elements.
template <class Operand>
struct conjugable {
  Operand elements;
  bool conjugated = false;
};

/// A vector as the one column of a matrix.
template <class T>
constexpr matrix<T> column(const vector<T>& v) {
  return {v.data, v.size, 1, v.stride, 0};
}

template <class I>
KOKKOS_FORCEINLINE_FUNCTION constexpr I min(I a, I b) {
  return b < a ? b : a;
}
template <class I>
KOKKOS_FORCEINLINE_FUNCTION constexpr I max(I a, I b) {
  return a < b ? b : a;
}
template <class I>
KOKKOS_FORCEINLINE_FUNCTION constexpr I ceil_div(I a, I b) {
  return (a + b - 1) / b;
}

}  // namespace abax::tile

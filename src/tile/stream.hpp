// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The streaming kernels as data: which operands, and what is done to one element.
#include "abax/detail/tile/canon.hpp"
#include "abax/detail/tile/ieee_math.hpp"

namespace abax::tile {

/// z_i <- alpha x_i + beta y_i by the canon's epilogue. axpby (z = y), scal (beta == 0) and triad (beta == 1) are this.
template <class T>
struct combine {
  vector<const T> x, y;
  vector<T> z;
  tile::epilogue<T> epilogue;

  KOKKOS_FORCEINLINE_FUNCTION index_t size() const { return z.size; }
  bool in_place() const { return z.data == x.data || z.data == y.data; }
  template <class Property>
  bool all_vectors(const Property& has) const {
    return has(x) && has(y) && has(z);
  }
  KOKKOS_FORCEINLINE_FUNCTION combine block(index_t i, index_t n) const {
    return {x.block(i, n), y.block(i, n), z.block(i, n), epilogue};
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(index_t i) const {
    z(i) = epilogue.alpha == T{0} ? epilogue.without_product(&y(i)) : epilogue(x(i), &y(i));
  }
};

/// Z <- alpha X + beta Y for matrices that are not vectors: their elements, down the columns, from `first` on.
template <class T>
struct combine_matrices {
  matrix<const T> x, y;
  matrix<T> z;
  tile::epilogue<T> epilogue;
  index_t first = 0, count = z.rows * z.cols;

  KOKKOS_FORCEINLINE_FUNCTION index_t size() const { return count; }
  bool in_place() const { return z.data == x.data || z.data == y.data; }
  KOKKOS_FORCEINLINE_FUNCTION combine_matrices block(index_t i, index_t n) const {
    return {x, y, z, epilogue, first + i, n < count - i ? n : count - i};
  }
  /// The column that holds element i.
  KOKKOS_FORCEINLINE_FUNCTION index_t col_of(index_t i) const {
    const index_t at = first + i;
    if (((at | z.rows) >> 32) == 0) return static_cast<unsigned>(at) / static_cast<unsigned>(z.rows);  // much faster
    return at / z.rows;
  }
  /// Hands every column's part to `take`, as vectors.
  template <class Take>
  KOKKOS_FORCEINLINE_FUNCTION void each_line(const Take& take) const {
    for (index_t done = 0; done < count;) {
      const index_t col = col_of(done), row = first + done - col * z.rows, n = min(count - done, z.rows - row);
      take(combine<T>{
          {&x(row, col), n, x.row_stride}, {&y(row, col), n, y.row_stride}, {&z(row, col), n, z.row_stride}, epilogue});
      done += n;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(index_t i) const {
    const index_t col = col_of(i), row = first + i - col * z.rows;
    z(row, col) = epilogue.alpha == T{0} ? epilogue.without_product(&y(row, col)) : epilogue(x(row, col), &y(row, col));
  }
};

/// x_i <- x_i + value.
template <class T>
struct increment {
  vector<T> x;
  T value;

  KOKKOS_FORCEINLINE_FUNCTION index_t size() const { return x.size; }
  bool in_place() const { return true; }
  template <class Property>
  bool all_vectors(const Property& has) const {
    return has(x);
  }
  KOKKOS_FORCEINLINE_FUNCTION increment block(index_t i, index_t n) const { return {x.block(i, n), value}; }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(index_t i) const { x(i) = canonical(x(i) + value); }
};

/// y_i <- x_i, bits untouched.
template <class T>
struct copy {
  vector<const T> x;
  vector<T> y;

  KOKKOS_FORCEINLINE_FUNCTION index_t size() const { return y.size; }
  bool in_place() const { return false; }
  template <class Property>
  bool all_vectors(const Property& has) const {
    return has(x) && has(y);
  }
  KOKKOS_FORCEINLINE_FUNCTION copy block(index_t i, index_t n) const { return {x.block(i, n), y.block(i, n)}; }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(index_t i) const { y(i) = x(i); }
};

}  // namespace abax::tile

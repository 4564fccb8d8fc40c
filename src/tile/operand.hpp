// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Operands inside a kernel: extents that may be known when it is compiled, elements that lie by strides or by a
/// scratch tile's layout.
#include <cstdint>
#include <type_traits>

#include "abax/detail/tile/complex_value.hpp"
#include "abax/detail/tile/matrix.hpp"
#include "abax/detail/tile/scratch_layout.hpp"

namespace abax::tile {

/// Which index of an operand runs along memory, as far as its type says.
enum class fast { row, col, unknown };
constexpr fast turned(fast f) { return f == fast::row ? fast::col : f == fast::col ? fast::row : f; }

/// Elements of a chunk of 16 bytes.
template <class T>
inline constexpr int chunk_of = 16 / sizeof(T);
template <class T, int Count>
struct alignas(sizeof(T) * Count) chunk {
  T element[Count];
};

/// Element (i, j) lies at i row + j col; the stride of the index that `Fast` names is 1.
template <fast Fast>
struct strided {
  static constexpr fast run = Fast;
  index_t row, col;

  KOKKOS_FORCEINLINE_FUNCTION index_t operator()(int i, int j) const {
    return (Fast == fast::row ? i : i * row) + (Fast == fast::col ? j : j * col);
  }
  /// True if every line along memory begins at a multiple of `bytes`.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION bool lines_begin_at(const T* data, int bytes) const {
    if constexpr (Fast == fast::unknown) return false;
    const index_t line = Fast == fast::row ? col : row;
    return line * index_t(sizeof(T)) % bytes == 0 && reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION strided<turned(Fast)> transposed() const { return {col, row}; }
  static constexpr bool aligns_elements = false;
};

/// A scratch tile, aligned as its layout wants it: each element at a multiple of its size.
template <scratch_layout Layout>
struct laid_out {
  static constexpr fast run = Layout.by_columns ? fast::row : fast::col;
  static constexpr bool aligns_elements = true;

  KOKKOS_FORCEINLINE_FUNCTION constexpr index_t operator()(int i, int j) const { return Layout.offset(i, j); }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool lines_begin_at(const T*, int bytes) const {
    return Layout.keeps_chunks(bytes / int(sizeof(T)));
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr laid_out<Layout.transposed()> transposed() const { return {}; }
};

/// An extent that is not known when the kernel is compiled.
inline constexpr int any = -1;

constexpr int known(int a, int b) { return a != any ? a : b; }

/// rows x cols elements, each extent less than 2^31. Where it `Conjugates`, a product takes the elements' conjugates.
template <class T, class Place, int Rows = any, int Cols = any, bool Conjugates = false>
struct operand {
  using element = T;
  using value = std::remove_const_t<T>;
  using place_type = Place;
  static constexpr int static_rows = Rows, static_cols = Cols;
  static constexpr fast run = Place::run;
  static constexpr bool conjugates = Conjugates;

  T* data;
  Place place;
  int row_count, col_count;

  KOKKOS_FORCEINLINE_FUNCTION constexpr int rows() const { return Rows == any ? row_count : Rows; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int cols() const { return Cols == any ? col_count : Cols; }
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(int i, int j) const { return data[place(i, j)]; }
  /// Its value, moved as one where the element's place allows it: a complex type is aligned as its parts are.
  KOKKOS_FORCEINLINE_FUNCTION value load(int i, int j) const {
    if constexpr (is_complex<value> && Place::aligns_elements)
      return reinterpret_cast<const chunk<value, 1>*>(&(*this)(i, j))->element[0];
    else
      return (*this)(i, j);
  }
  KOKKOS_FORCEINLINE_FUNCTION auto transposed() const {
    const auto turned = place.transposed();
    return operand<T, std::remove_const_t<decltype(turned)>, Cols, Rows, Conjugates>{data, turned, col_count,
                                                                                     row_count};
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr operand<T, Place, Rows, Cols, is_complex<value> && !Conjugates> conjugated()
      const {
    return {data, place, row_count, col_count};
  }
  template <int R, int C>
  KOKKOS_FORCEINLINE_FUNCTION constexpr operand<T, Place, R, C, Conjugates> with_extents() const {
    return {data, place, row_count, col_count};
  }
  /// True if every chunk of `Count` elements along memory can be moved as one.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION bool has_chunks() const {
    const int length = run == fast::row ? rows() : cols();
    return run != fast::unknown && length % Count == 0 && place.lines_begin_at(data, Count * int(sizeof(T)));
  }
};

}  // namespace abax::tile

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Transpose: B <- A^T, or a square A <- A^T where it lies.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/operands.hpp"
#include "abax/detail/launch/transpose.hpp"
#include "abax/error.hpp"

namespace abax {

/// B <- A^T, asynchronously on `exec`. Bits are moved, not computed: NaN payloads and signs arrive as they were.
///
/// Shapes: A m x n, B n x m, Views of rank 2, any layout and strides, float, double or complex.
/// Aliasing: B shares no element with A, and none with itself.
/// Throws invalid_argument for extents that disagree, an output that shares memory or a null View with elements, before
/// anything is launched.
template <class Exec, class AView, class BView>
requires Kokkos::is_execution_space_v<Exec>
void transpose(const Exec& exec, const AView& A, const BView& B) {
  constexpr bool ranks = launch::matrix<AView> && launch::matrix<BView>;
  static_assert(ranks, "abax::transpose: A and B must be Views of rank 2");
  if constexpr (launch::operands_fit<ranks, Exec, BView, AView>())
    launch::transpose<Exec, launch::element_t<BView>>::run(exec, launch::input_matrix(A), launch::matrix_of(B));
}

/// The same on the default instance of B's execution space.
template <class AView, class BView>
requires(!Kokkos::is_execution_space_v<AView>) void transpose(const AView& A, const BView& B) {
  abax::transpose(launch::execution_space_of<BView>(), A, B);
}

/// A <- A^T where it lies, asynchronously on `exec`. Bits are moved, not computed.
///
/// Shape: A n x n, a View of rank 2, any layout and strides, float, double or complex.
/// Throws invalid_argument for an A that is not square, is null, or whose strides name an element twice, before
/// anything is launched.
template <class Exec, class AView>
requires Kokkos::is_execution_space_v<Exec>
void transpose(const Exec& exec, const AView& A) {
  static_assert(launch::matrix<AView>, "abax::transpose: A must be a View of rank 2");
  if constexpr (launch::operands_fit<launch::matrix<AView>, Exec, AView>())
    launch::transpose<Exec, launch::element_t<AView>>::run_in_place(exec, launch::matrix_of(A));
}

/// The same on the default instance of A's execution space.
template <class AView>
void transpose(const AView& A) {
  abax::transpose(launch::execution_space_of<AView>(), A);
}

/// B <- A^H, asynchronously on `exec`: the sign bit of each imaginary part changes, and no other. All else as in
/// transpose, which it is for real matrices.
template <class Exec, class AView, class BView>
requires Kokkos::is_execution_space_v<Exec>
void conjugate_transpose(const Exec& exec, const AView& A, const BView& B) {
  constexpr bool ranks = launch::matrix<AView> && launch::matrix<BView>;
  static_assert(ranks, "abax::conjugate_transpose: A and B must be Views of rank 2");
  if constexpr (launch::operands_fit<ranks, Exec, BView, AView>()) {
    using T = launch::element_t<BView>;
    if constexpr (tile::is_complex<T>)
      launch::transpose<Exec, T>::run_conjugated(exec, launch::input_matrix(A), launch::matrix_of(B));
    else
      launch::transpose<Exec, T>::run(exec, launch::input_matrix(A), launch::matrix_of(B));
  }
}
template <class AView, class BView>
requires(!Kokkos::is_execution_space_v<AView>) void conjugate_transpose(const AView& A, const BView& B) {
  abax::conjugate_transpose(launch::execution_space_of<BView>(), A, B);
}

/// A <- A^H where it lies, likewise.
template <class Exec, class AView>
requires Kokkos::is_execution_space_v<Exec>
void conjugate_transpose(const Exec& exec, const AView& A) {
  static_assert(launch::matrix<AView>, "abax::conjugate_transpose: A must be a View of rank 2");
  if constexpr (launch::operands_fit<launch::matrix<AView>, Exec, AView>()) {
    using T = launch::element_t<AView>;
    if constexpr (tile::is_complex<T>)
      launch::transpose<Exec, T>::run_in_place_conjugated(exec, launch::matrix_of(A));
    else
      launch::transpose<Exec, T>::run_in_place(exec, launch::matrix_of(A));
  }
}
template <class AView>
void conjugate_transpose(const AView& A) {
  abax::conjugate_transpose(launch::execution_space_of<AView>(), A);
}

}  // namespace abax

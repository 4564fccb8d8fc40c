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
/// Shapes: A m x n, B n x m, Views of rank 2, any layout and strides, float or double.
/// Aliasing: B shares no element with A, and none with itself.
/// Throws invalid_argument for extents that disagree or an output that shares memory, before anything is launched.
template <class Exec, launch::view AView, launch::view BView>
requires Kokkos::is_execution_space_v<Exec>
void transpose(const Exec& exec, const AView& A, const BView& B) {
  launch::require_operands<Exec, BView, AView>();
  launch::transpose<Exec, launch::value_t<BView>>::run(exec, launch::input_matrix(A), launch::matrix_of(B));
}

/// The same on the default instance of B's execution space.
template <launch::view AView, launch::view BView>
void transpose(const AView& A, const BView& B) {
  transpose(typename BView::execution_space{}, A, B);
}

/// A <- A^T where it lies, asynchronously on `exec`. Bits are moved, not computed.
///
/// Shape: A n x n, a View of rank 2, any layout and strides, float or double.
/// Throws invalid_argument for an A that is not square or whose strides name an element twice, before anything is
/// launched.
template <class Exec, launch::view AView>
requires Kokkos::is_execution_space_v<Exec>
void transpose(const Exec& exec, const AView& A) {
  launch::require_operands<Exec, AView>();
  launch::transpose<Exec, launch::value_t<AView>>::run_in_place(exec, launch::matrix_of(A));
}

/// The same on the default instance of A's execution space.
template <launch::view AView>
void transpose(const AView& A) {
  transpose(typename AView::execution_space{}, A);
}

}  // namespace abax

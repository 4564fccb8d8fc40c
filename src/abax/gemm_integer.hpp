// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Matrix product by way of exact integers: C <- alpha op(A) op(B) + beta C.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/gemm_integer.hpp"
#include "abax/detail/launch/operands.hpp"
#include "abax/error.hpp"

namespace abax {

/// C <- alpha op(A) op(B) + beta C, asynchronously on `exec`, whose product follows the integer canon: each row of
/// op(A) and each column of op(B) is rounded to the grid of its largest element, lines are multiplied exactly, each sum
/// is rounded once (docs/integer.md says when that is faster, and what it costs in accuracy).
///
/// Shapes, transA, transB, aliasing and what is read: as in gemm, for float and double.
/// Order: none. T(i, j) = the sum over p of q(a(i, p)) q(b(p, j)), in the integers, times 2^-(s + t), rounded to the
/// type; q(x) = x 2^s rounded to the nearest integer, ties to even, s = options.bits - 1 - floor(log2 max|x|) of its
/// line. A line with an infinity or a NaN: the sum in the extended reals. Then gemm's epilogue. The bits depend on
/// nothing else (docs/canon.md).
/// Throws as gemm does; and invalid_argument for a number of bits that there is not, or more terms than they allow;
/// resource_error where options.workspace bytes do not do: all before anything is written. With options.verify,
/// elements of C may have their new value where memory runs out.
/// Source: Ozaki, Uchino, Imamura, Ozaki scheme II: A GEMM-oriented emulation of floating-point matrix multiplication
/// using an integer modular technique (2025); the definition is Abax' own.
template <class Exec, class AView, class BView, class CView>
requires Kokkos::is_execution_space_v<Exec>
void gemm_integer(const Exec& exec, const char* transA, const char* transB, launch::value_t<CView> alpha,
                  const AView& A, const BView& B, launch::value_t<CView> beta, const CView& C,
                  const integer_options& options = {}) {
  constexpr bool ranks = launch::matrix<AView> && launch::matrix<BView> && launch::matrix<CView>;
  static_assert(ranks, "abax::gemm_integer: A, B and C must be Views of rank 2");
  static_assert(launch::real_element<launch::element_t<CView>>, "abax::gemm_integer: operands must be real");
  if constexpr (launch::operands_fit<ranks, Exec, CView, AView, BView>() &&
                launch::real_element<launch::element_t<CView>>)
    launch::gemm_integer<Exec, launch::element_t<CView>>::run(exec, transA, transB, alpha, launch::input_matrix(A),
                                                              launch::input_matrix(B), beta, launch::matrix_of(C),
                                                              options);
}

/// The same on the default instance of C's execution space.
template <class AView, class BView, class CView>
void gemm_integer(const char* transA, const char* transB, launch::value_t<CView> alpha, const AView& A, const BView& B,
                  launch::value_t<CView> beta, const CView& C, const integer_options& options = {}) {
  abax::gemm_integer(launch::execution_space_of<CView>(), transA, transB, alpha, A, B, beta, C, options);
}

/// How many elements of op(X) lose bits as the left ("L") or right ("R") operand of gemm_integer with these options:
/// those that lie off the grid of their line's largest element. 0 says that X is multiplied as it is. Waits for `exec`.
///
/// X: a View of rank 2, any layout and strides, float or double. Lines with an infinity or a NaN count nothing.
/// Throws invalid_argument for an unknown side or transposition, a number of bits that there is not, or a null View.
template <class Exec, class XView>
requires Kokkos::is_execution_space_v<Exec> std::int64_t gemm_integer_lost(const Exec& exec, const char* side,
                                                                           const char* trans, const XView& X,
                                                                           const integer_options& options = {}) {
  static_assert(launch::matrix<XView>, "abax::gemm_integer_lost: X must be a View of rank 2");
  if constexpr (launch::inputs_fit<launch::matrix<XView>, Exec, XView>() &&
                launch::real_element<launch::element_t<XView>>)
    return launch::gemm_integer<Exec, launch::element_t<XView>>::lost(exec, side, trans, launch::input_matrix(X),
                                                                      options);
  else
    return 0;
}

}  // namespace abax

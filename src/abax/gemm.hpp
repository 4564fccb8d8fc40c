// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Matrix product: C <- alpha op(A) op(B) + beta C.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/gemm.hpp"
#include "abax/detail/launch/gemm_bytes.hpp"
#include "abax/detail/launch/operands.hpp"
#include "abax/error.hpp"

namespace abax {

/// C <- alpha op(A) op(B) + beta C, asynchronously on `exec`.
///
/// Shapes: op(A) m x k, op(B) k x n, C m x n, Views of rank 2, any layout and strides, all of float, double or complex.
/// transA, transB: "N" (op(X) = X), "T" (op(X) = X^T) or "C" (op(X) = X^H; for real types the same as "T").
/// Aliasing: C shares no element with A or B, and none with itself.
/// Read: C not at all if beta == 0; A and B not at all if alpha == 0 or k == 0. NaN and Inf pass through otherwise.
/// Order: per element one fma chain over each 2048 consecutive terms, k ascending, from +0; these block sums added in
/// ascending order; then the epilogue. A complex term is two real ones of each part. The bits depend on nothing else
/// (docs/canon.md).
/// Or A and B of int8_t, and alpha, beta and C of int32_t: all is computed in the integers, modulo 2^32.
/// Throws invalid_argument for extents that disagree, an output that shares memory, an unknown transposition, a null
/// View of elements that would be read or written;
/// resource_error where no tile fits the machine's scratch: both before anything is launched or written.
/// Source: Dongarra et al., A set of level 3 BLAS, ACM TOMS 16 (1990); argument order as in KokkosBlas.
template <class Exec, class AView, class BView, class CView>
requires Kokkos::is_execution_space_v<Exec>
void gemm(const Exec& exec, const char* transA, const char* transB, launch::value_t<CView> alpha, const AView& A,
          const BView& B, launch::value_t<CView> beta, const CView& C) {
  constexpr bool ranks = launch::matrix<AView> && launch::matrix<BView> && launch::matrix<CView>;
  static_assert(ranks, "abax::gemm: A, B and C must be Views of rank 2");
  if constexpr (launch::bytes_fit<ranks, Exec, CView, AView, BView>())
    launch::gemm_bytes<Exec>::run(exec, transA, transB, alpha, launch::input_matrix(A), launch::input_matrix(B), beta,
                                  launch::matrix_of(C));
  else if constexpr (launch::operands_fit<ranks, Exec, CView, AView, BView>())
    launch::gemm<Exec, launch::element_t<CView>>::run(exec, transA, transB, launch::own(alpha), launch::input_matrix(A),
                                                      launch::input_matrix(B), launch::own(beta), launch::matrix_of(C));
}

/// The same on the default instance of C's execution space.
template <class AView, class BView, class CView>
void gemm(const char* transA, const char* transB, launch::value_t<CView> alpha, const AView& A, const BView& B,
          launch::value_t<CView> beta, const CView& C) {
  abax::gemm(launch::execution_space_of<CView>(), transA, transB, alpha, A, B, beta, C);
}

}  // namespace abax

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// One triangle of a matrix product, C <- alpha op(A) op(B) + beta C, and of a matrix and its transpose.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/gemm.hpp"
#include "abax/detail/launch/operands.hpp"
#include "abax/error.hpp"

namespace abax {

/// C <- alpha op(A) op(B) + beta C for one triangle of C, asynchronously on `exec`: gemm at about half of its work
/// (complex products on a GPU: at all of it).
///
/// Shapes: op(A) n x k, op(B) k x n, C n x n, Views of rank 2, any layout and strides, all of float, double or complex.
/// uplo: "L" (elements (i, j) with i >= j) or "U" (i <= j). The others are neither read nor written.
/// transA, transB, what is read, order and bits: those of gemm, element by element.
/// Aliasing: C, all of it, shares no element with A or B, and none with itself.
/// Throws what gemm does, and invalid_argument for a C that is not square or an unknown triangle.
/// Source: reference LAPACK 3.12.1 (gemmtr); the name is that of other BLAS libraries.
template <class Exec, class AView, class BView, class CView>
requires Kokkos::is_execution_space_v<Exec>
void gemmt(const Exec& exec, const char* uplo, const char* transA, const char* transB, launch::value_t<CView> alpha,
           const AView& A, const BView& B, launch::value_t<CView> beta, const CView& C) {
  constexpr bool ranks = launch::matrix<AView> && launch::matrix<BView> && launch::matrix<CView>;
  static_assert(ranks, "abax::gemmt: A, B and C must be Views of rank 2");
  if constexpr (launch::operands_fit<ranks, Exec, CView, AView, BView>())
    launch::gemm<Exec, launch::element_t<CView>>::run_triangle(exec, uplo, transA, transB, launch::own(alpha),
                                                               launch::input_matrix(A), launch::input_matrix(B),
                                                               launch::own(beta), launch::matrix_of(C));
}

/// The same on the default instance of C's execution space.
template <class AView, class BView, class CView>
void gemmt(const char* uplo, const char* transA, const char* transB, launch::value_t<CView> alpha, const AView& A,
           const BView& B, launch::value_t<CView> beta, const CView& C) {
  abax::gemmt(launch::execution_space_of<CView>(), uplo, transA, transB, alpha, A, B, beta, C);
}

/// C <- alpha op(A) op(A)^T + beta C for one triangle of C, asynchronously on `exec`: gemmt with A for B. op(A) n x k;
/// trans: "N" for A A^T, "T" for A^T A, as "C" for real types. All else as in gemmt.
/// Source: Dongarra et al., A set of level 3 BLAS, ACM TOMS 16 (1990).
template <class Exec, class AView, class CView>
requires Kokkos::is_execution_space_v<Exec>
void syrk(const Exec& exec, const char* uplo, const char* trans, launch::value_t<CView> alpha, const AView& A,
          launch::value_t<CView> beta, const CView& C) {
  constexpr bool ranks = launch::matrix<AView> && launch::matrix<CView>;
  static_assert(ranks, "abax::syrk: A and C must be Views of rank 2");
  if constexpr (launch::operands_fit<ranks, Exec, CView, AView>())
    launch::gemm<Exec, launch::element_t<CView>>::run_rank_k(
        exec, uplo, trans, launch::own(alpha), launch::input_matrix(A), launch::own(beta), launch::matrix_of(C));
}

/// The same on the default instance of C's execution space.
template <class AView, class CView>
void syrk(const char* uplo, const char* trans, launch::value_t<CView> alpha, const AView& A,
          launch::value_t<CView> beta, const CView& C) {
  abax::syrk(launch::execution_space_of<CView>(), uplo, trans, alpha, A, beta, C);
}

/// C <- alpha op(A) op(A)^H + beta C for one triangle of C, alpha and beta real: gemmt with A for B. op(A) n x k.
/// trans: "N" for A A^H, "C" for A^H A.
/// The diagonal's imaginary parts count as 0 and become +0, unless C stays as it is; they may be that where memory runs
/// out, too. All else as in gemmt.
/// Complex types alone.
/// Source: Dongarra et al., A set of level 3 BLAS, ACM TOMS 16 (1990).
template <class Exec, class AView, class CView>
requires Kokkos::is_execution_space_v<Exec>
void herk(const Exec& exec, const char* uplo, const char* trans, tile::real_of<launch::element_t<CView>> alpha,
          const AView& A, tile::real_of<launch::element_t<CView>> beta, const CView& C) {
  constexpr bool ranks = launch::matrix<AView> && launch::matrix<CView>;
  constexpr bool complex = tile::is_complex<launch::element_t<CView>>;
  static_assert(ranks, "abax::herk: A and C must be Views of rank 2");
  static_assert(complex, "abax::herk: A and C must hold complex numbers; syrk takes real ones");
  if constexpr (launch::operands_fit<ranks, Exec, CView, AView>() && complex)
    launch::gemm<Exec, launch::element_t<CView>>::run_hermitian_rank_k(
        exec, uplo, trans, alpha, launch::input_matrix(A), beta, launch::matrix_of(C));
}

/// The same on the default instance of C's execution space.
template <class AView, class CView>
void herk(const char* uplo, const char* trans, tile::real_of<launch::element_t<CView>> alpha, const AView& A,
          tile::real_of<launch::element_t<CView>> beta, const CView& C) {
  abax::herk(launch::execution_space_of<CView>(), uplo, trans, alpha, A, beta, C);
}

}  // namespace abax

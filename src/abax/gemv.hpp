// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Matrix-vector product: y <- alpha op(A) x + beta y.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/gemv.hpp"
#include "abax/detail/launch/operands.hpp"
#include "abax/error.hpp"

namespace abax {

/// y <- alpha op(A) x + beta y, asynchronously on `exec`.
///
/// Shapes: op(A) m x k (View of rank 2), x k, y m (Views of rank 1), any layout and strides, all of float, double or
/// complex.
/// trans: "N" (op(A) = A), "T" (op(A) = A^T) or "C" (op(A) = A^H; for real types the same as "T").
/// Aliasing: y shares no element with A or x, and none with itself.
/// Read: y not at all if beta == 0; A and x not at all if alpha == 0 or k == 0. Unlike the reference BLAS, which
/// returns at once when any extent is zero, k == 0 scales y by beta, as gemm does.
/// Order: as gemm's; y has the bits of the gemm whose right operand is the one column x.
/// Throws invalid_argument for extents that disagree, an output that shares memory, an unknown transposition, a null
/// View of elements that would be read or written;
/// resource_error where no tile fits the machine's scratch: both before anything is launched or written.
/// Source: Dongarra et al., An extended set of FORTRAN BLAS, ACM TOMS 14 (1988); argument order as in KokkosBlas.
template <class Exec, class AView, class XView, class YView>
requires Kokkos::is_execution_space_v<Exec>
void gemv(const Exec& exec, const char* trans, launch::value_t<YView> alpha, const AView& A, const XView& x,
          launch::value_t<YView> beta, const YView& y) {
  constexpr bool ranks = launch::matrix<AView> && launch::vector<XView> && launch::vector<YView>;
  static_assert(ranks, "abax::gemv: A must be a View of rank 2, x and y Views of rank 1");
  if constexpr (launch::operands_fit<ranks, Exec, YView, AView, XView>())
    launch::gemv<Exec, launch::element_t<YView>>::run(exec, trans, launch::own(alpha), launch::input_matrix(A),
                                                      launch::input_vector(x), launch::own(beta), launch::vector_of(y));
}

/// The same on the default instance of y's execution space.
template <class AView, class XView, class YView>
void gemv(const char* trans, launch::value_t<YView> alpha, const AView& A, const XView& x, launch::value_t<YView> beta,
          const YView& y) {
  abax::gemv(launch::execution_space_of<YView>(), trans, alpha, A, x, beta, y);
}

}  // namespace abax

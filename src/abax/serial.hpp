// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Products inside a kernel by a single thread. They are compiled in the unit that includes this, which therefore must
/// not be compiled with fast-math (nvcc does not say so: --use_fast_math).
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/in_kernel_for.hpp"
#include "abax/detail/team/operands.hpp"

namespace abax::serial {

/// C <- alpha op(A) op(B) + beta C by the calling thread, in a kernel of any kind or outside of kernels; op is 'N', 'T'
/// or 'C', the transpose of the conjugate (of real types the same as 'T').
///
/// Shapes: op(A) m x k, op(B) k x n, C m x n: Views of rank 2, float, double or Kokkos::complex of them throughout,
/// extents below 2^31; those that their types have are compiled in. They are not checked otherwise.
/// Aliasing: C shares no element with A or B, and none with itself.
/// Read: C not at all if beta == 0; A and B not at all if alpha == 0 or k == 0.
/// Order: that of abax::gemm, whose bits C has (docs/canon.md).
template <char OpA = 'N', char OpB = 'N', class AMatrix, class BMatrix, class CMatrix>
KOKKOS_FUNCTION void gemm(team::value_t<CMatrix> alpha, const AMatrix& A, const BMatrix& B, team::value_t<CMatrix> beta,
                          const CMatrix& C) {
  using T = team::value_t<CMatrix>;
  static_assert(team::is_op(OpA) && team::is_op(OpB), "abax::serial::gemm: op is 'N', 'T' or 'C'");
  static_assert(team::view<AMatrix, 2> && team::view<BMatrix, 2> && team::view<CMatrix, 2>,
                "abax::serial::gemm: A, B and C must be Views of rank 2");
  static_assert(team::element<T> && std::same_as<T, team::value_t<AMatrix>> && std::same_as<T, team::value_t<BMatrix>>,
                "abax::serial::gemm: all operands must hold the same type, float, double or Kokkos::complex");
  const auto a = team::op_of<OpA>(team::operand_of<void>(A));
  const auto bt = team::op_of<OpB>(team::operand_of<void>(B)).transposed();
  const auto c = team::operand_of<void>(C);
  static_assert(!std::is_const_v<typename decltype(c)::element>, "abax::serial::gemm: C must not be const");
  static_assert(team::may_agree(a.static_rows, c.static_rows) && team::may_agree(bt.static_rows, c.static_cols) &&
                    team::may_agree(a.static_cols, bt.static_cols),
                "abax::serial::gemm: the extents of op(A), op(B) and C disagree");
  backends::serial_product(a, bt, c, tile::epilogue<tile::own_t<T>>{tile::own(alpha), tile::own(beta)});
  tile::change_hands<T>();
}

}  // namespace abax::serial

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Products, copies and sums inside a kernel, by a whole team. They are compiled in the unit that includes this, which
/// therefore must not be compiled with fast-math (nvcc does not say so: --use_fast_math).
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/in_kernel_for.hpp"
#include "abax/detail/team/in_kernel.hpp"
#include "abax/detail/team/operands.hpp"
#include "abax/scratch_tile.hpp"

/// What all functions here have in common. All threads of the team call them, outside of its nested ranges, with the
/// same arguments: member of a Kokkos::TeamPolicy of any execution space, team size and vector length. Operands are
/// Views in scratch or in global memory or scratch tiles, float, double or Kokkos::complex of them throughout, with
/// extents below 2^31; outputs have fewer than 2^31 elements. Extents that Views' types have are compiled in. No
/// scratch is taken. At return every thread sees the output, except of stage() and sums.
///
/// No barrier comes first. Before a call, what other threads wrote to its operands must be there, and all threads must
/// be done with reading what its outputs held: put member.team_barrier() between, unless a function that ends with a
/// barrier does it.
///
/// Extents that disagree do not compile where types have them. Others are not checked, unless Kokkos checks bounds
/// (Kokkos_ENABLE_DEBUG_BOUNDS_CHECK): then the kernel aborts with a sentence that names the operands.
namespace abax::team {

#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
inline constexpr bool checks_extents = true;
#else
inline constexpr bool checks_extents = false;
#endif

/// Aborts if extents disagree, in builds in which Kokkos checks bounds.
KOKKOS_FORCEINLINE_FUNCTION void require(bool agree, const char* sentence) {
  if (checks_extents && !agree) Kokkos::abort(sentence);
}

template <class Member>
using machine_for = backends::in_kernel_for_t<typename Member::execution_space>;

/// C <- alpha op(A) op(B) + beta C by the team of `member`; op is 'N', 'T' or 'C', the transpose of the conjugate
/// (of real types the same as 'T').
///
/// Shapes: op(A) m x k, op(B) k x n, C m x n. Aliasing: C shares no element with A or B, and none with itself.
/// Read: C not at all if beta == 0; A and B not at all if alpha == 0 or k == 0.
/// Order: that of abax::gemm, whose bits C has (docs/canon.md). One barrier, at the end.
template <char OpA = 'N', char OpB = 'N', member Member, class AMatrix, class BMatrix, class CMatrix>
KOKKOS_FUNCTION void gemm(const Member& member, value_t<CMatrix> alpha, const AMatrix& A, const BMatrix& B,
                          value_t<CMatrix> beta, const CMatrix& C) {
  using T = value_t<CMatrix>;
  static_assert(is_op(OpA) && is_op(OpB), "abax::team::gemm: op is 'N', 'T' or 'C'");
  static_assert(matrix<AMatrix> && matrix<BMatrix> && matrix<CMatrix>,
                "abax::team::gemm: A, B and C must be Views of rank 2 or scratch tiles");
  static_assert(element<T> && std::same_as<T, value_t<AMatrix>> && std::same_as<T, value_t<BMatrix>>,
                "abax::team::gemm: all operands must hold the same type, float, double or Kokkos::complex");
  using machine = machine_for<Member>;
  const auto a = op_of<OpA>(operand_of<machine>(A));
  const auto bt = op_of<OpB>(operand_of<machine>(B)).transposed();
  const auto c = operand_of<machine>(C);
  static_assert(!std::is_const_v<typename decltype(c)::element>, "abax::team::gemm: C must not be const");
  static_assert(may_agree(a.static_rows, c.static_rows),
                "abax::team::gemm: op(A) and C have different numbers of rows");
  static_assert(may_agree(bt.static_rows, c.static_cols),
                "abax::team::gemm: op(B) and C have different numbers of columns");
  static_assert(may_agree(a.static_cols, bt.static_cols),
                "abax::team::gemm: op(A) has not as many columns as op(B) has rows");
  require(a.rows() == c.rows(), "abax::team::gemm: op(A) and C have different numbers of rows");
  require(bt.rows() == c.cols(), "abax::team::gemm: op(B) and C have different numbers of columns");
  require(a.cols() == bt.cols(), "abax::team::gemm: op(A) has not as many columns as op(B) has rows");
  product_in_kernel<machine>(member, a, bt, c, tile::epilogue<tile::own_t<T>>{tile::own(alpha), tile::own(beta)});
}

/// y <- alpha op(A) x + beta y by the team of `member`. Shapes: op(A) m x k, x k, y m (x and y Views of rank 1).
/// Aliasing, what is read, order and barrier are gemm's; y has the bits of abax::gemv.
template <char Op = 'N', member Member, class AMatrix, class XVector, class YVector>
KOKKOS_FUNCTION void gemv(const Member& member, value_t<YVector> alpha, const AMatrix& A, const XVector& x,
                          value_t<YVector> beta, const YVector& y) {
  using T = value_t<YVector>;
  static_assert(is_op(Op), "abax::team::gemv: op is 'N', 'T' or 'C'");
  static_assert(matrix<AMatrix> && vector<XVector> && vector<YVector>,
                "abax::team::gemv: A must be a View of rank 2 or a scratch tile, x and y Views of rank 1");
  static_assert(element<T> && std::same_as<T, value_t<AMatrix>> && std::same_as<T, value_t<XVector>>,
                "abax::team::gemv: all operands must hold the same type, float, double or Kokkos::complex");
  using machine = machine_for<Member>;
  const auto a = op_of<Op>(operand_of<machine>(A));
  const auto xt = operand_of<machine>(x).transposed();
  const auto c = operand_of<machine>(y);
  static_assert(!std::is_const_v<typename decltype(c)::element>, "abax::team::gemv: y must not be const");
  static_assert(may_agree(a.static_rows, c.static_rows),
                "abax::team::gemv: y has not as many elements as op(A) has rows");
  static_assert(may_agree(a.static_cols, xt.static_cols),
                "abax::team::gemv: x has not as many elements as op(A) has columns");
  require(a.rows() == c.rows(), "abax::team::gemv: y has not as many elements as op(A) has rows");
  require(a.cols() == xt.cols(), "abax::team::gemv: x has not as many elements as op(A) has columns");
  product_in_kernel<machine>(member, a, xt, c, tile::epilogue<tile::own_t<T>>{tile::own(alpha), tile::own(beta)});
}

/// x . y, or conj(x) . y, to every thread.
template <bool Conjugated, class Member, class XVector, class YVector>
KOKKOS_FORCEINLINE_FUNCTION value_t<XVector> dot_in_kernel(const Member& member, const XVector& x, const YVector& y) {
  using T = value_t<XVector>;
  static_assert(vector<XVector> && vector<YVector>, "abax::team::dot: x and y must be Views of rank 1");
  static_assert(element<T> && std::same_as<T, value_t<YVector>>,
                "abax::team::dot: both vectors must hold the same type, float, double or Kokkos::complex");
  static_assert(may_agree(known_extent<XVector>(0), known_extent<YVector>(0)),
                "abax::team::dot: x and y have different extents");
  require(x.extent(0) == y.extent(0), "abax::team::dot: x and y have different extents");
  using own = tile::own_t<T>;
  tile::change_hands<T>();
  const tile::vector<const own> xs{tile::own_elements(x.data()), index_t(x.extent(0)), index_t(x.stride(0))};
  const tile::vector<const own> ys{tile::own_elements(y.data()), index_t(y.extent(0)), index_t(y.stride(0))};
  if constexpr (tile::is_complex<own>)
    return tile::as_callers<T>(machine_for<Member>::dot(member, tile::dot<own>(xs, ys, Conjugated)));
  else
    return machine_for<Member>::dot(member, tile::dot<own>{{{xs, ys}}});
}

/// x . y to every thread, with the bits of abax::dot. x and y: Views of rank 1 and equal extent. Barriers, if any, are
/// those of Kokkos' team_broadcast: the sum travels through it.
template <member Member, class XVector, class YVector>
KOKKOS_FUNCTION value_t<XVector> dot(const Member& member, const XVector& x, const YVector& y) {
  return dot_in_kernel<false>(member, x, y);
}
/// conj(x) . y likewise, with the bits of abax::dotc.
template <member Member, class XVector, class YVector>
KOKKOS_FUNCTION value_t<XVector> dotc(const Member& member, const XVector& x, const YVector& y) {
  return dot_in_kernel<true>(member, x, y);
}

/// The sums of a product whose terms come stage by stage, ATile (m x depth) and BTile (depth x n), scratch tiles, at a
/// time: what a team keeps of a tile of C while it stages A and B. With Threads threads on a GPU, each of which has
/// m n / Threads of the sums in registers (1, 4, 16, 32 or 64 of them, in 256 bytes at most); on a CPU a team is one
/// thread, whose sums lie on its stack.
///
///     abax::team::sums<Member, ATile, BTile, 256> sums(member);
///     for (...) { ...; sums.add(A, B); }
///     sums.store(alpha, beta, C);
///
/// Every thread of the team has such an object and takes part in each call. There are no barriers: after add() others
/// may still read A and B, so a barrier comes before the next stage() into them; after store() a thread sees its own
/// part of C, and all of it behind a barrier.
template <member Member, class ATile, class BTile, int Threads>
class sums {
  using machine = machine_for<Member>;
  using T = value_t<ATile>;
  static_assert(scratch_operand<ATile> && scratch_operand<BTile> && std::same_as<T, value_t<BTile>>,
                "abax::team::sums: two types of scratch tiles that hold the same type");
  static constexpr int m = static_cast<int>(ATile::extent(0)), n = static_cast<int>(BTile::extent(1));
  static_assert(ATile::extent(1) == BTile::extent(0),
                "abax::team::sums: A's tile has not as many columns as B's tile has rows");

 public:
  /// Aborts the kernel if the team has not that number of threads.
  KOKKOS_FUNCTION explicit sums(const Member& member) : held_(member) {
    if (machine::threads(member) != (machine::computes_products ? 1 : Threads))
      Kokkos::abort("abax::team::sums: the team has another number of threads");
  }
  /// sums <- sums + A B, the terms following those before them. A and B: an ATile and a BTile, or at an edge parts of
  /// such tiles, with as many rows of A, and columns of B, at each call; none of them empty.
  template <scratch_operand A, scratch_operand B>
  KOKKOS_FUNCTION void add(const A& a, const B& b) {
    static_assert(A::layout == ATile::layout && B::layout == BTile::layout && std::same_as<T, value_t<A>> &&
                      std::same_as<T, value_t<B>>,
                  "abax::team::sums: A and B must be tiles of the types that the sums were made for, or parts of them");
    const auto left = operand_of<machine>(a);
    const auto right = operand_of<machine>(b).transposed();
    static_assert(may_agree(left.static_cols, right.static_cols),
                  "abax::team::sums: A has not as many columns as B has rows");
    require(left.cols() == right.cols(), "abax::team::sums: A has not as many columns as B has rows");
    require(left.cols() > 0 && left.rows() > 0 && left.rows() <= m && right.rows() > 0 && right.rows() <= n,
            "abax::team::sums: A or B is empty or larger than its tile");
    require(rows_ == 0 || (rows_ == left.rows() && cols_ == right.rows()),
            "abax::team::sums: A has another number of rows, or B of columns, than before");
    rows_ = left.rows();
    cols_ = right.rows();
    held_.add(left, right);
  }
  /// C <- alpha sums + beta C, where C has the rows of A and the columns of B; once, after at least one term. alpha is
  /// not 0. C has the bits of abax::gemm.
  template <matrix CMatrix>
  KOKKOS_FUNCTION void store(T alpha, T beta, const CMatrix& C) {
    static_assert(std::same_as<T, value_t<CMatrix>>, "abax::team::sums: C must hold the type of A and B");
    const auto c = operand_of<machine>(C);
    static_assert(!std::is_const_v<typename decltype(c)::element>, "abax::team::sums: C must not be const");
    static_assert(c.static_rows <= m && c.static_cols <= n,
                  "abax::team::sums: C has more rows or columns than the sums");
    require(rows_ > 0 && !tile::is_zero(tile::own(alpha)), "abax::team::sums: there are no terms, or alpha is 0");
    require(c.rows() == rows_ && c.cols() == cols_, "abax::team::sums: C has not the rows of A and the columns of B");
    held_.store(c, tile::epilogue<tile::own_t<T>>{tile::own(alpha), tile::own(beta)});
    tile::change_hands<T>();
  }

 private:
  static auto choose() {
    if constexpr (machine::computes_products)
      return std::type_identity<typename machine::template sums<tile::own_t<T>, m, n>>();
    else
      return std::type_identity<register_sums<machine, ATile, BTile, Threads>>();
  }
  typename decltype(choose())::type held_;
  int rows_ = 0, cols_ = 0;  // of C, as the stages say
};

/// to <- from by Move, element by element, for operands of any kind.
template <template <class, int> class Move, class From, class To, class Member>
KOKKOS_FORCEINLINE_FUNCTION void copy_operands(const Member& member, const From& from, const To& to) {
  static_assert(!std::is_const_v<typename To::element>, "abax::team: what is copied to must not be const");
  static_assert(may_agree(From::static_rows, To::static_rows) && may_agree(From::static_cols, To::static_cols),
                "abax::team: what is copied has not the extents of what it is copied to");
  require(from.rows() == to.rows() && from.cols() == to.cols(),
          "abax::team: what is copied has not the extents of what it is copied to");
  copy_in_kernel<Move>(member, from, to);
  tile::change_hands<typename To::value>();
}

/// Whether operands can be copied: two matrices or two vectors of one type.
template <class From, class To>
concept can_be_copied = ((matrix<From> && matrix<To>) || (vector<From> && vector<To>)) &&
                        element<value_t<From>>&& std::same_as<value_t<From>, value_t<To>>;

/// to <- from, bits untouched: two matrices or two vectors of equal extents that share no element. 16 bytes at a time
/// where both lie along the same index in lines that begin at multiples of 16 bytes. One barrier, at the end.
template <member Member, class From, class To>
KOKKOS_FUNCTION void copy(const Member& member, const From& from, const To& to) {
  static_assert(can_be_copied<From, To>, "abax::team::copy: two matrices or two vectors of the same type");
  using machine = machine_for<Member>;
  copy_operands<plain_move>(member, operand_of<machine>(from), operand_of<machine>(to));
  member.team_barrier();
}

/// B <- A^T, bits untouched. A m x n, B n x m, which share no element. One barrier, at the end.
template <member Member, class AMatrix, class BMatrix>
KOKKOS_FUNCTION void transpose(const Member& member, const AMatrix& A, const BMatrix& B) {
  static_assert(matrix<AMatrix> && matrix<BMatrix> && can_be_copied<AMatrix, BMatrix>,
                "abax::team::transpose: A and B must be Views of rank 2 or scratch tiles, of the same type");
  using machine = machine_for<Member>;
  copy_operands<plain_move>(member, operand_of<machine>(A).transposed(), operand_of<machine>(B));
  member.team_barrier();
}

/// B <- A^H: A^T of which the sign of every imaginary part is changed, and no other bit; transpose() of real numbers.
template <member Member, class AMatrix, class BMatrix>
KOKKOS_FUNCTION void conjugate_transpose(const Member& member, const AMatrix& A, const BMatrix& B) {
  static_assert(matrix<AMatrix> && matrix<BMatrix> && can_be_copied<AMatrix, BMatrix>,
                "abax::team::conjugate_transpose: A and B must be Views of rank 2 or scratch tiles, of the same type");
  using machine = machine_for<Member>;
  const auto from = operand_of<machine>(A).transposed();
  const auto to = operand_of<machine>(B);
  if constexpr (tile::is_complex<own_value_t<BMatrix>>)
    copy_operands<conjugating_move>(member, from, to);
  else
    copy_operands<plain_move>(member, from, to);
  member.team_barrier();
}

/// As copy(), without a barrier: from global memory to scratch the copies may be on their way when it returns (cp.async
/// from sm_80 on; elsewhere they have been made). `to` must not be read before wait(), nor `from` be written. Threads
/// begin to write `to` at once: a barrier comes before it where any thread may still read what `to` held.
template <member Member, class From, class To>
KOKKOS_FUNCTION void stage(const Member& member, const From& from, const To& to) {
  static_assert(can_be_copied<From, To>, "abax::team::stage: two matrices or two vectors of the same type");
  using machine = machine_for<Member>;
  copy_operands<machine::template staged_move>(member, operand_of<machine>(from), operand_of<machine>(to));
  machine::end_stage();
}

/// Waits until all but the newest `Pending` stages of this team have arrived; then, behind one barrier, every thread
/// sees them.
template <int Pending = 0, member Member>
KOKKOS_FUNCTION void wait(const Member& member) {
  static_assert(Pending >= 0, "abax::team::wait: a number of stages");
  machine_for<Member>::template await_stages<Pending>();
  member.team_barrier();
}

}  // namespace abax::team

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The streaming kernels: axpby, scal, copy, triad, increment.
///
/// All: Views of equal extents, any layout and strides, float, double or complex throughout; of rank 1, and all but
/// increment also of rank 2; asynchronous on `exec`; each element by the canon's epilogue (docs/canon.md). Matrices
/// whose elements follow one another are as fast as vectors; those that run through memory in different directions are
/// read across. Output and input may be exactly the same elements (the work is elementwise) and otherwise share none.
/// Throw invalid_argument for extents that disagree, an output that shares memory or a null View with elements, before
/// anything is launched.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/operands.hpp"
#include "abax/detail/launch/stream.hpp"
#include "abax/error.hpp"

namespace abax {

/// y <- alpha x + beta y: fma(alpha, x, mul(beta, y)). beta == 0 does not read y, alpha == 0 does not read x.
template <class Exec, class XView, class YView>
requires Kokkos::is_execution_space_v<Exec>
void axpby(const Exec& exec, launch::value_t<YView> alpha, const XView& x, launch::value_t<YView> beta,
           const YView& y) {
  constexpr bool ranks = launch::same_rank<XView, YView>;
  static_assert(ranks, "abax::axpby: x and y must be Views of the same rank, 1 or 2");
  if constexpr (launch::operands_fit<ranks, Exec, YView, XView>())
    launch::stream<Exec, launch::element_t<YView>>::combine("abax::axpby", exec, launch::own(alpha),
                                                            launch::input_matrix(x), launch::own(beta), "y",
                                                            launch::input_matrix(y), "y", launch::matrix_of(y));
}
template <class XView, class YView>
void axpby(launch::value_t<YView> alpha, const XView& x, launch::value_t<YView> beta, const YView& y) {
  abax::axpby(launch::execution_space_of<YView>(), alpha, x, beta, y);
}

/// y <- alpha x. alpha == 0 does not read x and leaves +0.
template <class Exec, class YView, class XView>
requires Kokkos::is_execution_space_v<Exec>
void scal(const Exec& exec, const YView& y, launch::value_t<YView> alpha, const XView& x) {
  constexpr bool ranks = launch::same_rank<XView, YView>;
  static_assert(ranks, "abax::scal: y and x must be Views of the same rank, 1 or 2");
  if constexpr (launch::operands_fit<ranks, Exec, YView, XView>())
    launch::stream<Exec, launch::element_t<YView>>::combine("abax::scal", exec, launch::own(alpha),
                                                            launch::input_matrix(x), launch::element_t<YView>{}, "y",
                                                            launch::input_matrix(y), "y", launch::matrix_of(y));
}
template <class YView, class XView>
void scal(const YView& y, launch::value_t<YView> alpha, const XView& x) {
  abax::scal(launch::execution_space_of<YView>(), y, alpha, x);
}

/// y <- x, bits untouched. x and y share no element.
template <class Exec, class XView, class YView>
requires Kokkos::is_execution_space_v<Exec>
void copy(const Exec& exec, const XView& x, const YView& y) {
  constexpr bool ranks = launch::same_rank<XView, YView>;
  static_assert(ranks, "abax::copy: x and y must be Views of the same rank, 1 or 2");
  if constexpr (launch::operands_fit<ranks, Exec, YView, XView>())
    launch::stream<Exec, launch::element_t<YView>>::copy(exec, launch::input_matrix(x), launch::matrix_of(y));
}
template <class XView, class YView>
void copy(const XView& x, const YView& y) {
  abax::copy(launch::execution_space_of<YView>(), x, y);
}

/// z <- alpha x + y: fma(alpha, x, y). alpha == 0 does not read x.
template <class Exec, class XView, class YView, class ZView>
requires Kokkos::is_execution_space_v<Exec>
void triad(const Exec& exec, launch::value_t<ZView> alpha, const XView& x, const YView& y, const ZView& z) {
  constexpr bool ranks = launch::same_rank<XView, YView, ZView>;
  static_assert(ranks, "abax::triad: x, y and z must be Views of the same rank, 1 or 2");
  if constexpr (launch::operands_fit<ranks, Exec, ZView, XView, YView>())
    launch::stream<Exec, launch::element_t<ZView>>::combine(
        "abax::triad", exec, launch::own(alpha), launch::input_matrix(x), launch::own(launch::value_t<ZView>(1)), "y",
        launch::input_matrix(y), "z", launch::matrix_of(z));
}
template <class XView, class YView, class ZView>
void triad(launch::value_t<ZView> alpha, const XView& x, const YView& y, const ZView& z) {
  abax::triad(launch::execution_space_of<ZView>(), alpha, x, y, z);
}

/// x <- x + value: the classic first kernel.
template <class Exec, class XView>
requires Kokkos::is_execution_space_v<Exec>
void increment(const Exec& exec, launch::value_t<XView> value, const XView& x) {
  static_assert(launch::vector<XView>, "abax::increment: x must be a View of rank 1");
  if constexpr (launch::operands_fit<launch::vector<XView>, Exec, XView>())
    launch::stream<Exec, launch::element_t<XView>>::increment(exec, launch::own(value), launch::vector_of(x));
}
template <class XView>
void increment(launch::value_t<XView> value, const XView& x) {
  abax::increment(launch::execution_space_of<XView>(), value, x);
}

}  // namespace abax

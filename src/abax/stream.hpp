// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The streaming kernels: axpby, scal, copy, triad, increment.
///
/// All: Views of rank 1 and equal extent, any stride, float or double throughout; asynchronous on `exec`; each element
/// by the canon's epilogue (docs/canon.md). Output and input may be exactly the same elements (the work is elementwise)
/// and otherwise share none. Throw invalid_argument for extents that disagree or an output that shares memory, before
/// anything is launched.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/operands.hpp"
#include "abax/detail/launch/stream.hpp"
#include "abax/error.hpp"

namespace abax {

/// y <- alpha x + beta y: fma(alpha, x, mul(beta, y)). beta == 0 does not read y, alpha == 0 does not read x.
template <class Exec, launch::view XView, launch::view YView>
requires Kokkos::is_execution_space_v<Exec>
void axpby(const Exec& exec, launch::value_t<YView> alpha, const XView& x, launch::value_t<YView> beta,
           const YView& y) {
  launch::require_operands<Exec, YView, XView>();
  launch::stream<Exec, launch::value_t<YView>>::combine("abax::axpby", exec, alpha, launch::input_vector(x), beta, "y",
                                                        launch::input_vector(y), "y", launch::vector_of(y));
}
template <launch::view XView, launch::view YView>
void axpby(launch::value_t<YView> alpha, const XView& x, launch::value_t<YView> beta, const YView& y) {
  axpby(typename YView::execution_space{}, alpha, x, beta, y);
}

/// y <- alpha x. alpha == 0 does not read x and leaves +0.
template <class Exec, launch::view YView, launch::view XView>
requires Kokkos::is_execution_space_v<Exec>
void scal(const Exec& exec, const YView& y, launch::value_t<YView> alpha, const XView& x) {
  launch::require_operands<Exec, YView, XView>();
  launch::stream<Exec, launch::value_t<YView>>::combine("abax::scal", exec, alpha, launch::input_vector(x), 0, "y",
                                                        launch::input_vector(y), "y", launch::vector_of(y));
}
template <launch::view YView, launch::view XView>
requires(!Kokkos::is_execution_space_v<YView>) void scal(const YView& y, launch::value_t<YView> alpha, const XView& x) {
  scal(typename YView::execution_space{}, y, alpha, x);
}

/// y <- x, bits untouched. x and y share no element.
template <class Exec, launch::view XView, launch::view YView>
requires Kokkos::is_execution_space_v<Exec>
void copy(const Exec& exec, const XView& x, const YView& y) {
  launch::require_operands<Exec, YView, XView>();
  launch::stream<Exec, launch::value_t<YView>>::copy(exec, launch::input_vector(x), launch::vector_of(y));
}
template <launch::view XView, launch::view YView>
void copy(const XView& x, const YView& y) {
  copy(typename YView::execution_space{}, x, y);
}

/// z <- alpha x + y: fma(alpha, x, y). alpha == 0 does not read x.
template <class Exec, launch::view XView, launch::view YView, launch::view ZView>
requires Kokkos::is_execution_space_v<Exec>
void triad(const Exec& exec, launch::value_t<ZView> alpha, const XView& x, const YView& y, const ZView& z) {
  launch::require_operands<Exec, ZView, XView, YView>();
  launch::stream<Exec, launch::value_t<ZView>>::combine("abax::triad", exec, alpha, launch::input_vector(x), 1, "y",
                                                        launch::input_vector(y), "z", launch::vector_of(z));
}
template <launch::view XView, launch::view YView, launch::view ZView>
void triad(launch::value_t<ZView> alpha, const XView& x, const YView& y, const ZView& z) {
  triad(typename ZView::execution_space{}, alpha, x, y, z);
}

/// x <- x + value: the classic first kernel.
template <class Exec, launch::view XView>
requires Kokkos::is_execution_space_v<Exec>
void increment(const Exec& exec, launch::value_t<XView> value, const XView& x) {
  launch::require_operands<Exec, XView>();
  launch::stream<Exec, launch::value_t<XView>>::increment(exec, value, launch::vector_of(x));
}
template <launch::view XView>
void increment(launch::value_t<XView> value, const XView& x) {
  increment(typename XView::execution_space{}, value, x);
}

}  // namespace abax

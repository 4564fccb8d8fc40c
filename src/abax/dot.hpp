// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Dot product: result <- x . y.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/dot.hpp"
#include "abax/detail/launch/operands.hpp"
#include "abax/error.hpp"

namespace abax {

/// result <- sum over i of x_i y_i, asynchronously on `exec`.
///
/// Shapes: x and y Views of rank 1 and equal extent, any stride, float or double; result a View of rank 0 that `exec`
/// can write. Aliasing: result is no element of x or y. An empty sum is +0.
/// Order: one fma chain over each 2048 consecutive terms, ascending, from +0; these block sums added in ascending
/// order. The bits are those of the gemm of a row and a column (docs/canon.md).
/// Throws invalid_argument for extents that disagree or a result that shares memory, before anything is launched.
template <class Exec, launch::view XView, launch::view YView, launch::view RView>
requires Kokkos::is_execution_space_v<Exec>
void dot(const Exec& exec, const XView& x, const YView& y, const RView& result) {
  launch::require_operands<Exec, RView, XView, YView>();
  static_assert(RView::rank() == 0, "abax: the result of dot must be a View of rank 0");
  launch::dot<Exec, launch::value_t<RView>>::run(exec, launch::input_vector(x), launch::input_vector(y), result.data());
}

/// The same on the default instance of the result's execution space.
template <launch::view XView, launch::view YView, launch::view RView>
void dot(const XView& x, const YView& y, const RView& result) {
  dot(typename RView::execution_space{}, x, y, result);
}

}  // namespace abax

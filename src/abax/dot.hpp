// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Dot product: result <- x . y.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/operands.hpp"
#include "abax/detail/launch/reduction.hpp"
#include "abax/error.hpp"

namespace abax {

/// result <- sum over i of x_i y_i, asynchronously on `exec`.
///
/// Shapes: x and y Views of rank 1 and equal extent, any stride, float or double; result a View of rank 0 that `exec`
/// can write. Aliasing: result is no element of x or y. An empty sum is +0.
/// Order: the canon's for reductions (docs/canon.md): 64 lanes take the terms of each 1024 in turn, by fma from +0, and
/// are added by halves; so are the blocks' sums, level by level. A product, as in gemm or gemv, has another order.
/// Throws invalid_argument for extents that disagree, a result that shares memory or a null View with elements, before
/// anything is launched.
template <class Exec, class XView, class YView, class RView>
requires Kokkos::is_execution_space_v<Exec>
void dot(const Exec& exec, const XView& x, const YView& y, const RView& result) {
  constexpr bool ranks = launch::vector<XView> && launch::vector<YView> && launch::number<RView>;
  static_assert(ranks, "abax::dot: x and y must be Views of rank 1, the result a View of rank 0");
  if constexpr (launch::operands_fit<ranks, Exec, RView, XView, YView>())
    launch::reductions<Exec, launch::value_t<RView>>::run(
        exec, tile::dot<launch::value_t<XView>>{{{launch::input_vector(x), launch::input_vector(y)}}}, result.data());
}

/// The same on the default instance of the result's execution space.
template <class XView, class YView, class RView>
requires(!Kokkos::is_execution_space_v<XView>) void dot(const XView& x, const YView& y, const RView& result) {
  abax::dot(launch::execution_space_of<RView>(), x, y, result);
}

/// The same sum as a value: waits for `exec`.
template <class Exec, class XView, class YView>
requires Kokkos::is_execution_space_v<Exec> launch::value_t<XView> dot(const Exec& exec, const XView& x,
                                                                       const YView& y) {
  constexpr bool ranks = launch::vector<XView> && launch::vector<YView>;
  static_assert(ranks, "abax::dot: x and y must be Views of rank 1");
  if constexpr (launch::inputs_fit<ranks, Exec, XView, YView>())
    return launch::reductions<Exec, launch::value_t<XView>>::value(
        exec, tile::dot<launch::value_t<XView>>{{{launch::input_vector(x), launch::input_vector(y)}}});
}

/// The same on the default instance of x' execution space.
template <class XView, class YView>
requires(!Kokkos::is_execution_space_v<XView>) launch::value_t<XView> dot(const XView& x, const YView& y) {
  return abax::dot(launch::execution_space_of<XView>(), x, y);
}

}  // namespace abax

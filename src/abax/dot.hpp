// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Dot products: result <- x . y, of complex vectors also conj(x) . y.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/operands.hpp"
#include "abax/detail/launch/reduction.hpp"
#include "abax/error.hpp"

namespace abax {
namespace launch {

/// x . y, or conj(x) . y.
template <class T>
tile::dot<T> dot_of(const tile::vector<const T>& x, const tile::vector<const T>& y, [[maybe_unused]] bool conjugated) {
  if constexpr (tile::is_complex<T>)
    return {x, y, conjugated};
  else
    return {{{x, y}}};
}

template <class Exec, class XView, class YView, class RView>
void dot(const Exec& exec, const XView& x, const YView& y, bool conjugated, const RView& result) {
  constexpr bool ranks = vector<XView> && vector<YView> && number<RView>;
  static_assert(ranks, "abax: a dot product needs Views x and y of rank 1 and a result of rank 0");
  if constexpr (operands_fit<ranks, Exec, RView, XView, YView>())
    reductions<Exec, element_t<RView>>::run(exec, dot_of(input_vector(x), input_vector(y), conjugated),
                                            own_elements(result.data()));
}
template <class Exec, class XView, class YView>
value_t<XView> dot(const Exec& exec, const XView& x, const YView& y, bool conjugated) {
  constexpr bool ranks = vector<XView> && vector<YView>;
  static_assert(ranks, "abax: a dot product needs Views x and y of rank 1");
  if constexpr (inputs_fit<ranks, Exec, XView, YView>()) {
    const auto sum =
        reductions<Exec, element_t<XView>>::value(exec, dot_of(input_vector(x), input_vector(y), conjugated));
    if constexpr (tile::is_complex<element_t<XView>>)
      return {sum.re, sum.im};
    else
      return sum;
  }
}

}  // namespace launch

/// result <- sum over i of x_i y_i, asynchronously on `exec`.
///
/// Shapes: x and y Views of rank 1 and equal extent, any stride, float, double or complex; result a View of rank 0 that
/// `exec` can write.
/// Aliasing: result is no element of x or y. An empty sum is +0.
/// Order: the canon's for reductions (docs/canon.md): 64 lanes take the terms of each 1024 in turn, by fma from +0, and
/// are added by halves; so are the blocks' sums, level by level. A product, as in gemm or gemv, has another order.
/// Throws invalid_argument for extents that disagree, a result that shares memory or a null View with elements, before
/// anything is launched.
template <class Exec, class XView, class YView, class RView>
requires Kokkos::is_execution_space_v<Exec>
void dot(const Exec& exec, const XView& x, const YView& y, const RView& result) {
  launch::dot(exec, x, y, false, result);
}

/// The same on the default instance of the result's execution space.
template <class XView, class YView, class RView>
requires(!Kokkos::is_execution_space_v<XView>) void dot(const XView& x, const YView& y, const RView& result) {
  abax::dot(launch::execution_space_of<RView>(), x, y, result);
}

/// The same sum as a value: waits until it is there.
template <class Exec, class XView, class YView>
requires Kokkos::is_execution_space_v<Exec> launch::value_t<XView> dot(const Exec& exec, const XView& x,
                                                                       const YView& y) {
  return launch::dot(exec, x, y, false);
}

/// The same on the default instance of x' execution space.
template <class XView, class YView>
requires(!Kokkos::is_execution_space_v<XView>) launch::value_t<XView> dot(const XView& x, const YView& y) {
  return abax::dot(launch::execution_space_of<XView>(), x, y);
}

/// result <- sum over i of conj(x_i) y_i; all else as in dot, which it is for real vectors.
template <class Exec, class XView, class YView, class RView>
requires Kokkos::is_execution_space_v<Exec>
void dotc(const Exec& exec, const XView& x, const YView& y, const RView& result) {
  launch::dot(exec, x, y, true, result);
}

/// The same on the default instance of the result's execution space.
template <class XView, class YView, class RView>
requires(!Kokkos::is_execution_space_v<XView>) void dotc(const XView& x, const YView& y, const RView& result) {
  abax::dotc(launch::execution_space_of<RView>(), x, y, result);
}

/// The same sum as a value: waits until it is there.
template <class Exec, class XView, class YView>
requires Kokkos::is_execution_space_v<Exec> launch::value_t<XView> dotc(const Exec& exec, const XView& x,
                                                                        const YView& y) {
  return launch::dot(exec, x, y, true);
}

/// The same on the default instance of x' execution space.
template <class XView, class YView>
requires(!Kokkos::is_execution_space_v<XView>) launch::value_t<XView> dotc(const XView& x, const YView& y) {
  return abax::dotc(launch::execution_space_of<XView>(), x, y);
}

}  // namespace abax

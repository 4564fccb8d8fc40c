// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Reductions of one vector: sum, asum, nrm2 and iamax.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/operands.hpp"
#include "abax/detail/launch/reduction.hpp"
#include "abax/error.hpp"

namespace abax {
namespace launch {

/// A reduction of one vector, by terms that are its elements or, of sums, the parts of complex ones.
template <template <class> class Kernel, class T>
Kernel<T> reduction_of(const tile::vector<const T>& x) {
  Kernel<T> kernel{};
  if constexpr (requires { kernel.operand[0] = x; })
    kernel.operand[0] = x;
  else
    kernel.operand[0] = tile::terms<T>::of(x);
  return kernel;
}

/// *result <- the reduction of x by `Kernel`.
template <template <class> class Kernel, class Exec, class XView, class RView>
void reduce(const Exec& exec, const XView& x, const RView& result) {
  using T = element_t<XView>;
  using expected = typename Kernel<T>::result_type;
  constexpr bool ranks = vector<XView> && number<RView>;
  static_assert(ranks, "abax: a reduction needs a View x of rank 1 and a result of rank 0");
  if constexpr (inputs_fit<ranks, Exec, XView>()) {
    constexpr bool fits = std::same_as<typename RView::value_type, expected> && reaches<Exec, RView>;
    static_assert(
        fits,
        "abax: the result must hold x' type (asum, nrm2: that of its parts; iamax: abax::index_t) where the space "
        "can write it");
    if constexpr (fits) reductions<Exec, T>::run(exec, reduction_of<Kernel>(input_vector(x)), result.data());
  }
}
template <template <class> class Kernel, class Exec, class XView>
typename Kernel<element_t<XView>>::result_type reduced(const Exec& exec, const XView& x) {
  static_assert(vector<XView>, "abax: a reduction needs a View x of rank 1");
  if constexpr (inputs_fit<vector<XView>, Exec, XView>())
    return reductions<Exec, element_t<XView>>::value(exec, reduction_of<Kernel>(input_vector(x)));
}

/// The real or the imaginary parts of a vector.
template <class Real>
tile::vector<const Real> parts_of(const tile::vector<const tile::complex<Real>>& x, int part) {
  const auto* const first = reinterpret_cast<const Real*>(x.data);
  return {first == nullptr ? first : first + part, x.size, 2 * x.stride};
}
/// *result <- the sum of a vector of complex elements, part by part.
template <class Exec, class XView, class RView>
void sum_parts(const Exec& exec, const XView& x, const RView& result) {
  using real = tile::real_of<element_t<XView>>;
  static_assert(number<RView>, "abax: a reduction needs a View x of rank 1 and a result of rank 0");
  if constexpr (operands_fit < vector<XView> && number<RView>, Exec, RView, XView > ())
    for (const int part : {0, 1}) {
      auto* const to = reinterpret_cast<real*>(result.data());
      reductions<Exec, real>::run(exec, reduction_of<tile::sum>(parts_of(input_vector(x), part)),
                                  to == nullptr ? to : to + part);
    }
}
template <class Exec, class XView>
value_t<XView> summed_parts(const Exec& exec, const XView& x) {
  using real = tile::real_of<element_t<XView>>;
  real sum[2] = {};
  if constexpr (inputs_fit<vector<XView>, Exec, XView>())
    for (const int part : {0, 1})
      sum[part] = reductions<Exec, real>::value(exec, reduction_of<tile::sum>(parts_of(input_vector(x), part)));
  return {sum[0], sum[1]};
}

}  // namespace launch

// Each of the four comes in four ways: asynchronously into a View of rank 0 that `exec` can write, or as a value, which
// waits until it is there; and both on the default instance of x' execution space.
//
// Shapes: x a View of rank 1, any stride, of float, double or complex numbers. Aliasing: result is no
// element of x. Order: the canon's for reductions (docs/canon.md). Throws invalid_argument for a result that shares
// memory or a null View with elements, before anything is launched.

/// result <- sum over i of x_i; an empty one is +0. Of complex elements it is that of the real parts and that of the
/// imaginary ones.
template <class Exec, class XView, class RView>
requires Kokkos::is_execution_space_v<Exec>
void sum(const Exec& exec, const XView& x, const RView& result) {
  if constexpr (tile::is_complex<launch::element_t<XView>>)
    launch::sum_parts(exec, x, result);
  else
    launch::reduce<tile::sum>(exec, x, result);
}
template <launch::vector XView, class RView>
void sum(const XView& x, const RView& result) {
  abax::sum(launch::execution_space_of<XView>(), x, result);
}
template <class Exec, class XView>
requires Kokkos::is_execution_space_v<Exec> launch::value_t<XView> sum(const Exec& exec, const XView& x) {
  if constexpr (tile::is_complex<launch::element_t<XView>>)
    return launch::summed_parts(exec, x);
  else
    return launch::reduced<tile::sum>(exec, x);
}
template <launch::vector XView>
launch::value_t<XView> sum(const XView& x) {
  return abax::sum(launch::execution_space_of<XView>(), x);
}

/// result <- sum over i of |x_i|, of complex elements of |Re x_i| + |Im x_i|; an empty one is +0.
template <class Exec, class XView, class RView>
requires Kokkos::is_execution_space_v<Exec>
void asum(const Exec& exec, const XView& x, const RView& result) { launch::reduce<tile::asum>(exec, x, result); }
template <launch::vector XView, class RView>
void asum(const XView& x, const RView& result) {
  abax::asum(launch::execution_space_of<XView>(), x, result);
}
template <class Exec, class XView>
requires Kokkos::is_execution_space_v<Exec> tile::real_of<launch::element_t<XView>> asum(const Exec& exec,
                                                                                         const XView& x) {
  return launch::reduced<tile::asum>(exec, x);
}
template <launch::vector XView>
tile::real_of<launch::element_t<XView>> asum(const XView& x) {
  return abax::asum(launch::execution_space_of<XView>(), x);
}

/// result <- square root of the sum over i of |x_i|^2; an empty one is +0. Nothing overflows or vanishes that the
/// result could hold.
template <class Exec, class XView, class RView>
requires Kokkos::is_execution_space_v<Exec>
void nrm2(const Exec& exec, const XView& x, const RView& result) { launch::reduce<tile::nrm2>(exec, x, result); }
template <launch::vector XView, class RView>
void nrm2(const XView& x, const RView& result) {
  abax::nrm2(launch::execution_space_of<XView>(), x, result);
}
template <class Exec, class XView>
requires Kokkos::is_execution_space_v<Exec> tile::real_of<launch::element_t<XView>> nrm2(const Exec& exec,
                                                                                         const XView& x) {
  return launch::reduced<tile::nrm2>(exec, x);
}
template <launch::vector XView>
tile::real_of<launch::element_t<XView>> nrm2(const XView& x) {
  return abax::nrm2(launch::execution_space_of<XView>(), x);
}

/// result <- the lowest index of an element of largest magnitude (|Re| + |Im| of a complex one), counted from 0; the
/// first NaN if there is one; -1 without elements. result holds abax::index_t.
template <class Exec, class XView, class RView>
requires Kokkos::is_execution_space_v<Exec>
void iamax(const Exec& exec, const XView& x, const RView& result) { launch::reduce<tile::iamax>(exec, x, result); }
template <launch::vector XView, class RView>
void iamax(const XView& x, const RView& result) {
  abax::iamax(launch::execution_space_of<XView>(), x, result);
}
template <class Exec, class XView>
requires Kokkos::is_execution_space_v<Exec> index_t iamax(const Exec& exec, const XView& x) {
  return launch::reduced<tile::iamax>(exec, x);
}
template <launch::vector XView>
index_t iamax(const XView& x) {
  return abax::iamax(launch::execution_space_of<XView>(), x);
}

}  // namespace abax

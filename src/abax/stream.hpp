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
#include <type_traits>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/launch/operands.hpp"
#include "abax/detail/launch/stream.hpp"
#include "abax/detail/tile/scalar.hpp"
#include "abax/error.hpp"

namespace abax {
namespace launch {

template <class View, class Factor>
concept scaled_by_parts = std::is_arithmetic_v<Factor> && tile::is_complex<element_t<View>>;

/// y <- alpha x, part by part. Errors are those of elements, so they are looked for here.
template <class Exec, class Real>
void scale_parts(const Exec& exec, Real alpha, const tile::matrix<const tile::complex<Real>>& x,
                 const tile::matrix<tile::complex<Real>>& y) {
  using complex = tile::complex<Real>;
  constexpr const char* function = "abax::scal";
  if (x.rows != y.rows || x.cols != y.cols)  // a call that names them, and does nothing else
    return stream<Exec, complex>::combine(function, exec, {alpha, Real(0)}, x, {}, "y", x, "y", y);
  require_memory(function, "x", footprint_of(x), !tile::is_zero(alpha));
  require_memory(function, "y", footprint_of(y), true);
  require_injective(function, "y", footprint_of(y));
  require_same_or_disjoint(function, "y", footprint_of(y), "x", footprint_of(x));
  const auto scale = [&](auto&& parts_of) {
    const tile::matrix<Real> to = parts_of(reinterpret_cast<Real*>(y.data), y);
    stream<Exec, Real>::combine(function, exec, alpha, parts_of(reinterpret_cast<const Real*>(x.data), x), Real(0), "y",
                                to.as_input(), "y", to, sharing::trusted);
  };
  if (x.row_stride == 1 && y.row_stride == 1)
    scale([]<class Part>(Part* data, const auto& m) {
      return tile::matrix<Part>{data, 2 * m.rows, m.cols, 1, 2 * m.col_stride};
    });
  else if (x.col_stride == 1 && y.col_stride == 1)
    scale([]<class Part>(Part* data, const auto& m) {
      return tile::matrix<Part>{data, m.rows, 2 * m.cols, 2 * m.row_stride, 1};
    });
  else
    for (const int part : {0, 1})
      scale([part]<class Part>(Part* data, const auto& m) {
        return tile::matrix<Part>{data == nullptr ? data : data + part, m.rows, m.cols, 2 * m.row_stride,
                                  2 * m.col_stride};
      });
}

}  // namespace launch

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

/// The same for complex Views and a real factor, which multiplies each part: one rounding, and no product with a zero
/// imaginary part, as the BLAS' csscal and zdscal do.
template <class Exec, class YView, class XView, class Factor>
requires(Kokkos::is_execution_space_v<Exec>&& launch::scaled_by_parts<YView, Factor>) void scal(const Exec& exec,
                                                                                                const YView& y,
                                                                                                Factor alpha,
                                                                                                const XView& x) {
  constexpr bool ranks = launch::same_rank<XView, YView>;
  static_assert(ranks, "abax::scal: y and x must be Views of the same rank, 1 or 2");
  using real = tile::real_of<launch::element_t<YView>>;
  if constexpr (launch::operands_fit<ranks, Exec, YView, XView>())
    launch::scale_parts(exec, static_cast<real>(alpha), launch::input_matrix(x), launch::matrix_of(y));
}
template <class YView, class XView, class Factor>
requires launch::scaled_by_parts<YView, Factor>
void scal(const YView& y, Factor alpha, const XView& x) {
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// From Views to strided operands: these differ in strides only, and one instantiation serves all layouts.
#include <Kokkos_Core.hpp>
#include <type_traits>

#include "abax/detail/tile/matrix.hpp"

namespace abax::launch {

/// What every operand is.
template <class V>
concept view = Kokkos::is_view_v<V>;

template <view View>
using value_t = typename View::non_const_value_type;

/// Views of one call: ranks, one value type (float or double), memory the execution space can reach, writable output.
template <class Exec, class Output, class... Inputs>
constexpr void require_operands() {
  static_assert(std::is_same_v<value_t<Output>, float> || std::is_same_v<value_t<Output>, double>,
                "abax: operands must hold float or double");
  static_assert((std::is_same_v<value_t<Inputs>, value_t<Output>> && ...),
                "abax: all operands of a call must hold the same type");
  static_assert(!std::is_const_v<typename Output::value_type>, "abax: the output must not be const");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename Output::memory_space>::accessible &&
                    (Kokkos::SpaceAccessibility<Exec, typename Inputs::memory_space>::accessible && ...),
                "abax: the execution space must be able to access every operand");
}

template <class View>
tile::matrix<typename View::value_type> matrix_of(const View& view) {
  static_assert(View::rank() == 2, "abax: a matrix operand must be a View of rank 2");
  return {view.data(), static_cast<index_t>(view.extent(0)), static_cast<index_t>(view.extent(1)),
          static_cast<index_t>(view.stride(0)), static_cast<index_t>(view.stride(1))};
}
template <class View>
tile::vector<typename View::value_type> vector_of(const View& view) {
  static_assert(View::rank() == 1, "abax: a vector operand must be a View of rank 1");
  return {view.data(), static_cast<index_t>(view.extent(0)), static_cast<index_t>(view.stride(0))};
}
template <class View>
tile::matrix<const value_t<View>> input_matrix(const View& view) {
  const auto m = matrix_of(view);
  return {m.data, m.rows, m.cols, m.row_stride, m.col_stride};
}
template <class View>
tile::vector<const value_t<View>> input_vector(const View& view) {
  const auto v = vector_of(view);
  return {v.data, v.size, v.stride};
}

}  // namespace abax::launch

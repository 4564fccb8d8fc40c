// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The functor at a product's end as a pass over what has just been stored, for machines whose products do not know it.
#include <type_traits>

#include "abax/detail/tile/product.hpp"

namespace abax::tile {

/// c(i, j) <- what the functor makes of it, for the block `c` of the product's C whose first element is (row, col). The
/// kernels have stored every NaN in `c` as the one NaN, except where the product leaves C as it is.
template <class T, class Functor>
KOKKOS_FUNCTION void apply_functor([[maybe_unused]] const product<T, Functor>& problem,
                                   [[maybe_unused]] const matrix<T>& c, [[maybe_unused]] index_t row,
                                   [[maybe_unused]] index_t col) {
  if constexpr (!std::is_same_v<Functor, no_functor>) {
    // The compiler's own copy, which no store to C can change, unless copies are counted, as those of a View are. Along
    // C's lines, by steps that the compiler knows where they are 1.
    const std::conditional_t<std::is_trivially_copyable_v<Functor>, Functor, const Functor&> functor = problem.functor;
    const bool across = c.row_stride != 1 && c.col_stride == 1;
    const index_t lines = across ? c.rows : c.cols, length = across ? c.cols : c.rows;
    const index_t line_stride = across ? c.row_stride : c.col_stride, stride = across ? c.col_stride : c.row_stride;
    const index_t first_line = across ? row : col, first = across ? col : row;
    const auto pass = [&](const auto& at, auto step) {
      for (index_t l = 0; l < lines; ++l) {
        T* const line = c.data + l * line_stride;
        for (index_t e = 0; e < length; ++e)
          line[e * step()] = canonical(at(first_line + l, first + e, line[e * step()]));
      }
    };
    const auto by_steps = [&](const auto& at) {
      if (stride == 1)
        pass(at, [] { return index_t(1); });
      else
        pass(at, [stride] { return stride; });
    };
    // No kernel has written C then: NaNs of the caller's own stand there.
    if (problem.terms() == 0 && problem.epilogue.keeps_output())
      by_steps([](index_t, index_t, T value) { return value; });
    if (across != problem.turned)
      by_steps([&](index_t l, index_t e, T value) { return functor(l, e, value); });
    else
      by_steps([&](index_t l, index_t e, T value) { return functor(e, l, value); });
  }
}

}  // namespace abax::tile

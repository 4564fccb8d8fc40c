// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The operands of a batch: many matrices of one shape.
#include "abax/detail/tile/matrix.hpp"

namespace abax::tile {

/// `count` matrices of one shape: element (i, j) of item b lies b `step` elements behind that of `first`.
template <class T>
struct matrices {
  static constexpr index_t shared = -1;

  matrix<T> first;
  index_t count;  ///< or `shared`: one matrix for every item of a batch
  index_t step;   ///< 0 where it is shared

  matrices transposed() const { return {first.transposed(), count, step}; }
};

}  // namespace abax::tile

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A transpose cut into tiles.
#include "tile/matrix.hpp"

namespace abax::tile {

/// to(i, j) <- from(i, j); both m x n. The launch arranges that `from` runs fastest along its rows index.
template <class T>
struct transpose {
  matrix<const T> from;
  matrix<T> to;
};

}  // namespace abax::tile

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many blocks cover an extent, within what CUDA allows along each axis of a grid.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "check.hpp"

namespace abax::handwritten {

/// Pieces of `piece` elements that cover `extent`, the last one perhaps in part.
inline std::int64_t pieces(std::int64_t extent, int piece) {
  return extent / piece + (extent % piece != 0 ? 1 : 0);  // extent + piece - 1 could overflow
}

/// Blocks along x, one for each piece of `extent`. Throws std::invalid_argument beyond CUDA's 2^31 - 1.
inline unsigned blocks_along_x(const char* function, const char* operand, std::int64_t extent, int piece) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (pieces(extent, piece) > most)
    refuse(function, operand, extent, "at most " + std::to_string(most) + " blocks of " + std::to_string(piece));
  return static_cast<unsigned>(pieces(extent, piece));
}

/// Blocks along y, where CUDA allows only 65535: kernels step over the rest with a stride of the grid.
inline unsigned blocks_along_y(std::int64_t extent, int piece) {
  constexpr std::int64_t most = 65535;
  return static_cast<unsigned>(pieces(extent, piece) < most ? pieces(extent, piece) : most);
}

}  // namespace abax::handwritten

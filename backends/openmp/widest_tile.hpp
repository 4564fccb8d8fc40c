// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The largest register tile of any instruction set: what buffers that serve every set must hold.
#include <cstdint>

namespace abax::openmp {

template <class T>
inline constexpr std::int64_t most_tile_rows = 192 / std::int64_t(sizeof(T));
inline constexpr std::int64_t most_tile_cols = 8;
/// Of complex values, whose tiles have as many rows as those of their parts.
inline constexpr std::int64_t most_complex_tile_cols = 4;

}  // namespace abax::openmp

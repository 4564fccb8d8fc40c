// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The canon's block length, for code that knows nothing of Kokkos, too.
#include <cstdint>

namespace abax::tile {

/// Terms in one block of the canonical sum. Part of the canon: another value gives other bits.
inline constexpr std::int64_t canon_block = 2048;

}  // namespace abax::tile

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The canon's block length, for code that knows nothing of Kokkos, too.
#include <cstdint>

#include "abax/detail/tile/complex_value.hpp"

namespace abax::tile {

/// Terms in one block of the canonical sum. Part of the canon: another value gives other bits.
inline constexpr std::int64_t canon_block = 2048;

/// The same for a product of T: a complex term is two real ones.
template <class T>
inline constexpr std::int64_t canon_block_of = is_complex<T> ? canon_block / 2 : canon_block;

}  // namespace abax::tile

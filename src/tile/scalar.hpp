// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What alpha and beta are, asked of their bits: a comparison of the numbers would depend on the calling thread's mode,
/// which may take subnormal ones for zero, and leave its exceptions behind.
#include <bit>
#include <cstdint>

#include "abax/detail/tile/complex_value.hpp"

namespace abax::tile {

/// +0 or -0.
constexpr bool is_zero(float x) { return std::bit_cast<std::uint32_t>(x) << 1 == 0; }
constexpr bool is_zero(double x) { return std::bit_cast<std::uint64_t>(x) << 1 == 0; }

constexpr bool is_one(float x) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(1.0f); }
constexpr bool is_one(double x) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(1.0); }

template <class Real>
constexpr bool is_zero(const complex<Real>& x) {
  return is_zero(x.re) && is_zero(x.im);
}
template <class Real>
constexpr bool is_one(const complex<Real>& x) {
  return is_one(x.re) && is_zero(x.im);
}

}  // namespace abax::tile

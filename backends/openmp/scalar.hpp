// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// One lane: what loops over odd strides and leftovers do, with the bits of the vectors.
///
/// Unnamed namespace, and compiler builtins in place of std:: inline functions, for the reason given in sets.hpp.
#include <cstdint>
#include <cstring>

#include "kernels.hpp"

namespace abax::openmp {
namespace {

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

inline float canonical_nan(float v) {
  const std::uint32_t bits = 0x7fc00000;
  float nan;
  std::memcpy(&nan, &bits, sizeof(nan));
  return v == v ? v : nan;
}
inline double canonical_nan(double v) {
  const std::uint64_t bits = 0x7ff8000000000000;
  double nan;
  std::memcpy(&nan, &bits, sizeof(nan));
  return v == v ? v : nan;
}

/// Copies one value as bits: a signalling NaN stays one.
template <class T>
void move_bits(T* to, const T* from) {
  std::memcpy(to, from, sizeof(T));
}

template <class T>
constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}

/// The address `bytes` past p, for prefetching; it may lie outside the array, so it is no pointer arithmetic.
template <class T>
const void* ahead(const T* p, std::uintptr_t bytes) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) + bytes);
}

/// Values before the first that starts a cache line.
template <class T>
index_t to_next_line(const T* p) {
  return static_cast<index_t>((64 - reinterpret_cast<std::uintptr_t>(p) % 64) % 64 / sizeof(T));
}

}  // namespace
}  // namespace abax::openmp

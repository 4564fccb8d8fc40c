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

/// Two values change places, likewise.
template <class T>
void swap_bits(T* a, T* b) {
  unsigned char x[sizeof(T)], y[sizeof(T)];
  std::memcpy(x, a, sizeof(T));
  std::memcpy(y, b, sizeof(T));
  std::memcpy(a, y, sizeof(T));
  std::memcpy(b, x, sizeof(T));
}

template <class T>
constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

/// How many of `left` units the next tile takes, `most` at most: the last two share alike, because one with few chains
/// waits for its own sums.
constexpr index_t next_share(index_t left, index_t most) {
  return left <= most ? left : left >= 2 * most ? most : (left + 1) / 2;
}

/// The address `bytes` past p, for prefetching; it may lie outside the array, so it is no pointer arithmetic.
template <class T>
const void* ahead(const T* p, std::uintptr_t bytes) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) + bytes);
}

/// Where row i begins, of those from p on that are `stride` values apart.
template <class T>
auto rows_from(const T* p, index_t stride) {
  return [=](index_t i) { return p + i * stride; };
}

/// Values before the first that starts a cache line.
template <class T>
index_t to_next_line(const T* p) {
  return static_cast<index_t>((64 - reinterpret_cast<std::uintptr_t>(p) % 64) % 64 / sizeof(T));
}

/// Values from p on that begin in its page: one at least.
template <class T>
index_t to_page_end(const T* p) {
  constexpr std::uintptr_t page = 4096;
  return static_cast<index_t>((page - reinterpret_cast<std::uintptr_t>(p) % page + sizeof(T) - 1) / sizeof(T));
}

/// Fetches values 0 to n - 1 of each of `runs` runs from p on into the second cache, or the first. Forced in line, as
/// V::prefetch is: compilers leave out calls that do nothing else.
template <class V, int Cache = 2>
[[gnu::always_inline]] inline void fetch_runs(index_t runs, index_t n, const typename V::value* p, index_t stride) {
  constexpr index_t line = 64 / sizeof(typename V::value);
  for (index_t r = 0; r < runs; ++r)
    for (index_t i = 0; i < n; i += line)
      if constexpr (Cache == 1)
        V::prefetch(p + r * stride + i);
      else
        V::prefetch_second(p + r * stride + i);
}

/// body(i) for every whole vector of n contiguous values, i its first; returns where the rest begins. Four pages side
/// by side as long as they last: memory serves several streams faster than one. In line, or else every call of the body
/// would load its operands' addresses anew: what it stores might be these.
template <class V, class Body>
[[gnu::always_inline]] inline index_t for_each_vector(index_t n, const Body& body) {
  constexpr index_t size = sizeof(typename V::value), line = 64 / size, page = 4096 / size;
  index_t i = 0;
  for (; i + 4 * page <= n; i += 4 * page)
    for (index_t o = i; o < i + page; o += line)
#pragma GCC unroll 4
      for (index_t p = 0; p < 4 * page; p += page)
#pragma GCC unroll 4
        for (index_t v = 0; v < line; v += V::lanes) body(o + p + v);
  for (; i + V::lanes <= n; i += V::lanes) body(i);
  return i;
}

}  // namespace
}  // namespace abax::openmp

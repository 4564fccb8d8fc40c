// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// host_loops.hpp's loops, for the instruction set that the file including this one is compiled for, with
/// multiplications and additions fused (perf/CMakeLists.txt): no bits of Abax are computed here.
#include "host_loops.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace abax::perf {
namespace {

using words = const std::uint64_t*;
using line = std::uint64_t __attribute__((vector_size(64)));  // in as many registers as the target needs for one

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Arithmetic: a <- 0.75 a + 0.25 stays near 1: no zeros, no subnormals, no overflow.

// As many chains as hide four cycles of latency on two units, and few enough for 16 registers beside the two constants.
constexpr int chains = 12;

template <class T>
double fma(std::int64_t rounds) {
  typedef T vector __attribute__((vector_size(vector_bytes)));  // NOLINT(modernize-use-using): an alias loses it
  vector a[chains];
  for (int i = 0; i < chains; ++i) a[i] = vector{} + T(0.125) * static_cast<T>(i);
  for (std::int64_t r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) a[i] = a[i] * T(0.75) + T(0.25);
  for (int i = 1; i < chains; ++i) a[0] += a[i];
  return a[0][0];
}
template <class T>
constexpr double flops = 2.0 * (vector_bytes / sizeof(T)) * chains;  // of a round

// ---------------------------------------------------------------------------------------------------------------------
// Memory. It serves several streams that are asked for ahead faster than one on some machines, and slower on others.

struct stored {
  static void put(line* to, const line& value) { *to = value; }
};
struct streamed {  // past the caches
  static void put(line* to, const line& value) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(value));
#elif defined(__AVX__)
    __m256i parts[2];
    __builtin_memcpy(parts, &value, sizeof parts);
    for (int p = 0; p < 2; ++p) _mm256_stream_si256(reinterpret_cast<__m256i*>(to) + p, parts[p]);
#elif defined(__x86_64__)
    __m128i parts[4];
    __builtin_memcpy(parts, &value, sizeof parts);
    for (int p = 0; p < 4; ++p) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + p, parts[p]);
#else
    *to = value;
#endif
  }
};

std::uint64_t all_of(const line& sums) {
  std::uint64_t sum = 0;
  for (int e = 0; e < 8; ++e) sum ^= sums[e];
  return sum;
}

// Lines at a time: eight sums, which with AVX2 are two registers each, would not all stay in registers.
constexpr std::size_t at_once = 4;

std::uint64_t read(words from, std::size_t n, int rounds) {
  line sums[at_once] = {};
  for (int r = 0; r < rounds; ++r) {
    const auto* const lines = reinterpret_cast<const line*>(from);
    for (std::size_t l = 0; l < n / 8; l += at_once)
      for (std::size_t e = 0; e < at_once; ++e) sums[e] ^= lines[l + e];
    asm volatile("" ::: "memory");  // a round is not the one before it
  }
  line sum = sums[0];
  for (std::size_t e = 1; e < at_once; ++e) sum ^= sums[e];
  return all_of(sum);
}

/// Calls step(l, s) for every line l, from one end to the other.
template <class Step>
void in_one_stream(std::size_t n, const Step& step) {
  for (std::size_t l = 0; l < n / 8; ++l) step(l, 0);
}
/// The same in four stretches s side by side, a few lines of each at a time: taken line by line, four streams have half
/// the rate on a Zen 3.
template <class Step>
void in_four_streams(std::size_t n, const Step& step) {
  const std::size_t each = n / 8 / 4;
  for (std::size_t l = 0; l < each; l += at_once)
    for (std::size_t s = 0; s < 4; ++s)
      for (std::size_t e = 0; e < at_once; ++e) step(s * each + l + e, s);
}
constexpr int ahead = 64;  // lines

std::uint64_t read_ahead(words from, std::size_t n) {
  line sums[4] = {};
  const auto* const x = reinterpret_cast<const line*>(from);
  in_four_streams(n, [&](std::size_t l, std::size_t s) {
    __builtin_prefetch(x + l + ahead);
    sums[s] ^= x[l];
  });
  return all_of(sums[0] ^ sums[1] ^ sums[2] ^ sums[3]);
}
template <class Store>
void copy(words from, std::uint64_t* to, std::size_t n) {
  const auto* const x = reinterpret_cast<const line*>(from);
  auto* const y = reinterpret_cast<line*>(to);
  in_one_stream(n, [=](std::size_t l, int) { Store::put(y + l, x[l]); });
}
void copy_ahead(words from, std::uint64_t* to, std::size_t n) {
  const auto* const x = reinterpret_cast<const line*>(from);
  auto* const y = reinterpret_cast<line*>(to);
  in_four_streams(n, [=](std::size_t l, std::size_t) {
    __builtin_prefetch(x + l + ahead);
    streamed::put(y + l, x[l]);
  });
}
void update(std::uint64_t* at, std::size_t n) {
  auto* const x = reinterpret_cast<line*>(at);
  in_one_stream(n, [=](std::size_t l, int) { x[l] = ~x[l]; });
}
void update_ahead(std::uint64_t* at, std::size_t n) {
  auto* const x = reinterpret_cast<line*>(at);
  in_four_streams(n, [=](std::size_t l, std::size_t) {
    __builtin_prefetch(x + l + ahead, 1);
    x[l] = ~x[l];
  });
}
template <class Store>
void combine(words a, words b, std::uint64_t* to, std::size_t n) {
  const auto *const x = reinterpret_cast<const line*>(a), *const y = reinterpret_cast<const line*>(b);
  auto* const z = reinterpret_cast<line*>(to);
  in_one_stream(n, [=](std::size_t l, int) { Store::put(z + l, x[l] ^ y[l]); });
}
void combine_ahead(words a, words b, std::uint64_t* to, std::size_t n) {
  const auto *const x = reinterpret_cast<const line*>(a), *const y = reinterpret_cast<const line*>(b);
  auto* const z = reinterpret_cast<line*>(to);
  in_four_streams(n, [=](std::size_t l, std::size_t) {
    __builtin_prefetch(x + l + ahead);
    __builtin_prefetch(y + l + ahead);
    streamed::put(z + l, x[l] ^ y[l]);
  });
}

host_loops compiled_loops(const char* name) {
  return {.name = name,
          .fma_float = fma<float>,
          .fma_double = fma<double>,
          .flops_float = flops<float>,
          .flops_double = flops<double>,
          .read = read,
          .copies = {copy<stored>, copy<streamed>, copy_ahead},
          .reads = {[](words x, std::size_t n) { return read(x, n, 1); }, read_ahead},
          .updates = {update, update_ahead},
          .combines = {combine<stored>, combine<streamed>, combine_ahead}};
}

}  // namespace
}  // namespace abax::perf

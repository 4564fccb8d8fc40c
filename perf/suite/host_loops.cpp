// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled with multiplications and additions fused (perf/CMakeLists.txt): no bits of Abax are computed here.
#include "host_loops.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace abax::perf {
namespace {

using words = const std::uint64_t*;
using line = std::uint64_t __attribute__((vector_size(64)));  // in as many registers as the target needs for one
template <class T, int Bytes>
struct vector {
  typedef T type __attribute__((vector_size(Bytes)));  // NOLINT(modernize-use-using): an alias loses the attribute
};

// ---------------------------------------------------------------------------------------------------------------------
// Arithmetic: a <- 0.75 a + 0.25 stays near 1: no zeros, no subnormals, no overflow.

// As many chains as hide four cycles of latency on two units, and few enough for 16 registers beside the two constants.
constexpr int chains = 12;

template <class T, int Bytes>
[[gnu::always_inline]] inline double fma(std::int64_t rounds) {
  typename vector<T, Bytes>::type a[chains];
  for (int i = 0; i < chains; ++i) a[i] = typename vector<T, Bytes>::type{} + T(0.125) * static_cast<T>(i);
  for (std::int64_t r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) a[i] = a[i] * T(0.75) + T(0.25);
  for (int i = 1; i < chains; ++i) a[0] += a[i];
  return a[0][0];
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory itself is no faster by wider vectors; the caches that `read` is used for, too, are.

struct stored {
  static void put(line* to, const line& value) { *to = value; }
};
struct streamed {
#if defined(__x86_64__)
  static void put(line* to, const line& value) {
    __m128i parts[4];
    __builtin_memcpy(parts, &value, sizeof parts);
    for (int p = 0; p < 4; ++p) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + p, parts[p]);
  }
#else
  static void put(line* to, const line& value) { *to = value; }
#endif
};

[[gnu::always_inline]] inline std::uint64_t read(words from, std::size_t n, int rounds) {
  line sums[8] = {};
  for (int r = 0; r < rounds; ++r) {
    const auto* const lines = reinterpret_cast<const line*>(from);
    for (std::size_t l = 0; l < n / 8; l += 8)
      for (int e = 0; e < 8; ++e) sums[e] ^= lines[l + static_cast<std::size_t>(e)];
    asm volatile("" ::: "memory");  // a round is not the one before it
  }
  std::uint64_t sum = 0;
  for (const line& s : sums)
    for (int e = 0; e < 8; ++e) sum ^= s[e];
  return sum;
}
std::uint64_t read_ahead(words from, std::size_t n) {
  constexpr int streams = 4, ahead = 64;  // lines
  line sums[streams] = {};
  const auto* const lines = reinterpret_cast<const line*>(from);
  const std::size_t each = n / 8 / streams;
  for (std::size_t l = 0; l < each; ++l)
    for (std::size_t s = 0; s < streams; ++s) {
      __builtin_prefetch(lines + s * each + l + ahead);
      sums[s] ^= lines[s * each + l];
    }
  line sum = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
  for (int e = 1; e < 8; ++e) sum[0] ^= sum[e];
  return sum[0];
}
template <class Store>
void copy(words from, std::uint64_t* to, std::size_t n) {
  for (std::size_t l = 0; l < n / 8; ++l)
    Store::put(reinterpret_cast<line*>(to) + l, reinterpret_cast<const line*>(from)[l]);
}
void update(std::uint64_t* at, std::size_t n) {
  for (auto* l = reinterpret_cast<line*>(at); l < reinterpret_cast<line*>(at + n); ++l) *l = ~*l;
}
template <class Store>
void combine(words a, words b, std::uint64_t* to, std::size_t n) {
  for (std::size_t l = 0; l < n / 8; ++l)
    Store::put(reinterpret_cast<line*>(to) + l,
               reinterpret_cast<const line*>(a)[l] ^ reinterpret_cast<const line*>(b)[l]);
}

// ---------------------------------------------------------------------------------------------------------------------
// The loops that an instruction set makes faster, once for each.

double plain_float(std::int64_t rounds) { return fma<float, 16>(rounds); }
double plain_double(std::int64_t rounds) { return fma<double, 16>(rounds); }
std::uint64_t plain_read(words from, std::size_t n, int rounds) { return read(from, n, rounds); }
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] double avx2_float(std::int64_t rounds) { return fma<float, 32>(rounds); }
[[gnu::target("avx2,fma")]] double avx2_double(std::int64_t rounds) { return fma<double, 32>(rounds); }
[[gnu::target("avx2")]] std::uint64_t avx2_read(words from, std::size_t n, int rounds) { return read(from, n, rounds); }
[[gnu::target("avx512f")]] double avx512_float(std::int64_t rounds) { return fma<float, 64>(rounds); }
[[gnu::target("avx512f")]] double avx512_double(std::int64_t rounds) { return fma<double, 64>(rounds); }
[[gnu::target("avx512f")]] std::uint64_t avx512_read(words from, std::size_t n, int rounds) {
  return read(from, n, rounds);
}
#endif

}  // namespace

host_loops widest_host_loops() {
  host_loops all{.name = "plain C++",
                 .fma_float = plain_float,
                 .fma_double = plain_double,
                 .flops_float = 2.0 * 4 * chains,
                 .flops_double = 2.0 * 2 * chains,
                 .read = plain_read,
                 .read_ahead = read_ahead,
                 .copy = copy<stored>,
                 .update = update,
                 .combine = combine<stored>,
                 .copy_streaming = copy<streamed>,
                 .combine_streaming = combine<streamed>};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    all.name = "AVX-512";
    all.fma_float = avx512_float;
    all.fma_double = avx512_double;
    all.flops_float = 2.0 * 16 * chains;
    all.flops_double = 2.0 * 8 * chains;
    all.read = avx512_read;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    all.name = "AVX2";
    all.fma_float = avx2_float;
    all.fma_double = avx2_double;
    all.flops_float = 2.0 * 8 * chains;
    all.flops_double = 2.0 * 4 * chains;
    all.read = avx2_read;
  }
#endif
  return all;
}

}  // namespace abax::perf

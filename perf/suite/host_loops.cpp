// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_loops.hpp"

#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace abax::perf {
namespace {

using words = const std::uint64_t*;

// ---------------------------------------------------------------------------------------------------------------------
// Arithmetic.

// Enough to hide four cycles of latency on two units, and few enough for 16 registers beside x and c.
constexpr int chains = 12;
// a <- x a + c stays near c / (1 - x) = 1: no zeros, no subnormals, no overflow.
constexpr double x = 0.75, c = 0.25;

#if defined(__x86_64__)
// The bodies stay written out: only inside a function with the target attribute may these vectors be used.
__attribute__((target("avx512f"))) double avx512_float(std::int64_t rounds) {
  __m512 a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm512_set1_ps(static_cast<float>(i) * 0.125f);
  for (std::int64_t r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) a[i] = _mm512_fmadd_ps(a[i], _mm512_set1_ps(x), _mm512_set1_ps(c));
  for (int i = 1; i < chains; ++i) a[0] = _mm512_add_ps(a[0], a[i]);
  return _mm512_cvtss_f32(a[0]);
}
__attribute__((target("avx512f"))) double avx512_double(std::int64_t rounds) {
  __m512d a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm512_set1_pd(i * 0.125);
  for (std::int64_t r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) a[i] = _mm512_fmadd_pd(a[i], _mm512_set1_pd(x), _mm512_set1_pd(c));
  for (int i = 1; i < chains; ++i) a[0] = _mm512_add_pd(a[0], a[i]);
  return _mm512_cvtsd_f64(a[0]);
}
__attribute__((target("avx2,fma"))) double avx2_float(std::int64_t rounds) {
  __m256 a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm256_set1_ps(static_cast<float>(i) * 0.125f);
  for (std::int64_t r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) a[i] = _mm256_fmadd_ps(a[i], _mm256_set1_ps(x), _mm256_set1_ps(c));
  for (int i = 1; i < chains; ++i) a[0] = _mm256_add_ps(a[0], a[i]);
  return _mm256_cvtss_f32(a[0]);
}
__attribute__((target("avx2,fma"))) double avx2_double(std::int64_t rounds) {
  __m256d a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm256_set1_pd(i * 0.125);
  for (std::int64_t r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) a[i] = _mm256_fmadd_pd(a[i], _mm256_set1_pd(x), _mm256_set1_pd(c));
  for (int i = 1; i < chains; ++i) a[0] = _mm256_add_pd(a[0], a[i]);
  return _mm256_cvtsd_f64(a[0]);
}
#endif

// For every other CPU: the compiler's vectors.
template <class T>
double plain_fma(std::int64_t rounds) {
  T a[4 * chains];
  for (int i = 0; i < 4 * chains; ++i) a[i] = static_cast<T>(i * 0.125);
  for (std::int64_t r = 0; r < rounds; ++r)
    for (int i = 0; i < 4 * chains; ++i) a[i] = std::fma(a[i], static_cast<T>(x), static_cast<T>(c));
  T sum = 0;
  for (const T value : a) sum += value;
  return sum;
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory: loops over lines of 64 bytes, in as many registers as the target needs for one. Memory itself is no faster by
// wider vectors; the caches that `read` is used for, too, are.

using line = std::uint64_t __attribute__((vector_size(64)));

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

__attribute__((always_inline)) inline std::uint64_t read(words from, std::size_t n, int rounds) {
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
std::uint64_t plain_read(words from, std::size_t n, int rounds) { return read(from, n, rounds); }
#if defined(__x86_64__)
__attribute__((target("avx512f"))) std::uint64_t avx512_read(words from, std::size_t n, int rounds) {
  return read(from, n, rounds);
}
__attribute__((target("avx2"))) std::uint64_t avx2_read(words from, std::size_t n, int rounds) {
  return read(from, n, rounds);
}
#endif
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

}  // namespace

host_loops widest_host_loops() {
  host_loops all{"plain C++",  plain_fma<float>, plain_fma<double>, 8.0 * chains,
                 8.0 * chains, plain_read,       read_ahead,        copy<stored>,
                 update,       combine<stored>,  copy<streamed>,    combine<streamed>};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    all.name = "AVX-512";
    all.fma_float = avx512_float;
    all.fma_double = avx512_double;
    all.flops_float = 32.0 * chains;
    all.flops_double = 16.0 * chains;
    all.read = avx512_read;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    all.name = "AVX2";
    all.fma_float = avx2_float;
    all.fma_double = avx2_double;
    all.flops_float = 16.0 * chains;
    all.flops_double = 8.0 * chains;
    all.read = avx2_read;
  }
#endif
  return all;
}

}  // namespace abax::perf

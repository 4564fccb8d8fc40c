// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fma_chains.hpp"

#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace abax::perf {
namespace {

// Enough to hide four cycles of latency on two units, and few enough for 16 registers beside x and c.
constexpr int chains = 12;
// a <- x a + c stays near c / (1 - x) = 1: no zeros, no subnormals, no overflow.
constexpr double x = 0.75, c = 0.25;

#if defined(__x86_64__)
// The bodies stay written out: only inside a function with the target attribute may these vectors be used.
__attribute__((target("avx512f"))) double avx512_float(index_t rounds) {
  __m512 a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm512_set1_ps(static_cast<float>(i) * 0.125f);
  for (index_t r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) a[i] = _mm512_fmadd_ps(a[i], _mm512_set1_ps(x), _mm512_set1_ps(c));
  for (int i = 1; i < chains; ++i) a[0] = _mm512_add_ps(a[0], a[i]);
  return _mm512_cvtss_f32(a[0]);
}
__attribute__((target("avx512f"))) double avx512_double(index_t rounds) {
  __m512d a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm512_set1_pd(i * 0.125);
  for (index_t r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) a[i] = _mm512_fmadd_pd(a[i], _mm512_set1_pd(x), _mm512_set1_pd(c));
  for (int i = 1; i < chains; ++i) a[0] = _mm512_add_pd(a[0], a[i]);
  return _mm512_cvtsd_f64(a[0]);
}
__attribute__((target("avx2,fma"))) double avx2_float(index_t rounds) {
  __m256 a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm256_set1_ps(static_cast<float>(i) * 0.125f);
  for (index_t r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) a[i] = _mm256_fmadd_ps(a[i], _mm256_set1_ps(x), _mm256_set1_ps(c));
  for (int i = 1; i < chains; ++i) a[0] = _mm256_add_ps(a[0], a[i]);
  return _mm256_cvtss_f32(a[0]);
}
__attribute__((target("avx2,fma"))) double avx2_double(index_t rounds) {
  __m256d a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm256_set1_pd(i * 0.125);
  for (index_t r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) a[i] = _mm256_fmadd_pd(a[i], _mm256_set1_pd(x), _mm256_set1_pd(c));
  for (int i = 1; i < chains; ++i) a[0] = _mm256_add_pd(a[0], a[i]);
  return _mm256_cvtsd_f64(a[0]);
}
#endif

// For every other CPU: the compiler's vectors.
template <class T>
double plain(index_t rounds) {
  T a[4 * chains];
  for (int i = 0; i < 4 * chains; ++i) a[i] = static_cast<T>(i * 0.125);
  for (index_t r = 0; r < rounds; ++r)
    for (int i = 0; i < 4 * chains; ++i) a[i] = std::fma(a[i], static_cast<T>(x), static_cast<T>(c));
  T sum = 0;
  for (const T value : a) sum += value;
  return sum;
}

}  // namespace

fma_chains widest_fma_chains() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {"AVX-512", avx512_float, avx512_double, 32.0 * chains, 16.0 * chains};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {"AVX2", avx2_float, avx2_double, 16.0 * chains, 8.0 * chains};
#endif
  return {"plain C++", plain<float>, plain<double>, 8.0 * chains, 8.0 * chains};
}

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The vocabulary of the loops, in AVX2 and FMA: vectors of eight floats and of four doubles.
///
/// Unnamed namespace on purpose (see sets.hpp): each source that includes this gets a copy of its own.
#include <immintrin.h>

#include <cstdint>

#include "kernels.hpp"

namespace abax::openmp {
namespace {

struct f32x8 {
  using value = float;
  using reg = __m256;
  using narrow = f32x8;  // the vector for short rows
  using paired = f32x8;
  static constexpr int lanes = 8;

  static __m256i mask(index_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static reg zero() { return _mm256_setzero_ps(); }
  static reg set(float v) { return _mm256_set1_ps(v); }
  static reg load(const float* p) { return _mm256_loadu_ps(p); }
  static reg load(const float* p, index_t n) { return _mm256_maskload_ps(p, mask(n)); }
  static void store(float* p, reg v) { _mm256_storeu_ps(p, v); }
  static void store(float* p, reg v, index_t n) { _mm256_maskstore_ps(p, mask(n), v); }
  static void stream(float* p, reg v) { _mm256_stream_ps(p, v); }
  static void fence() { _mm_sfence(); }
  static reg fma(reg a, reg b, reg c) { return _mm256_fmadd_ps(a, b, c); }
  static void accumulate(reg& c, reg a, reg b) { asm("vfmadd231ps %2, %1, %0" : "+x"(c) : "x"(a), "x"(b)); }
  static reg mul(reg a, reg b) { return _mm256_mul_ps(a, b); }
  static reg add(reg a, reg b) { return _mm256_add_ps(a, b); }
  static reg canonical(reg v) {
    const reg nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    return _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  }
  // Forced: GCC takes a function that only prefetches for one without effect, and drops calls that it has not inlined.
  [[gnu::always_inline]] static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }
  [[gnu::always_inline]] static void prefetch_second(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
  }

  static void transpose(reg (&x)[8]) {
    reg t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
      t[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
      t[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
      u[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
      u[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
      u[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
      u[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    for (int i = 0; i < 4; ++i) {
      x[i] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x20);
      x[i + 4] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x31);
    }
  }

  /// x[t] <- values p[i stride + t] of all lanes i: halves of rows meet as they are loaded, which spares a third of the
  /// shuffles.
  static void load_transposed(const float* p, index_t stride, reg (&x)[8]) {
    for (int half = 0; half < 8; half += 4) {
      reg r[4];
      for (int i = 0; i < 4; ++i) r[i] = halves(p + half + i * stride, p + half + (i + 4) * stride);
      const reg t0 = _mm256_unpacklo_ps(r[0], r[1]), t1 = _mm256_unpackhi_ps(r[0], r[1]);
      const reg t2 = _mm256_unpacklo_ps(r[2], r[3]), t3 = _mm256_unpackhi_ps(r[2], r[3]);
      x[half] = _mm256_shuffle_ps(t0, t2, 0x44);
      x[half + 1] = _mm256_shuffle_ps(t0, t2, 0xee);
      x[half + 2] = _mm256_shuffle_ps(t1, t3, 0x44);
      x[half + 3] = _mm256_shuffle_ps(t1, t3, 0xee);
    }
  }

 private:
  static reg halves(const float* low, const float* high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
  }
};

struct f64x4 {
  using value = double;
  using reg = __m256d;
  using narrow = f64x4;
  using paired = f64x4;
  static constexpr int lanes = 4;

  static __m256i mask(index_t n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)); }
  static reg zero() { return _mm256_setzero_pd(); }
  static reg set(double v) { return _mm256_set1_pd(v); }
  static reg load(const double* p) { return _mm256_loadu_pd(p); }
  static reg load(const double* p, index_t n) { return _mm256_maskload_pd(p, mask(n)); }
  static void store(double* p, reg v) { _mm256_storeu_pd(p, v); }
  static void store(double* p, reg v, index_t n) { _mm256_maskstore_pd(p, mask(n), v); }
  static void stream(double* p, reg v) { _mm256_stream_pd(p, v); }
  static void fence() { _mm_sfence(); }
  static reg fma(reg a, reg b, reg c) { return _mm256_fmadd_pd(a, b, c); }
  static void accumulate(reg& c, reg a, reg b) { asm("vfmadd231pd %2, %1, %0" : "+x"(c) : "x"(a), "x"(b)); }
  static reg mul(reg a, reg b) { return _mm256_mul_pd(a, b); }
  static reg add(reg a, reg b) { return _mm256_add_pd(a, b); }
  static reg canonical(reg v) {
    const reg nan = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7ff8000000000000));
    return _mm256_blendv_pd(v, nan, _mm256_cmp_pd(v, v, _CMP_UNORD_Q));
  }
  [[gnu::always_inline]] static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }
  [[gnu::always_inline]] static void prefetch_second(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
  }

  static void transpose(reg (&x)[4]) {
    const reg t0 = _mm256_unpacklo_pd(x[0], x[1]), t1 = _mm256_unpackhi_pd(x[0], x[1]);
    const reg t2 = _mm256_unpacklo_pd(x[2], x[3]), t3 = _mm256_unpackhi_pd(x[2], x[3]);
    x[0] = _mm256_permute2f128_pd(t0, t2, 0x20);
    x[1] = _mm256_permute2f128_pd(t1, t3, 0x20);
    x[2] = _mm256_permute2f128_pd(t0, t2, 0x31);
    x[3] = _mm256_permute2f128_pd(t1, t3, 0x31);
  }

  static void load_transposed(const double* p, index_t stride, reg (&x)[4]) {
    for (int half = 0; half < 4; half += 2) {
      const reg a = halves(p + half, p + half + 2 * stride), b = halves(p + half + stride, p + half + 3 * stride);
      x[half] = _mm256_unpacklo_pd(a, b);
      x[half + 1] = _mm256_unpackhi_pd(a, b);
    }
  }

 private:
  static reg halves(const double* low, const double* high) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
  }
};

}  // namespace
}  // namespace abax::openmp

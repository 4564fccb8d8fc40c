// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The vocabulary of the loops, in AVX-512: vectors of sixteen floats and of eight doubles.
///
/// Unnamed namespace on purpose (see sets.hpp): each source that includes this gets a copy of its own.
// GCC 12's own header trips its own warnings (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include "simd_avx2.hpp"

namespace abax::openmp {
namespace {

struct f32x16 {
  using value = float;
  using reg = __m512;
  using narrow = f32x8;  // for panels too narrow to fill a vector
  using paired = f32x8;  // for loops that read two operands: sixteen streams are what memory prefetches well
  static constexpr int lanes = 16;

  static __mmask16 mask(index_t n) { return static_cast<__mmask16>((1u << n) - 1u); }
  static reg zero() { return _mm512_setzero_ps(); }
  static reg set(float v) { return _mm512_set1_ps(v); }
  static reg load(const float* p) { return _mm512_loadu_ps(p); }
  static reg load(const float* p, index_t n) { return _mm512_maskz_loadu_ps(mask(n), p); }
  static void store(float* p, reg v) { _mm512_storeu_ps(p, v); }
  static void store(float* p, reg v, index_t n) { _mm512_mask_storeu_ps(p, mask(n), v); }
  static void stream(float* p, reg v) { _mm512_stream_ps(p, v); }
  static void fence() { _mm_sfence(); }
  static reg fma(reg a, reg b, reg c) { return _mm512_fmadd_ps(a, b, c); }
  // c <- fma(a, b, c) in place: left the choice, the compiler moves accumulators about between registers.
  static void accumulate(reg& c, reg a, reg b) { asm("vfmadd231ps %2, %1, %0" : "+v"(c) : "v"(a), "v"(b)); }
  static reg mul(reg a, reg b) { return _mm512_mul_ps(a, b); }
  static reg add(reg a, reg b) { return _mm512_add_ps(a, b); }
  static reg canonical(reg v) {
    const reg nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000));
    return _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), nan);
  }
  // Forced: GCC takes a function that only prefetches for one without effect, and drops calls that it has not inlined.
  [[gnu::always_inline]] static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }
  [[gnu::always_inline]] static void prefetch_second(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
  }

  static void transpose(reg (&x)[16]) {
    // Pairs, then quads, of rows inside each 128-bit lane; then a 4x4 transpose of the lanes themselves.
    reg t[16], u[16];
    for (int i = 0; i < 16; i += 2) {
      t[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
      t[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
      u[i] = low_pairs(t[i], t[i + 2]);
      u[i + 1] = high_pairs(t[i], t[i + 2]);
      u[i + 2] = low_pairs(t[i + 1], t[i + 3]);
      u[i + 3] = high_pairs(t[i + 1], t[i + 3]);
    }
    for (int c = 0; c < 4; ++c) {
      const reg even_low = _mm512_shuffle_f32x4(u[c], u[c + 4], 0x88);
      const reg odd_low = _mm512_shuffle_f32x4(u[c], u[c + 4], 0xdd);
      const reg even_high = _mm512_shuffle_f32x4(u[c + 8], u[c + 12], 0x88);
      const reg odd_high = _mm512_shuffle_f32x4(u[c + 8], u[c + 12], 0xdd);
      x[c] = _mm512_shuffle_f32x4(even_low, even_high, 0x88);
      x[c + 4] = _mm512_shuffle_f32x4(odd_low, odd_high, 0x88);
      x[c + 8] = _mm512_shuffle_f32x4(even_low, even_high, 0xdd);
      x[c + 12] = _mm512_shuffle_f32x4(odd_low, odd_high, 0xdd);
    }
  }

  /// x[t] <- values p[i stride + t] of all lanes i: halves of rows meet as they are loaded, which spares a quarter of
  /// the shuffles.
  static void load_transposed(const float* p, index_t stride, reg (&x)[16]) {
    for (int half = 0; half < 16; half += 8) {
      reg r[8], t[8], u[8];
      for (int i = 0; i < 4; ++i) {
        r[i] = halves(p + half + i * stride, p + half + (i + 4) * stride);
        r[i + 4] = halves(p + half + (i + 8) * stride, p + half + (i + 12) * stride);
      }
      for (int i = 0; i < 8; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
      }
      for (int i = 0; i < 8; i += 4) {
        u[i] = low_pairs(t[i], t[i + 2]);
        u[i + 1] = high_pairs(t[i], t[i + 2]);
        u[i + 2] = low_pairs(t[i + 1], t[i + 3]);
        u[i + 3] = high_pairs(t[i + 1], t[i + 3]);
      }
      for (int c = 0; c < 4; ++c) {
        x[half + c] = _mm512_shuffle_f32x4(u[c], u[c + 4], 0x88);
        x[half + c + 4] = _mm512_shuffle_f32x4(u[c], u[c + 4], 0xdd);
      }
    }
  }

 private:
  static reg halves(const float* low, const float* high) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(low)), _mm256_loadu_ps(high), 1);
  }
  static reg low_pairs(reg a, reg b) {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  }
  static reg high_pairs(reg a, reg b) {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  }
};

struct f64x8 {
  using value = double;
  using reg = __m512d;
  using narrow = f64x4;
  using paired = f64x8;
  static constexpr int lanes = 8;

  static __mmask8 mask(index_t n) { return static_cast<__mmask8>((1u << n) - 1u); }
  static reg zero() { return _mm512_setzero_pd(); }
  static reg set(double v) { return _mm512_set1_pd(v); }
  static reg load(const double* p) { return _mm512_loadu_pd(p); }
  static reg load(const double* p, index_t n) { return _mm512_maskz_loadu_pd(mask(n), p); }
  static void store(double* p, reg v) { _mm512_storeu_pd(p, v); }
  static void store(double* p, reg v, index_t n) { _mm512_mask_storeu_pd(p, mask(n), v); }
  static void stream(double* p, reg v) { _mm512_stream_pd(p, v); }
  static void fence() { _mm_sfence(); }
  static reg fma(reg a, reg b, reg c) { return _mm512_fmadd_pd(a, b, c); }
  // c <- fma(a, b, c) in place: left the choice, the compiler moves accumulators about between registers.
  static void accumulate(reg& c, reg a, reg b) { asm("vfmadd231pd %2, %1, %0" : "+v"(c) : "v"(a), "v"(b)); }
  static reg mul(reg a, reg b) { return _mm512_mul_pd(a, b); }
  static reg add(reg a, reg b) { return _mm512_add_pd(a, b); }
  static reg canonical(reg v) {
    const reg nan = _mm512_castsi512_pd(_mm512_set1_epi64(0x7ff8000000000000));
    return _mm512_mask_mov_pd(v, _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q), nan);
  }
  [[gnu::always_inline]] static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }
  [[gnu::always_inline]] static void prefetch_second(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
  }

  static void transpose(reg (&x)[8]) {
    reg t[8];
    for (int i = 0; i < 8; i += 2) {
      t[i] = _mm512_unpacklo_pd(x[i], x[i + 1]);
      t[i + 1] = _mm512_unpackhi_pd(x[i], x[i + 1]);
    }
    for (int c = 0; c < 2; ++c) {
      const reg even_low = _mm512_shuffle_f64x2(t[c], t[c + 2], 0x88);
      const reg odd_low = _mm512_shuffle_f64x2(t[c], t[c + 2], 0xdd);
      const reg even_high = _mm512_shuffle_f64x2(t[c + 4], t[c + 6], 0x88);
      const reg odd_high = _mm512_shuffle_f64x2(t[c + 4], t[c + 6], 0xdd);
      x[c] = _mm512_shuffle_f64x2(even_low, even_high, 0x88);
      x[c + 2] = _mm512_shuffle_f64x2(odd_low, odd_high, 0x88);
      x[c + 4] = _mm512_shuffle_f64x2(even_low, even_high, 0xdd);
      x[c + 6] = _mm512_shuffle_f64x2(odd_low, odd_high, 0xdd);
    }
  }

  static void load_transposed(const double* p, index_t stride, reg (&x)[8]) {
    for (int half = 0; half < 8; half += 4) {
      const double* q = p + half;
      const reg a = halves(q, q + 2 * stride), b = halves(q + stride, q + 3 * stride);
      const reg c = halves(q + 4 * stride, q + 6 * stride), d = halves(q + 5 * stride, q + 7 * stride);
      const reg even_low = _mm512_unpacklo_pd(a, b), odd_low = _mm512_unpackhi_pd(a, b);
      const reg even_high = _mm512_unpacklo_pd(c, d), odd_high = _mm512_unpackhi_pd(c, d);
      x[half] = _mm512_shuffle_f64x2(even_low, even_high, 0x88);
      x[half + 1] = _mm512_shuffle_f64x2(odd_low, odd_high, 0x88);
      x[half + 2] = _mm512_shuffle_f64x2(even_low, even_high, 0xdd);
      x[half + 3] = _mm512_shuffle_f64x2(odd_low, odd_high, 0xdd);
    }
  }

 private:
  static reg halves(const double* low, const double* high) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
  }
};

}  // namespace
}  // namespace abax::openmp

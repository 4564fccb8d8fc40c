// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The vocabulary of the loops, in AVX2 and FMA: vectors of eight floats and of four doubles.
///
/// Unnamed namespace on purpose (see sets.hpp): each source that includes this gets a copy of its own.
#include <immintrin.h>

#include <cstdint>

#include "simd_transpose.hpp"

namespace abax::openmp {
namespace {

/// In all lanes the element that lies `Times` strides (in bytes; none, one or two) and `Terms` elements behind base.
/// The address is spelled out, as a compiler that sees several terms at a time has an index of its own for each, and no
/// registers left. It is told of base alone: no function that has this writes what is read.
template <class Reg, int Times, int Terms, class T>
[[gnu::always_inline]] inline Reg broadcast(const T* base, index_t stride) {
  constexpr int bytes = Terms * int(sizeof(T));
  Reg v;
  if constexpr (sizeof(T) == 4 && Times == 0)
    asm("vbroadcastss %c2(%1), %0" : "=v"(v) : "r"(base), "i"(bytes), "m"(*base));
  else if constexpr (sizeof(T) == 4)
    asm("vbroadcastss %c2(%1,%3,%c4), %0" : "=v"(v) : "r"(base), "i"(bytes), "r"(stride), "i"(Times), "m"(*base));
  else if constexpr (Times == 0)
    asm("vbroadcastsd %c2(%1), %0" : "=v"(v) : "r"(base), "i"(bytes), "m"(*base));
  else
    asm("vbroadcastsd %c2(%1,%3,%c4), %0" : "=v"(v) : "r"(base), "i"(bytes), "r"(stride), "i"(Times), "m"(*base));
  return v;
}

struct f32x8 {
  using value = float;
  using reg = __m256;
  using narrow = f32x8;  // the vector for short rows
  static constexpr int lanes = 8, registers = 16;

  static __m256i mask(index_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static reg zero() { return _mm256_setzero_ps(); }
  static reg set(float v) { return _mm256_set1_ps(v); }
  static reg load(const float* p) { return _mm256_loadu_ps(p); }
  static reg load(const float* p, index_t n) { return _mm256_maskload_ps(p, mask(n)); }
  static void store(float* p, reg v) { _mm256_storeu_ps(p, v); }
  static void store(float* p, reg v, index_t n) { _mm256_maskstore_ps(p, mask(n), v); }
  static void store_nontemporal(float* p, reg v) { _mm256_stream_ps(p, v); }
  static void fence() { _mm_sfence(); }
  static reg fma(reg a, reg b, reg c) { return _mm256_fmadd_ps(a, b, c); }
  static void accumulate(reg& c, reg a, reg b) { asm("vfmadd231ps %2, %1, %0" : "+x"(c) : "x"(a), "x"(b)); }
  /// c <- fma(a, b, c) for the b of broadcast(), in one instruction where there is one; and that b in all lanes.
  template <int Times, int Terms>
  static void accumulate_times(reg& c, reg a, const float* base, index_t stride) {
    accumulate(c, a, set_at<Times, Terms>(base, stride));
  }
  template <int Times, int Terms>
  static reg set_at(const float* base, index_t stride) {
    return broadcast<reg, Times, Terms>(base, stride);
  }
  /// c <- fma(-a, b, c)
  static void accumulate_negated(reg& c, reg a, reg b) { asm("vfnmadd231ps %2, %1, %0" : "+x"(c) : "x"(a), "x"(b)); }
  static reg mul(reg a, reg b) { return _mm256_mul_ps(a, b); }
  static reg add(reg a, reg b) { return _mm256_add_ps(a, b); }
  static reg abs(reg a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a); }
  static reg max(reg a, reg b) { return _mm256_max_ps(a, b); }
  /// Halves are added until one lane is left.
  static float sum(reg v) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  static float largest(reg v) {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }
  /// The first n lanes are b's, the others a's.
  static reg merge(reg a, reg b, index_t n) { return _mm256_blendv_ps(a, b, _mm256_castsi256_ps(mask(n))); }
  /// A bit a lane, from the lowest up.
  static unsigned equal(reg a, reg b) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ)));
  }
  static reg canonical(reg v) {
    const reg nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    return _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  }
  /// Where neither of two vectors has a NaN, of those where none was before; and whether that is everywhere.
  static reg numbers() { return _mm256_castsi256_ps(_mm256_set1_epi32(-1)); }
  static reg numbers(reg so_far, reg a, reg b) { return _mm256_and_ps(so_far, _mm256_cmp_ps(a, b, _CMP_ORD_Q)); }
  static bool all_numbers(reg found) { return _mm256_movemask_ps(found) == 0xff; }
  // Forced: GCC takes a function that only prefetches for one without effect, and drops calls that it has not inlined.
  [[gnu::always_inline]] static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }
  [[gnu::always_inline]] static void prefetch_second(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
  }

  static reg unpack_low(reg a, reg b) { return _mm256_unpacklo_ps(a, b); }
  static reg unpack_high(reg a, reg b) { return _mm256_unpackhi_ps(a, b); }
  static reg pairs_low(reg a, reg b) { return _mm256_shuffle_ps(a, b, 0x44); }
  static reg pairs_high(reg a, reg b) { return _mm256_shuffle_ps(a, b, 0xee); }
  static reg even_lanes(reg a, reg b) { return _mm256_permute2f128_ps(a, b, 0x20); }
  static reg odd_lanes(reg a, reg b) { return _mm256_permute2f128_ps(a, b, 0x31); }
  static reg halves(const float* low, const float* high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
  }
  // Complex values: the parts of each side by side.
  static reg set_parts(float re, float im) { return _mm256_setr_ps(re, im, re, im, re, im, re, im); }
  /// One value in every place.
  static reg set_value(const float* p) {
    return _mm256_castpd_ps(
        _mm256_broadcastsd_pd(_mm_castps_pd(_mm_loadl_pi(_mm_setzero_ps(), reinterpret_cast<const __m64*>(p)))));
  }
  static reg real_parts(reg v) { return _mm256_moveldup_ps(v); }
  static reg imaginary_parts(reg v) { return _mm256_movehdup_ps(v); }
  static reg swapped_parts(reg v) { return _mm256_permute_ps(v, 0xb1); }
  static reg conjugate(reg v) { return _mm256_xor_ps(v, set_parts(0.0F, -0.0F)); }
  static reg negate_real(reg v) { return _mm256_xor_ps(v, set_parts(-0.0F, 0.0F)); }
  /// re, im <- the parts of the values of low and then of high; and back.
  static void split(reg low, reg high, reg& re, reg& im) {
    const __m256d even = _mm256_castps_pd(_mm256_shuffle_ps(low, high, 0x88));
    const __m256d odd = _mm256_castps_pd(_mm256_shuffle_ps(low, high, 0xdd));
    re = _mm256_castpd_ps(_mm256_permute4x64_pd(even, 0xd8));
    im = _mm256_castpd_ps(_mm256_permute4x64_pd(odd, 0xd8));
  }
  static void join(reg re, reg im, reg& low, reg& high) {
    const reg first = _mm256_unpacklo_ps(re, im), second = _mm256_unpackhi_ps(re, im);
    low = _mm256_permute2f128_ps(first, second, 0x20);
    high = _mm256_permute2f128_ps(first, second, 0x31);
  }
  static void transpose_complex(reg (&x)[4]) { transpose_complex_lanes<f32x8>(x); }
  static void transpose(reg (&x)[8]) { transpose_lanes<f32x8>(x); }
  template <class At>
  static void load_half_transposed(const At& at, reg* x) {
    abax::openmp::load_half_transposed<f32x8>(at, x);
  }
};

struct f64x4 {
  using value = double;
  using reg = __m256d;
  using narrow = f64x4;
  static constexpr int lanes = 4, registers = 16;

  static __m256i mask(index_t n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)); }
  static reg zero() { return _mm256_setzero_pd(); }
  static reg set(double v) { return _mm256_set1_pd(v); }
  static reg load(const double* p) { return _mm256_loadu_pd(p); }
  static reg load(const double* p, index_t n) { return _mm256_maskload_pd(p, mask(n)); }
  static void store(double* p, reg v) { _mm256_storeu_pd(p, v); }
  static void store(double* p, reg v, index_t n) { _mm256_maskstore_pd(p, mask(n), v); }
  static void store_nontemporal(double* p, reg v) { _mm256_stream_pd(p, v); }
  static void fence() { _mm_sfence(); }
  static reg fma(reg a, reg b, reg c) { return _mm256_fmadd_pd(a, b, c); }
  static void accumulate(reg& c, reg a, reg b) { asm("vfmadd231pd %2, %1, %0" : "+x"(c) : "x"(a), "x"(b)); }
  template <int Times, int Terms>
  static void accumulate_times(reg& c, reg a, const double* base, index_t stride) {
    accumulate(c, a, set_at<Times, Terms>(base, stride));
  }
  template <int Times, int Terms>
  static reg set_at(const double* base, index_t stride) {
    return broadcast<reg, Times, Terms>(base, stride);
  }
  static void accumulate_negated(reg& c, reg a, reg b) { asm("vfnmadd231pd %2, %1, %0" : "+x"(c) : "x"(a), "x"(b)); }
  static reg mul(reg a, reg b) { return _mm256_mul_pd(a, b); }
  static reg add(reg a, reg b) { return _mm256_add_pd(a, b); }
  static reg abs(reg a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
  static reg max(reg a, reg b) { return _mm256_max_pd(a, b); }
  static double sum(reg v) {
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
  static double largest(reg v) {
    const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
  }
  static reg merge(reg a, reg b, index_t n) { return _mm256_blendv_pd(a, b, _mm256_castsi256_pd(mask(n))); }
  static unsigned equal(reg a, reg b) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)));
  }
  static reg canonical(reg v) {
    const reg nan = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7ff8000000000000));
    return _mm256_blendv_pd(v, nan, _mm256_cmp_pd(v, v, _CMP_UNORD_Q));
  }
  static reg numbers() { return _mm256_castsi256_pd(_mm256_set1_epi32(-1)); }
  static reg numbers(reg so_far, reg a, reg b) { return _mm256_and_pd(so_far, _mm256_cmp_pd(a, b, _CMP_ORD_Q)); }
  static bool all_numbers(reg found) { return _mm256_movemask_pd(found) == 0xf; }
  [[gnu::always_inline]] static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }
  [[gnu::always_inline]] static void prefetch_second(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
  }

  static reg unpack_low(reg a, reg b) { return _mm256_unpacklo_pd(a, b); }
  static reg unpack_high(reg a, reg b) { return _mm256_unpackhi_pd(a, b); }
  static reg even_lanes(reg a, reg b) { return _mm256_permute2f128_pd(a, b, 0x20); }
  static reg odd_lanes(reg a, reg b) { return _mm256_permute2f128_pd(a, b, 0x31); }
  static reg halves(const double* low, const double* high) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
  }
  static reg set_parts(double re, double im) { return _mm256_setr_pd(re, im, re, im); }
  static reg set_value(const double* p) { return _mm256_broadcast_pd(reinterpret_cast<const __m128d*>(p)); }
  static reg real_parts(reg v) { return _mm256_movedup_pd(v); }
  static reg imaginary_parts(reg v) { return _mm256_permute_pd(v, 0xf); }
  static reg swapped_parts(reg v) { return _mm256_permute_pd(v, 0x5); }
  static reg conjugate(reg v) { return _mm256_xor_pd(v, set_parts(0.0, -0.0)); }
  static reg negate_real(reg v) { return _mm256_xor_pd(v, set_parts(-0.0, 0.0)); }
  static void split(reg low, reg high, reg& re, reg& im) {
    re = _mm256_permute4x64_pd(_mm256_unpacklo_pd(low, high), 0xd8);
    im = _mm256_permute4x64_pd(_mm256_unpackhi_pd(low, high), 0xd8);
  }
  static void join(reg re, reg im, reg& low, reg& high) {
    const reg first = _mm256_unpacklo_pd(re, im), second = _mm256_unpackhi_pd(re, im);
    low = _mm256_permute2f128_pd(first, second, 0x20);
    high = _mm256_permute2f128_pd(first, second, 0x31);
  }
  static void transpose_complex(reg (&x)[2]) { transpose_complex_lanes<f64x4>(x); }
  static void transpose(reg (&x)[4]) { transpose_lanes<f64x4>(x); }
  template <class At>
  static void load_half_transposed(const At& at, reg* x) {
    abax::openmp::load_half_transposed<f64x4>(at, x);
  }
};

}  // namespace
}  // namespace abax::openmp

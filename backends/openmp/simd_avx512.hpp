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

/// c <- fma(a, b, c) for the b of broadcast().
template <int Times, int Terms, class Reg, class T>
[[gnu::always_inline]] inline void accumulate_broadcast(Reg& c, Reg a, const T* base, index_t stride) {
  constexpr int bytes = Terms * int(sizeof(T)), lanes = int(sizeof(Reg) / sizeof(T));
  if constexpr (sizeof(T) == 4 && Times == 0)
    asm("vfmadd231ps %c3(%2)%{1to%c4%}, %1, %0" : "+v"(c) : "v"(a), "r"(base), "i"(bytes), "i"(lanes), "m"(*base));
  else if constexpr (sizeof(T) == 4)
    asm("vfmadd231ps %c3(%2,%5,%c6)%{1to%c4%}, %1, %0"
        : "+v"(c)
        : "v"(a), "r"(base), "i"(bytes), "i"(lanes), "r"(stride), "i"(Times), "m"(*base));
  else if constexpr (Times == 0)
    asm("vfmadd231pd %c3(%2)%{1to%c4%}, %1, %0" : "+v"(c) : "v"(a), "r"(base), "i"(bytes), "i"(lanes), "m"(*base));
  else
    asm("vfmadd231pd %c3(%2,%5,%c6)%{1to%c4%}, %1, %0"
        : "+v"(c)
        : "v"(a), "r"(base), "i"(bytes), "i"(lanes), "r"(stride), "i"(Times), "m"(*base));
}

// Half as wide, with the masks and registers of AVX-512: those of AVX2 store part of a vector slowly on some CPUs.
struct f32x8_masked : f32x8 {
  using narrow = f32x8_masked;
  using f32x8::load, f32x8::store;
  static constexpr int registers = 32;

  static __mmask8 mask(index_t n) { return static_cast<__mmask8>((1u << n) - 1u); }
  static reg load(const float* p, index_t n) { return _mm256_maskz_loadu_ps(mask(n), p); }
  static void store(float* p, reg v, index_t n) { _mm256_mask_storeu_ps(p, mask(n), v); }
  static void accumulate(reg& c, reg a, reg b) { asm("vfmadd231ps %2, %1, %0" : "+v"(c) : "v"(a), "v"(b)); }
  template <int Times, int Terms>
  static void accumulate_times(reg& c, reg a, const float* base, index_t stride) {
    accumulate_broadcast<Times, Terms>(c, a, base, stride);
  }
  static reg canonical(reg v) {
    const reg nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    return _mm256_mask_mov_ps(v, _mm256_cmp_ps_mask(v, v, _CMP_UNORD_Q), nan);
  }
  static __mmask8 numbers() { return mask(lanes); }
  static __mmask8 numbers(__mmask8 so_far, reg a, reg b) { return _mm256_mask_cmp_ps_mask(so_far, a, b, _CMP_ORD_Q); }
  static bool all_numbers(__mmask8 found) { return found == numbers(); }
};

struct f64x4_masked : f64x4 {
  using narrow = f64x4_masked;
  using f64x4::load, f64x4::store;
  static constexpr int registers = 32;

  static __mmask8 mask(index_t n) { return static_cast<__mmask8>((1u << n) - 1u); }
  static reg load(const double* p, index_t n) { return _mm256_maskz_loadu_pd(mask(n), p); }
  static void store(double* p, reg v, index_t n) { _mm256_mask_storeu_pd(p, mask(n), v); }
  static void accumulate(reg& c, reg a, reg b) { asm("vfmadd231pd %2, %1, %0" : "+v"(c) : "v"(a), "v"(b)); }
  template <int Times, int Terms>
  static void accumulate_times(reg& c, reg a, const double* base, index_t stride) {
    accumulate_broadcast<Times, Terms>(c, a, base, stride);
  }
  static reg canonical(reg v) {
    const reg nan = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7ff8000000000000));
    return _mm256_mask_mov_pd(v, _mm256_cmp_pd_mask(v, v, _CMP_UNORD_Q), nan);
  }
  static __mmask8 numbers() { return mask(lanes); }
  static __mmask8 numbers(__mmask8 so_far, reg a, reg b) { return _mm256_mask_cmp_pd_mask(so_far, a, b, _CMP_ORD_Q); }
  static bool all_numbers(__mmask8 found) { return found == numbers(); }
};

struct f32x16 {
  using value = float;
  using reg = __m512;
  using narrow = f32x8_masked;  // for panels too narrow to fill a vector
  static constexpr int lanes = 16, registers = 32;

  static __mmask16 mask(index_t n) { return static_cast<__mmask16>((1u << n) - 1u); }
  static reg zero() { return _mm512_setzero_ps(); }
  static reg set(float v) { return _mm512_set1_ps(v); }
  static reg load(const float* p) { return _mm512_loadu_ps(p); }
  static reg load(const float* p, index_t n) { return _mm512_maskz_loadu_ps(mask(n), p); }
  static void store(float* p, reg v) { _mm512_storeu_ps(p, v); }
  static void store(float* p, reg v, index_t n) { _mm512_mask_storeu_ps(p, mask(n), v); }
  static void store_half(float* p, reg v) { _mm256_storeu_ps(p, _mm512_castps512_ps256(v)); }
  static void store_nontemporal(float* p, reg v) { _mm512_stream_ps(p, v); }
  static void fence() { _mm_sfence(); }
  static reg fma(reg a, reg b, reg c) { return _mm512_fmadd_ps(a, b, c); }
  // c <- fma(a, b, c) in place: left the choice, the compiler moves accumulators about between registers.
  static void accumulate(reg& c, reg a, reg b) { asm("vfmadd231ps %2, %1, %0" : "+v"(c) : "v"(a), "v"(b)); }
  template <int Times, int Terms>
  static void accumulate_times(reg& c, reg a, const float* base, index_t stride) {
    accumulate_broadcast<Times, Terms>(c, a, base, stride);
  }
  template <int Times, int Terms>
  static reg set_at(const float* base, index_t stride) {
    return broadcast<reg, Times, Terms>(base, stride);
  }
  static void accumulate_negated(reg& c, reg a, reg b) { asm("vfnmadd231ps %2, %1, %0" : "+v"(c) : "v"(a), "v"(b)); }
  static reg mul(reg a, reg b) { return _mm512_mul_ps(a, b); }
  static reg add(reg a, reg b) { return _mm512_add_ps(a, b); }
  static reg abs(reg a) { return _mm512_abs_ps(a); }
  static reg max(reg a, reg b) { return _mm512_max_ps(a, b); }
  static float sum(reg v) { return f32x8::sum(f32x8::add(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1))); }
  static float largest(reg v) {
    return f32x8::largest(f32x8::max(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1)));
  }
  static reg merge(reg a, reg b, index_t n) { return _mm512_mask_mov_ps(a, mask(n), b); }
  static unsigned equal(reg a, reg b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
  static reg canonical(reg v) {
    const reg nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000));
    return _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), nan);
  }
  static __mmask16 numbers() { return mask(lanes); }
  static __mmask16 numbers(__mmask16 so_far, reg a, reg b) { return _mm512_mask_cmp_ps_mask(so_far, a, b, _CMP_ORD_Q); }
  static bool all_numbers(__mmask16 found) { return found == numbers(); }
  // Forced: GCC takes a function that only prefetches for one without effect, and drops calls that it has not inlined.
  [[gnu::always_inline]] static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }
  [[gnu::always_inline]] static void prefetch_second(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
  }

  static reg unpack_low(reg a, reg b) { return _mm512_unpacklo_ps(a, b); }
  static reg unpack_high(reg a, reg b) { return _mm512_unpackhi_ps(a, b); }
  static reg pairs_low(reg a, reg b) { return _mm512_shuffle_ps(a, b, 0x44); }
  static reg pairs_high(reg a, reg b) { return _mm512_shuffle_ps(a, b, 0xee); }
  static reg even_lanes(reg a, reg b) { return _mm512_shuffle_f32x4(a, b, 0x88); }
  static reg odd_lanes(reg a, reg b) { return _mm512_shuffle_f32x4(a, b, 0xdd); }
  static reg set_parts(float re, float im) {
    return _mm512_setr_ps(re, im, re, im, re, im, re, im, re, im, re, im, re, im, re, im);
  }
  static reg set_value(const float* p) {
    return _mm512_castpd_ps(
        _mm512_broadcastsd_pd(_mm_castps_pd(_mm_loadl_pi(_mm_setzero_ps(), reinterpret_cast<const __m64*>(p)))));
  }
  static reg real_parts(reg v) { return _mm512_moveldup_ps(v); }
  static reg imaginary_parts(reg v) { return _mm512_movehdup_ps(v); }
  static reg swapped_parts(reg v) { return _mm512_permute_ps(v, 0xb1); }
  static reg conjugate(reg v) { return _mm512_xor_ps(v, set_parts(0.0F, -0.0F)); }
  static reg negate_real(reg v) { return _mm512_xor_ps(v, set_parts(-0.0F, 0.0F)); }
  static void split(reg low, reg high, reg& re, reg& im) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    re = _mm512_permutex2var_ps(low, even, high);
    im = _mm512_permutex2var_ps(low, _mm512_add_epi32(even, _mm512_set1_epi32(1)), high);
  }
  static void join(reg re, reg im, reg& low, reg& high) {
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    low = _mm512_permutex2var_ps(re, first, im);
    high = _mm512_permutex2var_ps(re, _mm512_add_epi32(first, _mm512_set1_epi32(8)), im);
  }
  static void transpose_complex(reg (&x)[8]) { transpose_complex_lanes<f32x16>(x); }
  static void transpose(reg (&x)[16]) { transpose_lanes<f32x16>(x); }
};

struct f64x8 {
  using value = double;
  using reg = __m512d;
  using narrow = f64x4_masked;
  static constexpr int lanes = 8, registers = 32;

  static __mmask8 mask(index_t n) { return static_cast<__mmask8>((1u << n) - 1u); }
  static reg zero() { return _mm512_setzero_pd(); }
  static reg set(double v) { return _mm512_set1_pd(v); }
  static reg load(const double* p) { return _mm512_loadu_pd(p); }
  static reg load(const double* p, index_t n) { return _mm512_maskz_loadu_pd(mask(n), p); }
  static void store(double* p, reg v) { _mm512_storeu_pd(p, v); }
  static void store(double* p, reg v, index_t n) { _mm512_mask_storeu_pd(p, mask(n), v); }
  static void store_half(double* p, reg v) { _mm256_storeu_pd(p, _mm512_castpd512_pd256(v)); }
  static void store_nontemporal(double* p, reg v) { _mm512_stream_pd(p, v); }
  static void fence() { _mm_sfence(); }
  static reg fma(reg a, reg b, reg c) { return _mm512_fmadd_pd(a, b, c); }
  // c <- fma(a, b, c) in place: left the choice, the compiler moves accumulators about between registers.
  static void accumulate(reg& c, reg a, reg b) { asm("vfmadd231pd %2, %1, %0" : "+v"(c) : "v"(a), "v"(b)); }
  template <int Times, int Terms>
  static void accumulate_times(reg& c, reg a, const double* base, index_t stride) {
    accumulate_broadcast<Times, Terms>(c, a, base, stride);
  }
  template <int Times, int Terms>
  static reg set_at(const double* base, index_t stride) {
    return broadcast<reg, Times, Terms>(base, stride);
  }
  static void accumulate_negated(reg& c, reg a, reg b) { asm("vfnmadd231pd %2, %1, %0" : "+v"(c) : "v"(a), "v"(b)); }
  static reg mul(reg a, reg b) { return _mm512_mul_pd(a, b); }
  static reg add(reg a, reg b) { return _mm512_add_pd(a, b); }
  static reg abs(reg a) { return _mm512_abs_pd(a); }
  static reg max(reg a, reg b) { return _mm512_max_pd(a, b); }
  static double sum(reg v) { return f64x4::sum(f64x4::add(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1))); }
  static double largest(reg v) {
    return f64x4::largest(f64x4::max(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1)));
  }
  static reg merge(reg a, reg b, index_t n) { return _mm512_mask_mov_pd(a, mask(n), b); }
  static unsigned equal(reg a, reg b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
  static reg canonical(reg v) {
    const reg nan = _mm512_castsi512_pd(_mm512_set1_epi64(0x7ff8000000000000));
    return _mm512_mask_mov_pd(v, _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q), nan);
  }
  static __mmask8 numbers() { return mask(lanes); }
  static __mmask8 numbers(__mmask8 so_far, reg a, reg b) { return _mm512_mask_cmp_pd_mask(so_far, a, b, _CMP_ORD_Q); }
  static bool all_numbers(__mmask8 found) { return found == numbers(); }
  [[gnu::always_inline]] static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }
  [[gnu::always_inline]] static void prefetch_second(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
  }

  static reg unpack_low(reg a, reg b) { return _mm512_unpacklo_pd(a, b); }
  static reg unpack_high(reg a, reg b) { return _mm512_unpackhi_pd(a, b); }
  static reg even_lanes(reg a, reg b) { return _mm512_shuffle_f64x2(a, b, 0x88); }
  static reg odd_lanes(reg a, reg b) { return _mm512_shuffle_f64x2(a, b, 0xdd); }
  static reg set_parts(double re, double im) { return _mm512_setr_pd(re, im, re, im, re, im, re, im); }
  static reg set_value(const double* p) { return _mm512_broadcast_f64x2(_mm_loadu_pd(p)); }
  static reg real_parts(reg v) { return _mm512_movedup_pd(v); }
  static reg imaginary_parts(reg v) { return _mm512_permute_pd(v, 0xff); }
  static reg swapped_parts(reg v) { return _mm512_permute_pd(v, 0x55); }
  static reg conjugate(reg v) { return _mm512_xor_pd(v, set_parts(0.0, -0.0)); }
  static reg negate_real(reg v) { return _mm512_xor_pd(v, set_parts(-0.0, 0.0)); }
  static void split(reg low, reg high, reg& re, reg& im) {
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    re = _mm512_permutex2var_pd(low, even, high);
    im = _mm512_permutex2var_pd(low, _mm512_add_epi64(even, _mm512_set1_epi64(1)), high);
  }
  static void join(reg re, reg im, reg& low, reg& high) {
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    low = _mm512_permutex2var_pd(re, first, im);
    high = _mm512_permutex2var_pd(re, _mm512_add_epi64(first, _mm512_set1_epi64(4)), im);
  }
  static void transpose_complex(reg (&x)[4]) { transpose_complex_lanes<f64x8>(x); }
  static void transpose(reg (&x)[8]) { transpose_lanes<f64x8>(x); }
};

}  // namespace
}  // namespace abax::openmp

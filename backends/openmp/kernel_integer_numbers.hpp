// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// From remainders to numbers, eight outputs at a time, for CPUs with AVX-512 F, DQ and CD.
#include <immintrin.h>

#include <utility>

#include "kernel_integer.hpp"

namespace abax::openmp {
namespace {

/// top times 2^power rounded to T, as tile::rounded, where that is a normal number or 0; top < 2^63 has its 62 leading
/// bits, and its last is set if anything follows.
[[gnu::always_inline]] inline void store_numbers(double* to, __mmask8 which, __m512i top, __mmask8 negative,
                                                 __m512d power) {
  const __m512i s = _mm512_mask_sub_epi64(top, negative, _mm512_setzero_si512(), top);
  const __m512d number = _mm512_cvt_roundepi64_pd(s, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm512_mask_storeu_pd(to, which, _mm512_scalef_pd(number, power));
}
[[gnu::always_inline]] inline void store_numbers(float* to, __mmask8 which, __m512i top, __mmask8 negative,
                                                 __m512d power) {
  const __m512i s = _mm512_mask_sub_epi64(top, negative, _mm512_setzero_si512(), top);
  const __m256 number = _mm512_cvt_roundepi64_ps(s, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm256_mask_storeu_ps(to, which, _mm512_cvtpd_ps(_mm512_scalef_pd(_mm512_cvtps_pd(number), power)));
}

/// As tile::number_of for all outputs of the run.
template <class T, int Count>
void numbers(const number_run<T>& run) {
  constexpr auto& c = tile::reconstruction_of<Count>;
  constexpr int words = c.words;
  constexpr int bias = sizeof(T) == 4 ? 127 : 1023;
  const __m512i mask = _mm512_set1_epi64(0xFFFFFFFF), zero = _mm512_setzero_si512();
  for (index_t i = 0; i < run.n; i += 8) {
    const index_t left = run.n - i;
    const auto which = static_cast<__mmask8>(left >= 8 ? 0xFF : (1 << left) - 1);
    __m512i x[words], fraction[2] = {zero, zero};
#pragma GCC unroll 8
    for (int w = 0; w < words; ++w) x[w] = zero;
    for (int t = 0; t < Count; ++t) {
      const std::uint8_t* from = run.remainders + t * run.plane + i;
      const __m512i r = _mm512_cvtepu8_epi64(left >= 8 ? _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))
                                                       : _mm_maskz_loadu_epi8(static_cast<__mmask16>(which), from));
#pragma GCC unroll 8
      for (int w = 0; w < words; ++w)
        x[w] = _mm512_add_epi64(x[w], _mm512_mul_epu32(r, _mm512_set1_epi32(static_cast<int>(c.weight[t][w]))));
#pragma GCC unroll 2
      for (int w = 0; w < 2; ++w)
        fraction[w] =
            _mm512_add_epi64(fraction[w], _mm512_mul_epu32(r, _mm512_set1_epi32(static_cast<int>(c.fraction[t][w]))));
    }
    const __m512i quotient =
        _mm512_srli_epi64(_mm512_add_epi64(_mm512_add_epi64(fraction[1], _mm512_srli_epi64(fraction[0], 32)),
                                           _mm512_set1_epi64(1LL << 31)),
                          32);
    __m512i s[words], carry = zero;
#pragma GCC unroll 8
    for (int w = 0; w < words; ++w) {
      carry = _mm512_add_epi64(
          carry, _mm512_sub_epi64(x[w], _mm512_mul_epu32(quotient, _mm512_set1_epi32(static_cast<int>(c.product[w])))));
      s[w] = _mm512_and_si512(carry, mask);
      carry = _mm512_srai_epi64(carry, 32);
    }
    const __mmask8 negative = _mm512_test_epi64_mask(s[words - 1], _mm512_set1_epi64(1LL << 31));
    __m512i more = _mm512_maskz_set1_epi64(negative, 1);
#pragma GCC unroll 8
    for (int w = 0; w < words; ++w) {
      more = _mm512_add_epi64(more, _mm512_mask_xor_epi64(s[w], negative, s[w], mask));
      s[w] = _mm512_and_si512(more, mask);
      more = _mm512_srli_epi64(more, 32);
    }
    // The highest word that is not 0, the two below it, and whether more follows.
    __m512i first = s[0], second = zero, third = zero, rest = zero, high = zero;
#pragma GCC unroll 8
    for (int w = 1; w < words; ++w) {
      const __mmask8 is = _mm512_test_epi64_mask(s[w], s[w]);
      third = _mm512_mask_mov_epi64(third, is, w > 1 ? s[w - 2] : zero);
      second = _mm512_mask_mov_epi64(second, is, s[w - 1]);
      first = _mm512_mask_mov_epi64(first, is, s[w]);
      high = _mm512_mask_mov_epi64(high, is, _mm512_set1_epi64(32 * w));
    }
#pragma GCC unroll 8
    for (int w = 3; w < words; ++w) {  // words below the third of all
      const __mmask8 above = _mm512_cmpgt_epi64_mask(high, _mm512_set1_epi64(32 * w - 1));
      rest = _mm512_mask_or_epi64(rest, above, rest, s[w - 3]);
    }
    const __m512i zeros = _mm512_sub_epi64(_mm512_lzcnt_epi64(first), _mm512_set1_epi64(32));
    const __m512i low = _mm512_sllv_epi64(third, zeros);
    __m512i top = _mm512_or_si512(_mm512_sllv_epi64(_mm512_or_si512(_mm512_slli_epi64(first, 32), second), zeros),
                                  _mm512_srli_epi64(low, 32));
    rest = _mm512_or_si512(rest, _mm512_and_si512(low, mask));
    // Bit 63 becomes bit 62, and what is lost below counts as following.
    rest = _mm512_or_si512(rest, _mm512_and_si512(top, _mm512_set1_epi64(1)));
    top = _mm512_srli_epi64(top, 1);
    top = _mm512_mask_or_epi64(top, _mm512_test_epi64_mask(rest, rest), top, _mm512_set1_epi64(1));
    const __m512i shifts = _mm512_cvtepi32_epi64(_mm256_maskz_loadu_epi32(which, run.shifts + i));
    const __m512i exponent = _mm512_sub_epi64(_mm512_sub_epi64(_mm512_add_epi64(high, _mm512_set1_epi64(31)), zeros),
                                              _mm512_add_epi64(shifts, _mm512_set1_epi64(run.shift)));
    const __mmask8 none = _mm512_testn_epi64_mask(first, first);
    top = _mm512_mask_mov_epi64(top, none, zero);
    const __mmask8 normal = static_cast<__mmask8>(none | (_mm512_cmpgt_epi64_mask(exponent, _mm512_set1_epi64(-bias)) &
                                                          _mm512_cmplt_epi64_mask(exponent, _mm512_set1_epi64(bias))));
    const __m512d power = _mm512_cvtepi64_pd(_mm512_sub_epi64(exponent, _mm512_set1_epi64(62)));
    store_numbers(run.numbers + i, which, top, static_cast<__mmask8>(negative & ~none), power);
    for (auto missed = static_cast<unsigned>(which & ~normal); missed != 0; missed &= missed - 1)
      run.missed[i + __builtin_ctz(missed)] = 1;
  }
}

template <class T>
constexpr void add_numbers(integer_line_kernels<T>& table) {
  [&]<int... More>(std::integer_sequence<int, More...>) {
    ((table.numbers[More] = numbers<T, tile::fewest_moduli<T> + More>), ...);
  }
  (std::make_integer_sequence<int, tile::most_moduli_of<T> - tile::fewest_moduli<T> + 1>());
}

}  // namespace
}  // namespace abax::openmp

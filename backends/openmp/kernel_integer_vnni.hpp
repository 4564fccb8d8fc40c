// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The loops of products by way of integers for CPUs with AVX-512 VNNI, whose dot products of bytes are exact in 32
/// bits.
#include <immintrin.h>

#include "kernel_integer_numbers.hpp"

namespace abax::openmp {
namespace {

struct vnni_bytes {
  static constexpr int lanes = 16;
  using reg = __m512i;
  using lines = __m512i;
  using word = __m512i;

  static reg load(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  static void store(std::int32_t* p, reg r) { _mm512_storeu_si512(p, r); }
  static lines load_lines(const std::uint8_t* p) { return _mm512_loadu_si512(p); }
  /// Kept in a register: four products would else load it four times.
  static word broadcast(const std::uint8_t* p) {
    std::int32_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    __m512i all = _mm512_set1_epi32(bytes);
    asm("" : "+v"(all));
    return all;
  }
  static reg add_products(reg sum, lines a, word b) { return _mm512_dpbusd_epi32(sum, a, b); }
};

/// Eight elements, those past `there` zeros, as integers 2^62 higher.
__m512i raised_integers(const double* x, index_t there, __m512d shift) {
  const auto mask = static_cast<__mmask8>(there >= 8 ? 0xFF : there <= 0 ? 0 : (1 << there) - 1);
  const __m512i q = _mm512_cvt_roundpd_epi64(_mm512_scalef_pd(_mm512_maskz_loadu_pd(mask, x), shift),
                                             _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return _mm512_add_epi64(q, _mm512_set1_epi64(std::int64_t(1) << 62));
}
__m512i raised_integers(const float* x, index_t there, __m512d shift) {
  const auto mask = static_cast<__mmask8>(there >= 8 ? 0xFF : there <= 0 ? 0 : (1 << there) - 1);
  const __m512d wide = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(mask, x));
  const __m512i q =
      _mm512_cvt_roundpd_epi64(_mm512_scalef_pd(wide, shift), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return _mm512_add_epi64(q, _mm512_set1_epi64(std::int64_t(1) << 62));
}

/// The bytes' powers of 256 modulo each modulus, as bytes with a sign, and what the 2^62 leaves.
struct byte_powers {
  std::int64_t powers[tile::most_moduli];
  int raise[tile::most_moduli];
};
constexpr byte_powers make_byte_powers() {
  byte_powers made{};
  for (int t = 0; t < tile::most_moduli; ++t) {
    const int p = tile::modulus_numbers.number[t].value;
    int power = 1;
    std::uint64_t all = 0;
    for (int i = 0; i < 8; ++i) {
      const int centred = 2 * power >= p ? power - p : power;
      all |= std::uint64_t(static_cast<std::uint8_t>(static_cast<std::int8_t>(centred))) << (8 * i);
      power = power * 256 % p;
    }
    made.powers[t] = static_cast<std::int64_t>(all);
    made.raise[t] = static_cast<int>((std::int64_t(1) << 62) % p);
  }
  return made;
}
constexpr byte_powers powers_of_bytes = make_byte_powers();

/// A dot product of an integer's eight bytes and their powers is at most 2^18 in magnitude; two words of each integer
/// become one.
template <class T>
void residues_by_bytes(const line_run<T>& run) {
  constexpr index_t step = 32;
  const __m512d shift = _mm512_set1_pd(run.shift);
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  for (index_t first = 0; first < run.padded; first += step) {
    __m512i q[4];
    for (int v = 0; v < 4; ++v) q[v] = raised_integers(run.x + first + 8 * v, run.terms - first - 8 * v, shift);
    for (int t = 0; t < run.count; ++t) {
      const tile::modulus& m = tile::modulus_numbers.number[t];
      const __m512i powers = _mm512_set1_epi64(powers_of_bytes.powers[t]);
      const __m512i start = _mm512_set1_epi64(static_cast<std::uint32_t>(-powers_of_bytes.raise[t]));
      const __m512 modulus = _mm512_set1_ps(static_cast<float>(m.value)), inverse = _mm512_set1_ps(m.inverse);
      const __m512i low = _mm512_set1_epi32(run.are_unsigned ? m.value : 0);
      std::uint8_t* to = run.planes + t * run.plane + first;
      for (int half = 0; half < 2; ++half) {
        const __m512i x = _mm512_dpbusd_epi32(start, q[2 * half], powers);
        const __m512i y = _mm512_dpbusd_epi32(start, q[2 * half + 1], powers);
        const __m512i sum =
            _mm512_add_epi32(_mm512_permutex2var_epi32(x, even, y), _mm512_permutex2var_epi32(x, odd, y));
        const __m512 v = _mm512_cvtepi32_ps(sum);
        const __m512 quotient =
            _mm512_roundscale_ps(_mm512_mul_ps(v, inverse), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        __m512i r = _mm512_cvtps_epi32(_mm512_fnmadd_ps(quotient, modulus, v));
        r = _mm512_mask_add_epi32(r, _mm512_movepi32_mask(r), r, low);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16 * half), _mm512_cvtepi32_epi8(r));
      }
    }
  }
}

constexpr integer_kernels vnni_table(const char* name) {
  // 24 accumulators, four registers of a, one of b.
  integer_kernels table = integer_table<vnni_bytes, 4, 6>(name, "avx512");
  table.floats = {.peaks = peaks<float>, .residues = residues_by_bytes<float>, .numbers = {}};
  table.doubles = {.peaks = peaks<double>, .residues = residues_by_bytes<double>, .numbers = {}};
  add_numbers<float>(table.floats);
  add_numbers<double>(table.doubles);
  return table;
}

}  // namespace
}  // namespace abax::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes for CPUs with AVX-512 F, DQ, BW and VL, but none of their newer instructions: as 16-bit numbers, of
// whose products two are added exactly.
#include <immintrin.h>

#include "integer_sets.hpp"
#include "kernel_integer.hpp"

namespace abax::openmp {
namespace {

struct avx512_bytes {
  static constexpr int lanes = 16;
  using reg = __m512i;
  struct lines {
    __m512i even, odd;  // terms 0 and 2, 1 and 3
  };
  using word = lines;

  static reg load(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  static void store(std::int32_t* p, reg r) { _mm512_storeu_si512(p, r); }
  static lines load_lines(const std::uint8_t* p) {
    const __m512i bytes = _mm512_loadu_si512(p);
    return {_mm512_and_si512(bytes, _mm512_set1_epi16(0xFF)), _mm512_srli_epi16(bytes, 8)};
  }
  static word broadcast(const std::uint8_t* p) {
    std::int32_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    const __m512i all = _mm512_set1_epi32(bytes);
    return {_mm512_srai_epi16(_mm512_slli_epi16(all, 8), 8), _mm512_srai_epi16(all, 8)};
  }
  static reg add_products(reg sum, const lines& a, const word& b) {
    return _mm512_add_epi32(sum, _mm512_add_epi32(_mm512_madd_epi16(a.even, b.even), _mm512_madd_epi16(a.odd, b.odd)));
  }
};

}  // namespace

// 16 accumulators, four registers of a, two of b.
constinit const integer_kernels avx512_integers = integer_table<avx512_bytes, 2, 8>("avx512", "avx512");

}  // namespace abax::openmp

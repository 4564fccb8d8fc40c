// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes for CPUs with AVX2: as 16-bit numbers, of whose products two are added exactly. (Its instruction
// for bytes saturates.)
#include <immintrin.h>

#include "integer_sets.hpp"
#include "kernel_integer.hpp"

namespace abax::openmp {
namespace {

struct avx2_bytes {
  static constexpr int lanes = 8;
  using reg = __m256i;
  struct lines {
    __m256i even, odd;  // terms 0 and 2, 1 and 3
  };
  using word = lines;

  static reg load(const std::int32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static void store(std::int32_t* p, reg r) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), r); }
  static lines load_lines(const std::uint8_t* p) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {_mm256_and_si256(bytes, _mm256_set1_epi16(0xFF)), _mm256_srli_epi16(bytes, 8)};
  }
  static word broadcast(const std::uint8_t* p) {
    std::int32_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    const __m256i all = _mm256_set1_epi32(bytes);
    return {_mm256_srai_epi16(_mm256_slli_epi16(all, 8), 8), _mm256_srai_epi16(all, 8)};
  }
  static reg add_products(reg sum, const lines& a, const word& b) {
    return _mm256_add_epi32(sum, _mm256_add_epi32(_mm256_madd_epi16(a.even, b.even), _mm256_madd_epi16(a.odd, b.odd)));
  }
};

}  // namespace

// 8 accumulators, four registers of a and two of b: 14 of the 16.
constinit const integer_kernels avx2_integers = integer_table<avx2_bytes, 2, 4>("avx2", "avx2");

}  // namespace abax::openmp

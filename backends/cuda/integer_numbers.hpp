// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// tile::number_of for products of moduli up to 2^127, in a GPU's words of 32 and 64 bits.
#include <Kokkos_Core.hpp>

#include "abax/detail/tile/integer.hpp"

namespace abax::cuda {

/// Modulo 2^64, to all threads of the warp.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t sum_of_warp(std::uint64_t sum) {
#ifdef __CUDA_ARCH__
#pragma unroll
  for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, other);
#endif
  return sum;
}

inline constexpr int most_moduli_of_128_bits = 16;
/// Of `Count` moduli, modulo 2^128: what their remainders count, their product; and 2^52 times what a remainder counts
/// in the quotient by that product.
template <int Count>
struct number_constants {
  static_assert(Count <= most_moduli_of_128_bits);
  std::uint32_t weight[Count][4] = {};
  std::uint32_t fraction[Count][2] = {};
  std::uint64_t product[2] = {};
};
template <int Count>
constexpr number_constants<Count> make_number_constants() {
  number_constants<Count> made;
  constexpr tile::reconstruction<Count> all = tile::reconstruction_of<Count>;
  for (int w = 0; w < 4 && w < all.words; ++w) {
    for (int t = 0; t < Count; ++t) made.weight[t][w] = all.weight[t][w];
    made.product[w / 2] |= static_cast<std::uint64_t>(all.product[w]) << (32 * (w % 2));
  }
  for (int t = 0; t < Count; ++t) {
    const std::uint64_t of_64_bits = static_cast<std::uint64_t>(all.fraction[t][1]) << 32 | all.fraction[t][0];
    const std::uint64_t rounded = (of_64_bits >> 12) + (of_64_bits >> 11 & 1);
    made.fraction[t][0] = static_cast<std::uint32_t>(rounded);
    made.fraction[t][1] = static_cast<std::uint32_t>(rounded >> 32);
  }
  return made;
}
template <int Count>
inline constexpr number_constants<Count> number_constants_of = make_number_constants<Count>();

/// `magnitude` 2^exponent with a sign, for an integer whose lowest bit is set if less than it was cut off: rounded by
/// the conversion, whose result is then scaled exactly. False where that is 0 or no normal number.
KOKKOS_FORCEINLINE_FUNCTION bool normal_number([[maybe_unused]] std::uint64_t magnitude, [[maybe_unused]] bool negative,
                                               [[maybe_unused]] int exponent, [[maybe_unused]] float& value) {
#ifdef __CUDA_ARCH__
  const int bits = __float_as_int(__ull2float_rn(magnitude));
  const int field = (bits >> 23) + exponent;
  value = __int_as_float((bits & 0x7FFFFF) | field << 23 | (negative ? int(0x80000000U) : 0));
  return magnitude != 0 && 0 < field && field < 255;
#else
  return false;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION bool normal_number([[maybe_unused]] std::uint64_t magnitude, [[maybe_unused]] bool negative,
                                               [[maybe_unused]] int exponent, [[maybe_unused]] double& value) {
#ifdef __CUDA_ARCH__
  const long long bits = __double_as_longlong(__ull2double_rn(magnitude));
  const int high = static_cast<int>(bits >> 32);
  const int field = (high >> 20) + exponent;
  value = __hiloint2double((high & 0xFFFFF) | field << 20 | (negative ? int(0x80000000U) : 0), static_cast<int>(bits));
  return magnitude != 0 && 0 < field && field < 2047;
#else
  return false;
#endif
}

/// As tile::number_of. The quotient of the weighed sum by the moduli's product is known to 16 255 2^-53, and |S| is at
/// most half the product less 2^-33 of it (tile::most_terms): rounded, it is right. False where the result is 0 or no
/// normal number: tile::number_of serves those, and more moduli.
template <class T, int Count, class Remainder>
KOKKOS_FORCEINLINE_FUNCTION bool normal_number_of([[maybe_unused]] const Remainder& remainder,
                                                  [[maybe_unused]] int shift, [[maybe_unused]] T& value) {
  if constexpr (Count > most_moduli_of_128_bits) {
    return false;
  } else {
    constexpr number_constants<Count> c = number_constants_of<Count>;
    std::uint64_t x0 = 0, x1 = 0, x2 = 0, quotients = std::uint64_t(1) << 51;
    std::uint32_t x3 = 0;
    const auto add = [&]<int t>(std::integral_constant<int, t>) {
      const std::uint32_t r = remainder(t);
      x0 += static_cast<std::uint64_t>(r) * c.weight[t][0];
      if constexpr (Count <= 8) {
        x1 += r * c.weight[t][1];  // 32 bits of it count
      } else {
        x1 += static_cast<std::uint64_t>(r) * c.weight[t][1];
        x2 += static_cast<std::uint64_t>(r) * c.weight[t][2];
        x3 += r * c.weight[t][3];
      }
      quotients += static_cast<std::uint64_t>(r) * c.fraction[t][0];
      quotients += static_cast<std::uint64_t>(r * c.fraction[t][1]) << 32;
    };
    [&]<int... t>(std::integer_sequence<int, t...>) { (add(std::integral_constant<int, t>()), ...); }
    (std::make_integer_sequence<int, Count>());
    const std::uint64_t quotient = quotients >> 52;
    const std::uint64_t low = x0 + (x1 << 32) - quotient * c.product[0];
    if constexpr (Count <= 8) {  // the sum itself fits 64 bits
      const bool negative = static_cast<std::int64_t>(low) < 0;
      return normal_number(negative ? -low : low, negative, -shift, value);
    } else {
#ifdef __CUDA_ARCH__
      const std::uint64_t sum = x0 + (x1 << 32);
      std::uint64_t high = x2 + (static_cast<std::uint64_t>(x3) << 32) + (x1 >> 32) + (sum < x0 ? 1 : 0);
      high -= quotient * c.product[1] + __umul64hi(quotient, c.product[0]) + (low > sum ? 1 : 0);
      const bool negative = static_cast<std::int64_t>(high) < 0;
      std::uint64_t low_part = negative ? -low : low, high_part = negative ? ~high + (low == 0 ? 1 : 0) : high;
      int exponent = -shift;
      if (high_part != 0) {  // the leading 64 bits, and whether more follow
        const int zeros = __clzll(static_cast<long long>(high_part));
        const std::uint64_t rest = low_part << zeros;
        if (zeros > 0) high_part = high_part << zeros | low_part >> (64 - zeros);
        low_part = high_part | (rest != 0 ? 1 : 0);
        exponent += 64 - zeros;
      }
      return normal_number(low_part, negative, exponent, value);
#else
      return false;
#endif
    }
  }
}

}  // namespace abax::cuda

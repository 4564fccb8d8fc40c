// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Integers by their remainders: the moduli, how many of them a product needs, and the constants that make the integer
/// of its remainders again.
/// Nothing here knows of Kokkos, or is code of a running program.
#include <array>
#include <cstdint>

namespace abax::tile {

/// Pairwise coprime, the largest that a byte can be the remainder of.
inline constexpr int most_moduli = 20;
inline constexpr std::array<int, most_moduli> moduli = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227,
                                                        223, 217, 211, 199, 197, 193, 191, 181, 179, 173};

/// An unsigned integer in words of 32 bits, the least first.
template <int Words>
struct wide {
  std::uint32_t word[Words] = {};

  constexpr bool operator==(const wide&) const = default;
  constexpr wide times(std::uint32_t factor) const {
    wide result;
    std::uint64_t carry = 0;
    for (int w = 0; w < Words; ++w) {
      carry += std::uint64_t(word[w]) * factor;
      result.word[w] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return result;
  }
  constexpr wide plus(std::uint32_t term) const {
    wide result;
    std::uint64_t carry = term;
    for (int w = 0; w < Words; ++w) {
      carry += word[w];
      result.word[w] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return result;
  }
  constexpr wide minus(const wide& other) const {
    wide result;
    std::int64_t borrow = 0;
    for (int w = 0; w < Words; ++w) {
      borrow += std::int64_t(word[w]) - std::int64_t(other.word[w]);
      result.word[w] = static_cast<std::uint32_t>(borrow);
      borrow >>= 32;
    }
    return result;
  }
  struct division;
  constexpr division divided_by(std::uint32_t divisor) const;
  constexpr wide shifted_right(int bits) const {
    wide result;
    for (int w = 0; w < Words; ++w)
      for (int b = 0; b < 32; ++b) {
        const int from = 32 * w + b + bits;
        if (from < 32 * Words) result.word[w] |= (word[from / 32] >> (from % 32) & 1U) << b;
      }
    return result;
  }
  constexpr int bits() const {
    for (int b = 32 * Words; b > 0; --b)
      if (word[(b - 1) / 32] >> ((b - 1) % 32) & 1U) return b;
    return 0;
  }
};
template <int Words>
struct wide<Words>::division {
  wide quotient;
  std::uint32_t remainder;
};
template <int Words>
constexpr typename wide<Words>::division wide<Words>::divided_by(std::uint32_t divisor) const {
  division result{};
  std::uint64_t rest = 0;
  for (int w = Words; w-- > 0;) {
    rest = rest << 32 | word[w];
    result.quotient.word[w] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  result.remainder = static_cast<std::uint32_t>(rest);
  return result;
}

/// Holds the product of all moduli, and a bit more.
using wide_product = wide<6>;
constexpr wide_product product_of_moduli(int count) {
  wide_product product{{1}};
  for (int t = 0; t < count; ++t)
    product = product.times(static_cast<std::uint32_t>(moduli[static_cast<std::size_t>(t)]));
  return product;
}
static_assert(product_of_moduli(most_moduli).bits() < 32 * 5);

/// The most terms of products of integers up to 2^bits in magnitude for which |sum| <= P / 2 (1 - 2^-32), where P is
/// the product of the first `count` moduli.
constexpr std::int64_t most_terms(int count, int bits) {
  const wide_product all = product_of_moduli(count);
  const wide_product most = all.minus(all.shifted_right(32)).minus(wide_product{{1}}).shifted_right(2 * bits + 1);
  return most.bits() > 62 ? std::int64_t(1) << 62 : std::int64_t(most.word[0]) | std::int64_t(most.word[1]) << 32;
}
/// The fewest moduli for `terms` terms; most_moduli + 1 where all of them do not do.
constexpr int moduli_for(std::int64_t terms, int bits) {
  int count = 1;
  while (count <= most_moduli && most_terms(count, bits) < terms) ++count;
  return count;
}
// What the anchors of this method give.
static_assert(moduli_for(24000, 24) == 8 && moduli_for(25000, 24) == 9 && moduli_for(300000, 53) == 16);

/// The numbers of moduli that kernels are compiled for: enough for 2^31 terms of p + 8 bits; fewer would spare little.
template <class T>
inline constexpr int fewest_moduli = sizeof(T) == 4 ? 5 : 11;
template <class T>
inline constexpr int most_moduli_of = sizeof(T) == 4 ? 13 : most_moduli;

/// From the remainders r[t], each in [0, modulus), to the integer S in (-P/2, P/2): X = sum of r[t] weight[t] and
/// Q = sum of r[t] fraction[t] / 2^64, rounded to an integer, give S = X - Q P, all modulo 2^(32 Words). That Q is the
/// right one: a fraction is wrong by 2^-65 at most, all together by less than 2^-52, and S / P keeps 2^-33 off a half.
template <int Count>
struct reconstruction {
  /// Words of an integer with a sign whose magnitude is less than P / 2.
  static constexpr int words = (product_of_moduli(Count).bits() + 31) / 32;

  std::uint32_t weight[Count][words] = {};
  std::uint32_t fraction[Count][2] = {};
  std::uint32_t product[words] = {};
};
template <int Count>
constexpr reconstruction<Count> make_reconstruction() {
  reconstruction<Count> made;
  const wide_product all = product_of_moduli(Count);
  for (int w = 0; w < made.words; ++w) made.product[w] = all.word[w];
  for (int t = 0; t < Count; ++t) {
    const auto p = static_cast<std::uint32_t>(moduli[static_cast<std::size_t>(t)]);
    const wide_product others = all.divided_by(p).quotient;
    std::uint32_t inverse = 1;  // of the others' product, modulo p
    while (others.divided_by(p).remainder * inverse % p != 1 % p) ++inverse;
    const wide_product weight = others.times(inverse);
    for (int w = 0; w < made.words; ++w) made.weight[t][w] = weight.word[w];
    const wide_product fraction = wide_product{{0, 0, inverse}}.plus(p / 2).divided_by(p).quotient;
    for (int w = 0; w < 2; ++w) made.fraction[t][w] = fraction.word[w];
  }
  return made;
}
template <int Count>
inline constexpr reconstruction<Count> reconstruction_of = make_reconstruction<Count>();

/// What a line's integers need of one modulus: 2^16i modulo it.
struct modulus {
  int value;
  int power[4];
  float inverse;
  std::int64_t reciprocal;  ///< 2^32 over it, rounded
};
constexpr modulus make_modulus(int p) {
  return {p,
          {1, 65536 % p, static_cast<int>((std::int64_t(1) << 32) % p), static_cast<int>((std::int64_t(1) << 48) % p)},
          1.0F / static_cast<float>(p),
          ((std::int64_t(1) << 32) + p / 2) / p};
}
struct modulus_table {
  modulus number[most_moduli];
};
constexpr modulus_table make_moduli() {
  modulus_table table{};
  for (int t = 0; t < most_moduli; ++t) table.number[t] = make_modulus(moduli[static_cast<std::size_t>(t)]);
  return table;
}
inline constexpr modulus_table modulus_numbers = make_moduli();

}  // namespace abax::tile

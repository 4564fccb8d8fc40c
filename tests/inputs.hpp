// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Random operands: seeded, the same on every machine, and able to tell one order of summation from another.
#include <cmath>
#include <limits>

#include "bits.hpp"

namespace abax::tests {

/// What the elements of an operand are like.
enum class numbers {
  unit,       ///< uniform in [-1, 1): any change of order changes bits
  wide,       ///< exponents from tiny to huge: cancellation, overflow and underflow of products
  special,    ///< one in eight is Inf, NaN with a payload, a zero of either sign, subnormal, or the largest
  subnormal,  ///< every product underflows or nearly does
  vanishing,  ///< all equal and negative, or all equal and positive, chosen by the seed's parity: products of the two
              ///< underflow to -0, a sum that any padding with +0 would turn into +0
  nan,        ///< NaN with a payload throughout: must not be read
};

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a generator whose whole definition fits here.
class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, n).
  int below(int n) { return static_cast<int>(next() % static_cast<unsigned>(n)); }
  /// Uniform in [-1, 1), exact in T.
  template <class T>
  T unit() {
    constexpr int digits = std::numeric_limits<T>::digits;
    return std::ldexp(static_cast<T>(next() >> (64 - digits)), 1 - digits) - T(1);
  }

 private:
  std::uint64_t state_;
};

template <class T>
T random_number(random_bits& random, numbers kind) {
  using limits = std::numeric_limits<T>;
  constexpr int half = limits::max_exponent / 2;  // 64 or 512
  switch (kind) {
    case numbers::unit:
      return random.unit<T>();
    case numbers::wide: {
      const T mantissa = random.unit<T>();  // drawn first: the order of arguments is the compiler's
      return std::ldexp(mantissa, random.below(2 * half + 8) - half - 4);
    }
    case numbers::special: {
      const T specials[] = {limits::infinity(),   -limits::infinity(), nan_with_payload<T>(), T(0), -T(0),
                            limits::denorm_min(), limits::max(),       -limits::min() / 2};
      return random.below(8) == 0 ? specials[random.below(8)] : random.unit<T>();
    }
    case numbers::subnormal: {
      const T mantissa = random.unit<T>();
      return std::ldexp(mantissa, -half - random.below(limits::digits / 2));
    }
    case numbers::vanishing:
      return T(0);  // see random_matrix
    case numbers::nan:
      return nan_with_payload<T>();
  }
  return T(0);
}

template <class T>
matrix<T> random_matrix(index_t rows, index_t cols, numbers kind, std::uint64_t seed) {
  random_bits random(seed * 2654435761u + 12345);
  matrix<T> result(rows, cols);
  for (T& element : result.elements)
    element = kind == numbers::vanishing
                  ? (seed % 2 == 0 ? -std::numeric_limits<T>::min() : std::numeric_limits<T>::min())
                  : random_number<T>(random, kind);
  return result;
}

template <class T>
matrix<T> random_vector(index_t size, numbers kind, std::uint64_t seed) {
  return random_matrix<T>(size, 1, kind, seed);
}

inline const char* name_of(numbers kind) {
  const char* names[] = {"unit", "wide", "special", "subnormal", "vanishing", "nan"};
  return names[static_cast<int>(kind)];
}

}  // namespace abax::tests

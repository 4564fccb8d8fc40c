// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Sums of products without any rounding.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace abax::perf::accuracy {

/// A fixed-point number as wide as all products of two finite doubles (Kulisch's long accumulator), in digits of 32
/// bits: of up to 2^30 products.
class exact_sum {
 public:
  void add(double a, double b) {
    if (a == 0 || b == 0) return;
    int exponent_a = 0, exponent_b = 0;
    const auto integer_a = static_cast<std::int64_t>(std::ldexp(std::frexp(a, &exponent_a), 53));
    const auto integer_b = static_cast<std::int64_t>(std::ldexp(std::frexp(b, &exponent_b), 53));
    const std::int64_t sign = (integer_a < 0) == (integer_b < 0) ? 1 : -1;
    auto rest = static_cast<unsigned __int128>(std::abs(integer_a)) * static_cast<std::uint64_t>(std::abs(integer_b));
    const int place = exponent_a + exponent_b - 2 * 53 + point, shift = place % 32;
    auto digit = digits_.begin() + place / 32;
    *digit += sign * static_cast<std::uint32_t>(rest << shift);
    rest >>= 32 - shift;
    for (++digit; rest != 0; ++digit, rest >>= 32) *digit += sign * static_cast<std::uint32_t>(rest);
  }

  /// To a relative error below 2^-50; no sum of some thousand terms of a double's usual size over- or underflows.
  double value() const {
    for (const int sign : {1, -1}) {
      std::array<std::uint32_t, size> magnitude;
      std::int64_t carry = 0;
      for (int d = 0; d < size; ++d) {
        carry += sign * digits_[static_cast<std::size_t>(d)];
        magnitude[static_cast<std::size_t>(d)] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      if (carry < 0) continue;
      int top = size - 1;
      while (top > 2 && magnitude[static_cast<std::size_t>(top)] == 0) --top;
      double leading = 0;
      for (int d = top; d > top - 3; --d) leading = leading * 0x1p32 + magnitude[static_cast<std::size_t>(d)];
      return sign * std::ldexp(leading, 32 * (top - 2) - point);
    }
    return 0;  // not reached: either the sum or its opposite is not negative
  }

 private:
  static constexpr int point = 71 * 32;  // the place of 2^0: two of the smallest subnormal numbers are above place 0
  static constexpr int size = 140;
  std::array<std::int64_t, size> digits_{};
};

}  // namespace abax::perf::accuracy

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The oracle of gemm_integer: the integer canon (docs/canon.md) in big integers and scalar loops, element by element.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "reference.hpp"

namespace abax::reference {

/// A sum of products of 64-bit integers, in 192 bits.
class big_sum {
 public:
  void add(std::int64_t a, std::int64_t b) {
    const __int128 product = static_cast<__int128>(a) * b;
    const unsigned __int128 before = low_;
    low_ += static_cast<unsigned __int128>(product);
    high_ += (product < 0 ? -1 : 0) + (low_ < before ? 1 : 0);
  }
  bool is_negative() const { return high_ < 0; }
  /// Bits of the magnitude, the least first.
  std::vector<bool> magnitude() const {
    const unsigned __int128 low = is_negative() ? -low_ : low_;
    const auto high = static_cast<std::uint64_t>(is_negative() ? ~high_ + (low_ == 0 ? 1 : 0) : high_);
    std::vector<bool> bits;
    for (int b = 0; b < 128; ++b) bits.push_back((low >> b & 1) != 0);
    for (int b = 0; b < 64; ++b) bits.push_back((high >> b & 1) != 0);
    while (!bits.empty() && !bits.back()) bits.pop_back();
    return bits;
  }

 private:
  unsigned __int128 low_ = 0;
  std::int64_t high_ = 0;
};

/// S 2^-shift, rounded once to T: to nearest, ties to even.
template <class T>
T rounded(const big_sum& sum, int shift) {
  const std::vector<bool> bits = sum.magnitude();
  const int size = static_cast<int>(bits.size());
  if (size == 0) return T(0);
  using limits = std::numeric_limits<T>;
  const int least = limits::min_exponent - limits::digits;          // the exponent of the smallest subnormal number
  const int last = std::max(size - limits::digits, least + shift);  // the bit that becomes the result's last place
  long double value = 0;
  for (int b = size - 1; b >= std::max(last, 0); --b) value = 2 * value + (bits[static_cast<std::size_t>(b)] ? 1 : 0);
  const auto bit = [&](int b) { return b >= 0 && b < size && bits[static_cast<std::size_t>(b)]; };
  bool follows = false;
  for (int b = 0; b < last - 1; ++b) follows = follows || bit(b);
  if (last > 0 && bit(last - 1) && (follows || bit(last))) value += 1;
  const auto result = static_cast<T>(std::ldexp(value, std::max(last, 0) - shift));  // exact, or infinity
  return sum.is_negative() ? -result : result;
}

/// T of a row of op(A) and a column of op(B), the latter as a vector, too.
template <class T>
T integer_product(const std::vector<T>& a, const std::vector<T>& b, int bits) {
  bool finite = true;
  for (const auto* line : {&a, &b})
    for (const T x : *line) finite = finite && std::isfinite(x);
  if (!finite) {
    double sum = 0;  // of what terms with an infinity or a NaN are; all others are finite
    const auto sign = [](T x) { return std::isfinite(x) ? static_cast<double>((x > 0) - (x < 0)) : double(x); };
    for (std::size_t p = 0; p < a.size(); ++p)
      if (!std::isfinite(a[p]) || !std::isfinite(b[p])) sum += sign(a[p]) * sign(b[p]);
    return one_nan(static_cast<T>(sum));
  }
  int shifts[2] = {};
  std::vector<std::int64_t> integers[2];
  for (int o = 0; o < 2; ++o) {
    const std::vector<T>& line = o == 0 ? a : b;
    T largest = 0;
    for (const T x : line) largest = std::max(largest, std::abs(x));
    shifts[o] = largest == 0 ? 0 : bits - 1 - std::ilogb(largest);
    static_assert(std::numeric_limits<long double>::max_exponent > 2 * std::numeric_limits<T>::max_exponent);
    const long double scale = std::ldexp(1.0L, shifts[o]);  // whose products with numbers of T are exact
    for (const T x : line) integers[o].push_back(static_cast<std::int64_t>(std::rint(scale * x)));
  }
  big_sum sum;
  for (std::size_t p = 0; p < a.size(); ++p) sum.add(integers[0][p], integers[1][p]);
  return rounded<T>(sum, shifts[0] + shifts[1]);
}

template <class T>
matrix<T> gemm_integer(char trans_a, char trans_b, T alpha, const matrix<T>& a, const matrix<T>& b, T beta,
                       const matrix<T>& c, int bits = std::numeric_limits<T>::digits) {
  const index_t k = transposes(trans_a) ? a.rows : a.cols;
  matrix<T> result = c;
  for (index_t j = 0; j < c.cols; ++j)
    for (index_t i = 0; i < c.rows; ++i) {
      std::vector<T> row, column;
      for (index_t p = 0; p < k; ++p) {
        row.push_back(transposes(trans_a) ? a(p, i) : a(i, p));
        column.push_back(transposes(trans_b) ? b(j, p) : b(p, j));
      }
      result(i, j) = alpha == T(0) || k == 0 ? epilogue_without_terms(beta, c(i, j))
                                             : epilogue(alpha, integer_product(row, column, bits), beta, c(i, j));
    }
  return result;
}

}  // namespace abax::reference

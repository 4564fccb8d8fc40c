// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The numbers that operands of the golden table hold, made of integers (docs/verify.md says how), and their places.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../check.hpp"

namespace abax::perf::golden {

/// Where C or y is not read, it holds this: all bits set, a NaN.
template <class R>
R unread() {
  return poison<R>();
}

enum class kind { unit, wide, zeros, tiny, huge, special };

inline kind kind_of(const std::string& name) {
  static constexpr const char* names[] = {"unit", "wide", "zeros", "tiny", "huge", "special"};
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names)) throw std::runtime_error("no kind of numbers: " + name);
  return static_cast<kind>(found - names);
}

/// Real number i of an operand: 1 (A, x), 2 (B, y), 3 (what is read and written).
template <class R>
R number(kind of, int operand, index_t i) {
  constexpr int fraction_bits = sizeof(R) == 4 ? 23 : 52;
  constexpr std::uint64_t bias = sizeof(R) == 4 ? 127 : 1023, last = 2 * bias + 1;  // exponents as they are stored
  const std::uint64_t random = mix(mix(static_cast<std::uint64_t>(operand)) + static_cast<std::uint64_t>(i));
  const std::uint64_t sign = random >> 63, choice = random >> 52 & 0x7FF;
  const std::uint64_t fraction = (random & 0xFFFFFFFFFFFFF) >> (52 - fraction_bits);
  const auto made = [](std::uint64_t of_sign, std::uint64_t exponent, std::uint64_t of_fraction) {
    constexpr int bits = 8 * sizeof(R);
    return Kokkos::bit_cast<R>(static_cast<bits_t<R>>(of_sign << (bits - 1) | exponent << fraction_bits | of_fraction));
  };
  const R usual = input<R>(operand, i);
  switch (of) {
    case kind::unit:
      return usual;
    case kind::wide:
      return made(sign, bias - 16 + choice % 32, fraction);
    case kind::zeros:
      return choice % 4 == 0 ? made(sign, 0, 0) : usual;
    case kind::tiny:
      return operand == 2 ? usual : made(sign, choice % 4, fraction);
    case kind::huge:
      return operand == 2 ? usual : made(sign, last - 1 - choice % 4, fraction);
    case kind::special:
      break;
  }
  switch (choice % 256) {
    case 0:
      return made(sign, last, 0);  // infinity
    case 1:
      return made(sign, last, 1ull << (fraction_bits - 1) | fraction);  // a quiet NaN with a payload
    case 2:
      return made(sign, 0, 0);
    case 3:
      return made(sign, 0, 1);  // the smallest number
    case 4:
      return made(sign, 1, 0);  // the smallest normal one
    case 5:
      return made(sign, last - 1, (1ull << fraction_bits) - 1);  // the largest
    default:
      return usual;
  }
}

template <class T>
struct parts_of_type {
  using real = T;
};
template <class R>
struct parts_of_type<Kokkos::complex<R>> {
  using real = R;
};
template <class T>
using real_t = typename parts_of_type<T>::real;
template <class T>
inline constexpr bool has_parts = !std::is_same_v<T, real_t<T>>;

/// Element i of it, counted item after item, column after column; parts of complex ones are numbers 2 i and 2 i + 1.
template <class T>
T element(kind of, int operand, index_t i) {
  if constexpr (has_parts<T>)
    return {number<real_t<T>>(of, operand, 2 * i), number<real_t<T>>(of, operand, 2 * i + 1)};
  else
    return number<T>(of, operand, i);
}
template <class T>
T unread_element() {
  if constexpr (has_parts<T>)
    return {unread<real_t<T>>(), unread<real_t<T>>()};
  else
    return unread<T>();
}

/// "0.625" or "0.625,-0.25": exact in binary.
template <class T>
T scale(const std::string& text) {
  char* end = nullptr;
  const double re = std::strtod(text.c_str(), &end);
  if constexpr (has_parts<T>)
    return {static_cast<real_t<T>>(re), static_cast<real_t<T>>(*end == ',' ? std::strtod(end + 1, nullptr) : 0)};
  else
    return static_cast<T>(re);
}

/// The bits of an element's parts, at the end of `all`.
template <class T>
void append_bits(const T& x, std::vector<std::uint64_t>& all) {
  if constexpr (has_parts<T>) {
    append_bits(x.real(), all);
    append_bits(x.imag(), all);
  } else if constexpr (std::is_integral_v<T>) {
    all.push_back(static_cast<std::uint64_t>(x));
  } else {
    all.push_back(Kokkos::bit_cast<bits_t<T>>(x));
  }
}

/// Of the bits of real numbers in their order, a complex number's parts one after another: h = mix(h ^ bits), from h =
/// 0 on. As mix() maps no two numbers to one, a single wrong bit always shows.
inline std::uint64_t hash_of(std::span<const std::uint64_t> bits) {
  std::uint64_t hash = 0;
  for (const std::uint64_t one : bits) hash = mix(hash ^ one);
  return hash;
}

}  // namespace abax::perf::golden

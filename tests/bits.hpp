// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Comparing bits, and saying where they differ.
///
/// Comparers return a message, empty if all bits agree: `REQUIRE(difference(...) == "")` prints it. Values are never
/// compared as numbers: -0 equals +0 and NaN equals nothing there.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

#include "reference.hpp"

namespace abax::tests {

using reference::index_t;
using reference::matrix;

/// A complex number: two real parts, and nothing else.
template <class T>
concept has_parts = requires(const T& x) {
  typename T::value_type;
  x.real();
  x.imag();
};

template <class T>
using bits_t = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
bits_t<T> bits_of(const T& value) {
  bits_t<T> bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
template <class T>
T from_bits(bits_t<T> bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// What memory outside of operands holds: a NaN that no arithmetic makes, so that reading it shows in any result and
/// writing over it shows in the memory.
template <class T>
T guard_value() {
  if constexpr (has_parts<T>)
    return {guard_value<typename T::value_type>(), guard_value<typename T::value_type>()};
  else if constexpr (sizeof(T) == 4)
    return from_bits<T>(0x7FCAFEEDu);
  else
    return from_bits<T>(0x7FF8CAFEFEEDFACEull);
}

/// A NaN with a payload, which arithmetic must replace by the one NaN and copies must keep.
template <class T>
T nan_with_payload() {
  if constexpr (sizeof(T) == 4)
    return from_bits<T>(0xFFC12345u);
  else
    return from_bits<T>(0xFFF8123456789ABCull);
}

/// "0x3f800000 (1)", of both parts
template <class T>
std::string hex(const T& value) {
  if constexpr (has_parts<T>) {
    return hex(value.real()) + " + i " + hex(value.imag());
  } else {
    char text[64];
    std::snprintf(text, sizeof text, sizeof(T) == 4 ? "0x%08llx (%.9g)" : "0x%016llx (%.17g)",
                  static_cast<unsigned long long>(bits_of(value)), static_cast<double>(value));
    return text;
  }
}

template <class T>
bool same_bits(const T& a, const T& b) {
  static_assert(std::is_trivially_copyable_v<T>, "of what owns its elements, where these lie would be compared");
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T>
bool same_bits(const matrix<T>& a, const matrix<T>& b) {
  return a.rows == b.rows && a.cols == b.cols &&
         std::memcmp(a.elements.data(), b.elements.data(), a.elements.size() * sizeof(T)) == 0;
}

/// Index of the first element whose bits differ, `count` if there is none.
template <class T>
index_t first_difference(const T* got, const T* want, index_t count) {
  if (count == 0 || std::memcmp(got, want, sizeof(T) * count) == 0) return count;
  index_t i = 0;
  while (same_bits(got[i], want[i])) ++i;
  return i;
}

/// `name(i)` says in words what stands at index i.
template <class T, class Name>
std::string difference(const T* got, const T* want, index_t count, const Name& name) {
  const index_t first = first_difference(got, want, count);
  if (first == count) return "";
  index_t wrong = 0;
  for (index_t i = first; i < count; ++i) wrong += !same_bits(got[i], want[i]);
  return name(first) + " is " + hex(got[first]) + ", expected " + hex(want[first]) + "; " + std::to_string(wrong) +
         " of " + std::to_string(count) + " differ";
}

template <class T>
std::string difference(const matrix<T>& got, const matrix<T>& want) {
  if (got.rows != want.rows || got.cols != want.cols)
    return "extents are " + std::to_string(got.rows) + " x " + std::to_string(got.cols) + ", expected " +
           std::to_string(want.rows) + " x " + std::to_string(want.cols);
  return difference(got.elements.data(), want.elements.data(), got.rows * got.cols, [&](index_t e) {
    return "element (" + std::to_string(e % got.rows) + ", " + std::to_string(e / got.rows) + ")";
  });
}

template <class T>
std::string difference(const T& got, const T& want) requires(std::is_floating_point_v<T> || has_parts<T>) {
  return difference(&got, &want, 1, [](index_t) { return std::string("the value"); });
}

}  // namespace abax::tests

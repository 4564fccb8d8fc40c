// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Whether an operand's elements have addresses. No argument makes the question itself overflow.
#include <algorithm>
#include <cstdint>

namespace abax::c {

/// What a call counts in one direction, and the bytes from an operand's first element to its last, are fewer: far more
/// than any machine addresses, and so few that twice as many can be counted.
inline constexpr std::int64_t too_many = std::int64_t(1) << 60;

template <class T>
[[gnu::noinline]] bool has_addresses_beyond(const T* data, std::int64_t rows, std::int64_t cols,
                                            std::int64_t row_stride, std::int64_t col_stride) {
  constexpr std::int64_t size = sizeof(T), most = too_many / size - 1;
  std::int64_t down, across;  // elements from the first one to the last in its column, and in its row
  if (__builtin_mul_overflow(rows - 1, row_stride, &down) || down > most || down < -most) return false;
  if (__builtin_mul_overflow(cols - 1, col_stride, &across) || across > most || across < -most) return false;
  const std::int64_t low = std::min<std::int64_t>(down, 0) + std::min<std::int64_t>(across, 0),
                     high = std::max<std::int64_t>(down, 0) + std::max<std::int64_t>(across, 0);
  if (high - low > most) return false;
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(data);
  const std::uint64_t first = address + static_cast<std::uint64_t>(low * size),
                      last = address + static_cast<std::uint64_t>(high * size + size - 1);
  return ((first ^ address) | (last ^ address)) >> 63 == 0;  // at neither end of the addresses they begin anew
}

/// For rows x cols elements, one at least, of which element (i, j) lies at data[i row_stride + j col_stride].
template <class T>
[[gnu::always_inline]] inline bool has_addresses(const T* data, std::int64_t rows, std::int64_t cols,
                                                 std::int64_t row_stride, std::int64_t col_stride) {
  // What a small product waits for: no number is negative or large enough to matter.
  static_assert(sizeof(T) <= 16);
  const std::uint64_t numbers = rows | cols | row_stride | col_stride, address = reinterpret_cast<std::uintptr_t>(data);
  if ((numbers >> 27 | address >> 60) == 0) return true;
  return has_addresses_beyond(data, rows, cols, row_stride, col_stride);
}

}  // namespace abax::c

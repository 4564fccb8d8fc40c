// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Lines of bytes as engines multiply them.
#include <Kokkos_Macros.hpp>

#include "abax/detail/tile/matrix.hpp"

namespace abax::tile {

/// The order of lines of bytes that an engine wants. In both a line is filled with zeros, up to a multiple of 64 or
/// 128 terms.
enum class plane_order {
  lines,  ///< a line's terms follow one another
  /// Blocks of 128 terms of all lines, one after another, lines filled up with zeros to a multiple of 256. Of each
  /// line's eight chunks of 16 terms, chunk c lies where chunk c ^ (i % 8) would: tensor cores read eight lines' chunks
  /// at once, which then lie in different banks.
  blocks
};
/// Bytes that so many terms of a line take: where lines are whole, not a multiple of much, so that they do not share a
/// cache's sets.
KOKKOS_FORCEINLINE_FUNCTION constexpr index_t plane_stride(plane_order order, index_t terms) {
  if (order == plane_order::blocks) return ceil_div<index_t>(terms, 128) * 128;
  const index_t stride = ceil_div<index_t>(terms, 64) * 64;
  return stride % 512 == 0 ? stride + 64 : stride;
}
/// Lines that so many take the room of.
KOKKOS_FORCEINLINE_FUNCTION constexpr index_t plane_room(plane_order order, index_t lines) {
  return order == plane_order::blocks ? ceil_div<index_t>(lines, 256) * 256 : lines;
}

/// Lines of bytes, a plane for each modulus.
template <class Byte>
struct byte_planes {
  Byte* data;
  index_t lines, stride;
  int count;
  plane_order order = plane_order::lines;
  index_t room = plane_room(order, lines);  ///< lines of a plane; more than a block of them has

  KOKKOS_FORCEINLINE_FUNCTION Byte* plane(int t) const { return data + t * room * stride; }
  /// Where lines are whole: one of them.
  KOKKOS_FORCEINLINE_FUNCTION Byte* line(int t, index_t i) const { return data + (t * room + i) * stride; }
  /// In either order: terms p to p + 15 of line i, where p is a multiple of 16.
  KOKKOS_FORCEINLINE_FUNCTION Byte* chunk(int t, index_t i, index_t p) const {
    if (order == plane_order::lines) return line(t, i) + p;
    return plane(t) + (p / 128 * room + i) * 128 + ((p % 128) ^ (i % 8 * 16));
  }
  /// Some of the lines, and their terms from p on, a multiple of 128. Where lines come in blocks, `line` is a multiple
  /// of 256.
  KOKKOS_FORCEINLINE_FUNCTION byte_planes block(index_t line, index_t some, index_t p) const {
    byte_planes from = *this;
    from.data += order == plane_order::lines ? line * stride + p : (p / 128 * room + line) * 128;
    from.lines = some;
    return from;
  }
};

}  // namespace abax::tile

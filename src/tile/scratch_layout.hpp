// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Where the elements of a scratch tile lie, and which layout makes given accesses free of bank conflicts.
#include <Kokkos_Macros.hpp>

#include "abax/detail/tile/banks.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax {

/// How neighbouring threads access a tile in scratch: element after element along a row or down a column; or 16 bytes
/// at a time, which lie along a row, or down a column in a tile that has columns along memory. Lines shorter than 32
/// accesses are taken several at a time, as many as are whole.
enum class access {
  read_rows,           ///< element after element along a row
  read_columns,        ///< element after element down a column
  write_rows,          ///< as read_rows
  write_columns,       ///< as read_columns
  copy_rows,           ///< 16 bytes after 16 bytes along a row
  copy_columns,        ///< 16 bytes after 16 bytes down a column
  read_column_chunks,  ///< down a column of 16-byte chunks: each thread has the same place in a row of its own
  read_row_chunks      ///< along a row of 16-byte chunks: each thread has the same place in a column of its own
};

}  // namespace abax

namespace abax::tile {

/// rows x cols elements in lines `ld` apart, a line for each row or, by columns, for each column. A line's elements
/// change places in groups of `flip`, in one of `ways` ways that change after every `every` lines, so that like places
/// of near lines differ in banks.
struct scratch_layout {
  int rows, cols, ld;
  bool by_columns = false;
  int flip = 1, ways = 1, every = 1;

  bool operator==(const scratch_layout&) const = default;
  KOKKOS_FORCEINLINE_FUNCTION constexpr int offset(int i, int j) const {
    const int line = by_columns ? j : i, at = by_columns ? i : j;
    return line * ld + (ways == 1 ? at : at ^ (line / every % ways * flip));
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int lines() const { return by_columns ? cols : rows; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int length() const { return by_columns ? rows : cols; }
  /// Elements that the tile takes.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int size() const { return lines() * ld; }
  /// True if chunks of `count` elements stay whole, and begin at multiples of `count`.
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool keeps_chunks(int count) const {
    return ld % count == 0 && length() % count == 0 && (ways == 1 || flip % count == 0);
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr scratch_layout transposed() const {
    return {cols, rows, ld, !by_columns, flip, ways, every};
  }
};

constexpr bool by_chunks(access how) { return how >= access::copy_rows; }
/// True if neighbouring threads go down a column.
constexpr bool goes_down(access how) {
  return how == access::read_columns || how == access::write_columns || how == access::copy_columns ||
         how == access::read_column_chunks;
}
/// True if chunks of 16 bytes lie down a column.
constexpr bool chunks_down(access how) { return how == access::copy_columns || how == access::read_row_chunks; }

/// True if the layout serves an access of elements of `bytes` without a conflict, wherever in the tile it begins.
constexpr bool is_free(const scratch_layout& layout, int bytes, access how) {
  const bool chunks = by_chunks(how), down = goes_down(how);
  const int count = chunks ? 16 / bytes : 1;  // elements of a thread
  if (chunks && (!layout.keeps_chunks(count) || layout.by_columns != chunks_down(how))) return false;
  // Threads step along one index, in lines of the other one; that along which chunks lie counts chunks.
  const bool chunk_steps = chunks && down == chunks_down(how), chunk_lines = chunks && !chunk_steps;
  const int steps = (down ? layout.rows : layout.cols) / (chunk_steps ? count : 1);
  const int lines = (down ? layout.cols : layout.rows) / (chunk_lines ? count : 1);
  const int at_once = steps < banks::lanes ? banks::lanes / steps : 1;
  // Addresses that are all shifted meet the same banks, and so do those of lines 32 apart, whose places have changed
  // alike. The first 32 steps stand for all.
  const int different = layout.ways == 1 ? at_once : banks::lanes;
  for (int line = 0; line < lines && line < different; line += at_once) {
    const auto address = [&](int lane) {
      const int l = line + lane / steps % at_once, s = lane % steps;
      if (lane >= at_once * steps || l >= lines) return -1;
      const int along = s * (chunk_steps ? count : 1), across = l * (chunk_lines ? count : 1);
      return bytes * (down ? layout.offset(along, across) : layout.offset(across, along));
    };
    if (!banks::free_of_conflicts(bytes * count, address)) return false;
  }
  return true;
}

/// The smallest layout that serves all of Accesses to rows x cols elements of `bytes` without a conflict: plain, with
/// places changed, or padded, lines along the rows before lines along the columns. `rows` 0: there is none.
template <access... Accesses>
constexpr scratch_layout conflict_free_layout(int rows, int cols, int bytes) {
  const auto serves = [&](const scratch_layout& layout) { return (is_free(layout, bytes, Accesses) && ...); };
  scratch_layout best{};
  const auto offer = [&](const scratch_layout& layout) {
    if ((best.rows == 0 || layout.size() < best.size()) && serves(layout)) best = layout;
  };
  constexpr int bank_bytes = banks::count * banks::word;
  for (const bool by_columns : {false, true}) {
    const int length = by_columns ? rows : cols;
    const scratch_layout plain{rows, cols, length, by_columns};
    offer(plain);
    for (const int flip : {1, 16 / bytes})
      if ((length & (length - 1)) == 0 && length > flip) {
        scratch_layout exchanged = plain;
        exchanged.flip = flip;
        exchanged.ways = min(length / flip, bank_bytes / (flip * bytes));
        exchanged.every = max(1, bank_bytes / (length * bytes));
        offer(exchanged);
      }
    for (int padding = 1; padding <= banks::count && best.rows == 0; ++padding) {
      scratch_layout padded = plain;
      padded.ld += padding;
      offer(padded);
    }
  }
  return best;
}

}  // namespace abax::tile

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Where the elements of a scratch tile lie, and which layout makes given accesses free of bank conflicts.
#include <Kokkos_Macros.hpp>
#include <initializer_list>
#include <numeric>

#include "abax/detail/tile/banks.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax {

/// What a kernel does with a tile in scratch, by neighbouring threads: element after element along a row or down a
/// column, of lines shorter than 32 elements as many at a time as are whole; 16 bytes after 16 bytes of the whole tile,
/// line after line, in a tile that has them along memory; or a product of <abax/team.hpp>.
enum class access {
  read_rows,
  read_columns,
  write_rows,
  write_columns,
  copy_rows,        ///< 16 bytes at a time: stage(), copy() and wide loads or stores along a row
  copy_columns,     ///< the same down a column
  multiply_rows,    ///< an operand whose rows give those of the product, or its columns: A in 'N', B in 'T'
  multiply_columns  ///< an operand whose columns do: A in 'T', B in 'N'
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
    // Without signs the compiler sees that lines a period apart have changed alike.
    const auto way = unsigned(line) / unsigned(every) % unsigned(ways);
    return line * ld + (ways == 1 ? at : at ^ static_cast<int>(way) * flip);
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

/// True if threads that step along one index, element by element, meet no conflict.
constexpr bool steps_are_free(const scratch_layout& layout, int bytes, bool down) {
  const int steps = down ? layout.rows : layout.cols, lines = down ? layout.cols : layout.rows;
  const int at_once = steps < banks::lanes ? banks::lanes / steps : 1;
  // Addresses that are all shifted meet the same banks, and so do those of lines 32 apart, whose places have changed
  // alike. The first 32 steps stand for all.
  const int different = layout.ways == 1 ? at_once : banks::lanes;
  for (int line = 0; line < lines && line < different; line += at_once) {
    const auto address = [&](int lane) {
      const int across = line + lane / steps % at_once, along = lane % steps;
      if (lane >= at_once * steps || across >= lines) return -1;
      return bytes * (down ? layout.offset(along, across) : layout.offset(across, along));
    };
    if (banks::of(direction::store, bytes, address).conflicts() > 0) return false;
  }
  return true;
}

/// True if threads that follow each other along memory, a chunk of 16 bytes each, line after line, meet no conflict.
constexpr bool copies_are_free(const scratch_layout& layout, int bytes, bool down) {
  const int count = 16 / bytes;
  if (!layout.keeps_chunks(count) || layout.by_columns != down) return false;
  const int steps = layout.length() / count;
  // Then the places of lines and within them are those of the first chunks again, but for a shift.
  const int different = layout.ways == 1 ? banks::lanes / std::gcd(steps, banks::lanes) : banks::lanes;
  const int end = min(layout.lines(), different) * steps;
  for (int first = 0; first < end; first += banks::lanes) {
    const auto address = [&](int lane) {
      const int line = (first + lane) / steps, at = (first + lane) % steps * count;
      if (line >= layout.lines()) return -1;
      return bytes * (down ? layout.offset(at, line) : layout.offset(line, at));
    };
    if (banks::of(direction::store, 16, address).conflicts() > 0) return false;
  }
  return true;
}

/// True if the operand of a product is read without a conflict by register tiles and, in double, as the fragments of
/// tensor cores. `down`: its rows are the product's.
constexpr bool product_is_free(const scratch_layout& layout, int bytes, bool down) {
  const int wide = 16 / bytes, outer = down ? layout.rows : layout.cols, terms = down ? layout.cols : layout.rows;
  const bool along_terms = layout.by_columns != down, chunks = layout.keeps_chunks(wide);
  const auto is_free = [&](int width, int first, int term, const auto& outer_of, const auto& term_of) {
    const auto address = [&](int lane) {
      const int o = first + outer_of(lane), t = term + term_of(lane);
      return o >= outer || t >= terms ? -1 : bytes * (down ? layout.offset(o, t) : layout.offset(t, o));
    };
    return banks::of(direction::load, width, address).conflicts() == 0;
  };
  const auto none = [](int) { return 0; };
  // Threads l and l ^ 2 of 32 share one of eight outer indices: chunks of neighbouring ones, or chunks of terms.
  const auto of_eight = [](int lane) { return lane % 2 + lane / 8 * 2; };
  const auto chunk_of_eight = [&](int lane) { return of_eight(lane) * wide; };
  const int step = chunks && along_terms ? wide : 1;
  for (int line = 0; line < banks::lanes; line += step) {
    const bool ok = chunks && !along_terms ? is_free(16, 0, line, chunk_of_eight, none)
                                           : is_free(chunks ? 16 : bytes, 0, line, of_eight, none);
    if (!ok) return false;
    // Lane 4 g + q has outer index g of eight and term q of four.
    if (bytes == 8 && line % 4 == 0 && outer % 8 == 0 && terms % 4 == 0)
      for (int first = 0; first < 32; first += 8)
        if (!is_free(
                8, first, line, [](int lane) { return lane / 4; }, [](int lane) { return lane % 4; }))
          return false;
  }
  return true;
}

/// True if the layout serves an access to elements of `bytes` without a conflict, wherever in the tile it begins.
constexpr bool is_free(const scratch_layout& layout, int bytes, access how) {
  switch (how) {
    case access::read_rows:
    case access::write_rows:
      return steps_are_free(layout, bytes, false);
    case access::read_columns:
    case access::write_columns:
      return steps_are_free(layout, bytes, true);
    case access::copy_rows:
      return copies_are_free(layout, bytes, false);
    case access::copy_columns:
      return copies_are_free(layout, bytes, true);
    case access::multiply_rows:
      return product_is_free(layout, bytes, true);
    case access::multiply_columns:
      return product_is_free(layout, bytes, false);
  }
  return false;
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
    for (const int flip : {1, 16 / bytes, 32 / bytes})
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

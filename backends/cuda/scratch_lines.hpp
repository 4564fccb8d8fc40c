// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Where the elements of a stage lie in scratch.
#include <Kokkos_Macros.hpp>
#include <cstddef>

namespace abax::cuda {

/// Where the elements of a tile lie in scratch: lines Length + Padding apart. A line's elements change places in groups
/// of Flip, in one of Ways ways that change every `Every` lines, so that like places of near lines differ in banks.
template <int Length, int Padding = 0, int Flip = 0, int Ways = 1, int Every = 1>
struct scratch_lines {
  static_assert(Flip * (Ways - 1) < Length);
  static constexpr int ld = Length + Padding;
  static constexpr int period = Ways * Every;  // lines after which the places repeat
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int line, int i) { return line * ld + (i ^ flip(line)); }

  /// How far places of line `line` are exchanged.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int flip(int line) { return line / Every % Ways * Flip; }
  /// Elements that change places with each other alone.
  static constexpr int span = Flip == 0 ? Length : Ways * Flip;

  /// offset(line + lines, i) of `place`, which is offset(line, i), without a division of the line: where
  /// further_serves<Step>, line is one of the first Step, and lines a multiple of Step.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int further(int place, int lines) {
    return (place ^ flip(lines)) + lines * ld;
  }
  /// True where that holds for addresses, too, of lines of T that begin on a multiple of `alignment` bytes.
  template <class T>
  static constexpr bool flips_addresses(std::size_t alignment) {
    return Ways == 1 || (alignment % (sizeof(T) * span) == 0 && ld % span == 0);
  }
  template <int Step>
  static constexpr bool further_serves = [] {
    for (int line = 0; line < Step; ++line)
      for (int lines = 0; lines < Step * period; lines += Step)
        for (int i = 0; i < Length; ++i)
          if (further(offset(line, i), lines) != offset(line + lines, i)) return false;
    return true;
  }();
};

/// Lines that lanes read 16 bytes at a time, each down its own: of every 128 bytes the 16-byte chunks change places, so
/// that 8 lanes meet all banks. Padding would do that too, but a global line of 128 bytes must fall into one of
/// scratch: cut in two, it is fetched twice.
template <class T, int Length>
using exchanged_lines = scratch_lines<Length, 0, 16 / sizeof(T), 8>;

}  // namespace abax::cuda

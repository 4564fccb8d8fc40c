// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Where the elements of a stage lie in scratch.
#include <Kokkos_Macros.hpp>

namespace abax::cuda {

/// Where the elements of a tile lie in scratch: lines Length + Padding apart. A line's elements change places in groups
/// of Flip, in one of Ways ways that change every `Every` lines, so that like places of near lines differ in banks.
template <int Length, int Padding = 0, int Flip = 0, int Ways = 1, int Every = 1>
struct scratch_lines {
  static_assert(Flip * (Ways - 1) < Length);
  static constexpr int ld = Length + Padding;
  static constexpr int period = Ways * Every;  // lines after which the places repeat
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int line, int i) {
    return line * ld + (i ^ (line / Every % Ways * Flip));
  }

  /// offset(line + lines, i) of `place`, which is offset(line, i), without a division of the line: where
  /// further_serves<Step>, line is one of the first Step, and lines a multiple of Step.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int further(int place, int lines) {
    return (place ^ (lines / Every % Ways * Flip)) + lines * ld;
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

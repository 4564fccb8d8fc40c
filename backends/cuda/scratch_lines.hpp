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

  /// How far places of line `line` are exchanged, and how far its first one is from line 0's.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int flip(int line) { return line / Every % Ways * Flip; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int distance(int line) { return line * ld; }
  /// Elements that change places with each other alone.
  static constexpr int span = Flip == 0 ? Length : Ways * Flip;

  /// True where offset(line + lines, i) is (offset(line, i) ^ flip(lines)) + distance(lines) for any of the first Step
  /// lines and any multiple of Step.
  template <int Step>
  static constexpr bool further_serves = [] {
    for (int line = 0; line < Step; ++line)
      for (int lines = 0; lines < Step * period; lines += Step)
        for (int i = 0; i < Length; ++i)
          if ((offset(line, i) ^ flip(lines)) + distance(lines) != offset(line + lines, i)) return false;
    return true;
  }();
  /// True where that holds for addresses, too, of lines of T that begin on a multiple of `alignment` bytes.
  template <class T>
  static constexpr bool flips_addresses(std::size_t alignment) {
    return Ways == 1 || (alignment % (sizeof(T) * span) == 0 && ld % span == 0);
  }
};

/// Lines that lanes read 16 bytes at a time, each down its own: of every 128 bytes the 16-byte chunks change places, so
/// that 8 lanes meet all banks. Padding would do that too, but a global line of 128 bytes must fall into one of
/// scratch: cut in two, it is fetched twice.
template <class T, int Length>
using exchanged_lines = scratch_lines<Length, 0, 16 / sizeof(T), 8>;

/// `Outer` lines, seen across: line i here are the i-th elements of all of them. Accesses of several such lines at once
/// meet in banks.
template <class Lines, int Outer>
struct lines_across {
  static constexpr bool meet_in_banks = true;
  static constexpr int period = Lines::span;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int line, int i) { return Lines::offset(i, line); }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int flip(int line) { return line % Lines::span; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int distance(int line) { return line / Lines::span * Lines::span; }
  template <class T>
  static constexpr bool flips_addresses(std::size_t alignment) {
    return Lines::template flips_addresses<T>(alignment);
  }
  /// As scratch_lines has it.
  template <int Step>
  static constexpr bool further_serves = [] {
    for (int line = 0; line < Step; ++line)
      for (int lines = 0; lines < 2 * period; lines += Step)
        for (int i = 0; i < Outer; ++i)
          if ((offset(line, i) ^ flip(lines)) + distance(lines) != offset(line + lines, i)) return false;
    return true;
  }();
};

}  // namespace abax::cuda

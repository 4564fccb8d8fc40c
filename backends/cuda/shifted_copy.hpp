// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How a matrix whose lines begin anywhere reaches scratch 16 bytes at a time.
#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/backends/cuda/async_copy.hpp"
#include "abax/detail/tile/banks.hpp"

namespace abax::cuda {

/// One thread's part in copying the (Outer x Depth) tiles of an operand along its terms, as aligned chunks of 16 bytes:
/// a line begins in scratch as far behind a chunk's start as in memory. A line's first and last chunk, of which only a
/// part belongs to it, are copied by all threads, half a chunk each. (Copied element by element as a whole, each 128
/// bytes would be cut in two, and take four or two times the instructions.)
template <class T, int Outer, int Depth, int Threads>
class shifted_copy {
  static constexpr int wide = 16 / sizeof(T);
  static constexpr int chunks = Depth / wide, step = Threads / chunks, passes = Outer / step;
  static_assert(Threads % chunks == 0 && step * passes == Outer && Outer <= Threads);
  static_assert(step % wide == 0, "the lines of a thread are shifted alike");

 public:
  /// Where line `line` has its first chunk. Lanes that read down lines of their own, each shifted by one more, meet all
  /// banks: a line is one chunk longer than a multiple of 128 bytes, and each eight lines leave one out.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int start(int line) { return (line * (chunks + 1) + line / 8) * wide; }
  static constexpr int elements = (Outer * (chunks + 1) + (Outer - 1) / 8) * wide;

  /// How many elements behind its first chunk's start line `line` begins.
  KOKKOS_FORCEINLINE_FUNCTION static int shift(const tile::matrix<const T>& m, int line) {
    return shift(m.data + line * m.row_stride);
  }

  /// m: outer x k, whole along k; its outer extent may be short of Outer.
  KOKKOS_FORCEINLINE_FUNCTION shifted_copy(const tile::matrix<const T>& m, int thread)
      : along_(thread % chunks * wide),
        line_(thread / chunks),
        last_line_(thread),
        outer_(static_cast<int>(m.rows)),
        shift_(shift(m, line_)),
        last_shift_(shift(m, last_line_)),
        stride_(m.row_stride),
        from_(m.data + line_ * stride_ - shift_ + along_),
        last_from_(m.data + last_line_ * stride_ - last_shift_ + Depth) {}

  /// From here on terms begin at p, a multiple of a chunk's elements.
  KOKKOS_FORCEINLINE_FUNCTION void skip(index_t p) {
    from_ += p;
    last_from_ += p;
    at_begin_ = p == 0;
  }

  /// Starts copying the next Depth terms, of which `terms` exist; `following` exist behind them.
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* scratch, int terms, int following) {
    static_assert(
        tile::banks::free_of_conflicts(16, [](int l) { return sizeof(T) * (start(l / chunks) + l % chunks * wide); }));
    static_assert(tile::banks::free_of_conflicts(16, [](int l) { return sizeof(T) * (start(l % Outer) + Depth); }));
    const int exist = terms + following;
    if (along_ >= (at_begin_ ? shift_ : 0) && along_ + wide <= exist + shift_) {
#pragma unroll
      for (int i = 0; i < passes; ++i)
        if (const int line = line_ + i * step; line < outer_)
          copy_async<16>(scratch + start(line) + along_, from_ + i * step * stride_);
    }
    // What the shift has pushed out of a line's last chunk.
    if (terms + last_shift_ > Depth && exist + last_shift_ >= Depth + wide && last_line_ < outer_)
      copy_async<16>(scratch + start(last_line_) + Depth, last_from_);
    if (at_begin_) copy_ends<true>(scratch, terms, exist);
    if (following < wide) copy_ends<false>(scratch, terms, exist);
    at_begin_ = false;
    from_ += Depth;
    last_from_ += Depth;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static int shift(const T* line) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(line) / sizeof(T) % wide);
  }

  /// The chunks in which the lines begin, or the others in which they end, where these are not whole.
  template <bool First>
  KOKKOS_FORCEINLINE_FUNCTION void copy_ends(T* scratch, int terms, int exist) {
    constexpr int half = wide / 2;
    const T* const lines = last_from_ - Depth + last_shift_ - last_line_ * stride_;  // their next terms
#pragma unroll
    for (int n = 0; n < tile::ceil_div(2 * Outer, Threads); ++n) {
      const int e = last_line_ + n * Threads, line = e / 2;
      const T* const next = lines + line * stride_;
      const int before = shift(next), end = before + exist, chunk = First ? 0 : end / wide * wide;
      const int first = at_begin_ ? before : 0;
      const bool whole = First && first == 0 && end >= wide, done = !First && at_begin_ && chunk == 0;
      const bool go = line < outer_ && !whole && !done && chunk <= Depth && chunk < terms + before;
      const int i = chunk + e % 2 * half;
      const bool low = first <= i && i < end;
      const bool high = (half > 1) && first <= i + 1 && i + 1 < end;
      T* const to = scratch + start(line) + i;
      const T* const from = next - before + i;
      if constexpr (half > 1) copy_async_if<2 * sizeof(T)>(go && low && high, to, from);
      copy_async_if<sizeof(T)>(go && low != high, to + high, from + high);
    }
  }

  int along_, line_, last_line_, outer_, shift_, last_shift_;
  bool at_begin_ = true;  // of the lines
  index_t stride_;
  const T* from_;
  const T* last_from_;
};

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How a matrix that lies along its outer index, in lines that begin anywhere, reaches scratch 16 bytes at a time.
#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/backends/cuda/async_copy.hpp"

namespace abax::cuda {

/// One thread's part in copying the (Outer x Depth) tiles of an operand whose lines are terms, as aligned chunks of 16
/// bytes: a line begins in scratch as far behind a chunk's start as in memory. What lies around a line within its first
/// and last chunk comes with it, and is never used. An operand whose outer index is not contiguous comes element by
/// element to the same places, not shifted.
template <class T, int Outer, int Depth, int Threads>
class shifted_outer_copy {
  static constexpr int wide = 16 / sizeof(T);
  static constexpr int chunks = Outer / wide, step = Threads / chunks, passes = (Depth + step - 1) / step;
  static_assert(Threads % chunks == 0 && Threads % Outer == 0 && step % wide == 0 && Depth % wide == 0);

 public:
  static constexpr int ld = Outer + wide, elements = Depth * ld;

  /// How many elements behind its first chunk's start the line of term `line` begins; the same for terms `wide` apart.
  KOKKOS_FORCEINLINE_FUNCTION static int shift(const tile::matrix<const T>& m, int line) {
    if (m.row_stride != 1) return 0;
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(m.data + line * m.col_stride) / sizeof(T) % wide);
  }

  /// m: outer x k, whole along k; its outer extent may be short of Outer.
  KOKKOS_FORCEINLINE_FUNCTION shifted_outer_copy(const tile::matrix<const T>& m, int thread)
      : thread_(thread),
        line_(thread / chunks),
        shift_(shift(m, line_)),
        last_shift_(shift(m, thread)),
        next_(m),
        first_(m.data + tile::min<index_t>(0, (m.cols - 1) * m.col_stride)),
        end_(m.data + tile::max<index_t>(0, (m.cols - 1) * m.col_stride) + m.rows) {}

  /// From here on terms begin at p, a multiple of a chunk's elements.
  KOKKOS_FORCEINLINE_FUNCTION void skip(index_t p) { next_.data += p * next_.col_stride; }

  /// Starts copying the next Depth terms, of which `terms` exist.
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* scratch, int terms, int) {
    if (next_.row_stride == 1)
      copy_chunks(scratch, terms);
    else
      copy_elements(scratch, terms);
    next_.data += Depth * next_.col_stride;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void copy_chunks(T* scratch, int terms) const {
    const int along = thread_ % chunks * wide, rows = static_cast<int>(next_.rows);
    if (along < shift_ + rows) {
#pragma unroll
      for (int i = 0; i < passes; ++i)
        if (const int line = line_ + i * step; line < terms) copy_chunk(scratch, line, shift_, along);
    }
    // What the shift has pushed out of the lines' last chunks.
#pragma unroll
    for (int line = thread_; line < Depth; line += Threads) {
      const int shift = line == thread_ ? last_shift_ : shifted_outer_copy::shift(next_, line);
      if (line < terms && Outer < shift + rows) copy_chunk(scratch, line, shift, Outer);
    }
  }
  // Of a line that is shifted so, from `along` on; no element before or behind the operand's is touched.
  KOKKOS_FORCEINLINE_FUNCTION void copy_chunk(T* scratch, int line, int shift, int along) const {
    const T* const from = next_.data + line * next_.col_stride - shift + along;
    T* const to = scratch + line * ld + along;
    if (first_ <= from && from + wide <= end_) return copy_async<16>(to, from);
#pragma unroll
    for (int v = 0; v < wide; ++v)
      if (first_ <= from + v && from + v < end_) copy_async<sizeof(T)>(to + v, from + v);
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy_elements(T* scratch, int terms) const {
    const int outer = thread_ % Outer;
    if (outer >= next_.rows) return;
    for (int line = thread_ / Outer; line < terms; line += Threads / Outer)
      copy_async<sizeof(T)>(scratch + line * ld + outer, &next_(outer, line));
  }

  int thread_, line_, shift_, last_shift_;
  tile::matrix<const T> next_;  // from the next term on
  const T* first_;
  const T* end_;
};

}  // namespace abax::cuda

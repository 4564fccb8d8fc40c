// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Operands that reach scratch element by element are brought to the L2 cache first.
#include <bit>
#include <cstddef>
#include <type_traits>

#include "abax/detail/backends/cuda/access.hpp"

namespace abax::cuda {

/// Brings the 128 bytes around an element to L2, some time.
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] const void* global) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];\n" ::"l"(global));
#endif
}

/// One thread's part in prefetching an operand's (Outer x Depth) tiles, several stages before they are copied. A
/// multiprocessor has few narrow copies in flight at a time: with memory's latency they are too slow, with that of L2
/// they are not.
template <class T, along Direction, int Outer, int Depth, int Threads>
class stage_prefetch {
  static constexpr int line = 128 / sizeof(T);
  static constexpr bool by_outer = Direction == along::outer;
  static constexpr int lines = by_outer ? Depth : Outer;
  // A stage's lines of terms begin where the one before has ended; those of outer indices begin anywhere.
  static constexpr int touched = by_outer ? (Outer + line - 1) / line + 1 : (Depth + line - 1) / line;
  static constexpr int segments = static_cast<int>(std::bit_ceil(static_cast<unsigned>(touched)));
  static constexpr int step = Threads / segments, passes = (lines + step - 1) / step;
  static_assert(Threads % segments == 0);

 public:
  static constexpr int stages = 8;  ///< by which it is ahead

  /// m: outer x k, whole along k; its outer extent may be short of Outer.
  KOKKOS_FORCEINLINE_FUNCTION stage_prefetch(const tile::matrix<const T>& m, int thread)
      : line_(thread / segments),
        along_(thread % segments * line),
        outer_(static_cast<int>(m.rows)),
        from_(m.data + (by_outer ? tile::min<index_t>(along_, m.rows - 1) * m.row_stride + line_ * m.col_stride
                                 : line_ * m.row_stride + along_ * m.col_stride)),
        pass_stride_(step * (by_outer ? m.col_stride : m.row_stride)),
        stage_stride_(Depth * m.col_stride) {}

  /// The terms from `begin` to `end` are to come.
  KOKKOS_FORCEINLINE_FUNCTION void start(index_t begin, index_t end) {
    from_ += begin * (stage_stride_ / Depth);
    left_ = static_cast<int>(tile::min<index_t>(end - begin, 1 << 30));
#pragma unroll 1
    for (int s = 0; s < stages; ++s) next();
  }
  /// The next stage.
  KOKKOS_FORCEINLINE_FUNCTION void next() {
    const int exist = by_outer ? left_ : along_ < left_ ? outer_ : 0;
#pragma unroll
    for (int i = 0; i < passes; ++i)
      if (line_ + i * step < exist) prefetch(from_ + i * pass_stride_);
    from_ += stage_stride_;
    left_ -= Depth;
  }

 private:
  int line_, along_, outer_, left_ = 0;
  const T* from_;
  index_t pass_stride_, stage_stride_;
};

/// Where it is not needed.
struct no_prefetch {
  template <class Matrix>
  KOKKOS_FORCEINLINE_FUNCTION no_prefetch(const Matrix&, int) {}
  KOKKOS_FORCEINLINE_FUNCTION void start(index_t, index_t) {}
  KOKKOS_FORCEINLINE_FUNCTION void next() {}
};

/// Of an operand that is copied Width elements at a time.
template <class T, along Direction, int Width, int Outer, int Depth, int Threads>
using prefetch_type = std::conditional_t<Width == 1, stage_prefetch<T, Direction, Outer, Depth, Threads>, no_prefetch>;

}  // namespace abax::cuda

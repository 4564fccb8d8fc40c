// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How one operand of a product reaches scratch, stage by stage.
#include <cstdint>

#include "backends/cuda/async_copy.hpp"
#include "tile/matrix.hpp"

namespace abax::cuda {

/// Which index of an operand runs along memory. The outer index is m for A and n for B.
enum class along { outer, terms };

/// Where term q of line `line` lies in scratch lines that lanes read 16 bytes at a time, each down its own line: the 16-byte
/// chunks of every 128 bytes are exchanged by an XOR with the line's number, so that 8 lanes meet all banks. Padding
/// would do that too, but a global line of 128 bytes must fall into one of scratch: cut in two, it is fetched twice.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr int exchanged(int line, int q) {
  return q ^ (line % 8 * static_cast<int>(16 / sizeof(T)));
}

/// `Count` consecutive elements moved as one access of up to 16 bytes.
template <class T, int Count>
struct alignas(sizeof(T) * Count > 16 ? 16 : sizeof(T) * Count) pack {
  T element[Count];
};

/// The `count` elements of `from`, aligned to 16 bytes, added to `sum` in ascending order. Read a group ahead, so that the
/// additions follow one another at their own latency.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T add_in_order(T sum, const T* from, int count) {
  constexpr int wide = 16 / sizeof(T), packs = 4, group = packs * wide;
  struct terms {
    pack<T, wide> at[packs];

    KOKKOS_FORCEINLINE_FUNCTION void load(const T* from) {
#pragma unroll
      for (int g = 0; g < packs; ++g) at[g] = reinterpret_cast<const pack<T, wide>*>(from)[g];
    }
    KOKKOS_FORCEINLINE_FUNCTION T added_to(T sum) const {
#pragma unroll
      for (int g = 0; g < packs; ++g)
#pragma unroll
        for (int v = 0; v < wide; ++v) sum = sum + at[g].element[v];
      return sum;
    }
  };
  int b = 0;
  if (count >= group) {
    terms even, odd;
    even.load(from);
    for (; b + 3 * group <= count; b += 2 * group) {
      odd.load(from + b + group);
      sum = even.added_to(sum);
      even.load(from + b + 2 * group);
      sum = odd.added_to(sum);
    }
    sum = even.added_to(sum);
    b += group;
  }
  for (; b < count; ++b) sum = sum + from[b];
  return sum;
}

/// True where accesses of 16 bytes along `Direction` are aligned.
template <class T>
bool wide_access(const T* data, index_t contiguous_stride, index_t other_stride) {
  constexpr index_t count = 16 / sizeof(T);
  return contiguous_stride == 1 && other_stride % count == 0 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

/// The stages still to be fetched: all of Depth terms but the last.
template <int Depth>
struct stages_to_fetch {
  int left = 0, last_terms = 0;

  KOKKOS_FORCEINLINE_FUNCTION void start(index_t begin, index_t end) {
    left = static_cast<int>((end - begin + Depth - 1) / Depth);
    last_terms = static_cast<int>(end - begin - index_t(left - 1) * Depth);
  }
  KOKKOS_FORCEINLINE_FUNCTION int terms() const { return left > 1 ? Depth : last_terms; }
};

/// One thread's part in copying the (outer x terms) tiles of an operand: lanes run along `Direction`, each moving
/// `Width` elements; a pass of the team covers `step` lines, `passes` passes make a tile.
template <class T, along Direction, int Width, int Outer, int Depth, int Threads>
class operand {
  static constexpr int line = (Direction == along::outer ? Outer : Depth) / Width;  // threads along a line
  static constexpr int step = Threads / line;

 public:
  static constexpr int passes = (Direction == along::outer ? Depth : Outer) / step;
  static_assert(Threads % line == 0 && step * passes == (Direction == along::outer ? Depth : Outer));

  /// m: outer x k, whole along k; its outer extent may be short of Outer.
  KOKKOS_FORCEINLINE_FUNCTION operand(const tile::matrix<const T>& m, int thread)
      : along_(thread % line * Width),
        across_(thread / line),
        from_(m.data + (Direction == along::outer ? along_ * m.row_stride + across_ * m.col_stride
                                                  : across_ * m.row_stride + along_ * m.col_stride)),
        pass_stride_(step * (Direction == along::outer ? m.col_stride : m.row_stride)),
        term_stride_(m.col_stride),
        outer_(static_cast<int>(m.rows)) {}

  /// From here on terms begin at p.
  KOKKOS_FORCEINLINE_FUNCTION void skip(index_t p) { from_ += p * term_stride_; }

  /// Starts copying the next Depth terms, of which `terms` exist, as they lie: (outer contiguous) to scratch[term][outer], or (terms
  /// contiguous) to scratch[outer][term]; lines Ld apart. Exchanged: their chunks as exchanged() says.
  template <int Ld, bool Exchanged = false>
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* scratch, int terms) {
    const T* const from = from_;
    from_ += Depth * term_stride_;
    const int limit = Direction == along::outer ? outer_ : terms;  // along a line
    const int lines = Direction == along::outer ? terms : outer_;
    const int valid = tile::max(tile::min(limit - along_, Width), 0) * static_cast<int>(sizeof(T));
    if (valid == 0) return;
#pragma unroll
    for (int i = 0; i < passes; ++i)
      if (const int at = across_ + i * step; at < lines)
        copy_async<Width * sizeof(T)>(scratch + at * Ld + (Exchanged ? exchanged<T>(at, along_) : along_),
                                      from + i * pass_stride_, valid);
  }

  /// A tile in registers on its way to a transposed place: fetch() starts the loads, land() stores them.
  struct in_flight {
    pack<T, Width> lines[passes];
  };
  KOKKOS_FORCEINLINE_FUNCTION void fetch(in_flight& to, int terms) {
    static_assert(Direction == along::terms);
    const T* const from = from_;
    from_ += Depth * term_stride_;
    if (along_ + Width <= terms) {
#pragma unroll
      for (int i = 0; i < passes; ++i)
        if (across_ + i * step < outer_)
          to.lines[i] = *reinterpret_cast<const pack<T, Width>*>(from + i * pass_stride_);
    } else {
#pragma unroll
      for (int i = 0; i < passes; ++i)
#pragma unroll
        for (int v = 0; v < Width; ++v)
          if (across_ + i * step < outer_ && along_ + v < terms)
            to.lines[i].element[v] = from[i * pass_stride_ + v * term_stride_];
    }
  }
  /// scratch[term][outer], lines Ld apart.
  template <int Ld>
  KOKKOS_FORCEINLINE_FUNCTION void land(const in_flight& from, T* scratch) const {
#pragma unroll
    for (int i = 0; i < passes; ++i)
#pragma unroll
      for (int v = 0; v < Width; ++v) scratch[(along_ + v) * Ld + across_ + i * step] = from.lines[i].element[v];
  }

 private:
  int along_, across_;
  const T* from_;
  index_t pass_stride_, term_stride_;
  int outer_;
};

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How one operand of a product reaches scratch, stage by stage.
#include <cstdint>
#include <type_traits>

#include "backends/cuda/async_copy.hpp"
#include "tile/banks.hpp"
#include "tile/matrix.hpp"

namespace abax::cuda {

/// What a team of a matrix product is told beside its problem.
struct product_parameters {
  bool several_blocks;  // of the canon along k: there is a total
};

/// Which index of an operand runs along memory. The outer index is m for A and n for B.
enum class along { outer, terms };

/// `Count` consecutive elements moved as one access of up to 16 bytes.
template <class T, int Count>
struct alignas(sizeof(T) * Count > 16 ? 16 : sizeof(T) * Count) pack {
  T element[Count];
};

/// 16 bytes from registers to global memory that is aligned to them, in one access: left to itself, the compiler may
/// take them apart, and a transpose then loses a quarter of its speed.
KOKKOS_FORCEINLINE_FUNCTION void store_chunk([[maybe_unused]] float* to, [[maybe_unused]] const pack<float, 4>& from) {
#ifdef __CUDA_ARCH__
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};\n" ::"l"(__cvta_generic_to_global(to)), "f"(from.element[0]),
               "f"(from.element[1]), "f"(from.element[2]), "f"(from.element[3])
               : "memory");
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void store_chunk([[maybe_unused]] double* to,
                                             [[maybe_unused]] const pack<double, 2>& from) {
#ifdef __CUDA_ARCH__
  asm volatile("st.global.v2.f64 [%0], {%1, %2};\n" ::"l"(__cvta_generic_to_global(to)), "d"(from.element[0]),
               "d"(from.element[1])
               : "memory");
#endif
}

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

/// Starts copying the first `exist` of Width elements, if `go`, by parts where not all exist and without a branch. They lie
/// on a multiple of their bytes. A copy with a size reads no more than that either, but tools that watch memory take it for
/// one of all its bytes.
template <int Width, class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_chunk_if(bool go, T* scratch, const T* global, int exist) {
  static_assert(Width == 1 || Width == 2 || Width == 4);
  copy_async_if<Width * sizeof(T)>(go && exist >= Width, scratch, global);
  const bool part = go && 0 < exist && exist < Width;
  if constexpr (Width == 4) copy_async_if<2 * sizeof(T)>(part && (exist & 2), scratch, global);
  if constexpr (Width > 1) copy_async_if<sizeof(T)>(part && (exist & 1), scratch + (exist & 2), global + (exist & 2));
}

/// True where accesses of 16 bytes along an index are aligned.
template <class T>
KOKKOS_INLINE_FUNCTION bool wide_access(const T* data, index_t contiguous_stride, index_t other_stride) {
  constexpr index_t count = 16 / sizeof(T);
  return contiguous_stride == 1 && other_stride % count == 0 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

/// Lines that 32 bits can be counted across, and the largest stride between them.
inline constexpr int near_lines = 128;
inline constexpr index_t near_stride = (index_t(1) << 31) / near_lines;
/// A stride of a gemm's tiles: those of 16-byte accesses are near, which their callers see to.
template <int Width>
using tile_stride = std::conditional_t<(Width > 1), int, index_t>;

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

/// The same for a loop that does not branch: how many terms of the next stage there are, none after the last.
template <int Depth>
struct terms_to_fetch {
  int stages = 0, last = 0;

  KOKKOS_FORCEINLINE_FUNCTION void start(index_t begin, index_t end) {
    stages = static_cast<int>((end - begin + Depth - 1) / Depth);
    last = static_cast<int>(end - begin - index_t(stages - 1) * Depth);
  }
  KOKKOS_FORCEINLINE_FUNCTION int take() {
    const int terms = stages > 1 ? Depth : stages == 1 ? last : 0;
    --stages;
    return terms;
  }
};

/// The same, told apart: `whole` stages in which nothing of the tile is missing come first and are fetched without a
/// branch, in the midst of arithmetic; the others at leisure.
template <int Depth>
struct tile_stages {
  int whole = 0;
  bool taken = false;  // the last fetch was of a whole stage
  stages_to_fetch<Depth> rest;

  KOKKOS_FORCEINLINE_FUNCTION void start(index_t begin, index_t end, bool whole_tile) {
    whole = whole_tile ? static_cast<int>((end - begin) / Depth) : 0;
    rest.start(begin + index_t(whole) * Depth, end);
  }
  /// True if there is another whole stage, which is then to be fetched.
  KOKKOS_FORCEINLINE_FUNCTION bool take() {
    taken = whole > 0;
    whole -= taken;
    return taken;
  }
  /// If take() had none, fetch(terms) for another stage, if there is one.
  template <class Fetch>
  KOKKOS_FORCEINLINE_FUNCTION void make_up(const Fetch& fetch) {
    if (taken || rest.left <= 0) [[likely]]
      return;
    const int terms = rest.terms();
    --rest.left;
    fetch(terms);
  }
};

/// Where the elements of a tile lie in scratch: lines Length + Padding apart. A line's elements change places in groups
/// of Flip, in one of Ways ways that change every `Every` lines, so that like places of near lines differ in banks.
template <int Length, int Padding = 0, int Flip = 0, int Ways = 1, int Every = 1>
struct layout {
  static_assert(Flip * (Ways - 1) < Length);
  static constexpr int ld = Length + Padding;
  static constexpr int period = Ways * Every;  // lines after which the places repeat
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(int line, int i) {
    return line * ld + (i ^ (line / Every % Ways * Flip));
  }
};

/// Lines that lanes read 16 bytes at a time, each down its own: of every 128 bytes the 16-byte chunks change places, so
/// that 8 lanes meet all banks. Padding would do that too, but a global line of 128 bytes must fall into one of scratch:
/// cut in two, it is fetched twice.
template <class T, int Length>
using exchanged_lines = layout<Length, 0, 16 / sizeof(T), 8>;

/// One thread's part in copying the (outer x terms) tiles of an operand by cp.async, as they lie: lanes run along
/// `Direction`, each moving `Width` elements; a pass of the team covers `step` lines, `passes` passes make a tile. Stride:
/// what holds the distance of two lines of a tile.
template <class T, along Direction, int Width, int Outer, int Depth, int Threads, class Stride = index_t>
class operand {
  static constexpr int lanes = (Direction == along::outer ? Outer : Depth) / Width;  // threads along a line
  static constexpr int lines = Direction == along::outer ? Depth : Outer;
  static constexpr int step = Threads / lanes;

 public:
  static constexpr int passes = lines / step;
  static_assert(Threads % lanes == 0 && step * passes == lines);
  static_assert(sizeof(Stride) == 8 || lines <= near_lines);

  /// m: outer x k, whole along k; its outer extent may be short of Outer. In place of what is missing, something that
  /// is there is read: it reaches only outputs that are missing, too.
  KOKKOS_FORCEINLINE_FUNCTION operand(const tile::matrix<const T>& m, int thread)
      : along_(thread % lanes * Width),
        across_(thread / lanes),
        outer_(static_cast<int>(m.rows)),
        last_pass_(Direction == along::outer || across_ >= outer_ ? 0 : (outer_ - 1 - across_) / step),
        from_(m.data + (Direction == along::outer
                            ? (along_ < outer_ ? along_ : 0) * m.row_stride + across_ * m.col_stride
                            : (across_ < outer_ ? across_ : 0) * m.row_stride + along_ * m.col_stride)),
        pass_stride_(static_cast<Stride>(step * (Direction == along::outer ? m.col_stride : m.row_stride))),
        term_stride_(m.col_stride) {}

  /// From here on terms begin at p.
  KOKKOS_FORCEINLINE_FUNCTION void skip(index_t p) { from_ += p * term_stride_; }

  /// True where no access of a whole stage would be in part outside.
  KOKKOS_FORCEINLINE_FUNCTION bool whole() const { return Direction == along::terms || outer_ % Width == 0; }

  /// Starts copying the next Depth terms; all of them exist. (Outer contiguous) lines are terms, (terms contiguous) lines
  /// are outer indices.
  template <class Layout>
  KOKKOS_FORCEINLINE_FUNCTION void copy_whole(T* scratch) {
#pragma unroll
    for (int i = 0; i < passes; ++i) copy_async<Width * sizeof(T)>(place<Layout>(scratch, i), from_ + pass(i));
    from_ += Depth * term_stride_;
  }
  /// The same where only `terms` exist, and perhaps not all outer indices; no access is in part outside. Without a branch:
  /// it can be issued amid arithmetic, and a loop around it stays a single run of code, over whose end the tensor cores
  /// need not run dry. Nor with a size: the compiler computes an address of its own for every copy that has one.
  template <class Layout>
  KOKKOS_FORCEINLINE_FUNCTION void copy_existing(T* scratch, int terms) {
    constexpr bool by_terms = Direction == along::terms;
    const int last = !by_terms ? terms - 1 - across_ : along_ < terms ? last_pass_ : -1;
#pragma unroll
    for (int i = 0; i < passes; ++i)
      copy_async_if<Width * sizeof(T)>((by_terms ? i : i * step) <= last, place<Layout>(scratch, i),
                                       from_ + i * pass_stride_);
    from_ += by_terms ? Depth * (Width > 1 ? 1 : term_stride_) : passes * pass_stride_;
  }
  /// The same where only `terms` exist, and perhaps not all outer indices. Lines that do not exist are not written.
  template <class Layout>
  KOKKOS_FORCEINLINE_FUNCTION void copy_part(T* scratch, int terms) {
    const T* const from = from_;
    from_ += Depth * term_stride_;
    const int limit = Direction == along::outer ? outer_ : terms;  // along a line
    const int exist = Direction == along::outer ? terms : outer_;
#pragma unroll
    for (int i = 0; i < passes; ++i)
      copy_chunk_if<Width>(across_ + i * step < exist, scratch + Layout::place(across_ + i * step, along_),
                           from + i * pass_stride_, limit - along_);
  }
  /// The same for loops that have nothing else to do: lines that do not exist are not written.
  template <class Layout>
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* scratch, int terms) {
    static_assert(free_of_conflicts<Layout>());
    const T* const from = from_;
    from_ += Depth * term_stride_;
    const int limit = Direction == along::outer ? outer_ : terms;  // along a line
    const int exist = Direction == along::outer ? terms : outer_;
    if (Width == 1 || limit % Width == 0) {
      if (along_ >= limit) return;
#pragma unroll
      for (int i = 0; i < passes; ++i)
        if (const int at = across_ + i * step; at < exist)
          copy_async<Width * sizeof(T)>(scratch + Layout::place(at, along_), from + i * pass_stride_);
    } else {
#pragma unroll
      for (int i = 0; i < passes; ++i)
        copy_chunk_if<Width>(across_ + i * step < exist, scratch + Layout::place(across_ + i * step, along_),
                             from + i * pass_stride_, limit - along_);
    }
  }

 private:
  // A warp's copies.
  template <class Layout>
  static constexpr bool free_of_conflicts() {
    return tile::banks::free_of_conflicts(
        Width * sizeof(T), [](int lane) { return sizeof(T) * Layout::place(lane / lanes, lane % lanes * Width); });
  }
  // Where this thread's part of pass i goes.
  template <class Layout>
  KOKKOS_FORCEINLINE_FUNCTION T* place(T* scratch, int i) const {
    static_assert(free_of_conflicts<Layout>());
    if constexpr (step % Layout::period == 0)
      return scratch + Layout::place(across_, along_) + i * step * Layout::ld;
    else
      return scratch + Layout::place(across_ + i * step, along_);
  }
  KOKKOS_FORCEINLINE_FUNCTION index_t pass(int i) const {
    return (Direction == along::outer ? i : tile::min(i, last_pass_)) * pass_stride_;
  }

  int along_, across_, outer_, last_pass_;
  const T* from_;
  Stride pass_stride_;
  index_t term_stride_;
};

/// One thread's part in turning tiles of an operand that lies along its terms into scratch lines along its outer index.
/// The way leads through registers: fetch() starts the loads of a tile, land() stores it. Two neighbouring lanes take
/// the two halves of 8 terms, 16 outer indices make a warp.
template <class T, int Width, int Outer, int Depth, int Threads>
class transposed_operand {
  static constexpr int count = 4, pairs = Threads / 2;
  static constexpr int outer_step = tile::min(pairs, Outer), outer_passes = Outer / outer_step;
  static constexpr int term_step = 2 * count * (pairs / outer_step), term_passes = Depth / term_step;
  static_assert(outer_step * outer_passes == Outer && term_step * term_passes == Depth && outer_passes <= 2);

 public:
  KOKKOS_FORCEINLINE_FUNCTION transposed_operand(const tile::matrix<const T>& m, int thread)
      : term_((thread % 2 + 2 * (thread / (2 * outer_step))) * count),
        line_(thread / 2 % outer_step),
        outer_(static_cast<int>(m.rows)),
        from_(m.data + (line_ < outer_ ? line_ : 0) * m.row_stride + term_),
        pass_stride_(line_ + outer_step < outer_ ? outer_step * m.row_stride : 0) {}

  KOKKOS_FORCEINLINE_FUNCTION void skip(index_t p) { from_ += p; }

  KOKKOS_FORCEINLINE_FUNCTION bool whole() const { return true; }

  /// Loads the next Depth terms; all of them exist.
  KOKKOS_FORCEINLINE_FUNCTION void fetch() {
#pragma unroll
    for (int i = 0; i < outer_passes; ++i)
#pragma unroll
      for (int j = 0; j < term_passes; ++j) {
        const T* const at = from_ + i * pass_stride_ + j * term_step;
        if constexpr (Width > 1) {
          held_[i][j] = *reinterpret_cast<const pack<T, count>*>(at);
        } else {
#pragma unroll
          for (int v = 0; v < count; ++v) held_[i][j].element[v] = at[v];
        }
      }
    from_ += Depth;
  }
  /// The same where only `terms` exist, and perhaps not all outer indices.
  KOKKOS_FORCEINLINE_FUNCTION void fetch_part(int terms) {
    const T* const from = from_;
    from_ += Depth;
#pragma unroll
    for (int i = 0; i < outer_passes; ++i)
#pragma unroll
      for (int j = 0; j < term_passes; ++j)
#pragma unroll
        for (int v = 0; v < count; ++v)
          if (line_ + i * outer_step < outer_ && term_ + j * term_step + v < terms)
            held_[i][j].element[v] = from[i * pass_stride_ + j * term_step + v];
  }

  /// Stores one of `parts` parts of the tile to scratch[term][outer], lines Layout::ld apart.
  template <class Layout>
  KOKKOS_FORCEINLINE_FUNCTION void land(T* scratch, int part, int parts) const {
    static_assert(tile::banks::free_of_conflicts(
        sizeof(T), [](int lane) { return sizeof(T) * Layout::place(lane % 2 * count, lane / 2); }));
    T* const to = scratch + Layout::place(term_, line_);
#pragma unroll
    for (int i = 0; i < outer_passes; ++i)
#pragma unroll
      for (int j = 0; j < term_passes; ++j)
        if ((i * term_passes + j) * parts / (outer_passes * term_passes) == part) {
#pragma unroll
          for (int v = 0; v < count; ++v)
            to[(j * term_step + v) * Layout::ld + i * outer_step] = held_[i][j].element[v];
        }
  }

 private:
  int term_, line_, outer_;
  const T* from_;
  index_t pass_stride_;  // 0 where the second pass has nothing to read
  pack<T, count> held_[outer_passes][term_passes] = {};
};

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How one operand of a product reaches scratch, stage by stage.
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/backends/cuda/async_copy.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/tile/banks.hpp"

namespace abax::cuda {

/// One thread's part in copying the (outer x terms) tiles of an operand by cp.async, as they lie: lanes run along
/// `Direction`, each moving `Width` elements; a pass of the team covers `step` lines, `passes` passes make a tile.
/// Stride: what holds the distance of two lines of a tile.
template <class T, along Direction, int Width, int Outer, int Depth, int Threads, class Stride = index_t>
class tile_copy {
  // Threads along a line, of which those copy nothing that are too many.
  static constexpr int lanes = std::bit_ceil(unsigned((Direction == along::outer ? Outer : Depth) / Width));
  static constexpr int lines = Direction == along::outer ? Depth : Outer;
  static constexpr int step = Threads / lanes;

 public:
  static constexpr int passes = lines / step;
  static_assert(Threads % lanes == 0 && step * passes == lines);
  static_assert(sizeof(Stride) == 8 || lines <= near_lines);

  /// m: outer x k, whole along k; its outer extent may be short of Outer. Terms follow one another where `Direction` is
  /// along them. In place of what is missing, something that is there is read, or nothing: it reaches only outputs that
  /// are missing, too.
  KOKKOS_FORCEINLINE_FUNCTION tile_copy(const tile::matrix<const T>& m, int thread)
      : along_(thread % lanes * Width),
        across_(step == 1 ? 0 : thread / lanes),  // all threads share a line: a constant, so that none is divided
        outer_(static_cast<int>(m.rows)),
        last_(Direction == along::outer ? (along_ < outer_ ? 0 : -lines) - 1 - across_
              : across_ < outer_        ? (outer_ - 1 - across_) / step
                                        : -1),
        from_(m.data + (Direction == along::outer
                            ? (along_ < outer_ ? along_ : 0) * m.row_stride + across_ * m.col_stride
                            : (across_ < outer_ ? across_ : 0) * m.row_stride + along_ * m.col_stride)),
        pass_stride_(static_cast<Stride>(step * (Direction == along::outer ? m.col_stride : m.row_stride))),
        term_stride_(m.col_stride) {}

  /// From here on terms begin at p.
  KOKKOS_FORCEINLINE_FUNCTION void skip(index_t p) { from_ += p * term_stride_; }

  /// (Outer contiguous) true where no access of a whole stage would be in part outside.
  KOKKOS_FORCEINLINE_FUNCTION bool whole() const { return outer_ % Width == 0; }

  /// (Outer contiguous) starts copying the next Depth terms; all of them exist. Asks: threads whose outer indices do
  /// not exist copy nothing. Else they all read the first one, which takes several times as long as copying a whole
  /// tile.
  template <class Lines, bool Asks>
  KOKKOS_FORCEINLINE_FUNCTION void copy_whole(T* scratch) {
    static_assert(Direction == along::outer && (Asks || lanes * Width == Outer));
    copy_passes<Lines>(scratch, [this](int) { return !Asks || along_ < outer_; });
  }
  /// Starts copying the next Depth terms, of which only `terms` exist, and perhaps not all outer indices; no access is
  /// in part outside. Lines are terms (outer contiguous) or outer indices (terms contiguous). Without a branch: it can
  /// be issued amid arithmetic, and a loop around it stays a single basic block, at whose end the tensor cores need not
  /// idle. Nor with a size: the compiler computes an address of its own for every copy that has one. Complex elements
  /// go as they are, or, to scratch of their parts' type, the parts apart.
  template <class Lines, class To>
  KOKKOS_FORCEINLINE_FUNCTION void copy_existing(To* scratch, int terms) {
    constexpr bool by_terms = Direction == along::terms;
    const int last = !by_terms ? terms + last_ : along_ < terms ? last_ : -1;
    if constexpr (std::is_same_v<To, T>) {
      copy_passes<Lines>(scratch, [last](int i) { return (by_terms ? i : i * step) <= last; });
    } else {
      copy_parts<Lines>(shared_address(place<Lines>(scratch)), last, std::make_integer_sequence<int, passes>());
      from_ += by_terms ? Depth : passes * pass_stride_;
    }
  }
  /// Where this thread's copies of complex elements to scratch of parts have arrived, conjugates them. What it has not
  /// copied reaches only outputs that are missing.
  template <class Lines, class Real>
  KOKKOS_FORCEINLINE_FUNCTION void conjugate(Real* scratch) const {
    static_assert(lanes * Width == (Direction == along::outer ? Outer : Depth) && step % Lines::period == 0);
    for_each_pass([&](int i) {
      Real& im = place<Lines>(scratch)[i * step * Lines::ld + Lines::to_imaginary];
      im = -im;
    });
  }
  /// Starts copying the next Depth terms, whatever exists: neither lines nor elements that do not exist are written.
  template <class Lines>
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* scratch, int terms) {
    if (Width > 1 && (Direction == along::outer ? outer_ : terms) % Width != 0)
      copy_part<Lines>(scratch, terms);
    else
      copy_existing<Lines>(scratch, terms);
  }
  /// The same where accesses may be in part outside.
  template <class Lines>
  KOKKOS_FORCEINLINE_FUNCTION void copy_part(T* scratch, int terms) {
    const T* const from = from_;
    from_ += Depth * term_stride_;
    const int limit = Direction == along::outer ? outer_ : terms;  // along a line
    const int exist = Direction == along::outer ? terms : outer_;
    for_each_pass([&](int i) {
      copy_chunk_if<Width>(across_ + i * step < exist, scratch + Lines::offset(across_ + i * step, along_),
                           from + i * pass_stride_, limit - along_);
    });
  }

 private:
  template <class Atom>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_pass(const Atom& atom) {
#pragma unroll
    for (int i = 0; i < passes; ++i) atom(i);
  }
  // Copies of the next Depth terms, pass i where exists(i). One address in scratch serves all passes.
  template <class Lines, class Exists>
  KOKKOS_FORCEINLINE_FUNCTION void copy_passes(T* scratch, const Exists& exists) {
    const T* const end =
        copy_passes<Lines>(fixed_address(place<Lines>(scratch)), exists, std::make_integer_sequence<int, passes>());
    from_ = Direction == along::terms ? from_ + Depth : end;
  }
  template <class Lines, class Exists, int... Pass>
  KOKKOS_FORCEINLINE_FUNCTION const T* copy_passes(std::uint32_t first, const Exists& exists,
                                                   std::integer_sequence<int, Pass...>) const {
    const index_t stride = index_t(sizeof(T)) * pass_stride_;
    if constexpr (passes <= 4) {  // few distances, held in registers: no address waits for another
      (copy_pass<Lines, Pass>(exists(Pass), first, Pass == 0 ? from_ : further_by(from_, Pass * stride)), ...);
      return further_by(from_, passes * stride);
    } else {
      const T* from = from_;
      ((copy_pass<Lines, Pass>(exists(Pass), first, from), from = further_by(from, stride)), ...);
      return from;
    }
  }
  template <class Lines, int Pass>
  KOKKOS_FORCEINLINE_FUNCTION static void copy_pass(bool go, std::uint32_t first, const T* from) {
    constexpr int lines = Pass * step;
    static_assert(Lines::template further_serves<step> && Lines::template flips_addresses<T>(scratch_slack));
    copy_async_if<Width * sizeof(T), int(sizeof(T)) * Lines::distance(lines), 0>(
        go, first ^ (std::uint32_t(sizeof(T)) * Lines::flip(lines)), from);
  }
  // copy_existing() for scratch of parts, where pass 0 goes to `first`.
  template <class Lines, int... Pass>
  KOKKOS_FORCEINLINE_FUNCTION void copy_parts(std::uint32_t first, int last,
                                              std::integer_sequence<int, Pass...>) const {
    static_assert(Width == 1 && step % Lines::period == 0);
    constexpr int bytes = sizeof(tile::real_of<T>);
    const T* from[passes];
    for_each_pass([&](int i) { from[i] = i == 0 ? from_ : from[i - 1] + pass_stride_; });
    // The compiler makes a branch of two copies in a row under one condition, so real parts are a pass ahead.
    const auto copy = [&]<int I, bool Imaginary>(std::integral_constant<int, I>, std::bool_constant<Imaginary>) {
      if constexpr (I >= 0) {
        constexpr int to = bytes * (I * step * Lines::ld + (Imaginary ? Lines::to_imaginary : 0));
        copy_async_if<bytes, to, Imaginary ? bytes : 0>((Direction == along::terms ? I : I * step) <= last, first,
                                                        from[I]);
      }
    };
    ((copy(std::integral_constant<int, Pass>(), std::false_type()),
      copy(std::integral_constant<int, Pass - 1>(), std::true_type())),
     ...);
    copy(std::integral_constant<int, passes - 1>(), std::true_type());
  }
  // A warp's copies.
  template <class Lines, class To = T>
  static constexpr bool free_of_conflicts() {
    return tile::banks::free_of_conflicts(
        Width * sizeof(To), [](int lane) { return sizeof(To) * Lines::offset(lane / lanes, lane % lanes * Width); });
  }
  // Where this thread's part of the first pass goes.
  template <class Lines, class To>
  KOKKOS_FORCEINLINE_FUNCTION To* place(To* scratch) const {
    static_assert(requires { Lines::meet_in_banks; } || free_of_conflicts<Lines, To>());
    return scratch + Lines::offset(across_, along_);
  }

  int along_, across_, outer_;
  // (Terms contiguous) the last pass that has a line, or -1; (outer contiguous) the last line to copy, counted from
  // this thread's first, less the number of terms: with any number below 0 where the thread's outer indices do not
  // exist.
  int last_;
  const T* from_;
  Stride pass_stride_;
  index_t term_stride_;
};

/// The same element by element to lines that are terms, whichever index runs along the operand's memory: one kernel for
/// both. Where its terms do, lanes that run along a line store to neighbouring lines of scratch, which therefore are an
/// odd number of elements apart.
template <class T, int Outer, int Depth, int Threads>
class either_copy {
  static constexpr int passes = Outer * Depth / Threads;
  static_assert(Threads % Outer == 0 && Threads % Depth == 0 && passes * Threads == Outer * Depth);

 public:
  KOKKOS_FORCEINLINE_FUNCTION either_copy(const tile::matrix<const T>& m, int thread)
      : by_terms_(m.row_stride != 1 && m.col_stride == 1),
        outer_(by_terms_ ? thread / Depth : thread % Outer),
        term_(by_terms_ ? thread % Depth : thread / Outer),
        step_(Threads / (by_terms_ ? Depth : Outer)),
        lines_left_(static_cast<int>(m.rows) - outer_),
        from_(m.data + outer_ * m.row_stride + term_ * m.col_stride),
        pass_stride_(step_ * (by_terms_ ? m.row_stride : m.col_stride)),
        term_stride_(m.col_stride) {}

  KOKKOS_FORCEINLINE_FUNCTION void skip(index_t p) { from_ += p * term_stride_; }

  template <class Lines>
  KOKKOS_FORCEINLINE_FUNCTION void copy_existing(T* scratch, int terms) {
    const int terms_left = terms - term_;
    const int left = terms_left <= 0 || lines_left_ <= 0 ? 0 : by_terms_ ? lines_left_ : terms_left;
    const T* from = from_;
    for_each_pass<Lines>(scratch, [&](int i, T* to) {
      copy_async_if<sizeof(T)>(i * step_ < left, to, from);
      from = further_by(from, index_t(sizeof(T)) * pass_stride_);
    });
    from_ += Depth * term_stride_;
  }
  template <class Lines>
  KOKKOS_FORCEINLINE_FUNCTION void conjugate(T* scratch) const {
    for_each_pass<Lines>(scratch, [](int, T* at) { at->im = -at->im; });
  }

 private:
  template <class Lines, class Atom>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_pass(T* scratch, const Atom& atom) const {
    static_assert(Lines::ld % 2 == 1);
    T* const first = scratch + Lines::offset(term_, outer_);
    const int step = by_terms_ ? step_ : step_ * Lines::ld;
#pragma unroll
    for (int i = 0; i < passes; ++i) atom(i, first + i * step);
  }

  bool by_terms_;
  int outer_, term_, step_, lines_left_;
  const T* from_;
  index_t pass_stride_, term_stride_;
};

template <class T, along Direction, int Width, int Outer, int Depth, int Threads, class Stride = index_t>
using copy_along = std::conditional_t<Direction == along::either, either_copy<T, Outer, Depth, Threads>,
                                      tile_copy<T, Direction, Width, Outer, Depth, Threads, Stride>>;

}  // namespace abax::cuda

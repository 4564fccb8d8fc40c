// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How an operand that lies along its terms reaches scratch along its outer index.
#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/tile/banks.hpp"

namespace abax::cuda {

/// One thread's part in turning tiles of an operand that lies along its terms into scratch lines along its outer index.
/// The way leads through registers: fetch() starts the loads of a tile, land() stores it. Two neighbouring lanes take
/// the two halves of 8 terms, 16 outer indices make a warp.
template <class T, int Width, int Outer, int Depth, int Threads>
class transposing_copy {
  static constexpr int count = 4, pairs = Threads / 2;
  static constexpr int outer_step = tile::min(pairs, Outer), outer_passes = Outer / outer_step;
  static constexpr int term_step = 2 * count * (pairs / outer_step), term_passes = Depth / term_step;
  static_assert(outer_step * outer_passes == Outer && term_step * term_passes == Depth && outer_passes <= 2);

 public:
  KOKKOS_FORCEINLINE_FUNCTION transposing_copy(const tile::matrix<const T>& m, int thread)
      : term_((thread % 2 + 2 * (thread / (2 * outer_step))) * count),
        line_(thread / 2 % outer_step),
        outer_(static_cast<int>(m.rows)),
        from_(m.data + (line_ < outer_ ? line_ : 0) * m.row_stride + term_),
        pass_stride_(line_ + outer_step < outer_ ? outer_step * m.row_stride : 0) {}

  KOKKOS_FORCEINLINE_FUNCTION void skip(index_t p) { from_ += p; }

  KOKKOS_FORCEINLINE_FUNCTION bool whole() const { return true; }

  /// Loads the next Depth terms; all of them exist.
  KOKKOS_FORCEINLINE_FUNCTION void fetch() {
    for_each_pass([&](int i, int j) {
      const T* const at = from_ + i * pass_stride_ + j * term_step;
      if constexpr (Width > 1) {
        held_[i][j] = *reinterpret_cast<const pack<T, count>*>(at);
      } else {
#pragma unroll
        for (int v = 0; v < count; ++v) held_[i][j].element[v] = at[v];
      }
    });
    from_ += Depth;
  }
  /// The same where only `terms` exist, and perhaps not all outer indices.
  KOKKOS_FORCEINLINE_FUNCTION void fetch_part(int terms) {
    const T* const from = from_;
    from_ += Depth;
    for_each_pass([&](int i, int j) {
#pragma unroll
      for (int v = 0; v < count; ++v)
        if (line_ + i * outer_step < outer_ && term_ + j * term_step + v < terms)
          held_[i][j].element[v] = from[i * pass_stride_ + j * term_step + v];
    });
  }

  /// Stores one of `parts` parts of the tile to scratch[term][outer], lines Lines::ld apart.
  template <class Lines>
  KOKKOS_FORCEINLINE_FUNCTION void land(T* scratch, int part, int parts) const {
    static_assert(tile::banks::free_of_conflicts(
        sizeof(T), [](int lane) { return sizeof(T) * Lines::offset(lane % 2 * count, lane / 2); }));
    T* const to = scratch + Lines::offset(term_, line_);
    for_each_pass([&](int i, int j) {
      if ((i * term_passes + j) * parts / (outer_passes * term_passes) == part) {
#pragma unroll
        for (int v = 0; v < count; ++v) to[(j * term_step + v) * Lines::ld + i * outer_step] = held_[i][j].element[v];
      }
    });
  }

 private:
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_pass(const Visit& visit) {
#pragma unroll
    for (int i = 0; i < outer_passes; ++i)
#pragma unroll
      for (int j = 0; j < term_passes; ++j) visit(i, j);
  }

  int term_, line_, outer_;
  const T* from_;
  index_t pass_stride_;  // 0 where the second pass has nothing to read
  pack<T, count> held_[outer_passes][term_passes] = {};
};

}  // namespace abax::cuda

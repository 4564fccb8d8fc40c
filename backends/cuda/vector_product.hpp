// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemv primitives: all warps stream tiles of A into scratch, one warp runs a chain per lane.
#include <Kokkos_Core.hpp>

#include "backends/cuda/operand.hpp"
#include "backends/cuda/scratch.hpp"
#include "tile/product.hpp"

namespace abax::cuda {

/// A team owns 32 outputs. Chains are long and few, so what counts is bytes in flight: a ring of stages, filled by
/// cp.async from all warps, keeps them flying while the first warp multiplies; one warp's 32 chains are faster than
/// a multiprocessor's share of the memory's rate.
/// Scratch: A as [term][output] where outputs lie along memory, else as [output][term] with lines padded by 16 bytes,
/// so that lanes reading 16 bytes down their own lines fall into distinct banks; then x.
template <class T, along A, int Width, int Depth, int Stages, int Warps, class Team>
class vector_product {
 public:
  static constexpr int rows = 32, cols = 1;
  static constexpr int team_size = 32 * Warps;
  static constexpr int residents = Warps > 4 ? 2 : 4;

  struct parameters {};

  static constexpr std::size_t most_scratch =
      sizeof(T) * Stages * (Depth + 16 / sizeof(T)) * (rows + 1) + scratch_slack;
  static std::size_t scratch_bytes(const parameters&) { return sizeof(T) * Stages * stage_elements + scratch_slack; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION vector_product(const Team& team, const parameters&, const tile::product<T>& problem,
                                             int row_tile, int)
      : thread_(team.team_rank()),
        epilogue_(problem.epilogue),
        a_(problem.a.block(index_t(row_tile) * rows, 0, rows, problem.a.cols), thread_),
        x_{problem.b.data, problem.b.rows, problem.b.row_stride},
        y_(problem.c.block(index_t(row_tile) * rows, 0, rows, 1)),
        scratch_(take_scratch<T>(team, Stages * stage_elements)) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  struct stage_type {
    const T* a;  // [term][output] or [output][term], lines ld apart
    const T* x;  // (Depth)
  };

  KOKKOS_FORCEINLINE_FUNCTION void start(const Team&, index_t begin, index_t end) {
    a_.skip(begin);
    x_.data += begin * x_.stride;
    to_fetch_.start(begin, end);
#pragma unroll
    for (int s = 0; s < Stages - 1; ++s) fetch(s);
  }
  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team& team) {
    wait_copies<Stages - 2>();
    team.team_barrier();  // this stage is whole, and nobody still reads the one that is filled next
    const T* const ready = scratch_ + current_ * stage_elements;
    fetch(current_ == 0 ? Stages - 1 : current_ - 1);
    current_ = current_ + 1 == Stages ? 0 : current_ + 1;
    return {ready, ready + size_a};
  }

  KOKKOS_FORCEINLINE_FUNCTION void clear() { part_ = T(0); }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    if (thread_ >= 32) return;
    const T* const a = stage.a + (A == along::outer ? thread_ : thread_ * ld);
    if (terms == Depth) {
#pragma unroll 8
      for (int q = 0; q < Depth; q += wide) {
        const auto x = *reinterpret_cast<const pack<T, wide>*>(stage.x + q);
        pack<T, wide> terms_of_a;
        if constexpr (A == along::terms) {
          terms_of_a = *reinterpret_cast<const pack<T, wide>*>(a + q);
        } else {
#pragma unroll
          for (int v = 0; v < wide; ++v) terms_of_a.element[v] = a[(q + v) * ld];
        }
#pragma unroll
        for (int v = 0; v < wide; ++v) part_ = Kokkos::fma(terms_of_a.element[v], x.element[v], part_);
      }
    } else {
      for (int q = 0; q < terms; ++q) part_ = Kokkos::fma(a[A == along::outer ? q * ld : q], stage.x[q], part_);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void fold(bool first, bool) { total_ = first ? part_ : total_ + part_; }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, T* sums) const {
    if (thread_ < rows) sums[thread_] = part_;
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team&, const T* sums) {
    if (thread_ < rows) part_ = sums[thread_];
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const {
    if (thread_ < y_.rows) y_(thread_, 0) = epilogue_(total_, &y_(thread_, 0));
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    if (thread_ < y_.rows) y_(thread_, 0) = epilogue_.without_product(&y_(thread_, 0));
  }

 private:
  static constexpr int wide = 16 / sizeof(T);
  static constexpr int ld = A == along::outer ? rows : Depth + wide;
  static constexpr int size_a = ld * (A == along::outer ? Depth : rows);
  static constexpr int stage_elements = size_a + Depth;

  KOKKOS_FORCEINLINE_FUNCTION void fetch(int buffer) {
    if (to_fetch_.left > 0) {
      const int terms = to_fetch_.terms();
      --to_fetch_.left;
      T* const to = scratch_ + buffer * stage_elements;
      a_.template copy<ld>(to, terms);
      for (int q = thread_ * Width; q < terms; q += team_size * Width)
        copy_async<Width * sizeof(T)>(to + size_a + q, &x_(q),
                                      tile::min(terms - q, Width) * static_cast<int>(sizeof(T)));
      x_.data += Depth * x_.stride;
    }
    commit_copies();  // also an empty group: waiting counts groups
  }

  int thread_;
  int current_ = 0;
  stages_to_fetch<Depth> to_fetch_;
  tile::epilogue<T> epilogue_;
  operand<T, A, Width, rows, Depth, team_size> a_;
  tile::vector<const T> x_;
  tile::matrix<T> y_;
  T* scratch_;
  T part_ = 0, total_ = 0;
};

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// dot primitives: a lane of the first warp to a block of the canon, all warps stream both operands into scratch.
#include <Kokkos_Core.hpp>

#include "backends/cuda/async_copy.hpp"
#include "backends/cuda/operand.hpp"
#include "backends/cuda/scratch.hpp"
#include "tile/dot.hpp"

namespace abax::cuda {

/// Scratch: x and y as [block][term], lines padded by 16 bytes so that lanes reading 16 bytes down their own lines fall
/// into distinct banks.
template <class T, int Width, class Team>
class dot {
 public:
  struct parameters {};
  static constexpr int blocks = 32, team_size = 128, residents = 2;
  static constexpr std::size_t most_scratch = sizeof(T) * 3 * 2 * 32 * (272 / sizeof(T)) + scratch_slack;
  static std::size_t scratch_bytes() { return sizeof(T) * stages * stage_elements + scratch_slack; }

  KOKKOS_FORCEINLINE_FUNCTION dot(const Team& team, const parameters&, const tile::dot<T>& problem, index_t group)
      : thread_(team.team_rank()),
        first_(group * blocks),
        x_(problem.x.block(first_ * tile::canon_block, blocks * tile::canon_block)),
        y_(problem.y.block(first_ * tile::canon_block, blocks * tile::canon_block)),
        scratch_(take_scratch<T>(team, stages * stage_elements)) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  struct stage_type {
    const T* x;
    const T* y;
  };
  KOKKOS_FORCEINLINE_FUNCTION void start(const Team&) {
#pragma unroll
    for (int s = 0; s < stages - 1; ++s) fetch(s * Depth, s);
  }
  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team& team, index_t p) {
    wait_copies<stages - 2>();
    team.team_barrier();  // this stage is whole, and nobody still reads the one that is filled next
    const T* const ready = scratch_ + current_ * stage_elements;
    fetch(p + (stages - 1) * Depth, current_ == 0 ? stages - 1 : current_ - 1);
    current_ = current_ + 1 == stages ? 0 : current_ + 1;
    return {ready, ready + blocks * ld};
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team&, const stage_type& stage, index_t p) {
    if (thread_ >= blocks) return;
    const index_t left = x_.size - (thread_ * tile::canon_block + p);  // terms of this lane's block from p on
    const T* const x = stage.x + thread_ * ld;
    const T* const y = stage.y + thread_ * ld;
    if (left >= Depth) {
#pragma unroll 8
      for (int q = 0; q < Depth; q += wide) {
        const auto a = *reinterpret_cast<const pack<T, wide>*>(x + q);
        const auto b = *reinterpret_cast<const pack<T, wide>*>(y + q);
#pragma unroll
        for (int v = 0; v < wide; ++v) part_ = Kokkos::fma(a.element[v], b.element[v], part_);
      }
    } else {
      for (int q = 0; q < left; ++q) part_ = Kokkos::fma(x[q], y[q], part_);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, T* sums) const {
    if (thread_ < blocks && thread_ * tile::canon_block < x_.size) sums[first_ + thread_] = part_;
  }

  KOKKOS_FORCEINLINE_FUNCTION void join(const Team& team, const T* sums, index_t count, T* result) const {
    constexpr int window = stages * stage_elements;  // the ring is free now
    T total = 0;
    for (index_t w = 0; w < count; w += window) {
      const int here = static_cast<int>(tile::min<index_t>(window, count - w));
      team.team_barrier();
      for (int b = thread_; b < here; b += team_size) scratch_[b] = sums[w + b];
      team.team_barrier();
      if (thread_ == 0) {
        int b = 0;
        if (w == 0) total = scratch_[b++];
#pragma unroll 16
        for (; b < here; ++b) total = total + scratch_[b];
      }
    }
    if (thread_ == 0) *result = tile::canonical(total);
  }

 private:
  static constexpr int wide = 16 / sizeof(T);
  static constexpr int Depth = 256 / sizeof(T), stages = 3;  // 256 bytes of every block of x and y in a stage
  static constexpr int ld = Depth + wide, stage_elements = 2 * blocks * ld;

  KOKKOS_FORCEINLINE_FUNCTION void fetch(index_t p, int buffer) {
    if (p < tile::canon_block) {
      T* const to = scratch_ + buffer * stage_elements;
      constexpr int chunks = Depth / Width;
#pragma unroll 4
      for (int e = thread_; e < blocks * chunks; e += team_size) {
        const int block = e / chunks, q = e % chunks * Width;
        const index_t i = block * tile::canon_block + p + q;
        if (i < x_.size) {
          const int valid = static_cast<int>(tile::min<index_t>(Width, x_.size - i) * sizeof(T));
          copy_async<Width * sizeof(T)>(to + block * ld + q, &x_(i), valid);
          copy_async<Width * sizeof(T)>(to + (blocks + block) * ld + q, &y_(i), valid);
        }
      }
    }
    commit_copies();  // also an empty group: waiting counts groups
  }

  int thread_;
  index_t first_;
  tile::vector<const T> x_, y_;
  T* scratch_;
  int current_ = 0;
  T part_ = 0;
};

}  // namespace abax::cuda

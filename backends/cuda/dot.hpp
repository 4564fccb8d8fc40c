// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// dot primitives: a lane of the first warp to a block of the canon, both operands stream through scratch.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/async_copy.hpp"
#include "abax/detail/backends/cuda/ring.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/backends/cuda/scratch_lines.hpp"
#include "abax/detail/backends/cuda/tile_copy.hpp"
#include "abax/detail/tile/banks.hpp"
#include "abax/detail/tile/dot.hpp"

namespace abax::cuda {

/// The `count` elements of `from`, aligned to 16 bytes, added to `sum` in ascending order. Read a group ahead, so that
/// the additions follow one another at their own latency.
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

struct dot_shape {
  int blocks;     ///< of the canon, side by side
  int depth;      ///< terms of each in a stage
  int stages;     ///< of the ring
  int loaders;    ///< warps that fill it
  int residents;  ///< teams of a multiprocessor
};

/// Scratch: x and y as [block][term], chunks exchanged. The warps after the first, the loaders, keep a ring of stages
/// filled while the first multiplies.
template <class T, int Width, dot_shape Shape, class Team>
class dot {
  static constexpr int Blocks = Shape.blocks, Depth = Shape.depth, Stages = Shape.stages;
  static constexpr int wide = 16 / sizeof(T), load_threads = 32 * Shape.loaders;
  using ring_type = ring<T, Stages, 2 * Blocks * Depth>;
  static_assert(Blocks <= 32);

 public:
  struct parameters {};
  static constexpr int blocks = Blocks, team_size = 32 + load_threads, residents = Shape.residents;
  static constexpr std::size_t most_scratch = sizeof(T) * ring_type::elements + scratch_slack;
  static std::size_t scratch_bytes() { return most_scratch; }

  KOKKOS_FORCEINLINE_FUNCTION dot(const Team& team, const parameters&, const tile::dot<T>& problem, index_t group)
      : thread_(team.team_rank()),
        loader_(thread_ - 32),
        first_(group * blocks),
        x_(problem.x.block(first_ * tile::canon_block, blocks * tile::canon_block)),
        y_(problem.y.block(first_ * tile::canon_block, blocks * tile::canon_block)),
        whole_(x_.size == blocks * tile::canon_block),
        x_lines_({x_.data, blocks, tile::canon_block, tile::canon_block * x_.stride, x_.stride}, tile::max(loader_, 0)),
        y_lines_({y_.data, blocks, tile::canon_block, tile::canon_block * y_.stride, y_.stride}, tile::max(loader_, 0)),
        scratch_(take_scratch<T>(team, ring_type::elements)),
        ring_(scratch_) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  struct stage_type {
    const T* x;
    const T* y;
  };
  KOKKOS_FORCEINLINE_FUNCTION void start(const Team&) {
    if (loader_ < 0) return;
    index_t p = 0;
    ring_.start([&](T* to) {
      fetch(p, to);
      p += Depth;
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team& team, index_t p) {
    const int ready = ring_.await(team);
    if (loader_ >= 0) {
      fetch(p + (Stages - 1) * Depth, ring_.freed(ready));
      commit_copies();
    }
    return {ring_.at(ready), ring_.at(ready) + blocks * Depth};
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team&, const stage_type& stage, index_t p) {
    if (thread_ >= blocks) return;
    const index_t left = x_.size - (thread_ * tile::canon_block + p);  // terms of this lane's block from p on
    if (left >= Depth) {
      group next = load_group(stage, 0);
#pragma unroll
      for (int q = 0; q < Depth; q += group_terms) {
        const group now = next;
        if (q + group_terms < Depth) next = load_group(stage, q + group_terms);
#pragma unroll
        for (int g = 0; g < group_packs; ++g)
#pragma unroll
          for (int v = 0; v < wide; ++v) part_ = Kokkos::fma(now.x[g].element[v], now.y[g].element[v], part_);
      }
    } else {
      for (int q = 0; q < left; ++q) {
        const int at = lines::offset(thread_, q);
        part_ = Kokkos::fma(stage.x[at], stage.y[at], part_);
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, T* sums) const {
    if (thread_ < blocks && thread_ * tile::canon_block < x_.size) sums[first_ + thread_] = part_;
  }

  /// By way of scratch: the additions follow at their own latency instead of memory's. -0 + s is s, whatever s.
  KOKKOS_FORCEINLINE_FUNCTION T join(const Team& team, const T* sums, index_t begin, index_t end, T total) const {
    constexpr int window = ring_type::elements / wide * wide;  // the ring is free now
    if (begin == 0 && end > 0) total = -T(0);
    for (index_t w = begin; w < end; w += window) {
      const int here = static_cast<int>(tile::min<index_t>(window, end - w));
      barrier(team);
      for (int b = thread_ * wide; b < here; b += team_size * wide)
        copy_chunk_if<wide>(true, scratch_ + b, sums + w + b, here - b);
      commit_copies();
      wait_copies<0>();
      barrier(team);
      if (thread_ == 0) total = add_in_order(total, scratch_, here);
    }
    return total;
  }

 private:
  // Terms are read from scratch one group ahead of their multiplication.
  static constexpr int group_packs = 4, group_terms = group_packs * wide;
  using lines = exchanged_lines<T, Depth>;
  static_assert(Depth % group_terms == 0);
  struct group {
    pack<T, wide> x[group_packs], y[group_packs];
  };
  // Lanes without a block read nothing; here they stand for one that does.
  static constexpr bool conflict_free() {
    bool all = true;
    for (int q = 0; q < 8 * wide; q += wide)
      all = all && tile::banks::free_of_conflicts(16, [=](int l) { return sizeof(T) * lines::offset(l % Blocks, q); });
    return all;
  }
  KOKKOS_FORCEINLINE_FUNCTION group load_group(const stage_type& stage, int q) const {
    static_assert(conflict_free());
    group to;
#pragma unroll
    for (int g = 0; g < group_packs; ++g, q += wide) {
      const int at = lines::offset(thread_, q);
      to.x[g] = *reinterpret_cast<const pack<T, wide>*>(stage.x + at);
      to.y[g] = *reinterpret_cast<const pack<T, wide>*>(stage.y + at);
    }
    return to;
  }

  /// By the loaders: terms [p, p + Depth) of every block.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(index_t p, T* to) {
    if (p >= tile::canon_block) return;
    if (whole_) {
      x_lines_.template copy<lines>(to, Depth);
      y_lines_.template copy<lines>(to + blocks * Depth, Depth);
    } else {
      constexpr int chunks = Depth / Width;
      for (int e = loader_; e < blocks * chunks; e += load_threads) {
        const int block = e / chunks, q = e % chunks * Width;
        const index_t i = block * tile::canon_block + p + q;
        if (i < x_.size) {
          const int exist = static_cast<int>(tile::min<index_t>(Width, x_.size - i));
          const int at = lines::offset(block, q);
          copy_chunk_if<Width>(true, to + at, &x_(i), exist);
          copy_chunk_if<Width>(true, to + blocks * Depth + at, &y_(i), exist);
        }
      }
    }
  }

  int thread_, loader_;  // loader_ < 0: runs a chain
  index_t first_;
  tile::vector<const T> x_, y_;
  bool whole_;  // not the vectors' end
  tile_copy<T, along::terms, Width, Blocks, Depth, load_threads> x_lines_, y_lines_;
  T* scratch_;
  ring_type ring_;
  T part_ = 0;
};

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Dot primitives in plain Kokkos: a thread of the team to a block of the canon.
#include <Kokkos_Core.hpp>

#include "abax/detail/tile/dot.hpp"

namespace abax::portable {

template <class T, class Team>
class dot {
 public:
  struct parameters {};
  static constexpr int blocks = 32;
  static std::size_t scratch_bytes() { return sizeof(T) * blocks + alignof(std::max_align_t); }

  KOKKOS_FUNCTION dot(const Team& team, const parameters&, const tile::dot<T>& problem, index_t group)
      : x_(problem.x),
        y_(problem.y),
        first_(group * blocks),
        part_(static_cast<T*>(team.team_scratch(0).get_shmem_aligned(sizeof(T) * blocks, alignof(T)))) {}

  KOKKOS_FUNCTION index_t depth() const { return tile::canon_block; }
  KOKKOS_FUNCTION void start(const Team&) {}
  KOKKOS_FUNCTION index_t stage(const Team&, index_t p) { return p; }  // the operands themselves

  KOKKOS_FUNCTION void multiply_add(const Team& team, index_t, index_t) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, blocks), [&](int b) {
      const index_t begin = (first_ + b) * tile::canon_block;
      const index_t end = tile::min(x_.size, begin + tile::canon_block);
      T sum = 0;
      for (index_t p = begin; p < end; ++p) sum = Kokkos::fma(x_(p), y_(p), sum);
      part_[b] = sum;
    });
    team.team_barrier();
  }
  KOKKOS_FUNCTION void save(const Team& team, T* sums) const {
    const index_t count = tile::min<index_t>(blocks, tile::canon_blocks(x_.size) - first_);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(tile::max<index_t>(count, 0))),
                         [&](int b) { sums[first_ + b] = part_[b]; });
  }
  KOKKOS_FUNCTION T join(const Team& team, const T* sums, index_t begin, index_t end, T total) const {
    if (team.team_rank() != 0) return total;
    for (index_t b = begin; b < end; ++b) total = b == 0 ? sums[0] : total + sums[b];
    return total;
  }

 private:
  tile::vector<const T> x_, y_;
  index_t first_;
  T* part_;
};

}  // namespace abax::portable

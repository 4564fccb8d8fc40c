// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Primitives of a product of residues on the tensor cores of sm_90a.
///
/// A team's first two groups of four warps multiply; a thread of the third fetches: operands' blocks come as bulk
/// copies into a ring of stages, and the fetching thread is ahead of the others by as many as the ring holds, into the
/// next tile too. Two teams are a cluster: they have neighbouring column tiles of the same rows, and each fetches half
/// of the rows' lines for both. Sums stay in registers, where they are reduced.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/bulk_copy.hpp"
#include "abax/detail/backends/cuda/integer_sums.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/backends/cuda/wgmma.hpp"
#include "abax/detail/tile/integer.hpp"

namespace abax::cuda {

/// The ring of stages in scratch, and which of them is next. `filled` tells that a stage's bytes are there, `freed`
/// that all warps that read it, of both teams, have done so.
class wgmma_ring {
 public:
  static constexpr int multiplying_warps = 8, cluster = 2;
  static constexpr int depth = 128, stages = 4;
  static constexpr int cols_bytes = byte_tile.cols * depth, rows_bytes = byte_tile.rows * depth,
                       stage_bytes = cols_bytes + rows_bytes;
  static constexpr int alignment = 1024, barrier_bytes = 128, sums_bytes = 8 * multiplying_warps;
  static constexpr std::size_t bytes = stages * stage_bytes + barrier_bytes + sums_bytes + alignment;

  KOKKOS_FORCEINLINE_FUNCTION explicit wgmma_ring(std::uint32_t scratch)
      : at_((scratch + alignment - 1) / alignment * alignment) {}
  KOKKOS_FORCEINLINE_FUNCTION void init_barriers() const {
    for (int s = 0; s < stages; ++s) {
      filled(s).init(1);
      freed(s).init(cluster * multiplying_warps);
    }
    show_barriers();
  }

  KOKKOS_FORCEINLINE_FUNCTION int current() const { return stage_; }
  KOKKOS_FORCEINLINE_FUNCTION void advance() {
    if (++stage_ < stages) return;
    stage_ = 0;
    phase_ ^= 1;
  }
  /// Until the current stage is there, or free: at once in the first round.
  KOKKOS_FORCEINLINE_FUNCTION void await_filled() const { filled(stage_).wait(phase_); }
  KOKKOS_FORCEINLINE_FUNCTION void await_freed() const { freed(stage_).wait(phase_ ^ 1); }
  KOKKOS_FORCEINLINE_FUNCTION phase_barrier filled(int s) const { return {barriers() + 8 * s}; }
  KOKKOS_FORCEINLINE_FUNCTION phase_barrier freed(int s) const { return {barriers() + 8 * (stages + s)}; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t cols(int s) const { return at_ + s * stage_bytes; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rows(int s) const { return cols(s) + cols_bytes; }
  /// A number of 64 bits for each warp that multiplies.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t sums() const { return barriers() + barrier_bytes; }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t barriers() const { return at_ + stages * stage_bytes; }

  std::uint32_t at_;
  int stage_ = 0;
  unsigned phase_ = 0;
};

/// What the fetching warps do of each step.
template <class Team>
class wgmma_fetcher {
 public:
  KOKKOS_FORCEINLINE_FUNCTION wgmma_fetcher(const wgmma_ring& ring, const tile::residue_product& problem, bool fetches)
      : ring_(ring), problem_(problem), peer_(rank_in_cluster()), fetches_(fetches) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(int t, index_t row, index_t col) {
    const index_t block = problem_.first / wgmma_ring::depth;
    a_ = problem_.a.plane(t) + (block * problem_.a.room + row + peer_ * half) * wgmma_ring::depth;
    b_ = problem_.b.plane(t) + (block * problem_.b.room + col) * wgmma_ring::depth;
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Team&) {
    if (!fetches_) return;
    const index_t block_a = problem_.a.room * wgmma_ring::depth, block_b = problem_.b.room * wgmma_ring::depth;
    constexpr int half_bytes = half * wgmma_ring::depth;
    for (index_t p = 0; p < problem_.terms; p += wgmma_ring::depth) {
      const int s = ring_.current();
      ring_.await_freed();
      ring_.filled(s).expect(wgmma_ring::stage_bytes);
      bulk_copy(ring_.cols(s), b_, wgmma_ring::cols_bytes, ring_.filled(s));
      bulk_copy_to_teams(ring_.rows(s) + peer_ * half_bytes, a_, half_bytes, ring_.filled(s),
                         (1 << wgmma_ring::cluster) - 1);
      a_ += block_a;
      b_ += block_b;
      ring_.advance();
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const {}
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void each_sum(const Team&, const Use&) const {}
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t weighed_sum(const Team&) const { return 0; }

 private:
  static constexpr int half = byte_tile.rows / wgmma_ring::cluster;

  wgmma_ring ring_;
  const tile::residue_product& problem_;
  int peer_;
  bool fetches_;
  const std::uint8_t *a_ = nullptr, *b_ = nullptr;
};

/// What the multiplying ones do.
template <class Team>
class wgmma_multiplier {
 public:
  KOKKOS_FORCEINLINE_FUNCTION wgmma_multiplier(const wgmma_ring& ring, const tile::residue_product& problem,
                                               const sum_divisors& divisors, int thread)
      : ring_(ring), problem_(problem), thread_(thread), sums_(problem, divisors, thread % 32, 0, thread / 32 * 16) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(int t, index_t row, index_t col) { sums_.begin(t, row, col); }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Team&) {
    sums_.clear();
    const std::uint32_t of_group = thread_ / 128 * (64 * wgmma_ring::depth);
    const int blocks = static_cast<int>(tile::ceil_div<index_t>(problem_.terms, wgmma_ring::depth));
    int before = -1;
    for (int b = 0; b < blocks; ++b) {
      const int s = ring_.current();
      ring_.await_filled();
      const std::uint64_t cols = wgmma_operand(ring_.cols(s) + of_group), rows = wgmma_operand(ring_.rows(s));
      wgmma_begin();
#pragma unroll
      for (int step = 0; step < wgmma_ring::depth / 32; ++step)
        wgmma_multiply_add(sums_.sum, cols + 2 * step, rows + 2 * step);
      wgmma_commit();
      wgmma_wait<1>();
      if (before >= 0) release(before);
      before = s;
      ring_.advance();
    }
    wgmma_finish(sums_.sum);
    if (before >= 0) release(before);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const { sums_.store(); }
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void each_sum(const Team&, const Use& use) const {
    sums_.each(use);
  }
  /// v C w of the tile, modulo 2^64.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t weighed_sum(const Team&) const {
    return sum_of_warps<wgmma_ring::multiplying_warps>(sums_.weighed(), thread_, ring_.sums(), [] {
#ifdef __CUDA_ARCH__
      asm volatile("bar.sync 1, %0;\n" ::"n"(32 * wgmma_ring::multiplying_warps) : "memory");
#endif
    });
  }

 private:
  /// Tells both teams' fetching threads that this warp has read a stage.
  KOKKOS_FORCEINLINE_FUNCTION void release(int s) const {
    if (thread_ % 32 < wgmma_ring::cluster) ring_.freed(s).arrive_at(thread_ % 32);
  }

  wgmma_ring ring_;
  const tile::residue_product& problem_;
  int thread_;
  byte_sums<byte_tile.rows / 8, 1> sums_;
};

template <class Team>
struct wgmma_residue_product {
  using parameters = sum_divisors;
  static constexpr tile::residue_tile_shape shape = byte_tile;
  static constexpr int multiplying = 32 * wgmma_ring::multiplying_warps;
  static constexpr int team_size = multiplying + 128, residents = 1, cluster = wgmma_ring::cluster;
  static std::size_t scratch_bytes() { return wgmma_ring::bytes + scratch_slack; }
  /// As many as run at once, which share out the tiles.
  static index_t teams(index_t tiles, int teams_at_once) {
    return tile::min<index_t>(tiles, tile::max(1, teams_at_once / cluster) * cluster);
  }

  /// work(tile) by the team's threads, for the tiles that follow; registers go to those that hold sums.
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION static void run(const Team& team, const parameters& divisors,
                                              const tile::residue_product& problem, const Work& work) {
    const int thread = team.team_rank();
    const wgmma_ring ring(shared_address(take_scratch<char>(team, wgmma_ring::bytes)));
    if (thread == 0) ring.init_barriers();
    cluster_barrier();
    if (thread >= multiplying) {
      give_up_registers<40>();
      wgmma_fetcher<Team> fetcher(ring, problem, thread == multiplying);
      work(fetcher);
    } else {
      take_registers<232>();
      wgmma_multiplier<Team> multiplier(ring, problem, divisors, thread);
      work(multiplier);
    }
    cluster_barrier();  // no team may end while the other still writes to its scratch
  }
};

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Primitives of a product of residues on the tensor cores of sm_80 and later.
///
/// Operands' blocks of 128 terms go to scratch as they lie in memory: one is read while cp.async brings the next. Their
/// chunks are permuted, so that eight lines' chunks lie in different banks. Sums stay in registers, where they are
/// reduced.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/async_copy.hpp"
#include "abax/detail/backends/cuda/integer_sums.hpp"
#include "abax/detail/backends/cuda/mma.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/tile/integer.hpp"

namespace abax::cuda {

/// Each warp has 64 x 64 sums of a tile.
template <class Team>
class mma_residue_tile {
 public:
  static constexpr int warps = 8, threads = 32 * warps;
  static constexpr int depth = 128, stages = 2;
  static constexpr int cols_bytes = byte_tile.cols * depth, stage_bytes = cols_bytes + byte_tile.rows * depth;
  static constexpr int sums_bytes = 8 * warps;
  static constexpr std::size_t bytes = stages * stage_bytes + sums_bytes;

  KOKKOS_FORCEINLINE_FUNCTION mma_residue_tile(const Team& team, const sum_divisors& divisors,
                                               const tile::residue_product& problem)
      : problem_(problem),
        thread_(team.team_rank()),
        scratch_(take_scratch<std::uint8_t>(team, bytes)),
        sums_(problem, divisors, thread_ % 32, warp_row(), warp_col()) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(int t, index_t row, index_t col) {
    sums_.begin(t, row, col);
    const index_t block = problem_.first / depth;
    a_ = problem_.a.plane(t) + (block * problem_.a.room + row) * depth;
    b_ = problem_.b.plane(t) + (block * problem_.b.room + col) * depth;
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Team& team) {
    sums_.clear();
    const int blocks = static_cast<int>(tile::ceil_div<index_t>(problem_.terms, depth));
    if (blocks > 0) fetch(0);
#pragma unroll 1
    for (int b = 0; b < blocks; ++b) {
      if (b + 1 < blocks)
        fetch((b + 1) % stages);
      else
        commit_copies();  // an empty group: waiting counts groups
      wait_copies<1>();
      barrier(team);  // this stage is whole
      const std::uint8_t* const stage = scratch_ + b % stages * stage_bytes;
#pragma unroll
      for (int step = 0; step < depth / 32; ++step) multiply_add(stage, 2 * step);
      barrier(team);  // nobody reads the stage that is filled next
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const { sums_.store(); }
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void each_sum(const Team&, const Use& use) const {
    sums_.each(use);
  }
  /// v C w of the tile, modulo 2^64.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t weighed_sum(const Team& team) const {
    return sum_of_warps<warps>(sums_.weighed(), thread_, shared_address(scratch_ + stages * stage_bytes),
                               [&] { barrier(team); });
  }

 private:
  static constexpr int row_groups = 8, col_groups = 4;
  static constexpr int row_warps = byte_tile.rows / (8 * row_groups);
  static_assert(row_warps * (byte_tile.cols / (16 * col_groups)) == warps && row_groups % 2 == 0);

  KOKKOS_FORCEINLINE_FUNCTION int warp_row() const { return thread_ / 32 % row_warps * (8 * row_groups); }
  KOKKOS_FORCEINLINE_FUNCTION int warp_col() const { return thread_ / 32 / row_warps * (16 * col_groups); }

  /// Starts to copy the next block.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int stage) {
    std::uint8_t* const to = scratch_ + stage * stage_bytes;
#pragma unroll
    for (int e = 0; e < cols_bytes; e += 16 * threads) copy_async<16>(to + e + 16 * thread_, b_ + e + 16 * thread_);
#pragma unroll
    for (int e = 0; e < stage_bytes - cols_bytes; e += 16 * threads)
      copy_async<16>(to + cols_bytes + e + 16 * thread_, a_ + e + 16 * thread_);
    a_ += problem_.a.room * depth;
    b_ += problem_.b.room * depth;
    commit_copies();
  }
  /// 32 terms, from a stage's chunk of that number on.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const std::uint8_t* stage, int chunk) {
    const int lane = thread_ % 32;
    std::uint32_t cols[col_groups][4], rows[row_groups / 2][4];
    // Four blocks of eight lines and 16 bytes: of columns lines 0 and 8, then their next chunk; of rows line 0 and its
    // next chunk, then line 8.
#pragma unroll
    for (int x = 0; x < col_groups; ++x)
      load_bytes(cols[x], chunk_of(stage, warp_col() + 16 * x + lane % 16, chunk + lane / 16));
#pragma unroll
    for (int g = 0; g < row_groups / 2; ++g)
      load_bytes(rows[g],
                 chunk_of(stage + cols_bytes, warp_row() + 16 * g + lane % 8 + lane / 16 * 8, chunk + lane / 8 % 2));
#pragma unroll
    for (int x = 0; x < col_groups; ++x)
#pragma unroll
      for (int g = 0; g < row_groups; ++g) mma_bytes(sums_.sum + sums_.place(x, g), cols[x], rows[g / 2] + g % 2 * 2);
  }
  /// Where plane_order::blocks has a line's chunk.
  KOKKOS_FORCEINLINE_FUNCTION static const std::uint8_t* chunk_of(const std::uint8_t* lines, int line, int chunk) {
    return lines + line * depth + (chunk ^ line % 8) * 16;
  }

  const tile::residue_product& problem_;
  int thread_;
  std::uint8_t* scratch_;
  byte_sums<row_groups, col_groups> sums_;
  const std::uint8_t *a_ = nullptr, *b_ = nullptr;
};

template <class Team>
struct mma_residue_product {
  using parameters = sum_divisors;
  static constexpr tile::residue_tile_shape shape = byte_tile;
  static constexpr int team_size = mma_residue_tile<Team>::threads, residents = 1;
  static std::size_t scratch_bytes() { return mma_residue_tile<Team>::bytes + scratch_slack; }
  /// As many as run at once, which share out the tiles.
  static index_t teams(index_t tiles, int teams_at_once) { return tile::min<index_t>(tiles, teams_at_once); }

  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION static void run(const Team& team, const parameters& divisors,
                                              const tile::residue_product& problem, const Work& work) {
    mma_residue_tile<Team> tile(team, divisors, problem);
    work(tile);
  }
};

}  // namespace abax::cuda

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
#include "abax/detail/backends/cuda/integer_numbers.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/backends/cuda/wgmma.hpp"
#include "abax/detail/tile/integer.hpp"

namespace abax::cuda {

/// Sums modulo p: what |v| <= 2^30 is reduced by.
struct sum_divisor {
  std::uint32_t p, reciprocal, raise;

  /// v modulo p, in [0, p). The quotient of v + raise < 2^31 + 2^9 is right or 1 too small: what it misses is less
  /// than (v + raise) / 2^32 + 1.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t remainder_of(std::int32_t v) const {
    const std::uint32_t u = static_cast<std::uint32_t>(v) + raise;
#ifdef __CUDA_ARCH__
    const std::uint32_t r = u - __umulhi(u, reciprocal) * p;
    return ::min(r, r - p);  // r - p wraps around where r < p
#else
    return u % p;
#endif
  }
};
struct sum_divisors {
  sum_divisor number[tile::most_moduli];
};
constexpr sum_divisors make_sum_divisors() {
  sum_divisors made{};
  for (int t = 0; t < tile::most_moduli; ++t) {
    const auto p = static_cast<std::uint32_t>(tile::moduli[static_cast<std::size_t>(t)]);
    made.number[t] = {p, static_cast<std::uint32_t>((std::uint64_t(1) << 32) / p), ((1U << 30) + p) / p * p};
  }
  return made;
}
inline constexpr sum_divisors sum_divisors_of = make_sum_divisors();

/// B's lines are the tensor cores' rows, so that a thread's neighbouring sums are C's neighbouring rows.
inline constexpr tile::residue_tile_shape wgmma_shape{.rows = 256, .cols = 128, .band = 16, .together = 2};

/// The ring of stages in scratch, and which of them is next. `filled` tells that a stage's bytes are there, `freed`
/// that all warps that read it, of both teams, have done so.
class wgmma_ring {
 public:
  static constexpr int multiplying_warps = 8, cluster = 2;
  static constexpr int depth = 128, stages = 4;
  static constexpr int cols_bytes = wgmma_shape.cols * depth, rows_bytes = wgmma_shape.rows * depth,
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
  static constexpr int half = wgmma_shape.rows / wgmma_ring::cluster;

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
      : ring_(ring), problem_(problem), divisors_(divisors), thread_(thread) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(int t, index_t row, index_t col) {
    t_ = t;
    row_ = row;
    col_ = col;
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Team&) {
#pragma unroll
    for (int s = 0; s < sums; ++s) sums_[s] = 0;
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
        wgmma_multiply_add(sums_, cols + 2 * step, rows + 2 * step);
      wgmma_commit();
      wgmma_wait<1>();
      if (before >= 0) release(before);
      before = s;
      ring_.advance();
    }
    wgmma_finish(sums_);
    if (before >= 0) release(before);
  }

  /// Four neighbouring threads have two bytes each of eight rows: they exchange them until each has all of some eight
  /// rows', and the four of them write 32 bytes that follow one another.
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const {
    const sum_divisor d = divisors_.number[t_];
    const int quad = thread_ % 4;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const index_t j = col_of(h);
      std::uint8_t* const to = problem_.remainders(t_, row_, col_ + j);
#pragma unroll
      for (int g = 0; g < groups; g += 4) {
        std::uint32_t pair[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          const int s = 4 * (g + q) + 2 * h;
          pair[q] = d.remainder_of(sums_[s]) | d.remainder_of(sums_[s + 1]) << 8;
        }
        std::uint64_t bytes = gathered(pair[0] | pair[1] << 16, pair[2] | pair[3] << 16, quad);
        const index_t i = 8 * (g + quad);
        if (!is_inside(i, j)) continue;
        auto* const eight = reinterpret_cast<std::uint64_t*>(to + i);
        if (problem_.adds) bytes = sums_modulo(*eight, bytes, d.p);
        *eight = bytes;
      }
    }
  }
  /// use(i, j, sum) for each of the tile's sums.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void each_sum(const Team&, const Use& use) {
    each([&](index_t i, index_t j, std::int32_t& sum) {
      if (is_inside(i, j)) use(i, j, sum);
    });
  }

  /// v C w of the tile, modulo 2^64.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t weighed_sum(const Team&) const {
    std::uint64_t all = 0;
    const std::int32_t weights[2] = {tile::col_weight(col_ + col_of(0)), tile::col_weight(col_ + col_of(1))};
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const index_t i = row_of(g, e);
        std::uint64_t of_row = 0;
#pragma unroll
        for (int h = 0; h < 2; ++h)
          if (is_inside(i, col_of(h)))
            of_row += static_cast<std::uint64_t>(std::int64_t(sums_[4 * g + 2 * h + e]) * weights[h]);
        all += of_row * static_cast<std::uint32_t>(tile::row_weight(row_ + i));
      }
    return sum_of_threads(all);
  }

 private:
  static constexpr int sums = 128, groups = wgmma_shape.rows / 8;

  /// Tells both teams' fetching threads that this warp has read a stage.
  KOKKOS_FORCEINLINE_FUNCTION void release(int s) const {
    if (thread_ % 32 < wgmma_ring::cluster) ring_.freed(s).arrive_at(thread_ % 32);
  }

  /// The tile's place of this thread's sums: see wgmma_multiply_add.
  KOKKOS_FORCEINLINE_FUNCTION index_t col_of(int h) const { return thread_ / 32 * 16 + thread_ % 32 / 4 + 8 * h; }
  KOKKOS_FORCEINLINE_FUNCTION index_t row_of(int g, int e) const { return 8 * g + 2 * (thread_ % 4) + e; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_inside(index_t i, index_t j) const {
    return row_ + i < problem_.rows() && col_ + j < problem_.cols();
  }
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void each(const Work& work) {
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int h = 0; h < 2; ++h)
#pragma unroll
        for (int e = 0; e < 2; ++e) work(row_of(g, e), col_of(h), sums_[4 * g + 2 * h + e]);
  }

  /// Thread q of four has two bytes of each of four lines, 0 and 1 in `low`, 2 and 3 in `high`; it gets line q's eight.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t gathered([[maybe_unused]] std::uint32_t low,
                                                            [[maybe_unused]] std::uint32_t high,
                                                            [[maybe_unused]] int quad) {
#ifdef __CUDA_ARCH__
    const bool upper = quad >= 2, odd = quad % 2 != 0;
    const std::uint32_t mine = upper ? high : low;
    const std::uint32_t theirs = __shfl_xor_sync(0xFFFFFFFFU, upper ? low : high, 2);
    const std::uint32_t first = upper ? theirs : mine, second = upper ? mine : theirs;  // of threads q % 2, q % 2 + 2
    const std::uint32_t evens = __byte_perm(first, second, 0x5410), odds = __byte_perm(first, second, 0x7632);
    const std::uint32_t kept = odd ? odds : evens;
    const std::uint32_t given = __shfl_xor_sync(0xFFFFFFFFU, odd ? evens : odds, 1);
    const std::uint32_t even_ones = odd ? given : kept, odd_ones = odd ? kept : given;  // of even and of odd threads
    return __byte_perm(even_ones, odd_ones, 0x5410) |
           static_cast<std::uint64_t>(__byte_perm(even_ones, odd_ones, 0x7632)) << 32;
#else
    return 0;
#endif
  }

  /// Eight sums of two remainders each.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t sums_modulo(std::uint64_t a, std::uint64_t b, std::uint32_t p) {
    std::uint64_t all = 0;
    for (int e = 0; e < 64; e += 8) {
      const auto sum = static_cast<std::uint32_t>(a >> e & 0xFF) + static_cast<std::uint32_t>(b >> e & 0xFF);
      all |= static_cast<std::uint64_t>(sum >= p ? sum - p : sum) << e;
    }
    return all;
  }

  /// Of all multiplying threads, which all get it.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t sum_of_threads(std::uint64_t sum) const {
    sum = sum_of_warp(sum);
#ifdef __CUDA_ARCH__
    const std::uint32_t at = ring_.sums();
    const auto barrier = [] { asm volatile("bar.sync 1, %0;\n" ::"n"(32 * wgmma_ring::multiplying_warps) : "memory"); };
    if (thread_ % 32 == 0) asm volatile("st.shared.u64 [%0], %1;\n" ::"r"(at + thread_ / 32 * 8), "l"(sum) : "memory");
    barrier();
    sum = 0;
    for (int w = 0; w < wgmma_ring::multiplying_warps; ++w) {
      std::uint64_t other;
      asm volatile("ld.shared.u64 %0, [%1];\n" : "=l"(other) : "r"(at + 8 * w) : "memory");
      sum += other;
    }
    barrier();
#endif
    return sum;
  }

  wgmma_ring ring_;
  const tile::residue_product& problem_;
  const sum_divisors& divisors_;
  int thread_;
  int t_ = 0;
  index_t row_ = 0, col_ = 0;
  std::int32_t sums_[sums];
};

template <class Team>
struct wgmma_residue_product {
  using parameters = sum_divisors;
  static constexpr tile::residue_tile_shape shape = wgmma_shape;
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

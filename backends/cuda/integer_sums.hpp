// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What becomes of the sums of a product of bytes, which a team's threads have in registers: each is stored as its
/// remainder, a byte; for a check they are weighed.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/integer_numbers.hpp"
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

/// What a team of either engine computes: one shape, so that both read the same planes and a check weighs the same
/// tiles. B's lines are the tensor cores' rows, so that a thread's neighbouring sums are C's neighbouring rows.
inline constexpr tile::residue_tile_shape byte_tile{.rows = 256, .cols = 128, .band = 16, .together = 2};

/// A thread's part of a tile's sums: its warp has 8 RowGroups rows of C from `first_row` of the tile on, and 16
/// ColGroups columns from `first_col` on. Of each 16 x 8 the lane l has columns l / 4 + 8 h and rows 2 (l % 4) + e.
template <int RowGroups, int ColGroups>
class byte_sums {
  static_assert(RowGroups % 4 == 0);

 public:
  static constexpr int count = 4 * RowGroups * ColGroups;
  std::int32_t sum[count];  ///< at place(): tensor cores' instructions take four of them, or all

  KOKKOS_FORCEINLINE_FUNCTION byte_sums(const tile::residue_product& problem, const sum_divisors& divisors, int lane,
                                        int first_row, int first_col)
      : problem_(problem),
        divisors_(divisors),
        quad_(lane % 4),
        first_row_(first_row),
        first_col_(first_col + lane / 4) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(int col_group, int row_group, int h = 0, int e = 0) {
    return ((col_group * RowGroups + row_group) * 2 + h) * 2 + e;
  }

  KOKKOS_FORCEINLINE_FUNCTION void begin(int t, index_t row, index_t col) {
    t_ = t;
    row_ = row;
    col_ = col;
  }
  KOKKOS_FORCEINLINE_FUNCTION void clear() {
#pragma unroll
    for (int s = 0; s < count; ++s) sum[s] = 0;
  }

  /// Four neighbouring threads have two bytes each of eight rows: they exchange them until each has all of some eight
  /// rows', and the four of them write 32 bytes that follow one another.
  KOKKOS_FORCEINLINE_FUNCTION void store() const {
    const sum_divisor d = divisors_.number[t_];
#pragma unroll
    for (int x = 0; x < ColGroups; ++x)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const index_t j = col_of(x, h);
        std::uint8_t* const to = problem_.remainders(t_, row_, col_ + j);
#pragma unroll
        for (int g = 0; g < RowGroups; g += 4) {
          std::uint32_t pair[4];
#pragma unroll
          for (int q = 0; q < 4; ++q)
            pair[q] = d.remainder_of(sum[place(x, g + q, h, 0)]) | d.remainder_of(sum[place(x, g + q, h, 1)]) << 8;
          std::uint64_t bytes = gathered(pair[0] | pair[1] << 16, pair[2] | pair[3] << 16, quad_);
          const index_t i = first_row_ + 8 * (g + quad_);
          if (!is_inside(i, j)) continue;
          auto* const eight = reinterpret_cast<std::uint64_t*>(to + i);
          if (problem_.adds) bytes = sums_modulo(*eight, bytes, d.p);
          *eight = bytes;
        }
      }
  }
  /// use(i, j, sum) for each of the tile's sums.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void each(const Use& use) const {
#pragma unroll
    for (int x = 0; x < ColGroups; ++x)
#pragma unroll
      for (int g = 0; g < RowGroups; ++g)
#pragma unroll
        for (int h = 0; h < 2; ++h)
#pragma unroll
          for (int e = 0; e < 2; ++e)
            if (is_inside(row_of(g, e), col_of(x, h))) use(row_of(g, e), col_of(x, h), sum[place(x, g, h, e)]);
  }
  /// v C w of what this thread has, modulo 2^64.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t weighed() const {
    std::uint64_t all = 0;
    std::int32_t weights[ColGroups][2];
#pragma unroll
    for (int x = 0; x < ColGroups; ++x)
#pragma unroll
      for (int h = 0; h < 2; ++h) weights[x][h] = tile::col_weight(col_ + col_of(x, h));
#pragma unroll
    for (int g = 0; g < RowGroups; ++g)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const index_t i = row_of(g, e);
        std::uint64_t of_row = 0;
#pragma unroll
        for (int x = 0; x < ColGroups; ++x)
#pragma unroll
          for (int h = 0; h < 2; ++h)
            if (is_inside(i, col_of(x, h)))
              of_row += static_cast<std::uint64_t>(std::int64_t(sum[place(x, g, h, e)]) * weights[x][h]);
        all += of_row * static_cast<std::uint32_t>(tile::row_weight(row_ + i));
      }
    return all;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION index_t col_of(int x, int h) const { return first_col_ + 16 * x + 8 * h; }
  KOKKOS_FORCEINLINE_FUNCTION index_t row_of(int g, int e) const { return first_row_ + 8 * g + 2 * quad_ + e; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_inside(index_t i, index_t j) const {
    return row_ + i < problem_.rows() && col_ + j < problem_.cols();
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

  const tile::residue_product& problem_;
  const sum_divisors& divisors_;
  int quad_;
  int first_row_;  // of this warp's rows
  int first_col_;  // of this thread's columns
  int t_ = 0;
  index_t row_ = 0, col_ = 0;
};

/// The sum of a number of each of `Warps` warps, whose threads are from 0 on, modulo 2^64, to all of them. `scratch`
/// has room for one of each warp; barrier() is that of their threads.
template <int Warps, class Barrier>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t sum_of_warps(std::uint64_t sum, [[maybe_unused]] int thread,
                                                       [[maybe_unused]] std::uint32_t scratch,
                                                       [[maybe_unused]] const Barrier& barrier) {
  sum = sum_of_warp(sum);
#ifdef __CUDA_ARCH__
  if (thread % 32 == 0) asm volatile("st.shared.u64 [%0], %1;\n" ::"r"(scratch + thread / 32 * 8), "l"(sum) : "memory");
  barrier();
  sum = 0;
  for (int w = 0; w < Warps; ++w) {
    std::uint64_t other;
    asm volatile("ld.shared.u64 %0, [%1];\n" : "=l"(other) : "r"(scratch + 8 * w) : "memory");
    sum += other;
  }
  barrier();
#endif
  return sum;
}

}  // namespace abax::cuda

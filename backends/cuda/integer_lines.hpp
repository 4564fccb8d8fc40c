// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Primitives of products by way of integers on a GPU: what is done to lines, and to the remainders of sums.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/integer_numbers.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/tile/integer.hpp"

namespace abax::cuda {

/// A modulus as threads want it: with an integer's bytes u_i, raised to be without sign, its remainder is that of
/// `base` plus the sum of u_i times the i-th of eight bytes with sign.
struct byte_modulus {
  std::uint32_t low, high;
  std::int32_t base_of_32, base_of_64;
  std::uint32_t value;
  float inverse;
};
struct byte_moduli {
  byte_modulus number[tile::most_moduli];
};
/// 1.5 2^23: the bits of its sums with small integers end in those integers.
inline constexpr std::int32_t integer_bits = 0x4B400000;
inline constexpr float integer_float = 12582912.0F;

constexpr byte_moduli make_byte_moduli() {
  byte_moduli made{};
  for (int t = 0; t < tile::most_moduli; ++t) {
    const int p = tile::moduli[static_cast<std::size_t>(t)];
    const auto centred = [p](int r) { return r > (p - 1) / 2 ? r - p : r; };
    byte_modulus& m = made.number[t];
    int power = 1, half[2] = {};  // 2^31 and 2^63, modulo p
    for (int i = 0; i < 8; ++i) {
      (i < 4 ? m.low : m.high) |= static_cast<std::uint32_t>(centred(power) & 0xFF) << (8 * (i % 4));
      if (i % 4 == 3) half[i / 4] = power * 128 % p;
      power = power * 256 % p;
    }
    m.base_of_32 = integer_bits - centred(half[0]);
    m.base_of_64 = integer_bits - centred(half[1]);
    m.value = static_cast<std::uint32_t>(p);
    m.inverse = 1.0F / static_cast<float>(p);
  }
  return made;
}
inline constexpr byte_moduli byte_moduli_of = make_byte_moduli();

/// c plus the sum of four bytes without sign times four with sign.
KOKKOS_FORCEINLINE_FUNCTION std::int32_t dot_of_bytes(std::uint32_t a, std::uint32_t b, std::int32_t c) {
#ifdef __CUDA_ARCH__
  std::int32_t sum;
  asm("dp4a.u32.s32 %0, %1, %2, %3;\n" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
#else
  for (int i = 0; i < 4; ++i)
    c += static_cast<int>(a >> (8 * i) & 0xFF) * static_cast<std::int8_t>(b >> (8 * i) & 0xFF);
  return c;
#endif
}

/// A word whose lowest byte is that of v's remainder in [-p/2, p/2], for integer_bits + v and |v| < 2^18. Rounded
/// right: v / p is 2^-9 off a half where p is odd, and computed to 2^-13; for p = 256 both ends are the same byte.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t remainder_byte(std::int32_t raised, const byte_modulus& m) {
  const float v = Kokkos::bit_cast<float>(raised) - integer_float;
  const float quotient = Kokkos::fma(v, m.inverse, integer_float);  // integer_bits has no bits in its lowest byte
  return static_cast<std::uint32_t>(raised) - Kokkos::bit_cast<std::uint32_t>(quotient) * m.value;
}
/// The lowest bytes of four words.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lowest_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                       std::uint32_t d) {
#ifdef __CUDA_ARCH__
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
#else
  return (a & 0xFF) | (b & 0xFF) << 8 | (c & 0xFF) << 16 | d << 24;
#endif
}

/// 16 bytes, stored at once.
struct alignas(16) byte_chunk {
  std::uint32_t word[4];
};

template <class T, class Team>
class integer_lines {
  using bits = typename tile::ieee<T>::bits;
  using residues_type = tile::line_residues<T>;

 public:
  using parameters = byte_moduli;
  static constexpr int team_size = 256, residents = 3;
  static std::size_t scratch_bytes() {
    constexpr std::size_t checking =
        sizeof(std::uint64_t) * warps * tile::residue_check::rows_of_team * tile::residue_check::cols_of_team;
    static_assert(checking <= sizeof(T) * staged);
    constexpr std::size_t weighing = sizeof(std::int64_t) * weighing_groups * tile::line_weights::terms_of_team +
                                     sizeof(std::int32_t) * weights_at_once;
    return tile::max<std::size_t>(sizeof(T) * staged, weighing) + 2 * scratch_slack;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void peaks(const Team& team, const parameters&, const tile::matrix<const T>& lines,
                                                bits* peaks) {
    fold_lines<bits>(
        team, lines, [](bits found, index_t, T x) { return tile::max(found, tile::absolute_bits(x)); },
        [](bits a, bits b) { return tile::max(a, b); }, [=](index_t i, bits found) { peaks[i] = found; });
  }

  KOKKOS_FORCEINLINE_FUNCTION static void losses(const Team& team, const tile::line_losses<T>& problem, index_t line,
                                                 const tile::matrix<const T>& lines, std::uint64_t* count) {
    auto* const all = take_scratch<unsigned long long>(team, 1);
    if (team.team_rank() == 0) *all = 0;
    barrier(team);
    fold_lines<std::uint64_t>(
        team, lines,
        [&](std::uint64_t lost, index_t i, T x) {
          const bits largest = problem.peaks.largest_of(line + i);
          if (largest >= tile::ieee<T>::infinity) return lost;
          return lost + (tile::loses_bits(x, tile::shift_of<T>(largest, problem.bits)) ? 1 : 0);
        },
        [](std::uint64_t a, std::uint64_t b) { return a + b; },
        [=](index_t, std::uint64_t lost) { Kokkos::atomic_add(all, static_cast<unsigned long long>(lost)); });
    barrier(team);
    if (team.team_rank() == 0) *count = *all;
  }

  /// 32 lines by 64 terms at a time are brought to scratch, along whichever they are contiguous, and each thread takes
  /// eight terms of a line.
  KOKKOS_FORCEINLINE_FUNCTION static void residues(const Team& team, const parameters& p, const residues_type& problem,
                                                   index_t line, index_t lines, index_t term, index_t terms) {
    static_assert(team_size == tile_lines * groups && residues_type::lines_of_team == tile_lines &&
                  residues_type::terms_of_team % tile_terms == 0);
    T* const staging = take_scratch<T>(team, staged);
    const int l = team.team_rank() / groups, group = team.team_rank() % groups;
    const index_t i = line + l;
    const bool is_line = i < problem.peaks.lines.rows;
    const bits largest = is_line ? problem.peaks.largest_of(i) : 0;
    if (problem.first + term == 0 && is_line && group == 0) problem.largest[i] = largest;
    const bool finite = largest < tile::ieee<T>::infinity;
    const scaling to_grid(tile::shift_of<T>(largest, problem.bits));
    for (index_t at = term; at < term + terms; at += tile_terms) {
      bring(team, problem.peaks.lines, line, problem.first + at, staging);
      barrier(team);
      const index_t to = at + group * group_terms;
      if (l < lines && to < term + terms) {
        std::int64_t q[group_terms];
#pragma unroll
        for (int e = 0; e < group_terms; ++e) {
          const T x = staging[place_in_scratch(l, group * group_terms + e)];
          q[e] = finite ? to_grid(x) : 0;
        }
        if (sizeof(T) == 4 && problem.bits < 31)
          write<true>(p, problem.planes, i, to, q);
        else
          write<false>(p, problem.planes, i, to, q);
      }
      barrier(team);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void copy_bytes(const Team& team, const parameters&,
                                                     const tile::byte_lines& problem, index_t first, index_t lines) {
    auto* const sums = take_scratch<std::uint32_t>(team, tile::byte_lines::lines_of_team);
    for (int l = team.team_rank(); l < lines; l += team_size) sums[l] = 0;
    barrier(team);
    const index_t line_chunks = problem.planes.stride / chunk_terms;
    for (index_t n = team.team_rank(); n < lines * line_chunks; n += team_size) {
      const index_t l = n / line_chunks, i = first + l, p = n % line_chunks * chunk_terms;
      byte_chunk bytes{};
      std::uint32_t sum = 0;
      for (int e = 0; e < chunk_terms; ++e) {
        const bool there = i < problem.lines.rows && p + e < problem.lines.cols;
        const int value = there ? problem.lines(i, p + e) : 0;
        sum += static_cast<std::uint32_t>(value);
        bytes.word[e / 4] |= static_cast<std::uint32_t>(value & 0xFF) << (8 * (e % 4));
      }
      *reinterpret_cast<byte_chunk*>(problem.planes.chunk(0, i, p)) = bytes;
      Kokkos::atomic_add(&sums[l], sum);
    }
    barrier(team);
    for (int l = team.team_rank(); l < lines; l += team_size)
      if (first + l < problem.lines.rows) problem.sums[first + l] = static_cast<std::int32_t>(sums[l]);
  }

  /// A thread takes eight terms of four lines at a time. The bytes of a term become one word, and those of the weights,
  /// the lowest ones first, one word each: four products of words make the term's sum.
  KOKKOS_FORCEINLINE_FUNCTION static void weigh(const Team& team, const parameters&, const tile::line_weights& problem,
                                                int t, index_t first, index_t lines, index_t term, index_t terms,
                                                std::int64_t* weighed) {
    constexpr int group_size = team_size / weighing_groups, own_terms = 8, all_terms = group_size * own_terms;
    static_assert(tile::line_weights::terms_of_team == all_terms);
    auto* const sums = take_scratch<std::int64_t>(team, weighing_groups * all_terms);
    auto* const weights = take_scratch<std::int32_t>(team, weights_at_once);
    const int group = team.team_rank() / group_size, p = team.team_rank() % group_size * own_terms;
    std::int32_t sum[own_terms][4] = {};
    for (index_t some = 0; some < lines; some += weights_at_once) {
      const int count = static_cast<int>(tile::min<index_t>(weights_at_once, lines - some));
      barrier(team);
      for (int l = team.team_rank(); l < weights_at_once; l += team_size)
        weights[l] = l < count ? problem.weight(first + some + l) : 0;
      barrier(team);
      if (p < terms)
        for (int l = 4 * group; l < count; l += 4 * weighing_groups) {
          std::uint32_t lower[4], upper[4], weight[4], byte[4];
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const index_t line = first + some + tile::min(l + e, count - 1);
            const std::uint8_t* const chunk = problem.planes.chunk(t, line, (term + p) / chunk_terms * chunk_terms);
            const auto bytes = *reinterpret_cast<const std::uint64_t*>(chunk + p % chunk_terms);
            lower[e] = static_cast<std::uint32_t>(bytes);
            upper[e] = static_cast<std::uint32_t>(bytes >> 32);
            weight[e] = static_cast<std::uint32_t>(weights[l + e]);
          }
          transpose_bytes(weight, byte);
          add_products(lower, byte, sum);
          add_products(upper, byte, sum + 4);
        }
    }
    if (p < terms)
#pragma unroll
      for (int e = 0; e < own_terms; ++e)
        sums[group * all_terms + p + e] = sum[e][0] + (std::int64_t(sum[e][1]) << 8) + (std::int64_t(sum[e][2]) << 16) +
                                          (std::int64_t(sum[e][3]) << 24);
    barrier(team);
    for (int q = team.team_rank(); q < terms; q += team_size) {
      std::int64_t all = 0;
      for (int g = 0; g < weighing_groups; ++g) all += sums[g * all_terms + q];
      weighed[q] = all;
    }
  }

  /// A thread adds what some terms make of all tiles' products, so that weighed lines are read once for four of them.
  KOKKOS_FORCEINLINE_FUNCTION static void check(const Team& team, const tile::residue_check& problem, int t,
                                                index_t row, int rows, index_t col, int cols) {
    constexpr int most_rows = tile::residue_check::rows_of_team, most_cols = tile::residue_check::cols_of_team;
    constexpr int tiles = most_rows * most_cols;
    auto* const sums = take_scratch<std::uint64_t>(team, warps * tiles);
    std::uint64_t sum[tiles] = {};
    for (index_t q = problem.first + team.team_rank(); q < problem.first + problem.terms; q += team_size) {
      std::uint64_t b[most_cols];
#pragma unroll
      for (int j = 0; j < most_cols; ++j)
        b[j] = static_cast<std::uint64_t>(problem.b.of(t, col + tile::min(j, cols - 1))[q]);
#pragma unroll
      for (int i = 0; i < most_rows; ++i) {
        const auto a = static_cast<std::uint64_t>(problem.a.of(t, row + tile::min(i, rows - 1))[q]);
#pragma unroll
        for (int j = 0; j < most_cols; ++j) sum[i * most_cols + j] += a * b[j];
      }
    }
    const int warp = team.team_rank() / 32;
#pragma unroll
    for (int n = 0; n < tiles; ++n) {
      const std::uint64_t of_warp = sum_of_warp(sum[n]);
      if (team.team_rank() % 32 == 0) sums[warp * tiles + n] = of_warp;
    }
    barrier(team);
    const int i = team.team_rank() / most_cols, j = team.team_rank() % most_cols;
    if (i >= rows || j >= cols) return;
    std::uint64_t all = 0;
    for (int w = 0; w < warps; ++w) all += sums[w * tiles + i * most_cols + j];
    problem.finish(t, row + i, col + j, all);
  }

  /// A thread takes four rows at a time: its remainders by one modulus are a word.
  template <int Count, class Functor>
  KOKKOS_FORCEINLINE_FUNCTION static void finish(const Team& team, const parameters&,
                                                 const tile::residue_sum<T, Count, Functor>& problem, index_t row,
                                                 index_t rows, index_t col, index_t cols) {
    constexpr int some = 4;
    const int groups = static_cast<int>(tile::ceil_div<index_t>(rows, some));
    for (int n = team.team_rank(); n < groups * cols; n += team_size) {
      const index_t i = row + n % groups * some, j = col + n / groups;
      std::uint32_t word[Count];
      const std::uint8_t* const from = problem.remainders + j * problem.stride() + i;
#pragma unroll
      for (int t = 0; t < Count; ++t) word[t] = *reinterpret_cast<const std::uint32_t*>(from + t * problem.plane());
      const bits of_col = problem.largest_b[j];
      const int shift = tile::shift_of<T>(of_col, problem.bits);
      chunk_of results;
#pragma unroll
      for (int e = 0; e < some; ++e) {
        if (i + e >= problem.rows) break;
        const bits of_row = problem.largest_a[i + e];
        const auto remainder = [&](int t) { return word[t] >> (8 * e) & 0xFF; };
        T value;
        if (tile::max(of_row, of_col) >= tile::ieee<T>::infinity ||
            !normal_number_of<T, Count>(remainder, tile::shift_of<T>(of_row, problem.bits) + shift, value)) [[unlikely]]
          value = any_value(problem, i + e, j);
        results.element[e] = problem.result(i + e, j, value);
      }
      T* const to = problem.place(i, j);
      if (problem.product.c.row_stride == 1 && i + some <= problem.rows &&
          reinterpret_cast<std::uintptr_t>(to) % alignof(chunk_of) == 0)
        *reinterpret_cast<chunk_of*>(to) = results;
      else
        for (int e = 0; e < some && i + e < problem.rows; ++e) *problem.place(i + e, j) = results.element[e];
    }
  }

 private:
  static constexpr int weighing_groups = 4, weights_at_once = 256;

  /// to[b] <- byte b of each of four words.
  KOKKOS_FORCEINLINE_FUNCTION static void transpose_bytes(const std::uint32_t (&from)[4], std::uint32_t (&to)[4]) {
#ifdef __CUDA_ARCH__
    const std::uint32_t low01 = __byte_perm(from[0], from[1], 0x5140), low23 = __byte_perm(from[2], from[3], 0x5140),
                        high01 = __byte_perm(from[0], from[1], 0x7362), high23 = __byte_perm(from[2], from[3], 0x7362);
    to[0] = __byte_perm(low01, low23, 0x5410);
    to[1] = __byte_perm(low01, low23, 0x7632);
    to[2] = __byte_perm(high01, high23, 0x5410);
    to[3] = __byte_perm(high01, high23, 0x7632);
#else
    for (int b = 0; b < 4; ++b)
      to[b] = (from[0] >> (8 * b) & 0xFF) | (from[1] >> (8 * b) & 0xFF) << 8 | (from[2] >> (8 * b) & 0xFF) << 16 |
              (from[3] >> (8 * b) & 0xFF) << 24;
#endif
  }
  /// sum[e][b] += byte e of each line's word, with its sign, times byte b of the line's weight.
  KOKKOS_FORCEINLINE_FUNCTION static void add_products(const std::uint32_t (&lines)[4],
                                                       const std::uint32_t (&weights)[4], std::int32_t (*sum)[4]) {
    std::uint32_t of_term[4];
    transpose_bytes(lines, of_term);
#pragma unroll
    for (int e = 0; e < 4; ++e)
#pragma unroll
      for (int b = 0; b < 4; ++b) sum[e][b] = dot_of_bytes(weights[b], of_term[e], sum[e][b]);
  }

  struct alignas(16) chunk_of {
    T element[4];
  };
  static constexpr int warps = team_size / 32;
  static constexpr int tile_lines = 32, tile_terms = 64, group_terms = 8, groups = tile_terms / group_terms;
  static constexpr int chunk_terms = 16;
  /// A line in scratch, a word behind each group: what a warp reads at once lies in different banks.
  static constexpr int scratch_line = tile_terms + groups, staged = tile_lines * scratch_line;

  KOKKOS_FORCEINLINE_FUNCTION static int place_in_scratch(int line, int term) {
    return line * scratch_line + term + term / group_terms;
  }

  /// tile::on_grid in floating point, whose products by powers of two are exact, or less than half the least number
  /// and so far below a half; 2^shift is out of double's own range where T is double.
  struct scaling {
    double by, again;

    KOKKOS_FORCEINLINE_FUNCTION explicit scaling(int shift)
        : by(power_of_two(shift / 2)), again(power_of_two(shift - shift / 2)) {}
    KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(T x) const {
#ifdef __CUDA_ARCH__
      return __double2ll_rn(static_cast<double>(x) * by * again);
#else
      return 0;
#endif
    }
    KOKKOS_FORCEINLINE_FUNCTION static double power_of_two(int exponent) {
      return Kokkos::bit_cast<double>(static_cast<std::int64_t>(exponent + 1023) << 52);
    }
  };

  /// T of any element, also where a line has an infinity or a NaN: not inline, since few elements need it.
  template <class Problem>
  KOKKOS_FUNCTION __noinline__ static T any_value(const Problem& problem, index_t i, index_t j) {
    return problem.value(i, j);
  }

  /// Elements outside are zeros. Neighbouring threads take neighbouring terms, or eight lines each.
  KOKKOS_FORCEINLINE_FUNCTION static void bring(const Team& team, const tile::matrix<const T>& x, index_t line,
                                                index_t term, T* staging) {
    constexpr int each = tile_lines * tile_terms / team_size, some = 8;
    static_assert(team_size == 4 * tile_terms && each == 8);
    const bool along_terms = x.col_stride == 1 || x.row_stride != 1;
    const int thread = team.team_rank();
    const int i = along_terms ? thread / tile_terms : thread % some, odd_line = along_terms ? some / 2 : 0;
    const int p = along_terms ? thread % tile_terms : thread / some, odd_term = along_terms ? 0 : tile_terms / 2;
    const T* const from = x.data + (line + i) * x.row_stride + (term + p) * x.col_stride;
    const index_t odd = odd_line * x.row_stride + odd_term * x.col_stride;
    T element[each];
#pragma unroll
    for (int n = 0; n < each; ++n) {
      const bool there = line + i + n / 2 * some + n % 2 * odd_line < x.rows && term + p + n % 2 * odd_term < x.cols;
      element[n] = there ? from[n / 2 * some * x.row_stride + n % 2 * odd] : T(0);
    }
#pragma unroll
    for (int n = 0; n < each; ++n)
      staging[place_in_scratch(i + n / 2 * some + n % 2 * odd_line, p + n % 2 * odd_term)] = element[n];
  }

  /// The remainders of eight terms by all moduli.
  template <bool Short>
  KOKKOS_FORCEINLINE_FUNCTION static void write(const parameters& p, const tile::byte_planes<std::uint8_t>& planes,
                                                index_t i, index_t term, const std::int64_t (&q)[group_terms]) {
    std::uint8_t* to = planes.chunk(0, i, term / chunk_terms * chunk_terms) + term % chunk_terms;
    const index_t plane = planes.room * planes.stride;
#pragma unroll 1
    for (int t = 0; t < planes.count; ++t) {
      const byte_modulus m = p.number[t];
      std::uint32_t byte[group_terms];
#pragma unroll
      for (int e = 0; e < group_terms; ++e) {
        std::int32_t v;
        if constexpr (Short) {
          v = dot_of_bytes(static_cast<std::uint32_t>(q[e]) ^ 0x80000000U, m.low, m.base_of_32);
        } else {
          const std::uint64_t raised = static_cast<std::uint64_t>(q[e]) ^ (std::uint64_t(1) << 63);
          v = dot_of_bytes(static_cast<std::uint32_t>(raised), m.low, m.base_of_64);
          v = dot_of_bytes(static_cast<std::uint32_t>(raised >> 32), m.high, v);
        }
        byte[e] = remainder_byte(v, m);
      }
      *reinterpret_cast<std::uint64_t*>(to) =
          lowest_bytes(byte[0], byte[1], byte[2], byte[3]) |
          static_cast<std::uint64_t>(lowest_bytes(byte[4], byte[5], byte[6], byte[7])) << 32;
      to += plane;
    }
  }

  /// done(i, value) for each line: all its elements x taken in by value <- take(value, i, x), from 0 on, and what
  /// several threads have of one brought together by join. Neighbouring threads read neighbours in memory.
  template <class Value, class Take, class Join, class Done>
  KOKKOS_FORCEINLINE_FUNCTION static void fold_lines(const Team& team, const tile::matrix<const T>& x, const Take& take,
                                                     const Join& join, const Done& done) {
    constexpr int most = tile::line_peaks<T>::lines_of_team;
    const int thread = team.team_rank();
    if (x.col_stride == 1 || x.row_stride != 1) {  // a warp takes every eighth line
      for (index_t i = thread / 32; i < x.rows; i += warps) {
        Value value = 0;
#pragma unroll 8
        for (index_t p = thread % 32; p < x.cols; p += 32) value = take(value, i, x(i, p));
#ifdef __CUDA_ARCH__
        for (int other = 16; other > 0; other /= 2) value = join(value, __shfl_xor_sync(0xFFFFFFFFU, value, other));
#endif
        if (thread % 32 == 0) done(i, value);
      }
      return;
    }
    constexpr int parts = team_size / most;  // a thread takes a part of one line
    auto* const values = take_scratch<Value>(team, team_size);
    const index_t i = thread % most;
    Value value = 0;
    if (i < x.rows) {
#pragma unroll 8
      for (index_t p = thread / most; p < x.cols; p += parts) value = take(value, i, x(i, p));
    }
    values[thread] = value;
    barrier(team);
    if (thread < most && i < x.rows) {
      for (int other = 1; other < parts; ++other) value = join(value, values[thread + other * most]);
      done(i, value);
    }
  }
};

}  // namespace abax::cuda

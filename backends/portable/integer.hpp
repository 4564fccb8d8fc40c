// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Primitives of products by way of integers in plain Kokkos.
#include <Kokkos_Core.hpp>

#include "abax/detail/tile/integer.hpp"

namespace abax::portable {

template <class Team>
struct integer_lines {
  struct parameters {};
  static std::size_t scratch_bytes() { return 0; }

  template <class T>
  KOKKOS_FUNCTION static void peaks(const Team& team, const parameters&, const tile::matrix<const T>& lines,
                                    typename tile::ieee<T>::bits* peaks) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(lines.rows)), [&](int i) {
      typename tile::ieee<T>::bits largest = 0;
      for (index_t p = 0; p < lines.cols; ++p) largest = tile::max(largest, tile::absolute_bits(lines(i, p)));
      peaks[i] = largest;
    });
  }

  /// Four terms of a line at a time, whose remainders by one modulus are a word.
  template <class T>
  KOKKOS_FUNCTION static void residues(const Team& team, const parameters&, const tile::line_residues<T>& problem,
                                       index_t line, index_t lines, index_t term, index_t terms) {
    constexpr int word = 4;
    const tile::matrix<const T>& x = problem.peaks.lines;
    const int words = static_cast<int>(terms / word);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(lines) * words), [&](int e) {
      const index_t i = line + e / words, p = term + word * (e % words), first = problem.first + p;
      const auto largest = problem.peaks.largest_of(i);
      if (first == 0) problem.largest[i] = largest;
      const int shift = tile::shift_of<T>(largest, problem.bits);
      const bool finite = largest < tile::ieee<T>::infinity;
      std::int64_t q[word];
      for (int w = 0; w < word; ++w) {
        const bool there = first + w < x.cols;
        const T element = there ? x(i, first + w) : T(0);
        q[w] = there && finite ? tile::on_grid(element, shift) : 0;
      }
      for (int t = 0; t < problem.planes.count; ++t) {
        const tile::modulus m = tile::modulus_number(t);
        std::uint8_t* to = problem.planes.line(t, i) + p;
        for (int w = 0; w < word; ++w) {
          const int r = tile::remainder_of(q[w], m);
          to[w] = problem.are_unsigned ? tile::unsigned_remainder(r, m.value) : static_cast<std::uint8_t>(r);
        }
      }
    });
  }

  template <class T>
  KOKKOS_FUNCTION static void losses(const Team& team, const tile::line_losses<T>& problem, index_t line,
                                     const tile::matrix<const T>& lines, std::uint64_t* count) {
    std::uint64_t all = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<int>(lines.rows)),
        [&](int i, std::uint64_t& lost) {
          lost += tile::losses_of(lines, i, problem.peaks.largest_of(line + i), problem.bits);
        },
        all);
    Kokkos::single(Kokkos::PerTeam(team), [&] { *count = all; });
  }

  KOKKOS_FUNCTION static void copy_bytes(const Team& team, const parameters&, const tile::byte_lines& problem,
                                         index_t first, index_t lines) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(lines)), [&](int l) {
      const index_t i = first + l;
      std::uint8_t* const line = problem.planes.line(0, i);
      std::uint32_t sum = 0;
      for (index_t p = 0; p < problem.planes.stride; ++p) {
        const int value = p < problem.lines.cols ? problem.lines(i, p) : 0;
        sum += static_cast<std::uint32_t>(value);
        line[p] = static_cast<std::uint8_t>(problem.are_unsigned && p < problem.lines.cols ? value + 128 : value);
      }
      problem.sums[i] = static_cast<std::int32_t>(sum);
    });
  }
  KOKKOS_FUNCTION static void weigh(const Team& team, const parameters&, const tile::line_weights& problem, int t,
                                    index_t first, index_t lines, index_t term, index_t terms, std::int64_t* weighed) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(terms)), [&](int p) {
      std::int64_t sum = 0;
      for (index_t i = first; i < first + lines; ++i) {
        const std::uint8_t byte = problem.planes.line(t, i)[term + p];
        const int value = problem.are_unsigned ? int(byte) : int(static_cast<std::int8_t>(byte));
        sum += std::int64_t(value) * problem.weight(i);
      }
      weighed[p] = sum;
    });
  }

  KOKKOS_FUNCTION static void check(const Team& team, const tile::residue_check& problem, int t, index_t row, int rows,
                                    index_t col, int cols) {
    for (int tile = 0; tile < rows * cols; ++tile) {
      const index_t i = row + tile % rows, j = col + tile / rows;
      const std::int64_t *a = problem.a.of(t, i) + problem.first, *b = problem.b.of(t, j) + problem.first;
      std::uint64_t all = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, static_cast<int>(problem.terms)),
          [&](int q, std::uint64_t& sum) {
            sum += static_cast<std::uint64_t>(a[q]) * static_cast<std::uint64_t>(b[q]);
          },
          all);
      if (team.team_rank() == 0) problem.finish(t, i, j, all);
    }
  }

  template <class T, int Count, class Functor>
  KOKKOS_FUNCTION static void finish(const Team& team, const parameters&,
                                     const tile::residue_sum<T, Count, Functor>& problem, index_t row, index_t rows,
                                     index_t col, index_t cols) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(rows * cols)), [&](int e) {
      const index_t i = row + e % rows, j = col + e / rows;
      problem.finish(i, j, problem.value(i, j));
    });
  }
};

/// Both operands' remainders are centred ones.
template <class Team>
class residue_product {
 public:
  struct parameters {};
  static constexpr tile::residue_tile_shape shape{.rows = 32, .cols = 32};
  static index_t teams(index_t tiles, int) { return tiles; }
  static std::size_t scratch_bytes() { return sums_bytes + 64; }

  /// work(tile) by the team's threads, for the tiles that follow.
  template <class Work>
  KOKKOS_FUNCTION static void run(const Team& team, const parameters& p, const tile::residue_product& problem,
                                  const Work& work) {
    residue_product tile(team, p, problem);
    work(tile);
  }

  KOKKOS_FUNCTION residue_product(const Team& team, const parameters&, const tile::residue_product& problem)
      : problem_(problem),
        sums_(static_cast<std::int32_t*>(team.team_shmem().get_shmem_aligned(std::size_t(sums_bytes), 64))) {}
  /// The tile that follows.
  KOKKOS_FUNCTION void begin(int t, index_t row, index_t col) {
    modulus_ = tile::modulus_number(t);
    t_ = t;
    row_ = row;
    col_ = col;
    rows_ = static_cast<int>(tile::min<index_t>(shape.rows, problem_.rows() - row));
    cols_ = static_cast<int>(tile::min<index_t>(shape.cols, problem_.cols() - col));
  }

  /// v C w of the tile, modulo 2^64; all threads get it.
  KOKKOS_FUNCTION std::uint64_t weighed_sum(const Team& team) const {
    std::uint64_t all = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, rows_ * cols_),
        [&](int e, std::uint64_t& sum) {
          const std::int64_t of_row = std::int64_t(sums_[e]) * tile::row_weight(row_ + e % rows_);
          sum += static_cast<std::uint64_t>(of_row) * static_cast<std::uint64_t>(tile::col_weight(col_ + e / rows_));
        },
        all);
    return all;
  }

  KOKKOS_FUNCTION void multiply(const Team& team) const {
    each(team, [&](int i, int j, std::int32_t& sum) {
      const std::uint8_t *a = problem_.a.line(t_, row_ + i) + problem_.first,
                         *b = problem_.b.line(t_, col_ + j) + problem_.first;
      std::uint32_t s = 0;
      for (index_t q = 0; q < problem_.terms; ++q)
        s += static_cast<std::uint32_t>(signed_byte(a + q) * signed_byte(b + q));
      sum = static_cast<std::int32_t>(s);
    });
  }
  /// use(i, j, sum) for each of the tile's sums.
  template <class Use>
  KOKKOS_FUNCTION void each_sum(const Team& team, const Use& use) const {
    each(team, [&](int i, int j, std::int32_t& sum) { use(i, j, sum); });
  }
  KOKKOS_FUNCTION void store(const Team& team) const {
    each(team, [&](int i, int j, std::int32_t& sum) {
      const std::int32_t all = sum + (problem_.adds ? c(i, j) : 0);
      c(i, j) = tile::unsigned_remainder(tile::remainder_of(all, modulus_), modulus_.value);
    });
  }

 private:
  static constexpr std::size_t sums_bytes = sizeof(std::int32_t) * shape.rows * shape.cols;

  KOKKOS_FUNCTION static std::int32_t signed_byte(const std::uint8_t* p) { return static_cast<std::int8_t>(*p); }
  /// Each element is one thread's from the first step to the last: nothing needs a barrier.
  template <class Work>
  KOKKOS_FUNCTION void each(const Team& team, const Work& work) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows_ * cols_),
                         [&](int e) { work(e % rows_, e / rows_, sums_[e]); });
  }
  KOKKOS_FUNCTION std::uint8_t& c(int i, int j) const { return *problem_.remainders(t_, row_ + i, col_ + j); }

  const tile::residue_product& problem_;
  tile::modulus modulus_;
  int t_;
  index_t row_, col_;
  int rows_, cols_;
  std::int32_t* sums_;
};

}  // namespace abax::portable

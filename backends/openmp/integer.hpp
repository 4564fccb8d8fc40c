// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Primitives of products by way of integers on a CPU core: thin calls into its loops.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "abax/detail/backends/openmp/integer_kernels.hpp"
#include "abax/detail/backends/openmp/machine.hpp"
#include "abax/detail/backends/openmp/memory.hpp"
#include "abax/detail/backends/openmp/team.hpp"
#include "abax/detail/tile/integer.hpp"

namespace abax::openmp {

template <class T, class Team>
struct integer_lines {
  struct parameters {
    const kernel_set<T>* loops;
    const integer_kernels* integers;

    KOKKOS_FUNCTION const integer_line_kernels<T>& lines() const { return integers->template lines<T>(); }
  };
  using problem_type = tile::line_residues<T>;
  static constexpr index_t staged = problem_type::lines_of_team * problem_type::terms_of_team;
  static std::size_t scratch_bytes() { return staged * sizeof(T) + alignment_slack; }

  KOKKOS_FUNCTION static void peaks(const Team&, const parameters& p, const tile::matrix<const T>& lines,
                                    typename tile::ieee<T>::bits* peaks) {
    std::fill_n(peaks, lines.rows, 0);
    p.lines().peaks(lines.rows, lines.cols, lines.data, lines.row_stride, lines.col_stride, peaks);
  }

  /// Lines whose terms do not follow one another are copied to scratch first.
  KOKKOS_FUNCTION static void residues(const Team& team, const parameters& p, const problem_type& problem, index_t line,
                                       index_t lines, index_t term, index_t padded) {
    const tile::matrix<const T>& x = problem.peaks.lines;
    const index_t first = problem.first + term;
    const index_t terms = tile::max<index_t>(0, tile::min(padded, x.cols - first));
    tile::matrix<const T> staged = x.block(line, tile::min(first, x.cols), lines, terms);
    if (x.col_stride != 1 && terms > 0) {
      T* const copy = take<T>(team, integer_lines::staged);
      p.loops->copy(lines, terms, staged.data, staged.row_stride, staged.col_stride, copy, problem_type::terms_of_team,
                    1);
      staged = {copy, lines, terms, problem_type::terms_of_team, 1};
    }
    for (index_t i = 0; i < lines; ++i) {
      const auto largest = problem.peaks.largest_of(line + i);
      if (first == 0) problem.largest[line + i] = largest;
      const bool finite = largest < tile::ieee<T>::infinity;
      const T* const elements = staged.data + i * staged.row_stride;
      const int shift = tile::shift_of<T>(largest, problem.bits);
      p.lines().residues({elements, finite ? terms : 0, padded, shift, problem.planes.count, problem.are_unsigned,
                          problem.planes.line(0, line + i) + term, problem.planes.room * problem.planes.stride});
    }
  }

  KOKKOS_FUNCTION static void losses(const Team&, const tile::line_losses<T>& problem, index_t line,
                                     const tile::matrix<const T>& lines, std::uint64_t* count) {
    *count = 0;
    for (index_t i = 0; i < lines.rows; ++i)
      *count += tile::losses_of(lines, i, problem.peaks.largest_of(line + i), problem.bits);
  }

  /// By bytes: lines whose terms do not follow one another are read a term of all lines at a time.
  KOKKOS_FUNCTION static void copy_bytes(const Team&, const parameters&, const tile::byte_lines& problem, index_t first,
                                         index_t lines) {
    const tile::matrix<const std::int8_t> x = problem.lines.block(first, 0, lines, problem.lines.cols);
    const int raise = problem.are_unsigned ? 128 : 0;
    std::uint32_t sums[tile::byte_lines::lines_of_team] = {};
    const auto take = [&](index_t i, index_t p) {
      const int value = x(i, p);
      problem.planes.line(0, first + i)[p] = static_cast<std::uint8_t>(value + raise);
      sums[i] += static_cast<std::uint32_t>(value);
    };
    if (x.col_stride == 1)
      for (index_t i = 0; i < lines; ++i)
        for (index_t p = 0; p < x.cols; ++p) take(i, p);
    else
      for (index_t p = 0; p < x.cols; ++p)
        for (index_t i = 0; i < lines; ++i) take(i, p);
    for (index_t i = 0; i < lines; ++i) {
      std::fill(problem.planes.line(0, first + i) + x.cols, problem.planes.line(0, first + i + 1), 0);
      problem.sums[first + i] = static_cast<std::int32_t>(sums[i]);
    }
  }
  KOKKOS_FUNCTION static void weigh(const Team&, const parameters& p, const tile::line_weights& problem, int t,
                                    index_t first, index_t lines, index_t term, index_t terms, std::int64_t* weighed) {
    constexpr index_t some = 64;
    std::int32_t weights[some];
    std::fill_n(weighed, terms, 0);
    for (index_t i = first; i < first + lines; i += some) {
      const index_t count = tile::min(some, first + lines - i);
      for (index_t l = 0; l < count; ++l) weights[l] = problem.weight(i + l);
      p.integers->weigh_lines(terms, count, problem.planes.line(t, i) + term, problem.planes.stride,
                              problem.are_unsigned, weights, weighed);
    }
  }

  KOKKOS_FUNCTION static void check(const Team&, const tile::residue_check& problem, int t, index_t row, int rows,
                                    index_t col, int cols) {
    for (index_t j = col; j < col + cols; ++j)
      for (index_t i = row; i < row + rows; ++i) {
        const std::int64_t *a = problem.a.of(t, i) + problem.first, *b = problem.b.of(t, j) + problem.first;
        std::uint64_t sum = 0;
        for (index_t q = 0; q < problem.terms; ++q)
          sum += static_cast<std::uint64_t>(a[q]) * static_cast<std::uint64_t>(b[q]);
        problem.finish(t, i, j, sum);
      }
  }

  template <int Count, class Functor>
  KOKKOS_FUNCTION static void finish(const Team&, const parameters& p,
                                     const tile::residue_sum<T, Count, Functor>& problem, index_t row, index_t rows,
                                     index_t col, index_t cols) {
    constexpr int most = tile::residue_sum<T, Count, Functor>::rows_of_team;
    const auto numbers = p.lines().numbers[Count - tile::fewest_moduli<T>];
    int shifts[most];
    bool finite = numbers != nullptr;
    for (index_t i = 0; i < rows; ++i) {
      shifts[i] = tile::shift_of<T>(problem.largest_a[row + i], problem.bits);
      finite = finite && problem.largest_a[row + i] < tile::ieee<T>::infinity;
    }
    T values[most];
    for (index_t j = col; j < col + cols; ++j) {
      std::uint8_t missed[most] = {};
      if (finite && problem.largest_b[j] < tile::ieee<T>::infinity)
        numbers({rows, problem.remainders + j * problem.stride() + row, problem.plane(), shifts,
                 tile::shift_of<T>(problem.largest_b[j], problem.bits), values, missed});
      else
        std::fill_n(missed, rows, 1);
      for (index_t i = 0; i < rows; ++i)
        problem.finish(row + i, j, missed[i] != 0 ? problem.value(row + i, j) : values[i]);
    }
  }
};

/// The memory of such a product. The calling thread keeps some for its next one: the system clears the pages of new
/// memory, which takes a quarter as long as a product of 2048 does.
class integer_workspace {
 public:
  template <class Instance>
  integer_workspace(const Instance& exec, std::size_t bytes, index_t)
      : memory_(std::move(kept_buffer<integer_workspace>())), most_kept_(preferred(exec)) {
    memory_.grow(bytes);
  }
  ~integer_workspace() {
    if (memory_.size() <= most_kept_) kept_buffer<integer_workspace>() = std::move(memory_);
  }
  integer_workspace(const integer_workspace&) = delete;

  void* sums() const { return memory_.data(); }
  /// What a product should do with where it costs little: as much as is kept.
  template <class Instance>
  static std::size_t preferred(const Instance& exec) {
    constexpr std::size_t each = 64, least = 2 * each, most = 1024;  // megabytes
    return tile::min(most, tile::max(least, static_cast<std::size_t>(exec.threads()) * each)) << 20;
  }

 private:
  buffer memory_;
  std::size_t most_kept_;
};

/// A tile's sums in scratch, and panels of a's lines for some terms at a time. a's remainders are unsigned, b's
/// centred.
template <class Team>
class residue_product {
 public:
  struct parameters {
    const kernel_set<float>* loops;
    const integer_kernels* integers;
  };
  static constexpr tile::residue_tile_shape shape{.rows = 256, .cols = 512};
  static index_t teams(index_t tiles, int) { return tiles; }
  static std::size_t scratch_bytes() {
    return shape.rows * (sizeof(std::int32_t) * shape.cols + panel_terms) + 2 * alignment_slack;
  }

  /// work(tile) by the team's threads, for the tiles that follow.
  template <class Work>
  KOKKOS_FUNCTION static void run(const Team& team, const parameters& p, const tile::residue_product& problem,
                                  const Work& work) {
    residue_product tile(team, p, problem);
    work(tile);
  }

  KOKKOS_FUNCTION residue_product(const Team& team, const parameters& parameters, const tile::residue_product& problem)
      : parameters_(parameters),
        problem_(problem),
        sums_(take<std::int32_t>(team, index_t(shape.rows) * shape.cols)),
        panels_(take<std::uint8_t>(team, shape.rows * panel_terms)) {}
  /// The tile that follows.
  KOKKOS_FUNCTION void begin(int t, index_t row, index_t col) {
    t_ = t;
    row_ = row;
    col_ = col;
    rows_ = tile::min<index_t>(shape.rows, problem_.rows() - row);
    cols_ = tile::min<index_t>(shape.cols, problem_.cols() - col);
  }

  /// v C w of the tile, modulo 2^64.
  KOKKOS_FUNCTION std::uint64_t weighed_sum(const Team&) const {
    std::int32_t rows[shape.rows], cols[shape.cols];
    for (index_t i = 0; i < rows_; ++i) rows[i] = tile::row_weight(row_ + i);
    for (index_t j = 0; j < cols_; ++j) cols[j] = tile::col_weight(col_ + j);
    return parameters_.integers->weigh_sums(rows_, cols_, sums_, shape.rows, rows, cols);
  }

  KOKKOS_FUNCTION void multiply(const Team&) const {
    std::fill_n(sums_, shape.rows * cols_, 0);
    const integer_kernels& loops = *parameters_.integers;
    const index_t width = loops.rows, panels = tile::ceil_div(rows_, width);
    for (index_t p = problem_.first, end = p + problem_.terms; p < end; p += panel_terms) {
      const index_t words =
          tile::ceil_div<index_t>(tile::min(panel_terms, end - p), 64) * (64 / word);  // lines end in 0
      for (index_t q = 0; q < panels; ++q) pack(q * width, width, p, words, panels_ + q * width * words * word);
      loops.multiply_add(panels, cols_, words, panels_, problem_.b.line(t_, col_) + p, problem_.b.stride, sums_,
                         shape.rows);
    }
  }
  template <class Use>
  KOKKOS_FUNCTION void each_sum(const Team&, const Use& use) const {
    for (index_t j = 0; j < cols_; ++j)
      for (index_t i = 0; i < rows_; ++i) use(i, j, sums(j)[i]);
  }
  KOKKOS_FUNCTION void store(const Team&) const {
    for (index_t j = 0; j < cols_; ++j) {
      if (problem_.adds)
        for (index_t i = 0; i < rows_; ++i) sums(j)[i] += c(j)[i];
      parameters_.integers->reduce(rows_, sums(j), t_, c(j));
    }
  }

 private:
  static constexpr index_t word = 4, panel_terms = 512;

  /// Four terms are a word, and words are transposed: those of a panel's lines become neighbours.
  KOKKOS_FUNCTION void pack(index_t line, index_t width, index_t p, index_t words, std::uint8_t* panel) const {
    const index_t lines = tile::min(width, rows_ - line);
    if (lines < width) std::fill_n(panel, width * words * word, 0);
    parameters_.loops->copy(lines, words, reinterpret_cast<const float*>(problem_.a.line(t_, row_ + line) + p),
                            problem_.a.stride / word, 1, reinterpret_cast<float*>(panel), 1, width);
  }
  KOKKOS_FUNCTION std::int32_t* sums(index_t j) const { return sums_ + j * shape.rows; }
  KOKKOS_FUNCTION std::uint8_t* c(index_t j) const { return problem_.remainders(t_, row_, col_ + j); }

  const parameters& parameters_;
  const tile::residue_product& problem_;
  int t_;
  index_t row_, col_, rows_, cols_;
  std::int32_t* sums_;
  std::uint8_t* panels_;
};

/// The rows of these: one each.
template <class T>
struct simd_integer_lines {
  using primitives = integer_lines<T, member>;
  static constexpr const char* name = "integer lines";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const auto&, const machine& m) {
    return {&m.template loops<T>(), &integer_loops()};
  }
};
struct simd_residue_product {
  using primitives = residue_product<member>;
  static constexpr const char* name = "residue product";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const auto&, const machine& m) {
    return {&m.template loops<float>(), &integer_loops()};
  }
};

}  // namespace abax::openmp

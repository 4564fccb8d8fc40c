// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm primitives on the FMA units: both operands in scratch, a register tile a thread.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/epilogue.hpp"
#include "abax/detail/backends/cuda/pipeline.hpp"
#include "abax/detail/backends/cuda/ring.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/backends/cuda/scratch_lines.hpp"
#include "abax/detail/backends/cuda/tile_copy.hpp"
#include "abax/detail/backends/cuda/transposing_copy.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::cuda {

/// A team of warp_rows x warp_cols warps, whose lanes each have group_rows x group_cols groups of 4 x 4 outputs.
struct simt_shape {
  int warp_rows, warp_cols;    ///< warps of a team
  int group_rows, group_cols;  ///< groups of a lane
  int depth;                   ///< terms of a stage
  int residents;               ///< teams of a multiprocessor
};

/// A team of WarpRows x WarpCols warps. The lanes of a warp lie 8 x 4, and a lane's outputs are GroupRows x GroupCols
/// groups of 4 x 4: a warp owns (32 GroupRows) x (16 GroupCols) outputs.
///
/// Lanes 2i and 2i + 1 hold the same columns, lanes i and i + 2 of four the same rows: a 16-byte access takes half a
/// warp in one wavefront where such pairs read the same words, a quarter where they do not.
///
/// Two stages: while one is multiplied, the next arrives, by cp.async where the operand's outer index is contiguous,
/// through registers (which transposes it) where k is. Scratch holds both operands as [term][outer]. The operands of
/// the next term are loaded while this one's are multiplied, also across stages: a stage is awaited before the last
/// term of the one before.
template <class T, simt_shape Shape, along A, along B, int Width, class Team, class Functor = tile::no_functor>
class simt_product {
  static constexpr int WarpRows = Shape.warp_rows, WarpCols = Shape.warp_cols;
  static constexpr int GroupRows = Shape.group_rows, GroupCols = Shape.group_cols, Depth = Shape.depth;

 public:
  static constexpr int rows = 32 * GroupRows * WarpRows, cols = 16 * GroupCols * WarpCols;
  static constexpr int team_size = 32 * WarpRows * WarpCols;
  static constexpr int residents = Shape.residents;

  template <class Other>
  using ending_in = simt_product<T, Shape, A, B, Width, Team, Other>;
  using parameters = product_parameters;
  /// Joins block sums of this tile: how the operands lay is over by then.
  using joiner = simt_product<T, Shape, along::outer, along::outer, 1, Team>;
  static constexpr bool finishes = false;

  static std::size_t scratch_bytes(const parameters& p) { return sizeof(T) * scratch_elements(p) + scratch_slack; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows * cols; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION simt_product(const Team& team, const parameters& parameters,
                                           const tile::product<T, Functor>& problem, int row_tile, int col_tile)
      : thread_(team.team_rank()),
        row_(thread_ / 32 % WarpRows * (32 * GroupRows) + lane_row(thread_) * 4),
        col_(thread_ / 32 / WarpRows * (16 * GroupCols) + lane_col(thread_) * 4),
        problem_(problem),
        row_tile_(row_tile),
        col_tile_(col_tile),
        a_(problem.a.block(index_t(row_tile) * rows, 0, rows, problem.a.cols), thread_),
        b_(problem.b.block(0, index_t(col_tile) * cols, problem.b.rows, cols).transposed(), thread_),
        scratch_(take_scratch<T>(team, scratch_elements(parameters))),
        ring_(scratch_) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  using stage_type = int;  // where it begins in scratch

  KOKKOS_FORCEINLINE_FUNCTION void start(const Team& team, index_t begin, index_t end) {
    a_.skip(begin);
    b_.skip(begin);
    to_fetch_.start(begin, end, a_.whole() && b_.whole());
    fetch(ring_.upcoming());
    prefetch_output<team_size>(thread_, output(), problem_.epilogue, begin, end);
    land(0, 1);
    advance(team);
  }

  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team&) const { return ready_; }

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
#pragma unroll
    for (int e = 0; e < outputs; ++e) part_[e] = T(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team& team, stage_type stage, int terms) {
    static_assert(Depth % 2 == 0);
    if (terms == Depth) {
#pragma unroll
      for (int q = 0; q < Depth; ++q) {
        if (q + 1 < Depth) {
          load((q + 1) & 1, stage, q + 1);
          if (q >= landing) land(q - landing, Depth - 1 - landing);
        } else {
          advance(team);
        }
        multiply_add(q & 1);
      }
    } else {  // the last stage of all; terms beyond k must not be touched
#pragma unroll 1
      for (int q = 0; q < terms; ++q) {
        load(0, stage, q);
        multiply_add(0);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void fold(bool first, bool last) {
    T* total = scratch_ + ring_type::elements + thread_;  // each thread its own, a warp side by side
    if (!first) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) part_[e] = total[e * team_size] + part_[e];
    }
    if (!last) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) total[e * team_size] = part_[e];
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, T* sums) const {
#pragma unroll
    for (int e = 0; e < outputs; ++e) sums[e * team_size + thread_] = part_[e];
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team&, const T* sums) {
#pragma unroll
    for (int e = 0; e < outputs; ++e) part_[e] = sums[e * team_size + thread_];
  }

  KOKKOS_FORCEINLINE_FUNCTION void join(const Team& team, const T* sums, int blocks) {
    tile::join_by_loading(*this, team, sums, blocks);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Team& team) const {
    const tile::matrix<T> c = output();
    if constexpr (outputs <= 64)
      if (c.rows >= rows && wide_access(c.data, c.row_stride, c.col_stride))
        return problem_.epilogue.beta == T(0) ? store_by_fours<false>(c) : store_by_fours<true>(c);
    store_by_strips(team, c);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    cuda::store_without_product<team_size>(thread_, output(), problem_, first_row(), first_col());
  }

 private:
  // part_[((i GroupCols + j) 4 + y) 4 + x] is row 32 i + x, column 16 j + y of a thread
  static constexpr int outputs = 16 * GroupRows * GroupCols;
  static constexpr int landing = Depth * 3 / 4;  // the term from which on the next stage moves to scratch

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lane_row(int thread) { return thread % 2 + thread % 32 / 8 * 2; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lane_col(int thread) { return thread % 8 / 2; }
  static_assert(sizeof(T) > 4 || tile::banks::free_of_conflicts(16, [](int l) { return 16 * lane_row(l); }));
  static_assert(sizeof(T) > 4 || tile::banks::free_of_conflicts(16, [](int l) { return 16 * lane_col(l); }));

  // A transposing store writes two terms at once: the padding takes them to different banks; 16-byte loads stay
  // aligned.
  using lines_a = scratch_lines<rows, A == along::terms ? 16 / sizeof(T) : 0>;
  using lines_b = scratch_lines<cols, B == along::terms ? 16 / sizeof(T) : 0>;
  using ring_type = ring<T, 2, Depth*(lines_a::ld + lines_b::ld)>;
  // One group of columns of each warp.
  using strip_type = strip<T, rows, 16 * WarpCols, team_size>;
  static_assert(strip_type::elements <= ring_type::elements);
  static_assert(sizeof(T) > 4 || tile::banks::free_of_conflicts(16, [](int l) {
                  return 4 * strip_type::offset(4 * lane_col(l), 4 * lane_row(l));
                }));
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t scratch_elements(const parameters& p) {
    return ring_type::elements + (p.several_blocks ? outputs * team_size : 0);
  }

  template <along Direction, int Outer>
  using copy_type = std::conditional_t<Direction == along::outer,
                                       tile_copy<T, Direction, Width, Outer, Depth, team_size, tile_stride<Width>>,
                                       transposing_copy<T, Width, Outer, Depth, team_size>>;

  template <int Groups>
  struct fragment {
    pack<T, 4> group[Groups];
  };

  KOKKOS_FORCEINLINE_FUNCTION void load(int f, stage_type stage, int q) {
#pragma unroll
    for (int i = 0; i < GroupRows; ++i)
      fragment_a_[f].group[i] = *reinterpret_cast<const pack<T, 4>*>(ring_.at(stage) + row_ + q * lines_a::ld + 32 * i);
#pragma unroll
    for (int j = 0; j < GroupCols; ++j)
      fragment_b_[f].group[j] =
          *reinterpret_cast<const pack<T, 4>*>(ring_.at(stage) + Depth * lines_a::ld + col_ + q * lines_b::ld + 16 * j);
  }
  // Back and forth over the rows, so that each FMA shares an operand with the one before: the register file delivers
  // two new operands a cycle, not three.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(int f) {
#pragma unroll
    for (int c = 0; c < 4 * GroupCols; ++c)
#pragma unroll
      for (int s = 0; s < 4 * GroupRows; ++s) {
        const int r = c % 2 == 0 ? s : 4 * GroupRows - 1 - s, i = r / 4, x = r % 4, j = c / 4, y = c % 4;
        T& sum = part_[((i * GroupCols + j) * 4 + y) * 4 + x];
        sum = Kokkos::fma(fragment_a_[f].group[i].element[x], fragment_b_[f].group[j].element[y], sum);
      }
  }

  // The next stage becomes the one that is read, and its first term's operands are loaded.
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team) {
    ready_ = ring_.await(team);
    load(0, ready_, 0);
    fetch(ring_.freed(ready_));
  }

  // One of `parts` parts of the next stage moves from registers to scratch.
  KOKKOS_FORCEINLINE_FUNCTION void land(int part, int parts) {
    if constexpr (A == along::terms) a_.template land<lines_a>(ring_.upcoming(), part, parts);
    if constexpr (B == along::terms) b_.template land<lines_b>(ring_.upcoming() + Depth * lines_a::ld, part, parts);
  }

  KOKKOS_FORCEINLINE_FUNCTION void fetch(T* to) {
    constexpr bool asks = Width == 1;  // wide copies would cost whole tiles more than they gained in incomplete ones
    if (to_fetch_.take()) [[likely]] {
      if constexpr (A == along::outer)
        a_.template copy_whole<lines_a, asks>(to);
      else
        a_.fetch();
      if constexpr (B == along::outer)
        b_.template copy_whole<lines_b, asks>(to + Depth * lines_a::ld);
      else
        b_.fetch();
    } else {
      to_fetch_.make_up([&](int terms) {
        if constexpr (A == along::outer)
          a_.template copy_part<lines_a>(to, terms);
        else
          a_.fetch_part(terms);
        if constexpr (B == along::outer)
          b_.template copy_part<lines_b>(to + Depth * lines_a::ld, terms);
        else
          b_.fetch_part(terms);
      });
    }
    commit_copies();
  }

  // Computed when it is needed: held through the main loop it would cost registers.
  KOKKOS_FORCEINLINE_FUNCTION tile::matrix<T> output() const {
    return problem_.c.block(first_row(), first_col(), rows, cols);
  }
  KOKKOS_FORCEINLINE_FUNCTION index_t first_row() const { return index_t(row_tile_) * rows; }
  KOKKOS_FORCEINLINE_FUNCTION index_t first_col() const { return index_t(col_tile_) * cols; }
  /// What C gets at (row, col) of the tile.
  KOKKOS_FORCEINLINE_FUNCTION T ended(int row, int col, T value) const {
    return problem_.ended(first_row() + row, first_col() + col, value);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store_by_strips(const Team& team, const tile::matrix<T>& c) const {
    const int first = thread_ / 32 / WarpRows * 16 + lane_col(thread_) * 4;  // of this thread's columns in a strip
#pragma unroll
    for (int j = 0; j < GroupCols; ++j) {
      barrier(team);  // no thread reads scratch any longer
#pragma unroll
      for (int i = 0; i < GroupRows; ++i)
#pragma unroll
        for (int y = 0; y < 4; ++y) {
          // Chosen here already: sums that are stored as they are would stay in aligned quads of registers, and the
          // main loop's multiply-adds then meet in the banks of the register file (NT and TN at 4096 lost a tenth).
          const T* const part = part_ + ((i * GroupCols + j) * 4 + y) * 4;
          const T sums[4] = {tile::canonical(part[0]), tile::canonical(part[1]), tile::canonical(part[2]),
                             tile::canonical(part[3])};
          store_four(scratch_ + strip_type::offset(first + y, row_ + 32 * i), sums);
        }
      barrier(team);
      strip_type::store(
          thread_, scratch_, [j](int s) { return (s / 16 * GroupCols + j) * 16 + s % 16; }, c, problem_.epilogue,
          [this](int row, int col, T value) { return ended(row, col, value); });
    }
  }
  template <bool Reads>
  KOKKOS_FORCEINLINE_FUNCTION tile::epilogue<T> epilogue() const {
    return {problem_.epilogue.alpha, Reads ? problem_.epilogue.beta : T(0)};
  }
  // For few outputs a thread: the stores of a short product overlap with other teams' work sooner. No question is asked
  // twice: what is not executed must not lie between what is, or fetching instructions takes longer than storing.
  template <bool Reads>
  KOKKOS_FORCEINLINE_FUNCTION void store_by_fours(const tile::matrix<T>& c) const {
    using four = pack<T, 4>;
    const int cols_left = static_cast<int>(c.cols) - col_;
    T* const first = &c(row_, col_);
#pragma unroll
    for (int j = 0; j < GroupCols; ++j) {
      const auto each = [&](const auto& visit) {
#pragma unroll
        for (int y = 0; y < 4; ++y)
          if (16 * j + y < cols_left) {
#pragma unroll
            for (int i = 0; i < GroupRows; ++i)
              visit(y, i, *reinterpret_cast<four*>(first + (16 * j + y) * c.col_stride + 32 * i));
          }
      };
      four old[4][GroupRows] = {};  // all of them are loaded before the first is stored, so that the loads overlap
      if constexpr (Reads) each([&](int y, int i, const four& at) { old[y][i] = at; });
      each([&](int y, int i, four& at) {
        const T* const sums = part_ + ((i * GroupCols + j) * 4 + y) * 4;
        four out;
#pragma unroll
        for (int x = 0; x < 4; ++x)
          out.element[x] =
              ended(row_ + 32 * i + x, col_ + 16 * j + y, epilogue<Reads>()(sums[x], &old[y][i].element[x]));
        at = out;
      });
    }
  }
  int thread_, row_, col_;
  tile_stages<Depth> to_fetch_;
  const tile::product<T, Functor>& problem_;
  int row_tile_, col_tile_;
  copy_type<A, rows> a_;
  copy_type<B, cols> b_;
  T* scratch_;
  ring_type ring_;
  stage_type ready_ = 0;
  fragment<GroupRows> fragment_a_[2];
  fragment<GroupCols> fragment_b_[2];
  T part_[outputs];
};

}  // namespace abax::cuda

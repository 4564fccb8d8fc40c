// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm primitives on the FP64 tensor cores (sm_90): a ring of scratch stages filled by cp.async.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/epilogue.hpp"
#include "abax/detail/backends/cuda/mma.hpp"
#include "abax/detail/backends/cuda/pipeline.hpp"
#include "abax/detail/backends/cuda/ring.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/backends/cuda/scratch_lines.hpp"
#include "abax/detail/backends/cuda/tile_copy.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::cuda {

/// A team of warp_rows x warp_cols warps, each of tiles_rows x tiles_cols tiles of 16 x 8 outputs.
struct mma_shape {
  int warp_rows, warp_cols;    ///< warps of a team
  int tiles_rows, tiles_cols;  ///< tiles of a warp
  int depth;                   ///< terms of a stage
  int step;                    ///< terms of an instruction, 4, 8 or 16
  int group;                   ///< terms whose operands are loaded at a time
  int stages;                  ///< of the ring
  int loaders = 0;             ///< warps that copy operands and do nothing else; 0: all copy
  int residents;               ///< teams of a multiprocessor

  constexpr mma_shape by_steps_of(int terms) const {
    mma_shape other = *this;
    other.step = other.group = terms;
    return other;
  }
};

/// A team of WarpRows x WarpCols warps, each of (16 TilesRows) x (8 TilesCols) outputs. Operands lie in scratch as they
/// lie in memory, [term][outer] or [outer][term]; flips within their lines take a fragment's lanes to distinct banks.
/// The fragments of the next `Group` terms are loaded while this group's are multiplied, also across stages: a stage is
/// awaited before the last group of the one before.
template <mma_shape Shape, along A, along B, int Width, class Team, class Functor = tile::no_functor>
class mma_product {
  static constexpr int WarpRows = Shape.warp_rows, WarpCols = Shape.warp_cols;
  static constexpr int TilesRows = Shape.tiles_rows, TilesCols = Shape.tiles_cols;
  static constexpr int Depth = Shape.depth, Step = Shape.step, Group = Shape.group, Stages = Shape.stages;

 public:
  static constexpr int rows = 16 * TilesRows * WarpRows, cols = 8 * TilesCols * WarpCols;
  static constexpr bool own_loaders = Shape.loaders > 0;
  static constexpr int product_threads = 32 * WarpRows * WarpCols;
  static constexpr int load_threads = own_loaders ? 32 * Shape.loaders : product_threads;
  static constexpr int team_size = product_threads + 32 * Shape.loaders;
  static constexpr int barrier_threads = own_loaders ? team_size : 0;  // of barrier_of()
  static constexpr int residents = Shape.residents;

  template <class Other>
  using ending_in = mma_product<Shape, A, B, Width, Team, Other>;
  using parameters = product_parameters;
  /// Joins block sums of this tile: how the operands lay is over by then.
  using joiner = mma_product<Shape.by_steps_of(4), along::outer, along::outer, 1, Team>;
  static constexpr bool finishes = false;

  static std::size_t scratch_bytes(const parameters& p) { return sizeof(double) * scratch_elements(p) + scratch_slack; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows * cols; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION mma_product(const Team& team, const parameters& parameters,
                                          const tile::product<double, Functor>& problem, int row_tile, int col_tile)
      : thread_(team.team_rank()),
        row_(thread_ / 32 % WarpRows * 16 * TilesRows),
        col_(thread_ / 32 / WarpRows * 8 * TilesCols / 16 * 16),
        problem_(problem),
        row_tile_(row_tile),
        col_tile_(col_tile),
        a_(problem.a.block(index_t(row_tile) * rows, 0, rows, problem.a.cols), load_rank()),
        b_(problem.b.block(0, index_t(col_tile) * cols, problem.b.rows, cols).transposed(), load_rank()),
        scratch_(take_scratch<double>(team, scratch_elements(parameters))),
        ring_(scratch_) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  using stage_type = int;  // where it begins in scratch

  KOKKOS_FORCEINLINE_FUNCTION void start(const Team& team, index_t begin, index_t end) {
    a_.skip(begin);
    b_.skip(begin);
    to_fetch_.start(begin, end);
    ring_.start([&](double* to) {
      if (loads()) fetch(to);
    });
    prefetch_output<team_size>(thread_, output(), problem_.epilogue, begin, end);
    advance(team);
  }

  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team&) { return ready_; }

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
#pragma unroll
    for (int e = 0; e < outputs; ++e) at(e) = 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team& team, stage_type, int terms) {
    if (!multiplies()) {
      if (terms == Depth) advance(team);
    } else if (terms == Depth) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        if (g + 1 < groups)
          load<Group, true>((g + 1) % 2, (g + 1) * Group, Depth);
        else
          advance(team);
        multiply_add<Group>(g % 2);
      }
    } else {
#pragma unroll 1
      for (int s = 0; s < terms; s += Step) {
        load<Step, false>(0, s, terms);
        multiply_add<Step>(0);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void fold(bool first, bool last) {
    if (!multiplies()) return;
    double* total = scratch_ + ring_type::elements + thread_;
    if (!first) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) at(e) = total[e * product_threads] + at(e);
    }
    if (!last) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) total[e * product_threads] = at(e);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, double* sums) const {
    if (!multiplies()) return;
#pragma unroll
    for (int e = 0; e < outputs; ++e) sums[e * product_threads + thread_] = at(e);
  }

  KOKKOS_FORCEINLINE_FUNCTION void join(const Team&, const double* sums, int blocks) {
    if (!multiplies()) return;
#pragma unroll
    for (int e = 0; e < outputs; ++e) at(e) = -0.0;                 // -0 + s is s, whatever s
    constexpr int batch = outputs < 16 ? 8 : outputs < 32 ? 4 : 1;  // blocks whose sums are on their way at a time
    int block = 0;
    for (; block + batch <= blocks; block += batch) join_some<batch>(sums + block * elements());
#pragma unroll 1
    for (; block < blocks; ++block) join_some<1>(sums + block * elements());
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Team& team) const {
    const tile::matrix<double> c = output();
    if (c.rows < rows || c.cols < cols || !wide_access(c.data, c.row_stride, c.col_stride))
      store_by_strips(team, c);
    else if (problem_.epilogue.beta == 0)
      store_by_pairs<false>(c);
    else
      store_by_pairs<true>(c);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    cuda::store_without_product<team_size>(thread_, output(), problem_, tile_row(), tile_col());
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool multiplies() const { return !own_loaders || thread_ < product_threads; }
  KOKKOS_FORCEINLINE_FUNCTION bool loads() const { return !own_loaders || thread_ >= product_threads; }
  KOKKOS_FORCEINLINE_FUNCTION int load_rank() const {
    return own_loaders && loads() ? thread_ - product_threads : thread_ % product_threads;
  }

  using pair = pack<double, 2>;
  static constexpr int outputs = TilesRows * TilesCols * 4;
  static_assert(TilesCols % 2 == 0 || (TilesCols == 1 && WarpCols % 2 == 0));
  static constexpr int groups = Depth / Group;
  static_assert(Group % Step == 0 && groups % 2 == 0);

  // A fragment takes 4 terms of 8 outer indices, every second of 16: two fragments together hold pairs that lie side by
  // side. Each half of a warp must find its 16 numbers in distinct banks, each quarter its 8 pairs. Lines of terms:
  // term q of four is flipped by 4 q. Lines of outer indices: so are neighbouring pairs of lines. (A warp with one tile
  // along the columns reads every second number of B's lines of terms, in twice the wavefronts.)
  template <along Direction, int Outer>
  using lines_type =
      std::conditional_t<Direction == along::outer, scratch_lines<Outer, 0, 4, 4>, scratch_lines<Depth, 0, 4, 4, 2>>;
  using lines_a = lines_type<A, rows>;
  using lines_b = lines_type<B, cols>;
  static constexpr int size_a = Depth * rows;
  static_assert(8 * size_a % scratch_slack == 0 && 8 * Depth * cols % scratch_slack == 0,
                "exchanged lines begin on multiples of 128 bytes");
  using ring_type = ring<double, Stages, Depth*(rows + cols), barrier_threads>;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t scratch_elements(const parameters& p) {
    return ring_type::elements + (p.several_blocks ? outputs * product_threads : 0);
  }

  // Place of term 4 s + q of outer index 16 (u / 2) + 2 g + u % 2, from the first of a warp's own outer indices on.
  template <along Direction, class Lines>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int u, int g, int s, int q) {
    if constexpr (Direction == along::outer)
      return Lines::offset(q, 2 * g + u % 2) + u / 2 * 16 + 4 * s * Lines::ld;
    else
      return Lines::offset(2 * g + u % 2, 4 * s + q) + u / 2 * 16 * Lines::ld;
  }
  template <along Direction, class Lines>
  static constexpr bool conflict_free() {
    constexpr int width = Direction == along::outer ? 16 : 8;
    bool all = true;
    for (int u = 0; u < 2; u += width / 8)
      for (int s = 0; s < Depth / 4; ++s)
        all = all && tile::banks::free_of_conflicts(
                         width, [=](int lane) { return 8 * offset<Direction, Lines>(u, lane / 4, s, lane % 4); });
    return all;
  }
  // Address of a lane's offset(u, g, s, q) where offset(0, g, 0, q) is at `first`: at a distance that instructions
  // hold, and in a line of terms exchanged.
  template <along Direction, class Lines>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::uint32_t address(std::uint32_t first, int u, int s) {
    if constexpr (Direction == along::outer)
      return first + 8 * (u / 2 * 16 + u % 2 + 4 * s * Lines::ld);
    else
      return (first ^ (8 * (4 * s % Lines::span))) +
             8 * (4 * s / Lines::span * Lines::span + (u / 2 * 16 + u % 2) * Lines::ld);
  }
  template <along Direction, class Lines>
  static constexpr bool addresses_are_offsets() {
    bool all = Lines::template flips_addresses<double>(scratch_slack);
    for (int u = 0; u < 4; ++u)
      for (int s = 0; s < Depth / 4; ++s)
        for (int lane = 0; lane < 32; ++lane)
          all = all && address<Direction, Lines>(8 * offset<Direction, Lines>(0, lane / 4, 0, lane % 4), u, s) ==
                           8u * offset<Direction, Lines>(u, lane / 4, s, lane % 4);
    return all;
  }
  template <along Direction, class Lines>
  KOKKOS_FORCEINLINE_FUNCTION static double load_one(std::uint32_t first, int u, int s) {
    return *at_address<const double>(address<Direction, Lines>(first, u, s));
  }
  // Numbers u and u + 1 of a fragment's pairs.
  template <along Direction, class Lines>
  KOKKOS_FORCEINLINE_FUNCTION static pair load_pair(std::uint32_t first, int u, int s) {
    if constexpr (Direction == along::outer)
      return *at_address<const pair>(address<Direction, Lines>(first, u, s));
    else
      return {load_one<Direction, Lines>(first, u, s), load_one<Direction, Lines>(first, u + 1, s)};
  }

  KOKKOS_FORCEINLINE_FUNCTION double& at(int e) { return part_[e / (4 * TilesCols)][e / 4 % TilesCols][e % 4]; }
  KOKKOS_FORCEINLINE_FUNCTION const double& at(int e) const {
    return part_[e / (4 * TilesCols)][e / 4 % TilesCols][e % 4];
  }

  KOKKOS_FORCEINLINE_FUNCTION void fetch(double* to) {
    const int terms = to_fetch_.take();
    a_.template copy_existing<lines_a>(to, terms);
    b_.template copy_existing<lines_b>(to + size_a, terms);
  }

  // Of warps with one tile along the columns, two share 16 columns: every second one each.
  KOKKOS_FORCEINLINE_FUNCTION int odd_tile() const { return thread_ / 32 / WarpRows % 2; }

  // The next stage becomes the one that is read, and its first fragments are loaded.
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team) {
    ready_ = ring_.await(team);
    if (multiplies()) {
      const int g = thread_ % 32 / 4, q = thread_ % 4;
      const double *const a = ring_.at(ready_), *const b = a + size_a;
      first_a_ = fixed_address(a + row_ * (A == along::outer ? 1 : lines_a::ld) + offset<A, lines_a>(0, g, 0, q));
      first_b_ = fixed_address(b + col_ * (B == along::outer ? 1 : lines_b::ld) + offset<B, lines_b>(0, g, 0, q));
      load<Group, true>(0, 0, Depth);
    }
    if (loads()) {
      fetch(ring_.freed(ready_));
      commit_copies();
    }
  }

  // Terms beyond k are padded with the pair (+0, -0), the one that leaves every sum as it is, -0 included.
  template <int Terms, bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION void load(int f, int s, int terms) {
    static_assert(conflict_free<A, lines_a>() && conflict_free<B, lines_b>());
    static_assert(addresses_are_offsets<A, lines_a>() && addresses_are_offsets<B, lines_b>());
    const int q = thread_ % 4;
#pragma unroll
    for (int x = 0; x < Terms / 4; ++x) {
      const int at = x / (Step / 4), in_step = x % (Step / 4);  // the instruction, and its four terms
      const bool in = Whole || s + 4 * x + q < terms;
#pragma unroll
      for (int i = 0; i < TilesRows; ++i) {
        const pair two = load_pair<A, lines_a>(first_a_, 2 * i, s / 4 + x);
        fragment_a_[f][at][i][2 * in_step] = in ? two.element[0] : 0.0;
        fragment_a_[f][at][i][2 * in_step + 1] = in ? two.element[1] : 0.0;
      }
      if constexpr (TilesCols == 1) {
        const double one = load_one<B, lines_b>(first_b_, odd_tile(), s / 4 + x);
        fragment_b_[f][at][0][in_step] = in ? one : -0.0;
      }
#pragma unroll
      for (int j = 0; j + 1 < TilesCols; j += 2) {
        const pair two = load_pair<B, lines_b>(first_b_, j, s / 4 + x);
        fragment_b_[f][at][j][in_step] = in ? two.element[0] : -0.0;
        fragment_b_[f][at][j + 1][in_step] = in ? two.element[1] : -0.0;
      }
    }
  }
  template <int Terms>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(int f) {
#pragma unroll
    for (int s = 0; s < Terms / Step; ++s)
#pragma unroll
      for (int i = 0; i < TilesRows; ++i)
#pragma unroll
        for (int j = 0; j < TilesCols; ++j) mma(part_[i][j], fragment_a_[f][s][i], fragment_b_[f][s][j]);
  }

  // In one loop where outputs are many, and their sums would take as many registers again.
  template <int Blocks>
  KOKKOS_FORCEINLINE_FUNCTION void join_some(const double* sums) {
    if constexpr (Blocks == 1) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) at(e) = at(e) + sums[e * product_threads + thread_];
    } else {
      double next[Blocks][outputs];
#pragma unroll
      for (int b = 0; b < Blocks; ++b)
#pragma unroll
        for (int e = 0; e < outputs; ++e) next[b][e] = sums[b * elements() + e * product_threads + thread_];
#pragma unroll
      for (int b = 0; b < Blocks; ++b)
#pragma unroll
        for (int e = 0; e < outputs; ++e) at(e) = at(e) + next[b][e];
    }
  }

  // Computed when it is needed: held through the main loop it would cost registers.
  KOKKOS_FORCEINLINE_FUNCTION tile::matrix<double> output() const {
    return problem_.c.block(tile_row(), tile_col(), rows, cols);
  }
  KOKKOS_FORCEINLINE_FUNCTION index_t tile_row() const { return index_t(row_tile_) * rows; }
  KOKKOS_FORCEINLINE_FUNCTION index_t tile_col() const { return index_t(col_tile_) * cols; }
  /// What C gets at (row, col) of the tile.
  KOKKOS_FORCEINLINE_FUNCTION double ended(int row, int col, double value) const {
    return problem_.ended(tile_row() + row, tile_col() + col, value);
  }
  // Outputs e and e + 2 of a thread lie side by side in a column, in rows 16 i + 2 g and the next; there are 2
  // TilesCols such pairs for each i. The p-th lies in this column, from the thread's first on.
  KOKKOS_FORCEINLINE_FUNCTION int pair_col(int p) const {
    return p / 4 * 16 + p % 2 * 2 + (TilesCols == 1 ? odd_tile() : p / 2 % 2);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int pair_output(int i, int p) {
    return (i * TilesCols + p / 2) * 4 + p % 2;
  }
  KOKKOS_FORCEINLINE_FUNCTION int first_row() const { return row_ + thread_ % 32 / 4 * 2; }
  KOKKOS_FORCEINLINE_FUNCTION int first_col() const { return col_ + thread_ % 4 * 4; }

  // Made at each output: held beside the sums it would cost registers, too.
  template <bool Reads>
  KOKKOS_FORCEINLINE_FUNCTION tile::epilogue<double> epilogue() const {
    return {problem_.epilogue.alpha, Reads ? problem_.epilogue.beta : 0.0};
  }

  // A whole tile. Short code, no question asked twice: a short product takes as long to fetch it as to multiply.
  template <bool Reads>
  KOKKOS_FORCEINLINE_FUNCTION void store_by_pairs(const tile::matrix<double>& c) const {
    if (!multiplies()) return;
    double* const first = &c(first_row(), first_col());
#pragma unroll
    for (int i = 0; i < TilesRows; ++i) {
      const auto at_pair = [&](int p) { return reinterpret_cast<pair*>(first + 16 * i + pair_col(p) * c.col_stride); };
      pair old[2 * TilesCols] = {};  // all of them are loaded before the first is stored, so that the loads overlap
      if constexpr (Reads) {
#pragma unroll
        for (int p = 0; p < 2 * TilesCols; ++p) old[p] = *at_pair(p);
      }
#pragma unroll
      for (int p = 0; p < 2 * TilesCols; ++p) {
        const int row = first_row() + 16 * i, col = first_col() + pair_col(p);
        *at_pair(p) = {ended(row, col, epilogue<Reads>()(at(pair_output(i, p)), &old[p].element[0])),
                       ended(row + 1, col, epilogue<Reads>()(at(pair_output(i, p) + 2), &old[p].element[1]))};
      }
    }
  }
  // A tile that is not whole, or lies on no 16 bytes: where no thread reads scratch any longer, a strip of each warp's
  // columns after another.
  KOKKOS_FORCEINLINE_FUNCTION void store_by_strips(const Team& team, const tile::matrix<double>& c) const {
    constexpr int strips = rows * cols > ring_type::elements ? 2 : 1, width = 8 * TilesCols / strips;
    using strip_type = strip<double, rows, cols / strips, product_threads>;
    static_assert(strip_type::elements <= ring_type::elements &&
                  (TilesCols % (2 * strips) == 0 || (TilesCols == 1 && strips == 1)));
    static_assert(tile::banks::free_of_conflicts(
        16, [](int lane) { return 8 * strip_type::offset(lane % 4 * 4, lane / 4 * 2); }));
#pragma unroll
    for (int t = 0; t < strips; ++t) {
      barrier_of<barrier_threads>(team);
      if (multiplies()) {
#pragma unroll
        for (int p = t * (2 * TilesCols / strips); p < (t + 1) * (2 * TilesCols / strips); ++p)
#pragma unroll
          for (int i = 0; i < TilesRows; ++i) {
            const int col = col_ / strips + thread_ % 4 * 4 + pair_col(p) - t * width;
            *reinterpret_cast<pair*>(scratch_ + strip_type::offset(col, first_row() + 16 * i)) = {
                at(pair_output(i, p)), at(pair_output(i, p) + 2)};
          }
      }
      barrier_of<barrier_threads>(team);
      if (multiplies())
        strip_type::store(
            thread_, scratch_, [t](int s) { return s / width * (strips * width) + t * width + s % width; }, c,
            problem_.epilogue, [this](int row, int col, double value) { return ended(row, col, value); });
    }
  }

  int thread_, row_, col_;
  stages_to_fetch<Depth> to_fetch_;
  const tile::product<double, Functor>& problem_;
  int row_tile_, col_tile_;
  tile_copy<double, A, Width, rows, Depth, load_threads, tile_stride<Width>> a_;
  tile_copy<double, B, Width, cols, Depth, load_threads, tile_stride<Width>> b_;
  double* scratch_;
  ring_type ring_;
  stage_type ready_ = 0;
  std::uint32_t first_a_ = 0, first_b_ = 0;  // this lane's first numbers in that stage
  double fragment_a_[2][Group / Step][TilesRows][Step / 2], fragment_b_[2][Group / Step][TilesCols][Step / 4];
  double part_[TilesRows][TilesCols][4];
};

}  // namespace abax::cuda

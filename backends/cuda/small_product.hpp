// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm primitives for small tiles, on the FMA units: few outputs a thread, so that many threads share few outputs.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/epilogue.hpp"
#include "abax/detail/backends/cuda/pipeline.hpp"
#include "abax/detail/backends/cuda/ring.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/backends/cuda/scratch_lines.hpp"
#include "abax/detail/backends/cuda/tile_copy.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::cuda {

/// A team of warp_rows x warp_cols warps, whose lanes lie lane_rows x (32 / lane_rows) and have rows x cols outputs
/// each.
struct small_shape {
  int warp_rows, warp_cols;  ///< warps of a team
  int lane_rows;             ///< lanes of a warp along the rows
  int rows, cols;            ///< outputs of a lane
  int depth;                 ///< terms of a stage
  int group;                 ///< terms whose operands are loaded at a time
  int stages;                ///< of the ring
  int loaders;               ///< warps that copy operands and do nothing else; 0: all copy
  int residents;             ///< teams of a multiprocessor
};

/// Both operands come by cp.async and lie in scratch as they lie in memory, [term][outer] or [outer][term]. A lane
/// reads up to 16 bytes at a time: neighbouring rows of one term, or neighbouring terms of one row. Rows of a lane are
/// therefore neighbours where A's rows are contiguous, and lane_rows apart where its terms are. An operand of which
/// `either` index may be contiguous lies as [term][outer], and is read element by element.
///
/// The operands of the next few terms are loaded while these are multiplied, also across stages.
template <class T, small_shape Shape, along A, along B, int Width, class Team, class Functor = tile::no_functor>
class small_product {
  static constexpr int WarpRows = Shape.warp_rows, WarpCols = Shape.warp_cols;
  static constexpr int LaneRows = Shape.lane_rows, LaneCols = 32 / LaneRows;
  static_assert(LaneRows == 4 || LaneRows == 8);
  static constexpr int Rows = Shape.rows, Cols = Shape.cols;
  static constexpr int Depth = Shape.depth, Group = Shape.group, Stages = Shape.stages;

 public:
  static constexpr int rows = WarpRows * LaneRows * Rows, cols = WarpCols * LaneCols * Cols;
  static constexpr bool own_loaders = Shape.loaders > 0;
  static constexpr int product_threads = 32 * WarpRows * WarpCols;
  static constexpr int load_threads = own_loaders ? 32 * Shape.loaders : product_threads;
  static constexpr int team_size = product_threads + 32 * Shape.loaders;
  static constexpr int barrier_threads = own_loaders ? team_size : 0;  // of barrier_of()
  static constexpr int residents = Shape.residents;

  template <class Other>
  using ending_in = small_product<T, Shape, A, B, Width, Team, Other>;
  using parameters = product_parameters;
  /// Where a lane's outputs lie depends on how the operands do.
  using joiner = small_product;
  static constexpr bool finishes = false;

  static std::size_t scratch_bytes(const parameters&) { return sizeof(T) * ring_type::elements + scratch_slack; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows * cols; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION small_product(const Team& team, const parameters&,
                                            const tile::product<T, Functor>& problem, int row_tile, int col_tile)
      : thread_(team.team_rank()),
        problem_(problem),
        row_tile_(row_tile),
        col_tile_(col_tile),
        a_(problem.a.block(index_t(row_tile) * rows, 0, rows, problem.a.cols), load_rank()),
        b_(problem.b.block(0, index_t(col_tile) * cols, problem.b.rows, cols).transposed(), load_rank()),
        ring_(take_scratch<T>(team, ring_type::elements)) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  using stage_type = int;  // where it begins in scratch

  KOKKOS_FORCEINLINE_FUNCTION void start(const Team& team, index_t begin, index_t end) {
    a_.skip(begin);
    b_.skip(begin);
    to_fetch_.start(begin, end);
    ring_.start([&](T* to) {
      if (loads()) fetch(to);
    });
    prefetch_output<team_size>(thread_, output(), problem_.epilogue, begin, end);
    advance(team);
  }

  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team&) const { return ready_; }

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
#pragma unroll
    for (int e = 0; e < outputs; ++e) part_[e] = T(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team& team, stage_type, int terms) {
    if (!multiplies()) {
      if (terms == Depth) advance(team);
    } else if (terms == Depth) {
#pragma unroll
      for (int g = 0; g < Depth / Group; ++g) {
        if ((g + 1) * Group < Depth)
          load<Group>((g + 1) % 2, (g + 1) * Group);
        else
          advance(team);
        multiply_add<Group>(g % 2);
      }
    } else {  // the last stage of all; terms beyond k must not be touched
#pragma unroll 1
      for (int q = 0; q < terms; ++q) {
        load<1>(0, q);
        multiply_add<1>(0);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void fold(bool first, bool last) {
    if (!first) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) part_[e] = total_[e] + part_[e];
    }
    if (!last) {
#pragma unroll
      for (int e = 0; e < outputs; ++e) total_[e] = part_[e];
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, T* sums) const {
    if (!multiplies()) return;
#pragma unroll
    for (int e = 0; e < outputs; ++e) sums[e * product_threads + thread_] = part_[e];
  }

  KOKKOS_FORCEINLINE_FUNCTION void join(const Team&, const T* sums, int blocks) {
    if (!multiplies()) return;
    clear_to(-T(0));                                                // -0 + s is s, whatever s
    constexpr int batch = outputs < 4 ? 16 : outputs < 16 ? 8 : 4;  // blocks whose sums are on their way at a time
    int block = 0;
    for (; block + batch <= blocks; block += batch) join_some<batch>(sums + block * elements());
#pragma unroll 1
    for (; block < blocks; ++block) join_some<1>(sums + block * elements());
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Team& team) const {
    constexpr int near = side_by_side<A, Rows>;
    const tile::matrix<T> c = output();
    if (near > 1 && c.rows >= rows && c.row_stride == 1 && c.col_stride % near == 0 &&
        reinterpret_cast<std::uintptr_t>(c.data) % (near * sizeof(T)) == 0)
      store_directly<near>(c);
    else if constexpr (near == 4)
      store_by_strip(team, c);
    else
      store_directly<1>(c);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    cuda::store_without_product<team_size>(thread_, output(), problem_, first_row(), first_col());
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool multiplies() const { return !own_loaders || thread_ < product_threads; }
  KOKKOS_FORCEINLINE_FUNCTION bool loads() const { return !own_loaders || thread_ >= product_threads; }
  KOKKOS_FORCEINLINE_FUNCTION int load_rank() const {
    return own_loaders && loads() ? thread_ - product_threads : thread_ % product_threads;
  }

  static constexpr int outputs = Rows * Cols, wide = 16 / sizeof(T);
  static_assert(Group % wide == 0 && Depth % (2 * Group) == 0);
  // Neighbours of a lane's rows, or columns, that are read at once.
  template <along Direction, int Count>
  static constexpr int side_by_side = Direction != along::outer     ? 1
                                      : Count % 4 == 0 && wide >= 4 ? 4
                                      : Count % 2 == 0              ? 2
                                                                    : 1;

  template <along Direction, int Outer>
  using lines_type = std::conditional_t<Direction == along::terms, exchanged_lines<T, Depth>,
                                        scratch_lines<Outer, Direction == along::either ? 1 : 0>>;
  using lines_a = lines_type<A, rows>;
  using lines_b = lines_type<B, cols>;
  static constexpr int size_a = (A == along::terms ? rows : Depth) * lines_a::ld;
  static constexpr int size_b = (B == along::terms ? cols : Depth) * lines_b::ld;
  static_assert(A == along::either ||
                    (sizeof(T) * size_a % scratch_slack == 0 && sizeof(T) * size_b % scratch_slack == 0),
                "exchanged lines begin on multiples of 128 bytes");
  using ring_type = ring<T, Stages, size_a + size_b, barrier_threads>;

  // A warp's lanes along the side that has eight of them, and along the other. A 16-byte access takes half a warp in
  // one wavefront where lanes 2 i and 2 i + 1, or i and i + 2 of four, read the same words; else a quarter.
  KOKKOS_FORCEINLINE_FUNCTION int of_eight() const { return thread_ % 2 + thread_ % 32 / 8 * 2; }
  KOKKOS_FORCEINLINE_FUNCTION int of_four() const { return thread_ % 8 / 2; }

  // Output x of a lane, of Count, among Lanes lanes.
  template <along Direction, int Count, int Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static int place(int lane, int x) {
    constexpr int near = side_by_side<Direction, Count>;
    return (x / near * Lanes + lane) * near + x % near;
  }
  KOKKOS_FORCEINLINE_FUNCTION int row(int x) const {
    return thread_ / 32 % WarpRows * (LaneRows * Rows) +
           place<A, Rows, LaneRows>(LaneRows == 8 ? of_eight() : of_four(), x);
  }
  KOKKOS_FORCEINLINE_FUNCTION int col(int y) const {
    return thread_ / 32 / WarpRows * (LaneCols * Cols) +
           place<B, Cols, LaneCols>(LaneCols == 8 ? of_eight() : of_four(), y);
  }

  KOKKOS_FORCEINLINE_FUNCTION void clear_to(T value) {
#pragma unroll
    for (int e = 0; e < outputs; ++e) part_[e] = value;
  }

  // Terms q to q + Terms of a lane's outer indices, which lie Lanes apart in groups of neighbours. The lane's first
  // one's term 0 is at `first`: all the others are at distances that instructions hold, of which those of lines of
  // terms are exchanged.
  template <along Direction, int Lanes, int Terms, class Lines, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void load(T (&to)[Group][Count], std::uint32_t first, int q) {
    constexpr int near = side_by_side<Direction, Count>;
    if constexpr (Direction != along::terms) {
#pragma unroll
      for (int p = 0; p < Terms; ++p)
#pragma unroll
        for (int x = 0; x < Count; x += near) {
          const auto some =
              *at_address<const pack<T, near>>(first + int(sizeof(T)) * ((q + p) * Lines::ld + x * Lanes));
#pragma unroll
          for (int v = 0; v < near; ++v) to[p][x + v] = some.element[v];
        }
    } else {
      static_assert(Lines::template further_serves<Lanes> && Lines::template flips_addresses<T>(scratch_slack));
      static_assert(Count == 1 || Lanes * Count % Lines::period == 0, "warps begin where the exchange does");
      constexpr int terms = tile::min(Terms, wide);
#pragma unroll
      for (int p = 0; p < Terms; p += terms)
#pragma unroll
        for (int x = 0; x < Count; ++x) {
          const int within = (q + p) % Lines::span ^ Lines::flip(x * Lanes),
                    beyond = (q + p) / Lines::span * Lines::span;
          const auto some = *at_address<const pack<T, terms>>((first ^ (sizeof(T) * within)) +
                                                              sizeof(T) * (beyond + x * Lanes * Lines::ld));
#pragma unroll
          for (int v = 0; v < terms; ++v) to[p + v][x] = some.element[v];
        }
    }
  }
  template <int Terms>
  KOKKOS_FORCEINLINE_FUNCTION void load(int f, int q) {
    load<A, LaneRows, Terms, lines_a>(fragment_a_[f], first_a_, q);
    load<B, LaneCols, Terms, lines_b>(fragment_b_[f], first_b_, q);
  }
  template <int Terms>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(int f) {
#pragma unroll
    for (int p = 0; p < Terms; ++p)
#pragma unroll
      for (int y = 0; y < Cols; ++y)
#pragma unroll
        for (int x = 0; x < Rows; ++x) {
          T& sum = part_[y * Rows + x];
          sum = Kokkos::fma(fragment_a_[f][p][x], fragment_b_[f][p][y], sum);
        }
  }

  // Where term 0 of an outer index lies.
  template <along Direction, class Lines>
  KOKKOS_FORCEINLINE_FUNCTION static int place_of_first(int outer) {
    return Direction == along::terms ? Lines::offset(outer, 0) : Lines::offset(0, outer);
  }
  // The next stage becomes the one that is read, and its first terms are loaded.
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team) {
    ready_ = ring_.await(team);
    if (multiplies()) {
      first_a_ = fixed_address(ring_.at(ready_) + place_of_first<A, lines_a>(row(0)));
      first_b_ = fixed_address(ring_.at(ready_) + size_a + place_of_first<B, lines_b>(col(0)));
      load<Group>(0, 0);
    }
    if (loads()) {
      fetch(ring_.freed(ready_));
      commit_copies();
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void fetch(T* to) {
    if (to_fetch_.left <= 0) return;
    const int terms = to_fetch_.take();
    if constexpr (A == along::either && B == along::either) {
      a_.template copy_existing<lines_a>(to, terms);
      b_.template copy_existing<lines_b>(to + size_a, terms);
    } else {
      a_.template copy<lines_a>(to, terms);
      b_.template copy<lines_b>(to + size_a, terms);
    }
  }

  template <int Blocks>
  KOKKOS_FORCEINLINE_FUNCTION void join_some(const T* sums) {
    T next[Blocks][outputs];
#pragma unroll
    for (int b = 0; b < Blocks; ++b)
#pragma unroll
      for (int e = 0; e < outputs; ++e) next[b][e] = sums[b * elements() + e * product_threads + thread_];
#pragma unroll
    for (int b = 0; b < Blocks; ++b)
#pragma unroll
      for (int e = 0; e < outputs; ++e) part_[e] = part_[e] + next[b][e];
  }

  KOKKOS_FORCEINLINE_FUNCTION tile::matrix<T> output() const {
    return problem_.c.block(first_row(), first_col(), rows, cols);
  }
  KOKKOS_FORCEINLINE_FUNCTION index_t first_row() const { return index_t(row_tile_) * rows; }
  KOKKOS_FORCEINLINE_FUNCTION index_t first_col() const { return index_t(col_tile_) * cols; }
  /// What C gets at (row, col) of the tile.
  KOKKOS_FORCEINLINE_FUNCTION T ended(int row, int col, T value) const {
    return problem_.ended(first_row() + row, first_col() + col, value);
  }
  // A lane's four rows would be stored to single numbers 16 bytes apart: by way of scratch, where no thread reads any
  // longer, a warp's lie side by side.
  KOKKOS_FORCEINLINE_FUNCTION void store_by_strip(const Team& team, const tile::matrix<T>& c) const {
    using strip_type = strip<T, rows, cols, product_threads>;
    static_assert(strip_type::elements <= ring_type::elements && Rows == 4);
    barrier_of<barrier_threads>(team);
    if (multiplies()) {
#pragma unroll
      for (int y = 0; y < Cols; ++y) store_four(ring_.memory() + strip_type::offset(col(y), row(0)), part_ + y * Rows);
    }
    barrier_of<barrier_threads>(team);
    if (multiplies())
      strip_type::store(
          thread_, ring_.memory(), [](int s) { return s; }, c, problem_.epilogue,
          [this](int row, int col, T value) { return ended(row, col, value); });
  }
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void store_directly(const tile::matrix<T>& c) const {
    if (!multiplies()) return;
    problem_.epilogue.beta == T(0) ? store_by<false, Count>(c) : store_by<true, Count>(c);
  }
  template <bool Reads, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void store_by(const tile::matrix<T>& c) const {
    using some = pack<T, Count>;
    const tile::epilogue<T> epilogue{problem_.epilogue.alpha, Reads ? problem_.epilogue.beta : T(0)};
    const auto each = [&](const auto& visit) {
#pragma unroll
      for (int y = 0; y < Cols; ++y)
#pragma unroll
        for (int x = 0; x < Rows; x += Count)
          if (row(x) < c.rows && col(y) < c.cols) visit(x, y, *reinterpret_cast<some*>(&c(row(x), col(y))));
    };
    some old[outputs] = {};  // all of C is loaded before the first of it is stored, so that the loads overlap
    if constexpr (Reads) each([&](int x, int y, const some& at) { old[y * Rows + x] = at; });
    each([&](int x, int y, some& at) {
      const int e = y * Rows + x;
      some out;
#pragma unroll
      for (int v = 0; v < Count; ++v)
        out.element[v] = ended(row(x) + v, col(y), epilogue(part_[e + v], &old[e].element[v]));
      at = out;
    });
  }

  int thread_;
  stages_to_fetch<Depth> to_fetch_;
  const tile::product<T, Functor>& problem_;
  int row_tile_, col_tile_;
  copy_along<T, A, Width, rows, Depth, load_threads, tile_stride<Width>> a_;
  copy_along<T, B, Width, cols, Depth, load_threads, tile_stride<Width>> b_;
  ring_type ring_;
  stage_type ready_ = 0;
  std::uint32_t first_a_ = 0, first_b_ = 0;  // this lane's first terms in that stage
  T fragment_a_[2][Group][Rows], fragment_b_[2][Group][Cols];
  T part_[outputs], total_[outputs];
};

}  // namespace abax::cuda

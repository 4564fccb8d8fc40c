// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How the warps of a team multiply complex tiles that lie in scratch: the part of a product that stays in registers.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/backends/cuda/mma.hpp"
#include "abax/detail/backends/cuda/scratch_lines.hpp"
#include "abax/detail/tile/banks.hpp"
#include "abax/detail/tile/complex.hpp"

namespace abax::cuda {

/// Which factors of a product are to be conjugated.
struct conjugations {
  bool left, right;
};
/// How the terms of a product are made; `turned`: in the order that they have with the factors exchanged.
struct complex_terms {
  conjugations conjugated;
  bool turned;
};

/// Where the parts of a tile lie in scratch that holds real numbers: for each term the real parts of `Outer` elements,
/// then the imaginary ones. Lines are those of the operand's memory.
template <class Real, along Direction, int Outer>
struct lines_of_parts {
  static constexpr int to_imaginary = Outer;
  static constexpr int padding = 16 / int(sizeof(Real));  // like places of neighbouring terms differ in banks
  static constexpr int width = 2 * Outer + padding;       // of a term
  static constexpr int ld = Direction == along::outer ? width : 1, period = 1;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int line, int i) {
    return Direction == along::outer ? line * width + i : i * width + line;
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// FMA units.

/// A team of warp_rows x warp_cols warps, whose lanes each have group_rows x group_cols groups of 4 x 4 outputs.
struct complex_fma_shape {
  int warp_rows, warp_cols, group_rows, group_cols;
  int depth;      ///< terms of a stage
  int stages;     ///< of the ring
  int residents;  ///< teams of a multiprocessor
};

/// The lanes of a warp lie 8 x 4. A complex term is two real ones of twice as many columns: the left factor's real
/// parts by the right one's parts (br, bi), then its imaginary parts by (-bi, br). Scratch holds the parts apart, as
/// [term][part][outer], so that a thread's operands spread over the banks of the register file; those of the next real
/// term are loaded while this one's are multiplied, also across stages.
template <class Real, complex_fma_shape Shape>
class complex_fma {
  static constexpr int GroupRows = Shape.group_rows, GroupCols = Shape.group_cols;

 public:
  using element = tile::complex<Real>;
  using stored = Real;  ///< what scratch holds
  static constexpr bool on_tensor_cores = false;
  static constexpr bool multiplies_conjugates = false;  ///< if not, scratch holds what is to be multiplied
  static constexpr bool multiplies_turned = false;      ///< if not, factors come in the caller's order
  static constexpr int rows = 32 * GroupRows * Shape.warp_rows, cols = 16 * GroupCols * Shape.warp_cols;
  static constexpr int team_size = 32 * Shape.warp_rows * Shape.warp_cols;
  static constexpr int residents = Shape.residents, depth = Shape.depth, stages = Shape.stages;
  static constexpr int outputs = 16 * GroupRows * GroupCols;

  template <along Direction>
  using left_lines = lines_of_parts<Real, Direction, rows>;
  template <along Direction>
  using right_lines = lines_of_parts<Real, Direction, cols>;
  /// Elements of a stage.
  static constexpr int left_size = depth * left_lines<along::outer>::width / 2;
  static constexpr int right_size = depth * right_lines<along::outer>::width / 2;

  /// Where the factors of a stage lie, and how.
  template <along Left, along Right>
  struct stage {
    const Real *left, *right;
  };

  KOKKOS_FORCEINLINE_FUNCTION complex_fma(int thread, const complex_terms&)
      : row_(thread / 32 % Shape.warp_rows * (32 * GroupRows) + lane_row(thread) * 4),
        col_(thread / 32 / Shape.warp_rows * (16 * GroupCols) + lane_col(thread) * 4) {}

  /// Part 0 or 1 of an output.
  KOKKOS_FORCEINLINE_FUNCTION Real& part(int e, int which) { return part_[e][which]; }

  /// A tile is stored in strips of as many columns of every warp: of each lane two neighbouring columns. The strip of
  /// an output, its row and its column there, and the tile's column that is column s of strip t.
  static constexpr int strips = 2 * GroupCols;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int strip_of(int e) { return e / (4 * GroupRows) / 2; }
  KOKKOS_FORCEINLINE_FUNCTION int row_of(int e) const { return row_ + e % (4 * GroupRows) / 4 * 32 + e % 4; }
  KOKKOS_FORCEINLINE_FUNCTION int col_in_strip(int e) const {
    return col_ / (16 * GroupCols) * 8 + col_ % 16 / 2 + e / (4 * GroupRows) % 2;
  }
  KOKKOS_FORCEINLINE_FUNCTION static int col_of_strip(int t, int s) {
    return (s / 8 * GroupCols + t / 2) * 16 + s % 8 / 2 * 4 + t % 2 * 2 + s % 2;
  }

  /// Loads what is multiplied first in a whole stage.
  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Stage& at) {
    load_left(at, 0, 0);
    load_right(at, 0, 0);
  }
  /// Multiplies a whole stage; `next` begins the one that follows it.
  template <class Stage, class Next>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Stage& at, const Next& next) {
#pragma unroll
    for (int q = 0; q < depth; ++q) {
      load_left(at, q, 1);
      multiply_add<0>(q % 2);
      if (q + 1 < depth) {
        load_left(at, q + 1, 0);
        load_right(at, q + 1, (q + 1) % 2);
      } else {
        next();
      }
      multiply_add<1>(q % 2);
    }
  }
  /// The last stage of all, which has `terms` terms; those beyond are not touched.
  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_rest(const Stage& at, int terms) {
#pragma unroll 1
    for (int q = 0; q < terms; ++q) {
      load_left(at, q, 0);
      load_left(at, q, 1);
      load_right(at, q, 0);
      multiply_add<0>(0);
      multiply_add<1>(0);
    }
  }

 private:
  static_assert(depth % 2 == 0);
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lane_row(int thread) { return thread % 2 + thread % 32 / 8 * 2; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lane_col(int thread) { return thread % 8 / 2; }
  static_assert(tile::banks::free_of_conflicts(16, [](int l) { return 16 * lane_row(l); }) &&
                tile::banks::free_of_conflicts(16, [](int l) { return 16 * lane_col(l); }));

  template <int Groups>
  KOKKOS_FORCEINLINE_FUNCTION static void load(Real (&to)[4 * Groups], const Real* from, int step) {
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      const auto four = *reinterpret_cast<const pack<Real, 4>*>(from + g * step);
#pragma unroll
      for (int x = 0; x < 4; ++x) to[4 * g + x] = four.element[x];
    }
  }
  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void load_left(const Stage& at, int q, int part) {
    using lines = left_lines<along::outer>;
    load<GroupRows>(left_[part], at.left + q * lines::width + part * lines::to_imaginary + row_, 32);
  }
  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void load_right(const Stage& at, int q, int f) {
    using lines = right_lines<along::outer>;
#pragma unroll
    for (int part = 0; part < 2; ++part)
      load<GroupCols>(right_[f][part], at.right + q * lines::width + part * lines::to_imaginary + col_, 16);
  }
  // The left factor's parts Half by all of the right one's. Back and forth over the rows, so that each FMA shares an
  // operand with the one before: the register file delivers two new operands a cycle, not three.
  template <int Half>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(int f) {
    constexpr int count = 4 * GroupRows;
#pragma unroll
    for (int r = 0; r < count; ++r)
#pragma unroll
      for (int s = 0; s < 8 * GroupCols; ++s) {
        const int c = r % 2 == 0 ? s : 8 * GroupCols - 1 - s, part = c % 2;  // of the right factor
        Real& sum = part_[c / 2 * count + r][Half ^ part];
        const Real right = right_[f][part][c / 2];
        sum = Kokkos::fma(left_[Half][r], Half == 1 && part == 1 ? -right : right, sum);
      }
  }

  int row_, col_;
  Real left_[2][4 * GroupRows], right_[2][2][4 * GroupCols];  // left: its parts; right: of this term and the next one
  Real part_[outputs][2];
};

/// A team of warp_rows x warp_cols warps, whose lanes lie lane_rows x (32 / lane_rows) and have rows x cols outputs
/// each.
struct complex_small_shape {
  int warp_rows, warp_cols;
  int lane_rows;   ///< 4 or 8
  int rows, cols;  ///< of a lane
  int depth;       ///< terms of a stage
  int group;       ///< terms whose operands are loaded at a time
  int stages;      ///< of the ring
  int residents;   ///< teams of a multiprocessor
};

/// Few outputs a lane, so that many threads share few outputs. Scratch holds whole elements, as [term][outer] however
/// the factors lie in memory. The operands of the next few terms are loaded while these are multiplied, also across
/// stages.
template <class Real, complex_small_shape Shape>
class complex_small {
  static constexpr int LaneRows = Shape.lane_rows, LaneCols = 32 / LaneRows;
  static_assert(LaneRows == 4 || LaneRows == 8);
  static constexpr int Rows = Shape.rows, Cols = Shape.cols, Group = Shape.group;

 public:
  using element = tile::complex<Real>;
  using stored = element;
  static constexpr bool on_tensor_cores = false, multiplies_conjugates = false, multiplies_turned = false;
  static constexpr int rows = LaneRows * Rows * Shape.warp_rows, cols = LaneCols * Cols * Shape.warp_cols;
  static constexpr int team_size = 32 * Shape.warp_rows * Shape.warp_cols;
  static constexpr int residents = Shape.residents, depth = Shape.depth, stages = Shape.stages;
  static constexpr int outputs = Rows * Cols;

  template <along>
  using left_lines = scratch_lines<rows, 1>;
  template <along>
  using right_lines = scratch_lines<cols, 1>;
  static constexpr int left_size = depth * (rows + 1), right_size = depth * (cols + 1);

  template <along Left, along Right>
  struct stage {
    const element *left, *right;
  };

  KOKKOS_FORCEINLINE_FUNCTION complex_small(int thread, const complex_terms&)
      : row_(thread / 32 % Shape.warp_rows * (LaneRows * Rows) + lane_row(thread)),
        col_(thread / 32 / Shape.warp_rows * (LaneCols * Cols) + lane_col(thread)) {}

  KOKKOS_FORCEINLINE_FUNCTION Real& part(int e, int which) { return which == 0 ? part_[e].re : part_[e].im; }

  static constexpr int strips = 1;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int strip_of(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION int row_of(int e) const { return row_ + e % Rows * LaneRows; }
  KOKKOS_FORCEINLINE_FUNCTION int col_in_strip(int e) const { return col_ + e / Rows * LaneCols; }
  KOKKOS_FORCEINLINE_FUNCTION static int col_of_strip(int, int s) { return s; }

  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Stage& at) {
    load<Group>(0, at, 0);
  }
  template <class Stage, class Next>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Stage& at, const Next& next) {
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      if (g + 1 < groups)
        load<Group>((g + 1) % 2, at, (g + 1) * Group);
      else
        next();
      multiply_add<Group>(g % 2);
    }
  }
  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_rest(const Stage& at, int terms) {
    int q = 0;
#pragma unroll 1
    for (; q + Group <= terms; q += Group) {
      load<Group>(0, at, q);
      multiply_add<Group>(0);
    }
#pragma unroll 1
    for (; q < terms; ++q) {
      load<1>(0, at, q);
      multiply_add<1>(0);
    }
  }

 private:
  static constexpr int groups = depth / Group;
  static_assert(depth % Group == 0 && groups % 2 == 0);

  // A warp's lanes along the side that has eight of them, and along the other: lanes that read the same words are
  // neighbours, or next but one, and are served together.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int of_eight(int thread) { return thread % 2 + thread % 32 / 8 * 2; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int of_four(int thread) { return thread % 8 / 2; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lane_row(int thread) {
    return LaneRows == 8 ? of_eight(thread) : of_four(thread);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lane_col(int thread) {
    return LaneRows == 8 ? of_four(thread) : of_eight(thread);
  }

  // Terms q to q + Terms of Count outer indices, Step apart from `first` on.
  template <int Terms, class Lines, int Step, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void load(element (&to)[Group][Count], const element* from, int q, int first) {
    using whole = pack<Real, 2>;
    static_assert(tile::banks::free_of_conflicts(sizeof(whole),
                                                 [](int l) { return sizeof(whole) * Lines::offset(0, of_eight(l)); }));
#pragma unroll
    for (int p = 0; p < Terms; ++p)
#pragma unroll
      for (int x = 0; x < Count; ++x) {
        const auto one = *reinterpret_cast<const whole*>(from + Lines::offset(q + p, first + x * Step));
        to[p][x] = {one.element[0], one.element[1]};
      }
  }
  template <int Terms, class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void load(int f, const Stage& at, int q) {
    load<Terms, scratch_lines<rows, 1>, LaneRows>(left_[f], at.left, q, row_);
    load<Terms, scratch_lines<cols, 1>, LaneCols>(right_[f], at.right, q, col_);
  }
  template <int Terms>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(int f) {
#pragma unroll
    for (int p = 0; p < Terms; ++p)
#pragma unroll
      for (int e = 0; e < outputs; ++e)
        part_[e] = tile::multiply_add(left_[f][p][e % Rows], right_[f][p][e / Rows], part_[e]);
  }

  int row_, col_;
  element left_[2][Group][Rows], right_[2][Group][Cols];
  element part_[outputs];
};

// ---------------------------------------------------------------------------------------------------------------------
// FP64 tensor cores.

/// A team of warp_rows x warp_cols warps, each of tiles_rows x tiles_cols tiles of 16 x 4 outputs.
struct complex_mma_shape {
  int warp_rows, warp_cols, tiles_rows, tiles_cols;
  int depth;      ///< terms of a stage
  int step;       ///< real terms of an instruction: 4 or 8
  int stages;     ///< of the ring
  int residents;  ///< teams of a multiprocessor
};

/// The real product of twice the terms and twice the columns whose bits the canon gives a complex one: the left
/// factor's parts are its terms as they lie, (re, im); of the right factor's element a lane takes the part, and the
/// sign, that its term and column ask for: (br, -bi) where re is made, (bi, br) where im is.
///
/// Scratch holds both factors as they lie in memory. The fragments of the next instructions are loaded while these are
/// multiplied, also across stages.
template <complex_mma_shape Shape>
class complex_mma {
  static constexpr int TilesRows = Shape.tiles_rows, TilesCols = Shape.tiles_cols, Step = Shape.step;

 public:
  using element = tile::complex<double>;
  using stored = element;
  static constexpr bool on_tensor_cores = true;
  static constexpr bool multiplies_conjugates = true;  ///< it is told which factors are to be conjugated
  static constexpr bool multiplies_turned = false;
  static constexpr int rows = 16 * TilesRows * Shape.warp_rows, cols = 4 * TilesCols * Shape.warp_cols;
  static constexpr int team_size = 32 * Shape.warp_rows * Shape.warp_cols;
  static constexpr int residents = Shape.residents, depth = Shape.depth, stages = Shape.stages;
  static constexpr int outputs = 2 * TilesRows * TilesCols;

 private:
  // Elements more than a line has: neighbouring lines, read side by side, differ in banks.
  template <along Direction, int Outer>
  using lines = std::conditional_t<Direction == along::outer, scratch_lines<Outer, 4>, scratch_lines<depth, 2>>;
  template <int Outer>
  static constexpr int size = tile::max(depth*(Outer + 4), Outer*(depth + 2));

 public:
  template <along Direction>
  using left_lines = lines<Direction, rows>;
  template <along Direction>
  using right_lines = lines<Direction, cols>;
  static constexpr int left_size = size<rows>, right_size = size<cols>;

  template <along Left, along Right>
  struct stage {
    const element *left, *right;
    static constexpr along left_runs = Left, right_runs = Right;
  };

  KOKKOS_FORCEINLINE_FUNCTION complex_mma(int thread, const complex_terms& terms)
      : lane_(thread % 32),
        row_(thread / 32 % Shape.warp_rows * (16 * TilesRows)),
        col_(thread / 32 / Shape.warp_rows * (4 * TilesCols)),
        negates_(negates(lane_, terms.conjugated)) {}

  KOKKOS_FORCEINLINE_FUNCTION double& part(int e, int which) {
    return part_[e / 2 / TilesCols][e / 2 % TilesCols][e % 2 * 2 + which];
  }

  /// As complex_fma's strips, each of whole tiles.
  static constexpr int strips = rows * cols >= 4096 ? 2 : 1;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int strip_of(int e) { return e / 2 % TilesCols / (TilesCols / strips); }
  KOKKOS_FORCEINLINE_FUNCTION int row_of(int e) const {
    return row_ + 16 * (e / 2 / TilesCols) + lane_ / 4 + 8 * (e % 2);
  }
  KOKKOS_FORCEINLINE_FUNCTION int col_in_strip(int e) const {
    return col_ / strips + 4 * (e / 2 % TilesCols % (TilesCols / strips)) + lane_ % 4;
  }
  KOKKOS_FORCEINLINE_FUNCTION static int col_of_strip(int t, int s) {
    constexpr int width = 4 * TilesCols / strips;  // of a warp
    return s / width * (4 * TilesCols) + t * width + s % width;
  }

  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Stage& at) {
    load<true>(0, at, 0, depth);
  }
  template <class Stage, class Next>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Stage& at, const Next& next) {
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      if (g + 1 < groups)
        load<true>((g + 1) % 2, at, (g + 1) * group, depth);
      else
        next();
      multiply_add(g % 2);
    }
  }
  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_rest(const Stage& at, int terms) {
#pragma unroll 1
    for (int p = 0; p < terms; p += group) {
      load<false>(0, at, p, terms);
      multiply_add(0);
    }
  }

 private:
  static constexpr int group = Step / 2, groups = depth / group;  // complex terms
  static_assert((Step == 4 || Step == 8) && depth % group == 0 && groups % 2 == 0);

  // Lane 4 g + q has part q % 2 of term q / 2, and makes the part g % 2 of column g / 2.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int right_part(int lane) { return (lane / 4 + lane) % 2; }
  KOKKOS_FORCEINLINE_FUNCTION static bool negates(int lane, const conjugations& conjugated) {
    const bool of_im = lane % 2 != 0, makes_im = lane / 4 % 2 != 0;
    return (of_im && !makes_im) != (of_im && conjugated.left) != (right_part(lane) != 0 && conjugated.right);
  }

  // Of the real numbers in scratch, that of part `part` of term p of outer index o.
  template <along Direction, class Lines>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(int o, int p, int part) {
    return 2 * (Direction == along::outer ? Lines::offset(p, o) : Lines::offset(o, p)) + part;
  }
  template <along Direction, class Lines>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int left_place(int lane) {
    return place<Direction, Lines>(lane / 4, lane % 4 / 2, lane % 2);
  }
  template <along Direction, class Lines>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int right_place(int lane) {
    return place<Direction, Lines>(lane / 8, lane % 4 / 2, right_part(lane));
  }
  template <along Direction, class Lines>
  static constexpr int distance(int o, int p) {
    return place<Direction, Lines>(o, p, 0);
  }
  template <along Direction>
  static constexpr bool conflict_free() {
    return tile::banks::free_of_conflicts(8,
                                          [](int l) { return 8 * left_place<Direction, left_lines<Direction>>(l); }) &&
           tile::banks::free_of_conflicts(8,
                                          [](int l) { return 8 * right_place<Direction, right_lines<Direction>>(l); });
  }

  // Terms beyond k are padded with the pair (+0, -0), the one that leaves every sum as it is, -0 included.
  template <bool Whole, class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void load(int f, const Stage& at, int p, int terms) {
    constexpr along left = Stage::left_runs, right = Stage::right_runs;
    using left_lines = left_lines<left>;
    using right_lines = right_lines<right>;
    static_assert(conflict_free<along::outer>() && conflict_free<along::terms>());
    const auto* const a = reinterpret_cast<const double*>(at.left) + distance<left, left_lines>(row_, p) +
                          left_place<left, left_lines>(lane_);
    const auto* const b = reinterpret_cast<const double*>(at.right) + distance<right, right_lines>(col_, p) +
                          right_place<right, right_lines>(lane_);
#pragma unroll
    for (int x = 0; x < Step / 4; ++x) {
      const bool in = Whole || p + 2 * x + lane_ % 4 / 2 < terms;
#pragma unroll
      for (int i = 0; i < TilesRows; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const double one = a[distance<left, left_lines>(16 * i + 8 * h, 2 * x)];
          left_[f][i][2 * x + h] = in ? one : 0.0;
        }
#pragma unroll
      for (int j = 0; j < TilesCols; ++j) {
        const double one = tile::negated_if(negates_, b[distance<right, right_lines>(4 * j, 2 * x)]);
        right_[f][j][x] = in ? one : -0.0;
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(int f) {
#pragma unroll
    for (int i = 0; i < TilesRows; ++i)
#pragma unroll
      for (int j = 0; j < TilesCols; ++j) mma(part_[i][j], left_[f][i], right_[f][j]);
  }

  int lane_, row_, col_;
  bool negates_;
  double left_[2][TilesRows][Step / 2], right_[2][TilesCols][Step / 4];
  double part_[TilesRows][TilesCols][4];
};

// ---------------------------------------------------------------------------------------------------------------------
// Products with a vector.

/// One output a lane of a team that is one warp: what a row's chain takes is less than what its elements take to
/// arrive.
template <class Real, int Depth, int Stages, int Residents>
class complex_chain {
 public:
  using element = tile::complex<Real>;
  using stored = element;
  static constexpr bool on_tensor_cores = false;
  /// It is told which factors are to be conjugated, and whether they come exchanged.
  static constexpr bool multiplies_conjugates = true, multiplies_turned = true;
  static constexpr int rows = 32, cols = 1, team_size = 32, outputs = 1;
  static constexpr int residents = Residents, depth = Depth, stages = Stages;

  // As in memory; lines of terms, read side by side, begin in other banks.
  template <along Direction>
  using left_lines = std::conditional_t<Direction == along::outer, scratch_lines<rows>, scratch_lines<depth, 1>>;
  template <along Direction>
  using right_lines = std::conditional_t<Direction == along::outer, scratch_lines<cols>, scratch_lines<depth>>;
  static constexpr int left_size = rows * (depth + 1), right_size = depth;

  template <along Left, along Right>
  struct stage {
    const element *left, *right;
    static constexpr along left_runs = Left;
  };

  KOKKOS_FORCEINLINE_FUNCTION complex_chain(int thread, const complex_terms& terms) : lane_(thread), terms_(terms) {}

  KOKKOS_FORCEINLINE_FUNCTION Real& part(int, int which) { return part_[which]; }
  static constexpr int strips = 1;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int strip_of(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION int row_of(int) const { return lane_; }
  KOKKOS_FORCEINLINE_FUNCTION static int col_in_strip(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static int col_of_strip(int, int) { return 0; }

  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Stage&) {}
  template <class Stage, class Next>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Stage& at, const Next& next) {
#pragma unroll
    for (int q = 0; q < depth; ++q) multiply_add(at, q);
    next();
  }
  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_rest(const Stage& at, int terms) {
#pragma unroll 4
    for (int q = 0; q < terms; ++q) multiply_add(at, q);
  }

 private:
  using whole = pack<Real, 2>;
  template <class Stage>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Stage& at, int q) {
    using lines = left_lines<Stage::left_runs>;
    static_assert(
        tile::banks::free_of_conflicts(sizeof(whole), [](int l) { return sizeof(whole) * place<lines, Stage>(l, 0); }));
    const whole a = *reinterpret_cast<const whole*>(at.left + place<lines, Stage>(lane_, q));
    const whole x = *reinterpret_cast<const whole*>(at.right + q);
    const Real a_im = tile::negated_if(terms_.conjugated.left, a.element[1]);
    const Real x_im = tile::negated_if(terms_.conjugated.right, x.element[1]);
    const bool turned = terms_.turned;
    part_[0] = Kokkos::fma(-a_im, x_im, Kokkos::fma(a.element[0], x.element[0], part_[0]));
    part_[1] = Kokkos::fma(turned ? a_im : a.element[0], turned ? x.element[0] : x_im, part_[1]);
    part_[1] = Kokkos::fma(turned ? a.element[0] : a_im, turned ? x_im : x.element[0], part_[1]);
  }
  template <class Lines, class Stage>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(int output, int q) {
    return Stage::left_runs == along::outer ? Lines::offset(q, output) : Lines::offset(output, q);
  }

  int lane_;
  complex_terms terms_;
  Real part_[2];
};

}  // namespace abax::cuda

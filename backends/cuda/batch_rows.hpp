// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogues of batches: small items by rows of their own, the first that serves; all others by
/// some of the rows of gemm and gemv.
#include "abax/detail/backends/cuda/batch_product.hpp"
#include "abax/detail/backends/cuda/gemm_rows.hpp"
#include "abax/detail/backends/cuda/gemv_rows.hpp"
#include "abax/detail/backends/cuda/interleaved_product.hpp"
#include "abax/detail/backends/cuda/interleaved_tiles.hpp"

namespace abax::cuda {

/// Items of a team: whole groups. Teams find their places all at once and have equal shares; or, where these would be
/// very many groups, there are so many teams that the last ones end at about the same time.
inline index_t items_of_team(index_t items, index_t group, int residents, const machine& m) {
  const index_t groups = tile::ceil_div(items, group), at_once = index_t(m.teams_at_once) * residents;
  const index_t equal = tile::ceil_div(groups, at_once);
  return group * (equal <= 24 ? equal : tile::ceil_div<index_t>(equal, 20));
}

template <class T, batch_shape Shape, along A, along B, bool Chunks>
struct batch_row {
  using primitives = batch_product<T, Shape, A, B, Chunks, member>;
  static batch_parameters parameters(const tile::batch<T>& batch, const machine& m) {
    return primitives::parameters_for(batch, index_t(m.teams_at_once) * Shape.residents);
  }
  static index_t run(const tile::batch<T>& batch, const machine& m) {
    return items_of_team(batch.items(), parameters(batch, m).group, Shape.residents, m);
  }
  static index_t largest_extent(const tile::batch<T>& batch) {
    return tile::max(batch.first.c.rows, batch.first.c.cols);
  }
};

/// Whether sums go from registers to C. In float, where A's terms are contiguous, lanes would store single elements:
/// those go by way of scratch.
template <class T, along A>
inline constexpr bool leaves_registers = sizeof(T) == 8 || A == along::outer;
/// The smallest items: C leaves scratch as it lies in memory.
template <class T, along A, along B>
struct batch_small : batch_row<T, batch_shape{128, 4, sizeof(T) == 8 ? 2 : 4, 54 << 10, 2, 4}, A, B, true> {
  static constexpr const char* name = "small batch by chunks";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    constexpr index_t most = leaves_registers<T, A> ? 12 : 20;
    return batch_small::largest_extent(batch) <= most && batch_small::primitives::serves(batch);
  }
};
/// To 32 rows and columns.
template <class T, along A, along B>
struct batch_medium : batch_row<T,
                                sizeof(T) == 8           ? batch_shape{128, 4, 2, 38400, 2, 5, false, true}
                                : leaves_registers<T, A> ? batch_shape{256, 4, 4, 75 << 10, 2, 2, false, true}
                                                         : batch_shape{128, 4, 4, 44 << 10, 1, 5},
                                A, B, true> {
  static constexpr const char* name = "medium batch by chunks";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    return batch_medium::largest_extent(batch) <= 32 && batch_medium::primitives::serves(batch);
  }
};
/// Larger C are more than one team's work.
inline constexpr index_t most_of_large_batch = 112;
/// Larger items. Where there is one stage, the teams of a multiprocessor take turns at copying and multiplying.
template <class T, along A, along B>
struct batch_large : batch_row<T,
                               sizeof(T) == 8 ? batch_shape{128, 4, 4, 54 << 10, 1, 4}
                                              : batch_shape{128, 4, 4, 55 << 10, 2, 4, false, true},
                               A, B, true> {
  static constexpr const char* name = "large batch by chunks";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    return batch_large::largest_extent(batch) <= most_of_large_batch && batch_large::primitives::serves(batch);
  }
};
/// Those that have no room there, as far as their tiles are faster than the ordinary rows.
template <class T, along A, along B>
struct batch_largest : batch_row<T,
                                 leaves_registers<T, A> ? batch_shape{256, 4, 4, 75 << 10, 2, 2, false, true}
                                                        : batch_shape{128, 4, 8, 54 << 10, 1, 4},
                                 A, B, true> {
  static constexpr const char* name = "largest batch by chunks";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    return batch_largest::largest_extent(batch) <= 64 && batch_largest::primitives::serves(batch);
  }
};
/// On FP64 tensor cores: a warp's tiles are whole along the terms, and C fills most of them. The ordinary rows, with
/// more teams an item, are faster for larger C.
inline bool is_for_tensor_cores(const tile::output<double>& c, const machine& m) {
  return m.tensor_cores && tile::min(c.rows, c.cols) > 8 && tile::max(c.rows, c.cols) <= 56;
}
template <class T, along A, along B>
struct batch_on_tensor_cores : batch_row<T, batch_shape{128, 16, 16, 55 << 10, 2, 4, true, true}, A, B, true> {
  static constexpr const char* name = "batch on tensor cores";
  static bool serves(const tile::batch<T>& batch, const machine& m) {
    return is_for_tensor_cores(batch.first.c, m) && batch_on_tensor_cores::primitives::serves(batch);
  }
};
template <class T, along A, along B>
struct batch_of_large_on_tensor_cores : batch_row<T, batch_shape{256, 16, 16, 72 << 10, 1, 3, true, true}, A, B, true> {
  static constexpr const char* name = "large batch on tensor cores";
  static bool serves(const tile::batch<T>& batch, const machine& m) {
    return is_for_tensor_cores(batch.first.c, m) && batch_of_large_on_tensor_cores::primitives::serves(batch);
  }
};

/// Items that come element by element, by register tiles of Side x Side outputs: the side with which an item's
/// multiply-adds and reads cost least, a read one and a half times as much, where tiles at the edges count in full.
/// Those of 4 x 4 serve what no other does.
template <class T, int Side, int Stages>
class batch_by_elements
    : public batch_row<T, batch_shape{128, Side, Side, (Stages == 1 && sizeof(T) == 4 ? 55 : 54) << 10, Stages, 4},
                       along::outer, along::terms, false> {
  static constexpr index_t most_of_two_stages = sizeof(T) == 4 ? 20 : 16;

  static index_t cost_of(const tile::output<T>& c, int side) {
    return tile::ceil_div<index_t>(c.rows, side) * tile::ceil_div<index_t>(c.cols, side) * (2 * side * side + 3 * side);
  }
  static int best_side(const tile::output<T>& c) {
    const index_t smallest = tile::min(c.rows, c.cols), largest = tile::max(c.rows, c.cols);
    const int most = sizeof(T) == 4 ? 7 : largest <= most_of_two_stages ? 5 : 6;  // as registers allow
    int best = 4;
    for (int side = 5; side <= tile::min<index_t>(most, smallest); ++side)
      if (cost_of(c, side) < cost_of(c, best)) best = side;
    return best;
  }
  /// Half of the scratch holds so few items that, where tiles of 5 x 5 fit exactly, a third of the threads would be
  /// idle.
  static int best_stages(const tile::output<T>& c) {
    const bool five = Side == 5 && c.rows % 5 == 0 && c.cols % 5 == 0;
    return five || tile::max(c.rows, c.cols) > most_of_two_stages ? 1 : 2;
  }

 public:
  static constexpr const char* name = Stages == 2 ? Side == 4   ? "small batch 4x4"
                                                    : Side == 5 ? "small batch 5x5"
                                                    : Side == 6 ? "small batch 6x6"
                                                                : "small batch 7x7"
                                      : Side == 4 ? "large batch 4x4"
                                      : Side == 5 ? "large batch 5x5"
                                      : Side == 6 ? "large batch 6x6"
                                                  : "large batch 7x7";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    const tile::output<T>& c = batch.first.c;
    return (Side == 4 || Side == best_side(c)) && Stages <= best_stages(c) &&
           batch_by_elements::largest_extent(batch) <= most_of_large_batch &&
           batch_by_elements::primitives::serves(batch);
  }
};
template <class T, int... Sides>
using batch_rows_of_one_stage = backends::rows<batch_by_elements<T, Sides, 1>...>;
template <class T, int... Sides>
using batch_rows_of_two_stages = backends::rows<batch_by_elements<T, Sides, 2>...>;
/// Those of two stages come first.
template <class T>
using batch_rows_by_elements =
    std::conditional_t<sizeof(T) == 4,
                       backends::joined<batch_rows_of_two_stages<T, 7, 6, 5>, batch_rows_of_one_stage<T, 7, 6, 5>,
                                        batch_rows_of_two_stages<T, 4>, batch_rows_of_one_stage<T, 4>>,
                       backends::joined<batch_rows_of_two_stages<T, 5>, batch_rows_of_one_stage<T, 6, 5>,
                                        batch_rows_of_two_stages<T, 4>, batch_rows_of_one_stage<T, 4>>>;

/// Interleaved items are a team's work, all tiles of each: where these are more than a few, teams must be enough to
/// occupy the GPU.
inline bool has_enough_teams(index_t items, index_t of_team, index_t tiles, const machine& m) {
  constexpr index_t few = 4;
  return tiles <= few || tile::ceil_div(items, of_team) >= m.teams_at_once;
}

template <class T, interleaved_shape Shape>
struct interleaved_row {
  using primitives = interleaved_product<T, Shape, member>;
  static typename primitives::parameters parameters(const tile::batch<T>&, const machine&) { return {}; }
  static index_t tiles_of(const tile::batch<T>& batch) {
    return tile::ceil_div<index_t>(batch.first.c.rows, Shape.rows) *
           tile::ceil_div<index_t>(batch.first.c.cols, Shape.cols);
  }
  static bool is_served(const tile::batch<T>& batch, const machine& m) {
    constexpr index_t most = 128;
    return batch.is_interleaved() && tile::max(batch.first.c.rows, batch.first.c.cols) <= most &&
           batch.first.terms() <= tile::canon_block &&
           has_enough_teams(batch.items(), run(batch, m), tile::ceil_div<index_t>(tiles_of(batch), Shape.warps), m);
  }
  static index_t run(const tile::batch<T>& batch, const machine&) {
    const index_t tiles = tiles_of(batch);
    if (tiles <= Shape.warps) return 32 * (Shape.warps / tiles);
    return tiles % Shape.warps == 0 ? 32 : 4 * 32;  // so that all warps have about as many tiles
  }
};
template <class T>
struct interleaved_4x4 : interleaved_row<T, interleaved_shape{4, 4, 4, sizeof(T) == 4 ? 8 : 5}> {
  static constexpr const char* name = "interleaved 4x4";
  static bool serves(const tile::batch<T>& batch, const machine& m) {
    return interleaved_4x4::is_served(batch, m) && batch.first.c.rows <= 4 && batch.first.c.cols <= 4;
  }
};
template <class T>
struct interleaved_8x8 : interleaved_row<T, interleaved_shape{4, 8, sizeof(T) == 4 ? 8 : 4, 4}> {
  static constexpr const char* name = "interleaved";
  static bool serves(const tile::batch<T>& batch, const machine& m) { return interleaved_8x8::is_served(batch, m); }
};

/// Interleaved items that are large enough for their elements to be read several times. Wide: copied 16 bytes at a
/// time.
template <class T, interleaved_tile_shape Shape, bool Wide>
struct interleaved_tiles_row {
  using primitives = interleaved_tiles<T, Shape, Wide ? 16 / int(sizeof(T)) : 1, member>;
  static typename primitives::parameters parameters(const tile::batch<T>&, const machine&) { return {}; }
  static bool serves(const tile::batch<T>& batch, const machine& m) {
    constexpr index_t rows = Shape.rows * Shape.row_lanes, cols = Shape.cols * Shape.col_lanes;
    const tile::output<T>& c = batch.first.c;
    const index_t tiles = tile::ceil_div<index_t>(c.rows, rows) * tile::ceil_div<index_t>(c.cols, cols);
    return (c.rows > rows / 2 || c.cols > cols / 2) && (c.rows | c.cols) >> 15 == 0 &&
           batch.first.terms() <= tile::canon_block && has_enough_teams(batch.items(), Shape.items, tiles, m) &&
           primitives::serves(batch);
  }
  static index_t run(const tile::batch<T>&, const machine&) { return Shape.items; }
};
template <class T>
inline constexpr int items_of_64_bytes = 64 / sizeof(T);
template <class T, bool Wide>
struct interleaved_tiles_16
    : interleaved_tiles_row<T, interleaved_tile_shape{4, 4, 4, 4, items_of_64_bytes<T>, 8, 3, 4}, Wide> {
  static constexpr const char* name = "interleaved tiles of 16x16";
};
template <class T, bool Wide>
struct interleaved_tiles_32
    : interleaved_tiles_row<T,
                            interleaved_tile_shape{sizeof(T) == 4 ? 8 : 4, 8, sizeof(T) == 4 ? 4 : 8, 4,
                                                   items_of_64_bytes<T>, 8, 3, 2},
                            Wide> {
  static constexpr const char* name = "interleaved tiles of 32x32";
};

template <template <class, along, along> class Row, class T>
using batch_by_chunks = backends::rows<Row<T, along::outer, along::terms>, Row<T, along::outer, along::outer>,
                                       Row<T, along::terms, along::terms>, Row<T, along::terms, along::outer>>;
template <class T>
using batch_rows_by_chunks =
    std::conditional_t<sizeof(T) == 4,
                       backends::joined<batch_by_chunks<batch_small, T>, batch_by_chunks<batch_medium, T>,
                                        batch_by_chunks<batch_large, T>, batch_by_chunks<batch_largest, T>>,
                       backends::joined<batch_by_chunks<batch_small, T>, batch_by_chunks<batch_on_tensor_cores, T>,
                                        batch_by_chunks<batch_of_large_on_tensor_cores, T>,
                                        batch_by_chunks<batch_medium, T>, batch_by_chunks<batch_large, T>>>;
template <class T>
using batch_rows = backends::joined<
    backends::rows<interleaved_tiles_32<T, true>, interleaved_tiles_32<T, false>, interleaved_tiles_16<T, true>>,
    // In float, 64 bytes that are copied one by one take longer than reading elements again from the cache.
    std::conditional_t<sizeof(T) == 8, backends::rows<interleaved_tiles_16<T, false>>, backends::rows<>>,
    backends::rows<interleaved_4x4<T>, interleaved_8x8<T>>, batch_rows_by_chunks<T>, batch_rows_by_elements<T>>;

/// Complex items, however they lie, to the extents at which these rows were faster than the ordinary ones; with many
/// more terms than outputs, few threads of a team would have work.
template <class T, int Stages>
struct complex_batch_row
    : batch_row<T, batch_shape{128, 4, 2, 55 << 10, Stages, 4}, along::outer, along::terms, false> {
  static bool serves(const tile::batch<T>& batch, const machine&) {
    constexpr index_t most = 24, most_of_two_stages = sizeof(T) == 8 ? 17 : 6;
    return complex_batch_row::largest_extent(batch) <= (Stages == 2 ? most_of_two_stages : most) &&
           batch.first.terms() <= 4 * most && complex_batch_row::primitives::serves(batch);
  }
};
template <class T>
struct complex_batch_small : complex_batch_row<T, 2> {
  static constexpr const char* name = "small complex batch";
};
template <class T>
struct complex_batch_large : complex_batch_row<T, 1> {
  static constexpr const char* name = "large complex batch";
};
template <class T>
using complex_batch_rows = backends::rows<complex_batch_small<T>, complex_batch_large<T>>;

// ---------------------------------------------------------------------------------------------------------------------
// All others: enough tiles that each product finds one, as many products fill the GPU.

template <along A, along B, int Width>
using batched_sgemm_rows = backends::joined<only_by_chunks<Width, sgemm_128x128x8<A, B, Width>>,
                                            backends::rows<sgemm_64x64x16<A, B, Width>, sgemm_32x32<A, B, Width>>>;
template <along A, along B, int Width>
using batched_dgemm_rows =
    backends::joined<only_by_chunks<Width, dgemm_64x64x16_four<A, B, Width>>,
                     backends::rows<dgemm_64x64x16<A, B, Width>, dgemm_32x32<A, B, Width>, dgemm_64x64x8<A, B, Width>>>;

template <class T>
class batched_matrix_rows {
  static constexpr auto outer = along::outer, terms = along::terms;
  static constexpr int wide = 16 / sizeof(T);
  template <along A, along B, int Width>
  using rows =
      std::conditional_t<std::is_same_v<T, float>, batched_sgemm_rows<A, B, Width>, batched_dgemm_rows<A, B, Width>>;

 public:
  using groups = backends::groups<rows<outer, outer, wide>, rows<outer, terms, wide>, rows<terms, outer, wide>,
                                  rows<terms, terms, wide>, rows<outer, outer, 1>, rows<outer, terms, 1>,
                                  rows<terms, outer, 1>, rows<terms, terms, 1>>;
  static int group_of(const tile::product<T>& problem, const machine& m) {
    return matrix_rows<T>::group_of(problem, m);
  }
  static int preferred(const tile::product<T>&, const machine&) { return backends::by_cost; }
  using immediate = backends::rows<>;
  static constexpr auto gain_by_copies = backends::never_copied;
};

template <class T>
class batched_vector_rows {
  template <along A, bool Wide>
  using rows = backends::rows<gemv_16_rows<T, A, Wide>, gemv_32_rows<T, A, Wide>>;

 public:
  using groups = backends::groups<rows<along::outer, true>, rows<along::terms, true>, rows<along::outer, false>,
                                  rows<along::terms, false>>;
  static int group_of(const tile::product<T>& problem, const machine& m) {
    return vector_rows<T>::group_of(problem, m);
  }
  static int preferred(const tile::product<T>& problem, const machine&) { return problem.c.rows <= 16 ? 0 : 1; }
  using immediate = backends::rows<>;
};

}  // namespace abax::cuda

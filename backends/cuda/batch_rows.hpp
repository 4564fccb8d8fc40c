// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogues of batches: small items by rows of their own, the first that serves; all others by
/// some of the rows of gemm and gemv.
#include "abax/detail/backends/cuda/batch_product.hpp"
#include "abax/detail/backends/cuda/gemm_rows.hpp"
#include "abax/detail/backends/cuda/gemv_rows.hpp"
#include "abax/detail/backends/cuda/interleaved_rows.hpp"

namespace abax::cuda {

template <class T, batch_shape Shape, along A, along B, bool Chunks>
struct batch_row {
  using primitives = batch_product<T, Shape, A, B, Chunks, member>;
  using layout = typename primitives::layout;
  static batch_parameters parameters(const tile::batch<T>& batch, const machine& m) {
    return layout::parameters_for(batch, index_t(m.teams_at_once) * Shape.residents);
  }
  static index_t teams(const tile::batch<T>& batch, const batch_parameters& how, const machine&) {
    return tile::ceil_div<index_t>(batch.items(), how.group);
  }
  static index_t largest_extent(const tile::batch<T>& batch) {
    return tile::max(batch.first.c.rows, batch.first.c.cols);
  }
};

/// The smallest items: C leaves scratch as it lies in memory. Reading the terms of several lines at once takes more
/// registers, and sums then go to scratch one by one.
template <class T, along A, along B>
struct batch_small
    : batch_row<T,
                A == along::terms ? batch_shape{64, 4, sizeof(T) == 8 ? 2 : 4, 17 << 10, 12, false, false, true}
                                  : batch_shape{64, 4, sizeof(T) == 8 ? 2 : 4, 13 << 10, 16},
                A, B, true> {
  static constexpr const char* name = "small batch by chunks";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    return batch_small::largest_extent(batch) <= 8 && batch_small::layout::serves(batch);
  }
};
/// In float, where A's terms are contiguous, lanes would store single elements: these go by way of scratch, too, as
/// long as items are not large. Small ones: more teams, with so few registers that no terms of B are read side by side.
template <class T, along A, along B>
struct batch_by_scratch : batch_row<T, batch_shape{128, 4, 4, 26 << 10, 8}, A, B, true> {
  static constexpr const char* name = "batch by scratch";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    return batch_by_scratch::largest_extent(batch) <= 20 && batch_by_scratch::layout::serves(batch);
  }
};
template <class T, along A, along B>
struct large_batch_by_scratch : batch_row<T, batch_shape{128, 4, 4, 44 << 10, 5}, A, B, true> {
  static constexpr const char* name = "large batch by scratch";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    return large_batch_by_scratch::largest_extent(batch) <= 28 && large_batch_by_scratch::layout::serves(batch);
  }
};
/// Larger C are more than one team's work.
inline constexpr index_t most_of_large_batch = 112;
/// All others from registers to C. Wide: items of 29 to 32 and of 45 to 48 rows and columns, of which a larger group
/// leaves fewer threads idle.
template <class T, along A, along B>
struct batch_wide : batch_row<T, batch_shape{128, 4, 4, 44 << 10, 5, false, true}, A, B, true> {
  static constexpr const char* name = "batch by chunks, wide";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    const index_t largest = batch_wide::largest_extent(batch);
    return ((28 < largest && largest <= 32) || (44 < largest && largest <= 48)) && batch_wide::layout::serves(batch);
  }
};
template <class T, along A, along B>
struct batch_by_chunks : batch_row<T,
                                   sizeof(T) == 8 ? batch_shape{128, 4, 4, 54 << 10, 4, false, true}
                                                  : batch_shape{128, 4, 4, 36 << 10, 6, false, true},
                                   A, B, true> {
  static constexpr const char* name = "batch by chunks";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    return batch_by_chunks::largest_extent(batch) <= most_of_large_batch && batch_by_chunks::layout::serves(batch);
  }
};
/// Items of a size that the compiler knows, one behind the other; asked before other rows for large items.
template <class T, along A, along B>
struct batch_of_32 : batch_row<T,
                               batch_shape{.threads = 128,
                                           .rows = 8,
                                           .cols = 4,
                                           .bytes = 38 << 10,
                                           .residents = 5,
                                           .stores_sums = true,
                                           .extent = 32},
                               A, B, true> {
  static constexpr const char* name = "batch of 32x32";
  static bool serves(const tile::batch<T>& batch, const machine&) { return batch_of_32::layout::serves(batch); }
};
inline constexpr batch_shape shape_of_64_floats = {
    .threads = 128, .rows = 8, .cols = 4, .bytes = 36 << 10, .residents = 6, .stores_sums = true, .extent = 64};
inline constexpr batch_shape shape_of_64_doubles = {.threads = 256,
                                                    .rows = 16,
                                                    .cols = 16,
                                                    .bytes = 73 << 10,
                                                    .residents = 3,
                                                    .on_tensor_cores = true,
                                                    .stores_sums = true,
                                                    .extent = 64};
template <class T, along A, along B>
struct batch_of_64 : batch_row<T, sizeof(T) == 4 ? shape_of_64_floats : shape_of_64_doubles, A, B, true> {
  static constexpr const char* name = "batch of 64x64";
  static bool serves(const tile::batch<T>& batch, const machine& m) {
    return (sizeof(T) == 4 || m.tensor_cores) && batch_of_64::layout::serves(batch);
  }
};
/// On FP64 tensor cores: a warp's tiles are whole along the terms, and C fills most of them.
template <class T, batch_shape Shape, along A, along B>
struct batch_on_tensor_cores : batch_row<T, Shape, A, B, true> {
  static bool serves(const tile::batch<T>& batch, const machine& m) {
    const tile::output<double>& c = batch.first.c;
    return m.tensor_cores && tile::min(c.rows, c.cols) > 8 && batch_on_tensor_cores::largest_extent(batch) <= 64 &&
           batch_on_tensor_cores::layout::serves(batch);
  }
};
template <class T, along A, along B>
struct batch_16x8 : batch_on_tensor_cores<T, batch_shape{128, 16, 8, 26 << 10, 8, true, true}, A, B> {
  static constexpr const char* name = "batch on tensor cores, 16x8";
};
template <class T, along A, along B>
struct batch_16x8_of_eight : batch_on_tensor_cores<T, batch_shape{256, 16, 8, 54 << 10, 4, true, true}, A, B> {
  static constexpr const char* name = "batch on tensor cores, 16x8 by eight warps";
};
template <class T, along A, along B>
struct batch_16x16 : batch_on_tensor_cores<T, batch_shape{256, 16, 16, 73 << 10, 3, true, true}, A, B> {
  static constexpr const char* name = "batch on tensor cores, 16x16";
};

/// Items that come element by element, by register tiles of as many rows as columns: the side with which an item's
/// multiply-adds and reads cost least, where tiles at the edges count in full.
template <class T, batch_shape Shape>
class batch_by_elements : public batch_row<T, Shape, along::outer, along::terms, false> {
  static constexpr int side = Shape.rows;
  static constexpr bool is_large = Shape.bytes == 55 << 10;

  /// In halves of a multiply-add; a tile reads 2 side elements a term, each for three quarters of one.
  static index_t cost_of(const tile::output<T>& c, int side) {
    return tile::ceil_div<index_t>(c.rows, side) * tile::ceil_div<index_t>(c.cols, side) * (2 * side * side + 3 * side);
  }
  static int best_side(const tile::output<T>& c) {
    int best = 4;
    for (int side = 5; side <= tile::min<index_t>(6, tile::min(c.rows, c.cols)); ++side)
      if (cost_of(c, side) < cost_of(c, best)) best = side;
    return best;
  }

 public:
  static constexpr const char* name = side == 4   ? is_large ? "large batch 4x4" : "batch 4x4"
                                      : side == 5 ? "batch 5x5"
                                      : is_large  ? "large batch 6x6"
                                                  : "batch 6x6";
  static bool serves(const tile::batch<T>& batch, const machine&) {
    return (side == 4 || side == best_side(batch.first.c)) &&
           batch_by_elements::largest_extent(batch) <= most_of_large_batch && batch_by_elements::layout::serves(batch);
  }
};
/// Shapes of fewer threads, or more teams, come first, and those that have room for large items last. Tiles of 4 x 4
/// serve what no other does.
template <class T, batch_shape... Shapes>
using batch_rows_of_shapes = backends::rows<batch_by_elements<T, Shapes>...>;
template <class T>
using batch_rows_by_elements =
    std::conditional_t<sizeof(T) == 4,
                       batch_rows_of_shapes<T, batch_shape{64, 6, 6, 27 << 10, 8}, batch_shape{128, 5, 5, 36 << 10, 6},
                                            batch_shape{128, 6, 6, 55 << 10, 4}, batch_shape{128, 4, 4, 36 << 10, 6},
                                            batch_shape{128, 4, 4, 55 << 10, 4}>,
                       batch_rows_of_shapes<T, batch_shape{128, 6, 6, 54 << 10, 4}, batch_shape{128, 5, 5, 54 << 10, 4},
                                            batch_shape{128, 4, 4, 54 << 10, 4}>>;

template <template <class, along, along> class Row, class T, along A>
using batch_of_a = backends::rows<Row<T, A, along::terms>, Row<T, A, along::outer>>;
template <template <class, along, along> class Row, class T>
using batch_of_lines = backends::joined<batch_of_a<Row, T, along::outer>, batch_of_a<Row, T, along::terms>>;
template <class T>
using batch_rows_by_chunks = std::conditional_t<
    sizeof(T) == 4,
    backends::joined<batch_of_lines<batch_small, T>, backends::rows<batch_by_scratch<T, along::terms, along::outer>>,
                     batch_of_a<large_batch_by_scratch, T, along::terms>, batch_of_a<batch_of_32, T, along::outer>,
                     batch_of_lines<batch_of_64, T>, batch_of_lines<batch_wide, T>, batch_of_lines<batch_by_chunks, T>>,
    backends::joined<batch_of_lines<batch_small, T>, batch_of_lines<batch_of_64, T>, batch_of_lines<batch_16x8, T>,
                     batch_of_lines<batch_16x8_of_eight, T>, batch_of_lines<batch_16x16, T>,
                     batch_of_lines<batch_by_chunks, T>>>;
template <class T>
using batch_rows = backends::joined<interleaved_tile_rows<T, true>, interleaved_tile_rows<T, false>,
                                    interleaved_rows<T>, batch_rows_by_chunks<T>, batch_rows_by_elements<T>>;

/// Complex items, however they lie, to the extents at which these rows were faster than the ordinary ones; with many
/// more terms than outputs, few threads of a team would have work.
template <class T, batch_shape Shape>
struct complex_batch_row : batch_row<T, Shape, along::outer, along::terms, false> {
  static bool is_served(const tile::batch<T>& batch, index_t most) {
    return complex_batch_row::largest_extent(batch) <= most && batch.first.terms() <= 96 &&
           complex_batch_row::layout::serves(batch);
  }
};
template <class T>
struct complex_batch_small : complex_batch_row<T, batch_shape{128, 4, 2, 36 << 10, 6}> {
  static constexpr const char* name = "small complex batch";
  static bool serves(const tile::batch<T>& batch, const machine&) { return complex_batch_small::is_served(batch, 12); }
};
template <class T>
struct complex_batch_large : complex_batch_row<T, batch_shape{128, 4, 2, 55 << 10, 4}> {
  static constexpr const char* name = "large complex batch";
  static bool serves(const tile::batch<T>& batch, const machine&) { return complex_batch_large::is_served(batch, 24); }
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

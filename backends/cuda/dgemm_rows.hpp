// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogue of gemm in double: a row for each tile. Costs are fitted to times on an H200.
#include "abax/detail/backends/cuda/direct_product.hpp"
#include "abax/detail/backends/cuda/gemm_row.hpp"
#include "abax/detail/backends/cuda/mma_product.hpp"
#include "abax/detail/backends/cuda/simt_product.hpp"
#include "abax/detail/backends/cuda/small_product.hpp"

namespace abax::cuda {

// A, B and Width say how the operands lie: Width elements are copied at a time, 16 bytes or one.

/// Of one block of the canon only: four teams a multiprocessor, which start and store while others multiply, have no
/// room for their totals.
template <along A, along B, int Width>
struct dgemm_64x64x16_four : gemm_row<dgemm_64x64x16_four<A, B, Width>> {
  static constexpr const char* name = "64x64x16 on tensor cores, four teams";
  static constexpr bool takes_functors = false;
  static constexpr mma_shape shape{.warp_rows = 2,
                                   .warp_cols = 2,
                                   .tiles_rows = 2,
                                   .tiles_cols = 4,
                                   .depth = 16,
                                   .step = 4,
                                   .group = 4,
                                   .stages = 3,
                                   .residents = 4};
  static constexpr tile::product_cost cost{.rate = 1.1, .ends = 43, .alone = 1.74, .least = 4};
  static constexpr auto serves = [](const tile::product<double>& problem, const machine& m) {
    return m.tensor_cores && tile::canon_blocks(problem.terms()) <= 1;
  };
  using primitives = mma_product<shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct dgemm_128x128x16 : gemm_row<dgemm_128x128x16<A, B, Width>> {
  static constexpr const char* name = "128x128x16 on tensor cores";
  static constexpr bool takes_functors = true;
  static constexpr mma_shape shape{.warp_rows = 4,
                                   .warp_cols = 2,
                                   .tiles_rows = 2,
                                   .tiles_cols = 8,
                                   .depth = 16,
                                   .step = 4,
                                   .group = 4,
                                   .stages = 3,
                                   .residents = 1};
  static constexpr tile::product_cost cost{.rate = 1.19, .ends = 139};
  static constexpr auto serves = where_tensor_cores_are;
  using primitives = mma_product<shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct dgemm_128x64x16 : gemm_row<dgemm_128x64x16<A, B, Width>> {
  static constexpr const char* name = "128x64x16 on tensor cores";
  static constexpr bool takes_functors = false;
  static constexpr mma_shape shape{.warp_rows = 4,
                                   .warp_cols = 2,
                                   .tiles_rows = 2,
                                   .tiles_cols = 4,
                                   .depth = 16,
                                   .step = B == along::outer ? 4 : 8,
                                   .group = B == along::outer ? 4 : 8,
                                   .stages = 4,
                                   .residents = 1};
  static constexpr rates by_elements{.outer_outer = 1.1, .outer_terms = 1.1, .terms_outer = 1.05, .terms_terms = 1.06};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = 1.17, .ends = 124}, {.rate = by_elements.of(A, B), .ends = 143, .alone = 0.95});
  static constexpr auto serves = where_tensor_cores_are;
  using primitives = mma_product<shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct dgemm_64x64x16 : gemm_row<dgemm_64x64x16<A, B, Width>> {
  static constexpr const char* name = "64x64x16 on tensor cores";
  static constexpr bool takes_functors = Width > 1;
  static constexpr mma_shape shape{.warp_rows = 2,
                                   .warp_cols = 2,
                                   .tiles_rows = 2,
                                   .tiles_cols = 4,
                                   .depth = 16,
                                   .step = 8,
                                   .group = 8,
                                   .stages = 4,
                                   .residents = 2};
  static constexpr rates by_elements{
      .outer_outer = 0.974, .outer_terms = 0.971, .terms_outer = 0.952, .terms_terms = 0.985};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = 1.18, .ends = 160}, {.rate = by_elements.of(A, B), .ends = 108, .alone = 1.18});
  static constexpr auto serves = where_tensor_cores_are;
  using primitives = mma_product<shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct dgemm_64x32 : gemm_row<dgemm_64x32<A, B, Width>> {
  static constexpr const char* name = "64x32 on tensor cores";
  static constexpr bool takes_functors = Width == 1;
  static constexpr mma_shape shape{.warp_rows = 2,
                                   .warp_cols = 2,
                                   .tiles_rows = 2,
                                   .tiles_cols = 2,
                                   .depth = Width > 1 ? 16 : 32,
                                   .step = 8,
                                   .group = 8,
                                   .stages = Width > 1 ? 4 : 3,
                                   .loaders = Width > 1 ? 0 : 4,
                                   .residents = Width > 1 ? 3 : 2};
  static constexpr rates by_elements{
      .outer_outer = 0.765, .outer_terms = 0.786, .terms_outer = 0.718, .terms_terms = 0.758};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = 0.973, .ends = 103, .alone = 1.42, .join = 10},
                      {.rate = by_elements.of(A, B), .ends = 135, .alone = 1.07});
  static constexpr auto serves = where_tensor_cores_are;
  using primitives = mma_product<shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct dgemm_32x32 : gemm_row<dgemm_32x32<A, B, Width>> {
  static constexpr const char* name = "32x32 on tensor cores";
  static constexpr bool takes_functors = true;
  static constexpr mma_shape shape{.warp_rows = 2,
                                   .warp_cols = 2,
                                   .tiles_rows = 1,
                                   .tiles_cols = 2,
                                   .depth = 32,
                                   .step = Width > 1 ? 8 : 16,
                                   .group = 16,
                                   .stages = 4,
                                   .loaders = Width > 1 ? 0 : 4,
                                   .residents = Width > 1 ? 3 : 2};
  static constexpr rates by_elements{
      .outer_outer = 0.53, .outer_terms = 0.544, .terms_outer = 0.55, .terms_terms = 0.546};
  static constexpr tile::product_cost cost = by_width<Width>({.rate = 0.797, .ends = 133, .alone = 1.34, .join = 16},
                                                             {.rate = by_elements.of(A, B), .ends = 161, .alone = 0.8});
  static constexpr auto serves = where_tensor_cores_are;
  using primitives = mma_product<shape, A, B, Width, member>;
};

/// Few outputs: one tile of the instruction a warp.
template <along A, along B, int Width>
struct dgemm_16x16 : gemm_row<dgemm_16x16<A, B, Width>> {
  static constexpr const char* name = "16x16 on tensor cores";
  static constexpr bool takes_functors = true;
  static constexpr mma_shape shape{.warp_rows = 1,
                                   .warp_cols = 2,
                                   .tiles_rows = 1,
                                   .tiles_cols = 1,
                                   .depth = 32,
                                   .step = 16,
                                   .group = 16,
                                   .stages = 8,
                                   .loaders = Width > 1 ? 2 : 4,
                                   .residents = Width > 1 ? 3 : 2};
  static constexpr rates by_elements{
      .outer_outer = 0.283, .outer_terms = 0.32, .terms_outer = 0.307, .terms_terms = 0.307};
  static constexpr tile::product_cost cost = by_width<Width>({.rate = 0.418, .ends = 261, .alone = 1.11, .join = 60},
                                                             {.rate = by_elements.of(A, B), .ends = 167});
  static constexpr auto serves = where_tensor_cores_are;
  using primitives = mma_product<shape, A, B, Width, member>;
};

// For few rows or columns, on the FMA units. Elements are copied one by one, and one kernel serves all operands: one
// for each way in which they lie would take half as long again to compile as all others.

/// One chain a lane, and warps that do nothing but copy: each term takes as long as its addition.
struct dgemm_8x8 : gemm_row<dgemm_8x8> {
  static constexpr const char* name = "8x8";
  static constexpr bool takes_functors = false;
  static constexpr small_shape shape{.warp_rows = 1,
                                     .warp_cols = 2,
                                     .lane_rows = 8,
                                     .rows = 1,
                                     .cols = 1,
                                     .depth = 64,
                                     .group = 8,
                                     .stages = 4,
                                     .loaders = 2,
                                     .residents = 4};
  static constexpr tile::product_cost cost{.rate = 0.0875, .ends = 133, .alone = 1.7, .join = 190};
  static constexpr auto serves = backends::always;
  using primitives = small_product<double, shape, along::either, along::either, 1, member>;
};

struct dgemm_32x8 : gemm_row<dgemm_32x8> {
  static constexpr const char* name = "32x8";
  static constexpr bool takes_functors = false;
  static constexpr small_shape shape{.warp_rows = 2,
                                     .warp_cols = 1,
                                     .lane_rows = 8,
                                     .rows = 2,
                                     .cols = 2,
                                     .depth = 32,
                                     .group = 4,
                                     .stages = 4,
                                     .loaders = 0,
                                     .residents = 5};
  static constexpr tile::product_cost cost{.rate = 0.152, .ends = 28, .alone = 1.73, .join = 55};
  static constexpr auto serves = backends::always;
  using primitives = small_product<double, shape, along::either, along::either, 1, member>;
};

struct dgemm_8x32 : gemm_row<dgemm_8x32> {
  static constexpr const char* name = "8x32";
  static constexpr bool takes_functors = false;
  static constexpr small_shape shape{.warp_rows = 1,
                                     .warp_cols = 2,
                                     .lane_rows = 4,
                                     .rows = 2,
                                     .cols = 2,
                                     .depth = 32,
                                     .group = 4,
                                     .stages = 4,
                                     .loaders = 0,
                                     .residents = 5};
  static constexpr tile::product_cost cost{.rate = 0.133, .ends = 23, .alone = 2.17, .join = 57};
  static constexpr auto serves = backends::always;
  using primitives = small_product<double, shape, along::either, along::either, 1, member>;
};

struct dgemm_few_terms : few_terms_row<dgemm_few_terms, 3> {
  static constexpr tile::product_cost cost{.rate = 0.221, .ends = 12, .alone = 1.24, .least = 1};
  using primitives = direct_product<double, direct_shape{.rows = 4, .cols = 4, .depth = 2, .residents = 2}, member>;
};

/// For GPUs without FP64 tensor cores that keep the canon.
template <along A, along B, int Width>
struct dgemm_64x64x8 : gemm_row<dgemm_64x64x8<A, B, Width>> {
  static constexpr const char* name = "64x64x8";
  static constexpr bool takes_functors = true;
  static constexpr simt_shape shape{
      .warp_rows = 1, .warp_cols = 2, .group_rows = 2, .group_cols = 2, .depth = 8, .residents = 1};
  static constexpr tile::product_cost cost{.rate = 0.201, .ends = 48};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<double, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
using dgemm_rows =
    backends::joined<only_by_chunks<Width, dgemm_64x64x16_four<A, B, Width>, dgemm_128x128x16<A, B, Width>>,
                     backends::rows<dgemm_128x64x16<A, B, Width>, dgemm_64x64x16<A, B, Width>, dgemm_64x32<A, B, Width>,
                                    dgemm_32x32<A, B, Width>, dgemm_16x16<A, B, Width>, dgemm_8x8, dgemm_32x8,
                                    dgemm_8x32, dgemm_few_terms, dgemm_64x64x8<A, B, Width>>>;

}  // namespace abax::cuda

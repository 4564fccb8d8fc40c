// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogue of gemm in float: a row for each tile. Costs are measured on an H200.
#include "abax/detail/backends/cuda/gemm_row.hpp"
#include "abax/detail/backends/cuda/simt_product.hpp"
#include "abax/detail/backends/cuda/small_product.hpp"

namespace abax::cuda {

// A, B and Width say how the operands lie: Width elements are copied at a time, 16 bytes or one.

template <along A, along B, int Width>
struct sgemm_256x128x16 : gemm_row<sgemm_256x128x16<A, B, Width>> {
  static constexpr const char* name = "256x128x16";
  static constexpr bool takes_functors = A == along::outer && B == along::terms;
  static constexpr simt_shape shape{
      .warp_rows = 4, .warp_cols = 2, .group_rows = 2, .group_cols = 4, .depth = 16, .residents = 1};
  static constexpr rates rate{.outer_outer = 0.847, .outer_terms = 0.873, .terms_outer = 0.778, .terms_terms = 0.83};
  static constexpr tile::product_cost cost{.rate = rate.of(A, B), .ends = 116};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_128x128x16 : gemm_row<sgemm_128x128x16<A, B, Width>> {
  static constexpr const char* name = "128x128x16";
  static constexpr bool takes_functors = A == along::outer && B == along::outer;
  static constexpr simt_shape shape{
      .warp_rows = 2, .warp_cols = 2, .group_rows = 2, .group_cols = 4, .depth = 16, .residents = 2};
  static constexpr rates rate{.outer_outer = 0.855, .outer_terms = 0.813, .terms_outer = 0.813, .terms_terms = 0.744};
  static constexpr tile::product_cost cost{.rate = rate.of(A, B), .ends = 107, .alone = 1.15};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_128x128x8 : gemm_row<sgemm_128x128x8<A, B, Width>> {
  static constexpr const char* name = "128x128x8";
  static constexpr bool takes_functors = A == along::terms && B == along::terms;
  static constexpr simt_shape shape{
      .warp_rows = 2, .warp_cols = 2, .group_rows = 2, .group_cols = 4, .depth = 8, .residents = 2};
  static constexpr rates rate{.outer_outer = 0.847, .outer_terms = 0.817, .terms_outer = 0.821, .terms_terms = 0.855};
  static constexpr tile::product_cost cost{.rate = rate.of(A, B), .ends = 100, .alone = 1.15};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_128x64x16 : gemm_row<sgemm_128x64x16<A, B, Width>> {
  static constexpr const char* name = "128x64x16";
  static constexpr bool takes_functors = Width > 1;
  static constexpr simt_shape shape{
      .warp_rows = 2, .warp_cols = 2, .group_rows = 2, .group_cols = 2, .depth = 16, .residents = 3};
  static constexpr rates rate{.outer_outer = 0.838, .outer_terms = 0.855, .terms_outer = 0.817, .terms_terms = 0.787};
  static constexpr rates by_elements{.outer_outer = 0.8, .outer_terms = 0.76, .terms_outer = 0.71, .terms_terms = 0.71};
  static constexpr tile::product_cost cost = by_width<Width>({.rate = rate.of(A, B), .ends = 68, .alone = 1.1},
                                                             {.rate = by_elements.of(A, B), .ends = 65, .alone = 1.35});
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_64x128x16 : gemm_row<sgemm_64x128x16<A, B, Width>> {
  static constexpr const char* name = "64x128x16";
  static constexpr bool takes_functors = false;
  static constexpr simt_shape shape{
      .warp_rows = 1, .warp_cols = 4, .group_rows = 2, .group_cols = 2, .depth = 16, .residents = 3};
  static constexpr rates rate{.outer_outer = 0.838, .outer_terms = 0.825, .terms_outer = 0.855, .terms_terms = 0.778};
  static constexpr rates by_elements{
      .outer_outer = 0.75, .outer_terms = 0.68, .terms_outer = 0.66, .terms_terms = 0.62};
  static constexpr tile::product_cost cost = by_width<Width>({.rate = rate.of(A, B), .ends = 68, .alone = 1.1},
                                                             {.rate = by_elements.of(A, B), .ends = 57, .alone = 1.19});
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_64x64x16 : gemm_row<sgemm_64x64x16<A, B, Width>> {
  static constexpr const char* name = "64x64x16";
  static constexpr bool takes_functors = false;
  static constexpr simt_shape shape{
      .warp_rows = 1, .warp_cols = 4, .group_rows = 2, .group_cols = 1, .depth = 16, .residents = 3};
  static constexpr rates rate{.outer_outer = 0.753, .outer_terms = 0.693, .terms_outer = 0.693, .terms_terms = 0.607};
  static constexpr rates by_elements{
      .outer_outer = 0.67, .outer_terms = 0.65, .terms_outer = 0.65, .terms_terms = 0.61};
  static constexpr tile::product_cost cost = by_width<Width>({.rate = rate.of(A, B), .ends = 50, .alone = 1.32},
                                                             {.rate = by_elements.of(A, B), .ends = 47, .alone = 1.4});
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

// Small tiles: for products of few outputs, whose chains decide.

template <along A, along B, int Width>
struct sgemm_64x32 : gemm_row<sgemm_64x32<A, B, Width>> {
  static constexpr const char* name = "64x32";
  static constexpr bool takes_functors = Width == 1;
  static constexpr bool has_two = A == along::terms && B == along::terms;  // three of these would spill registers
  static constexpr small_shape shape{.warp_rows = 2,
                                     .warp_cols = 2,
                                     .lane_rows = 8,
                                     .rows = 4,
                                     .cols = 4,
                                     .depth = 32,
                                     .group = 4,
                                     .stages = 4,
                                     .loaders = 0,
                                     .residents = has_two ? 2 : 3};
  static constexpr rates rate{.outer_outer = 0.655, .outer_terms = 0.571, .terms_outer = 0.571, .terms_terms = 0.52};
  static constexpr rates by_elements{
      .outer_outer = 0.54, .outer_terms = 0.49, .terms_outer = 0.55, .terms_terms = 0.51};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 72, .alone = 1.35, .join = 8},
                      {.rate = by_elements.of(A, B), .ends = 54, .alone = 1.26});
  static constexpr auto serves = backends::always;
  using primitives = small_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_32x32 : gemm_row<sgemm_32x32<A, B, Width>> {
  static constexpr const char* name = "32x32";
  static constexpr bool takes_functors = true;
  // Where A's terms are contiguous, so many warps leave each too few registers.
  static constexpr bool has_loaders = Width == 1 && A == along::outer;
  static constexpr small_shape shape{.warp_rows = 1,
                                     .warp_cols = 4,
                                     .lane_rows = 8,
                                     .rows = 4,
                                     .cols = 2,
                                     .depth = 64,
                                     .group = has_loaders ? 4 : 8,
                                     .stages = 4,
                                     .loaders = has_loaders ? 4 : 0,
                                     .residents = 2};
  static constexpr rates rate{.outer_outer = 0.516, .outer_terms = 0.508, .terms_outer = 0.458, .terms_terms = 0.417};
  static constexpr rates by_elements{.outer_outer = 0.5, .outer_terms = 0.46, .terms_outer = 0.43, .terms_terms = 0.42};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 102, .alone = 1.283, .join = 14},
                      {.rate = by_elements.of(A, B), .ends = 91, .alone = 1.24});
  static constexpr auto serves = backends::always;
  using primitives = small_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_16x16 : gemm_row<sgemm_16x16<A, B, Width>> {
  static constexpr const char* name = "16x16";
  static constexpr bool takes_functors = true;
  static constexpr small_shape shape{.warp_rows = 1,
                                     .warp_cols = 2,
                                     .lane_rows = 8,
                                     .rows = 2,
                                     .cols = 2,
                                     .depth = 64,
                                     .group = 8,
                                     .stages = 5,
                                     .loaders = Width > 1 ? 0 : 2,
                                     .residents = Width > 1 ? 4 : 3};
  static constexpr rates by_elements{
      .outer_outer = 0.24, .outer_terms = 0.24, .terms_outer = 0.23, .terms_terms = 0.22};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = 0.329, .ends = 113, .alone = 2.338, .join = 48},
                      {.rate = by_elements.of(A, B), .ends = 114, .alone = 1.34});
  static constexpr auto serves = backends::always;
  using primitives = small_product<float, shape, A, B, Width, member>;
};

/// One chain a lane, and warps that do nothing but copy: each term takes as long as its addition.
template <along A, along B, int Width>
struct sgemm_8x8 : gemm_row<sgemm_8x8<A, B, Width>> {
  static constexpr const char* name = "8x8";
  static constexpr bool takes_functors = true;
  static constexpr small_shape shape{.warp_rows = 1,
                                     .warp_cols = 2,
                                     .lane_rows = 8,
                                     .rows = 1,
                                     .cols = 1,
                                     .depth = 64,
                                     .group = 16,
                                     .stages = 6,
                                     .loaders = 2,
                                     .residents = 4};
  static constexpr rates rate{.outer_outer = 0.086, .outer_terms = 0.108, .terms_outer = 0.111, .terms_terms = 0.143};
  static constexpr rates by_elements{
      .outer_outer = 0.094, .outer_terms = 0.12, .terms_outer = 0.118, .terms_terms = 0.148};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 183, .alone = 1.704, .join = 190},
                      {.rate = by_elements.of(A, B), .ends = 192, .alone = 1.65});
  static constexpr auto serves = backends::always;
  using primitives = small_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_64x8 : gemm_row<sgemm_64x8<A, B, Width>> {
  static constexpr const char* name = "64x8";
  static constexpr bool takes_functors = false;
  static constexpr small_shape shape{.warp_rows = 2,
                                     .warp_cols = 1,
                                     .lane_rows = 8,
                                     .rows = 4,
                                     .cols = 2,
                                     .depth = 64,
                                     .group = 8,
                                     .stages = 4,
                                     .loaders = 0,
                                     .residents = 3};
  static constexpr rates rate{.outer_outer = 0.42, .outer_terms = 0.43, .terms_outer = 0.31, .terms_terms = 0.2};
  static constexpr rates by_elements{
      .outer_outer = 0.2, .outer_terms = 0.192, .terms_outer = 0.22, .terms_terms = 0.22};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 104, .alone = 2.193, .join = 24},
                      {.rate = by_elements.of(A, B), .ends = 61, .alone = 1.75});
  static constexpr auto serves = backends::always;
  using primitives = small_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_8x64 : gemm_row<sgemm_8x64<A, B, Width>> {
  static constexpr const char* name = "8x64";
  static constexpr bool takes_functors = false;
  static constexpr small_shape shape{.warp_rows = 1,
                                     .warp_cols = 2,
                                     .lane_rows = 4,
                                     .rows = 2,
                                     .cols = 4,
                                     .depth = 64,
                                     .group = 8,
                                     .stages = 4,
                                     .loaders = 0,
                                     .residents = 3};
  static constexpr rates rate{.outer_outer = 0.376, .outer_terms = 0.293, .terms_outer = 0.343, .terms_terms = 0.276};
  static constexpr rates by_elements{
      .outer_outer = 0.25, .outer_terms = 0.197, .terms_outer = 0.22, .terms_terms = 0.23};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 86, .alone = 1.759, .join = 24},
                      {.rate = by_elements.of(A, B), .ends = 63, .alone = 1.64});
  static constexpr auto serves = backends::always;
  using primitives = small_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
using sgemm_rows = backends::joined<
    only_by_chunks<Width, sgemm_256x128x16<A, B, Width>, sgemm_128x128x16<A, B, Width>, sgemm_128x128x8<A, B, Width>>,
    backends::rows<sgemm_128x64x16<A, B, Width>, sgemm_64x128x16<A, B, Width>, sgemm_64x64x16<A, B, Width>,
                   sgemm_64x32<A, B, Width>, sgemm_32x32<A, B, Width>, sgemm_16x16<A, B, Width>, sgemm_8x8<A, B, Width>,
                   sgemm_64x8<A, B, Width>, sgemm_8x64<A, B, Width>>>;

}  // namespace abax::cuda

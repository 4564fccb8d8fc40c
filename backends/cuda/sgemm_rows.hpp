// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogue of gemm in float: a row for each tile. Costs are fitted to times on an H200.
#include <type_traits>

#include "abax/detail/backends/cuda/direct_product.hpp"
#include "abax/detail/backends/cuda/gemm_row.hpp"
#include "abax/detail/backends/cuda/simt_product.hpp"
#include "abax/detail/backends/cuda/small_product.hpp"

namespace abax::cuda {

// A, B and Width say how the operands lie: Width elements are copied at a time, 16 bytes or one.

template <along A, along B, int Width>
struct sgemm_128x128x8 : gemm_row<sgemm_128x128x8<A, B, Width>> {
  static constexpr const char* name = "128x128x8";
  static constexpr bool takes_functors = A == along::terms && B == along::terms;
  static constexpr simt_shape shape{
      .warp_rows = 2, .warp_cols = 2, .group_rows = 2, .group_cols = 4, .depth = 8, .residents = 2};
  static constexpr rates rate{.outer_outer = 0.86, .outer_terms = 0.87, .terms_outer = 0.92, .terms_terms = 0.964};
  static constexpr tile::product_cost cost{.rate = rate.of(A, B), .ends = 64, .alone = 1.32};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_128x64x16 : gemm_row<sgemm_128x64x16<A, B, Width>> {
  static constexpr const char* name = "128x64x16";
  static constexpr bool takes_functors = Width > 1;
  static constexpr simt_shape shape{
      .warp_rows = 2, .warp_cols = 2, .group_rows = 2, .group_cols = 2, .depth = 16, .residents = 3};
  static constexpr rates rate{.outer_outer = 0.916, .outer_terms = 0.943, .terms_outer = 0.93, .terms_terms = 0.894};
  static constexpr rates by_elements{
      .outer_outer = 0.803, .outer_terms = 0.795, .terms_outer = 0.781, .terms_terms = 0.735};
  static constexpr tile::product_cost cost = by_width<Width>({.rate = rate.of(A, B), .ends = 52, .alone = 1.2},
                                                             {.rate = by_elements.of(A, B), .ends = 76, .alone = 1.19});
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_64x128x16 : gemm_row<sgemm_64x128x16<A, B, Width>> {
  static constexpr const char* name = "64x128x16";
  static constexpr bool takes_functors = false;
  static constexpr simt_shape shape{
      .warp_rows = 1, .warp_cols = 4, .group_rows = 2, .group_cols = 2, .depth = 16, .residents = 3};
  static constexpr rates rate{.outer_outer = 0.916, .outer_terms = 0.913, .terms_outer = 0.98, .terms_terms = 0.874};
  static constexpr rates by_elements{
      .outer_outer = 0.797, .outer_terms = 0.712, .terms_outer = 0.796, .terms_terms = 0.715};
  static constexpr tile::product_cost cost = by_width<Width>({.rate = rate.of(A, B), .ends = 52, .alone = 1.2},
                                                             {.rate = by_elements.of(A, B), .ends = 77, .alone = 1.17});
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_64x64x16 : gemm_row<sgemm_64x64x16<A, B, Width>> {
  static constexpr const char* name = "64x64x16";
  static constexpr bool takes_functors = false;
  static constexpr simt_shape shape{
      .warp_rows = 1, .warp_cols = 4, .group_rows = 2, .group_cols = 1, .depth = 16, .residents = 3};
  static constexpr rates rate{.outer_outer = 0.813, .outer_terms = 0.837, .terms_outer = 0.825, .terms_terms = 0.747};
  static constexpr rates by_elements{
      .outer_outer = 0.659, .outer_terms = 0.664, .terms_outer = 0.678, .terms_terms = 0.617};
  static constexpr tile::product_cost cost = by_width<Width>({.rate = rate.of(A, B), .ends = 49, .alone = 1.45},
                                                             {.rate = by_elements.of(A, B), .ends = 35, .alone = 2.2});
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

// Small tiles: for products of few outputs, whose chains decide.

/// For products with slightly more tiles of 64 x 64 than a GPU has multiprocessors.
template <along A, along B, int Width>
struct sgemm_96x48 : gemm_row<sgemm_96x48<A, B, Width>> {
  static constexpr const char* name = "96x48";
  static constexpr bool takes_functors = false;
  static constexpr small_shape shape{.warp_rows = 2,
                                     .warp_cols = 2,
                                     .lane_rows = 8,
                                     .rows = 6,
                                     .cols = 6,
                                     .depth = 32,
                                     .group = 4,
                                     .stages = 4,
                                     .loaders = 0,
                                     .residents = 2};
  static constexpr rates rate{.outer_outer = 0.71, .outer_terms = 0.791, .terms_outer = 0.719, .terms_terms = 0.744};
  static constexpr rates by_elements{
      .outer_outer = 0.634, .outer_terms = 0.638, .terms_outer = 0.653, .terms_terms = 0.674};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 67, .alone = 1.19, .join = 8},
                      {.rate = by_elements.of(A, B), .ends = 70, .alone = 1.05});
  static constexpr auto serves = backends::always;
  using primitives = small_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_64x32 : gemm_row<sgemm_64x32<A, B, Width>> {
  static constexpr const char* name = "64x32";
  static constexpr bool takes_functors = Width == 1;
  // Where chunks of both operands lie along the terms, warps that only copy would leave each too few registers; where
  // elements are copied one by one, that costs less than copying them amid arithmetic.
  static constexpr bool has_loaders = Width == 1 || A == along::outer || B == along::outer;
  static constexpr small_shape shape{.warp_rows = 2,
                                     .warp_cols = 2,
                                     .lane_rows = 8,
                                     .rows = 4,
                                     .cols = 4,
                                     .depth = 64,
                                     .group = 4,
                                     .stages = 3,
                                     .loaders = Width == 1    ? 4
                                                : has_loaders ? 2
                                                              : 0,
                                     .residents = has_loaders ? 2 : 3};
  static constexpr rates rate{.outer_outer = 0.782, .outer_terms = 0.741, .terms_outer = 0.717, .terms_terms = 0.739};
  static constexpr rates by_elements{
      .outer_outer = 0.648, .outer_terms = 0.664, .terms_outer = 0.655, .terms_terms = 0.645};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 101, .alone = 1.31, .join = 8},
                      {.rate = by_elements.of(A, B), .ends = 97, .alone = 1.06});
  static constexpr auto serves = backends::always;
  using primitives = small_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_48x32 : gemm_row<sgemm_48x32<A, B, Width>> {
  static constexpr const char* name = "48x32";
  static constexpr bool takes_functors = false;
  static constexpr small_shape shape{.warp_rows = 1,
                                     .warp_cols = 4,
                                     .lane_rows = 8,
                                     .rows = 6,
                                     .cols = 2,
                                     .depth = 64,
                                     .group = 4,
                                     .stages = 3,
                                     .loaders = Width > 1 ? 2 : 4,
                                     .residents = 2};
  static constexpr rates rate{.outer_outer = 0.692, .outer_terms = 0.656, .terms_outer = 0.68, .terms_terms = 0.668};
  static constexpr rates by_elements{
      .outer_outer = 0.58, .outer_terms = 0.593, .terms_outer = 0.579, .terms_terms = 0.58};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 126, .alone = 1.29, .join = 11},
                      {.rate = by_elements.of(A, B), .ends = 84, .alone = 1.07});
  static constexpr auto serves = backends::always;
  using primitives = small_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_32x32 : gemm_row<sgemm_32x32<A, B, Width>> {
  static constexpr const char* name = "32x32";
  static constexpr bool takes_functors = true;
  // As for 64x32, but already where A's chunks alone lie along the terms.
  static constexpr bool has_loaders = Width == 1 || A == along::outer;
  static constexpr small_shape shape{.warp_rows = 1,
                                     .warp_cols = 4,
                                     .lane_rows = 8,
                                     .rows = 4,
                                     .cols = 2,
                                     .depth = 64,
                                     .group = has_loaders ? 4 : 8,
                                     .stages = Width == 1 ? 4 : 3,
                                     .loaders = Width == 1    ? 4
                                                : has_loaders ? 2
                                                              : 0,
                                     .residents = Width == 1 ? 2 : 3};
  static constexpr rates rate{.outer_outer = 0.631, .outer_terms = 0.62, .terms_outer = 0.624, .terms_terms = 0.627};
  static constexpr rates by_elements{
      .outer_outer = 0.528, .outer_terms = 0.559, .terms_outer = 0.556, .terms_terms = 0.553};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 134, .alone = 1.43, .join = 14},
                      {.rate = by_elements.of(A, B), .ends = 149, .alone = 1.05});
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
  static constexpr rates rate{.outer_outer = 0.379, .outer_terms = 0.412, .terms_outer = 0.399, .terms_terms = 0.433};
  static constexpr rates by_elements{
      .outer_outer = 0.292, .outer_terms = 0.312, .terms_outer = 0.295, .terms_terms = 0.311};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 202, .alone = 2.1, .join = 48},
                      {.rate = by_elements.of(A, B), .ends = 129, .alone = 1.13});
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
  static constexpr rates rate{.outer_outer = 0.112, .outer_terms = 0.143, .terms_outer = 0.143, .terms_terms = 0.174};
  static constexpr rates by_elements{
      .outer_outer = 0.11, .outer_terms = 0.132, .terms_outer = 0.136, .terms_terms = 0.173};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 333, .alone = 1.88, .join = 190},
                      {.rate = by_elements.of(A, B), .ends = 212, .alone = 1.24});
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
                                     .group = 4,
                                     .stages = 4,
                                     .loaders = Width > 1 ? 2 : 4,
                                     .residents = Width > 1 ? 3 : 2};
  static constexpr rates rate{.outer_outer = 0.424, .outer_terms = 0.402, .terms_outer = 0.363, .terms_terms = 0.339};
  static constexpr rates by_elements{
      .outer_outer = 0.321, .outer_terms = 0.308, .terms_outer = 0.327, .terms_terms = 0.312};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 172, .alone = 1.41, .join = 24},
                      {.rate = by_elements.of(A, B), .ends = 127, .alone = 1.24});
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
                                     .group = 4,
                                     .stages = 4,
                                     .loaders = Width > 1 ? 2 : 4,
                                     .residents = Width > 1 ? 3 : 2};
  static constexpr rates rate{.outer_outer = 0.406, .outer_terms = 0.347, .terms_outer = 0.378, .terms_terms = 0.301};
  static constexpr rates by_elements{
      .outer_outer = 0.341, .outer_terms = 0.311, .terms_outer = 0.327, .terms_terms = 0.312};
  static constexpr tile::product_cost cost =
      by_width<Width>({.rate = rate.of(A, B), .ends = 164, .alone = 1.34, .join = 24},
                      {.rate = by_elements.of(A, B), .ends = 123, .alone = 1.12});
  static constexpr auto serves = backends::always;
  using primitives = small_product<float, shape, A, B, Width, member>;
};

struct sgemm_few_terms : few_terms_row<sgemm_few_terms, 8> {
  static constexpr tile::product_cost cost{.rate = 0.333, .ends = 8, .alone = 1.17, .least = 1};
  using primitives = direct_product<float, direct_shape{.rows = 4, .cols = 8, .depth = 4, .residents = 2}, member>;
};

/// 128x128x8 is faster than 128x64x16 where both operands lie along the terms, and there alone.
template <along A, along B, int Width>
using large_sgemm_rows = std::conditional_t<A == along::terms && B == along::terms,
                                            only_by_chunks<Width, sgemm_128x128x8<A, B, Width>>, backends::rows<>>;
template <along A, along B, int Width>
using sgemm_rows = backends::joined<
    large_sgemm_rows<A, B, Width>,
    backends::rows<sgemm_128x64x16<A, B, Width>, sgemm_64x128x16<A, B, Width>, sgemm_64x64x16<A, B, Width>,
                   sgemm_96x48<A, B, Width>, sgemm_64x32<A, B, Width>, sgemm_48x32<A, B, Width>,
                   sgemm_32x32<A, B, Width>, sgemm_16x16<A, B, Width>, sgemm_8x8<A, B, Width>, sgemm_64x8<A, B, Width>,
                   sgemm_8x64<A, B, Width>, sgemm_few_terms>>;

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogue of complex products: gemm on the FMA units and on FP64 tensor cores, gemv by chains.
/// Elements copied whole that do not lie on multiples of their size go by the portable primitives.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/complex_product.hpp"
#include "abax/detail/backends/cuda/complex_vector_chain.hpp"
#include "abax/detail/backends/cuda/gemm_row.hpp"
#include "abax/detail/backends/cuda/gemv_rows.hpp"
#include "abax/detail/backends/cuda/rows.hpp"
#include "abax/detail/backends/portable/rows.hpp"
#include "abax/detail/tile/complex_value.hpp"

namespace abax::cuda {

template <class Primitives>
struct product_on_fixed_team : on_fixed_team<Primitives> {
  using on_fixed_team<Primitives>::on_fixed_team;
  template <class Functor>
  using ending_in = product_on_fixed_team<typename Primitives::template ending_in<Functor>>;
};

template <class Row>
struct portable_product_row : Row {
  using primitives = product_on_fixed_team<typename Row::primitives>;
};

/// What a row of complex products has beside its name, its cost and its engine.
template <class Row>
struct complex_gemm_row : gemm_row<Row> {
  template <class T>
  static bool serves(const tile::product<T>& p, const machine& m) {
    using primitives = typename Row::primitives;
    return (!primitives::on_tensor_cores || m.tensor_cores) &&
           (!primitives::copies_elements || (lies_on_elements(p.a) && lies_on_elements(p.b)));
  }
  template <class T>
  static tile::product_tile tile_for(const tile::product<T>& p, const machine&) {
    using primitives = typename Row::primitives;
    if (p.turned && !primitives::multiplies_turned)
      return {primitives::cols, primitives::rows, primitives::depth(), primitives::residents};
    return {primitives::rows, primitives::cols, primitives::depth(), primitives::residents};
  }
};

// Left and Right say how the factors lie (complex_product.hpp). Costs are measured on an H200.

template <along Left, along Right>
struct cgemm_128x128x8 : complex_gemm_row<cgemm_128x128x8<Left, Right>> {
  static constexpr const char* name = "complex 128x128x8";
  static constexpr bool takes_functors = false;
  static constexpr complex_fma_shape shape{
      .warp_rows = 2, .warp_cols = 4, .group_rows = 2, .group_cols = 2, .depth = 8, .stages = 3, .residents = 1};
  static constexpr tile::product_cost cost{.rate = 0.225, .ends = 29, .join = 42};
  using primitives = complex_product<complex_fma<float, shape>, Left, Right, member>;
};

template <along Left, along Right>
struct cgemm_64x64x8 : complex_gemm_row<cgemm_64x64x8<Left, Right>> {
  static constexpr const char* name = "complex 64x64x8";
  static constexpr bool takes_functors = true;
  static constexpr complex_fma_shape shape{
      .warp_rows = 1, .warp_cols = 4, .group_rows = 2, .group_cols = 1, .depth = 8, .stages = 3, .residents = 3};
  static constexpr tile::product_cost cost{.rate = 0.218, .ends = 23, .alone = 1.33, .join = 20};
  using primitives = complex_product<complex_fma<float, shape>, Left, Right, member>;
};

template <along Left, along Right>
struct cgemm_64x32x8 : complex_gemm_row<cgemm_64x32x8<Left, Right>> {
  static constexpr const char* name = "complex 64x32x8";
  static constexpr bool takes_functors = false;
  static constexpr complex_fma_shape shape{
      .warp_rows = 2, .warp_cols = 2, .group_rows = 1, .group_cols = 1, .depth = 8, .stages = 4, .residents = 4};
  static constexpr tile::product_cost cost{.rate = 0.199, .ends = 26, .alone = 1.45, .join = 60};
  using primitives = complex_product<complex_fma<float, shape>, Left, Right, member>;
};

template <along Left, along Right>
struct cgemm_32x32x8 : complex_gemm_row<cgemm_32x32x8<Left, Right>> {
  static constexpr const char* name = "complex 32x32x8";
  static constexpr bool takes_functors = true;
  static constexpr complex_fma_shape shape{
      .warp_rows = 1, .warp_cols = 2, .group_rows = 1, .group_cols = 1, .depth = 8, .stages = 4, .residents = 7};
  static constexpr tile::product_cost cost{.rate = 0.191, .ends = 24, .alone = 2.39, .join = 80};
  using primitives = complex_product<complex_fma<float, shape>, Left, Right, member>;
};

// Small tiles: for products of few outputs, or of few rows or columns. Elements are copied whole, and one kernel serves
// all factors: four of each would take half as long again to compile as all others.

struct cgemm_16x16 : complex_gemm_row<cgemm_16x16> {
  static constexpr const char* name = "complex 16x16";
  static constexpr bool takes_functors = false;
  static constexpr complex_small_shape shape{.warp_rows = 1,
                                             .warp_cols = 4,
                                             .lane_rows = 8,
                                             .rows = 2,
                                             .cols = 1,
                                             .depth = 32,
                                             .group = 4,
                                             .stages = 5,
                                             .residents = 4};
  static constexpr tile::product_cost cost{.rate = 0.16, .ends = 88, .alone = 1.35, .join = 60};
  using primitives = complex_product<complex_small<float, shape>, along::either, along::either, member>;
};

/// One output a lane.
struct cgemm_8x8 : complex_gemm_row<cgemm_8x8> {
  static constexpr const char* name = "complex 8x8";
  static constexpr bool takes_functors = false;
  static constexpr complex_small_shape shape{.warp_rows = 1,
                                             .warp_cols = 2,
                                             .lane_rows = 8,
                                             .rows = 1,
                                             .cols = 1,
                                             .depth = 32,
                                             .group = 4,
                                             .stages = 6,
                                             .residents = 6};
  static constexpr tile::product_cost cost{.rate = 0.085, .ends = 105, .alone = 2.1, .join = 190};
  using primitives = complex_product<complex_small<float, shape>, along::either, along::either, member>;
};

struct cgemm_32x8 : complex_gemm_row<cgemm_32x8> {
  static constexpr const char* name = "complex 32x8";
  static constexpr bool takes_functors = false;
  static constexpr complex_small_shape shape{.warp_rows = 2,
                                             .warp_cols = 1,
                                             .lane_rows = 8,
                                             .rows = 2,
                                             .cols = 2,
                                             .depth = 16,
                                             .group = 2,
                                             .stages = 6,
                                             .residents = 5};
  static constexpr tile::product_cost cost{.rate = 0.14, .ends = 57, .alone = 1.95, .join = 80};
  using primitives = complex_product<complex_small<float, shape>, along::either, along::either, member>;
};

struct cgemm_8x32 : complex_gemm_row<cgemm_8x32> {
  static constexpr const char* name = "complex 8x32";
  static constexpr bool takes_functors = false;
  static constexpr complex_small_shape shape{.warp_rows = 1,
                                             .warp_cols = 2,
                                             .lane_rows = 4,
                                             .rows = 2,
                                             .cols = 2,
                                             .depth = 16,
                                             .group = 2,
                                             .stages = 6,
                                             .residents = 5};
  static constexpr tile::product_cost cost{.rate = 0.118, .ends = 45, .alone = 2.2, .join = 80};
  using primitives = complex_product<complex_small<float, shape>, along::either, along::either, member>;
};

template <along Left, along Right>
struct zgemm_64x64x8 : complex_gemm_row<zgemm_64x64x8<Left, Right>> {
  static constexpr const char* name = "complex 64x64x8 on tensor cores";
  static constexpr bool takes_functors = true;
  static constexpr complex_mma_shape shape{.warp_rows = 2,
                                           .warp_cols = 2,
                                           .tiles_rows = 2,
                                           .tiles_cols = 8,
                                           .depth = 8,
                                           .step = 4,
                                           .stages = 2,
                                           .residents = 2};
  static constexpr tile::product_cost cost{.rate = 0.255, .ends = 31, .alone = 1.26, .join = 90};
  using primitives = complex_product<complex_mma<shape>, Left, Right, member>;
};

template <along Left, along Right>
struct zgemm_128x64x8 : complex_gemm_row<zgemm_128x64x8<Left, Right>> {
  static constexpr const char* name = "complex 128x64x8 on tensor cores";
  static constexpr bool takes_functors = false;
  static constexpr complex_mma_shape shape{.warp_rows = 4,
                                           .warp_cols = 2,
                                           .tiles_rows = 2,
                                           .tiles_cols = 8,
                                           .depth = 8,
                                           .step = 4,
                                           .stages = 3,
                                           .residents = 1};
  static constexpr tile::product_cost cost{.rate = 0.258, .ends = 36, .join = 60};
  using primitives = complex_product<complex_mma<shape>, Left, Right, member>;
};

template <along Left, along Right>
struct zgemm_32x32x8 : complex_gemm_row<zgemm_32x32x8<Left, Right>> {
  static constexpr const char* name = "complex 32x32x8 on tensor cores";
  static constexpr bool takes_functors = true;
  static constexpr complex_mma_shape shape{.warp_rows = 2,
                                           .warp_cols = 2,
                                           .tiles_rows = 1,
                                           .tiles_cols = 4,
                                           .depth = 8,
                                           .step = 8,
                                           .stages = 4,
                                           .residents = 3};
  static constexpr tile::product_cost cost{.rate = 0.244, .ends = 40, .alone = 1.39, .join = 200};
  using primitives = complex_product<complex_mma<shape>, Left, Right, member>;
};

/// Few outputs: one tile of the instruction a warp.
template <along Left, along Right>
struct zgemm_16x8 : complex_gemm_row<zgemm_16x8<Left, Right>> {
  static constexpr const char* name = "complex 16x8 on tensor cores";
  static constexpr bool takes_functors = false;
  static constexpr complex_mma_shape shape{.warp_rows = 1,
                                           .warp_cols = 2,
                                           .tiles_rows = 1,
                                           .tiles_cols = 1,
                                           .depth = 8,
                                           .step = 8,
                                           .stages = 12,
                                           .residents = 4};
  static constexpr tile::product_cost cost{.rate = 0.13, .ends = 78, .alone = 2.2, .join = 150};
  using primitives = complex_product<complex_mma<shape>, Left, Right, member>;
};

/// In double on the FMA units.
template <along Left, along Right>
struct zgemm_64x32x8 : complex_gemm_row<zgemm_64x32x8<Left, Right>> {
  static constexpr const char* name = "complex 64x32x8 in double";
  static constexpr bool takes_functors = false;
  static constexpr complex_fma_shape shape{
      .warp_rows = 2, .warp_cols = 2, .group_rows = 1, .group_cols = 1, .depth = 8, .stages = 3, .residents = 2};
  static constexpr tile::product_cost cost{.rate = 0.05, .ends = 25};
  using primitives = complex_product<complex_fma<double, shape>, Left, Right, member>;
};
/// Where kernels are compiled for tensor cores that keep the canon, these are faster.
template <along Left, along Right>
using zgemm_fma_rows =
    std::conditional_t<compiled_for_hopper, backends::rows<>, backends::rows<zgemm_64x32x8<Left, Right>>>;

/// For elements copied whole that do not lie on multiples of their size.
template <class Row>
struct last_product_row : portable_product_row<Row> {
  static constexpr tile::product_cost cost{.rate = 0.01, .ends = 100};
};

/// For batches fewer rows: those of the largest and of the smallest tiles would take as long again to compile.
template <class T, bool OfBatches = false>
class complex_matrix_rows {
  static constexpr auto outer = along::outer, terms = along::terms;
  static constexpr bool in_float = std::is_same_v<tile::real_of<T>, float>;
  template <along Left, along Right>
  using float_rows =
      backends::joined<std::conditional_t<OfBatches, backends::rows<>,
                                          backends::rows<cgemm_128x128x8<Left, Right>, cgemm_64x32x8<Left, Right>,
                                                         cgemm_16x16, cgemm_8x8, cgemm_32x8, cgemm_8x32>>,
                       backends::rows<cgemm_64x64x8<Left, Right>, cgemm_32x32x8<Left, Right>>>;
  template <along Left, along Right>
  using double_rows =
      backends::joined<std::conditional_t<OfBatches, backends::rows<>,
                                          backends::rows<zgemm_128x64x8<Left, Right>, zgemm_16x8<Left, Right>>>,
                       backends::rows<zgemm_64x64x8<Left, Right>, zgemm_32x32x8<Left, Right>>,
                       zgemm_fma_rows<Left, Right>>;
  template <along Left, along Right>
  using rows = backends::joined<std::conditional_t<in_float, float_rows<Left, Right>, double_rows<Left, Right>>,
                                backends::rows<last_product_row<portable::gemm_32x32x16<T, member>>>>;

 public:
  using groups = backends::groups<rows<outer, outer>, rows<outer, terms>, rows<terms, outer>, rows<terms, terms>>;
  static int group_of(const tile::product<T>& problem, const machine&) {
    const factors<T> of(problem, false);
    return (direction_of(of.left) == terms ? 2 : 0) + (direction_of(of.right) == terms ? 1 : 0);
  }
  static int preferred(const tile::product<T>&, const machine&) { return backends::by_cost; }
  using immediate = backends::rows<>;
  static backends::copies gain_by_copies(const tile::product<T>& problem, const machine&) {
    if (in_float) return {false, false};  // rows that copy parts
    return {!lies_on_elements(problem.a), !lies_on_elements(problem.b)};
  }
};

/// Products with a vector: 32 chains a team.
template <class Real>
using chain = complex_chain<Real, 32, 4, sizeof(Real) == 4 ? 6 : 3>;
template <class T, along Left, along Right>
struct complex_gemv_32_rows : complex_gemm_row<complex_gemv_32_rows<T, Left, Right>> {
  static constexpr const char* name = "complex 32 rows";
  static constexpr bool takes_functors = true;
  static constexpr tile::product_cost cost{};
  using primitives = complex_product<chain<tile::real_of<T>>, Left, Right, member>;
};

/// Two chains an output, and warps that load. Wide: A's lines begin on 16 bytes, and are copied so; where they are not
/// and outputs lie side by side, A comes by elements, for which it takes more warps.
template <class T, along A, bool Wide>
struct complex_gemv_16_rows : gemv_row<complex_gemv_16_rows<T, A, Wide>> {
  static constexpr const char* name = Wide ? "complex 16 rows" : "complex 16 rows, unaligned";
  static constexpr vector_shape shape =
      Wide || A == along::terms ? vector_shape{.rows = 16, .bytes = 512, .stages = 3, .loaders = 2, .residents = 8}
                                : vector_shape{.rows = 16, .bytes = 512, .stages = 3, .loaders = 4, .residents = 6};
  static constexpr tile::product_cost cost{.shares = shares_along(A)};
  using primitives = vector_product<T, A, Wide, shape, part_chain, member>;
  static bool serves(const tile::product<T>& p, const machine&) {
    if (!lies_on_elements(p.a) || !lies_on_elements(p.b) || p.conjugated_b || p.turned) return false;
    const index_t step = A == along::outer ? p.a.row_stride : p.a.col_stride;
    return Wide ? wide_access(p.a.data, step, A == along::outer ? p.a.col_stride : p.a.row_stride) : step == 1;
  }
};

template <class T>
class complex_vector_rows {
  static constexpr auto outer = along::outer, terms = along::terms;
  static constexpr bool has_unaligned = sizeof(T) < 16;  // elements of 16 bytes always lie on 16
  template <along A>
  using unaligned_rows =
      std::conditional_t<has_unaligned, backends::rows<complex_gemv_16_rows<T, A, false>>, backends::rows<>>;
  template <along Left, along Right>
  using rows = backends::joined<
      backends::rows<complex_gemv_16_rows<T, Left, true>>, unaligned_rows<Left>,
      backends::rows<complex_gemv_32_rows<T, Left, Right>, last_product_row<portable::gemv_64x1x16<T, member>>>>;

  template <along Left>
  static int preferred_of(const tile::product<T>& problem, const machine& m) {
    using all = rows<Left, outer>;  // positions are the same however x lies
    constexpr int of_32_rows = backends::position_in<complex_gemv_32_rows<T, Left, outer>>(all());
    const bool is_short = problem.terms() < 256;  // fewer terms have not been measured
    if (complex_gemv_16_rows<T, Left, true>::serves(problem, m))
      return is_short ? of_32_rows : backends::position_in<complex_gemv_16_rows<T, Left, true>>(all());
    if constexpr (has_unaligned)
      if (complex_gemv_16_rows<T, Left, false>::serves(problem, m))
        return is_short ? of_32_rows : backends::position_in<complex_gemv_16_rows<T, Left, false>>(all());
    return backends::by_cost;
  }

 public:
  using groups = backends::groups<rows<outer, outer>, rows<outer, terms>, rows<terms, outer>, rows<terms, terms>>;
  static int group_of(const tile::product<T>& problem, const machine&) {
    return (direction_of(problem.a) == terms ? 2 : 0) + (direction_of(problem.b.transposed()) == terms ? 1 : 0);
  }
  static int preferred(const tile::product<T>& problem, const machine& m) {
    return direction_of(problem.a) == outer ? preferred_of<outer>(problem, m) : preferred_of<terms>(problem, m);
  }
  using immediate = backends::rows<>;
};

/// The rows of a type of elements.
template <class T, class OfReal, class OfComplex>
using rows_by_type = std::conditional_t<tile::is_complex<T>, OfComplex, OfReal>;

}  // namespace abax::cuda

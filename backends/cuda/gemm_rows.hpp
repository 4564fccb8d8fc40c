// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogue of gemm: a row for each tile. Costs are measured on an H200 (`abax-perf tune`).
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/machine.hpp"
#include "abax/detail/backends/cuda/mma_product.hpp"
#include "abax/detail/backends/cuda/simt_product.hpp"

namespace abax::cuda {

using member = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;

/// `serves` of rows that multiply on FP64 tensor cores.
inline constexpr auto where_tensor_cores_are = [](const auto&, const machine& m) { return m.tensor_cores; };

/// What a row of the gemm has beside its name, its cost, its primitives and what it serves.
template <class Row>
struct gemm_row {
  template <class T>
  static tile::product_tile tile_for(const tile::product<T>&, const machine&) {
    using primitives = typename Row::primitives;
    return {primitives::rows, primitives::cols, primitives::depth(), primitives::residents};
  }
  template <class T>
  static product_parameters parameters(const tile::product<T>& problem, const tile::product_tile&, const machine&) {
    return {tile::canon_blocks(problem.terms()) > 1};
  }
};

/// Rates by how A and B lie. An operand along its terms passes through registers, and the shorter that side of the
/// tile, the better.
struct rates {
  double outer_outer, outer_terms, terms_outer, terms_terms;

  constexpr double of(along a, along b) const {
    if (a == along::outer) return b == along::outer ? outer_outer : outer_terms;
    return b == along::outer ? terms_outer : terms_terms;
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// float. A, B and Width say how the operands lie: Width elements are copied at a time, 16 bytes or one.

template <along A, along B, int Width>
struct sgemm_256x128x16 : gemm_row<sgemm_256x128x16<A, B, Width>> {
  static constexpr const char* name = "256x128x16";
  static constexpr simt_shape shape{
      .warp_rows = 4, .warp_cols = 2, .group_rows = 2, .group_cols = 4, .depth = 16, .residents = 1};
  static constexpr rates rate{.outer_outer = 0.99, .outer_terms = 1.02, .terms_outer = 0.91, .terms_terms = 0.97};
  static constexpr tile::product_cost cost{.rate = rate.of(A, B), .ends = 50};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_128x128x16 : gemm_row<sgemm_128x128x16<A, B, Width>> {
  static constexpr const char* name = "128x128x16";
  static constexpr simt_shape shape{
      .warp_rows = 2, .warp_cols = 2, .group_rows = 2, .group_cols = 4, .depth = 16, .residents = 2};
  static constexpr rates rate{.outer_outer = 1, .outer_terms = 0.95, .terms_outer = 0.95, .terms_terms = 0.87};
  static constexpr tile::product_cost cost{.rate = rate.of(A, B), .ends = 48};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_128x128x8 : gemm_row<sgemm_128x128x8<A, B, Width>> {
  static constexpr const char* name = "128x128x8";
  static constexpr simt_shape shape{
      .warp_rows = 2, .warp_cols = 2, .group_rows = 2, .group_cols = 4, .depth = 8, .residents = 2};
  static constexpr rates rate{.outer_outer = 0.99, .outer_terms = 0.955, .terms_outer = 0.96, .terms_terms = 1};
  static constexpr tile::product_cost cost{.rate = rate.of(A, B), .ends = 44};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_128x64x16 : gemm_row<sgemm_128x64x16<A, B, Width>> {
  static constexpr const char* name = "128x64x16";
  static constexpr simt_shape shape{
      .warp_rows = 2, .warp_cols = 2, .group_rows = 2, .group_cols = 2, .depth = 16, .residents = 3};
  static constexpr rates rate{.outer_outer = 0.98, .outer_terms = 1, .terms_outer = 0.955, .terms_terms = 0.92};
  static constexpr tile::product_cost cost{.rate = rate.of(A, B), .ends = 33};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_64x128x16 : gemm_row<sgemm_64x128x16<A, B, Width>> {
  static constexpr const char* name = "64x128x16";
  static constexpr simt_shape shape{
      .warp_rows = 1, .warp_cols = 4, .group_rows = 2, .group_cols = 2, .depth = 16, .residents = 3};
  static constexpr rates rate{.outer_outer = 0.98, .outer_terms = 0.965, .terms_outer = 1, .terms_terms = 0.91};
  static constexpr tile::product_cost cost{.rate = rate.of(A, B), .ends = 33};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct sgemm_64x64x16 : gemm_row<sgemm_64x64x16<A, B, Width>> {
  static constexpr const char* name = "64x64x16";
  static constexpr simt_shape shape{
      .warp_rows = 1, .warp_cols = 2, .group_rows = 2, .group_cols = 2, .depth = 16, .residents = 4};
  static constexpr rates rate{.outer_outer = 0.9, .outer_terms = 0.9, .terms_outer = 0.9, .terms_terms = 0.85};
  static constexpr tile::product_cost cost{.rate = rate.of(A, B), .ends = 60};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<float, shape, A, B, Width, member>;
};

// ---------------------------------------------------------------------------------------------------------------------
// double

/// Of one block of the canon only: four teams a multiprocessor, which start and store while others multiply, have no
/// room for their totals.
template <along A, along B, int Width>
struct dgemm_64x64x16_four : gemm_row<dgemm_64x64x16_four<A, B, Width>> {
  static constexpr const char* name = "64x64x16 on tensor cores, four teams";
  static constexpr mma_shape shape{.warp_rows = 2,
                                   .warp_cols = 2,
                                   .tiles_rows = 2,
                                   .tiles_cols = 4,
                                   .depth = 16,
                                   .step = 4,
                                   .stages = 3,
                                   .residents = 4};
  static constexpr tile::product_cost cost{.rate = 0.93, .ends = 30, .least = 4};
  static constexpr auto serves = [](const tile::product<double>& problem, const machine& m) {
    return m.tensor_cores && tile::canon_blocks(problem.terms()) <= 1;
  };
  using primitives = mma_product<shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct dgemm_128x128x16 : gemm_row<dgemm_128x128x16<A, B, Width>> {
  static constexpr const char* name = "128x128x16 on tensor cores";
  static constexpr mma_shape shape{.warp_rows = 4,
                                   .warp_cols = 2,
                                   .tiles_rows = 2,
                                   .tiles_cols = 8,
                                   .depth = 16,
                                   .step = 4,
                                   .stages = 3,
                                   .residents = 1};
  static constexpr tile::product_cost cost{.rate = 1, .ends = 48};
  static constexpr auto serves = where_tensor_cores_are;
  using primitives = mma_product<shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct dgemm_128x64x16 : gemm_row<dgemm_128x64x16<A, B, Width>> {
  static constexpr const char* name = "128x64x16 on tensor cores";
  static constexpr mma_shape shape{.warp_rows = 4,
                                   .warp_cols = 2,
                                   .tiles_rows = 2,
                                   .tiles_cols = 4,
                                   .depth = 16,
                                   .step = B == along::outer ? 4 : 8,
                                   .stages = 4,
                                   .residents = 1};
  static constexpr tile::product_cost cost{.rate = 0.94, .ends = 70};
  static constexpr auto serves = where_tensor_cores_are;
  using primitives = mma_product<shape, A, B, Width, member>;
};

template <along A, along B, int Width>
struct dgemm_64x64x16 : gemm_row<dgemm_64x64x16<A, B, Width>> {
  static constexpr const char* name = "64x64x16 on tensor cores";
  static constexpr mma_shape shape{.warp_rows = 2,
                                   .warp_cols = 2,
                                   .tiles_rows = 2,
                                   .tiles_cols = 4,
                                   .depth = 16,
                                   .step = 8,
                                   .stages = 4,
                                   .residents = 2};
  static constexpr tile::product_cost cost{.rate = 0.94, .ends = 100};
  static constexpr auto serves = where_tensor_cores_are;
  using primitives = mma_product<shape, A, B, Width, member>;
};

/// For GPUs without FP64 tensor cores that keep the canon.
template <along A, along B, int Width>
struct dgemm_64x64x8 : gemm_row<dgemm_64x64x8<A, B, Width>> {
  static constexpr const char* name = "64x64x8";
  static constexpr simt_shape shape{
      .warp_rows = 1, .warp_cols = 2, .group_rows = 2, .group_cols = 2, .depth = 8, .residents = 1};
  static constexpr tile::product_cost cost{.rate = 0.5, .ends = 60};
  static constexpr auto serves = backends::always;
  using primitives = simt_product<double, shape, A, B, Width, member>;
};

// ---------------------------------------------------------------------------------------------------------------------
// Which rows there are for operands that lie so, and how a problem's operands do.

/// Rows whose operands are copied 16 bytes at a time or not at all.
template <int Width, class... Row>
using only_by_chunks = std::conditional_t<(Width > 1), backends::rows<Row...>, backends::rows<>>;

template <along A, along B, int Width>
using sgemm_rows = backends::joined<
    only_by_chunks<Width, sgemm_256x128x16<A, B, Width>, sgemm_128x128x16<A, B, Width>, sgemm_128x128x8<A, B, Width>>,
    backends::rows<sgemm_128x64x16<A, B, Width>, sgemm_64x128x16<A, B, Width>, sgemm_64x64x16<A, B, Width>>>;
template <along A, along B, int Width>
using dgemm_rows = backends::joined<
    only_by_chunks<Width, dgemm_64x64x16_four<A, B, Width>, dgemm_128x128x16<A, B, Width>>,
    backends::rows<dgemm_128x64x16<A, B, Width>, dgemm_64x64x16<A, B, Width>, dgemm_64x64x8<A, B, Width>>>;

template <class T>
class matrix_rows {
  static constexpr auto outer = along::outer, terms = along::terms;
  static constexpr int wide = 16 / sizeof(T);
  template <along A, along B, int Width>
  using rows = std::conditional_t<std::is_same_v<T, float>, sgemm_rows<A, B, Width>, dgemm_rows<A, B, Width>>;

 public:
  using groups = backends::groups<rows<outer, outer, wide>, rows<outer, terms, wide>, rows<terms, outer, wide>,
                                  rows<terms, terms, wide>, rows<outer, outer, 1>, rows<outer, terms, 1>,
                                  rows<terms, outer, 1>, rows<terms, terms, 1>>;
  /// One operand that does not come by chunks takes both to element-wise copies.
  static int group_of(const tile::product<T>& problem, const machine& m) {
    const tile::matrix<const T> b = problem.b.transposed();
    const bool chunks = by_chunks(problem.a, problem.a_padded, m) && by_chunks(b, problem.b_padded, m);
    return (chunks ? 0 : 4) + (direction(problem.a) == terms ? 2 : 0) + (direction(b) == terms ? 1 : 0);
  }
  static int preferred(const tile::product<T>&, const machine&) { return backends::by_cost; }
  using immediate = backends::rows<>;

  /// Operands that do not lie on 16 bytes are copied element by element, stage by stage: a tenth of the time and more.
  /// In a large product that is longer than it takes to copy them once to where they do.
  static backends::copies worth_copying(const tile::product<T>& problem, const machine& on) {
    const backends::copies copied{gains_by_copy(problem.a, on), gains_by_copy(problem.b.transposed(), on)};
    const double m = problem.c.rows, n = problem.c.cols, k = problem.terms();
    constexpr double of_one = 125 * sizeof(T), of_launches = 2e9;  // in multiply-adds, from the H200's rates
    const bool gains = m * n * k > of_one * (copied.a * m * k + copied.b * k * n) + of_launches;
    return {copied.a && gains, copied.b && gains};
  }

 private:
  static along direction(const tile::matrix<const T>& m) {
    return m.row_stride != 1 && m.col_stride == 1 ? along::terms : along::outer;
  }
  /// What is copied 16 bytes at a time: one contiguous index, chunks on 16 bytes, strides that 32 bits can count.
  /// `padded`: a chunk may reach beyond the end of a line; if not, the tensor cores' primitives, which never copy a
  /// part of one, need lines of whole chunks.
  static bool by_chunks(const tile::matrix<const T>& m, bool padded, const machine& on) {
    const auto near = [](index_t stride) { return -near_stride < stride && stride < near_stride; };
    const bool by_outer = direction(m) == along::outer;
    if (on.tensor_cores && std::is_same_v<T, double> && !padded && (by_outer ? m.rows : m.cols) % 2 != 0) return false;
    return by_outer ? near(m.col_stride) && wide_access(m.data, m.row_stride, m.col_stride)
                    : near(m.row_stride) && wide_access(m.data, m.col_stride, m.row_stride);
  }
  /// What would be such an operand if its lines, which a copy puts side by side, began on multiples of 128 bytes.
  static bool gains_by_copy(const tile::matrix<const T>& m, const machine& on) {
    return !by_chunks(m, false, on) && (direction(m) == along::outer ? m.rows : m.cols) < near_stride - 128;
  }
};

}  // namespace abax::cuda

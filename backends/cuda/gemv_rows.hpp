// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogue of gemv, and which row a product takes: how long its chains are and how many decides,
/// so this is no question of one cost. From measurements on an H200.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/machine.hpp"
#include "abax/detail/backends/cuda/vector_product.hpp"

namespace abax::cuda {

using member = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;

/// What a row of the gemv has beside its name, its cost, its primitives and what it serves.
template <class Row>
struct gemv_row {
  static constexpr bool takes_functors = true;
  template <class T>
  static tile::product_tile tile_for(const tile::product<T>&, const machine&) {
    using primitives = typename Row::primitives;
    return {primitives::rows, 1, primitives::depth(), primitives::residents};
  }
  template <class T>
  static auto parameters(const tile::product<T>&, const tile::product_tile&, const machine&) {
    return typename Row::primitives::parameters{};
  }
};

// A says how A lies, Wide that it is copied 16 bytes at a time.

/// Teams that sweep along rows end at the same time, and the memory is idle then: many short ones cost it less than few
/// long ones.
constexpr int shares_along(along a) { return a == along::terms ? 8 : 1; }

template <class T, along A, bool Wide>
struct gemv_16_rows : gemv_row<gemv_16_rows<T, A, Wide>> {
  static constexpr const char* name = "16 rows";
  static constexpr vector_shape shape =
      !Wide               ? vector_shape{.rows = 16, .bytes = 512, .stages = 4, .loaders = 4, .residents = 4}
      : A == along::outer ? vector_shape{.rows = 16, .bytes = 1024, .stages = 5, .loaders = 2, .residents = 2}
                          : vector_shape{.rows = 16, .bytes = 1024, .stages = 3, .loaders = 2, .residents = 4};
  static constexpr tile::product_cost cost{.rate = 0.8, .shares = shares_along(A)};
  static constexpr auto serves = backends::always;
  using primitives = vector_product<T, A, Wide, shape, lane_chain, member>;
};

/// For few outputs in float whose terms do not come 16 bytes at a time: their chains wait for nothing but themselves.
template <class T, along A>
struct gemv_by_terms : gemv_row<gemv_by_terms<T, A>> {
  static constexpr const char* name = A == along::outer ? "16 rows by terms" : "32 rows by terms";
  static constexpr vector_shape shape =
      A == along::outer ? vector_shape{.rows = 16, .bytes = 512, .stages = 4, .loaders = 2, .residents = 4}
                        : vector_shape{.rows = 32, .bytes = 512, .stages = 3, .loaders = 4, .residents = 3};
  static constexpr tile::product_cost cost{.rate = 0.8, .shares = shares_along(A)};
  static constexpr auto serves = backends::always;
  using primitives = vector_product<T, A, false, shape, term_chain, member>;
};

template <class T, along A, bool Wide>
struct gemv_32_rows : gemv_row<gemv_32_rows<T, A, Wide>> {
  static constexpr const char* name = "32 rows";
  static constexpr vector_shape shape =
      A == along::terms ? vector_shape{.rows = 32, .bytes = 512, .stages = 3, .loaders = Wide ? 2 : 4, .residents = 4}
      : Wide            ? vector_shape{.rows = 32, .bytes = 512, .stages = 3, .loaders = 4, .residents = 4}
                        : vector_shape{.rows = 32, .bytes = 256, .stages = 4, .loaders = 4, .residents = 4};
  static constexpr tile::product_cost cost{.shares = shares_along(A)};
  static constexpr auto serves = backends::always;
  using primitives = vector_product<T, A, Wide, shape, lane_chain, member>;
};

template <class T, along A, bool Wide>
struct gemv_64_rows : gemv_row<gemv_64_rows<T, A, Wide>> {
  static constexpr const char* name = "64 rows";
  static constexpr vector_shape shape =
      A == along::terms ? vector_shape{.rows = 64, .bytes = 128, .stages = 3, .loaders = 2, .residents = 6}
      : Wide            ? vector_shape{.rows = 64, .bytes = 256, .stages = 3, .loaders = 4, .residents = 3}
                        : vector_shape{.rows = 64, .bytes = 128, .stages = 4, .loaders = 4, .residents = 4};
  static constexpr tile::product_cost cost{.shares = shares_along(A)};
  static constexpr auto serves = backends::always;
  using primitives = vector_product<T, A, Wide, shape, lane_chain, member>;
};

template <class T>
struct gemv_128_rows : gemv_row<gemv_128_rows<T>> {
  static constexpr const char* name = "128 rows";
  static constexpr vector_shape shape{.rows = 128, .bytes = 128, .stages = 3, .loaders = 4, .residents = 3};
  static constexpr tile::product_cost cost{};
  static constexpr auto serves = backends::always;
  using primitives = vector_product<T, along::outer, true, shape, lane_chain, member>;
};

/// A team for all blocks of its outputs: none is joined in another one, late.
template <class T, along A>
struct gemv_all_terms : gemv_row<gemv_all_terms<T, A>> {
  static constexpr const char* name = "32 rows, all terms";
  static constexpr vector_shape shape{.rows = 32, .bytes = 512, .stages = 5, .loaders = 4, .residents = 1};
  static constexpr tile::product_cost cost{.rate = 0.9, .shares = 0};
  static constexpr auto serves = backends::always;
  using primitives = vector_product<T, A, true, shape, lane_chain, member>;
};

template <along A, bool Wide>
struct dgemv_on_tensor_cores : gemv_row<dgemv_on_tensor_cores<A, Wide>> {
  static constexpr const char* name = "16 rows on tensor cores";
  static constexpr vector_shape shape =
      A == along::outer ? (Wide ? vector_shape{.rows = 16, .bytes = 1024, .stages = 3, .loaders = 2, .residents = 1}
                                : vector_shape{.rows = 16, .bytes = 512, .stages = 6, .loaders = 4, .residents = 2})
                        : (Wide ? vector_shape{.rows = 16, .bytes = 512, .stages = 6, .loaders = 2, .residents = 1}
                                : vector_shape{.rows = 16, .bytes = 1024, .stages = 5, .loaders = 4, .residents = 1});
  static constexpr tile::product_cost cost{.rate = 0.9};
  static constexpr auto serves = [](const tile::product<double>&, const machine& m) { return m.tensor_cores; };
  using primitives = vector_product<double, A, Wide, shape, tensor_chain, member>;
};

template <class T>
struct gemv_columns : gemv_row<gemv_columns<T>> {
  static constexpr const char* name = "columns in registers";
  static constexpr column_shape shape{
      .width = 16 / sizeof(T), .rows = 2048 / sizeof(T), .depth = sizeof(T) == 4 ? 16 : 8};
  static constexpr tile::product_cost cost{};
  static constexpr auto serves = backends::always;
  using primitives = column_product<T, shape, member>;
};

template <class T, along A, bool Wide>
using gemv_tensor_rows =
    std::conditional_t<std::is_same_v<T, double>, backends::rows<dgemv_on_tensor_cores<A, Wide>>, backends::rows<>>;
/// The row for few outputs.
template <class T, along A, bool Wide>
using gemv_few_rows = std::conditional_t<std::is_same_v<T, float> && !(Wide && A == along::terms), gemv_by_terms<T, A>,
                                         gemv_16_rows<T, A, Wide>>;
template <class T, along A>
using gemv_wide_rows = backends::joined<
    gemv_tensor_rows<T, A, true>,
    std::conditional_t<A == along::outer, backends::rows<gemv_128_rows<T>>, backends::rows<>>,
    backends::rows<gemv_64_rows<T, A, true>, gemv_32_rows<T, A, true>, gemv_few_rows<T, A, true>, gemv_all_terms<T, A>>,
    std::conditional_t<A == along::outer, backends::rows<gemv_columns<T>>, backends::rows<>>>;
template <class T, along A>
using gemv_narrow_rows =
    backends::joined<gemv_tensor_rows<T, A, false>,
                     backends::rows<gemv_64_rows<T, A, false>, gemv_32_rows<T, A, false>, gemv_few_rows<T, A, false>>>;

template <class T>
class vector_rows {
 public:
  using groups = backends::groups<gemv_wide_rows<T, along::outer>, gemv_wide_rows<T, along::terms>,
                                  gemv_narrow_rows<T, along::outer>, gemv_narrow_rows<T, along::terms>>;
  static int group_of(const tile::product<T>& problem, const machine&) {
    const tile::matrix<const T>& a = problem.a;
    const bool by_outer = a.row_stride == 1 || a.col_stride != 1;
    const bool wide =
        by_outer ? wide_access(a.data, a.row_stride, a.col_stride) : wide_access(a.data, a.col_stride, a.row_stride);
    return (wide ? 0 : 2) + (by_outer ? 0 : 1);
  }
  using immediate = backends::rows<>;
  static int preferred(const tile::product<T>& problem, const machine& m) {
    switch (group_of(problem, m)) {
      case 0:
        return preferred_of<along::outer, true>(problem, m);
      case 1:
        return preferred_of<along::terms, true>(problem, m);
      case 2:
        return preferred_of<along::outer, false>(problem, m);
      default:
        return preferred_of<along::terms, false>(problem, m);
    }
  }

 private:
  template <along A, bool Wide>
  static int preferred_of(const tile::product<T>& problem, const machine& m) {
    using rows = std::conditional_t<Wide, gemv_wide_rows<T, A>, gemv_narrow_rows<T, A>>;
    constexpr int few_rows = backends::position_in<gemv_few_rows<T, A, Wide>>(rows());
    constexpr int rows_32 = backends::position_in<gemv_32_rows<T, A, Wide>>(rows());
    constexpr int rows_64 = backends::position_in<gemv_64_rows<T, A, Wide>>(rows());
    const index_t outputs = problem.c.rows, terms = problem.terms(), blocks = tile::canon_blocks(terms);
    const index_t processors = m.teams_at_once;
    const auto teams = [&](index_t of) { return tile::ceil_div<index_t>(outputs, of) * blocks; };
    constexpr bool by_terms = std::is_same_v<T, float> && A == along::terms && !Wide;
    const bool few = teams(32) < (by_terms ? 2 : 1) * processors;
    // Blocks that are joined in another team come late: not where a team a processor reads all that is at hand.
    const index_t tiles = tile::ceil_div<index_t>(outputs, 32);
    const bool by_one = Wide && blocks > 1 && blocks <= 4 && tiles <= processors && 10 * tiles >= 7 * processors;
    // Few teams wait for their chains, which are shorter on tensor cores; more so where terms are read one by one.
    if constexpr (std::is_same_v<T, double>) {
      const bool one_by_one =
          A == along::outer && !Wide && (4 * teams(32) <= (blocks == 2 ? 5 : 4) * processors || outputs <= 16);
      const bool few_blocks = few && (blocks <= 2 || (blocks == 3 && 2 * teams(16) <= 3 * processors));
      if ((by_one || one_by_one || few_blocks || teams(16) <= processors) && m.tensor_cores)
        return backends::position_in<dgemv_on_tensor_cores<A, Wide>>(rows());
      if (few && outputs > 16 && blocks >= 10) return rows_32;
    }
    // 32 rows are faster than 16 by terms for some hundred terms, and where teams of 16 rows are more than processors.
    if constexpr (std::is_same_v<T, float> && A == along::outer)
      if (few && ((64 < terms && terms <= 800) || teams(16) > processors)) return rows_32;
    if (few || outputs <= 16) return few_rows;
    if (outputs <= 32) return rows_32;
    if constexpr (Wide)
      if (by_one) return backends::position_in<gemv_all_terms<T, A>>(rows());
    const bool short_chains = terms <= 256 && teams(64) >= 4 * processors;
    if constexpr (A == along::terms) {
      return short_chains && terms <= 128 ? rows_64 : rows_32;
    } else if constexpr (!Wide) {
      return 2 * teams(64) < 3 * processors ? rows_32 : rows_64;
    } else {
      constexpr int rows_128 = backends::position_in<gemv_128_rows<T>>(rows());
      constexpr int columns = backends::position_in<gemv_columns<T>>(rows());
      if (short_chains) return columns;
      if (outputs > 32 && outputs <= 128 && blocks >= 2 * processors)
        return outputs > 64 ? rows_128 : rows_64;  // all of them in one team
      // With enough teams for registers to hold the bytes in flight; doubles in long chains go better through scratch.
      constexpr index_t in_registers = gemv_columns<T>::shape.rows;
      if (sizeof(T) == 4 && 2 * (outputs / in_registers * blocks) >= 3 * processors) return columns;
      if (2 * teams(128) >= 3 * processors) return rows_128;
      return 2 * teams(64) >= 3 * processors ? rows_64 : rows_32;
    }
  }
};

}  // namespace abax::cuda

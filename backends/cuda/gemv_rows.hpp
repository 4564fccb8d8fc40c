// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogue of gemv, and which row a product takes: the one that is predicted to be the fastest.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <limits>
#include <type_traits>

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

/// What a row takes, in us: fitted to the times of all rows for 830 random products in double and 710 in float on an
/// H200, so that the rows which are chosen lose least; columns in registers in float then by one large product, which
/// the random ones do not reach. What every call takes is left out.
struct vector_cost {
  double start;     ///< before the teams that run side by side have their first terms
  double term;      ///< a chain needs so long for a term
  double work;      ///< and a processor for a term of all outputs of one of its teams
  double join = 0;  ///< adding block sums
};
/// The same for a byte of A. It is less than a byte takes to arrive, because squares are added.
template <class T>
inline constexpr double vector_byte = sizeof(T) == 4 ? 0.14e-6 : 0.17e-6;

/// How long a product takes by Row, whose cost is `cost`. Teams wait for their chains, processors for their teams' work
/// and all of them for the memory; as most products wait for more than one of these, their squares are added. Each
/// block counts as a team of its own, although a plan may give a team several.
template <class Row, class T>
double vector_time(const tile::product<T>& problem, const machine& m, const vector_cost& cost) {
  using primitives = typename Row::primitives;
  const index_t outputs = problem.c.rows, terms = problem.terms();
  const bool shared = Row::cost.shares != 0;  // by a team for each block
  const index_t blocks = shared ? tile::max<index_t>(1, tile::canon_blocks(terms)) : 1;
  const index_t teams =  // of a processor
      tile::ceil_div<index_t>(tile::ceil_div<index_t>(outputs, primitives::rows) * blocks, m.teams_at_once);
  const double longest = double(blocks == 1 ? terms : tile::canon_block), mean = double(terms) / double(blocks);
  const double chains =
      double(tile::ceil_div<index_t>(teams, primitives::residents)) * (cost.start + cost.term * longest);
  const double work = double(teams) * cost.work * mean;
  const double memory = vector_byte<T> * double(sizeof(T)) * double(outputs) * double(terms);
  return std::sqrt(chains * chains + work * work + memory * memory) + (blocks > 1 ? cost.join : 0);
}

/// A row's costs for the ways in which A may lie: along its outer index or along its terms, copied 16 bytes at a time
/// or one element.
struct vector_costs {
  vector_cost wide_outer{}, wide_terms{}, outer{}, terms{};

  constexpr const vector_cost& of(along a, bool wide) const {
    return a == along::outer ? (wide ? wide_outer : outer) : wide ? wide_terms : terms;
  }
};
template <class T>
constexpr vector_costs by_type(const vector_costs& in_float, const vector_costs& in_double) {
  return sizeof(T) == 4 ? in_float : in_double;
}

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
  static constexpr vector_costs times =
      by_type<T>({.wide_terms = {2.3, 0.0019, 0.0015, 0.052}}, {.wide_outer = {1.4, 0.0044, 0.0024, 2.3},
                                                                .wide_terms = {1.5, 0.0039, 0.0026, 1.3},
                                                                .outer = {1.3, 0.0042, 0.0037, 1.5},
                                                                .terms = {0.78, 0.0052, 0.0027, 2.3}});
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
  static constexpr vector_costs times{.wide_outer = {1.9, 0.001, 0.0031, 1.4},
                                      .outer = {1.9, 0.001, 0.0031, 1.4},
                                      .terms = {1.7, 0.00055, 0.004, 0.48}};
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
  static constexpr vector_costs times = by_type<T>({.wide_outer = {1.4, 0.0014, 0.0036, 3.2},
                                                    .wide_terms = {1.7, 0.0032, 0.00052, 1.3},
                                                    .outer = {1.5, 0.0012, 0.0041, 2.6},
                                                    .terms = {1.7, 0.004, 0.0022, 5.5}},
                                                   {.wide_outer = {0.8, 0.0053, 0.0029, 2.2},
                                                    .wide_terms = {1.4, 0.0048, 0.0025, 4},
                                                    .outer = {0.79, 0.0063, 0.0034, 3.3},
                                                    .terms = {1.1, 0.0046, 0.0032, 4.1}});
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
  static constexpr vector_costs times = by_type<T>({.wide_outer = {1.3, 0.0058, 0.0047, 0.084},
                                                    .wide_terms = {1, 0.0083, 0.0049, 4.3},
                                                    .outer = {1.2, 0.0046, 0.0069, 4.2},
                                                    .terms = {1.3, 0.01, 0.0073, 2.5}},
                                                   {.wide_outer = {0.77, 0.011, 0.0027, 0.53},
                                                    .wide_terms = {0.65, 0.019, 0.0079, 4.7},
                                                    .outer = {1, 0.013, 0.0034, 2.3},
                                                    .terms = {0.67, 0.023, 0.01, 4.9}});
  static constexpr auto serves = backends::always;
  using primitives = vector_product<T, A, Wide, shape, lane_chain, member>;
};

template <class T>
struct gemv_128_rows : gemv_row<gemv_128_rows<T>> {
  static constexpr const char* name = "128 rows";
  static constexpr vector_shape shape{.rows = 128, .bytes = 128, .stages = 3, .loaders = 4, .residents = 3};
  static constexpr tile::product_cost cost{};
  static constexpr vector_costs times =
      by_type<T>({.wide_outer = {1.5, 0.011, 0.0068, 1.6}}, {.wide_outer = {0.85, 0.019, 0.0081, 5.7}});
  static constexpr auto serves = backends::always;
  using primitives = vector_product<T, along::outer, true, shape, lane_chain, member>;
};

/// A team for all blocks of its outputs: none is joined in another one, late.
template <class T, along A>
struct gemv_all_terms : gemv_row<gemv_all_terms<T, A>> {
  static constexpr const char* name = "32 rows, all terms";
  static constexpr vector_shape shape{.rows = 32, .bytes = 512, .stages = 5, .loaders = 4, .residents = 1};
  static constexpr tile::product_cost cost{.rate = 0.9, .shares = 0};
  static constexpr vector_costs times =
      by_type<T>({.wide_outer = {1.6, 0.00014, 0.0041, 0}, .wide_terms = {1.6, 0.0023, 0.0019, 0}},
                 {.wide_outer = {1.4, 0.00015, 0.0055, 0}, .wide_terms = {1.3, 0.00096, 0.0054, 0}});
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
  static constexpr vector_costs times{.wide_outer = {1.4, 0.0001, 0.0042, 0.62},
                                      .wide_terms = {0.87, 0.0001, 0.0039, 1.6},
                                      .outer = {1.5, 0.0001, 0.0044, 0.72},
                                      .terms = {1.1, 0.0001, 0.004, 1.2}};
  static constexpr auto serves = [](const tile::product<double>&, const machine& m) { return m.tensor_cores; };
  using primitives = vector_product<double, A, Wide, shape, tensor_chain, member>;
};

template <class T>
struct gemv_columns : gemv_row<gemv_columns<T>> {
  static constexpr const char* name = "columns in registers";
  static constexpr column_shape shape{
      .width = 16 / sizeof(T), .rows = 2048 / sizeof(T), .depth = sizeof(T) == 4 ? 16 : 8};
  static constexpr tile::product_cost cost{};
  static constexpr vector_costs times =
      by_type<T>({.wide_outer = {1.1, 0.06, 0.00096, 4}}, {.wide_outer = {0.27, 0.073, 0.0019, 2.7}});
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
    if constexpr (Wide)
      if (reads_at_once(problem, m)) return backends::position_in<at_once_row<A>>(rows());
    return fastest<A, Wide>(rows(), problem, m);
  }
  /// True where a team a processor reads all that is at hand: sums of blocks would be joined late, by one team more.
  static bool reads_at_once(const tile::product<T>& problem, const machine& m) {
    const index_t tiles = tile::ceil_div<index_t>(problem.c.rows, 32), blocks = tile::canon_blocks(problem.terms());
    return 2 <= blocks && blocks <= 4 && tiles <= m.teams_at_once && 10 * tiles >= 7 * m.teams_at_once &&
           (sizeof(T) == 4 || m.tensor_cores);
  }
  /// The row for these.
  template <along A>
  using at_once_row = std::conditional_t<sizeof(T) == 4, gemv_all_terms<T, A>, dgemv_on_tensor_cores<A, true>>;
  template <along A, bool Wide, class... Rows>
  static int fastest(backends::rows<Rows...>, const tile::product<T>& problem, const machine& m) {
    int best = 0, position = 0;
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&]<class Row>(std::type_identity<Row>) {
      const int own = position++;
      static_assert(Row::times.of(A, Wide).start > 0, "a row has a cost for every way in which its operand may lie");
      if (!Row::serves(problem, m)) return;
      const double time = vector_time<Row>(problem, m, Row::times.of(A, Wide));
      if (!(time < least)) return;
      least = time;
      best = own;
    };
    (consider(std::type_identity<Rows>()), ...);
    return best;
  }
};

}  // namespace abax::cuda

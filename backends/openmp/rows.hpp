// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The OpenMP backend's catalogue: tiles may have any size, so there is one row for each kind of kernel, and a
/// product's tile is fitted to it and to the cores.
#include <Kokkos_Core.hpp>
#include <type_traits>
#include <utility>

#include "abax/detail/backends/openmp/direct_product.hpp"
#include "abax/detail/backends/openmp/elementwise.hpp"
#include "abax/detail/backends/openmp/launch.hpp"
#include "abax/detail/backends/openmp/machine.hpp"
#include "abax/detail/backends/openmp/plan.hpp"
#include "abax/detail/backends/openmp/product.hpp"
#include "abax/detail/backends/openmp/vector_product.hpp"

namespace abax::openmp {

template <class T>
tile::product_tile tile_of(const kernel_set<T>& set, const tile::product<T>& problem, const machine& m) {
  const tile::output<T>& c = problem.c;
  const bool own_columns = problem.b.row_stride == 1;
  return c.part == tile::triangle::whole
             ? fitted_tile(set, m.teams_at_once, c.rows, c.cols, problem.terms(), own_columns)
             : fitted_triangle_tile(set, m.teams_at_once, c.rows, problem.terms(), own_columns);
}

template <class T>
struct fitted_gemm {
  using primitives = matrix_product<T, member>;
  static constexpr const char* name = "fitted";
  static constexpr bool takes_functors = true;
  static constexpr tile::product_cost cost{};
  static constexpr auto serves = backends::always;
  static tile::product_tile tile_for(const tile::product<T>& problem, const machine& m) {
    return tile_of(m.template loops<T>(), problem, m);
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem, const tile::product_tile& size,
                                                    const machine& m) {
    return primitives::parameters_for(problem, size, m.template loops<T>());
  }
};

template <class T>
struct direct_gemm {
  using primitives = direct_matrix_product<T, member>;
  static constexpr const char* name = "direct";
  static constexpr bool takes_functors = true;
  static constexpr tile::product_cost cost{};
  static bool serves(const tile::product<T>& problem, const machine& m) { return suits<tile::no_functor>(problem, m); }
  /// A functor reads C once more: it stays in the caches.
  template <class Functor>
  static bool suits(const tile::product<T>& problem, const machine& m) {
    if (!primitives::can(problem)) return false;
    const kernel_set<T>& set = m.template loops<T>();
    return reads_directly(set, problem.c.rows, problem.c.cols, problem.terms()) || primitives::turns(set, problem) ||
           (std::is_same_v<Functor, tile::no_functor> && primitives::writes_past_caches(problem, m.teams_at_once));
  }
  static tile::product_tile tile_for(const tile::product<T>& problem, const machine& m) {
    const kernel_set<T>& set = m.template loops<T>();
    const bool turned = primitives::turns(set, problem);
    tile::product_tile size = tile_of(set, turned ? tile::turned(problem) : problem, m);
    if (turned) std::swap(size.rows, size.cols);
    size.depth = static_cast<int>(tile::canon_block);
    return size;
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem, const tile::product_tile& size,
                                                    const machine& m) {
    return primitives::parameters_for(problem, size, m.template loops<T>(), m.teams_at_once);
  }
};

/// Products that are over before a second core has begun: read where they lie.
template <class T>
struct small_gemm {
  static bool serves(const tile::product<T>& problem) {
    using primitives = direct_matrix_product<T, member>;
    return problem.c.part == tile::triangle::whole && is_small<T>(problem.c.rows, problem.c.cols, problem.terms()) &&
           primitives::can(problem) && !(has_few_rows<T>(problem.c.rows) && primitives::turns(kernels<T>(), problem));
  }
  [[gnu::always_inline]] static void run(const char* label, const instance& exec, const tile::product<T>& problem) {
    const bool in_place = problem.a.row_stride == 1;
    run_directly<T>(label, exec, in_place,
                    {.m = problem.c.rows,
                     .n = problem.c.cols,
                     .k = problem.terms(),
                     .a = problem.a.data,
                     .stride_a = in_place ? problem.a.col_stride : problem.a.row_stride,
                     .b = problem.b.data,
                     .stride_k = problem.b.row_stride,
                     .stride_b = problem.b.col_stride,
                     .alpha = problem.epilogue.alpha,
                     .beta = problem.epilogue.beta,
                     .c = problem.c.data,
                     .stride_c = problem.c.col_stride});
  }
};

/// The same where that is a team's work: one triangle, turned, or of a few blocks.
template <class T>
struct small_team {
  using primitives = direct_matrix_product<T, member>;
  static bool serves(const tile::product<T>& problem) {
    return is_small<T>(problem.c.rows, problem.c.cols, problem.terms(), 4 * tile::canon_block) &&
           primitives::can(problem);
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem) {
    const tile::product_tile whole{static_cast<int>(problem.c.rows), static_cast<int>(problem.c.cols),
                                   static_cast<int>(tile::canon_block), 1};
    return primitives::parameters_for(problem, whole, kernels<T>(), 1);
  }
};

template <class T>
struct matrix_rows {
  using groups = backends::groups<backends::rows<fitted_gemm<T>, direct_gemm<T>>>;
  static int group_of(const tile::product<T>&, const machine&) { return 0; }
  template <class Functor>
  static int preferred(const tile::product<T, Functor>& problem, const machine& m) {
    using rows = typename groups::template group<0>;
    return direct_gemm<T>::template suits<Functor>(problem, m) ? backends::position_in<direct_gemm<T>>(rows())
                                                               : backends::position_in<fitted_gemm<T>>(rows());
  }
  using immediate = backends::rows<small_gemm<T>, small_team<T>>;
  static constexpr auto gain_by_copies = backends::never_copied;
};

template <class T>
struct fitted_gemv {
  using primitives = vector_product<T, member>;
  static constexpr const char* name = "fitted";
  static constexpr bool takes_functors = true;
  static constexpr tile::product_cost cost{};
  static constexpr auto serves = backends::always;
  static tile::product_tile tile_for(const tile::product<T>& problem, const machine& m) {
    const bool by_rows = problem.a.row_stride != 1 && problem.a.col_stride == 1;
    // A single row's, or column's, distance to the next may be any number.
    const index_t distance = by_rows ? problem.a.row_stride : problem.a.col_stride;
    const index_t line = (by_rows ? problem.c.rows : problem.terms()) > 1 ? (distance < 0 ? -distance : distance) : 0;
    return fitted_strip<T>(m.teams_at_once, problem.c.rows, problem.terms(), by_rows, line);
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem, const tile::product_tile& size,
                                                    const machine& m) {
    return {size, &m.template loops<T>(),
            tile::is_complex<T> && outgrows_caches<T>(problem.c.rows, problem.terms(), m.teams_at_once)};
  }
};

/// The same for a vector.
template <class T>
struct small_gemv {
  static bool serves(const tile::product<T>& problem) { return is_small_vector<T>(problem.c.rows, problem.terms()); }
  [[gnu::always_inline]] static void run(const char* label, const instance& exec, const tile::product<T>& problem) {
    run_directly<T>(label, exec,
                    {.outputs = problem.c.rows,
                     .depth = problem.terms(),
                     .a = problem.a.data,
                     .stride_output = problem.a.row_stride,
                     .stride_k = problem.a.col_stride,
                     .x = problem.b.data,
                     .stride_x = problem.b.row_stride,
                     .alpha = problem.epilogue.alpha,
                     .beta = problem.epilogue.beta,
                     .y = problem.c.data,
                     .stride_y = problem.c.row_stride});
  }
};

/// The same for few outputs of a few blocks: a team's work.
template <class T>
struct small_gemv_team {
  using primitives = vector_product<T, member>;
  static bool serves(const tile::product<T>& problem) {
    return problem.c.rows <= 4 && problem.terms() <= 16 * tile::canon_block;
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem) {
    return {{static_cast<int>(problem.c.rows), 1, static_cast<int>(tile::canon_block), 1}, &kernels<T>()};
  }
};

/// What a product without terms, or with alpha 0, does: C is scaled or cleared.
template <class T>
struct small_scaling {
  static bool serves(const tile::product<T>& problem) {
    return (problem.c.rows | problem.c.cols) >> 20 == 0 && problem.c.cols * work_of_column<T>(problem.c) <= 1 << 14;
  }
  [[gnu::always_inline]] static void run(const char* label, const instance& exec, const tile::product<T>& problem) {
    const reported_launch event(label, exec);
    const kernel_set<T>& set = kernels<T>();
    const portable::gradual_underflow mode;
    const tile::output<T>& c = problem.c;
    const auto [alpha, beta] = problem.epilogue;
    if (c.cols == 1)
      set.store_vector(c.rows, nullptr, alpha, beta, c.data, c.row_stride);
    else if constexpr (tile::is_complex<T>)
      set.store(c.rows, c.cols, nullptr, {alpha, beta, c.data, c.row_stride, c.col_stride}, band_of(c.part));
    else
      set.store(c.rows, c.cols, nullptr, alpha, beta, c.data, c.row_stride, c.col_stride, band_of(c.part));
  }
};

template <class T>
struct vector_rows {
  using groups = backends::groups<backends::rows<fitted_gemv<T>>>;
  static int group_of(const tile::product<T>&, const machine&) { return 0; }
  static int preferred(const tile::product<T>&, const machine&) { return 0; }
  using immediate = backends::rows<small_gemv<T>, small_gemv_team<T>>;
};

/// Bytes of operands that a core has read before `cores` cores would have begun and ended: two are as much faster from
/// memory then as they are slower from their second caches; sixteen took 24 us for 175 KB.
constexpr index_t too_few_bytes(index_t cores) { return (176 + 8 * cores) << 10; }
/// Of a block of a reduction: a complex dot has an operand twice.
template <class Kernel>
inline constexpr index_t bytes_of_block = tile::min(Kernel::operands, 2) *
                                          index_t(sizeof(typename Kernel::element)) * tile::reduction_block;

/// Blocks of a reduction that a team takes: few enough that cores get equal shares, as many as are worth taking a turn.
template <class Kernel>
index_t blocks_of_team(index_t blocks, index_t cores) {
  if (cores == 1 || blocks * bytes_of_block<Kernel> <= too_few_bytes(cores)) return tile::reduction_block;
  index_t run = 1;
  while (run < 256 && 8 * run * cores < blocks) run *= 2;
  return run;
}

template <class Kernel>
struct simd_reduction {
  using primitives = reduction<typename Kernel::element, member>;
  static constexpr const char* name = "reduction";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const tile::reduction<Kernel>&, const machine& m) {
    return {&m.template loops<typename Kernel::element>()};
  }
  static index_t run(index_t blocks, const machine& m) { return blocks_of_team<Kernel>(blocks, m.teams_at_once); }
};

/// Elements of a reduction that is a team's work on any machine, at most.
template <class Kernel>
inline constexpr index_t most_elements_at_once =
    tile::min(most_blocks_at_once, too_few_bytes(2) / bytes_of_block<Kernel>) * tile::reduction_block;
template <class Kernel>
struct small_reduction {
  static bool serves(const tile::reduction<Kernel>& problem) { return problem.size() <= most_elements_at_once<Kernel>; }
  [[gnu::always_inline]] static void run(const char* label, const instance& exec,
                                         const tile::reduction<Kernel>& problem) {
    const reported_launch event(label, exec);
    const kernel_set<typename Kernel::element>& loops = kernels<typename Kernel::element>();
    const portable::gradual_underflow mode;
    *problem.result = reduction<typename Kernel::element, member>::reduced(loops, problem.kernel);
  }
};

template <class T>
struct simd_transpose {
  using primitives = transpose<T, member>;
  static constexpr const char* name = "transpose";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const tile::transpose<T>& problem, const machine& m) {
    return primitives::parameters_for(m.template loops<T>(), problem.to, m.teams_at_once);
  }
};

/// Those of real values that are over before a second core has begun.
template <class T>
struct small_transpose {
  static bool serves(const tile::transpose<T>& problem) {
    return (problem.to.rows | problem.to.cols) >> 20 == 0 && problem.to.rows * problem.to.cols <= 1 << 12;
  }
  [[gnu::always_inline]] static void run(const char* label, const instance& exec, const tile::transpose<T>& problem) {
    const reported_launch event(label, exec);
    const tile::matrix<const T>& from = problem.from;
    const tile::matrix<T>& to = problem.to;
    kernels<T>().copy(to.rows, to.cols, from.data, from.row_stride, from.col_stride, to.data, to.row_stride,
                      to.col_stride);
  }
};
template <class T>
using immediate_transposes =
    std::conditional_t<tile::is_complex<T>, backends::rows<>, backends::rows<small_transpose<T>>>;

template <class T>
struct simd_in_place_transpose {
  using primitives = in_place_transpose<T, member>;
  static constexpr const char* name = "in place";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const tile::matrix<T>&, const machine& m) {
    return {&m.template loops<T>()};
  }
};

template <class Kernel>
struct simd_stream;
template <template <class> class Kernel, class T>
struct simd_stream<Kernel<T>> {
  using primitives = stream<T, member>;
  static constexpr const char* name = "stream";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const Kernel<T>& kernel, const machine& m) {
    bool large = kernel.size() * index_t(sizeof(T)) >= nontemporal_bytes;
    if constexpr (std::is_same_v<Kernel<T>, tile::combine_matrices<T>>)
      large = large && kernel.z.rows * index_t(sizeof(T)) >= nontemporal_column_bytes;
    return {&m.template loops<T>(), run_of(kernel, primitives::most, m.teams_at_once), large && !kernel.in_place()};
  }
};

/// Streams that are a team's work.
template <class Kernel>
struct small_stream;
template <template <class> class Kernel, class T>
struct small_stream<Kernel<T>> {
  using primitives = typename simd_stream<Kernel<T>>::primitives;
  static bool serves(const Kernel<T>& kernel) { return kernel.size() > 0 && work_of(kernel) <= primitives::most; }
  [[gnu::always_inline]] static void run(const char* label, const instance& exec, const Kernel<T>& kernel) {
    const reported_launch event(label, exec);
    const typename primitives::parameters parameters{&kernels<T>(), kernel.size()};
    const portable::gradual_underflow mode;
    primitives::apply(member(nullptr, 0, 1), parameters, kernel);
  }
};

}  // namespace abax::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The OpenMP backend's catalogue for complex values: products by panels, as they lie or turned, gemv, and what
/// complex.hpp has.
#include <algorithm>
#include <utility>

#include "abax/detail/backends/openmp/complex.hpp"
#include "abax/detail/backends/openmp/rows.hpp"

namespace abax::openmp {

/// Parts that a vector of the loops of complex values holds.
template <class Real>
int parts_of_vector(const kernel_set<tile::complex<Real>>& set) {
  return 4 * set.lanes;
}

/// A base of the next, so that the problem is there before the primitives that refer to it.
template <class T, class Functor>
struct turned_problem {
  tile::product<T, Functor> problem;
};
/// matrix_product's primitives for C^T = B^T A^T.
template <class T, class Team, class Functor = tile::no_functor>
class turned_matrix_product : turned_problem<T, Functor>, public matrix_product<T, Team, Functor> {
 public:
  template <class Other>
  using ending_in = turned_matrix_product<T, Team, Other>;
  using parameters = panel_parameters<T>;

  KOKKOS_FUNCTION turned_matrix_product(const Team& team, const parameters& p, const tile::product<T, Functor>& problem,
                                        int row_tile, int col_tile)
      : turned_problem<T, Functor>{tile::turned(problem)},
        matrix_product<T, Team, Functor>(team, p, turned_problem<T, Functor>::problem, col_tile, row_tile) {}
  turned_matrix_product(const turned_matrix_product&) = delete;
};

/// Cycles that a core takes for an m x n product of k terms by panels: 150 for each register tile; for each term 8 for
/// a vector of rows and a register tile's columns, 1.2 for an element of a row that is packed, or 0.4 where rows follow
/// one another, and 1 for one of a column.
template <class T>
double cycles_of_panels(const kernel_set<T>& set, index_t m, index_t n, index_t k, bool rows_contiguous) {
  const auto across = double(tile::ceil_div<index_t>(n, set.cols));
  const double vectors = across * double(tile::ceil_div<index_t>(m, parts_of_vector(set)));
  const double of_term = 8 * vectors + (rows_contiguous ? 0.4 : 1.2) * double(m) + double(n);
  return 150 * across * double(tile::ceil_div<index_t>(m, set.rows)) + double(k) * of_term;
}
/// Whether lanes that are columns, in the place of few rows, save more than it takes to write outputs one by one, 3
/// cycles each, and more than such an estimate is wrong by.
template <class T>
bool turns(const kernel_set<T>& set, const tile::product<T>& problem) {
  const index_t m = problem.c.rows, n = problem.c.cols, k = problem.terms();
  if (problem.c.part != tile::triangle::whole || m >= parts_of_vector(set) || n <= m) return false;
  return cycles_of_panels(set, n, m, k, problem.b.col_stride == 1) + 3 * double(m) * double(n) <
         0.9 * cycles_of_panels(set, m, n, k, problem.a.row_stride == 1);
}

template <class T>
struct turned_gemm {
  using primitives = turned_matrix_product<T, member>;
  static constexpr const char* name = "turned";
  static constexpr bool takes_functors = true;
  static constexpr tile::product_cost cost{};
  static bool serves(const tile::product<T>& problem, const machine& m) {
    return turns(m.template loops<T>(), problem);
  }
  static tile::product_tile tile_for(const tile::product<T>& problem, const machine& m) {
    tile::product_tile size = tile_of(m.template loops<T>(), tile::turned(problem), m);
    std::swap(size.rows, size.cols);
    return size;
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem, tile::product_tile size,
                                                    const machine& m) {
    return parameters(problem, size, m.template loops<T>());
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem, tile::product_tile size,
                                                    const kernel_set<T>& loops) {
    std::swap(size.rows, size.cols);
    return primitives::parameters_for(tile::turned(problem), size, loops);
  }
};

// Products that are over before a second core has begun: one team's work, without a plan.

template <class T>
struct small_complex_gemm {
  using primitives = matrix_product<T, member>;
  static bool serves(const tile::product<T>& problem) {
    return is_small<T>(problem.c.rows, problem.c.cols, problem.terms());
  }
  static tile::product_tile whole(const tile::product<T>& problem) {
    return {static_cast<int>(problem.c.rows), static_cast<int>(problem.c.cols), 256, 1};
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem) {
    return primitives::parameters_for(problem, whole(problem), kernels<T>());
  }
};
template <class T>
struct small_turned_gemm {
  using primitives = turned_matrix_product<T, member>;
  static bool serves(const tile::product<T>& problem) {
    return small_complex_gemm<T>::serves(problem) && turns(kernels<T>(), problem);
  }
  static typename primitives::parameters parameters(const tile::product<T>& problem) {
    return turned_gemm<T>::parameters(problem, small_complex_gemm<T>::whole(problem), kernels<T>());
  }
};
template <class T>
struct small_complex_gemv {
  static bool serves(const tile::product<T>& problem) {
    return is_small_vector<T>(problem.c.rows, problem.terms()) && problem.terms() <= tile::canon_block_of<T>;
  }
  static void run(const char* label, const instance& exec, const tile::product<T>& problem) {
    using Real = tile::real_of<T>;
    constexpr index_t strip = 256, most_terms = tile::canon_block_of<T>;
    const reported_launch event(label, exec);
    const kernel_set<T>& loops = kernels<T>();
    const portable::gradual_underflow mode;
    // Arrays of parts: those of elements would be zeroed first.
    alignas(64) Real sums_of_strip[2 * strip], copy_of_x[2 * most_terms];
    T* const sums = reinterpret_cast<T*>(sums_of_strip);
    const T* x = problem.b.data;
    if (problem.b.row_stride != 1 || problem.conjugated_b) {
      T* const copy = reinterpret_cast<T*>(copy_of_x);
      for (index_t p = 0; p < problem.terms(); ++p) copy[p] = tile::conjugate_if(problem.conjugated_b, problem.b(p, 0));
      x = copy;
    }
    const tile::matrix<const T>& a = problem.a;
    const tile::output<T>& y = problem.c;
    for (index_t i = 0; i < y.rows; i += strip) {
      const index_t rows = tile::min(strip, y.rows - i);
      std::fill_n(sums, rows, T{});
      loops.multiply_add_vector(rows, problem.terms(), &a(i, 0), a.row_stride, a.col_stride, false,
                                problem.conjugated_a, problem.turned, x, sums);
      loops.store_vector(rows, sums, problem.epilogue.alpha, problem.epilogue.beta, &y(i, 0), y.row_stride);
    }
  }
};

template <class Real>
struct matrix_rows<tile::complex<Real>> {
  using T = tile::complex<Real>;
  using groups = backends::groups<backends::rows<fitted_gemm<T>, turned_gemm<T>>>;
  static int group_of(const tile::product<T>&, const machine&) { return 0; }
  static int preferred(const tile::product<T>& problem, const machine& m) {
    using rows = typename groups::template group<0>;
    return turned_gemm<T>::serves(problem, m) ? backends::position_in<turned_gemm<T>>(rows())
                                              : backends::position_in<fitted_gemm<T>>(rows());
  }
  using immediate = backends::rows<small_turned_gemm<T>, small_complex_gemm<T>>;
  static constexpr auto gain_by_copies = backends::never_copied;
};

template <class Real>
struct vector_rows<tile::complex<Real>> {
  using T = tile::complex<Real>;
  using groups = backends::groups<backends::rows<fitted_gemv<T>>>;
  static int group_of(const tile::product<T>&, const machine&) { return 0; }
  static int preferred(const tile::product<T>&, const machine&) { return 0; }
  using immediate = backends::rows<small_complex_gemv<T>>;
};

/// A reduction of complex elements.
template <template <class> class Kernel, class Real>
struct simd_reduction<Kernel<tile::complex<Real>>> : simd_reduction<Kernel<Real>> {
  using primitives = complex_reduction<Real, member>;
  static typename primitives::parameters parameters(const tile::reduction<Kernel<tile::complex<Real>>>&,
                                                    const machine& m) {
    return {&m.template loops<tile::complex<Real>>()};
  }
  static index_t run(index_t blocks, const machine& m) {
    return blocks_of_team<Kernel<tile::complex<Real>>>(blocks, m.teams_at_once);
  }
};

/// One that is a team's work on any machine, of elements that follow one another.
template <template <class> class Kernel, class Real>
struct small_reduction<Kernel<tile::complex<Real>>> {
  using T = tile::complex<Real>;
  static bool serves(const tile::reduction<Kernel<T>>& problem) {
    const auto& operand = problem.kernel.operand;
    return problem.size() <= most_elements_at_once<Kernel<T>> && operand[0].stride == 1 &&
           operand[Kernel<T>::operands > 1 ? 1 : 0].stride == 1;
  }
  [[gnu::always_inline]] static void run(const char* label, const instance& exec,
                                         const tile::reduction<Kernel<T>>& problem) {
    const reported_launch event(label, exec);
    const kernel_set<T>& loops = kernels<T>();
    const portable::gradual_underflow mode;
    *problem.result = complex_reduction<Real, member>::reduced(loops, problem.kernel);
  }
};

template <class Real>
struct simd_transpose<tile::complex<Real>> {
  using T = tile::complex<Real>;
  using primitives = complex_transpose<T, member>;
  static constexpr const char* name = "transpose";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const tile::transpose<T>& problem, const machine& m) {
    return {&m.template loops<T>(), problem.conjugated};
  }
};

template <template <class> class Kernel, class Real>
struct simd_stream<Kernel<tile::complex<Real>>> {
  using primitives = complex_stream<tile::complex<Real>, member>;
  static constexpr const char* name = "stream";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const Kernel<tile::complex<Real>>& kernel, const machine& m) {
    return {&m.template loops<tile::complex<Real>>(), run_of(kernel, primitives::most, m.teams_at_once)};
  }
};

template <template <class, class> class Kernel, class Real, class Functor>
struct simd_stream<Kernel<tile::complex<Real>, Functor>> {
  using kernel = Kernel<tile::complex<Real>, Functor>;
  using primitives = complex_stream<tile::complex<Real>, member>;
  static constexpr const char* name = "stream";
  static constexpr auto serves = backends::always;
  static typename primitives::parameters parameters(const kernel& k, const machine& m) {
    return {&m.template loops<tile::complex<Real>>(), run_of(k, primitives::most, m.teams_at_once)};
  }
};

}  // namespace abax::openmp

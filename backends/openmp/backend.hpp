// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The OpenMP backend: a team is one thread, scratch is its core's cache.
#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "backends/openmp/elementwise.hpp"
#include "backends/openmp/launch.hpp"
#include "backends/openmp/plan.hpp"
#include "backends/openmp/product.hpp"
#include "backends/primitives.hpp"

namespace abax::openmp {

struct backend {
  using execution_space = Kokkos::OpenMP;
  using instance = openmp::instance;
  using member = openmp::member;
  using workspace = openmp::workspace;

  // Tiles of C by one core, any size; fitted_matrix_plan gives a product tiles of its own, these are for trials and
  // tests.
  static constexpr std::array<tile::product_plan, 5> matrix_table{{{"768x1024x256", 768, 1024, 256, 1, 1.0},
                                                                   {"384x384x256", 384, 384, 256, 1, 1.0},
                                                                   {"96x96x256", 96, 96, 256, 1, 1.0},
                                                                   {"64x64x2048", 64, 64, 2048, 1, 1.0},
                                                                   {"48x48x256", 48, 48, 256, 1, 1.0}}};
  // Strips of y by one core, any size; fitted_vector_plan gives a product strips of its own, these are for trials and
  // tests.
  static constexpr std::array<tile::product_plan, 3> vector_table{{{"8192x1x2048", 8192, 1, 2048, 1, 1.0},
                                                                   {"512x1x2048", 512, 1, 2048, 1, 1.0},
                                                                   {"16x1x2048", 16, 1, 2048, 1, 1.0}}};

  static backends::machine machine(const instance& exec) { return {exec.threads(), team_scratch}; }

  template <class T>
  static std::span<const tile::product_plan> matrix_plans(const instance&, const tile::product<T>&) {
    return matrix_table;
  }
  template <class T>
  static std::span<const tile::product_plan> vector_plans(const instance&, const tile::product<T>&) {
    return vector_table;
  }
  template <class T>
  static tile::product_plan fitted_matrix_plan(const instance& exec, const tile::product<T>& problem) {
    return fitted_plan(kernels<T>(), exec.threads(), problem.c.rows, problem.c.cols, problem.terms(),
                       matrix_product<T, member>::can_be_direct(problem),
                       matrix_product<T, member>::reads_columns(problem.b));
  }
  /// Products that are over before a second core has begun.
  template <class T>
  static bool is_small(const tile::product<T>& problem) {
    return problem.c.rows * problem.c.cols * problem.terms() <= small_product &&
           matrix_product<T, member>::can_be_direct(problem);
  }
  /// Strips that give every core the same share, long enough to be read at the memory's pace and to outweigh their start:
  /// long columns where those are contiguous; where rows are, few that go on in another block, many that end in this
  /// one. One strip where a second core would come too late.
  template <class T>
  static tile::product_plan fitted_vector_plan(const instance& exec, const tile::product<T>& problem) {
    constexpr index_t size = sizeof(T), longest_column = 8192, rows_at_once = 16;
    constexpr index_t too_little = index_t(128) << 10, enough = index_t(256) << 10;  // bytes of A
    const index_t m = problem.c.rows, k = problem.terms(), cores = exec.threads();
    const bool by_rows = problem.a.row_stride != 1 && problem.a.col_stride == 1;
    index_t longest = longest_column;
    if (by_rows && k > tile::canon_block)
      longest = rows_at_once;
    else if (by_rows)
      longest = tile::min(longest, tile::max(rows_at_once, enough / (size * tile::max<index_t>(k, 1))));
    index_t rows = tile::min(m, longest_column);
    if (cores > 1 && m * k * size > too_little) {
      const index_t rounds = tile::ceil_div(m, cores * longest), least = by_rows ? rows_at_once : 64;
      rows = tile::ceil_div(tile::max(least, tile::ceil_div(m, cores * rounds)), rows_at_once) * rows_at_once;
    }
    return {"fitted", static_cast<int>(rows), 1, static_cast<int>(tile::canon_block), 1, 1.0};
  }
  template <class T, class Visit>
  static void with_matrix_product(const tile::product<T>& problem, const tile::product_plan& plan, Visit&& visit) {
    using primitives = matrix_product<T, member>;
    visit(std::type_identity<primitives>{}, primitives::parameters_for(problem, plan, kernels<T>()));
  }
  template <class T, class Visit>
  static void with_small_product(const tile::product<T>& problem, Visit&& visit) {
    using primitives = matrix_product<T, member>;
    const tile::product_plan whole{"small", int(problem.c.rows), int(problem.c.cols), int(tile::canon_block), 1, 1.0};
    visit(std::type_identity<primitives>{},
          typename primitives::parameters{whole, &kernels<T>(), problem.terms(), true, false});
  }
  template <class T, class Visit>
  static void with_vector_product(const tile::product<T>&, const tile::product_plan& plan, Visit&& visit) {
    using primitives = vector_product<T, member>;
    visit(std::type_identity<primitives>{}, typename primitives::parameters{plan, &kernels<T>()});
  }
  template <class T, class Visit>
  static void with_dot(const tile::dot<T>&, std::size_t, Visit&& visit) {
    visit(std::type_identity<dot<T, member>>{}, typename dot<T, member>::parameters{&kernels<T>()});
  }
  template <class T, class Visit>
  static void with_transpose(const tile::transpose<T>& problem, Visit&& visit) {
    const index_t bytes = problem.to.rows * problem.to.cols * sizeof(T);
    visit(std::type_identity<transpose<T, member>>{}, transpose<T, member>::parameters_for(kernels<T>(), bytes));
  }
  template <class T, class Visit>
  static void with_in_place_transpose(const tile::matrix<T>&, Visit&& visit) {
    using primitives = in_place_transpose<T, member>;
    visit(std::type_identity<primitives>{}, typename primitives::parameters{&kernels<T>()});
  }
  template <template <class> class Kernel, class T, class Visit>
  static void with_stream(const Kernel<T>& kernel, Visit&& visit) {
    const bool large = kernel.size() * index_t(sizeof(T)) >= streaming_bytes;
    visit(std::type_identity<stream<T, member>>{},
          typename stream<T, member>::parameters{&kernels<T>(), large && !kernel.in_place()});
  }

  template <class P, class Functor>
  static void launch(const char* label, const instance& exec, int teams, std::size_t scratch, const Functor& functor) {
    launch_teams(label, exec, teams, scratch, functor);
  }

 private:
  // For the largest tile that fitted_plan makes: two buffers of its outputs, and the panels (tests/plans.cpp).
  static constexpr std::size_t team_scratch = std::size_t(48) << 20;
};

}  // namespace abax::openmp

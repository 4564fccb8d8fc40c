// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The OpenMP backend: a team is one thread, scratch is its core's cache.
#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "backends/openmp/elementwise.hpp"
#include "backends/openmp/product.hpp"
#include "backends/portable/gradual_underflow.hpp"
#include "backends/primitives.hpp"

namespace abax::openmp {

/// Block sums and arrival counters (zero at the start) of one call; a launch on this space is over when it returns.
class workspace {
 public:
  workspace(const Kokkos::OpenMP&, std::size_t bytes, index_t counters)
      : sums_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(64)))),
        arrivals_(std::make_unique<unsigned[]>(counters)) {}

  void* sums() const { return sums_.get(); }
  unsigned* arrivals() const { return arrivals_.get(); }

 private:
  struct release {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte, release> sums_;
  std::unique_ptr<unsigned[]> arrivals_;
};

/// The plan of an m x n product of k terms by `cores` cores: of all grids of tiles the one whose busiest core is done
/// first. Time is counted in cycles: a vector of products each half cycle, 8 bytes packed each cycle, and what it costs
/// to start other cores.
template <class T>
tile::product_plan fit(const kernel_set<T>& set, int cores, index_t m, index_t n, index_t k) {
  constexpr int depth = 256;
  constexpr index_t most = (index_t(9) << 20) / sizeof(T);  // outputs of a tile: two such buffers fit the scratch
  constexpr index_t most_cols = 2048;
  constexpr double start = 5000;
  const index_t row_units = tile::ceil_div<index_t>(m, set.rows), col_units = tile::ceil_div<index_t>(n, set.cols);
  const index_t blocks = tile::max<index_t>(1, tile::canon_blocks(k));
  tile::product_plan best{"fitted", 0, 0, depth, 1, 1.0};
  double best_time = std::numeric_limits<double>::infinity();
  const index_t least_rounds = tile::ceil_div(m * n, most * cores);
  const auto consider = [&](index_t row_tiles, index_t col_tiles) {
    const index_t rows = tile::ceil_div(row_units, row_tiles) * set.rows;
    const index_t cols = tile::min(tile::ceil_div(col_units, col_tiles) * set.cols, most_cols);
    if (rows * cols > most) return;
    const index_t tiles = tile::ceil_div(m, rows) * tile::ceil_div(n, cols);
    const index_t splits = tiles < cores ? tile::min(blocks, tile::ceil_div<index_t>(cores, tiles)) : 1;
    const double terms = double(k) * double(tile::ceil_div(blocks, splits)) / double(blocks);
    const double live = double(tile::ceil_div<index_t>(tile::min(m, rows), set.lanes) * set.lanes);
    const double work = live * double(cols) / (2 * set.lanes) + (live + double(cols)) * sizeof(T) / 8;
    const double time =
        double(tile::ceil_div<index_t>(tiles * splits, cores)) * work * terms + (tiles * splits > 1 ? start : 0);
    if (time < best_time) {
      best_time = time;
      best.rows = static_cast<int>(rows);
      best.cols = static_cast<int>(cols);
    }
  };
  consider(1, 1);
  for (index_t rounds = least_rounds; best_time > 2 * start && rounds <= least_rounds + 1; ++rounds)
    for (index_t teams = rounds * cores; teams >= 1; teams = blocks > 1 ? teams / 2 : 0)
      for (index_t r = 1; r <= tile::min(teams, row_units); ++r) consider(r, tile::min(teams / r, col_units));
  return best;
}

struct backend {
  using execution_space = Kokkos::OpenMP;
  using policy = Kokkos::TeamPolicy<Kokkos::OpenMP, Kokkos::Schedule<Kokkos::Dynamic>>;
  using member = policy::member_type;
  using workspace = openmp::workspace;

  // Tiles of C by one core, any size; `fitted_plan` gives a product tiles of its own, these are for trials and tests.
  // `depth` keeps a panel of B in L1 and a packed chunk of A in L2.
  static constexpr std::array<tile::product_plan, 4> matrix_table{{{"768x1024x256", 768, 1024, 256, 1, 1.0},
                                                                   {"384x384x256", 384, 384, 256, 1, 1.0},
                                                                   {"96x96x256", 96, 96, 256, 1, 1.0},
                                                                   {"48x48x256", 48, 48, 256, 1, 1.0}}};
  // Strips of y by one core: short enough that its accumulators stay in L1 beside the columns in flight.
  static constexpr std::array<tile::product_plan, 3> vector_table{{{"2048x1x2048", 2048, 1, 2048, 1, 1.0},
                                                                   {"512x1x2048", 512, 1, 2048, 1, 0.95},
                                                                   {"64x1x2048", 64, 1, 2048, 1, 0.8}}};

  static backends::machine machine(const Kokkos::OpenMP& exec) {
    return {threads(exec), static_cast<std::size_t>(policy::scratch_size_max(1))};
  }

  template <class T>
  static std::span<const tile::product_plan> matrix_plans(const Kokkos::OpenMP&) {
    return matrix_table;
  }
  /// Tiles that give every core the same share: the grid with the least work for the busiest core.
  template <class T>
  static tile::product_plan fitted_plan(const Kokkos::OpenMP& exec, const tile::product<T>& problem) {
    return fit(kernels<T>(), threads(exec), problem.c.rows, problem.c.cols, problem.terms());
  }
  template <class T>
  static std::span<const tile::product_plan> vector_plans(const Kokkos::OpenMP&) {
    return vector_table;
  }
  template <class T, class Visit>
  static void with_matrix_product(const tile::product<T>& problem, const tile::product_plan& plan, Visit&& visit) {
    using primitives = matrix_product<T, member>;
    visit(std::type_identity<primitives>{}, typename primitives::parameters{plan, &kernels<T>(), problem.terms()});
  }
  template <class T, class Visit>
  static void with_vector_product(const tile::product<T>&, const tile::product_plan& plan, Visit&& visit) {
    using primitives = vector_product<T, member>;
    visit(std::type_identity<primitives>{}, typename primitives::parameters{plan, &kernels<T>()});
  }
  template <class T, class Visit>
  static void with_dot(const tile::dot<T>&, Visit&& visit) {
    visit(std::type_identity<dot<T, member>>{}, typename dot<T, member>::parameters{&kernels<T>()});
  }
  template <class T, class Visit>
  static void with_transpose(const tile::transpose<T>& problem, Visit&& visit) {
    const index_t bytes = problem.to.rows * problem.to.cols * sizeof(T);
    visit(std::type_identity<transpose<T, member>>{},
          typename transpose<T, member>::parameters{&kernels<T>(), bytes >= streaming_bytes});
  }
  template <template <class> class Kernel, class T, class Visit>
  static void with_stream(const Kernel<T>& kernel, Visit&& visit) {
    const bool large = kernel.size() * index_t(sizeof(T)) >= streaming_bytes;
    visit(std::type_identity<stream<T, member>>{},
          typename stream<T, member>::parameters{&kernels<T>(), large && !kernel.in_place()});
  }

  template <class P, class Functor>
  static void launch(const char* label, const Kokkos::OpenMP& exec, int teams, std::size_t scratch,
                     const Functor& functor) {
    Kokkos::parallel_for(label, policy(exec, teams, 1).set_scratch_size(1, Kokkos::PerTeam(static_cast<int>(scratch))),
                         portable::with_gradual_underflow<Functor>{functor});
  }

 private:
  // Kokkos 4 may answer concurrency() for the default instance, whichever is asked.
  template <class Exec>
  static int threads(const Exec& exec) {
    if constexpr (requires { exec.impl_thread_pool_size(); })
      return exec.impl_thread_pool_size();
    else
      return exec.concurrency();
  }
};

}  // namespace abax::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that the OpenMP backend fits to a product: whatever the product, the cores and the instruction set, a team's
// scratch holds them.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <utility>

#ifdef KOKKOS_ENABLE_OPENMP
#include "abax/detail/backends/openmp/backend.hpp"

namespace openmp = abax::openmp;
namespace tile = abax::tile;
using abax::index_t;

TEMPLATE_TEST_CASE("A fitted tile fits a team's scratch, whatever the product", "[plans]", float, double) {
  using T = TestType;
  const std::size_t available = openmp::most_team_scratch;
  const index_t sizes[] = {1, 7, 64, 97, 576, 1152, 2048, 2049, 2304, 3000, 4096, 8192, 10000, 12000, 100003};
  const auto check = [&]<class Row>(const Row*, const tile::product<T>& problem, const openmp::machine& machine) {
    if (!Row::serves(problem, machine)) return;
    const tile::product_tile size = Row::tile_for(problem, machine);
    const std::size_t needed = Row::primitives::scratch_bytes(Row::parameters(problem, size, machine));
    if (size.rows < 1 || size.cols < 1 || needed > available) {
      CAPTURE(Row::name, machine.teams_at_once, machine.template loops<T>().name, problem.c.rows, problem.c.cols,
              problem.terms(), size.rows, size.cols, needed, available);
      FAIL("no tile, or one that needs more scratch than there is");
    }
  };
  const auto* const* floats = openmp::runnable_kernels<float>();
  const auto* const* doubles = openmp::runnable_kernels<double>();
  for (; *floats != nullptr; ++floats, ++doubles)
    for (const int cores : {1, 2, 3, 8, 16, 64, 128})
      for (const index_t m : sizes)
        for (const index_t n : sizes)
          for (const index_t k : {index_t(1), index_t(256), index_t(2048), index_t(2049), index_t(10000)})
            for (const bool own_columns : {false, true})
              for (const tile::triangle part : {tile::triangle::whole, tile::triangle::lower}) {
                if (part != tile::triangle::whole && m != n) continue;
                const openmp::machine machine(cores, **floats, **doubles);
                T any{};
                const tile::matrix<const T> b{&any, k, n, own_columns ? 1 : n, own_columns ? k : 1};
                const tile::matrix<T> c{&any, m, n, 1, m};
                const tile::product<T> problem{{&any, m, k, 1, m}, b, {c, part}, {T(1), T(0)}};
                check(static_cast<const openmp::fitted_gemm<T>*>(nullptr), problem, machine);
                check(static_cast<const openmp::direct_gemm<T>*>(nullptr), problem, machine);
              }
  SUCCEED();
}
#endif

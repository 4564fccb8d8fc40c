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
  using primitives = openmp::matrix_product<T, openmp::member>;
  const std::size_t available = openmp::most_team_scratch;
  const std::pair<bool, bool> choices[] = {{false, false}, {false, true}, {true, false}, {true, true}};
  const index_t sizes[] = {1, 7, 64, 97, 576, 1152, 2048, 2049, 2304, 3000, 4096, 8192, 10000, 12000, 100003};
  for (const auto* const* set = openmp::runnable_kernels<T>(); *set != nullptr; ++set)
    for (const int cores : {1, 2, 3, 8, 16, 64, 128})
      for (const index_t m : sizes)
        for (const index_t n : sizes)
          for (const index_t k : {index_t(1), index_t(256), index_t(2048), index_t(2049), index_t(10000)})
            for (const auto& [direct, own_columns] : choices) {
              const auto check = [&, direct = direct, own_columns = own_columns](const tile::product_tile& size) {
                T any{};
                const tile::matrix<const T> b{&any, k, n, own_columns ? 1 : n, own_columns ? k : 1};
                const tile::product<T> problem{{&any, m, k, 1, m}, b, {&any, m, n, 1, m}, {T(1), T(0)}};
                const std::size_t needed = primitives::scratch_bytes(primitives::parameters_for(problem, size, **set));
                if (size.rows < 1 || size.cols < 1 || needed > available) {
                  CAPTURE((*set)->name, cores, m, n, k, direct, own_columns, size.rows, size.cols, needed, available);
                  FAIL("no tile, or one that needs more scratch than there is");
                }
              };
              check(openmp::fitted_tile(**set, cores, m, n, k, direct, own_columns));
              if (m == n) check(openmp::fitted_triangle_tile(**set, cores, n, k, direct, own_columns));
            }
  SUCCEED();
}
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "product_capacities.hpp"

#include <algorithm>

#include "abax/detail/launch/gemm_def.hpp"

namespace abax::lab {

std::vector<capacity> plans_by_capacity(index_t n, const float* A, const float* B, float* C) {
  // Column-major: C^T = B^T A^T.
  const tile::product<float> problem{{B, n, n, 1, n}, {A, n, n, 1, n}, {C, n, n, 1, n}, {1.0F, 0.0F}};
  std::vector<capacity> all;
  for (const std::size_t kilobytes : {16, 48, 227}) {
    capacity& c = all.emplace_back(std::to_string(kilobytes) + " KB");
    auto machine = cuda::backend::machine(Kokkos::Cuda());
    machine.team_scratch = std::min(machine.team_scratch, kilobytes * 1024);
    if (const auto plan = launch::choose<cuda::backend, launch::shape::matrix>(problem, machine)) {
      c.tile = plan->row->name;
      c.bytes = plan->row->scratch_bytes(problem, plan->tile, machine);
      c.launch = [problem, plan = *plan, machine] {
        launch::run_product("abax-lab::product", Kokkos::Cuda(), machine, problem, plan);
      };
    }
  }
  return all;
}

}  // namespace abax::lab

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of experiment "product ladder": tiles under less scratch. It asks the backend's catalogue.
#include "product_check.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <algorithm>
#include <cmath>

#include "launch/gemm.hpp"

namespace abax::lab {
namespace {

constexpr const char* experiment_name = "product_ladder";

}  // namespace

void run_product_capacities(const settings& how, experiment_result& result, index_t n) {
  using Space = Kokkos::Cuda;
  const array<Space> A = random_floats<Space>("A", 1, n * n), B = random_floats<Space>("B", 2, n * n);
  const array<Space> C = poisoned<Space>("C", n * n);
  // Column-major: C^T = B^T A^T.
  const tile::product<float> problem{
      {B.data(), n, n, 1, n}, {A.data(), n, n, 1, n}, {C.data(), n, n, 1, n}, {1.0F, 0.0F}};
  std::vector<std::vector<std::string>> rows;
  rungs all(how, backend::device, result);
  for (const int kilobytes : {16, 48, 227}) {
    auto machine = cuda::backend::machine(Space());
    machine.team_scratch = std::min(machine.team_scratch, static_cast<std::size_t>(kilobytes) * 1024);
    const auto plan = launch::choose<cuda::backend, launch::shape::matrix>(problem, machine);
    if (!plan) {
      rows.push_back({std::to_string(kilobytes) + " KB", "none fits", "", ""});
      continue;
    }
    const std::size_t scratch = plan->row->scratch_bytes(problem, plan->tile, machine);
    case_result c = case_of<Space>(experiment_name,
                                   std::to_string(n) + "/scratch of " + std::to_string(kilobytes) + " KB", "portable");
    c.label.clear();  // may take two launches
    c.notes["plan"] = plan->row->name;
    c.given["flops"] = 2.0 * std::pow(static_cast<double>(n), 3);
    poison<Space>(C);
    const auto run = [problem, plan = *plan, machine] {
      launch::run_product("abax-lab::product", Space(), machine, problem, plan);
    };
    all.add(c, run, [&] { return check<Space>(c, n, C, order::canon); });
    rows.push_back({std::to_string(kilobytes) + " KB", plan->row->name, std::to_string(scratch) + " bytes", ""});
  }
  const std::vector<case_result> cases = all.finish();
  if (how.once) return;
  std::size_t next = 0;
  for (auto& row : rows)
    if (row[1] != "none fits")
      row[3] = std::to_string(static_cast<int>(cases[next++].measured.at("flops_per_second") * 1e-9));
  result.figures.push_back(
      table({"What the plan picks where a team has less scratch",
             "The plan takes, among the tiles whose stages fit, the one whose busiest multiprocessor is done first. "
             "More scratch allows wider tiles and deeper stages: each element that is fetched serves more threads, and "
             "fetches are in flight for longer. Below the smallest tile's need there is no product, and the library "
             "says so before it launches anything.",
             "", "", from_clock},
            {"scratch of a team", "tile (rows x columns x terms)", "takes", "GFLOP/s at " + std::to_string(n)}, rows));
}

}  // namespace abax::lab
#endif

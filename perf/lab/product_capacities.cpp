// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of experiment "product ladder": tiles under less scratch. It stands on the backend's tables of plans.
#include "product_check.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <cmath>

#include "launch/product.hpp"

namespace abax::lab {
namespace {

constexpr const char* experiment_name = "product_ladder";

/// The production kernels of column-major operands, as they are chosen where a team has `capacity` bytes of scratch.
struct limited : cuda::backend {
  static inline std::size_t capacity = 0;

  static backends::machine machine(const Kokkos::Cuda& exec) {
    backends::machine m = cuda::backend::machine(exec);
    m.team_scratch = std::min(m.team_scratch, capacity);
    return m;
  }
  template <class T, class Visit>
  static void with_matrix_product(const tile::product<T>& problem, const tile::product_plan& plan, Visit&& visit) {
    const bool several = tile::canon_blocks(problem.terms()) > 1;
    const auto found = [&]<class P>(std::type_identity<P> p) { visit(p, typename P::parameters{several}); };
    constexpr auto outer = cuda::along::outer, terms = cuda::along::terms;
    first_that_serves<float_huge<outer, terms, 4>, float_deep<outer, terms, 4>, float_large<outer, terms, 4>,
                      float_medium<outer, terms, 4>, float_tall<outer, terms, 4>, float_small<outer, terms, 4>>(plan,
                                                                                                                found);
  }
};

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
    limited::capacity = static_cast<std::size_t>(kilobytes) * 1024;
    const auto plan = launch::choose_plan<limited, launch::shape::matrix>(Space(), problem);
    if (!plan) {
      rows.push_back({std::to_string(kilobytes) + " KB", "none fits", "", ""});
      continue;
    }
    std::size_t scratch = 0;
    limited::with_matrix_product<float>(problem, *plan, [&]<class P>(std::type_identity<P>, const auto& parameters) {
      scratch = P::scratch_bytes(parameters);
    });
    const index_t splits = launch::splits_for<launch::shape::matrix>(problem, *plan, limited::machine(Space()));
    case_result c = case_of<Space>(experiment_name,
                                   std::to_string(n) + "/scratch of " + std::to_string(kilobytes) + " KB", "portable");
    c.label.clear();  // may take two launches
    c.notes["plan"] = plan->name;
    c.given["flops"] = 2.0 * std::pow(static_cast<double>(n), 3);
    poison<Space>(C);
    const auto run = [problem, plan = *plan, splits, kilobytes] {
      limited::capacity = static_cast<std::size_t>(kilobytes) * 1024;
      launch::run_product<limited, launch::shape::matrix>("abax-lab::product", Space(), problem, plan, splits);
    };
    all.add(c, run, [&] { return check<Space>(c, n, C, order::canon); });
    rows.push_back({std::to_string(kilobytes) + " KB", plan->name, std::to_string(scratch) + " bytes", ""});
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

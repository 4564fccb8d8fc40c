// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm and gemv on their way to the machine: plan, workspace, launch.
#include <Kokkos_Core.hpp>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "backends/backend_for.hpp"
#include "launch/checks.hpp"
#include "launch/workspace.hpp"
#include "team/product.hpp"

namespace abax::launch {

/// Which of a backend's two families of primitives and plans a product uses.
enum class shape { matrix, vector };

template <class Primitives, class T>
struct product_team {
  typename Primitives::parameters parameters;
  tile::product<T> problem;
  tile::division<T> division;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::product<Primitives>(team, parameters, problem, division);
  }
};

template <class Backend, shape Kind, class T>
std::span<const tile::product_plan> plans(const typename Backend::execution_space& exec) {
  if constexpr (Kind == shape::matrix)
    return Backend::template matrix_plans<T>(exec);
  else
    return Backend::template vector_plans<T>(exec);
}

/// visit(std::type_identity<Primitives>, parameters) for the primitives that serve `problem` under `plan`.
template <class Backend, shape Kind, class T, class Visit>
void with_primitives(const tile::product<T>& problem, const tile::product_plan& plan, Visit&& visit) {
  if constexpr (Kind == shape::matrix)
    Backend::with_matrix_product(problem, plan, visit);
  else
    Backend::with_vector_product(problem, plan, visit);
}

/// ceil_div for the host: divisions are what a small product waits for.
inline index_t pieces(index_t whole, index_t size) { return whole <= size ? whole > 0 : tile::ceil_div(whole, size); }

template <class T>
index_t tiles_of(const tile::product<T>& problem, const tile::product_plan& plan) {
  return pieces(problem.c.rows, plan.rows) * pieces(problem.c.cols, plan.cols);
}

/// How long a problem takes, in the time of one term of one output, with `splits` teams along k for one C tile. The
/// busiest processor decides. What a team does before its first term and after its last counts as terms, too, and the
/// join of block sums is one team's work.
template <class T>
double time_of(const tile::product<T>& problem, const tile::product_plan& plan, const backends::machine& machine,
               index_t splits) {
  constexpr double ends = 100, join = 27;  // terms, measured on an H200
  const index_t blocks = tile::canon_blocks(problem.terms());
  const index_t rounds = tile::ceil_div<index_t>(tiles_of(problem, plan) * splits, machine.teams_at_once);
  const index_t share = blocks == 0 ? 1 : tile::ceil_div(blocks, splits);
  const double terms = double(tile::min(problem.terms(), share * tile::canon_block)) + ends;
  return double(plan.rows) * plan.cols * (rounds * terms / plan.rate + (splits > 1 ? join * blocks : 0));
}

/// Teams along k for one C tile: at most one a block, about as many as it takes to occupy the machine; one where the
/// block sums would take more memory than the operands.
template <shape Kind, class T>
index_t splits_for(const tile::product<T>& problem, const tile::product_plan& plan, const backends::machine& machine) {
  const index_t blocks = tile::canon_blocks(problem.terms());
  if (blocks < 2) return 1;
  const index_t tiles = tiles_of(problem, plan);
  const index_t wanted = index_t(machine.teams_at_once) * plan.residents;
  if (tiles >= wanted) return 1;
  constexpr index_t always = (index_t(64) << 20) / sizeof(T);
  const index_t operands = (problem.c.rows + problem.c.cols) * problem.terms();
  if (tiles * blocks * plan.rows * plan.cols > tile::max(always, operands)) return 1;
  if constexpr (Kind == shape::vector) {  // at the memory's pace: every place is filled, and the longest share decides
    const index_t each = pieces(blocks, tile::min(blocks, pieces(wanted, tiles)));
    return pieces(blocks, each);
  }
  // As many teams as find a place at once, or one more each; the machine is full either way.
  const index_t within = tile::max<index_t>(1, tile::min(blocks, wanted / tiles));
  const index_t beyond = tile::min(blocks, within + 1);
  return time_of(problem, plan, machine, beyond) < time_of(problem, plan, machine, within) ? beyond : within;
}

/// True where a team's scratch holds what `plan` needs.
template <class Backend, shape Kind, class T>
bool fits(const tile::product<T>& problem, const tile::product_plan& plan, const backends::machine& machine) {
  bool found = false;
  with_primitives<Backend, Kind>(problem, plan, [&]<class P>(std::type_identity<P>, const auto& parameters) {
    found = P::scratch_bytes(parameters) <= machine.team_scratch;
  });
  return found;
}

/// The plan that the backend fits to the product, if it does and the machine has its scratch; else the plan of its table
/// whose busiest processor is done first, among those whose scratch the machine has; none if there is none.
template <class Backend, shape Kind, class T>
std::optional<tile::product_plan> choose_plan(const typename Backend::execution_space& exec,
                                              const tile::product<T>& problem) {
  const backends::machine machine = Backend::machine(exec);
  std::optional<tile::product_plan> best;
  if constexpr (Kind == shape::vector && requires { Backend::fitted_vector_plan(exec, problem); })
    best = Backend::fitted_vector_plan(exec, problem);
  if constexpr (Kind == shape::matrix && requires { Backend::fitted_matrix_plan(exec, problem); })
    best = Backend::fitted_matrix_plan(exec, problem);
  if (best && fits<Backend, Kind>(problem, *best, machine)) return best;
  best.reset();
  double best_time = std::numeric_limits<double>::infinity();
  for (const tile::product_plan& plan : plans<Backend, Kind, T>(exec)) {
    const double time = time_of(problem, plan, machine, splits_for<Kind>(problem, plan, machine));
    if (time >= best_time || !fits<Backend, Kind>(problem, plan, machine)) continue;
    best = plan;
    best_time = time;
  }
  return best;
}

/// Runs `problem` under `plan` with `splits` teams a C tile (1 to the number of blocks), asynchronously on `exec`.
/// Neither changes a bit of the result.
template <class Backend, shape Kind, class T>
void run_product(const char* function, const typename Backend::execution_space& exec, const tile::product<T>& problem,
                 const tile::product_plan& plan, index_t splits) {
  const auto run = [&]<class P>(std::type_identity<P>, const typename P::parameters& parameters) {
    static_assert(backends::product_primitives<P, T, typename Backend::member>);
    const index_t blocks = tile::canon_blocks(problem.terms());
    const std::size_t scratch = P::scratch_bytes(parameters);
    require_scratch(function, plan.name, scratch, Backend::machine(exec).team_scratch);
    const index_t row_tiles = pieces(problem.c.rows, plan.rows), col_tiles = pieces(problem.c.cols, plan.cols);
    const index_t tiles = row_tiles * col_tiles;
    const int teams = league(function, tiles * splits);
    tile::division<T> division{static_cast<int>(row_tiles), static_cast<int>(col_tiles), static_cast<int>(splits),
                               nullptr, nullptr};
    const auto launch = [&] {
      Backend::template launch<P>(function, exec, teams, scratch, product_team<P, T>{parameters, problem, division});
    };
    if (splits == 1) return launch();
    const std::size_t bytes = sizeof(T) * tiles * blocks * P::elements(parameters);
    const auto workspace = make_workspace<Backend>(function, exec, bytes, tiles);
    division.sums = static_cast<T*>(workspace.sums());
    division.arrivals = workspace.arrivals();
    launch();
  };
  with_primitives<Backend, Kind>(problem, plan, run);
}

/// Runs `problem` under the plan that suits it. One that the backend calls small is a team's work and takes no longer
/// than a plan and copies of operands would: it is run as it stands.
template <class Backend, shape Kind, class T>
void plan_and_run(const char* function, const typename Backend::execution_space& exec,
                  const tile::product<T>& problem) {
  if constexpr (Kind == shape::matrix && requires { Backend::is_small(problem); }) {
    if (Backend::is_small(problem)) {
      Backend::with_small_product(problem, [&]<class P>(std::type_identity<P>, const auto& parameters) {
        Backend::template launch<P>(function, exec, 1, P::scratch_bytes(parameters), [&](const auto& team) {
          team::product<P>(team, parameters, problem, tile::division<T>{1, 1, 1, nullptr, nullptr});
        });
      });
      return;
    }
  }
  const auto plan = choose_plan<Backend, Kind>(exec, problem);
  if (plan)
    run_product<Backend, Kind>(function, exec, problem, *plan,
                               splits_for<Kind>(problem, *plan, Backend::machine(exec)));
  else  // throws, naming both sizes
    run_product<Backend, Kind>(function, exec, problem, plans<Backend, Kind, T>(exec).back(), 1);
}

/// C <- alpha A B + beta C: what is common to gemm and gemv once extents agree.
template <shape Kind, class Exec, class T>
void product(const char* function, const Exec& exec, const tile::product<T>& problem) {
  using backend = backends::backend_for_t<Exec>;
  if (problem.c.rows == 0 || problem.c.cols == 0) return;
  if (!tile::is_zero(problem.epilogue.alpha) && problem.terms() != 0)
    return plan_and_run<backend, Kind>(function, exec, problem);
  if (problem.epilogue.keeps_output()) return;
  const tile::matrix<const T> none_a{nullptr, problem.c.rows, 0, 0, 0}, none_b{nullptr, 0, problem.c.cols, 0, 0};
  plan_and_run<backend, Kind>(function, exec, tile::product<T>{none_a, none_b, problem.c, problem.epilogue});
}

}  // namespace abax::launch

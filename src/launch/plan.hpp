// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Which tiles a product is cut into, and how many teams share one along k. Neither changes a bit of the result.
#include <Kokkos_Core.hpp>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "backends/primitives.hpp"
#include "tile/product.hpp"

namespace abax::launch {

/// Which of a backend's two families of primitives and plans a product uses.
enum class shape { matrix, vector };

/// The plans that serve `problem`.
template <class Backend, shape Kind, class T>
std::span<const tile::product_plan> plans(const backends::instance_t<Backend>& exec, const tile::product<T>& problem) {
  if constexpr (Kind == shape::matrix)
    return Backend::matrix_plans(exec, problem);
  else
    return Backend::vector_plans(exec, problem);
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

/// True where the block sums of all tiles are so many that a launch of their own joins them faster than the last team of
/// each tile would. Counted, as in time_of, in terms of one output; a join of one sum takes as long as 27.
template <class T>
bool joins_apart(const tile::product<T>& problem, const tile::product_plan& plan, const backends::machine& machine) {
  if (plan.cols == 1) return false;  // a gemv's tiles have few sums
  const double sums = 27.0 * plan.rows * plan.cols * tile::canon_blocks(problem.terms());
  return machine.launch + sums * tiles_of(problem, plan) / machine.teams_at_once < sums;
}

/// How long a problem takes, in the time of one term of one output, with `splits` teams along k for one C tile. The
/// busiest processor decides: its teams run `residents` at a time, and fewer do not fill it. What a team does before its
/// first term and after its last counts as terms, too, and so does the join of block sums.
template <class T>
double time_of(const tile::product<T>& problem, const tile::product_plan& plan, const backends::machine& machine,
               index_t splits) {
  constexpr double join = 27;  // terms, measured on an H200
  const index_t blocks = tile::canon_blocks(problem.terms());
  const index_t teams = tile::ceil_div<index_t>(tiles_of(problem, plan) * splits, machine.teams_at_once);
  const index_t alone = teams % plan.residents;  // the last of them
  const double rounds = double(teams - alone) + alone / (1 - 0.25 * (plan.residents - alone) / plan.residents);
  const index_t share = blocks == 0 ? 1 : tile::ceil_div(blocks, splits);
  const double terms = double(tile::min(problem.terms(), share * tile::canon_block)) + plan.ends;
  const double joining = splits == 1 || joins_apart(problem, plan, machine) ? 0 : join * blocks;
  return double(plan.rows) * plan.cols * (rounds * terms / plan.rate + joining);
}

/// Teams along k for one C tile, at most one a block: what the plan says where tiles come near to occupying the machine by
/// themselves (a quarter of it is where short teams began to pay), or where it wants one in any case; else about as many as
/// it takes to occupy the machine, one where the block sums would take more memory than the operands.
template <shape Kind, class T>
index_t splits_for(const tile::product<T>& problem, const tile::product_plan& plan, const backends::machine& machine) {
  const index_t blocks = tile::canon_blocks(problem.terms());
  if (blocks < 2 || plan.shares == 0) return 1;
  const index_t tiles = tiles_of(problem, plan);
  const index_t wanted = index_t(machine.teams_at_once) * plan.residents;
  if (plan.shares > 1 && 4 * tiles >= wanted) return tile::min<index_t>(blocks, plan.shares);
  if (tiles >= wanted) return 1;
  constexpr index_t always = (index_t(64) << 20) / sizeof(T);
  const index_t operands = (problem.c.rows + problem.c.cols) * problem.terms();
  if (tiles * blocks * plan.rows * plan.cols > tile::max(always, operands)) return 1;
  if constexpr (Kind == shape::vector) {  // at the memory's pace: every place is filled, and the longest share decides
    const index_t each = pieces(blocks, tile::min(blocks, pieces(wanted, tiles)));
    return pieces(blocks, each);
  }
  // As many teams as find a place at once, or one more each, or shares of few blocks, which even out.
  const index_t within = tile::max<index_t>(1, tile::min(blocks, wanted / tiles));
  index_t best = within;
  const auto consider = [&](index_t splits) {
    if (time_of(problem, plan, machine, splits) < time_of(problem, plan, machine, best)) best = splits;
  };
  consider(tile::min(blocks, within + 1));
  for (const index_t each : {1, 2, 3, 4}) consider(pieces(blocks, each));
  return best;
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
/// whose busiest processor is done first, among those that the problem has tiles for and the machine has scratch for;
/// none if there is none.
template <class Backend, shape Kind, class T>
std::optional<tile::product_plan> choose_plan(const backends::instance_t<Backend>& exec,
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
  for (const tile::product_plan& plan : plans<Backend, Kind>(exec, problem)) {
    if (tiles_of(problem, plan) < index_t(plan.least) * machine.teams_at_once) continue;
    const double time = time_of(problem, plan, machine, splits_for<Kind>(problem, plan, machine));
    if (time >= best_time || !fits<Backend, Kind>(problem, plan, machine)) continue;
    best = plan;
    best_time = time;
  }
  return best;
}

}  // namespace abax::launch

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
#include "launch/transpose.hpp"
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

template <class Primitives, class T>
struct join_team {
  typename Primitives::parameters parameters;
  tile::product<T> problem;
  tile::division<T> division;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::join<Primitives>(team, parameters, problem, division);
  }
};

/// The primitives that join the block sums of P's teams in a second launch: one kernel for all that leave their sums in
/// the same order.
template <class P>
struct joiner_of {
  using type = P;
};
template <class P>
requires requires { typename P::joiner; }
struct joiner_of<P> {
  using type = typename P::joiner;
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
  constexpr double ends = 60, join = 27;  // terms, measured on an H200
  const index_t blocks = tile::canon_blocks(problem.terms());
  const index_t teams = tile::ceil_div<index_t>(tiles_of(problem, plan) * splits, machine.teams_at_once);
  const index_t alone = teams % plan.residents;  // the last of them
  const double rounds = double(teams - alone) + alone / (1 - 0.25 * (plan.residents - alone) / plan.residents);
  const index_t share = blocks == 0 ? 1 : tile::ceil_div(blocks, splits);
  const double terms = double(tile::min(problem.terms(), share * tile::canon_block)) + ends;
  const double joining = splits == 1 || joins_apart(problem, plan, machine) ? 0 : join * blocks;
  return double(plan.rows) * plan.cols * (rounds * terms / plan.rate + joining);
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
  const auto table = [&] {  // with rates for this problem, if the backend tells them apart
    if constexpr (Kind == shape::matrix && requires { Backend::matrix_plans(exec, problem); })
      return Backend::matrix_plans(exec, problem);
    else
      return plans<Backend, Kind, T>(exec);
  }();
  for (const tile::product_plan& plan : table) {
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
    const backends::machine machine = Backend::machine(exec);
    if (joins_apart(problem, plan, machine)) {
      constexpr index_t least = 1024;  // sums that are worth a team
      const index_t wanted = pieces(2 * machine.teams_at_once, tiles);
      division.joiners =
          static_cast<int>(tile::max<index_t>(1, tile::min<index_t>(wanted, P::elements(parameters) / least)));
    }
    launch();
    if constexpr (Kind == shape::matrix)
      if (division.joiners > 0) {
        using joiner = typename joiner_of<P>::type;
        Backend::template launch<joiner>(function, exec, league(function, tiles * division.joiners),
                                         joiner::scratch_bytes(parameters),
                                         join_team<joiner, T>{parameters, problem, division});
      }
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

template <class T>
index_t aligned_length(index_t length) {
  constexpr index_t line = 128 / sizeof(T);
  return tile::ceil_div(length, line) * line;
}

/// `operand` with its lines on whole multiples of 128 bytes from `memory` on, filled on `exec`.
template <class Backend, class T>
tile::matrix<const T> aligned_copy(const char* function, const typename Backend::execution_space& exec,
                                   const tile::matrix<const T>& operand, T* memory) {
  const bool along_cols = operand.row_stride != 1 && operand.col_stride == 1;
  const tile::matrix<const T> from = along_cols ? operand.transposed() : operand;
  const tile::matrix<T> to{memory, from.rows, from.cols, 1, aligned_length<T>(from.rows)};
  run_transpose<Backend>(function, exec, tile::transpose<T>{from, to});
  const tile::matrix<const T> copy{to.data, to.rows, to.cols, to.row_stride, to.col_stride};
  return along_cols ? copy.transposed() : copy;
}

/// Copies one operand or both to where their lines are aligned, and multiplies the copies. False where there is no memory
/// for them.
template <class Backend, class T>
bool run_on_copies(const char* function, const typename Backend::execution_space& exec, const tile::product<T>& problem,
                   bool a, bool b) {
  const auto size = [](bool copied, const tile::matrix<const T>& m) {
    const bool along_cols = m.row_stride != 1 && m.col_stride == 1;
    return !copied ? 0 : along_cols ? aligned_length<T>(m.cols) * m.rows : aligned_length<T>(m.rows) * m.cols;
  };
  const index_t size_a = size(a, problem.a), size_b = size(b, problem.b);
  try {
    const typename Backend::workspace workspace(exec, sizeof(T) * (size_a + size_b), 0);
    T* const memory = static_cast<T*>(workspace.sums());
    tile::product<T> aligned = problem;
    if (a) aligned.a = aligned_copy<Backend, T>(function, exec, problem.a, memory);
    if (b) aligned.b = aligned_copy<Backend, T>(function, exec, problem.b, memory + size_a);
    plan_and_run<Backend, shape::matrix>(function, exec, aligned);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// C <- alpha A B + beta C: what is common to gemm and gemv once extents agree.
template <shape Kind, class Exec, class T>
void product(const char* function, const Exec& exec, const tile::product<T>& problem) {
  using backend = backends::backend_for_t<Exec>;
  if (problem.c.rows == 0 || problem.c.cols == 0) return;
  if (!tile::is_zero(problem.epilogue.alpha) && problem.terms() != 0) {
    if constexpr (Kind == shape::matrix && requires { backend::worth_copying(problem); }) {
      const auto worth = backend::worth_copying(problem);
      if ((worth.a || worth.b) && run_on_copies<backend>(function, exec, problem, worth.a, worth.b)) return;
    }
    return plan_and_run<backend, Kind>(function, exec, problem);
  }
  if (problem.epilogue.keeps_output()) return;
  const tile::matrix<const T> none_a{nullptr, problem.c.rows, 0, 0, 0}, none_b{nullptr, 0, problem.c.cols, 0, 0};
  plan_and_run<backend, Kind>(function, exec, tile::product<T>{none_a, none_b, problem.c, problem.epilogue});
}

}  // namespace abax::launch

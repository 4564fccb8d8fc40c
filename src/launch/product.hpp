// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm and gemv on their way to the machine: plan, workspace, launch.
#include <Kokkos_Core.hpp>
#include <type_traits>

#include "backends/backend_for.hpp"
#include "launch/checks.hpp"
#include "launch/plan.hpp"
#include "launch/stream.hpp"
#include "launch/transpose.hpp"
#include "launch/workspace.hpp"
#include "team/product.hpp"

namespace abax::launch {

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

/// Runs `problem` under `plan` with `splits` teams a C tile (1 to the number of blocks), asynchronously on `exec`.
/// Neither changes a bit of the result.
template <class Backend, shape Kind, class T>
void run_product(const char* function, const backends::instance_t<Backend>& exec, const tile::product<T>& problem,
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
    if (portable::under_ieee([&] { return joins_apart(problem, plan, machine); })) {
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
void plan_and_run(const char* function, const backends::instance_t<Backend>& exec, const tile::product<T>& problem) {
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
  index_t splits = 1;
  const auto plan = portable::under_ieee([&] {  // times are compared
    const auto chosen = choose_plan<Backend, Kind>(exec, problem);
    if (chosen) splits = splits_for<Kind>(problem, *chosen, Backend::machine(exec));
    return chosen;
  });
  if (plan)
    run_product<Backend, Kind>(function, exec, problem, *plan, splits);
  else  // throws, naming both sizes
    run_product<Backend, Kind>(function, exec, problem, plans<Backend, Kind>(exec, problem).back(), 1);
}

template <class T>
index_t aligned_length(index_t length) {
  constexpr index_t line = 128 / sizeof(T);
  return tile::ceil_div(length, line) * line;
}

/// `operand` with its lines on whole multiples of 128 bytes from `memory` on, filled on `exec`.
template <class Backend, class T>
tile::matrix<const T> aligned_copy(const char* function, const backends::instance_t<Backend>& exec,
                                   const tile::matrix<const T>& operand, T* memory) {
  const bool along_cols = operand.row_stride != 1 && operand.col_stride == 1;
  const tile::matrix<const T> from = along_cols ? operand.transposed() : operand;
  const tile::matrix<T> to{memory, from.rows, from.cols, 1, aligned_length<T>(from.rows)};
  run_transpose<Backend>(function, exec, tile::transpose<T>{from, to});
  // The primitives that read lines to the next multiple of 16 bytes are double's: whatever they read there, it is written.
  if (sizeof(T) == 8 && from.rows % 2 != 0) {
    const tile::vector<T> behind{to.data + to.rows, to.cols, to.col_stride};
    const tile::vector<const T> unread{behind.data, behind.size, behind.stride};
    run_stream<Backend>(function, exec, tile::combine<T>{unread, unread, behind, {T(0), T(0)}});
  }
  const tile::matrix<const T> copy{to.data, to.rows, to.cols, to.row_stride, to.col_stride};
  return along_cols ? copy.transposed() : copy;
}

/// Copies one operand or both to where their lines are aligned, and multiplies the copies. False where there is no memory
/// for them.
template <class Backend, class T>
bool run_on_copies(const char* function, const backends::instance_t<Backend>& exec, const tile::product<T>& problem,
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
    aligned.a_padded = a;
    aligned.b_padded = b;
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

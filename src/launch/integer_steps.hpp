// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The steps of a product by way of integers as kernels, each one launch by a row of the backend's catalogue.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <type_traits>
#include <vector>

#include "abax/detail/backends/backend_for.hpp"
#include "abax/detail/launch/rows.hpp"
#include "abax/detail/team/integer.hpp"
#include "abax/detail/tile/integer_parts.hpp"

namespace abax::launch {

template <class Primitives, class T>
struct line_peaks_team {
  typename Primitives::parameters parameters;
  tile::line_peaks<T> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::line_peaks<Primitives>(team, parameters, problem);
  }
};
template <class Primitives, class T>
struct line_residues_team {
  typename Primitives::parameters parameters;
  tile::line_residues<T> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::line_residues<Primitives>(team, parameters, problem);
  }
};
template <class Primitives, class T>
struct line_losses_team {
  tile::line_losses<T> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::line_losses<Primitives>(team, problem);
  }
};
template <class Primitives>
struct line_weights_team {
  typename Primitives::parameters parameters;
  tile::line_weights problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::line_weights<Primitives>(team, parameters, problem);
  }
};
template <bool Checked, class Primitives>
struct residue_product_team {
  typename Primitives::parameters parameters;
  tile::residue_product problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::residue_product<Checked, Primitives>(team, parameters, problem);
  }
};
template <class Primitives>
struct residue_check_team {
  tile::residue_check problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::residue_check<Primitives>(team, problem);
  }
};
template <class Primitives, class T, int Count, class Functor>
struct residue_sum_team {
  typename Primitives::parameters parameters;
  tile::residue_sum<T, Count, Functor> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::residue_sum<Primitives>(team, parameters, problem);
  }
};

template <class Problem>
struct moved_elements_team {
  Problem problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::moved_elements(team, problem);
  }
};

/// Values that a launch has written, once it is over: as many as there is room for in `host`.
template <class Backend, class Value>
void copy_to_host(const char* function, const typename Backend::instance& exec, const Value* values,
                  std::vector<Value>& host) {
  using space = typename Backend::execution_space;
  if constexpr (Kokkos::SpaceAccessibility<space, Kokkos::HostSpace>::accessible) {
    exec.fence(function);
    std::copy_n(values, host.size(), host.data());
  } else {
    Kokkos::deep_copy(exec, Kokkos::View<Value*, Kokkos::HostSpace>(host.data(), host.size()),
                      Kokkos::View<const Value*, typename space::memory_space>(values, host.size()));
    exec.fence(function);
  }
}

/// Launches `Row`'s primitives, one team for each of `tiles` tiles.
template <class Backend, class Row, class Functor>
void run_integer_row(const char* function, const typename Backend::instance& exec,
                     const typename Backend::machine_type& machine, index_t tiles, const Functor& functor) {
  using P = typename Row::primitives;
  const std::size_t scratch = P::scratch_bytes();
  require_scratch(function, Row::name, scratch, machine.team_scratch);
  const int teams = league(function, tiles);
  note(Row::name, teams);
  Backend::template launch<P>(function, exec, teams, scratch, functor);
}

template <class Backend, class T>
struct kernel_for<Backend, tile::line_peaks<T>> {
  using rows = typename Backend::template integer_line_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::line_peaks<T>& problem) {
    run_integer_row<Backend, Row>(
        function, exec, machine, problem.teams(),
        line_peaks_team<typename Row::primitives, T>{Row::parameters(problem, machine), problem});
  }
};
template <class Backend, class T>
struct kernel_for<Backend, tile::line_losses<T>> {
  using rows = typename Backend::template integer_line_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::line_losses<T>& problem) {
    run_integer_row<Backend, Row>(function, exec, machine, problem.peaks.teams(),
                                  line_losses_team<typename Row::primitives, T>{problem});
  }
};
template <class Backend, class T>
struct kernel_for<Backend, tile::line_residues<T>> {
  using rows = typename Backend::template integer_line_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::line_residues<T>& problem) {
    run_integer_row<Backend, Row>(
        function, exec, machine, problem.teams(),
        line_residues_team<typename Row::primitives, T>{Row::parameters(problem, machine), problem});
  }
};
template <class Backend, class Problem>
void run_step(const char* function, const typename Backend::instance& exec,
              const typename Backend::machine_type& machine, const Problem& problem) {
  first_that_serves<Backend>(problem, machine).run(function, exec, machine, problem);
}

template <class Backend>
struct kernel_for<Backend, tile::line_weights> {
  using rows = typename Backend::template integer_line_rows<float>;  // bytes are of any type

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::line_weights& problem) {
    run_integer_row<Backend, Row>(
        function, exec, machine, problem.teams(),
        line_weights_team<typename Row::primitives>{Row::parameters(problem, machine), problem});
  }
};
template <class Backend>
struct kernel_for<Backend, tile::residue_product> {
  using rows = typename Backend::residue_product_rows;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::residue_product& problem) {
    using P = typename Row::primitives;
    const index_t tiles = problem.tiles(P::shape).all();
    const auto launch = [&]<bool Checked>(std::bool_constant<Checked>) {
      run_integer_row<Backend, Row>(function, exec, machine, P::teams(tiles, machine.teams_at_once),
                                    residue_product_team<Checked, P>{Row::parameters(problem, machine), problem});
    };
    if (problem.sums != nullptr)
      launch(std::true_type());
    else
      launch(std::false_type());
  }
};
template <class Backend>
struct kernel_for<Backend, tile::residue_check> {
  using rows = typename Backend::template integer_line_rows<float>;  // bytes are of any type

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::residue_check& problem) {
    run_integer_row<Backend, Row>(function, exec, machine, problem.teams(),
                                  residue_check_team<typename Row::primitives>{problem});
  }
};
template <class Backend, class T, int Count, class Functor>
struct kernel_for<Backend, tile::residue_sum<T, Count, Functor>> {
  using rows = typename Backend::template integer_line_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::residue_sum<T, Count, Functor>& problem) {
    using kernel = tile::residue_sum<T, Count, Functor>;
    const index_t tiles = tile::ceil_div<index_t>(problem.rows, kernel::rows_of_team) *
                          tile::ceil_div<index_t>(problem.cols, kernel::cols_of_team);
    run_integer_row<Backend, Row>(
        function, exec, machine, tiles,
        residue_sum_team<typename Row::primitives, T, Count, Functor>{Row::parameters(problem, machine), problem});
  }
};

/// Elements that are moved one by one need nothing of the primitives but their teams.
template <class Backend, class Problem>
struct kernel_that_moves {
  using rows = typename Backend::template integer_line_rows<typename Problem::real>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const Problem& problem) {
    run_integer_row<Backend, Row>(function, exec, machine, problem.teams(), moved_elements_team<Problem>{problem});
  }
};
template <class Backend, class Real>
struct kernel_for<Backend, tile::real_lines<Real>> : kernel_that_moves<Backend, tile::real_lines<Real>> {};
template <class Backend, class T, class Functor>
struct kernel_for<Backend, tile::sums_of_parts<T, Functor>>
    : kernel_that_moves<Backend, tile::sums_of_parts<T, Functor>> {};

}  // namespace abax::launch

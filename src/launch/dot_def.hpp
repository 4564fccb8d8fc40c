// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// dot: arguments checked, launched.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/backend_for.hpp"
#include "abax/detail/launch/checks.hpp"
#include "abax/detail/launch/dot.hpp"
#include "abax/detail/launch/rows.hpp"
#include "abax/detail/launch/workspace.hpp"
#include "abax/detail/team/dot.hpp"

namespace abax::launch {

template <class Primitives, class T>
struct dot_team {
  typename Primitives::parameters parameters;
  tile::dot<T> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::dot<Primitives>(team, parameters, problem);
  }
};

template <class Backend, class T>
struct kernel_for<Backend, tile::dot<T>> {
  using rows = typename Backend::template dot_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::dot<T>& given) {
    using P = typename Row::primitives;
    static_assert(backends::dot_primitives<P, T, typename Backend::member>);
    require_scratch(function, Row::name, P::scratch_bytes(), machine.team_scratch);
    const index_t blocks = tile::canon_blocks(given.x.size);
    // At least one team: a dot product without terms is +0, and somebody has to write it.
    const int teams = league(function, tile::max<index_t>(1, tile::ceil_div<index_t>(blocks, P::blocks)));
    tile::dot<T> problem = given;
    // Chunks so many that joining them keeps up with the reading, so large that the additions outweigh taking turns.
    if (problem.chunk == 0) problem.chunk = tile::max<int>(4096 / P::blocks, tile::ceil_div(teams, 24));
    const auto workspace =
        make_workspace<Backend>(function, exec, sizeof(T) * (blocks + 1), 2 + tile::ceil_div(teams, problem.chunk));
    problem.sums = static_cast<T*>(workspace.sums());
    problem.arrivals = workspace.arrivals();
    Backend::template launch<P>(function, exec, teams, P::scratch_bytes(),
                                dot_team<P, T>{Row::parameters(problem, machine), problem});
  }
};

/// On a machine as described.
template <class Backend, class T>
void run_dot(const char* function, const typename Backend::instance& exec,
             const typename Backend::machine_type& machine, const tile::dot<T>& problem) {
  first_that_serves<Backend>(problem, machine).run(function, exec, machine, problem);
}

// Outside the class, and so not inline: only then does `extern template` keep it out of a user's translation unit, and
// the user's floating-point flags out of Abax' kernels.
template <class Exec, class T>
void dot<Exec, T>::run(const Exec& exec, tile::vector<const T> x, tile::vector<const T> y, T* result, sharing memory) {
  constexpr const char* function = "abax::dot";
  const tile::vector<T> out{result, 1, 1};
  require_equal(function, "the extent of x", x.size, "the extent of y", y.size);
  require_memory(function, "x", footprint_of(x), true);
  require_memory(function, "y", footprint_of(y), true);
  require_memory(function, "result", footprint_of(out), true);
  if (memory == sharing::checked) {
    require_disjoint(function, "result", footprint_of(out), "x", footprint_of(x));
    require_disjoint(function, "result", footprint_of(out), "y", footprint_of(y));
  }
  using backend = backends::backend_for_t<Exec>;
  run_dot<backend>(function, exec, backend::machine(exec), tile::dot<T>{x, y, result, nullptr, nullptr});
}

template <class Exec, class T>
T dot_value(const Exec& exec, tile::vector<const T> x, tile::vector<const T> y) {
  T value;
  if constexpr (Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible) {
    dot<Exec, T>::run(exec, x, y, &value);
  } else {
    const auto memory = make_workspace<backends::backend_for_t<Exec>>("abax::dot", exec, sizeof(T), 0);
    T* const result = static_cast<T*>(memory.sums());
    dot<Exec, T>::run(exec, x, y, result);
    Kokkos::deep_copy(exec, Kokkos::View<T, Kokkos::HostSpace>(&value),
                      Kokkos::View<T, typename Exec::memory_space>(result));
  }
  exec.fence("abax::dot");
  return value;
}

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct dot<openmp::instance, float>;
extern template struct dot<openmp::instance, double>;
extern template struct kernel_rows<openmp::backend, tile::dot<float>>;
extern template struct kernel_rows<openmp::backend, tile::dot<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct kernel_rows<cuda::backend, tile::dot<float>>;
extern template struct kernel_rows<cuda::backend, tile::dot<double>>;
#endif

}  // namespace abax::launch

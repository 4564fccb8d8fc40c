// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Reductions: arguments checked, launched.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/backend_for.hpp"
#include "abax/detail/launch/checks.hpp"
#include "abax/detail/launch/reduction.hpp"
#include "abax/detail/launch/rows.hpp"
#include "abax/detail/launch/trace.hpp"
#include "abax/detail/launch/workspace.hpp"
#include "abax/detail/team/reduction.hpp"

namespace abax::launch {

template <class Primitives, class Kernel>
struct reduction_team {
  typename Primitives::parameters parameters;
  tile::reduction<Kernel> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::reduce<Primitives>(team, parameters, problem);
  }
};

template <class Backend, class Kernel>
struct kernel_for<Backend, tile::reduction<Kernel>> {
  using rows = typename Backend::template reduction_rows<Kernel>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::reduction<Kernel>& given) {
    using P = typename Row::primitives;
    static_assert(backends::reduction_row<Row, Kernel, Backend>);
    tile::reduction<Kernel> problem = given;
    const index_t blocks = tile::reduction_blocks(problem.size());
    problem.run = Row::run(blocks, machine);
    index_t states = blocks, counters = 0;
    for (index_t terms = blocks; terms > 1;) {
      terms = tile::reduction_blocks(terms);
      states += terms;
      counters += terms;
    }
    const auto workspace = make_workspace<Backend>(function, exec, sizeof(*problem.states) * states, counters);
    problem.states = static_cast<typename Kernel::state*>(workspace.sums());
    problem.arrivals = workspace.arrivals();
    const int teams = league(function, tile::ceil_div(blocks, problem.run));
    note(Row::name, teams);
    Backend::template launch<P>(function, exec, teams, P::scratch_bytes(),
                                reduction_team<P, Kernel>{Row::parameters(problem, machine), problem});
  }
};

/// On a machine as described.
template <class Backend, class Kernel>
void run_reduction(const char* function, const typename Backend::instance& exec,
                   const typename Backend::machine_type& machine, const tile::reduction<Kernel>& problem) {
  first_that_serves<Backend>(problem, machine).run(function, exec, machine, problem);
}

/// The elements that an operand of a reduction has, and where they lie.
template <class T>
index_t elements_of(const tile::vector<T>& x) {
  return x.size;
}
template <class Real>
index_t elements_of(const tile::parts<Real>& x) {
  return x.size / 2;
}
template <class Real>
[[gnu::always_inline]] inline footprint footprint_of(const tile::parts<Real>& x) {
  return footprint_of(tile::vector<const tile::complex<Real>>{reinterpret_cast<const tile::complex<Real>*>(x.data),
                                                              x.size / 2, x.stride});
}

/// What errors and tools call it.
template <class Kernel>
const char* function_of(const Kernel& kernel) {
  if constexpr (requires { kernel.conjugated; })
    if (kernel.conjugated) return Kernel::name_of_conjugated;
  return Kernel::name;
}

/// One that no row runs immediately.
template <class Backend, class Kernel>
[[gnu::noinline]] void run_large_reduction(const char* function, const typename Backend::instance& exec,
                                           const tile::reduction<Kernel>& problem) {
  run_reduction<Backend>(function, exec, Backend::machine(exec), problem);
}

// In line, so that a small reduction's operands stay in registers: whoever takes them by their address gets a copy.
template <class Exec, class Kernel>
[[gnu::always_inline]] inline void run_checked(const Exec& exec, const Kernel& kernel,
                                               typename Kernel::result_type* result, sharing memory) {
  const char* const function = function_of(kernel);
  const footprint out = footprint_of(tile::vector<typename Kernel::result_type>{result, 1, 1});
  if constexpr (Kernel::operands >= 2)
    require_equal(function, "the extent of x", elements_of(kernel.operand[0]), "the extent of y",
                  elements_of(kernel.operand[1]));
  if (memory == sharing::checked) {
    const auto each_operand = [&](const auto& require) __attribute__((always_inline)) {
      require("x", footprint_of(kernel.operand[0]));
      if constexpr (Kernel::operands >= 2) require("y", footprint_of(kernel.operand[1]));
    };
    each_operand([&](const char* name, const footprint& of)
                     __attribute__((always_inline)) { require_memory(function, name, of, true); });
    require_memory(function, "result", out, true);
    each_operand([&](const char* name, const footprint& of)
                     __attribute__((always_inline)) { require_disjoint(function, "result", out, name, of); });
  }
  using backend = backends::backend_for_t<Exec>;
  using immediate = typename backend::template immediate_reductions<Kernel>;
  if (run_immediately<backend>(immediate(), function, exec, tile::reduction<Kernel>{kernel, result})) return;
  run_large_reduction<backend>(function, exec, tile::reduction<Kernel>{kernel, result});
}

template <class Exec, class Kernel>
typename Kernel::result_type value_of(const Exec& exec, const Kernel& kernel) {
  using result_type = typename Kernel::result_type;
  using backend = backends::backend_for_t<Exec>;
  using space = typename backend::execution_space;
  result_type value;
  if constexpr (Kokkos::SpaceAccessibility<space, Kokkos::HostSpace>::accessible) {
    run_checked(exec, kernel, &value, sharing::checked);
  } else {
    const auto memory = make_workspace<backend>(function_of(kernel), exec, sizeof(value), 0);
    auto* const result = static_cast<result_type*>(memory.sums());
    run_checked(exec, kernel, result, sharing::checked);
    Kokkos::deep_copy(exec, Kokkos::View<result_type, Kokkos::HostSpace>(&value),
                      Kokkos::View<result_type, typename space::memory_space>(result));
  }
  const typename backend::instance& launched_on = exec;
  launched_on.fence(function_of(kernel));
  return value;
}

// Outside the class, and so not inline: only then does `extern template` keep them out of a user's translation unit,
// and the user's floating-point flags out of Abax' kernels.
template <class Exec, class T>
void reductions<Exec, T>::run(const Exec& exec, const tile::dot<T>& kernel, T* result, sharing memory) {
  run_checked(exec, kernel, result, memory);
}
template <class Exec, class T>
void reductions<Exec, T>::run(const Exec& exec, const tile::sum<T>& kernel, T* result, sharing memory) {
  run_checked(exec, kernel, result, memory);
}
template <class Exec, class T>
void reductions<Exec, T>::run(const Exec& exec, const tile::asum<T>& kernel, T* result, sharing memory) {
  run_checked(exec, kernel, result, memory);
}
template <class Exec, class T>
void reductions<Exec, T>::run(const Exec& exec, const tile::nrm2<T>& kernel, T* result, sharing memory) {
  run_checked(exec, kernel, result, memory);
}
template <class Exec, class T>
void reductions<Exec, T>::run(const Exec& exec, const tile::iamax<T>& kernel, index_t* result, sharing memory) {
  run_checked(exec, kernel, result, memory);
}
template <class Exec, class T>
T reductions<Exec, T>::value(const Exec& exec, const tile::dot<T>& kernel) {
  return value_of(exec, kernel);
}
template <class Exec, class T>
T reductions<Exec, T>::value(const Exec& exec, const tile::sum<T>& kernel) {
  return value_of(exec, kernel);
}
template <class Exec, class T>
T reductions<Exec, T>::value(const Exec& exec, const tile::asum<T>& kernel) {
  return value_of(exec, kernel);
}
template <class Exec, class T>
T reductions<Exec, T>::value(const Exec& exec, const tile::nrm2<T>& kernel) {
  return value_of(exec, kernel);
}
template <class Exec, class T>
index_t reductions<Exec, T>::value(const Exec& exec, const tile::iamax<T>& kernel) {
  return value_of(exec, kernel);
}

template <class Exec, class Real>
void reductions<Exec, tile::complex<Real>>::run(const Exec& exec, const tile::dot<T>& kernel, T* result,
                                                sharing memory) {
  run_checked(exec, kernel, result, memory);
}
template <class Exec, class Real>
void reductions<Exec, tile::complex<Real>>::run(const Exec& exec, const tile::asum<T>& kernel, Real* result,
                                                sharing memory) {
  run_checked(exec, kernel, result, memory);
}
template <class Exec, class Real>
void reductions<Exec, tile::complex<Real>>::run(const Exec& exec, const tile::nrm2<T>& kernel, Real* result,
                                                sharing memory) {
  run_checked(exec, kernel, result, memory);
}
template <class Exec, class Real>
void reductions<Exec, tile::complex<Real>>::run(const Exec& exec, const tile::iamax<T>& kernel, index_t* result,
                                                sharing memory) {
  run_checked(exec, kernel, result, memory);
}
template <class Exec, class Real>
tile::complex<Real> reductions<Exec, tile::complex<Real>>::value(const Exec& exec, const tile::dot<T>& kernel) {
  return value_of(exec, kernel);
}
template <class Exec, class Real>
Real reductions<Exec, tile::complex<Real>>::value(const Exec& exec, const tile::asum<T>& kernel) {
  return value_of(exec, kernel);
}
template <class Exec, class Real>
Real reductions<Exec, tile::complex<Real>>::value(const Exec& exec, const tile::nrm2<T>& kernel) {
  return value_of(exec, kernel);
}
template <class Exec, class Real>
index_t reductions<Exec, tile::complex<Real>>::value(const Exec& exec, const tile::iamax<T>& kernel) {
  return value_of(exec, kernel);
}

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct reductions<openmp::instance, float>;
extern template struct reductions<openmp::instance, double>;
extern template struct reductions<openmp::instance, tile::complex<float>>;
extern template struct reductions<openmp::instance, tile::complex<double>>;
extern template struct kernel_rows<openmp::backend, tile::reduction<tile::dot<float>>>;
extern template struct kernel_rows<openmp::backend, tile::reduction<tile::dot<double>>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct kernel_rows<cuda::backend, tile::reduction<tile::dot<float>>>;
extern template struct kernel_rows<cuda::backend, tile::reduction<tile::dot<double>>>;
#endif

}  // namespace abax::launch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// transpose: arguments checked, turned into a copy between two ways of running through memory, launched; also of a
/// square matrix where it lies.
#include <Kokkos_Core.hpp>
#include <cstdlib>

#include "abax/detail/backends/backend_for.hpp"
#include "abax/detail/launch/checks.hpp"
#include "abax/detail/launch/rows.hpp"
#include "abax/detail/launch/trace.hpp"
#include "abax/detail/launch/transpose.hpp"
#include "abax/detail/team/transpose.hpp"

namespace abax::launch {

template <class Primitives, class T>
struct transpose_team {
  typename Primitives::parameters parameters;
  tile::transpose<T> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::transpose<Primitives>(team, parameters, problem);
  }
};

template <class Backend, class T>
struct kernel_for<Backend, tile::transpose<T>> {
  using rows = typename Backend::template transpose_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::transpose<T>& problem) {
    using P = typename Row::primitives;
    static_assert(backends::transpose_primitives<P, T, typename Backend::member>);
    const typename P::parameters parameters = Row::parameters(problem, machine);
    require_scratch(function, Row::name, P::scratch_bytes(), machine.team_scratch);
    const index_t row_tiles = tile::tiles_along(problem.from.rows, parameters.rows, parameters.skip_rows);
    const int teams =
        league(function, row_tiles * tile::tiles_along(problem.from.cols, parameters.cols, parameters.skip_cols));
    note(Row::name, teams);
    Backend::template launch<P>(function, exec, teams, P::scratch_bytes(), transpose_team<P, T>{parameters, problem});
  }
};

template <class Backend, class T>
void run_transpose(const char* function, const typename Backend::instance& exec, const tile::transpose<T>& problem) {
  const auto machine = Backend::machine(exec);
  first_that_serves<Backend>(problem, machine).run(function, exec, machine, problem);
}

template <class Primitives, class T>
struct in_place_transpose_team {
  typename Primitives::parameters parameters;
  tile::matrix<T> a;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::transpose_in_place<Primitives>(team, parameters, a);
  }
};

/// A square matrix is transposed in place.
template <class Backend, class T>
struct kernel_for<Backend, tile::matrix<T>> {
  using rows = typename Backend::template in_place_transpose_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::matrix<T>& a) {
    using P = typename Row::primitives;
    static_assert(backends::in_place_transpose_primitives<P, T, typename Backend::member>);
    const typename P::parameters parameters = Row::parameters(a, machine);
    require_scratch(function, Row::name, P::scratch_bytes(), machine.team_scratch);
    const int teams =
        league(function, tile::tiles_in_triangle(tile::tiles_along(a.rows, parameters.size, parameters.skip)));
    note(Row::name, teams);
    Backend::template launch<P>(function, exec, teams, P::scratch_bytes(),
                                in_place_transpose_team<P, T>{parameters, a});
  }
};

template <class Backend, class T>
void run_transpose_in_place(const char* function, const typename Backend::instance& exec, const tile::matrix<T>& a) {
  const auto machine = Backend::machine(exec);
  first_that_serves<Backend>(a, machine).run(function, exec, machine, a);
}

/// True where memory runs along the rows of a matrix: elements beside each other in a row are the nearer ones.
template <class T>
bool runs_along_rows(const tile::matrix<T>& m) {
  return std::abs(m.col_stride) < std::abs(m.row_stride);
}

/// B <- A^T, or A^H.
template <class Exec, class T>
void checked_transpose(const Exec& exec, const tile::matrix<const T>& a, const tile::matrix<T>& b, bool conjugated,
                       sharing memory) {
  const char* const function = conjugated ? "abax::conjugate_transpose" : "abax::transpose";
  require_equal(function, "extent 0 of A", a.rows, "extent 1 of B", b.cols);
  require_equal(function, "extent 1 of A", a.cols, "extent 0 of B", b.rows);
  if (memory == sharing::checked) {
    require_memory(function, "A", footprint_of(a), true);
    require_memory(function, "B", footprint_of(b), true);
    require_injective(function, "B", footprint_of(b));
    require_disjoint(function, "B", footprint_of(b), "A", footprint_of(a));
  }
  if (a.rows == 0 || a.cols == 0) return;
  tile::transpose<T> problem{a, b.transposed(), conjugated};
  if (runs_along_rows(a)) problem = {problem.from.transposed(), problem.to.transposed(), conjugated};
  using backend = backends::backend_for_t<Exec>;
  using immediate = typename backend::template immediate_transposes<T>;
  if (run_immediately<backend>(immediate(), function, exec, problem)) return;
  run_transpose<backend>(function, exec, problem);
}

// Outside the class, and so not inline: only then does `extern template` keep them out of a user's translation unit,
// and the user's floating-point flags out of Abax' kernels.
template <class Exec, class T>
void transpose<Exec, T>::run(const Exec& exec, tile::matrix<const T> a, tile::matrix<T> b, sharing memory) {
  checked_transpose(exec, a, b, false, memory);
}
template <class Exec, class T>
void transpose<Exec, T>::run_conjugated(const Exec& exec, const tile::matrix<const T>& a, const tile::matrix<T>& b,
                                        sharing memory) requires tile::is_complex<T> {
  checked_transpose(exec, a, b, true, memory);
}

/// A <- A^T; `function` is what errors name.
template <class Exec, class T>
void checked_transpose_in_place(const char* function, const Exec& exec, tile::matrix<T> a, sharing memory) {
  require_equal(function, "extent 0 of A", a.rows, "extent 1 of A", a.cols);
  if (memory == sharing::checked) {
    require_memory(function, "A", footprint_of(a), true);
    require_injective(function, "A", footprint_of(a));
  }
  if (a.rows < 2) return;
  if (runs_along_rows(a)) a = a.transposed();
  run_transpose_in_place<backends::backend_for_t<Exec>>(function, exec, a);
}

template <class Exec, class T>
void transpose<Exec, T>::run_in_place_conjugated(const Exec& exec, const tile::matrix<T>& a,
                                                 sharing memory) requires tile::is_complex<T> {
  constexpr const char* function = "abax::conjugate_transpose";
  checked_transpose_in_place(function, exec, a, memory);
  if (a.rows == 0) return;
  const tile::matrix<T> to = runs_along_rows(a) ? a.transposed() : a;
  run_transpose<backends::backend_for_t<Exec>>(function, exec, tile::transpose<T>{to.as_input(), to, true});
}

template <class Exec, class T>
void transpose<Exec, T>::run_in_place(const Exec& exec, tile::matrix<T> a, sharing memory) {
  checked_transpose_in_place("abax::transpose", exec, a, memory);
}

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct transpose<openmp::instance, float>;
extern template struct transpose<openmp::instance, double>;
extern template struct transpose<openmp::instance, tile::complex<float>>;
extern template struct transpose<openmp::instance, tile::complex<double>>;
extern template struct kernel_rows<openmp::backend, tile::transpose<float>>;
extern template struct kernel_rows<openmp::backend, tile::transpose<double>>;
extern template struct kernel_rows<openmp::backend, tile::matrix<float>>;
extern template struct kernel_rows<openmp::backend, tile::matrix<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct kernel_rows<cuda::backend, tile::transpose<float>>;
extern template struct kernel_rows<cuda::backend, tile::transpose<double>>;
extern template struct kernel_rows<cuda::backend, tile::matrix<float>>;
extern template struct kernel_rows<cuda::backend, tile::matrix<double>>;
#endif

}  // namespace abax::launch

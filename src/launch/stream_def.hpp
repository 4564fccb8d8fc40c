// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The streaming kernels: arguments checked, launched.
#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <string>
#include <utility>

#include "abax/detail/backends/backend_for.hpp"
#include "abax/detail/launch/checks.hpp"
#include "abax/detail/launch/rows.hpp"
#include "abax/detail/launch/stream.hpp"
#include "abax/detail/launch/trace.hpp"
#include "abax/detail/launch/transpose_def.hpp"
#include "abax/detail/team/stream.hpp"

namespace abax::launch {

template <class Primitives, class Kernel>
struct stream_team {
  typename Primitives::parameters parameters;
  Kernel kernel;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::stream<Primitives>(team, parameters, kernel);
  }
};

/// tile::combine, tile::combine_matrices, tile::increment, tile::copy.
template <class Kernel>
concept streaming = requires(const Kernel& kernel) {
  kernel.in_place();
};

template <class Backend, streaming Kernel>
struct kernel_for<Backend, Kernel> {
  using rows = typename Backend::template stream_rows<Kernel>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const Kernel& kernel) {
    using P = typename Row::primitives;
    static_assert(backends::stream_primitives<P, Kernel, typename Backend::member>);
    const int teams = league(function, tile::ceil_div<index_t>(kernel.size(), P::run));
    note(Row::name, teams);
    Backend::template launch<P>(function, exec, teams, P::scratch_bytes(),
                                stream_team<P, Kernel>{Row::parameters(kernel, machine), kernel});
  }
};

template <class Backend, class Kernel>
void run_stream(const char* function, const typename Backend::instance& exec, const Kernel& kernel) {
  if (kernel.size() == 0) return;
  const auto machine = Backend::machine(exec);
  first_that_serves<Backend>(kernel, machine).run(function, exec, machine, kernel);
}

/// Throws unless two operands have the same extents, one for vectors.
template <class T, class U>
void require_same_extents(const char* function, const char* left, const tile::matrix<T>& a, const char* right,
                          const tile::matrix<U>& b) {
  if (a.rows == b.rows && a.cols == b.cols) return;
  const auto extent = [vectors = a.cols == 1 && b.cols == 1](const char* which, const char* name) {
    return std::string(vectors ? "the extent" : which) + " of " + name;
  };
  require_equal(function, extent("extent 0", left).c_str(), a.rows, extent("extent 0", right).c_str(), b.rows);
  require_equal(function, extent("extent 1", left).c_str(), a.cols, extent("extent 1", right).c_str(), b.cols);
}

/// True where a matrix runs through memory along its rows, not along its columns.
template <class T>
bool runs_along_rows(const tile::matrix<T>& m) {
  return m.cols != 1 && std::abs(m.col_stride) < std::abs(m.row_stride);
}
/// True where the elements of an operand, column by column, are those of a vector.
template <class T>
bool is_vector(const tile::matrix<T>& m) {
  return m.cols == 1 || m.rows == 1 || m.col_stride == m.rows * m.row_stride;
}
template <class T>
tile::vector<T> vector_of(const tile::matrix<T>& m) {
  return {m.data, m.rows * m.cols, m.rows == 1 ? m.col_stride : m.row_stride};
}

// Outside the class, and so not inline: see launch/gemm_def.hpp.
template <class Exec, class T>
void stream<Exec, T>::combine(const char* function, const Exec& exec, T alpha, const tile::matrix<const T>& x, T beta,
                              const char* y_name, const tile::matrix<const T>& y, const char* z_name,
                              const tile::matrix<T>& z, sharing memory) {
  require_same_extents(function, "x", x, z_name, z);
  require_same_extents(function, y_name, y, z_name, z);
  if (memory == sharing::checked) {
    require_memory(function, "x", footprint_of(x), !tile::is_zero(alpha));
    require_memory(function, y_name, footprint_of(y), !tile::is_zero(beta));
    require_memory(function, z_name, footprint_of(z), true);
    require_injective(function, z_name, footprint_of(z));
    require_same_or_disjoint(function, z_name, footprint_of(z), "x", footprint_of(x));
    require_same_or_disjoint(function, z_name, footprint_of(z), y_name, footprint_of(y));
  }
  if (tile::is_zero(alpha) && tile::is_one(beta) && y.data == z.data) return;  // the output stays untouched
  using backend = backends::backend_for_t<Exec>;
  // Elementwise: any order will do, and z's own is the one in which memory is written.
  const bool turn = runs_along_rows(z);
  const auto read = [&](T factor,
                        const tile::matrix<const T>& m) {  // what is not read may be null, and must lie somewhere
    return tile::is_zero(factor) ? tile::matrix<const T>{z.data, z.rows, z.cols, z.row_stride, z.col_stride} : m;
  };
  const tile::matrix<const T> from_x = read(alpha, x), from_y = read(beta, y);
  const tile::combine_matrices<T> problem{turn ? from_x.transposed() : from_x,
                                          turn ? from_y.transposed() : from_y,
                                          turn ? z.transposed() : z,
                                          {alpha, beta}};
  if (is_vector(problem.x) && is_vector(problem.y) && is_vector(problem.z))
    run_stream<backend>(
        function, exec,
        tile::combine<T>{vector_of(problem.x), vector_of(problem.y), vector_of(problem.z), problem.epilogue});
  else
    run_stream<backend>(function, exec, problem);
}

template <class Exec, class T>
void stream<Exec, T>::increment(const Exec& exec, T value, tile::vector<T> x, sharing memory) {
  constexpr const char* function = "abax::increment";
  if (memory == sharing::checked) {
    require_memory(function, "x", footprint_of(x), true);
    require_injective(function, "x", footprint_of(x));
  }
  run_stream<backends::backend_for_t<Exec>>(function, exec, tile::increment<T>{x, value});
}

template <class Exec, class T>
void stream<Exec, T>::copy(const Exec& exec, const tile::matrix<const T>& x, const tile::matrix<T>& y, sharing memory) {
  constexpr const char* function = "abax::copy";
  require_same_extents(function, "x", x, "y", y);
  if (memory == sharing::checked) {
    require_memory(function, "x", footprint_of(x), true);
    require_memory(function, "y", footprint_of(y), true);
    require_injective(function, "y", footprint_of(y));
    require_disjoint(function, "y", footprint_of(y), "x", footprint_of(x));
  }
  const auto [from, to] = runs_along_rows(y) ? std::pair(x.transposed(), y.transposed()) : std::pair(x, y);
  if (is_vector(from) && is_vector(to))
    run_stream<backends::backend_for_t<Exec>>(function, exec, tile::copy<T>{vector_of(from), vector_of(to)});
  else  // between any two ways of running through memory
    transpose<Exec, T>::run(exec, x.transposed(), y, sharing::trusted);
}

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct stream<openmp::instance, float>;
extern template struct stream<openmp::instance, double>;
extern template struct stream<openmp::instance, tile::complex<float>>;
extern template struct stream<openmp::instance, tile::complex<double>>;
extern template struct kernel_rows<openmp::backend, tile::combine<float>>;
extern template struct kernel_rows<openmp::backend, tile::combine<double>>;
extern template struct kernel_rows<openmp::backend, tile::combine_matrices<float>>;
extern template struct kernel_rows<openmp::backend, tile::combine_matrices<double>>;
extern template struct kernel_rows<openmp::backend, tile::increment<float>>;
extern template struct kernel_rows<openmp::backend, tile::increment<double>>;
extern template struct kernel_rows<openmp::backend, tile::copy<float>>;
extern template struct kernel_rows<openmp::backend, tile::copy<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct kernel_rows<cuda::backend, tile::combine<float>>;
extern template struct kernel_rows<cuda::backend, tile::combine<double>>;
extern template struct kernel_rows<cuda::backend, tile::combine_matrices<float>>;
extern template struct kernel_rows<cuda::backend, tile::combine_matrices<double>>;
extern template struct kernel_rows<cuda::backend, tile::increment<float>>;
extern template struct kernel_rows<cuda::backend, tile::increment<double>>;
extern template struct kernel_rows<cuda::backend, tile::copy<float>>;
extern template struct kernel_rows<cuda::backend, tile::copy<double>>;
#endif

}  // namespace abax::launch

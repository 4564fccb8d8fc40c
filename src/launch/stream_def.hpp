// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The streaming kernels: arguments checked, launched.
#include <Kokkos_Core.hpp>

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
    const typename P::parameters parameters = Row::parameters(kernel, machine);
    const int teams = league(function, tile::ceil_div<index_t>(kernel.size(), P::run(parameters)));
    note(Row::name, teams);
    Backend::template launch<P>(function, exec, teams, P::scratch_bytes(), stream_team<P, Kernel>{parameters, kernel});
  }
};

template <class Backend, class Kernel>
[[gnu::noinline]] void run_stream(const char* function, const typename Backend::instance& exec, const Kernel& kernel) {
  if (kernel.size() == 0) return;
  const auto machine = Backend::machine(exec);
  first_that_serves<Backend>(kernel, machine).run(function, exec, machine, kernel);
}

/// Runs `kernel`: on the calling thread at once where a row serves it so, else as a launch. In line, so that a small
/// kernel's operands stay in registers: whoever takes them by their address gets a copy.
template <class Exec, class Kernel>
[[gnu::always_inline]] inline void run_stream_of_any_size(const char* function, const Exec& exec,
                                                          const Kernel& kernel) {
  using backend = backends::backend_for_t<Exec>;
  using immediate = typename backend::template immediate_streams<Kernel>;
  if (run_immediately<backend>(immediate(), function, exec, kernel)) return;
  run_stream<backend>(function, exec, Kernel(kernel));
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

/// The one column that a matrix has.
template <class T>
tile::vector<T> column_of(const tile::matrix<T>& m) {
  return {m.data, m.rows, m.row_stride};
}

/// What z <- alpha x + beta y is to be, of vectors or of matrices, and what errors call its operands.
template <class T, template <class> class Operand>
struct combination {
  const char* function;
  tile::epilogue<T> epilogue;
  Operand<const T> x;
  const char* y_name;
  Operand<const T> y;
  const char* z_name;
  Operand<T> z;

  [[gnu::always_inline]] void check(sharing memory) const {
    const footprint in_x = footprint_of(x), in_y = footprint_of(y), out = footprint_of(z);
    require_same_extents(function, "x", in_x, z_name, out);
    require_same_extents(function, y_name, in_y, z_name, out);
    if (memory == sharing::trusted) return;
    require_memory(function, "x", in_x, !tile::is_zero(epilogue.alpha));
    require_memory(function, y_name, in_y, !tile::is_zero(epilogue.beta));
    require_memory(function, z_name, out, true);
    require_injective(function, z_name, out);
    require_same_or_disjoint(function, z_name, out, "x", in_x);
    require_same_or_disjoint(function, z_name, out, y_name, in_y);
  }
  bool leaves_output() const {
    return tile::is_zero(epilogue.alpha) && tile::is_one(epilogue.beta) && y.data == z.data;
  }
  /// An input that is not read may be null, and must lie somewhere: where z does.
  Operand<const T> read_x() const { return tile::is_zero(epilogue.alpha) ? z.as_input() : x; }
  Operand<const T> read_y() const { return tile::is_zero(epilogue.beta) ? z.as_input() : y; }
};

/// Of vectors all that is asked is asked in line; matrices, which want all registers, are a function apart.
template <class Exec, class T>
[[gnu::always_inline]] inline void combine_as_asked(const Exec& exec, const combination<T, tile::vector>& asked,
                                                    sharing memory) {
  asked.check(memory);
  if (asked.leaves_output()) return;
  run_stream_of_any_size(asked.function, exec,
                         tile::combine<T>{asked.read_x(), asked.read_y(), asked.z, asked.epilogue});
}
template <class Exec, class T>
[[gnu::noinline]] void combine_as_asked(const Exec& exec, const combination<T, tile::matrix>& asked, sharing memory) {
  asked.check(memory);
  if (asked.leaves_output()) return;
  // Elementwise: any order will do, and z's own is the one in which memory is written.
  const bool turn = runs_along_rows(asked.z);
  const tile::matrix<const T> from_x = asked.read_x(), from_y = asked.read_y();
  const tile::combine_matrices<T> problem{turn ? from_x.transposed() : from_x, turn ? from_y.transposed() : from_y,
                                          turn ? asked.z.transposed() : asked.z, asked.epilogue};
  if (is_vector(problem.x) && is_vector(problem.y) && is_vector(problem.z))
    run_stream_of_any_size(
        asked.function, exec,
        tile::combine<T>{vector_of(problem.x), vector_of(problem.y), vector_of(problem.z), problem.epilogue});
  else
    run_stream_of_any_size(asked.function, exec, problem);
}

// Outside the class, and so not inline: see launch/gemm_def.hpp.
template <class Exec, class T>
void stream<Exec, T>::combine(const char* function, const Exec& exec, T alpha, const tile::matrix<const T>& x, T beta,
                              const char* y_name, const tile::matrix<const T>& y, const char* z_name,
                              const tile::matrix<T>& z, sharing memory) {
  if (x.cols == 1 && y.cols == 1 && z.cols == 1)
    return combine_as_asked(
        exec,
        combination<T, tile::vector>{function, {alpha, beta}, column_of(x), y_name, column_of(y), z_name, column_of(z)},
        memory);
  combine_as_asked(exec, combination<T, tile::matrix>{function, {alpha, beta}, x, y_name, y, z_name, z}, memory);
}

template <class Exec, class T>
void stream<Exec, T>::increment(const Exec& exec, T value, tile::vector<T> x, sharing memory) {
  constexpr const char* function = "abax::increment";
  if (memory == sharing::checked) {
    require_memory(function, "x", footprint_of(x), true);
    require_injective(function, "x", footprint_of(x));
  }
  run_stream_of_any_size(function, exec, tile::increment<T>{x, value});
}

/// In line for vectors, and once in copy_matrix.
template <class T, template <class> class Operand>
[[gnu::always_inline]] inline void check_copy(const char* function, const Operand<const T>& x, const Operand<T>& y,
                                              sharing memory) {
  const footprint in = footprint_of(x), out = footprint_of(y);
  require_same_extents(function, "x", in, "y", out);
  if (memory == sharing::trusted) return;
  require_memory(function, "x", in, true);
  require_memory(function, "y", out, true);
  require_injective(function, "y", out);
  require_disjoint(function, "y", out, "x", in);
}
template <class Exec, class T>
[[gnu::noinline]] void copy_matrix(const char* function, const Exec& exec, const tile::matrix<const T>& x,
                                   const tile::matrix<T>& y, sharing memory) {
  check_copy<T>(function, x, y, memory);
  const bool turn = runs_along_rows(y);
  const tile::matrix<const T> from = turn ? x.transposed() : x;
  const tile::matrix<T> to = turn ? y.transposed() : y;
  if (is_vector(from) && is_vector(to))
    run_stream_of_any_size(function, exec, tile::copy<T>{vector_of(from), vector_of(to)});
  else  // between any two ways of running through memory
    transpose<Exec, T>::run(exec, x.transposed(), y, sharing::trusted);
}

template <class Exec, class T>
void stream<Exec, T>::copy(const Exec& exec, const tile::matrix<const T>& x, const tile::matrix<T>& y, sharing memory) {
  constexpr const char* function = "abax::copy";
  if (x.cols != 1 || y.cols != 1) return copy_matrix(function, exec, x, y, memory);
  const tile::vector<const T> from = column_of(x);
  const tile::vector<T> to = column_of(y);
  check_copy<T>(function, from, to, memory);
  run_stream_of_any_size(function, exec, tile::copy<T>{from, to});
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

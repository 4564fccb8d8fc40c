// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The streaming kernels: arguments checked, launched.
#include <Kokkos_Core.hpp>
#include <string>

#include "abax/detail/backends/backend_for.hpp"
#include "abax/detail/launch/checks.hpp"
#include "abax/detail/launch/rows.hpp"
#include "abax/detail/launch/trace.hpp"
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

/// tile::combine, tile::increment, tile::copy.
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

template <class Exec, class T>
struct stream {
  /// z <- alpha x + beta y; `y_name` and `z_name` are the function's own names for them.
  static void combine(const char* function, const Exec& exec, T alpha, tile::vector<const T> x, T beta,
                      const char* y_name, tile::vector<const T> y, const char* z_name, tile::vector<T> z,
                      sharing memory = sharing::checked);
  static void increment(const Exec& exec, T value, tile::vector<T> x, sharing memory = sharing::checked);
  static void copy(const Exec& exec, tile::vector<const T> x, tile::vector<T> y, sharing memory = sharing::checked);
};

// Outside the class, and so not inline: see launch/gemm.hpp.
template <class Exec, class T>
void stream<Exec, T>::combine(const char* function, const Exec& exec, T alpha, tile::vector<const T> x, T beta,
                              const char* y_name, tile::vector<const T> y, const char* z_name, tile::vector<T> z,
                              sharing memory) {
  const std::string extent = "the extent of ";
  require_equal(function, "the extent of x", x.size, (extent + z_name).c_str(), z.size);
  require_equal(function, (extent + y_name).c_str(), y.size, (extent + z_name).c_str(), z.size);
  if (memory == sharing::checked) {
    require_injective(function, z_name, footprint_of(z));
    require_same_or_disjoint(function, z_name, footprint_of(z), "x", footprint_of(x));
    require_same_or_disjoint(function, z_name, footprint_of(z), y_name, footprint_of(y));
  }
  if (tile::is_zero(alpha) && tile::is_one(beta) && y.data == z.data) return;  // the output stays untouched
  run_stream<backends::backend_for_t<Exec>>(function, exec, tile::combine<T>{x, y, z, {alpha, beta}});
}

template <class Exec, class T>
void stream<Exec, T>::increment(const Exec& exec, T value, tile::vector<T> x, sharing memory) {
  if (memory == sharing::checked) require_injective("abax::increment", "x", footprint_of(x));
  run_stream<backends::backend_for_t<Exec>>("abax::increment", exec, tile::increment<T>{x, value});
}

template <class Exec, class T>
void stream<Exec, T>::copy(const Exec& exec, tile::vector<const T> x, tile::vector<T> y, sharing memory) {
  require_equal("abax::copy", "the extent of x", x.size, "the extent of y", y.size);
  if (memory == sharing::checked) {
    require_injective("abax::copy", "y", footprint_of(y));
    require_disjoint("abax::copy", "y", footprint_of(y), "x", footprint_of(x));
  }
  run_stream<backends::backend_for_t<Exec>>("abax::copy", exec, tile::copy<T>{x, y});
}

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct stream<Kokkos::OpenMP, float>;
extern template struct stream<openmp::instance, float>;
extern template struct stream<Kokkos::OpenMP, double>;
extern template struct stream<openmp::instance, double>;
extern template struct kernel_rows<openmp::backend, tile::combine<float>>;
extern template struct kernel_rows<openmp::backend, tile::combine<double>>;
extern template struct kernel_rows<openmp::backend, tile::increment<float>>;
extern template struct kernel_rows<openmp::backend, tile::increment<double>>;
extern template struct kernel_rows<openmp::backend, tile::copy<float>>;
extern template struct kernel_rows<openmp::backend, tile::copy<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct stream<Kokkos::Cuda, float>;
extern template struct stream<Kokkos::Cuda, double>;
extern template struct kernel_rows<cuda::backend, tile::combine<float>>;
extern template struct kernel_rows<cuda::backend, tile::combine<double>>;
extern template struct kernel_rows<cuda::backend, tile::increment<float>>;
extern template struct kernel_rows<cuda::backend, tile::increment<double>>;
extern template struct kernel_rows<cuda::backend, tile::copy<float>>;
extern template struct kernel_rows<cuda::backend, tile::copy<double>>;
#endif

}  // namespace abax::launch

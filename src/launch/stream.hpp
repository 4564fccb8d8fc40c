// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The streaming kernels, as the library has them for common spaces and types: what stream_def.hpp defines.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/complex_value.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax::launch {

/// Vectors are matrices of one column.
template <class Exec, class T>
struct stream {
  /// z <- alpha x + beta y; `y_name` and `z_name` are the function's own names for them.
  static void combine(const char* function, const Exec& exec, T alpha, const tile::matrix<const T>& x, T beta,
                      const char* y_name, const tile::matrix<const T>& y, const char* z_name, const tile::matrix<T>& z,
                      sharing memory = sharing::checked);
  static void increment(const Exec& exec, T value, tile::vector<T> x, sharing memory = sharing::checked);
  static void copy(const Exec& exec, const tile::matrix<const T>& x, const tile::matrix<T>& y,
                   sharing memory = sharing::checked);
};

extern template struct stream<Kokkos::DefaultHostExecutionSpace, float>;
extern template struct stream<Kokkos::DefaultHostExecutionSpace, double>;
extern template struct stream<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
extern template struct stream<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct stream<Kokkos::Cuda, float>;
extern template struct stream<Kokkos::Cuda, double>;
extern template struct stream<Kokkos::Cuda, tile::complex<float>>;
extern template struct stream<Kokkos::Cuda, tile::complex<double>>;
#endif

}  // namespace abax::launch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// dot, as the library has it for common spaces and types: what dot_def.hpp defines.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax::launch {

template <class Exec, class T>
struct dot {
  static void run(const Exec& exec, tile::vector<const T> x, tile::vector<const T> y, T* result,
                  sharing memory = sharing::checked);
};

/// The sum itself: waits for `exec`.
template <class Exec, class T>
T dot_value(const Exec& exec, tile::vector<const T> x, tile::vector<const T> y);

extern template struct dot<Kokkos::DefaultHostExecutionSpace, float>;
extern template float dot_value(const Kokkos::DefaultHostExecutionSpace&, tile::vector<const float>,
                                tile::vector<const float>);
extern template struct dot<Kokkos::DefaultHostExecutionSpace, double>;
extern template double dot_value(const Kokkos::DefaultHostExecutionSpace&, tile::vector<const double>,
                                 tile::vector<const double>);
#ifdef KOKKOS_ENABLE_CUDA
extern template struct dot<Kokkos::Cuda, float>;
extern template float dot_value(const Kokkos::Cuda&, tile::vector<const float>, tile::vector<const float>);
extern template struct dot<Kokkos::Cuda, double>;
extern template double dot_value(const Kokkos::Cuda&, tile::vector<const double>, tile::vector<const double>);
#endif

}  // namespace abax::launch

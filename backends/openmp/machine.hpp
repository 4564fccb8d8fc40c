// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the OpenMP backend's choices depend on.
#include "abax/detail/backends/backend.hpp"
#include "abax/detail/backends/openmp/kernels.hpp"

namespace abax::openmp {

/// For the largest tile of a row: two buffers of its outputs, and the panels (tests/plans.cpp).
inline constexpr std::size_t most_team_scratch = std::size_t(48) << 20;

/// Cores, and the loops of their instruction set.
class machine : public backends::machine {
 public:
  machine(int cores, const kernel_set<float>& floats, const kernel_set<double>& doubles)
      : backends::machine{cores, most_team_scratch}, floats_(&floats), doubles_(&doubles) {
    outputs_of_blocks = most_outputs_of_blocks;
  }

  /// Those of complex values are always the chosen ones of this CPU.
  template <class T>
  const kernel_set<T>& loops() const {
    if constexpr (tile::is_complex<T>)
      return kernels<T>();
    else if constexpr (std::is_same_v<T, float>)
      return *floats_;
    else
      return *doubles_;
  }

 private:
  const kernel_set<float>* floats_;
  const kernel_set<double>* doubles_;
};

}  // namespace abax::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Whether kernels on an execution space see the Views they capture as the host wrote them, as the library has it for
/// common spaces: what probe_def.hpp defines.
#include <Kokkos_Core.hpp>
#include <string>

namespace abax::launch {

/// Runs a kernel for each of several kinds of Views: of rank 0 to 2, of each layout, with extents known to the
/// compiler, constant, unmanaged, a part of another.
template <class Exec>
struct probe {
  /// Nothing, or a sentence that says what is wrong. Waits for `exec`.
  static std::string fault(const Exec& exec);

  static constexpr int rows = 3, cols = 5, elements = rows * cols;
  using memory = typename Exec::memory_space;
  /// The same for one View of `values`, which has `elements` elements and is overwritten; `kind` is what to call it.
  template <class View>
  static std::string fault_of(const Exec& exec, const char* kind, const View& view,
                              const Kokkos::View<double*, memory>& values);
};

extern template struct probe<Kokkos::DefaultHostExecutionSpace>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct probe<Kokkos::Cuda>;
#endif

}  // namespace abax::launch

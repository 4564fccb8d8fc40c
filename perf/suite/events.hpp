// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The time between two points of a GPU's queue, by its own clock.
#include <Kokkos_Core.hpp>
#include <limits>
#include <stdexcept>

namespace abax::perf {

/// A GPU's own clock, where it has one.
template <class Exec>
struct events {
  static constexpr bool exist = false;
  void begin(const Exec&) {}
  void end(const Exec&) {}
  double seconds() const { return std::numeric_limits<double>::quiet_NaN(); }
};
#if defined(KOKKOS_ENABLE_CUDA)
template <>
class events<Kokkos::Cuda> {
 public:
  static constexpr bool exist = true;
  events() {
    for (cudaEvent_t* e : {&begin_, &end_})
      if (cudaEventCreate(e) != cudaSuccess) throw std::runtime_error("no CUDA event could be created");
  }
  ~events() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  events(const events&) = delete;
  events& operator=(const events&) = delete;

  void begin(const Kokkos::Cuda& exec) { cudaEventRecord(begin_, exec.cuda_stream()); }
  void end(const Kokkos::Cuda& exec) { cudaEventRecord(end_, exec.cuda_stream()); }
  double seconds() const {
    float milliseconds = 0;
    return cudaEventElapsedTime(&milliseconds, begin_, end_) == cudaSuccess ? 1e-3 * milliseconds
                                                                            : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  cudaEvent_t begin_{}, end_{};
};
#endif

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Device memory for the length of one call, in stream order: no fence, no allocation the user would wait for.
#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <mutex>

#include "backends/cuda/launch.hpp"
#include "tile/matrix.hpp"

namespace abax::cuda {

/// The pool of a device, made at its first use. It keeps some of what is freed: the default pool gives memory back to
/// the system at every synchronisation, and taking it again costs more than a small kernel.
inline cudaMemPool_t memory_pool(int device) {
  static std::mutex mutex;
  static std::array<cudaMemPool_t, 64> pools = {};
  const std::lock_guard lock(mutex);
  cudaMemPool_t& pool = pools.at(device);
  if (pool == nullptr) {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, device};
    check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
    std::uint64_t keep = std::uint64_t(256) << 20;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
  }
  return pool;
}

/// Block sums and arrival counters (zero at the start); usable by what is launched on `exec` during its lifetime.
class workspace {
 public:
  workspace(const Kokkos::Cuda& exec, std::size_t bytes, index_t counters)
      : exec_(exec), sums_bytes_((bytes + 127) / 128 * 128) {
    const device_of current(exec);
    const std::size_t arrival_bytes = sizeof(unsigned) * counters;
    check(cudaMallocFromPoolAsync(&memory_, sums_bytes_ + arrival_bytes, memory_pool(exec.cuda_device()),
                                  exec.cuda_stream()),
          "cudaMallocFromPoolAsync");
    const cudaError_t status = cudaMemsetAsync(arrivals(), 0, arrival_bytes, exec.cuda_stream());
    if (status != cudaSuccess) release();
    check(status, "cudaMemsetAsync");
  }
  ~workspace() {
    const device_of current(exec_);
    release();
  }
  workspace(const workspace&) = delete;

  void* sums() const { return memory_; }
  unsigned* arrivals() const { return reinterpret_cast<unsigned*>(static_cast<char*>(memory_) + sums_bytes_); }

 private:
  void release() { static_cast<void>(cudaFreeAsync(memory_, exec_.cuda_stream())); }

  Kokkos::Cuda exec_;
  std::size_t sums_bytes_;
  void* memory_ = nullptr;
};

}  // namespace abax::cuda

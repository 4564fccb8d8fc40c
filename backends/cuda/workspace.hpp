// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Device memory for the length of one call, in stream order: no fence, no allocation the user would wait for.
#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>

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

/// Arrival counters that are zero between launches: those who count set them back. One array to a stream, whose launches
/// follow one another; it lives as long as the program, since nobody says when the last launch is over.
class stream_counters {
 public:
  /// `count` counters for launches on `exec`; none while its stream is captured, where nothing lasting can be made.
  static unsigned* of(const Kokkos::Cuda& exec, index_t count) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(exec.cuda_stream(), &capture), "cudaStreamIsCapturing");
    if (capture != cudaStreamCaptureStatusNone) return nullptr;
    unsigned long long stream = 0;
    check(cudaStreamGetId(exec.cuda_stream(), &stream), "cudaStreamGetId");
    static std::mutex mutex;
    static std::unordered_map<unsigned long long, stream_counters> all;
    const std::lock_guard lock(mutex);
    stream_counters& mine = all[stream];
    if (mine.count_ < count) mine.grow(exec, count);
    return mine.counters_;
  }

 private:
  // The old array stays: another thread may be about to launch with it. All of them together are less than the last.
  void grow(const Kokkos::Cuda& exec, index_t count) {
    count = tile::max<index_t>(count, tile::max<index_t>(4096, 2 * count_));
    void* memory = nullptr;
    check(
        cudaMallocFromPoolAsync(&memory, sizeof(unsigned) * count, memory_pool(exec.cuda_device()), exec.cuda_stream()),
        "cudaMallocFromPoolAsync");
    check(cudaMemsetAsync(memory, 0, sizeof(unsigned) * count, exec.cuda_stream()), "cudaMemsetAsync");
    counters_ = static_cast<unsigned*>(memory);
    count_ = count;
  }

  unsigned* counters_ = nullptr;
  index_t count_ = 0;
};

/// Block sums and arrival counters (zero at the start); usable by what is launched on `exec` during its lifetime, which
/// leaves the counters at zero.
class workspace {
 public:
  workspace(const Kokkos::Cuda& exec, std::size_t bytes, index_t counters)
      : exec_(exec), sums_bytes_((bytes + 127) / 128 * 128) {
    const device_of current(exec);
    arrivals_ = stream_counters::of(exec, counters);
    const std::size_t own_bytes = arrivals_ == nullptr ? sizeof(unsigned) * counters : 0;
    check(
        cudaMallocFromPoolAsync(&memory_, sums_bytes_ + own_bytes, memory_pool(exec.cuda_device()), exec.cuda_stream()),
        "cudaMallocFromPoolAsync");
    if (arrivals_ != nullptr) return;
    arrivals_ = reinterpret_cast<unsigned*>(static_cast<char*>(memory_) + sums_bytes_);
    const cudaError_t status = cudaMemsetAsync(arrivals_, 0, own_bytes, exec.cuda_stream());
    if (status != cudaSuccess) release();
    check(status, "cudaMemsetAsync");
  }
  ~workspace() {
    const device_of current(exec_);
    release();
  }
  workspace(const workspace&) = delete;

  void* sums() const { return memory_; }
  unsigned* arrivals() const { return arrivals_; }

 private:
  void release() { static_cast<void>(cudaFreeAsync(memory_, exec_.cuda_stream())); }

  Kokkos::Cuda exec_;
  std::size_t sums_bytes_;
  void* memory_ = nullptr;
  unsigned* arrivals_ = nullptr;
};

}  // namespace abax::cuda

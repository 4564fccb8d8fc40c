// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Device memory for the length of one call, in stream order: no fence, no allocation the user would wait for.
#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "abax/detail/backends/cuda/launch.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax::cuda {

/// Kept from the first call that needs it to Kokkos::finalize: a pool for each device, and arrival counters for
/// streams. Nothing here has a destructor, since finalize may be called when such variables are gone.
class kept_memory {
 public:
  /// Counters of a stream, and streams that have some. Those that come later pay for clearing counters at each call:
  /// nobody says when a stream's last launch is over, so nothing can be taken from one for another.
  static constexpr index_t counters = 4096;
  static constexpr std::size_t most_streams = 64;

  /// The pool of a device. It keeps some of what is freed: the default pool gives memory back to the system at every
  /// synchronisation, and taking it again costs more than a small kernel.
  static cudaMemPool_t pool(int device) {
    kept_memory& all = instance();
    const std::lock_guard lock(all.mutex_);
    return all.pool_of(device);
  }
  /// From now on the device's pool keeps so many bytes, if that is more than before.
  static void keep(int device, std::uint64_t bytes) {
    kept_memory& all = instance();
    const std::lock_guard lock(all.mutex_);
    const cudaMemPool_t pool = all.pool_of(device);
    std::uint64_t kept = 0;
    cudaError_t status = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    if (status == cudaSuccess && kept < bytes)
      status = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes);
    if (status != cudaSuccess) static_cast<void>(cudaGetLastError());  // the next call is slower, and nothing else
  }

  /// `count` counters that are zero between the launches of exec's stream, which follow one another: those who count
  /// set them back. Null where the stream has none: it is captured, `count` is too large, or there are too many
  /// streams.
  static unsigned* counters_of(const Kokkos::Cuda& exec, index_t count) {
    if (count > counters) return nullptr;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(exec.cuda_stream(), &capture), "cudaStreamIsCapturing");
    if (capture != cudaStreamCaptureStatusNone) return nullptr;  // nothing lasting can be made
    unsigned long long stream = 0;
    check(cudaStreamGetId(exec.cuda_stream(), &stream), "cudaStreamGetId");
    kept_memory& all = instance();
    const std::lock_guard lock(all.mutex_);
    for (std::size_t s = 0; s < all.streams_; ++s)
      if (all.of_stream_[s].id == stream && all.of_stream_[s].device == exec.cuda_device())
        return all.of_stream_[s].counters;
    if (all.streams_ == most_streams) return nullptr;
    void* memory = nullptr;
    constexpr std::size_t bytes = sizeof(unsigned) * counters;
    check(cudaMallocFromPoolAsync(&memory, bytes, all.pool_of(exec.cuda_device()), exec.cuda_stream()),
          "cudaMallocFromPoolAsync");
    const cudaError_t status = cudaMemsetAsync(memory, 0, bytes, exec.cuda_stream());
    if (status != cudaSuccess) static_cast<void>(cudaFreeAsync(memory, exec.cuda_stream()));
    check(status, "cudaMemsetAsync");
    all.of_stream_[all.streams_++] = {stream, exec.cuda_device(), static_cast<unsigned*>(memory)};
    return static_cast<unsigned*>(memory);
  }

 private:
  static kept_memory& instance() {
    static kept_memory all;
    return all;
  }

  cudaMemPool_t pool_of(int device) {
    cudaMemPool_t& kept = pools_.at(device);
    if (kept == nullptr) {
      if (!hooked_) Kokkos::push_finalize_hook([] { instance().release(); });
      hooked_ = true;
      cudaMemPool_t pool = nullptr;
      cudaMemPoolProps properties = {};
      properties.allocType = cudaMemAllocationTypePinned;
      properties.location = {cudaMemLocationTypeDevice, device};
      check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
      std::uint64_t keep = std::uint64_t(256) << 20;
      const cudaError_t status = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
      if (status != cudaSuccess) static_cast<void>(cudaMemPoolDestroy(pool));
      check(status, "cudaMemPoolSetAttribute");
      kept = pool;
    }
    return kept;
  }

  /// What is launched before Kokkos::finalize may still run. Errors tell of a driver that is gone already.
  void release() {
    int before = 0;
    static_cast<void>(cudaGetDevice(&before));
    for (std::size_t device = 0; device < pools_.size(); ++device) {
      if (pools_[device] == nullptr || cudaSetDevice(static_cast<int>(device)) != cudaSuccess) continue;
      static_cast<void>(cudaDeviceSynchronize());
      for (std::size_t s = 0; s < streams_; ++s)
        if (of_stream_[s].device == static_cast<int>(device)) static_cast<void>(cudaFree(of_stream_[s].counters));
      static_cast<void>(cudaMemPoolDestroy(pools_[device]));
      pools_[device] = nullptr;
    }
    streams_ = 0;
    static_cast<void>(cudaSetDevice(before));
  }

  struct stream_counters {
    unsigned long long id;
    int device;
    unsigned* counters;
  };
  std::mutex mutex_;
  std::array<cudaMemPool_t, 64> pools_ = {};
  std::array<stream_counters, most_streams> of_stream_ = {};
  std::size_t streams_ = 0;
  bool hooked_ = false;
};

/// Block sums and arrival counters (zero at the start); usable by what is launched on `exec` during its lifetime, which
/// leaves the counters at zero.
class workspace {
 public:
  workspace(const Kokkos::Cuda& exec, std::size_t bytes, index_t counters)
      : exec_(exec), sums_bytes_((bytes + 127) / 128 * 128) {
    const device_of current(exec);
    arrivals_ = kept_memory::counters_of(exec, counters);
    const std::size_t own_bytes = arrivals_ == nullptr ? sizeof(unsigned) * counters : 0;
    check(cudaMallocFromPoolAsync(&memory_, sums_bytes_ + own_bytes, kept_memory::pool(exec.cuda_device()),
                                  exec.cuda_stream()),
          "cudaMallocFromPoolAsync");
    if (own_bytes == 0) return;
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

/// The memory of a product by way of integers, which the device's pool keeps for the next one, and an eighth more, for
/// what lies between pieces of memory: taking gigabytes from the system costs more than the product. A graph's memory
/// is the graph's.
class integer_workspace : public workspace {
 public:
  integer_workspace(const Kokkos::Cuda& exec, std::size_t bytes, index_t counters) : workspace(exec, bytes, counters) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(exec.cuda_stream(), &status), "cudaStreamIsCapturing");
    if (status == cudaStreamCaptureStatusNone && bytes <= preferred(exec))
      kept_memory::keep(exec.cuda_device(), bytes + bytes / 8);
  }
  /// What a product should do with where it costs little.
  static std::size_t preferred(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().totalGlobalMem / 16; }
};

}  // namespace abax::cuda

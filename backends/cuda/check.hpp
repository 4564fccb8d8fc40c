// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA runtime without Kokkos: what a call that fails becomes, and whose device it is about.
#include <cuda_runtime_api.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace abax::cuda {

inline void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // it is reported here, not by whoever asks next
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  throw std::runtime_error(std::string("abax: ") + call + ": " + cudaGetErrorString(status));
}

inline bool device_is_visible() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices > 0;
  static_cast<void>(cudaGetLastError());
  return false;
}

/// Makes a device the current one for a scope, as Kokkos does around its own launches.
class current_device {
 public:
  explicit current_device(int device) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    changed_ = before_ != device;
    if (changed_) check(cudaSetDevice(device), "cudaSetDevice");
  }
  ~current_device() {
    if (changed_) static_cast<void>(cudaSetDevice(before_));
  }
  current_device(const current_device&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// False in a child of a process that has used the device.
inline bool device_answers(int device) {
  try {
    const current_device current(device);
    check(cudaFree(nullptr), "cudaFree");
    return true;
  } catch (const std::exception&) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
}

}  // namespace abax::cuda

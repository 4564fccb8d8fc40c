// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tuned kernels share on the device: asynchronous copies, accesses of 16 bytes, the hand-over between blocks.
#pragma once

#include <cuda_runtime.h>

namespace abax::handwritten {

constexpr int canon_block = 2048;  // docs/canon.md

/// 16 bytes of a matrix, moved as one.
template <class T>
struct alignas(16) chunk {
  static constexpr int wide = 16 / sizeof(T);
  T element[wide];
};

/// Starts copying `Bytes` (4, 8 or 16, both addresses aligned to them) from global to shared memory.
template <int Bytes>
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(global) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n" ::"r"(to), "l"(global), "n"(Bytes) : "memory");
}

/// The same, if `go`: by a predicate, so that copies can be issued amid arithmetic.
template <int Bytes>
__device__ __forceinline__ void copy_async_if(bool go, void* shared, const void* global) {
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const int yes = go;
  if constexpr (Bytes == 16)
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16; }\n" ::"r"(to),
                 "l"(global), "r"(yes)
                 : "memory");
  else
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], %3; }\n" ::"r"(to),
                 "l"(global), "r"(yes), "n"(Bytes)
                 : "memory");
}

/// Closes the thread's group of copies; wait_copies<N> waits until at most its N newest groups are in flight.
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int Pending>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(Pending) : "memory");
}

/// The canon's one NaN in the place of any other.
__device__ __forceinline__ float one_nan(float x) { return x != x ? __int_as_float(0x7FC00000) : x; }
__device__ __forceinline__ double one_nan(double x) { return x != x ? __longlong_as_double(0x7FF8000000000000) : x; }

/// True in all threads of the one block that calls last of `expected`: it sees what the others wrote before they
/// called, and has set the counter back to zero.
__device__ __forceinline__ bool last_arrival(unsigned* counter, unsigned expected) {
  __shared__ unsigned before;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    before = atomicAdd(counter, 1u);
    __threadfence();
    if (before + 1 == expected) *counter = 0;
  }
  __syncthreads();
  return before + 1 == expected;
}

}  // namespace abax::handwritten

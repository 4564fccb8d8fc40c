// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels limited by the L1 cache or by scratch, under requests for how the two share their memory; threads and
// elements of unlike number.
#include <cuda_runtime.h>

#include "handwritten/check.hpp"
#include "handwritten/grid.hpp"
#include "handwritten/lab/ladders.hpp"

namespace abax::handwritten::lab {
namespace {

constexpr int readers = 1024;

__global__ void __launch_bounds__(readers, 1)
    read_again_kernel(int chunks, int rounds, const uint4* __restrict__ x, unsigned* __restrict__ sums) {
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round)
    for (int c = static_cast<int>(threadIdx.x); c < chunks; c += readers) {
      uint4 v;
      asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "l"(x + c));
      sum += v.x + v.y + v.z + v.w;
    }
  atomicAdd(sums + blockIdx.x, sum);
}

constexpr int holders = 128;

__global__ void __launch_bounds__(holders)
    hold_scratch_kernel(int steps, const unsigned* __restrict__ next, unsigned* __restrict__ last, unsigned* held,
                        unsigned* most) {
  __shared__ unsigned hop[held_words];
  __shared__ unsigned processor;
  if (threadIdx.x == 0) {
    asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
    atomicMax(most, atomicAdd(held + processor, 1u) + 1);
  }
  for (int i = static_cast<int>(threadIdx.x); i < held_words; i += holders) hop[i] = next[i];
  __syncthreads();
  unsigned at = threadIdx.x;
  for (int s = 0; s < steps; ++s) at = hop[at];
  __syncthreads();
  if (threadIdx.x == 0) {
    last[blockIdx.x] = at;
    atomicSub(held + processor, 1u);
  } else if (at >= held_words) {
    last[blockIdx.x] = at;  // never: so that all threads' chains count
  }
}

constexpr int block_size = 256;

__global__ void __launch_bounds__(block_size) number_elements_kernel(std::int64_t n, float* x) {
  const std::int64_t all = static_cast<std::int64_t>(gridDim.x) * block_size;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x; i < n; i += all)
    x[i] = static_cast<float>(i);
}

template <class... Arguments>
void ask(void (*kernel)(Arguments...), const cache_request& asked) {
  const auto* const function = reinterpret_cast<const void*>(kernel);
  const bool by_config = asked.carveout == -2;
  check(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, by_config ? -1 : asked.carveout),
        "cudaFuncSetAttribute");
  check(
      cudaFuncSetCacheConfig(function, by_config ? static_cast<cudaFuncCache>(asked.config) : cudaFuncCachePreferNone),
      "cudaFuncSetCacheConfig");
}

}  // namespace

void read_again(const cache_request& asked, int blocks, std::size_t bytes, int rounds, const unsigned* x,
                unsigned* sums, cudaStream_t stream) {
  if (bytes % (readers * sizeof(uint4)) != 0)
    refuse("read_again", "bytes", static_cast<std::int64_t>(bytes), "a multiple of 16 KB");
  ask(read_again_kernel, asked);
  read_again_kernel<<<blocks, readers, 0, stream>>>(static_cast<int>(bytes / sizeof(uint4)), rounds,
                                                    reinterpret_cast<const uint4*>(x), sums);
  check(cudaGetLastError(), "launch of read_again");
}

void hold_scratch(const cache_request& asked, int blocks, int steps, const unsigned* next, unsigned* last,
                  unsigned* held, unsigned* most, cudaStream_t stream) {
  ask(hold_scratch_kernel, asked);
  hold_scratch_kernel<<<blocks, holders, 0, stream>>>(steps, next, last, held, most);
  check(cudaGetLastError(), "launch of hold_scratch");
}

int banks_of_eight_bytes(const char** error) {
  *error = nullptr;
#if CUDART_VERSION < 14000  // where it is still declared, though deprecated
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diag_suppress 1444, 1215
  const cudaError_t asked = cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
  cudaSharedMemConfig set = cudaSharedMemBankSizeDefault;
  const cudaError_t answered = cudaDeviceGetSharedMemConfig(&set);
#pragma nv_diag_default 1444, 1215
#pragma GCC diagnostic pop
  cudaGetLastError();  // a refusal is an answer here
  if (asked != cudaSuccess) *error = cudaGetErrorString(asked);
  if (answered != cudaSuccess) *error = cudaGetErrorString(answered);
  return set == cudaSharedMemBankSizeEightByte ? 8 : set == cudaSharedMemBankSizeFourByte ? 4 : 0;
#else
  *error = "this runtime has no such call any more";
  return 0;
#endif
}

void number_elements(std::int64_t n, int blocks, float* x, cudaStream_t stream) {
  expect_extent("number_elements", "n", n);
  if (blocks < 1) refuse("number_elements", "blocks", blocks, "1 or more");
  number_elements_kernel<<<blocks, block_size, 0, stream>>>(n, x);
  check(cudaGetLastError(), "launch of number_elements");
}

}  // namespace abax::handwritten::lab

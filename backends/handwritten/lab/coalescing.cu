// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads of global memory by whole warps: which bytes a warp asks for decides how many sectors and lines are moved.
#include <cstdint>

#include "../check.hpp"
#include "../lab.hpp"

namespace abax::handwritten::lab {
namespace {

/// The word that thread `lane` of block `block` reads, or -1 for none.
__device__ __forceinline__ int word_of(warp_reads pattern, int block, int lane) {
  switch (pattern) {
    case warp_reads::permuted:
      return (5 * lane + 3) % 32;
    case warp_reads::one_word:
      return 7;
    case warp_reads::shifted:
      return 24 + lane;
    case warp_reads::two_blocks:
      return block == 0 ? 24 + lane : lane < 24 ? lane : -1;
    case warp_reads::pieces:
      return lane / 8 * 32 + (lane / 8 == 3 ? 24 : 0) + lane % 8;
  }
  return -1;
}

__global__ void warp_reads_kernel(warp_reads pattern, const std::int32_t* __restrict__ a,
                                  std::int32_t* __restrict__ x) {
  const int lane = threadIdx.x, word = word_of(pattern, blockIdx.x, lane);
  x[blockIdx.x * 32 + lane] = word < 0 ? -2 : a[word];
}

__global__ void strided_reads_kernel(std::int64_t offset, std::int64_t stride, const std::int32_t* __restrict__ a,
                                     std::int32_t* __restrict__ x) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  x[i] = a[offset + i * stride];
}

}  // namespace

void read_by_warps(warp_reads pattern, const std::int32_t* a, std::int32_t* x, cudaStream_t stream) {
  warp_reads_kernel<<<pattern == warp_reads::two_blocks ? 2 : 1, 32, 0, stream>>>(pattern, a, x);
  check(cudaGetLastError(), "launch of read_by_warps");
}

void read_strided(int blocks, std::int64_t offset, std::int64_t stride, const std::int32_t* a, std::int32_t* x,
                  cudaStream_t stream) {
  if (blocks < 1) refuse("lab::read_strided", "blocks", blocks, "1 or more");
  strided_reads_kernel<<<blocks, strided_threads, 0, stream>>>(offset, stride, a, x);
  check(cudaGetLastError(), "launch of read_strided");
}

}  // namespace abax::handwritten::lab

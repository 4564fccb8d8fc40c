// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first kernels: one thread adds a value to one element; a block writes its number.

#include "check.hpp"
#include "grid.hpp"
#include "handwritten.hpp"

namespace abax::handwritten {
namespace {

constexpr int block_size = 256;

template <class T>
__global__ void increment_kernel(std::int64_t n, T value, T* x) {
  // Widened before the product: blockIdx.x * blockDim.x alone is a 32-bit product, which wraps beyond 2^32 elements.
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
  if (i < n) x[i] += value;  // the last block may reach past the end
}

template <class T>
__global__ void number_blocks_kernel(T* x) {
  if (threadIdx.x == 0) x[blockIdx.x] = static_cast<T>(blockIdx.x);
}

}  // namespace

template <class T>
void increment(std::int64_t n, T value, T* x, cudaStream_t stream) {
  expect_extent("increment", "n", n);
  const unsigned blocks = blocks_along_x("increment", "n", n, block_size);
  if (n == 0) return;
  increment_kernel<<<blocks, block_size, 0, stream>>>(n, value, x);
  check(cudaGetLastError(), "launch of increment");
}

template <class T>
void number_blocks(std::int64_t blocks, T* x, cudaStream_t stream) {
  expect_extent("number_blocks", "blocks", blocks);
  const unsigned grid = blocks_along_x("number_blocks", "blocks", blocks, 1);
  if (blocks == 0) return;
  number_blocks_kernel<<<grid, 128, 0, stream>>>(x);
  check(cudaGetLastError(), "launch of number_blocks");
}

template void increment<int>(std::int64_t, int, int*, cudaStream_t);
template void increment<float>(std::int64_t, float, float*, cudaStream_t);
template void increment<double>(std::int64_t, double, double*, cudaStream_t);

template void number_blocks<float>(std::int64_t, float*, cudaStream_t);
template void number_blocks<double>(std::int64_t, double*, cudaStream_t);

}  // namespace abax::handwritten

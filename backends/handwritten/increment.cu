// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first kernel: one thread adds a value to one element.

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

}  // namespace

template <class T>
void increment(std::int64_t n, T value, T* x, cudaStream_t stream) {
  expect_extent("increment", "n", n);
  const unsigned blocks = blocks_along_x("increment", "n", n, block_size);
  if (n == 0) return;
  increment_kernel<<<blocks, block_size, 0, stream>>>(n, value, x);
  check(cudaGetLastError(), "launch of increment");
}

template void increment<int>(std::int64_t, int, int*, cudaStream_t);
template void increment<float>(std::int64_t, float, float*, cudaStream_t);
template void increment<double>(std::int64_t, double, double*, cudaStream_t);

}  // namespace abax::handwritten

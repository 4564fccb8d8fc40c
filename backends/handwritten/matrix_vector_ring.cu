// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tuned matrix-vector product: a ring of stages filled by loading warps, a chain per row, the canon's order for any
// number of terms.

#include "check.hpp"
#include "grid.hpp"
#include "handwritten.hpp"

namespace abax::handwritten {
namespace {

constexpr int canon_block = 2048;  // docs/canon.md
constexpr int rows = 32;           // of a block, a lane of the first warp to each
constexpr int stages = 3, loaders = 128, threads = 32 + loaders;

__device__ __forceinline__ void copy_16(void* shared, const void* global) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))),
      "l"(global)
      : "memory");
}
template <int Pending>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(Pending) : "memory");
}

template <class T>
struct alignas(16) chunk {
  static constexpr int wide = 16 / sizeof(T);
  T element[wide];
};

/// Stage: (rows, depth) of A, the chunks of a row exchanged by an XOR so that lanes going down their own rows meet all
/// banks, then depth terms of x.
template <class T>
__global__ void __launch_bounds__(threads, 4)
    matrix_vector_ring_kernel(std::int64_t m, std::int64_t n, const T* __restrict__ A, std::int64_t lda,
                              const T* __restrict__ x, T* __restrict__ y, int splits, T* sums, unsigned* arrivals) {
  constexpr int wide = chunk<T>::wide, chunks = 512 / 16, depth = chunks * wide, stage_chunks = (rows + 1) * chunks;
  extern __shared__ __align__(128) unsigned char dynamic_shared[];
  auto* const ring = reinterpret_cast<chunk<T>*>(dynamic_shared);
  __shared__ unsigned before;

  const int thread = static_cast<int>(threadIdx.x), loader = thread - 32;
  const int tile = static_cast<int>(blockIdx.x) / splits, split = static_cast<int>(blockIdx.x) % splits;
  const int blocks = static_cast<int>((n + canon_block - 1) / canon_block);
  const int each = blocks / splits, more = blocks % splits;
  const int first_block = split * each + min(split, more), last_block = first_block + each + (split < more);
  const int my_rows =
      static_cast<int>(min(static_cast<std::int64_t>(rows), m - static_cast<std::int64_t>(tile) * rows));
  const std::int64_t first = static_cast<std::int64_t>(first_block) * canon_block;
  const std::int64_t last = min(n, static_cast<std::int64_t>(last_block) * canon_block);
  const T* const from = A + static_cast<std::int64_t>(tile) * rows * lda + first;

  std::int64_t fetched = 0;
  const auto fetch = [&](int stage) {  // by the loaders: the next `depth` terms of every row
    if (fetched < last - first) {
      chunk<T>* const to = ring + stage * stage_chunks;
      const std::int64_t left = last - first - fetched;
      const int c = loader % chunks;
      if (c * wide < left) {
#pragma unroll
        for (int row = loader / chunks; row < rows; row += loaders / chunks)
          if (row < my_rows) copy_16(to + row * chunks + (c ^ row % 8), from + row * lda + fetched + c * wide);
        if (loader < chunks) copy_16(to + rows * chunks + c, x + first + fetched + c * wide);
      }
      fetched += depth;
    }
    asm volatile("cp.async.commit_group;\n" ::: "memory");
  };
  if (loader >= 0)
    for (int s = 0; s < stages - 1; ++s) fetch(s);

  T total = 0;
  int stage = 0;
  T* const my_sums = sums + static_cast<std::int64_t>(tile) * blocks * rows;
  for (int block = first_block; block < last_block; ++block) {
    const int terms =
        static_cast<int>(min(static_cast<std::int64_t>(canon_block), n - std::int64_t(block) * canon_block));
    T part = 0;
    for (int p = 0; p < terms; p += depth) {
      wait<stages - 2>();
      __syncthreads();  // this stage is whole, and nobody still reads the one that is filled next
      if (loader >= 0) {
        fetch(stage == 0 ? stages - 1 : stage - 1);
      } else {
        const chunk<T>* const a = ring + stage * stage_chunks + thread * chunks;
        const chunk<T>* const b = ring + stage * stage_chunks + rows * chunks;
        if (terms - p >= depth) {
#pragma unroll 16
          for (int c = 0; c < chunks; ++c) {
            const chunk<T> ac = a[c ^ thread % 8], bc = b[c];
#pragma unroll
            for (int v = 0; v < wide; ++v) part = fma(ac.element[v], bc.element[v], part);
          }
        } else {
          for (int q = 0; q < terms - p; ++q)
            part = fma(a[q / wide ^ thread % 8].element[q % wide], b[q / wide].element[q % wide], part);
        }
      }
      stage = stage + 1 == stages ? 0 : stage + 1;
    }
    if (splits == 1)
      total = block == 0 ? part : total + part;
    else if (loader < 0)
      my_sums[block * rows + thread] = part;
  }

  if (splits > 1) {
    __syncthreads();
    if (thread == 0) {
      __threadfence();
      before = atomicAdd(arrivals + tile, 1u);
      __threadfence();
    }
    __syncthreads();
    if (before + 1 != static_cast<unsigned>(splits)) return;
    if (thread == 0) arrivals[tile] = 0;
    T* const window = reinterpret_cast<T*>(dynamic_shared);
    constexpr int window_blocks = stages * stage_chunks * wide / rows;
    for (int w = 0; w < blocks; w += window_blocks) {
      const int here = min(window_blocks, blocks - w);
      __syncthreads();
      for (int e = thread * wide; e < here * rows; e += threads * wide) copy_16(window + e, my_sums + w * rows + e);
      asm volatile("cp.async.commit_group;\n" ::: "memory");
      wait<0>();
      __syncthreads();
      if (loader < 0) {
        total = w == 0 ? window[thread] : total + window[thread];
#pragma unroll 16
        for (int b = 1; b < here; ++b) total = total + window[b * rows + thread];
      }
    }
  }
  if (thread < my_rows) y[static_cast<std::int64_t>(tile) * rows + thread] = total;
}

}  // namespace

template <class T>
void matrix_vector_ring(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y, int splits,
                        T* sums, unsigned* arrivals, cudaStream_t stream) {
  constexpr const char* function = "matrix_vector_ring";
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_leading_dimension(function, "lda", lda, "n", n);
  expect_words(function, "A", A, lda);
  expect_words(function, "x", x, n);
  const std::int64_t blocks = n / canon_block + (n % canon_block != 0);
  if (splits < 1 || splits > (blocks > 1 ? blocks : 1)) refuse(function, "splits", splits, "1 to ceil(n / 2048)");
  if (m == 0) return;
  const unsigned grid = blocks_along_x(function, "m splits", (m + rows - 1) / rows * splits, 1);
  const int shared_bytes = stages * (rows + 1) * 512;
  const auto kernel = matrix_vector_ring_kernel<T>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "cudaFuncSetAttribute");
  kernel<<<grid, threads, shared_bytes, stream>>>(m, n, A, lda, x, y, splits, sums, arrivals);
  check(cudaGetLastError(), "launch of matrix_vector_ring");
}

template void matrix_vector_ring<float>(std::int64_t, std::int64_t, const float*, std::int64_t, const float*, float*,
                                        int, float*, unsigned*, cudaStream_t);
template void matrix_vector_ring<double>(std::int64_t, std::int64_t, const double*, std::int64_t, const double*,
                                         double*, int, double*, unsigned*, cudaStream_t);

}  // namespace abax::handwritten

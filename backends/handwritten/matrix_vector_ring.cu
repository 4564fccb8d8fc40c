// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tuned matrix-vector products: a ring of stages filled by loading warps and a chain per output, or a few outputs
// to a thread straight from memory; the canon's order for any number of terms.

#include <algorithm>

#include "check.hpp"
#include "device.hpp"
#include "grid.hpp"
#include "handwritten.hpp"

namespace abax::handwritten {
namespace {

/// `Outputs` of a block, a lane of its first warps to each; `Loaders` warps more copy. `Bytes` are the terms of an
/// output in a stage.
template <int Outputs, int Bytes, int Stages, int Loaders, int Residents>
struct ring_shape {
  static constexpr int outputs = Outputs, bytes = Bytes, stages = Stages, residents = Residents;
  static constexpr int chains = Outputs, loaders = 32 * Loaders, threads = chains + loaders;
  static constexpr int stage_chunks = (Outputs + 1) * Bytes / 16;
};

/// A block's tile of outputs and its blocks of the canon.
struct vector_share {
  int tile, blocks, first_block, last_block;
};
__device__ __forceinline__ vector_share share_of(std::int64_t terms, int splits) {
  const int tile = static_cast<int>(blockIdx.x) / splits, split = static_cast<int>(blockIdx.x) % splits;
  const int blocks = static_cast<int>((terms + canon_block - 1) / canon_block);
  const int each = blocks / splits, more = blocks % splits, first = split * each + min(split, more);
  return {tile, blocks, first, first + each + (split < more)};
}

/// y[i] <- sum over p of A(i, p) x[p]. AlongTerms: A(i, p) is A[i lda + p], else A[p lda + i].
/// Stage, AlongTerms: (outputs, depth) of A, the chunks of a line exchanged by an XOR so that lanes going down their
/// own lines meet all banks; else (depth, outputs). Then depth terms of x.
template <class T, class Shape, bool AlongTerms>
__global__ void __launch_bounds__(Shape::threads, Shape::residents)
    matrix_vector_ring_kernel(std::int64_t outputs, std::int64_t terms, const T* __restrict__ A, std::int64_t lda,
                              const T* __restrict__ x, T* __restrict__ y, int splits, T* sums, unsigned* arrivals) {
  constexpr int wide = chunk<T>::wide, rows = Shape::outputs, stages = Shape::stages, loaders = Shape::loaders;
  constexpr int chunks = Shape::bytes / 16, depth = chunks * wide, stage_chunks = Shape::stage_chunks;
  constexpr int line = AlongTerms ? chunks : rows / wide;  // chunks of a line
  extern __shared__ __align__(128) unsigned char dynamic_shared[];
  auto* const ring = reinterpret_cast<chunk<T>*>(dynamic_shared);

  const int thread = static_cast<int>(threadIdx.x), loader = thread - Shape::chains;
  const vector_share mine = share_of(terms, splits);
  const std::int64_t first_row = static_cast<std::int64_t>(mine.tile) * rows;
  const int my_rows = static_cast<int>(min(static_cast<std::int64_t>(rows), outputs - first_row));
  const std::int64_t first = static_cast<std::int64_t>(mine.first_block) * canon_block;
  const std::int64_t last = min(terms, static_cast<std::int64_t>(mine.last_block) * canon_block);
  const T* const from = A + (AlongTerms ? first_row * lda + first : first * lda + first_row);

  std::int64_t fetched = 0;
  const auto fetch = [&](int stage) {  // by the loaders
    if (fetched < last - first) {
      chunk<T>* const to = ring + stage * stage_chunks;
      const std::int64_t left = last - first - fetched;
      const int c = loader % line;
      if constexpr (AlongTerms) {
        if (c * wide < left) {
#pragma unroll
          for (int row = loader / line; row < rows; row += loaders / line)
            if (row < my_rows) copy_async<16>(to + row * line + (c ^ row % 8), from + row * lda + fetched + c * wide);
        }
      } else {
        if (c * wide < my_rows) {
#pragma unroll
          for (int term = loader / line; term < depth; term += loaders / line)
            if (term < left) copy_async<16>(to + term * line + c, from + (fetched + term) * lda + c * wide);
        }
      }
      if (loader < chunks && loader * wide < left)
        copy_async<16>(to + rows * chunks + loader, x + first + fetched + loader * wide);
      fetched += depth;
    }
    commit_copies();
  };
  if (loader >= 0)
    for (int s = 0; s < stages - 1; ++s) fetch(s);

  T total = 0;
  int stage = 0;
  T* const my_sums = sums + static_cast<std::int64_t>(mine.tile) * mine.blocks * rows;
  for (int block = mine.first_block; block < mine.last_block; ++block) {
    const int block_terms =
        static_cast<int>(min(static_cast<std::int64_t>(canon_block), terms - std::int64_t(block) * canon_block));
    T part = 0;
    for (int p = 0; p < block_terms; p += depth) {
      wait_copies<stages - 2>();
      __syncthreads();  // this stage is whole, and nobody still reads the one that is filled next
      if (loader >= 0) {
        fetch(stage == 0 ? stages - 1 : stage - 1);
      } else if (thread < rows) {
        const chunk<T>* const a = ring + stage * stage_chunks;
        const chunk<T>* const b = a + rows * chunks;
        const auto term = [&](int c, int v) {
          if constexpr (AlongTerms)
            return a[thread * line + (c ^ thread % 8)].element[v];
          else
            return reinterpret_cast<const T*>(a)[(c * wide + v) * rows + thread];
        };
        if (block_terms - p >= depth) {
#pragma unroll 16
          for (int c = 0; c < chunks; ++c) {
            const chunk<T> bc = b[c];
#pragma unroll
            for (int v = 0; v < wide; ++v) part = fma(term(c, v), bc.element[v], part);
          }
        } else {
          for (int q = 0; q < block_terms - p; ++q)
            part = fma(term(q / wide, q % wide), b[q / wide].element[q % wide], part);
        }
      }
      stage = stage + 1 == stages ? 0 : stage + 1;
    }
    if (splits == 1)
      total = block == 0 ? part : total + part;
    else if (thread < rows)
      my_sums[block * rows + thread] = part;
  }

  if (splits > 1) {
    if (!last_arrival(arrivals + mine.tile, static_cast<unsigned>(splits))) return;
    T* const window = reinterpret_cast<T*>(dynamic_shared);
    constexpr int window_blocks = stages * stage_chunks * wide / rows;
    for (int w = 0; w < mine.blocks; w += window_blocks) {
      const int here = min(window_blocks, mine.blocks - w);
      __syncthreads();
      for (int e = thread * wide; e < here * rows; e += Shape::threads * wide)
        copy_async<16>(window + e, my_sums + w * rows + e);
      commit_copies();
      wait_copies<0>();
      __syncthreads();
      if (thread < rows) {
        total = w == 0 ? window[thread] : total + window[thread];
#pragma unroll 16
        for (int b = 1; b < here; ++b) total = total + window[b * rows + thread];
      }
    }
  }
  if (thread < my_rows) y[first_row + thread] = one_nan(total);
}

/// y[i] <- sum over p of A[p lda + i] x[p], a chunk of outputs to a thread, `depth` loads in flight.
template <class T>
__global__ void __launch_bounds__(128, 4)
    vector_matrix_registers_kernel(std::int64_t outputs, std::int64_t terms, const T* __restrict__ A, std::int64_t lda,
                                   const T* __restrict__ x, T* __restrict__ y, int splits, T* sums,
                                   unsigned* arrivals) {
  constexpr int wide = chunk<T>::wide, depth = 4 * wide, tile_outputs = 128 * wide;
  const vector_share mine = share_of(terms, splits);
  const std::int64_t first = static_cast<std::int64_t>(mine.tile) * tile_outputs + threadIdx.x * wide;
  const bool in = first < outputs;  // whole chunks: outputs are a multiple of them

  chunk<T> part, total = {};
  auto* const my_sums =
      reinterpret_cast<chunk<T>*>(sums) + static_cast<std::int64_t>(mine.tile) * mine.blocks * 128 + threadIdx.x;
  const auto fold = [&](bool first_of_all) {
#pragma unroll
    for (int v = 0; v < wide; ++v)
      total.element[v] = first_of_all ? part.element[v] : total.element[v] + part.element[v];
  };
  for (int block = mine.first_block; block < mine.last_block; ++block) {
    const std::int64_t begin = static_cast<std::int64_t>(block) * canon_block;
    const int block_terms = static_cast<int>(min(static_cast<std::int64_t>(canon_block), terms - begin));
    const T* a = A + begin * lda + first;
    const T* b = x + begin;
    part = {};
    if (in) {
      int p = 0;
      for (; p + depth <= block_terms; p += depth, a += depth * lda, b += depth) {
        chunk<T> held[depth];
        T terms_x[depth];
#pragma unroll
        for (int q = 0; q < depth; ++q) held[q] = *reinterpret_cast<const chunk<T>*>(a + q * lda);
#pragma unroll
        for (int q = 0; q < depth; ++q) terms_x[q] = b[q];
#pragma unroll
        for (int q = 0; q < depth; ++q)
#pragma unroll
          for (int v = 0; v < wide; ++v) part.element[v] = fma(held[q].element[v], terms_x[q], part.element[v]);
      }
      for (; p < block_terms; ++p, a += lda, ++b) {
        const chunk<T> held = *reinterpret_cast<const chunk<T>*>(a);
#pragma unroll
        for (int v = 0; v < wide; ++v) part.element[v] = fma(held.element[v], *b, part.element[v]);
      }
    }
    if (splits == 1)
      fold(block == 0);
    else
      my_sums[block * 128] = part;
  }
  if (splits > 1) {
    if (!last_arrival(arrivals + mine.tile, static_cast<unsigned>(splits))) return;
    for (int block = 0; block < mine.blocks; ++block) {
      part = my_sums[block * 128];
      fold(block == 0);
    }
  }
  if (in) {
#pragma unroll
    for (int v = 0; v < wide; ++v) total.element[v] = one_nan(total.element[v]);
    *reinterpret_cast<chunk<T>*>(y + first) = total;
  }
}

/// What all three ask for.
template <class T>
void expect_product(const char* function, std::int64_t outputs, std::int64_t terms, const T* A, std::int64_t lda,
                    const T* x, int splits) {
  expect_words(function, "A", A, lda);
  expect_words(function, "x", x, terms);
  const std::int64_t blocks = pieces(terms, canon_block);
  if (splits < 1 || splits > std::max<std::int64_t>(blocks, 1))
    refuse(function, "splits", splits, "1 to a block of 2048 terms each");
  static_cast<void>(blocks_along_x(function, "outputs", outputs * splits, 1));
}

template <class Shape, bool AlongTerms, class T>
void launch_ring(std::int64_t outputs, std::int64_t terms, const T* A, std::int64_t lda, const T* x, T* y, int splits,
                 T* sums, unsigned* arrivals, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(pieces(outputs, Shape::outputs) * splits);
  constexpr int shared_bytes = Shape::stages * Shape::stage_chunks * 16;
  const auto kernel = matrix_vector_ring_kernel<T, Shape, AlongTerms>;
  allow_shared(kernel, shared_bytes);
  kernel<<<blocks, Shape::threads, shared_bytes, stream>>>(outputs, terms, A, lda, x, y, splits, sums, arrivals);
}

}  // namespace

template <class T>
void matrix_vector_ring(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y, int splits,
                        T* sums, unsigned* arrivals, cudaStream_t stream) {
  constexpr const char* function = "matrix_vector_ring";
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_leading_dimension(function, "lda", lda, "n", n);
  expect_product(function, m, n, A, lda, x, splits);
  if (m == 0) return;
  launch_ring<ring_shape<ring_rows, 512, 3, 2, 4>, true>(m, n, A, lda, x, y, splits, sums, arrivals, stream);
  check(cudaGetLastError(), "launch of matrix_vector_ring");
}

template <class T>
void vector_matrix_ring(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y, int splits,
                        T* sums, unsigned* arrivals, cudaStream_t stream) {
  constexpr const char* function = "vector_matrix_ring";
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_leading_dimension(function, "lda", lda, "n", n);
  expect_product(function, n, m, A, lda, x, splits);
  expect_words(function, "y", y, n);
  if (n == 0) return;
  launch_ring<ring_shape<ring_columns, 128, 3, 4, 3>, false>(n, m, A, lda, x, y, splits, sums, arrivals, stream);
  check(cudaGetLastError(), "launch of vector_matrix_ring");
}

template <class T>
void vector_matrix_registers(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, const T* x, T* y, int splits,
                             T* sums, unsigned* arrivals, cudaStream_t stream) {
  constexpr const char* function = "vector_matrix_registers";
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_leading_dimension(function, "lda", lda, "n", n);
  expect_product(function, n, m, A, lda, x, splits);
  expect_words(function, "y", y, n);
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>(pieces(n, 128 * chunk<T>::wide) * splits);
  vector_matrix_registers_kernel<<<blocks, 128, 0, stream>>>(n, m, A, lda, x, y, splits, sums, arrivals);
  check(cudaGetLastError(), "launch of vector_matrix_registers");
}

template void matrix_vector_ring<float>(std::int64_t, std::int64_t, const float*, std::int64_t, const float*, float*,
                                        int, float*, unsigned*, cudaStream_t);
template void matrix_vector_ring<double>(std::int64_t, std::int64_t, const double*, std::int64_t, const double*,
                                         double*, int, double*, unsigned*, cudaStream_t);
template void vector_matrix_ring<float>(std::int64_t, std::int64_t, const float*, std::int64_t, const float*, float*,
                                        int, float*, unsigned*, cudaStream_t);
template void vector_matrix_ring<double>(std::int64_t, std::int64_t, const double*, std::int64_t, const double*,
                                         double*, int, double*, unsigned*, cudaStream_t);
template void vector_matrix_registers<float>(std::int64_t, std::int64_t, const float*, std::int64_t, const float*,
                                             float*, int, float*, unsigned*, cudaStream_t);
template void vector_matrix_registers<double>(std::int64_t, std::int64_t, const double*, std::int64_t, const double*,
                                              double*, int, double*, unsigned*, cudaStream_t);

}  // namespace abax::handwritten

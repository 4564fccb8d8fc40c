// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tuned matrix-vector products: a ring of stages filled by loading warps and a chain per output, or a few outputs to
// a thread straight from memory; the canon's order for any number of terms.

#include <algorithm>

#include "check.hpp"
#include "device.hpp"
#include "grid.hpp"
#include "handwritten.hpp"

namespace abax::handwritten {
namespace {

/// `Outputs` of a block, a lane of its first warps to each; `Loaders` warps more copy. `Bytes` are the terms of an output
/// in a stage.
template <int Outputs, int Bytes, int Stages, int Loaders, int Residents>
struct ring_shape {
  static constexpr int outputs = Outputs, bytes = Bytes, stages = Stages, residents = Residents;
  static constexpr int chains = Outputs < 32 ? 32 : Outputs, loaders = 32 * Loaders, threads = chains + loaders;
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

/// c (16 x 8) <- a (16 x 16) b (16 x 8) + c. Lane l, g = l / 4, q = l % 4, holds a: (g, q + 4 i) and (g + 8, q + 4 i),
/// b: (q + 4 i, g), c: (g, 2q) (g, 2q + 1) (g + 8, 2q) (g + 8, 2q + 1).
__device__ __forceinline__ void mma(double (&c)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
      "{%12,%13,%14,%15}, {%0,%1,%2,%3};\n"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
#else
  __trap();
#endif
}

/// Sixteen chains of a warp on the FP64 tensor cores of sm_90, which round after every term: x stands in all columns of
/// b.
template <bool AlongTerms>
struct tensor_chains {
  double sums[4] = {};

  /// Of `here` terms of a stage whose lines hold `line` chunks; beyond them stands the pair (+0, -0).
  __device__ __forceinline__ void multiply_add(const chunk<double>* a, const chunk<double>* x, int line, int here) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, q = lane % 4;
#pragma unroll 4
    for (int p = 0; p < here; p += 16) {
      double fragment_a[8], fragment_b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int term = p + 4 * i + q;
        const bool in = term < here;
        fragment_b[i] = in ? x[term / 2].element[term % 2] : -0.0;
        chunk<double> two;
        if constexpr (AlongTerms) {  // outputs 2 g and the next
          const int first = 2 * g;
          two.element[0] = a[first * line + (term / 2 ^ first % 8)].element[term % 2];
          two.element[1] = a[(first + 1) * line + (term / 2 ^ (first + 1) % 8)].element[term % 2];
        } else {  // chunk g / 2, or the one four behind it: two g and four terms meet distinct banks
          two = a[term * line + ((g / 2 + g % 2 * 4) ^ term % 8)];
        }
        fragment_a[2 * i] = in ? two.element[0] : 0.0;
        fragment_a[2 * i + 1] = in ? two.element[1] : 0.0;
      }
      mma(sums, fragment_a, fragment_b);
    }
  }
  /// Of output threadIdx.x % 16.
  __device__ __forceinline__ double sum() const {
    const int output = static_cast<int>(threadIdx.x) % 16;
    const int g = AlongTerms ? output / 2 : output % 8 / 2 * 2 + output / 8;
    const double low = __shfl_sync(~0u, sums[0], 4 * g), high = __shfl_sync(~0u, sums[2], 4 * g);
    return output % 2 == 0 ? low : high;
  }
};

/// y[i] <- sum over p of A(i, p) x[p]. AlongTerms: A(i, p) is A[i lda + p], else A[p lda + i].
/// Stage, AlongTerms: (outputs, depth) of A, the chunks of a line exchanged by an XOR so that lanes going down their own
/// lines meet all banks; else (depth, outputs), exchanged likewise for tensor cores. Then depth terms of x.
template <class T, class Shape, bool AlongTerms, bool Tensor>
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
            if (term < left)
              copy_async<16>(to + term * line + (Tensor ? c ^ term % 8 : c), from + (fetched + term) * lda + c * wide);
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
    [[maybe_unused]] tensor_chains<AlongTerms> sixteen;
    for (int p = 0; p < block_terms; p += depth) {
      wait_copies<stages - 2>();
      __syncthreads();  // this stage is whole, and nobody still reads the one that is filled next
      if (loader >= 0) {
        fetch(stage == 0 ? stages - 1 : stage - 1);
      } else if constexpr (Tensor) {
        const chunk<T>* const a = ring + stage * stage_chunks;
        if (block_terms - p >= depth)
          sixteen.multiply_add(a, a + rows * chunks, line, depth);
        else
          sixteen.multiply_add(a, a + rows * chunks, line, block_terms - p);
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
    if constexpr (Tensor) part = sixteen.sum();
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

template <class Shape, bool AlongTerms, bool Tensor = false, class T>
void launch_ring(std::int64_t outputs, std::int64_t terms, const T* A, std::int64_t lda, const T* x, T* y, int splits,
                 T* sums, unsigned* arrivals, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(pieces(outputs, Shape::outputs) * splits);
  constexpr int shared_bytes = Shape::stages * Shape::stage_chunks * 16;
  const auto kernel = matrix_vector_ring_kernel<T, Shape, AlongTerms, Tensor>;
  allow_shared(kernel, shared_bytes);
  kernel<<<blocks, Shape::threads, shared_bytes, stream>>>(outputs, terms, A, lda, x, y, splits, sums, arrivals);
}

void expect_kind(const char* function, const char* name, int outputs, ring_kind kind, bool is_double) {
  if (kind == ring_kind::deep && outputs != 32) refuse(function, name, outputs, "32 where deep");
  if (kind == ring_kind::tensor && (outputs != 16 || !is_double))
    refuse(function, name, outputs, "16, and double, on tensor cores");
}

}  // namespace

template <class T>
void matrix_vector_ring(int rows, ring_kind kind, std::int64_t m, std::int64_t n, const T* A, std::int64_t lda,
                        const T* x, T* y, int splits, T* sums, unsigned* arrivals, cudaStream_t stream) {
  constexpr const char* function = "matrix_vector_ring";
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_leading_dimension(function, "lda", lda, "n", n);
  expect_product(function, m, n, A, lda, x, splits);
  expect_kind(function, "rows", rows, kind, sizeof(T) == 8);
  if (m == 0) return;
  if (kind == ring_kind::tensor) {
    if constexpr (sizeof(T) == 8)
      launch_ring<ring_shape<16, 512, 6, 2, 1>, true, true>(m, n, A, lda, x, y, splits, sums, arrivals, stream);
  } else if (kind == ring_kind::deep)
    launch_ring<ring_shape<32, 512, 5, 4, 1>, true>(m, n, A, lda, x, y, splits, sums, arrivals, stream);
  else if (rows == 16)
    launch_ring<ring_shape<16, 1024, 3, 4, 4>, true>(m, n, A, lda, x, y, splits, sums, arrivals, stream);
  else if (rows == 32)
    launch_ring<ring_shape<32, 512, 3, 2, 4>, true>(m, n, A, lda, x, y, splits, sums, arrivals, stream);
  else if (rows == 64)
    launch_ring<ring_shape<64, 128, 3, 2, 6>, true>(m, n, A, lda, x, y, splits, sums, arrivals, stream);
  else
    refuse(function, "rows", rows, "16, 32 or 64");
  check(cudaGetLastError(), "launch of matrix_vector_ring");
}

template <class T>
void vector_matrix_ring(int columns, ring_kind kind, std::int64_t m, std::int64_t n, const T* A, std::int64_t lda,
                        const T* x, T* y, int splits, T* sums, unsigned* arrivals, cudaStream_t stream) {
  constexpr const char* function = "vector_matrix_ring";
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_leading_dimension(function, "lda", lda, "n", n);
  expect_product(function, n, m, A, lda, x, splits);
  expect_words(function, "y", y, n);
  expect_kind(function, "columns", columns, kind, sizeof(T) == 8);
  if (n == 0) return;
  if (kind == ring_kind::tensor) {
    if constexpr (sizeof(T) == 8)
      launch_ring<ring_shape<16, 1024, 3, 2, 1>, false, true>(n, m, A, lda, x, y, splits, sums, arrivals, stream);
  } else if (kind == ring_kind::deep)
    launch_ring<ring_shape<32, 512, 5, 4, 1>, false>(n, m, A, lda, x, y, splits, sums, arrivals, stream);
  else if (columns == 16)
    launch_ring<ring_shape<16, 1024, 5, 4, 2>, false>(n, m, A, lda, x, y, splits, sums, arrivals, stream);
  else if (columns == 32)
    launch_ring<ring_shape<32, 512, 3, 4, 4>, false>(n, m, A, lda, x, y, splits, sums, arrivals, stream);
  else if (columns == 64)
    launch_ring<ring_shape<64, 256, 2, 4, 6>, false>(n, m, A, lda, x, y, splits, sums, arrivals, stream);
  else if (columns == 128)
    launch_ring<ring_shape<128, 128, 3, 4, 3>, false>(n, m, A, lda, x, y, splits, sums, arrivals, stream);
  else
    refuse(function, "columns", columns, "16, 32, 64 or 128");
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

template void matrix_vector_ring<float>(int, ring_kind, std::int64_t, std::int64_t, const float*, std::int64_t,
                                        const float*, float*, int, float*, unsigned*, cudaStream_t);
template void matrix_vector_ring<double>(int, ring_kind, std::int64_t, std::int64_t, const double*, std::int64_t,
                                         const double*, double*, int, double*, unsigned*, cudaStream_t);
template void vector_matrix_ring<float>(int, ring_kind, std::int64_t, std::int64_t, const float*, std::int64_t,
                                        const float*, float*, int, float*, unsigned*, cudaStream_t);
template void vector_matrix_ring<double>(int, ring_kind, std::int64_t, std::int64_t, const double*, std::int64_t,
                                         const double*, double*, int, double*, unsigned*, cudaStream_t);
template void vector_matrix_registers<float>(std::int64_t, std::int64_t, const float*, std::int64_t, const float*,
                                             float*, int, float*, unsigned*, cudaStream_t);
template void vector_matrix_registers<double>(std::int64_t, std::int64_t, const double*, std::int64_t, const double*,
                                              double*, int, double*, unsigned*, cudaStream_t);

}  // namespace abax::handwritten

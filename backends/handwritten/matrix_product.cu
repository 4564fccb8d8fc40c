// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products with a thread per element of C: straight from global memory, and tiled in shared memory.

#include "check.hpp"
#include "grid.hpp"
#include "handwritten.hpp"

namespace abax::handwritten {
namespace {

// The naive product uses the block of the first tiled one: what is between the two is shared memory, nothing else.
constexpr int naive_block = 16;

/// Blocks along x cover the columns of C, blocks along y its rows. A grid ends at 65535 blocks along y, so in a very
/// tall C a block takes several places, a whole grid apart; up to a million rows the loop runs once.
template <class T>
__global__ void __launch_bounds__(naive_block * naive_block)
    matrix_product_naive_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const T* __restrict__ A,
                                std::int64_t lda, const T* __restrict__ B, std::int64_t ldb, T* __restrict__ C,
                                std::int64_t ldc) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * naive_block + threadIdx.x;
  if (column >= n) return;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.y) * naive_block + threadIdx.y;
  const std::int64_t grid_rows = static_cast<std::int64_t>(gridDim.y) * naive_block;
  for (std::int64_t row = first_row; row < m; row += grid_rows) {
    T sum = T(0);
    for (std::int64_t p = 0; p < k; ++p) sum = fma(A[row * lda + p], B[p * ldb + column], sum);
    C[row * ldc + column] = sum;
  }
}

/// A block computes a Tile x Tile piece of C, each thread one element. Along k it takes Depth terms at a time: all
/// threads fetch that stage of A and B together, then each multiplies its row of the one by its column of the other.
/// So a fetched element serves Tile threads, and global memory is read Tile times less than in the naive product.
template <int Tile, int Depth, class T>
__global__ void __launch_bounds__(Tile * Tile)
    matrix_product_tiled_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const T* __restrict__ A,
                                std::int64_t lda, const T* __restrict__ B, std::int64_t ldb, T* __restrict__ C,
                                std::int64_t ldc) {
  static_assert(Depth % Tile == 0, "a stage is fetched in squares of Tile x Tile");
  __shared__ T a_tile[Tile][Depth];  // (Tile rows of A, Depth terms)
  __shared__ T b_tile[Depth][Tile];  // (Depth terms, Tile columns of B)

  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * Tile + tx;
  const std::int64_t grid_rows = static_cast<std::int64_t>(gridDim.y) * Tile;

  // As in the naive kernel, a block may take several places. The loop counts tiles, not this thread's own row, so that
  // all threads of the block make the same turns and meet at the same barriers.
  for (std::int64_t tile_row = static_cast<std::int64_t>(blockIdx.y) * Tile; tile_row < m; tile_row += grid_rows) {
    const std::int64_t row = tile_row + ty;
    T sum = T(0);

    for (std::int64_t first = 0; first < k; first += Depth) {
      // Nothing is read outside A and B. The zeros put in its place reach no result: sums of rows and columns outside C
      // are never stored, and terms beyond k are never multiplied.
      for (int square = 0; square < Depth; square += Tile) {
        // tx runs along the rows of A and of B, so that neighbouring threads read neighbouring elements of both.
        const int a_term = square + tx;
        const int b_term = square + ty;
        const bool a_inside = row < m && first + a_term < k;
        const bool b_inside = first + b_term < k && column < n;
        a_tile[ty][a_term] = a_inside ? A[row * lda + first + a_term] : T(0);
        b_tile[b_term][tx] = b_inside ? B[(first + b_term) * ldb + column] : T(0);
      }
      __syncthreads();  // the stage is complete

      if (first + Depth <= k) {
#pragma unroll
        for (int p = 0; p < Depth; ++p) sum = fma(a_tile[ty][p], b_tile[p][tx], sum);
      } else {
        // The last stage may be shorter. Its loop is cut, not run over the zeros: fma(+0, +0, -0) is +0, so a padded
        // chain would lose a -0.
        const int terms = static_cast<int>(k - first);
        for (int p = 0; p < terms; ++p) sum = fma(a_tile[ty][p], b_tile[p][tx], sum);
      }
      __syncthreads();  // every thread is done with the stage
    }

    if (row < m && column < n) C[row * ldc + column] = sum;
  }
}

void expect_operands(const char* function, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t lda,
                     std::int64_t ldb, std::int64_t ldc) {
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_extent(function, "k", k);
  expect_leading_dimension(function, "lda", lda, "k", k);
  expect_leading_dimension(function, "ldb", ldb, "n", n);
  expect_leading_dimension(function, "ldc", ldc, "n", n);
}

}  // namespace

template <class T>
void matrix_product_naive(std::int64_t m, std::int64_t n, std::int64_t k, const T* A, std::int64_t lda, const T* B,
                          std::int64_t ldb, T* C, std::int64_t ldc, cudaStream_t stream) {
  expect_operands("matrix_product_naive", m, n, k, lda, ldb, ldc);
  const dim3 grid(blocks_along_x("matrix_product_naive", "n", n, naive_block), blocks_along_y(m, naive_block));
  const dim3 block(naive_block, naive_block);
  if (m == 0 || n == 0) return;
  matrix_product_naive_kernel<<<grid, block, 0, stream>>>(m, n, k, A, lda, B, ldb, C, ldc);
  check(cudaGetLastError(), "launch of matrix_product_naive");
}

template <int Tile, int Depth, class T>
  requires(has_tile<Tile, Depth>)
void matrix_product_tiled(std::int64_t m, std::int64_t n, std::int64_t k, const T* A, std::int64_t lda, const T* B,
                          std::int64_t ldb, T* C, std::int64_t ldc, cudaStream_t stream) {
  expect_operands("matrix_product_tiled", m, n, k, lda, ldb, ldc);
  const dim3 grid(blocks_along_x("matrix_product_tiled", "n", n, Tile), blocks_along_y(m, Tile));
  const dim3 block(Tile, Tile);
  if (m == 0 || n == 0) return;
  matrix_product_tiled_kernel<Tile, Depth><<<grid, block, 0, stream>>>(m, n, k, A, lda, B, ldb, C, ldc);
  check(cudaGetLastError(), "launch of matrix_product_tiled");
}

template void matrix_product_naive<float>(std::int64_t, std::int64_t, std::int64_t, const float*, std::int64_t,
                                          const float*, std::int64_t, float*, std::int64_t, cudaStream_t);
template void matrix_product_naive<double>(std::int64_t, std::int64_t, std::int64_t, const double*, std::int64_t,
                                           const double*, std::int64_t, double*, std::int64_t, cudaStream_t);
template void matrix_product_tiled<16, 16, float>(std::int64_t, std::int64_t, std::int64_t, const float*, std::int64_t,
                                                  const float*, std::int64_t, float*, std::int64_t, cudaStream_t);
template void matrix_product_tiled<16, 16, double>(std::int64_t, std::int64_t, std::int64_t, const double*,
                                                   std::int64_t, const double*, std::int64_t, double*, std::int64_t,
                                                   cudaStream_t);
template void matrix_product_tiled<16, 64, float>(std::int64_t, std::int64_t, std::int64_t, const float*, std::int64_t,
                                                  const float*, std::int64_t, float*, std::int64_t, cudaStream_t);
template void matrix_product_tiled<16, 64, double>(std::int64_t, std::int64_t, std::int64_t, const double*,
                                                   std::int64_t, const double*, std::int64_t, double*, std::int64_t,
                                                   cudaStream_t);
template void matrix_product_tiled<32, 32, float>(std::int64_t, std::int64_t, std::int64_t, const float*, std::int64_t,
                                                  const float*, std::int64_t, float*, std::int64_t, cudaStream_t);
template void matrix_product_tiled<32, 32, double>(std::int64_t, std::int64_t, std::int64_t, const double*,
                                                   std::int64_t, const double*, std::int64_t, double*, std::int64_t,
                                                   cudaStream_t);

}  // namespace abax::handwritten

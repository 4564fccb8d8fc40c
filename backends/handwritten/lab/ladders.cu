// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rungs that the classic kernels lack: a swizzled transpose, a matrix-vector product that stages both operands or
// none, an increment over pitched rows.
#include "handwritten/check.hpp"
#include "handwritten/grid.hpp"
#include "handwritten/lab/ladders.hpp"

namespace abax::handwritten::lab {
namespace {

constexpr int tile = 32, block_rows = 8;

__global__ void __launch_bounds__(tile* block_rows)
    transpose_swizzled_kernel(std::int64_t m, std::int64_t n, const float* __restrict__ A, std::int64_t lda,
                              float* __restrict__ B, std::int64_t ldb) {
  __shared__ float a_tile[tile][tile];  // (rows of A, columns of A exchanged by an XOR with the row)

  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const std::int64_t tile_column = static_cast<std::int64_t>(blockIdx.x) * tile;
  const std::int64_t grid_rows = static_cast<std::int64_t>(gridDim.y) * tile;
  for (std::int64_t tile_row = static_cast<std::int64_t>(blockIdx.y) * tile; tile_row < m; tile_row += grid_rows) {
    float a[tile / block_rows] = {};
#pragma unroll
    for (int i = 0; i < tile / block_rows; ++i) {  // all on their way before the first is stored
      const int r = ty + i * block_rows;
      if (tile_row + r < m && tile_column + tx < n) a[i] = A[(tile_row + r) * lda + tile_column + tx];
    }
#pragma unroll
    for (int i = 0; i < tile / block_rows; ++i) a_tile[ty + i * block_rows][tx ^ (ty + i * block_rows)] = a[i];
    __syncthreads();  // the tile is complete
#pragma unroll
    for (int c = ty; c < tile; c += block_rows)
      if (tile_row + tx < m && tile_column + c < n) B[(tile_column + c) * ldb + tile_row + tx] = a_tile[tx][c ^ tx];
    __syncthreads();  // every thread is done with the tile
  }
}

// A block's rows, and how many terms of each it stages at a time: a tile of 256 x 32, one word wider against conflicts.
constexpr int rows = 256, depth = 32, in_flight = 8;

template <staged What>
__global__ void __launch_bounds__(rows)
    matrix_vector_kernel(std::int64_t m, std::int64_t n, const float* __restrict__ A, std::int64_t lda,
                         const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float x_piece[depth];
  __shared__ float a_tile[What == staged::both ? rows : 1][depth + 1];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * rows, row = first_row + thread;
  float sum = 0;
  if constexpr (What == staged::nothing) {
    if (row < m)
      for (std::int64_t p = 0; p < n; ++p) sum = fmaf(A[row * lda + p], x[p], sum);
  } else {
    for (std::int64_t first = 0; first < n; first += depth) {
      const int terms = static_cast<int>(min(static_cast<std::int64_t>(depth), n - first));
      if (thread < terms) x_piece[thread] = x[first + thread];
      if constexpr (What == staged::both) {  // a warp fetches a row of the tile: neighbouring lanes, neighbouring words
        const int lane = thread % depth;
        for (int first_line = thread / depth; first_line < rows; first_line += in_flight * (rows / depth)) {
          float a[in_flight] = {};
#pragma unroll
          for (int i = 0; i < in_flight; ++i) {  // all on their way before the first is stored
            const std::int64_t line = first_row + first_line + i * (rows / depth);
            if (line < m && lane < terms) a[i] = A[line * lda + first + lane];
          }
#pragma unroll
          for (int i = 0; i < in_flight; ++i) a_tile[first_line + i * (rows / depth)][lane] = a[i];
        }
      }
      __syncthreads();  // the stage is complete
      if (row < m)
        for (int p = 0; p < terms; ++p)
          sum = fmaf(What == staged::both ? a_tile[thread][p] : A[row * lda + first + p], x_piece[p], sum);
      __syncthreads();  // every thread is done with it, those without a row as well
    }
  }
  if (row < m) y[row] = sum;
}

constexpr int line = 256;

__global__ void increment_pitched_kernel(std::int64_t width, std::size_t pitch, float value, float* x) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * line + threadIdx.x;
  // The pitch counts bytes, so the row is found as bytes.
  auto* const row = reinterpret_cast<float*>(reinterpret_cast<char*>(x) + blockIdx.y * pitch);
  if (column < width) row[column] += value;
}

}  // namespace

void transpose_swizzled(std::int64_t m, std::int64_t n, const float* A, std::int64_t lda, float* B, std::int64_t ldb,
                        cudaStream_t stream) {
  constexpr const char* function = "transpose_swizzled";
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_leading_dimension(function, "lda", lda, "n", n);
  expect_leading_dimension(function, "ldb", ldb, "m", m);
  const dim3 grid(blocks_along_x(function, "n", n, tile), blocks_along_y(m, tile));
  if (m == 0 || n == 0) return;
  transpose_swizzled_kernel<<<grid, dim3(tile, block_rows), 0, stream>>>(m, n, A, lda, B, ldb);
  check(cudaGetLastError(), "launch of transpose_swizzled");
}

void matrix_vector(staged what, std::int64_t m, std::int64_t n, const float* A, std::int64_t lda, const float* x,
                   float* y, cudaStream_t stream) {
  constexpr const char* function = "matrix_vector";
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_leading_dimension(function, "lda", lda, "n", n);
  const unsigned blocks = blocks_along_x(function, "m", m, rows);
  if (m == 0) return;
  const auto kernel = what == staged::nothing  ? matrix_vector_kernel<staged::nothing>
                      : what == staged::vector ? matrix_vector_kernel<staged::vector>
                                               : matrix_vector_kernel<staged::both>;
  kernel<<<blocks, rows, 0, stream>>>(m, n, A, lda, x, y);
  check(cudaGetLastError(), "launch of matrix_vector");
}

void copy_bytes(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

void increment_pitched(std::int64_t width, std::int64_t height, std::size_t pitch, float value, float* x,
                       cudaStream_t stream) {
  constexpr const char* function = "increment_pitched";
  expect_extent(function, "width", width);
  expect_extent(function, "height", height);
  if (height > 65535) refuse(function, "height", height, "at most 65535");
  if (pitch < width * sizeof(float))
    refuse(function, "pitch", static_cast<std::int64_t>(pitch), "at least the bytes of a row");
  const dim3 grid(blocks_along_x(function, "width", width, line), static_cast<unsigned>(height));
  if (width == 0 || height == 0) return;
  increment_pitched_kernel<<<grid, line, 0, stream>>>(width, pitch, value, x);
  check(cudaGetLastError(), "launch of increment_pitched");
}

}  // namespace abax::handwritten::lab

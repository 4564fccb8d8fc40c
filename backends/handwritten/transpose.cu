// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposes: straight through global memory, through a shared tile, and through a tile padded against bank conflicts.

#include "check.hpp"
#include "device.hpp"
#include "grid.hpp"
#include "handwritten.hpp"

namespace abax::handwritten {
namespace {

// A block moves a tile of 32 x 32 elements with 32 x 8 threads, each 4 elements, in all three kernels: a warp is a row
// of the tile, and what differs from kernel to kernel is the way through shared memory, nothing else.
constexpr int tile = 32;
constexpr int block_rows = 8;

/// Blocks along x cover the columns of A, blocks along y its rows. A grid ends at 65535 blocks along y, so in a very
/// tall A a block takes several tiles, a whole grid apart; up to two million rows the loop runs once.
template <class T>
__global__ void __launch_bounds__(tile* block_rows)
    transpose_naive_kernel(std::int64_t m, std::int64_t n, const T* __restrict__ A, std::int64_t lda, T* __restrict__ B,
                           std::int64_t ldb) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * tile + threadIdx.x;
  const std::int64_t grid_rows = static_cast<std::int64_t>(gridDim.y) * tile;
  for (std::int64_t tile_row = static_cast<std::int64_t>(blockIdx.y) * tile; tile_row < m; tile_row += grid_rows) {
    for (int r = 0; r < tile; r += block_rows) {
      const std::int64_t row = tile_row + r + threadIdx.y;
      if (row < m && column < n) B[column * ldb + row] = A[row * lda + column];
    }
  }
}

/// With Pad = 0 a column of the tile lies in the same banks, and the warp that reads it waits for its elements one
/// after another. With Pad = 1 each row starts one element further on, and the column meets all banks.
template <int Pad, class T>
__global__ void __launch_bounds__(tile* block_rows)
    transpose_tiled_kernel(std::int64_t m, std::int64_t n, const T* __restrict__ A, std::int64_t lda, T* __restrict__ B,
                           std::int64_t ldb) {
  __shared__ T a_tile[tile][tile + Pad];  // (rows of A, columns of A and Pad unused)

  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const std::int64_t tile_column = static_cast<std::int64_t>(blockIdx.x) * tile;
  const std::int64_t grid_rows = static_cast<std::int64_t>(gridDim.y) * tile;
  for (std::int64_t tile_row = static_cast<std::int64_t>(blockIdx.y) * tile; tile_row < m; tile_row += grid_rows) {
    // Rows of A come in: neighbouring threads read neighbouring columns.
    for (int r = ty; r < tile; r += block_rows) {
      const std::int64_t row = tile_row + r;
      const std::int64_t column = tile_column + tx;
      if (row < m && column < n) a_tile[r][tx] = A[row * lda + column];
    }
    __syncthreads();  // the tile is complete

    // Rows of B, which are columns of A, go out: tx now runs along the rows of A.
    for (int c = ty; c < tile; c += block_rows) {
      const std::int64_t row = tile_row + tx;
      const std::int64_t column = tile_column + c;
      if (row < m && column < n) B[column * ldb + row] = a_tile[tx][c];
    }
    __syncthreads();  // every thread is done with the tile
  }
}

// The tuned one: the tile and the path of Abax' own transpose, without Kokkos, to show what portability costs.
constexpr int wide_tile = 64;

/// A tile of 64 x 64 through shared memory in 16-byte chunks. Rows of the tile are rows of A; the chunks of a row are
/// exchanged by an XOR, so that those that come in along a row and those that a warp takes down a column of patches
/// meet all banks. A patch of wide x wide elements turns in registers.
template <int Threads, class T>
__global__ void __launch_bounds__(Threads, 4)
    transpose_wide_kernel(int m, int n, const T* __restrict__ A, std::int64_t lda, T* __restrict__ B,
                          std::int64_t ldb) {
  constexpr int wide = 16 / sizeof(T), chunks = wide_tile / wide;
  __shared__ uint4 a_tile[wide_tile * chunks];            // (rows of A, chunks of a row)
  const int row_tiles = (m + wide_tile - 1) / wide_tile;  // neighbouring blocks write along B's rows
  const int first_row = static_cast<int>(blockIdx.x) % row_tiles * wide_tile;
  const int first_column = static_cast<int>(blockIdx.x) / row_tiles * wide_tile;
  const int rows = min(wide_tile, m - first_row), columns = min(wide_tile, n - first_column);
  const T* const from = A + first_row * lda + first_column;
  T* const to = B + first_column * ldb + first_row;
  const auto at = [&](int row, int chunk) { return row * chunks + (chunk ^ row / wide % chunks); };

  if (rows == wide_tile && columns == wide_tile) {
#pragma unroll
    for (int e = threadIdx.x; e < wide_tile * chunks; e += Threads)
      copy_async<16>(a_tile + at(e / chunks, e % chunks), from + e / chunks * lda + e % chunks * wide);
    commit_copies();
    wait_copies<0>();
    __syncthreads();
#pragma unroll
    for (int e = threadIdx.x; e < chunks * chunks; e += Threads) {
      const int row = e % chunks * wide, chunk = e / chunks;
      union {
        uint4 words;
        T element[wide];
      } lines[wide], turned;
#pragma unroll
      for (int v = 0; v < wide; ++v) lines[v].words = a_tile[at(row + v, chunk)];
#pragma unroll
      for (int u = 0; u < wide; ++u) {
#pragma unroll
        for (int v = 0; v < wide; ++v) turned.element[v] = lines[v].element[u];
        *reinterpret_cast<uint4*>(to + (chunk * wide + u) * ldb + row) = turned.words;
      }
    }
  } else {
    for (int e = threadIdx.x; e < rows * columns; e += Threads)
      to[e / rows * ldb + e % rows] = from[e % rows * lda + e / rows];
  }
}

void expect_operands(const char* function, std::int64_t m, std::int64_t n, std::int64_t lda, std::int64_t ldb) {
  expect_extent(function, "m", m);
  expect_extent(function, "n", n);
  expect_leading_dimension(function, "lda", lda, "n", n);
  expect_leading_dimension(function, "ldb", ldb, "m", m);
}

}  // namespace

template <class T>
void transpose_naive(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, T* B, std::int64_t ldb,
                     cudaStream_t stream) {
  expect_operands("transpose_naive", m, n, lda, ldb);
  const dim3 grid(blocks_along_x("transpose_naive", "n", n, tile), blocks_along_y(m, tile));
  if (m == 0 || n == 0) return;
  transpose_naive_kernel<<<grid, dim3(tile, block_rows), 0, stream>>>(m, n, A, lda, B, ldb);
  check(cudaGetLastError(), "launch of transpose_naive");
}

template <class T>
void transpose_tiled(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, T* B, std::int64_t ldb,
                     cudaStream_t stream) {
  expect_operands("transpose_tiled", m, n, lda, ldb);
  const dim3 grid(blocks_along_x("transpose_tiled", "n", n, tile), blocks_along_y(m, tile));
  if (m == 0 || n == 0) return;
  transpose_tiled_kernel<0><<<grid, dim3(tile, block_rows), 0, stream>>>(m, n, A, lda, B, ldb);
  check(cudaGetLastError(), "launch of transpose_tiled");
}

template <class T>
void transpose_padded(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, T* B, std::int64_t ldb,
                      cudaStream_t stream) {
  expect_operands("transpose_padded", m, n, lda, ldb);
  const dim3 grid(blocks_along_x("transpose_padded", "n", n, tile), blocks_along_y(m, tile));
  if (m == 0 || n == 0) return;
  transpose_tiled_kernel<1><<<grid, dim3(tile, block_rows), 0, stream>>>(m, n, A, lda, B, ldb);
  check(cudaGetLastError(), "launch of transpose_padded");
}

template <class T>
void transpose_wide(std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, T* B, std::int64_t ldb,
                    cudaStream_t stream) {
  expect_operands("transpose_wide", m, n, lda, ldb);
  expect_words("transpose_wide", "A", A, lda);
  expect_words("transpose_wide", "B", B, ldb);
  constexpr int threads = 256;
  const std::int64_t row_tiles = (m + wide_tile - 1) / wide_tile, column_tiles = (n + wide_tile - 1) / wide_tile;
  if (m == 0 || n == 0) return;
  const unsigned blocks = blocks_along_x("transpose_wide", "m n", row_tiles * column_tiles, 1);
  transpose_wide_kernel<threads>
      <<<blocks, threads, 0, stream>>>(static_cast<int>(m), static_cast<int>(n), A, lda, B, ldb);
  check(cudaGetLastError(), "launch of transpose_wide");
}

template void transpose_naive<float>(std::int64_t, std::int64_t, const float*, std::int64_t, float*, std::int64_t,
                                     cudaStream_t);
template void transpose_naive<double>(std::int64_t, std::int64_t, const double*, std::int64_t, double*, std::int64_t,
                                      cudaStream_t);
template void transpose_tiled<float>(std::int64_t, std::int64_t, const float*, std::int64_t, float*, std::int64_t,
                                     cudaStream_t);
template void transpose_tiled<double>(std::int64_t, std::int64_t, const double*, std::int64_t, double*, std::int64_t,
                                      cudaStream_t);
template void transpose_padded<float>(std::int64_t, std::int64_t, const float*, std::int64_t, float*, std::int64_t,
                                      cudaStream_t);
template void transpose_padded<double>(std::int64_t, std::int64_t, const double*, std::int64_t, double*, std::int64_t,
                                       cudaStream_t);
template void transpose_wide<float>(std::int64_t, std::int64_t, const float*, std::int64_t, float*, std::int64_t,
                                    cudaStream_t);
template void transpose_wide<double>(std::int64_t, std::int64_t, const double*, std::int64_t, double*, std::int64_t,
                                     cudaStream_t);

}  // namespace abax::handwritten

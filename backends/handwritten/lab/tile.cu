// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile in shared memory, written and read by rows and by columns: what bank conflicts are, and two ways out.
#include <stdexcept>

#include "../check.hpp"
#include "../lab.hpp"

namespace abax::handwritten::lab {
namespace {

struct cell {
  int row, column;
};

__device__ __forceinline__ cell cell_of(int thread, walk way, int rows, int columns) {
  return way == walk::rows ? cell{thread / columns, thread % columns} : cell{thread % rows, thread / rows};
}

/// Swizzled, row r keeps its columns in another order: column c at c xor (r * Swizzle), so that a column of the tile
/// lies in all banks although the tile is no wider.
template <int Rows, int Columns, int Padding, int Swizzle>
__global__ void tile_static_kernel(walk write, walk read, int rounds, int* x) {
  __shared__ int tile[Rows][Columns + Padding];
  const int thread = threadIdx.x;
  const cell to = cell_of(thread, write, Rows, Columns), from = cell_of(thread, read, Rows, Columns);
  int value = 0;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();  // the round before has been read
    tile[to.row][to.column ^ (to.row * Swizzle % Columns)] = thread + round;
    __syncthreads();  // the tile is complete
    value = tile[from.row][from.column ^ (from.row * Swizzle % Columns)] - round;
    if (value < 0) x[thread] = value;  // never: but no round's read can be left out
  }
  x[thread] = value;
}

__global__ void tile_dynamic_kernel(int rows, int columns, int line, int swizzle, walk write, walk read, int rounds,
                                    int* x) {
  extern __shared__ int tile[];  // rows lines of `line` elements
  const int thread = threadIdx.x;
  const cell to = cell_of(thread, write, rows, columns), from = cell_of(thread, read, rows, columns);
  int value = 0;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    tile[to.row * line + (to.column ^ (to.row * swizzle & (columns - 1)))] = thread + round;
    __syncthreads();
    value = tile[from.row * line + (from.column ^ (from.row * swizzle & (columns - 1)))] - round;
    if (value < 0) x[thread] = value;
  }
  x[thread] = value;
}

template <int Rows, int Columns, int Spread>
void launch_static(form how, walk write, walk read, int rounds, int* x, cudaStream_t stream) {
  constexpr int threads = Rows * Columns;
  if (how == form::plain)
    tile_static_kernel<Rows, Columns, 0, 0><<<1, threads, 0, stream>>>(write, read, rounds, x);
  else if (how == form::padded)
    tile_static_kernel<Rows, Columns, Spread, 0><<<1, threads, 0, stream>>>(write, read, rounds, x);
  else
    tile_static_kernel<Rows, Columns, 0, Spread><<<1, threads, 0, stream>>>(write, read, rounds, x);
  check(cudaGetLastError(), "launch of tile_static");
}

/// The padding of a tile's rows, or the factor of their swizzle, by which its columns lie in all banks.
int spread_of(const char* function, int rows, int columns) {
  if (rows == columns && (rows == 32 || rows == 4)) return 1;
  if (rows == 16 && columns == 32) return 2;
  throw std::invalid_argument(std::string("abax::handwritten::lab::") + function + ": a tile of " +
                              std::to_string(rows) + " x " + std::to_string(columns) +
                              ", expected 32 x 32, 4 x 4 or 16 x 32");
}

}  // namespace

void tile_static(int rows, int columns, form how, walk write, walk read, int rounds, int* x, cudaStream_t stream) {
  spread_of("tile_static", rows, columns);
  if (rows == 4)
    launch_static<4, 4, 1>(how, write, read, rounds, x, stream);
  else if (rows == 32)
    launch_static<32, 32, 1>(how, write, read, rounds, x, stream);
  else
    launch_static<16, 32, 2>(how, write, read, rounds, x, stream);
}

void tile_dynamic(int rows, int columns, form how, walk write, walk read, int rounds, int* x, cudaStream_t stream) {
  const int spread = spread_of("tile_dynamic", rows, columns);
  const int line = columns + (how == form::padded ? spread : 0), swizzle = how == form::swizzled ? spread : 0;
  const std::size_t bytes = static_cast<std::size_t>(rows) * static_cast<std::size_t>(line) * sizeof(int);
  tile_dynamic_kernel<<<1, rows * columns, bytes, stream>>>(rows, columns, line, swizzle, write, read, rounds, x);
  check(cudaGetLastError(), "launch of tile_dynamic");
}

}  // namespace abax::handwritten::lab

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lab's hand-written CUDA kernels, twins of the portable ones in perf/lab/. Streams and errors as in handwritten.hpp.
#pragma once

#include <cuda_runtime_api.h>

namespace abax::handwritten::lab {

/// How threads run through a tile: by rows, neighbours take neighbouring columns; by columns, neighbouring rows.
enum class walk { rows, columns };
enum class form { plain, padded, swizzled };

/// x[t] <- what thread t reads from a tile in shared memory that thread t' has written t' to, `rounds` times over. One
/// block; a thread for each element of the tile. 32 x 32 and 4 x 4, padded by 1, and 16 x 32, padded by 2.
/// tile_static: shared memory whose size is known to the compiler; tile_dynamic: given at the launch.
void tile_static(int rows, int columns, form how, walk write, walk read, int rounds, int* x, cudaStream_t stream);
void tile_dynamic(int rows, int columns, form how, walk write, walk read, int rounds, int* x, cudaStream_t stream);

}  // namespace abax::handwritten::lab

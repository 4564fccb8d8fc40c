// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lab's hand-written CUDA kernels, twins of the portable ones in perf/lab/. Streams and errors as in
// handwritten.hpp.
#pragma once

#include <cstdint>

using cudaStream_t = struct CUstream_st*;  // as CUDA declares it: this header serves builds without CUDA, too

namespace abax::handwritten::lab {

/// How threads run through a tile: by rows, neighbours take neighbouring columns; by columns, neighbouring rows.
enum class walk { rows, columns };
enum class form { plain, padded, swizzled };

/// x[t] <- what thread t reads from a tile in shared memory that thread t' has written t' to, `rounds` times over. One
/// block; a thread for each element of the tile. 32 x 32 and 4 x 4, padded by 1, and 16 x 32, padded by 2.
/// tile_static: shared memory whose size is known to the compiler; tile_dynamic: given at the launch.
void tile_static(int rows, int columns, form how, walk write, walk read, int rounds, int* x, cudaStream_t stream);
void tile_dynamic(int rows, int columns, form how, walk write, walk read, int rounds, int* x, cudaStream_t stream);

/// x[t] <- the sum of the parts of the word that lane 31 - t % 32 has written, after `work` steps of arithmetic,
/// `rounds` times over. One block of 256 threads; words of `width` (4, 8 or 16) bytes lie `stride` apart, `group` lanes
/// share one.
void sweep(int width, int stride, int group, int work, int rounds, std::uint32_t* x, cudaStream_t stream);

/// The classic reads of a warp, 4 bytes a lane: bytes 0 to 127 in a mixed order; one word for all; bytes 96 to 223; the
/// same by one block and bytes 0 to 95 by another; 32 bytes each at 0, 128, 256 and 480.
enum class warp_reads { permuted, one_word, shifted, two_blocks, pieces };

/// x[32 b + l] <- the word of `a` (128 of them) that lane l of block b reads, -2 where it reads none.
void read_by_warps(warp_reads pattern, const std::int32_t* a, std::int32_t* x, cudaStream_t stream);

/// x[i] <- a[offset + i * stride], for i < blocks * strided_threads.
inline constexpr int strided_threads = 256;
void read_strided(int blocks, std::int64_t offset, std::int64_t stride, const std::int32_t* a, std::int32_t* x,
                  cudaStream_t stream);

}  // namespace abax::handwritten::lab

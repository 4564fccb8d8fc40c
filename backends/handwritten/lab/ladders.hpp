// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-written CUDA kernels of the lab's experiments 4 to 10, callable from plain C++. What handwritten.hpp says of
// operands, streams and errors holds here, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

using cudaStream_t = struct CUstream_st*;  // as CUDA declares it: this header serves builds without CUDA, too

namespace abax::handwritten::lab {

// ---------------------------------------------------------------------------------------------------------------------
// Transpose and matrix-vector product

/// B <- A^T through a 32 x 32 tile without padding: element (r, c) of the tile lies in column c ^ r, so that rows and
/// columns both lie in all banks. Shapes: A m x n, lda >= n; B n x m, ldb >= m.
void transpose_swizzled(std::int64_t m, std::int64_t n, const float* A, std::int64_t lda, float* B, std::int64_t ldb,
                        cudaStream_t stream);

/// y <- A x, a thread per row, 256 to a block; one chain per row. `vector`: pieces of x in shared memory. `both`: a
/// tile of A beside it, fetched along A's rows and read down its columns. Shapes: A m x n, lda >= n; x n; y m.
enum class staged { nothing, vector, both };
void matrix_vector(staged what, std::int64_t m, std::int64_t n, const float* A, std::int64_t lda, const float* x,
                   float* y, cudaStream_t stream);

// ---------------------------------------------------------------------------------------------------------------------
// Copies

/// to <- from, both on the device or in page-locked memory of the host: cudaMemcpyAsync.
void copy_bytes(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

/// x[i] <- x[i] + value in `height` rows of `width` elements, `pitch` bytes apart (cudaMallocPitch).
void increment_pitched(std::int64_t width, std::int64_t height, std::size_t pitch, float value, float* x,
                       cudaStream_t stream);

// ---------------------------------------------------------------------------------------------------------------------
// Ordering

/// How a message is passed: plain data and a volatile flag, alone or with a fence on both sides; or volatile data, too.
enum class passing { plain, block_fence, device_fence, system_fence, volatile_data, volatile_and_device_fence };

/// What a reader can see, by flag and data: both new, neither, only the data, only the flag. The last one is what weak
/// ordering allows and a fence forbids.
struct outcomes {
  std::uint64_t both, neither, data_only, flag_only;
};

/// Messages of 128 writers to 128 readers, `rounds` each, for each of `pairs` pairs; `same_block`: writers and readers
/// share a block, else each have one. A round is a message of its own, with words of its own. Nobody waits longer than
/// a bounded number of looks, so every launch ends. Workspace: 3 * pairs * rounds * 128 words, cleared before, and
/// *found, cleared before.
void pass_messages(passing how, bool same_block, int pairs, int rounds, unsigned* words, outcomes* found,
                   cudaStream_t stream);

/// y <- x with each block of 256 elements reversed, by way of shared memory; without the barrier its result is
/// undefined. n a multiple of 256.
void reverse_blocks(bool barrier, std::int64_t n, const float* x, float* y, cudaStream_t stream);

// ---------------------------------------------------------------------------------------------------------------------
// Cache configuration

/// What the runtime is asked for before a launch: cudaFuncSetCacheConfig where `carveout` is -2, else that percentage
/// of cudaFuncAttributePreferredSharedMemoryCarveout (-1: the default).
struct cache_request {
  int config;  // cudaFuncCache
  int carveout;
};

/// A kernel limited by the L1 cache: a block of 1024 threads reads `bytes` of x (a multiple of 16 KB) `rounds` times,
/// one block a multiprocessor; sums[block] <- the sum of all words read.
void read_again(const cache_request& asked, int blocks, std::size_t bytes, int rounds, const unsigned* x,
                unsigned* sums, cudaStream_t stream);

/// A kernel limited by scratch: blocks of 128 threads with 24 KB of shared memory each; each thread chases `steps`
/// pointers through its block's. most[0] <- the most blocks that one multiprocessor held at once; last[block] <- where
/// thread 0 ended. Workspace `held`: a counter for each of up to 1024 multiprocessors, cleared before.
void hold_scratch(const cache_request& asked, int blocks, int steps, const unsigned* next, unsigned* last,
                  unsigned* held, unsigned* most, cudaStream_t stream);
inline constexpr int held_words = 6144;  // of `next`: 24 KB

/// What the bank-size call makes of a request for 8-byte banks: the size in bytes that is set afterwards; *error says
/// why it is not 8, if the runtime does.
int banks_of_eight_bytes(const char** error);

/// x[i] <- i for i < n, by `blocks` blocks of 256 threads, each element once: threads beyond n do nothing, and where
/// they are fewer than n, each takes several.
void number_elements(std::int64_t n, int blocks, float* x, cudaStream_t stream);

// ---------------------------------------------------------------------------------------------------------------------
// Memory kinds

enum class memory_kind { registers, scratch, l1, l2, global, constant, read_only, texture, local, mapped };

/// One thread follows `steps` pointers of `next` (each the number of the next word), beginning at word result[0]:
/// result[0] <- where it ends, result[1] <- processor cycles. The memory is `next` itself, read past the L1 (l2,
/// global, mapped), through it (l1), on the read-only path or as a texture (of 16 bytes: pointers in every fourth
/// word); or a copy of its first `words` in shared, constant or local memory. registers: words = 1; result[0] grows by
/// 1 at each step.
void chase(memory_kind kind, const unsigned* next, int words, int steps, std::uint64_t* result, cudaStream_t stream);

/// Reads `bytes` (a multiple of 64 KB) of x `rounds` times with `blocks` blocks of 512 threads: all blocks together
/// (l2, global, mapped), or each block all of it (the others; of what scratch and constant memory have no room for, the
/// first 32 and 2 KB). sums[block] += all words that the block's threads read. Returns the bytes that reach them.
double read_all(memory_kind kind, int blocks, std::size_t bytes, int rounds, const unsigned* x, unsigned* sums,
                cudaStream_t stream);

}  // namespace abax::handwritten::lab

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages between threads, with and without fences; a tile with and without its barrier.

#include "handwritten/check.hpp"
#include "handwritten/grid.hpp"
#include "handwritten/lab/ladders.hpp"

namespace abax::handwritten::lab {
namespace {

constexpr int side = 128;  // writers, and as many readers

// The accesses by their instructions: a compiler may keep, merge or move those of plain C++, and the question here is
// what the machine does.
__device__ unsigned load_plain(const unsigned* p) {
  unsigned v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
__device__ unsigned load_volatile(const unsigned* p) {
  unsigned v;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
__device__ void store_plain(unsigned* p, unsigned v) { asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v)); }
__device__ void store_volatile(unsigned* p, unsigned v) {
  asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p), "r"(v));
}

template <passing How>
__device__ void fence() {
  if constexpr (How == passing::block_fence) __threadfence_block();
  if constexpr (How == passing::device_fence || How == passing::volatile_and_device_fence) __threadfence();
  if constexpr (How == passing::system_fence) __threadfence_system();
}

/// Looks at *flag until it is set, but not for ever: the other side may be late, or not running yet.
__device__ bool wait_for(const unsigned* flag) {
  for (int look = 0; look < 20000; ++look)
    if (load_volatile(flag) != 0) return true;
  return false;
}

template <passing How>
__device__ void write_messages(int pair, int rounds, int thread, unsigned* data, unsigned* flags, unsigned* ready) {
  constexpr bool plain = How != passing::volatile_data && How != passing::volatile_and_device_fence;
  for (int round = 0; round < rounds; ++round) {
    const int at = (pair * rounds + round) * side + thread;
    wait_for(ready + at);
    plain ? store_plain(data + at, 1) : store_volatile(data + at, 1);
    fence<How>();
    store_volatile(flags + at, 1);
  }
}

template <passing How>
__device__ void read_messages(int pair, int rounds, int thread, const unsigned* data, const unsigned* flags,
                              unsigned* ready, outcomes* found) {
  constexpr bool plain = How != passing::volatile_data && How != passing::volatile_and_device_fence;
  outcomes seen{};
  for (int round = 0; round < rounds; ++round) {
    const int at = (pair * rounds + round) * side + thread;
    // A neighbour's word (0 or 1) brings this one's sector into the L1 cache, as any earlier read nearby would have.
    store_volatile(ready + at, 1 | (plain ? load_plain(data + (at ^ 1)) : 0));
    const bool flag = wait_for(flags + at);
    fence<How>();
    const bool message = (plain ? load_plain(data + at) : load_volatile(data + at)) != 0;
    seen.both += flag && message;
    seen.neither += !flag && !message;
    seen.data_only += !flag && message;
    seen.flag_only += flag && !message;
  }
  using word = unsigned long long;
  atomicAdd(reinterpret_cast<word*>(&found->both), static_cast<word>(seen.both));
  atomicAdd(reinterpret_cast<word*>(&found->neither), static_cast<word>(seen.neither));
  atomicAdd(reinterpret_cast<word*>(&found->data_only), static_cast<word>(seen.data_only));
  atomicAdd(reinterpret_cast<word*>(&found->flag_only), static_cast<word>(seen.flag_only));
}

/// Blocks of `side` threads: first the pairs' writers, then their readers; or both in blocks of twice as many.
template <passing How>
__global__ void pass_messages_kernel(bool same_block, int pairs, int rounds, unsigned* words, outcomes* found) {
  const int all = pairs * rounds * side;
  unsigned* const data = words;
  unsigned* const flags = words + all;
  unsigned* const ready = words + 2 * all;
  const int block = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x) % side;
  const int pair = block % pairs;
  const bool writes = same_block ? threadIdx.x < side : block < pairs;
  if (writes)
    write_messages<How>(pair, rounds, thread, data, flags, ready);
  else
    read_messages<How>(pair, rounds, thread, data, flags, ready, found);
}

constexpr int tile = 256;

template <bool Barrier>
__global__ void __launch_bounds__(tile) reverse_blocks_kernel(const float* x, float* y) {
  __shared__ float x_tile[tile];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * tile;
  const int thread = static_cast<int>(threadIdx.x);
  x_tile[thread] = x[first + thread];
  if constexpr (Barrier) __syncthreads();
  y[first + thread] = x_tile[tile - 1 - thread];  // another warp's element
}

}  // namespace

void pass_messages(passing how, bool same_block, int pairs, int rounds, unsigned* words, outcomes* found,
                   cudaStream_t stream) {
  if (pairs < 1) refuse("pass_messages", "pairs", pairs, "1 or more");
  if (rounds < 1) refuse("pass_messages", "rounds", rounds, "1 or more");
  const auto kernel = how == passing::plain           ? pass_messages_kernel<passing::plain>
                      : how == passing::block_fence   ? pass_messages_kernel<passing::block_fence>
                      : how == passing::device_fence  ? pass_messages_kernel<passing::device_fence>
                      : how == passing::system_fence  ? pass_messages_kernel<passing::system_fence>
                      : how == passing::volatile_data ? pass_messages_kernel<passing::volatile_data>
                                                      : pass_messages_kernel<passing::volatile_and_device_fence>;
  kernel<<<same_block ? pairs : 2 * pairs, same_block ? 2 * side : side, 0, stream>>>(same_block, pairs, rounds, words,
                                                                                      found);
  check(cudaGetLastError(), "launch of pass_messages");
}

void reverse_blocks(bool barrier, std::int64_t n, const float* x, float* y, cudaStream_t stream) {
  expect_extent("reverse_blocks", "n", n);
  if (n % tile != 0) refuse("reverse_blocks", "n", n, "a multiple of 256");
  const unsigned blocks = blocks_along_x("reverse_blocks", "n", n, tile);
  if (n == 0) return;
  (barrier ? reverse_blocks_kernel<true> : reverse_blocks_kernel<false>)<<<blocks, tile, 0, stream>>>(x, y);
  check(cudaGetLastError(), "launch of reverse_blocks");
}

}  // namespace abax::handwritten::lab

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of 4, 8 and 16 bytes in shared memory, a stride apart: what the width of an access has to do with banks.
#include <cstdint>
#include <stdexcept>

#include "../check.hpp"
#include "../lab.hpp"

namespace abax::handwritten::lab {
namespace {

constexpr int lanes = 32, threads = 8 * lanes;

__device__ __forceinline__ unsigned fold(unsigned w) { return w; }
__device__ __forceinline__ unsigned fold(uint2 w) { return w.x + w.y; }
__device__ __forceinline__ unsigned fold(uint4 w) { return w.x + w.y + w.z + w.w; }

__device__ __forceinline__ void fill(unsigned& w, unsigned first) { w = first; }
__device__ __forceinline__ void fill(uint2& w, unsigned first) { w = make_uint2(first, first + 1); }
__device__ __forceinline__ void fill(uint4& w, unsigned first) {
  w = make_uint4(first, first + 1, first + 2, first + 3);
}

template <class Word>
__global__ void __launch_bounds__(threads) sweep_kernel(int stride, int group, int work, int rounds, std::uint32_t* x) {
  extern __shared__ uint4 shared[];
  Word* const words = reinterpret_cast<Word*>(shared);
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  unsigned value = 0;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();  // the round before has been read
    Word w;
    fill(w, static_cast<unsigned>(lane / group + round));
    words[lane / group * stride] = w;
    __syncthreads();  // all words are there
    value = fold(words[(lanes - 1 - lane) / group * stride]);
    for (int step = 0; step < work; ++step) value = value * 1664525u + 1013904223u;
    if (value == ~0u) x[threadIdx.x] = value;  // so that no round's read can be left out
  }
  x[threadIdx.x] = value;
}

}  // namespace

void sweep(int width, int stride, int group, int work, int rounds, std::uint32_t* x, cudaStream_t stream) {
  if (stride < 1) refuse("lab::sweep", "stride", stride, "1 or more");
  if (group < 1 || group > lanes) refuse("lab::sweep", "group", group, "1 to 32");
  const int bytes = width * ((lanes - 1) * stride + 1);
  if (bytes > 48 * 1024) refuse("lab::sweep", "stride", stride, "words that fit into 48 KB");
  if (width == 4)
    sweep_kernel<unsigned><<<1, threads, bytes, stream>>>(stride, group, work, rounds, x);
  else if (width == 8)
    sweep_kernel<uint2><<<1, threads, bytes, stream>>>(stride, group, work, rounds, x);
  else if (width == 16)
    sweep_kernel<uint4><<<1, threads, bytes, stream>>>(stride, group, work, rounds, x);
  else
    refuse("lab::sweep", "width", width, "4, 8 or 16");
  check(cudaGetLastError(), "launch of sweep");
}

}  // namespace abax::handwritten::lab

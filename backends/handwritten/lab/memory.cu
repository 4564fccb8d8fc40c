// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each kind of memory takes to answer one thread, and what it gives to all of them.
#include <cuda_runtime.h>

#include <string>

#include "handwritten/check.hpp"
#include "handwritten/lab/ladders.hpp"

namespace abax::handwritten::lab {
namespace {

constexpr int scratch_words = 8192, constant_words = 8192, local_words = 256;

__constant__ uint4 constant_memory[constant_words / 4];

// Loads by their instructions, so that none is left out and each takes the way that is being measured.
template <memory_kind Kind>
__device__ __forceinline__ unsigned load(const unsigned* p, cudaTextureObject_t texture, unsigned at) {
  unsigned v = 0;
  if constexpr (Kind == memory_kind::l1)
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p + at));
  else if constexpr (Kind == memory_kind::read_only)
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(p + at));
  else if constexpr (Kind == memory_kind::mapped)
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(p + at));
  else if constexpr (Kind == memory_kind::texture)
    v = tex1Dfetch<uint4>(texture, static_cast<int>(at / 4)).x;  // the chain uses a chunk's first word alone
  else
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + at));
  return v;
}
template <memory_kind Kind>
__device__ __forceinline__ uint4 load_chunk(const uint4* p, cudaTextureObject_t texture, int at) {
  uint4 v{};
  if constexpr (Kind == memory_kind::l1)
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p + at));
  else if constexpr (Kind == memory_kind::read_only)
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p + at));
  else if constexpr (Kind == memory_kind::texture)
    v = tex1Dfetch<uint4>(texture, at);
  else if constexpr (Kind == memory_kind::scratch)
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(p + at))));
  else
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p + at));
  return v;
}
__device__ __forceinline__ unsigned sum_of(const uint4& v) { return v.x + v.y + v.z + v.w; }

template <memory_kind Kind>
__global__ void chase_kernel(const unsigned* next, cudaTextureObject_t texture, int words, int steps,
                             std::uint64_t* result) {
  auto at = static_cast<unsigned>(result[0]);
  long long begin = 0;
  if constexpr (Kind == memory_kind::registers) {
    begin = clock64();
#pragma unroll 16
    for (int s = 0; s < steps; ++s) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(at) : "r"(words));  // + 1
  } else if constexpr (Kind == memory_kind::scratch) {
    __shared__ unsigned hop[scratch_words];
    for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x)) hop[i] = next[i];
    __syncthreads();
    if (threadIdx.x > 0) return;
    begin = clock64();
#pragma unroll 16
    for (int s = 0; s < steps; ++s) at = hop[at];
  } else if constexpr (Kind == memory_kind::local) {
    unsigned hop[local_words];
    for (int i = 0; i < words; ++i) hop[i] = next[i];
    begin = clock64();
#pragma unroll 16
    for (int s = 0; s < steps; ++s) at = hop[at];
  } else if constexpr (Kind == memory_kind::constant) {
    const auto* const hop = reinterpret_cast<const unsigned*>(constant_memory);
    begin = clock64();
#pragma unroll 16
    for (int s = 0; s < steps; ++s) at = hop[at];
  } else {
    begin = clock64();
#pragma unroll 16
    for (int s = 0; s < steps; ++s) at = load<Kind>(next, texture, at);
  }
  result[0] = at;
  result[1] = static_cast<std::uint64_t>(clock64() - begin) + (at >> 31);  // the clock is read once the chain has ended
}

constexpr int readers = 512, in_flight = 8;  // 64 KB of a block at a time

/// The sum of a thread's own array, in_flight chunks, `rounds` times over. A function that is called, with another
/// place first in each round: an array that the compiler can follow would stay in registers.
__device__ __noinline__ unsigned sum_of_own(const uint4* own, int rounds) {
  const auto place = static_cast<unsigned>(__cvta_generic_to_local(own));
  unsigned sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    uint4 v[in_flight];
#pragma unroll
    for (int e = 0; e < in_flight; ++e)
      asm volatile("ld.local.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[e].x), "=r"(v[e].y), "=r"(v[e].z), "=r"(v[e].w)
                   : "r"(place + static_cast<unsigned>((e + r) % in_flight * sizeof(uint4)))
                   : "memory");
#pragma unroll
    for (int e = 0; e < in_flight; ++e) sum += sum_of(v[e]);
  }
  return sum;
}

template <memory_kind Kind>
__global__ void __launch_bounds__(readers)
    read_kernel(const uint4* x, cudaTextureObject_t texture, int chunks, int rounds, unsigned* sums) {
  constexpr bool together = Kind == memory_kind::l2 || Kind == memory_kind::global || Kind == memory_kind::mapped;
  const int thread = static_cast<int>(threadIdx.x);
  unsigned sum = 0;
  if constexpr (Kind == memory_kind::registers) {
    // Chains of multiply-adds, three operands each. Numbers stay small: 3/4 a + 1/4.
    const float by = __uint_as_float(x[0].x), plus = __uint_as_float(x[0].y);
    float a[in_flight];
    for (int c = 0; c < in_flight; ++c) a[c] = static_cast<float>(c);
    for (int r = 0; r < rounds; ++r)
#pragma unroll
      for (int c = 0; c < in_flight; ++c) a[c] = fmaf(a[c], by, plus);
    for (int c = 0; c < in_flight; ++c) sum += __float_as_uint(a[c]);
  } else if constexpr (Kind == memory_kind::constant) {
    // All lanes ask for the same words, as constant memory wants it. threadIdx.y is 0, which the compiler does not
    // know: else it would take them through the scalar path.
    for (int r = 0; r < rounds; ++r)
#pragma unroll 8
      for (int c = 0; c < chunks; ++c) sum += sum_of(constant_memory[c + static_cast<int>(threadIdx.y)]);
  } else if constexpr (Kind == memory_kind::local) {
    uint4 own[in_flight];
    for (int e = 0; e < in_flight; ++e) own[e] = x[thread + e * readers];
    sum = sum_of_own(own, rounds);
  } else {
    const uint4* from = x;
    if constexpr (Kind == memory_kind::scratch) {
      __shared__ uint4 tile[scratch_words / 4];
      for (int c = thread; c < chunks; c += readers) tile[c] = x[c];
      __syncthreads();
      from = tile;
    }
    const int step = together ? static_cast<int>(gridDim.x) * readers : readers;
    const int first = together ? static_cast<int>(blockIdx.x) * readers + thread : thread;
    constexpr int at_once = Kind == memory_kind::scratch ? in_flight / 2 : in_flight;  // of which it holds half
    for (int r = 0; r < rounds; ++r)
      for (int c = first; c < chunks; c += at_once * step) {
        uint4 v[at_once];
#pragma unroll
        for (int e = 0; e < at_once; ++e)
          v[e] = !together || c + e * step < chunks ? load_chunk<Kind>(from, texture, c + e * step) : uint4{0, 0, 0, 0};
#pragma unroll
        for (int e = 0; e < at_once; ++e) sum += sum_of(v[e]);
      }
  }
  atomicAdd(sums + blockIdx.x, sum);
}

/// A texture of 16-byte texels that holds x: a copy, because a texture's memory begins on a line of its own (512
/// bytes), which x need not. It is kept for the calls that follow with the same x, and until the program ends.
cudaTextureObject_t texture_of(const unsigned* x, std::size_t bytes, cudaStream_t stream) {
  static const unsigned* kept_x = nullptr;
  static std::size_t kept_bytes = 0;
  static cudaTextureObject_t kept = 0;
  static void* copy = nullptr;
  if (x == kept_x && bytes == kept_bytes) return kept;
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // nobody reads through the one before any more
  if (kept_x != nullptr) {
    kept_x = nullptr;
    check(cudaDestroyTextureObject(kept), "cudaDestroyTextureObject");
    check(cudaFree(copy), "cudaFree");
  }
  check(cudaMalloc(&copy, bytes), "cudaMalloc");
  check(cudaMemcpyAsync(copy, x, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  cudaResourceDesc memory{};
  memory.resType = cudaResourceTypeLinear;
  memory.res.linear.devPtr = copy;
  memory.res.linear.desc = cudaCreateChannelDesc<uint4>();
  memory.res.linear.sizeInBytes = bytes;
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  check(cudaCreateTextureObject(&kept, &memory, &how, nullptr), "cudaCreateTextureObject");
  kept_x = x;
  kept_bytes = bytes;
  return kept;
}

void fill_constant(const unsigned* x, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemcpyToSymbolAsync(constant_memory, x, bytes, 0, cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyToSymbolAsync");
}

int words_of(memory_kind kind) {
  switch (kind) {
    case memory_kind::scratch:
      return scratch_words;
    case memory_kind::constant:
      return constant_words;
    case memory_kind::local:
      return local_words;
    default:
      return 1 << 30;
  }
}

template <class Launch>
void with_kind(memory_kind kind, const Launch& launch) {
  switch (kind) {
    case memory_kind::registers:
      return launch.template operator()<memory_kind::registers>();
    case memory_kind::scratch:
      return launch.template operator()<memory_kind::scratch>();
    case memory_kind::l1:
      return launch.template operator()<memory_kind::l1>();
    case memory_kind::l2:
      return launch.template operator()<memory_kind::l2>();
    case memory_kind::global:
      return launch.template operator()<memory_kind::global>();
    case memory_kind::constant:
      return launch.template operator()<memory_kind::constant>();
    case memory_kind::read_only:
      return launch.template operator()<memory_kind::read_only>();
    case memory_kind::texture:
      return launch.template operator()<memory_kind::texture>();
    case memory_kind::local:
      return launch.template operator()<memory_kind::local>();
    case memory_kind::mapped:
      return launch.template operator()<memory_kind::mapped>();
  }
}

}  // namespace

void chase(memory_kind kind, const unsigned* next, int words, int steps, std::uint64_t* result, cudaStream_t stream) {
  if (words < 1 || words > words_of(kind)) refuse("chase", "words", words, "1 to " + std::to_string(words_of(kind)));
  if (kind == memory_kind::constant) fill_constant(next, words * sizeof(unsigned), stream);
  const cudaTextureObject_t texture =
      kind == memory_kind::texture ? texture_of(next, words * sizeof(unsigned), stream) : 0;
  with_kind(kind, [&]<memory_kind Kind>() {
    chase_kernel<Kind><<<1, Kind == memory_kind::scratch ? 256 : 1, 0, stream>>>(next, texture, words, steps, result);
  });
  check(cudaGetLastError(), "launch of chase");
}

double read_all(memory_kind kind, int blocks, std::size_t bytes, int rounds, const unsigned* x, unsigned* sums,
                cudaStream_t stream) {
  constexpr std::size_t chunk = sizeof(uint4);
  std::size_t used = bytes;  // of x
  if (kind == memory_kind::scratch) used = scratch_words * sizeof(unsigned);
  if (kind == memory_kind::constant) used = 2048;
  if (bytes < used || bytes % (readers * in_flight * chunk) != 0 || bytes / chunk > std::size_t(1) << 30)
    refuse("read_all", "bytes", static_cast<std::int64_t>(bytes), "a multiple of 64 KB, below 16 GB");
  if (kind == memory_kind::constant) fill_constant(x, used, stream);
  const cudaTextureObject_t texture = kind == memory_kind::texture ? texture_of(x, used, stream) : 0;
  with_kind(kind, [&]<memory_kind Kind>() {
    read_kernel<Kind><<<blocks, readers, 0, stream>>>(reinterpret_cast<const uint4*>(x), texture,
                                                      static_cast<int>(used / chunk), rounds, sums);
  });
  check(cudaGetLastError(), "launch of read_all");
  const double each = static_cast<double>(rounds) * blocks;  // rounds of all blocks
  switch (kind) {
    case memory_kind::registers:
      return each * readers * in_flight * 3 * sizeof(float);
    case memory_kind::constant:
      return each * readers * static_cast<double>(used);
    case memory_kind::local:
      return each * readers * in_flight * chunk;
    case memory_kind::l2:
    case memory_kind::global:
    case memory_kind::mapped:
      return static_cast<double>(rounds) * static_cast<double>(used);
    default:
      return each * static_cast<double>(used);
  }
}

}  // namespace abax::handwritten::lab

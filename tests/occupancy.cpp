// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of occupancy, against values known from the hardware's description, CUDA's calculator and CUDA's call.
#include "../perf/lab/model/occupancy.hpp"

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <string>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda_occupancy.h>
#endif

using abax::model::multiprocessor;
using abax::model::occupancy;
using abax::model::sm_90;
using limit = occupancy::limit;

namespace {

constexpr int sizes[] = {1, 31, 32, 33, 64, 96, 128, 160, 192, 255, 256, 257, 384, 512, 640, 768, 896, 1000, 1024};
constexpr int scratches[] = {0,     1,     127,    128,    1024,   4000,   8192,   16384,  40000,
                             49152, 65536, 100000, 113664, 115712, 116000, 166912, 200000, 232448};

}  // namespace

TEST_CASE("Teams that run at a time, and what allows no more", "[occupancy]") {
  struct known {
    int threads, registers, scratch, teams;
    limit binding;
  };
  for (const known& k : {known{32, 16, 0, 32, limit::teams}, known{1024, 32, 0, 2, limit::threads},
                         known{1024, 33, 0, 1, limit::registers}, known{256, 32, 0, 8, limit::threads},
                         known{256, 64, 0, 4, limit::registers}, known{128, 255, 0, 2, limit::registers},
                         known{256, 32, 100 * 1024, 2, limit::scratch}, known{256, 32, 227 * 1024, 1, limit::scratch},
                         known{256, 32, 227 * 1024 + 1, 0, limit::too_large}, known{1025, 1, 0, 0, limit::too_large},
                         known{1024, 65, 0, 0, limit::too_large}, known{33, 40, 0, 24, limit::registers}}) {
    CAPTURE(k.threads, k.registers, k.scratch);
    const occupancy o = occupancy::of(sm_90, k.threads, k.registers, k.scratch);
    CHECK(o.teams == k.teams);
    CHECK(o.binding == k.binding);
  }
  static_assert(occupancy::of(sm_90, 256, 128, 48 * 1024).teams == 2);
}

#if defined(KOKKOS_ENABLE_CUDA)
namespace {

/// Compute capability, and CUDA's own description of such a multiprocessor.
struct chip {
  int major, minor, threads, teams, scratch, team_scratch;
};

cudaOccDeviceProp properties_of(const chip& c) {
  cudaOccDeviceProp p;
  p.computeMajor = c.major;
  p.computeMinor = c.minor;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiprocessor = c.threads;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.sharedMemPerBlock = 48 * 1024;
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(c.scratch);
  p.numSms = 1;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(c.team_scratch);
  p.reservedSharedMemPerBlock = 1024;
  return p;
}

}  // namespace

// It runs on the host, so also where there is no GPU to ask.
TEST_CASE("The model of occupancy equals CUDA's calculator", "[occupancy]") {
  for (const chip& c : {chip{8, 0, 2048, 32, 164 * 1024, 163 * 1024}, chip{8, 6, 1536, 16, 100 * 1024, 99 * 1024},
                        chip{8, 9, 1536, 24, 100 * 1024, 99 * 1024}, chip{9, 0, 2048, 32, 228 * 1024, 227 * 1024}}) {
    const cudaOccDeviceProp properties = properties_of(c);
    const multiprocessor m{c.threads, c.teams, 65536, 65536, 1024, c.scratch, 1024, c.team_scratch};
    for (const int threads : sizes)
      for (int registers = 8; registers <= 255; registers += threads % 32 == 0 ? 1 : 13)
        for (const int scratch : scratches) {
          cudaOccFuncAttributes kernel;
          kernel.maxThreadsPerBlock = 1024;
          kernel.numRegs = registers;
          kernel.sharedSizeBytes = 0;
          kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
          kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
          kernel.maxDynamicSharedSizeBytes = static_cast<std::size_t>(c.team_scratch);
          kernel.numBlockBarriers = 1;
          const cudaOccDeviceState state;
          cudaOccResult expected{};
          REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &kernel, &state, threads,
                                                          static_cast<std::size_t>(scratch)) == CUDA_OCC_SUCCESS);
          const occupancy o = occupancy::of(m, threads, registers, scratch);
          if (o.teams != expected.activeBlocksPerMultiprocessor) {
            CAPTURE(c.major, c.minor, threads, registers, scratch);
            REQUIRE(o.teams == expected.activeBlocksPerMultiprocessor);
          }
          const unsigned what = o.binding == limit::teams       ? OCC_LIMIT_BLOCKS
                                : o.binding == limit::threads   ? OCC_LIMIT_WARPS
                                : o.binding == limit::registers ? OCC_LIMIT_REGISTERS
                                                                : OCC_LIMIT_SHARED_MEMORY;
          if (o.binding != limit::too_large && (expected.limitingFactors & what) == 0) {
            CAPTURE(c.major, c.minor, threads, registers, scratch, expected.limitingFactors);
            REQUIRE((expected.limitingFactors & what) != 0);
          }
        }
  }
}

namespace {

/// The more values are alive at a time, the more registers it takes.
template <int Values>
__global__ void keep_alive(float* x, int steps) {
  float value[Values];
  for (int v = 0; v < Values; ++v) value[v] = x[v];
  for (int s = 0; s < steps; ++s)
#pragma unroll
    for (int v = 0; v < Values; ++v) value[v] = value[v] * value[(v + 1) % Values] + x[s];
  for (int v = 0; v < Values; ++v) x[v] = value[v];
}

}  // namespace

TEST_CASE("The model of occupancy equals CUDA's call on this GPU", "[occupancy][cuda]") {
  cudaDeviceProp gpu;
  REQUIRE(cudaGetDeviceProperties(&gpu, Kokkos::Cuda().cuda_device()) == cudaSuccess);
  const multiprocessor m{gpu.maxThreadsPerMultiProcessor,
                         gpu.maxBlocksPerMultiProcessor,
                         gpu.regsPerMultiprocessor,
                         gpu.regsPerBlock,
                         gpu.maxThreadsPerBlock,
                         static_cast<int>(gpu.sharedMemPerMultiprocessor),
                         static_cast<int>(gpu.reservedSharedMemPerBlock),
                         static_cast<int>(gpu.sharedMemPerBlockOptin)};
  using kernel = void (*)(float*, int);
  for (const kernel k : {keep_alive<1>, keep_alive<12>, keep_alive<24>, keep_alive<40>, keep_alive<64>, keep_alive<100>,
                         keep_alive<150>}) {
    cudaFuncAttributes attributes;
    const void* const address = reinterpret_cast<const void*>(k);
    REQUIRE(cudaFuncGetAttributes(&attributes, address) == cudaSuccess);
    REQUIRE(cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize, m.team_scratch) == cudaSuccess);
    for (const int threads : sizes)
      for (const int scratch : scratches) {
        if (threads > attributes.maxThreadsPerBlock || scratch > m.team_scratch) continue;
        int expected = 0;
        REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&expected, address, threads,
                                                              static_cast<std::size_t>(scratch)) == cudaSuccess);
        CAPTURE(attributes.numRegs, threads, scratch);
        REQUIRE(occupancy::of(m, threads, attributes.numRegs, scratch).teams == expected);
      }
  }
}
#endif

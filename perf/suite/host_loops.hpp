// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a core can do at most: loops that do nothing else, with the widest vectors that the CPU has, whatever the rest
/// of the program is compiled for.
#include <array>
#include <cstddef>
#include <cstdint>

namespace abax::perf {

struct host_loops {
  const char* name;  ///< of the instruction set

  // Chains of fused multiply-adds that never leave the registers; they return a sum, so that nothing is optimised away.
  double (*fma_float)(std::int64_t rounds);
  double (*fma_double)(std::int64_t rounds);
  double flops_float, flops_double;  ///< in one round

  // Of `words` words, a multiple of 128, at addresses that are multiples of 64.
  /// The exclusive or of all, `rounds` times over.
  std::uint64_t (*read)(const std::uint64_t* from, std::size_t words, int rounds);
  // In all ways that are the fastest on some machine: one stream, stores past the caches, streams asked for ahead.
  std::array<void (*)(const std::uint64_t* from, std::uint64_t* to, std::size_t words), 3> copies;
  std::array<std::uint64_t (*)(const std::uint64_t* from, std::size_t words), 2> reads;
  std::array<void (*)(std::uint64_t* x, std::size_t words), 2> updates;  ///< x <- ~x
  /// z <- x ^ y
  std::array<void (*)(const std::uint64_t* x, const std::uint64_t* y, std::uint64_t* z, std::size_t words), 3> combines;
};

host_loops widest_host_loops();

// One for each instruction set; the two of x86-64 stand in files compiled for them.
host_loops plain_host_loops();
host_loops avx2_host_loops();
host_loops avx512_host_loops();

}  // namespace abax::perf

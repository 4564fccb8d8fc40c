// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a core can do at most: loops that do nothing else, with the widest vectors that the CPU has, whatever the rest
/// of the program is compiled for.
#include <cstddef>
#include <cstdint>

namespace abax::perf {

struct host_loops {
  const char* name;  ///< of the instruction set

  // Chains of fused multiply-adds that never leave the registers; they return a sum, so that nothing is optimised away.
  double (*fma_float)(std::int64_t rounds);
  double (*fma_double)(std::int64_t rounds);
  double flops_float, flops_double;  ///< in one round

  // Of `words` words, a multiple of 64, at addresses that are multiples of 64.
  /// The exclusive or of all, `rounds` times over.
  std::uint64_t (*read)(const std::uint64_t* from, std::size_t words, int rounds);
  /// The same once, four stretches at a time, asked for ahead: memory serves several streams faster than one.
  std::uint64_t (*read_ahead)(const std::uint64_t* from, std::size_t words);
  void (*copy)(const std::uint64_t* from, std::uint64_t* to, std::size_t words);
  void (*update)(std::uint64_t* x, std::size_t words);  ///< x <- ~x
  /// z <- x ^ y
  void (*combine)(const std::uint64_t* x, const std::uint64_t* y, std::uint64_t* z, std::size_t words);
  // The same past the caches.
  void (*copy_streaming)(const std::uint64_t* from, std::uint64_t* to, std::size_t words);
  void (*combine_streaming)(const std::uint64_t* x, const std::uint64_t* y, std::uint64_t* z, std::size_t words);
};

host_loops widest_host_loops();

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Reads of a stretch of memory as wide as the CPU's vectors go, whatever the rest of the program is compiled for.
#include <cstddef>
#include <cstdint>

namespace abax::lab {

struct host_reads {
  const char* name;  ///< of the instruction set
  /// The exclusive or of `words` words (a multiple of 64) from an address that is a multiple of 64, `rounds` times over.
  std::uint64_t (*run)(const std::uint64_t* from, std::size_t words, int rounds);
};

host_reads widest_host_reads();

}  // namespace abax::lab

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_reads.hpp"

namespace abax::lab {
namespace {

using line = std::uint64_t __attribute__((vector_size(64)));  // as many registers as the target needs for it

__attribute__((always_inline)) inline std::uint64_t read(const std::uint64_t* from, std::size_t words, int rounds) {
  line sums[8] = {};
  for (int r = 0; r < rounds; ++r) {
    const auto* const lines = reinterpret_cast<const line*>(from);
    for (std::size_t l = 0; l < words / 8; l += 8)
      for (int e = 0; e < 8; ++e) sums[e] ^= lines[l + static_cast<std::size_t>(e)];
    asm volatile("" ::: "memory");  // a round is not the one before it
  }
  std::uint64_t sum = 0;
  for (const line& s : sums)
    for (int e = 0; e < 8; ++e) sum ^= s[e];
  return sum;
}

std::uint64_t plain(const std::uint64_t* from, std::size_t words, int rounds) { return read(from, words, rounds); }
#if defined(__x86_64__)
__attribute__((target("avx512f"))) std::uint64_t avx512(const std::uint64_t* from, std::size_t words, int rounds) {
  return read(from, words, rounds);
}
__attribute__((target("avx2"))) std::uint64_t avx2(const std::uint64_t* from, std::size_t words, int rounds) {
  return read(from, words, rounds);
}
#endif

}  // namespace

host_reads widest_host_reads() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {"AVX-512", avx512};
  if (__builtin_cpu_supports("avx2")) return {"AVX2", avx2};
#endif
  return {"plain C++", plain};
}

}  // namespace abax::lab

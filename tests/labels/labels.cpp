// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool as Kokkos loads it (KOKKOS_TOOLS_LIBS): prints the label of every kernel that begins.
#include <cstdint>
#include <cstdio>

extern "C" {
void kokkosp_begin_parallel_for(const char* label, std::uint32_t, std::uint64_t*) {
  std::fprintf(stderr, "kernel: %s\n", label);
}
void kokkosp_begin_parallel_reduce(const char* label, std::uint32_t, std::uint64_t*) {
  std::fprintf(stderr, "kernel: %s\n", label);
}
void kokkosp_begin_parallel_scan(const char* label, std::uint32_t, std::uint64_t*) {
  std::fprintf(stderr, "kernel: %s\n", label);
}
}

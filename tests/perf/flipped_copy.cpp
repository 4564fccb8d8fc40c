// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool as Kokkos loads it (KOKKOS_TOOLS_LIBS): a fault of the machine. Of the results that `abax-perf verify` and
// `abax-perf accuracy` copy to the host it turns over one bit, in the copy with the number ABAX_TEST_FLIP or, where
// ABAX_TEST_FLIP_EVERY is set, in each from there on.
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

unsigned char* copied = nullptr;
std::uint64_t bytes = 0;
long copies = 0;

}  // namespace

extern "C" {
struct handle {
  char name[64];
};

void kokkosp_begin_deep_copy(handle, const char* label, const void* to, handle, const char*, const void*,
                             std::uint64_t size) {
  const bool is_result =
      std::strcmp(label, "abax-perf::golden result") == 0 || std::strcmp(label, "abax-perf::accuracy result") == 0;
  copied = is_result ? static_cast<unsigned char*>(const_cast<void*>(to)) : nullptr;
  bytes = size;
}

void kokkosp_end_deep_copy() {
  const char* const first = std::getenv("ABAX_TEST_FLIP");
  if (copied == nullptr || first == nullptr) return;
  const long number = copies++, wanted = std::atol(first);
  const bool chosen = std::getenv("ABAX_TEST_FLIP_EVERY") != nullptr ? number >= wanted : number == wanted;
  if (chosen && bytes > 0) copied[0] ^= 4;
}
}

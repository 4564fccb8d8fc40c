// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which integer loops this CPU runs.
#include <atomic>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

#include "integer_sets.hpp"

namespace abax::openmp {
namespace {

#if defined(__x86_64__)
/// Whether there are tile registers for bytes and this process may use them: the system saves that much state only for
/// those that ask.
bool may_use_tiles() {
#if defined(__linux__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned tiles = 1U << 24, bytes = 1U << 25;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || (edx & tiles) == 0 || (edx & bytes) == 0) return false;
  constexpr long request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}
#endif

struct runnable {
  const integer_kernels* sets[6] = {};

  runnable() {
    int count = 0;
    const auto add = [&](bool runs, const integer_kernels& set) {
      if (runs) sets[count++] = &set;
    };
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    const bool vnni = avx512 && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vnni");
    add(vnni && may_use_tiles(), amx_integers);
    add(vnni, vnni_integers);
    add(avx512, avx512_integers);
    add(__builtin_cpu_supports("avx2"), avx2_integers);
#endif
    add(true, portable_integers);
  }
};

}  // namespace

const integer_kernels* const* runnable_integer_loops() {
  static const runnable found;
  return found.sets;
}

// As kernels(): threads that come at once all choose the same.
const integer_kernels& integer_loops() {
  static constinit std::atomic<const integer_kernels*> chosen = nullptr;
  if (chosen == nullptr) {
    const char* const set = kernels<float>().name;
    const runnable found;
    const integer_kernels* const* one = found.sets;
    while (one[1] != nullptr && std::strcmp((*one)->set, set) != 0) ++one;  // plain loops serve all
    chosen = *one;
  }
  return *chosen;
}

}  // namespace abax::openmp

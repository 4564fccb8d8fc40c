// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which integer loops this CPU runs.
#include <atomic>
#include <cstring>

#include "integer_sets.hpp"

namespace abax::openmp {
namespace {

struct runnable {
  const integer_kernels* sets[5] = {};

  runnable() {
    int count = 0;
    const auto add = [&](bool runs, const integer_kernels& set) {
      if (runs) sets[count++] = &set;
    };
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    add(avx512 && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vnni"), vnni_integers);
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
    while (std::strcmp((*one)->set, set) != 0) ++one;
    chosen = *one;
  }
  return *chosen;
}

}  // namespace abax::openmp

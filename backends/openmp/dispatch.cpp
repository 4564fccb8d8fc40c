// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which set of inner loops this CPU runs.
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "sets.hpp"

namespace abax::openmp {
namespace {

enum class instructions { avx512, avx2, portable };

// __builtin_cpu_supports also asks whether the operating system saves the wide registers.
bool runs([[maybe_unused]] instructions which) {
#if defined(__x86_64__)
  __builtin_cpu_init();  // a call may come before this library's own start
  if (which == instructions::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
  if (which == instructions::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return which == instructions::portable;
}

/// The sets that run here, best first, a null pointer last.
template <class T>
struct catalogue {
  const kernel_set<T>* sets[4] = {};

  void add(instructions which, const kernel_set<T>& set) {
    int end = 0;
    while (sets[end] != nullptr) ++end;
    if (runs(which)) sets[end] = &set;
  }
};

template <class T>
const kernel_set<T>* choose(const kernel_set<T>* const* sets) {
  const char* wish = std::getenv("ABAX_CPU");
  if (wish == nullptr || *wish == '\0') return sets[0];
  std::string names;
  for (; *sets != nullptr; ++sets) {
    if (std::string(wish) == (*sets)->name) return *sets;
    names += std::string(names.empty() ? "" : ", ") + (*sets)->name;
  }
  throw std::runtime_error("abax: ABAX_CPU is \"" + std::string(wish) + "\", but this CPU runs only: " + names);
}

catalogue<float> float_sets() {
  catalogue<float> found;
#if defined(__x86_64__)
  found.add(instructions::avx512, avx512_float);
  found.add(instructions::avx2, avx2_float);
#endif
  found.add(instructions::portable, portable_float);
  return found;
}

catalogue<double> double_sets() {
  catalogue<double> found;
#if defined(__x86_64__)
  found.add(instructions::avx512, avx512_double);
  found.add(instructions::avx2, avx2_double);
#endif
  found.add(instructions::portable, portable_double);
  return found;
}

}  // namespace

template <>
const kernel_set<float>* const* runnable_kernels<float>() {
  static const catalogue<float> found = float_sets();
  return found.sets;
}

template <>
const kernel_set<double>* const* runnable_kernels<double>() {
  static const catalogue<double> found = double_sets();
  return found.sets;
}

// Threads that come at once all choose, and choose the same: nobody waits, so that a child that is forked meanwhile has
// nothing to wait for.

template <>
const kernel_set<float>& kernels<float>() {
  static constinit std::atomic<const kernel_set<float>*> chosen = nullptr;
  if (chosen == nullptr) chosen = choose(float_sets().sets);
  return *chosen;
}

template <>
const kernel_set<double>& kernels<double>() {
  static constinit std::atomic<const kernel_set<double>*> chosen = nullptr;
  if (chosen == nullptr) chosen = choose(double_sets().sets);
  return *chosen;
}

}  // namespace abax::openmp

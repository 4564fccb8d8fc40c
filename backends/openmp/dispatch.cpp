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

/// Every set of T that is compiled.
template <class T>
catalogue<T> sets();

template <>
catalogue<float> sets() {
  catalogue<float> found;
#if defined(__x86_64__)
  found.add(instructions::avx512, avx512_float);
  found.add(instructions::avx2, avx2_float);
#endif
  found.add(instructions::portable, portable_float);
  return found;
}

template <>
catalogue<double> sets() {
  catalogue<double> found;
#if defined(__x86_64__)
  found.add(instructions::avx512, avx512_double);
  found.add(instructions::avx2, avx2_double);
#endif
  found.add(instructions::portable, portable_double);
  return found;
}

template <>
catalogue<tile::complex<float>> sets() {
  catalogue<tile::complex<float>> found;
#if defined(__x86_64__)
  found.add(instructions::avx512, avx512_complex_float);
  found.add(instructions::avx2, avx2_complex_float);
#endif
  found.add(instructions::portable, portable_complex_float);
  return found;
}

template <>
catalogue<tile::complex<double>> sets() {
  catalogue<tile::complex<double>> found;
#if defined(__x86_64__)
  found.add(instructions::avx512, avx512_complex_double);
  found.add(instructions::avx2, avx2_complex_double);
#endif
  found.add(instructions::portable, portable_complex_double);
  return found;
}

}  // namespace

template <class T>
const kernel_set<T>* const* runnable_kernels() {
  static const catalogue<T> found = sets<T>();
  return found.sets;
}

// Threads that come at once all choose, and choose the same: nobody waits, so that a child that is forked meanwhile has
// nothing to wait for.
template <class T>
const kernel_set<T>& kernels() {
  static constinit std::atomic<const kernel_set<T>*> chosen = nullptr;
  if (chosen == nullptr) chosen = choose(sets<T>().sets);
  return *chosen;
}

template const kernel_set<float>* const* runnable_kernels<float>();
template const kernel_set<float>& kernels<float>();
template const kernel_set<double>* const* runnable_kernels<double>();
template const kernel_set<double>& kernels<double>();
template const kernel_set<tile::complex<float>>* const* runnable_kernels<tile::complex<float>>();
template const kernel_set<tile::complex<float>>& kernels<tile::complex<float>>();
template const kernel_set<tile::complex<double>>* const* runnable_kernels<tile::complex<double>>();
template const kernel_set<tile::complex<double>>& kernels<tile::complex<double>>();

}  // namespace abax::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Which mutant is on, for sources that mutants.py has rewritten; each of these includes this. The environment variable
/// ABAX_MUTANT says its number when the program starts. With -1 none is on, and ABAX_MUTANT_TRACE names a file to which
/// the program appends which ones it would have met.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#define ABAX_MUTANTS_BOTH __host__ __device__
#else
#define ABAX_MUTANTS_BOTH
#endif

namespace abax_mutants {

inline constexpr int most = 1024;  // numbers are less
inline constexpr int trace = -1;

/// A host's variables are those of the whole program, or of a shared library.
inline int number = [] {
  const char* const text = std::getenv("ABAX_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}();
inline unsigned char met[most] = {};

#if defined(__CUDACC__)
/// A device's are those of the unit, as code of one unit does not see another's.
static __constant__ int device_number;
static __device__ unsigned char device_met[most];
#endif

/// Whether mutant n is in the place of what stands in the source.
ABAX_MUTANTS_BOTH inline constexpr bool on(int n) {
  if (__builtin_is_constant_evaluated()) return false;
#if defined(__CUDA_ARCH__)
  if (device_number == n) {
    device_met[n] = 1;
    return true;
  }
  if (device_number == trace) device_met[n] = 1;
  return false;
#else
  if (number == n || number == trace) [[unlikely]] {
    if (__atomic_load_n(&met[n], __ATOMIC_RELAXED) == 0) __atomic_store_n(&met[n], 1, __ATOMIC_RELAXED);
    return number == n;
  }
  return false;
#endif
}

/// The units that have device code, each of which copies the number to its own variable and brings back what was met.
struct device_unit {
  void (*start)();
  void (*collect)(bool clears);
  device_unit* next;
};
inline device_unit* device_units = nullptr;

#if defined(__CUDACC__)
static inline void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "mutants: %s\n", cudaGetErrorString(status));
  std::abort();  // a mutant that is not on would count as one that survives
}
[[maybe_unused]] static device_unit unit = {[] { require(cudaMemcpyToSymbol(device_number, &number, sizeof number)); },
                                            [](bool clears) {
                                              static unsigned char here[most];
                                              require(cudaMemcpyFromSymbol(here, device_met, sizeof here));
                                              for (int n = 0; n < most; ++n)
                                                if (here[n] != 0) met[n] = 1;
                                              static const unsigned char none[most] = {};
                                              if (clears) require(cudaMemcpyToSymbol(device_met, none, sizeof none));
                                            },
                                            nullptr};
[[maybe_unused]] static const bool unit_is_known = [] {
  unit.next = device_units;
  device_units = &unit;
  return true;
}();
#endif

/// To be called once there is a device.
inline void start_devices() {
  if (number != 0)
    for (device_unit* u = device_units; u != nullptr; u = u->next) u->start();
}

inline double now() {
  std::timespec t;
  std::timespec_get(&t, TIME_UTC);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// Appends a line to the trace: seconds, `what` and the mutants met since the last one.
inline void tell(const char* what, double seconds, bool asks_devices) {
  const char* const path = std::getenv("ABAX_MUTANT_TRACE");
  if (path == nullptr) return;
  if (asks_devices)
    for (device_unit* u = device_units; u != nullptr; u = u->next) u->collect(number == trace);
  std::FILE* const file = std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%.3f\t%s\t", seconds, what);
  for (int n = 0; n < most; ++n)
    if (__atomic_exchange_n(&met[n], 0, __ATOMIC_RELAXED) != 0) std::fprintf(file, "%d ", n);
  std::fputc('\n', file);
  std::fclose(file);
}

/// What the whole program met, but for what it has told before.
struct at_exit {
  double start = now();
  ~at_exit() {
    if (number != 0) tell("*", now() - start, false);
  }
};
inline const at_exit told_at_exit;

}  // namespace abax_mutants

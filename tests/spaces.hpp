// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Where tests run: every execution space of the build, on several thread counts, on every backend that serves it.
#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>

#include "abax/detail/backends/backend_for.hpp"
#include "sample.hpp"

namespace abax::tests {

template <class T>
const char* type_name() {
  return std::is_same_v<T, float> ? "float" : "double";
}

/// visit(exec) for the default instance of every execution space; under ABAX_TEST_DEVICE_ONLY, for a build whose
/// kernels are compiled and do not run, not of the host's. Serial has no backend of its own: it takes the library's
/// header path, whose loops take by far the longest where a sanitizer watches.
template <class Visit>
void for_each_space(const Visit& visit) {
#ifndef ABAX_TEST_DEVICE_ONLY
#ifdef KOKKOS_ENABLE_SERIAL
  static sample calls(5);
  if (calls.takes()) visit(Kokkos::Serial());
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  visit(Kokkos::OpenMP());
#endif
#endif
#ifdef KOKKOS_ENABLE_CUDA
  visit(Kokkos::Cuda());
#endif
}

#ifdef KOKKOS_ENABLE_OPENMP
/// Threads that really work on an instance. (Kokkos 4's concurrency() answers for the default instance.)
struct count_threads {
  int* threads;
  void operator()(int i) const {
    if (i == 0) *threads = omp_get_num_threads();
  }
  static int of(const Kokkos::OpenMP& exec) {
    int threads = 0;
    Kokkos::parallel_for("count_threads", Kokkos::RangePolicy<Kokkos::OpenMP>(exec, 0, 1000), count_threads{&threads});
    exec.fence();
    return threads;
  }
};
#endif

/// visit(exec, threads) for instances of OpenMP with 1, 2 and 4 threads, whatever OMP_NUM_THREADS says.
template <class Visit>
void for_each_thread_count([[maybe_unused]] const Visit& visit) {
#ifdef KOKKOS_ENABLE_OPENMP
  for (const int threads : {1, 2, 4}) visit(Kokkos::OpenMP(threads), threads);
#endif
}

/// Items of a batch of m x n x k: on a GPU so many that there are more teams than run at once, and that each has as
/// many items as its scratch has room for.
template <class T>
abax::index_t items_for_rounds(abax::index_t m, abax::index_t n, abax::index_t k) {
#ifdef KOKKOS_ENABLE_CUDA
  constexpr abax::index_t several = 40 << 20;  // an H200's teams have 28 MB of scratch
#else
  constexpr abax::index_t several = unless_watched<abax::index_t>(400, 40) << 10;
#endif
  return 1 + several / (abax::index_t(sizeof(T)) * (m * n + (m + n) * k));
}

/// Items of an interleaved batch: on a GPU more than 128 bytes of them for `teams` teams of each of an H200's
/// multiprocessors. A multiple of 4.
template <class T>
constexpr abax::index_t items_for_teams([[maybe_unused]] int teams) {
#ifdef KOKKOS_ENABLE_CUDA
  return 132 * teams * 128 / abax::index_t(sizeof(T)) + 4;
#else
  return 300;
#endif
}

/// visit(std::type_identity<Backend>, exec, name) for every backend on every space it can run on.
/// The portable one gets a single OpenMP thread: its teams are as large as the instance, and their barriers crawl where
/// threads outnumber cores.
template <class Visit>
void for_each_backend(const Visit& visit) {
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    using own = backends::backend_for_t<Exec>;
    using portable = abax::portable::backend<Exec>;
    const std::string name = std::string("portable on ") + Exec::name();
#ifdef KOKKOS_ENABLE_OPENMP
    if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>)
      visit(std::type_identity<portable>(), Kokkos::OpenMP(1), name);
    else
#endif
      visit(std::type_identity<portable>(), exec, name);
    if constexpr (!std::is_same_v<own, portable>) visit(std::type_identity<own>(), exec, std::string(Exec::name()));
  });
}

}  // namespace abax::tests

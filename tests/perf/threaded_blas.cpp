// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stand-in for an OpenBLAS on threads of its own: its one thread, started by its first product, says in the file
// ABAX_TEST_THREADS on how many CPUs it may run. As with the version that it names, no call of its batches returns.
#include <sched.h>

#include <cstdlib>
#include <fstream>
#include <thread>

extern "C" void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*,
                       const int*, const float*, const int*, const float*, float*, const int*) {
  std::thread([] {
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof cpus, &cpus);
    if (const char* const file = std::getenv("ABAX_TEST_THREADS")) std::ofstream(file) << CPU_COUNT(&cpus);
  }).join();
}

extern "C" const char* openblas_get_config() { return "OpenBLAS 0.3.34.237.1 DYNAMIC_ARCH"; }

extern "C" void sgemm_batch_strided_() { std::abort(); }

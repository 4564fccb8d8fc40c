// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax-perf: how fast Abax is on this machine.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstring>
#include <exception>

#include "demo.hpp"

namespace {

enum exit_code { all_right = 0, wrong_bits = 1, cannot_run = 2, no_gpu = 77 };

constexpr const char* usage = R"(Usage: abax-perf demo [--allow-debug]
       abax-perf --help

demo  Checks and times matrix-vector products, matrix products, transposes and
      increments at real sizes on every backend of this build, within two
      minutes on two cores, and prints one table.

--allow-debug  Run although this build is not optimised.

Threads are OpenMP's. For steady figures bind them:
  OMP_PROC_BIND=spread OMP_PLACES=threads abax-perf demo
ABAX_CPU=avx512|avx2|portable chooses the CPU's inner loops.

Exit status: 0 all results have the canon's bits; 1 some have not; 2 the
program could not run; 77 it is built for a GPU, and none is visible.
)";

constexpr bool optimised =
#if defined(NDEBUG)
    true;
#else
    false;
#endif

// Kokkos would abort where its GPU is missing.
const char* why_no_gpu() {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) return cudaGetErrorString(error);
  if (count == 0) return "no device";
#endif
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0)) {
    std::fputs(usage, stdout);
    return all_right;
  }
  const bool allow_debug = argc == 3 && std::strcmp(argv[2], "--allow-debug") == 0;
  if (argc < 2 || std::strcmp(argv[1], "demo") != 0 || (argc > 2 && !allow_debug)) {
    std::fprintf(stderr, "abax-perf: expected \"abax-perf demo [--allow-debug]\"; abax-perf --help says more\n");
    return cannot_run;
  }
  if (!optimised && !allow_debug) {
    std::fprintf(stderr,
                 "abax-perf: this build is not optimised (no NDEBUG), so its figures would mean nothing: "
                 "configure with -DCMAKE_BUILD_TYPE=Release, or pass --allow-debug\n");
    return cannot_run;
  }
  if (const char* const why = why_no_gpu()) {
    std::fprintf(stderr, "abax-perf: this build needs a GPU, and none is visible here (%s)\n", why);
    return no_gpu;
  }
  try {
    // Whether threads are bound stands in the table's head, so Kokkos need not warn of it.
    const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
    return abax::perf::demo() ? all_right : wrong_bits;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "abax-perf: %s\n", error.what());
    return cannot_run;
  }
}

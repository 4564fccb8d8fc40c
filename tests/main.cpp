// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The test program: Catch2's session, with Kokkos alive while tests run.
#include <Kokkos_Core.hpp>
#include <catch2/catch_session.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "abax/detail/backends/openmp/kernels.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime_api.h>
#endif

namespace {

constexpr int skipped = 77;     // CTest's SKIP_RETURN_CODE
constexpr int all_skipped = 4;  // Catch2's exit code where every test that ran called SKIP

// Kokkos aborts where it finds no GPU, so this comes first.
bool machine_is_missing() {
#ifdef KOKKOS_ENABLE_CUDA
  int devices = 0;
  return cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0;
#else
  return false;
#endif
}

/// Under ABAX_TEST_OTHER_LOOPS, which tests by ABAX_CPU's loops set: why there is nothing to test by them, or empty.
std::string why_no_loops() {
  if (std::getenv("ABAX_TEST_OTHER_LOOPS") == nullptr) return {};
  const char* const wish = std::getenv("ABAX_CPU");
  const auto* const* const sets = abax::openmp::runnable_kernels<float>();
  if (wish == nullptr || std::string(wish) == sets[0]->name) return "all tests run by these loops";
  for (int s = 1; sets[s] != nullptr; ++s)
    if (std::string(wish) == sets[s]->name) return {};
  return "this CPU does not run the loops " + std::string(wish);
}

}  // namespace

int main(int argc, char* argv[]) {
  Catch::Session session;
  if (const int error = session.applyCommandLine(argc, argv); error != 0) return error;

  const Catch::ConfigData& config = session.configData();
  const bool runs_tests = !config.showHelp && !config.libIdentify && !config.listTests && !config.listTags &&
                          !config.listReporters && !config.listListeners;
  if (!runs_tests) return session.run();

  if (machine_is_missing()) {
    std::puts("skipped: this is a CUDA build and no GPU is visible");
    return skipped;
  }
  if (const std::string why = why_no_loops(); !why.empty()) {
    std::printf("skipped: %s\n", why.c_str());
    return skipped;
  }
  const Kokkos::ScopeGuard kokkos;
  const int result = session.run();
  return result == all_skipped ? skipped : result;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A user's program: C <- A B, with and without the execution space's instance.
#include <Kokkos_Core.hpp>
#include <abax/gemm.hpp>
#include <cstdio>

int main(int argc, char* argv[]) {
#ifdef KOKKOS_ENABLE_CUDA
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: no GPU is visible");
    return 77;
  }
#endif
  Kokkos::ScopeGuard kokkos(argc, argv);
  const int m = 5, n = 7, k = 3;
  Kokkos::View<double**> A("A", m, k), B("B", k, n), C("C", m, n), D("D", m, n);
  Kokkos::deep_copy(A, 2.0);
  Kokkos::deep_copy(B, 0.5);
  Kokkos::fence();

  const Kokkos::DefaultExecutionSpace exec;
  abax::gemm(exec, "N", "N", 10.0, A, B, 0.0, C);
  exec.fence();
  abax::gemm("N", "N", 10.0, A, B, 0.0, D);
  Kokkos::fence();

  const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, C);
  const auto d = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, D);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      if (c(i, j) != 30.0 || d(i, j) != 30.0) {
        std::printf("C(%d, %d) is %g and %g, not 30\n", i, j, c(i, j), d(i, j));
        return 1;
      }
  std::puts("C is right");
}

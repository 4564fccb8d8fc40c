// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first calls of a process come from a parallel region, its last ones while it ends. All have the same bits.
#include <abax/cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 100, threads = 4 };
static double A[n * n], B[n * n], C[threads + 1][n * n];

static void product(double* out) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, out, n);
}
static void at_exit(void) {
  product(C[threads]);
  if (memcmp(C[threads], C[0], sizeof C[0]) != 0) _Exit(1);
  puts("right to the end");
}

int main(void) {
  atexit(at_exit);
  for (int i = 0; i < n * n; ++i) {
    A[i] = (double)rand() / RAND_MAX - 0.5;
    B[i] = (double)rand() / RAND_MAX - 0.5;
  }
#pragma omp parallel for num_threads(threads)
  for (int t = 0; t < threads; ++t) product(C[t]);
  for (int t = 1; t < threads; ++t)
    if (memcmp(C[t], C[0], sizeof C[0]) != 0) return 1;
  return 0;
}

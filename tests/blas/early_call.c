// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls the BLAS before main(), before any library that this one does not link has been started. In a program, before
// the program's own variables have been.
#include <abax/cblas.h>

#include "early.h"

struct results early;
static double A[n * n], B[n * n];

void call_all(struct results* r) {
  for (int i = 0; i < n * n; ++i) {
    A[i] = 1.0 / (1 + i % 17);
    B[i] = 1.0 / (1 + i % 13);
  }
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1, A, n, B, n, 0, r->product, n);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, few, few, few, 1, A, few, B, few, 0, r->small, few);
  cblas_domatcopy(CblasColMajor, CblasTrans, few, few, 2, A, few, r->turned, few);
  for (int i = 0; i < few; ++i) r->sum[i] = i;
  cblas_daxpy(few, 0.1, A, 1, r->sum, 1);
  r->dot = cblas_ddot(n * n, A, 1, B, 1);
}

__attribute__((constructor(101))) static void before_main(void) { call_all(&early); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bad arguments, and no xerbla in the program.
#include <abax/cblas.h>
#include <stdio.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);

int main(void) {
  const int n = 3, ld = 2;
  const double one = 1;
  double x[9] = {0};
  dgemm_("N", "N", &n, &n, &n, &one, x, &ld, x, &n, &one, x, &n);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, one, x, n, x, ld, one, x, n);
  fputs("went on\n", stderr);
  return 0;
}

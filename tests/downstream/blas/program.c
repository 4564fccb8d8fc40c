// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C <- A B by every way that libabax_blas offers to C, compared with what it must be.
#include <abax/abax.h>
#include <abax/cblas.h>
#include <stdio.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);

enum { m = 5, n = 7, k = 3 };

static int wrong(const char* name, const double* C) {
  for (int i = 0; i < m * n; ++i)
    if (C[i] != 30) {
      printf("%s: element %d is %g, not 30\n", name, i, C[i]);
      return 1;
    }
  return 0;
}

#if ABAX_VERSION < 100 || ABAX_CANON_VERSION < 1
#error "abax.h says no version"
#endif

int main(void) {
  if (abax_version() != ABAX_VERSION) return 1;
  double A[m * k], B[k * n], C[m * n], D[m * n], E[m * n];
  for (int i = 0; i < m * k; ++i) A[i] = 2;
  for (int i = 0; i < k * n; ++i) B[i] = 0.5;

  const int rows = m, cols = n, terms = k;
  const double alpha = 10, beta = 0;
  dgemm_("N", "N", &rows, &cols, &terms, &alpha, A, &rows, B, &terms, &beta, C, &rows);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, A, k, B, n, beta, D, n);

  abax_stream* stream;
  if (abax_open(ABAX_HOST, NULL, 0, &stream) != ABAX_SUCCESS) return 1;
  if (abax_dgemm(stream, 'N', 'N', m, n, k, alpha, A, 1, m, B, n, 1, beta, E, 1, m) != ABAX_SUCCESS) return 1;
  if (abax_dgemm(stream, 'N', 'N', m, -1, k, alpha, A, 1, m, B, n, 1, beta, E, 1, m) != ABAX_INVALID_ARGUMENT) return 1;
  puts(abax_message(stream));
  abax_close(stream);

  if (wrong("dgemm_", C) || wrong("cblas_dgemm", D) || wrong("abax_dgemm", E)) return 1;
  puts("C is right");
  return 0;
}

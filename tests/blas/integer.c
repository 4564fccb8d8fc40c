// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// integer CANON: whether the BLAS' gemm has the bits of abax.h's gemm ("chain") or of its gemm by way of integers
// ("integer"), of float and double, in all its forms.
#include <abax/abax.h>
#include <abax/cblas.h>
#include <stdio.h>
#include <string.h>

enum { m = 40, n = 50, k = 60, ld = 70 };
static float Af[ld * ld], Bf[ld * ld], Cf[ld * ld], want_f[ld * ld];
static double Ad[ld * ld], Bd[ld * ld], Cd[ld * ld], want_d[ld * ld];

static void fill(void) {
  unsigned long long state = 1;
  for (int i = 0; i < ld * ld; ++i) {
    double drawn[3];
    for (int d = 0; d < 3; ++d) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      drawn[d] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
    Af[i] = (float)(Ad[i] = drawn[0]);
    Bf[i] = (float)(Bd[i] = drawn[1]);
    want_f[i] = Cf[i] = (float)(want_d[i] = Cd[i] = drawn[2]);
  }
}

int main(int argc, char** argv) {
  const int integer = argc > 1 && strcmp(argv[1], "integer") == 0;
  abax_stream* stream = NULL;
  if (abax_open(ABAX_HOST, NULL, 0, &stream) != ABAX_SUCCESS) return 2;
  int differing = 0;
  for (int form = 0; form < 8; ++form) {
    const int by_rows = form & 1, turn_a = form >> 1 & 1, turn_b = form >> 2 & 1;
    const char op_a = turn_a ? 'T' : 'N', op_b = turn_b ? 'T' : 'N';
    const int64_t row = by_rows ? ld : 1, col = by_rows ? 1 : ld;
    fill();
    cblas_sgemm(by_rows ? CblasRowMajor : CblasColMajor, turn_a ? CblasTrans : CblasNoTrans,
                turn_b ? CblasTrans : CblasNoTrans, m, n, k, 1.5F, Af, ld, Bf, ld, -0.5F, Cf, ld);
    cblas_dgemm(by_rows ? CblasRowMajor : CblasColMajor, turn_a ? CblasTrans : CblasNoTrans,
                turn_b ? CblasTrans : CblasNoTrans, m, n, k, 1.5, Ad, ld, Bd, ld, -0.5, Cd, ld);
    if (integer) {
      abax_sgemm_integer(stream, op_a, op_b, m, n, k, 1.5F, Af, row, col, Bf, row, col, -0.5F, want_f, row, col, 0);
      abax_dgemm_integer(stream, op_a, op_b, m, n, k, 1.5, Ad, row, col, Bd, row, col, -0.5, want_d, row, col, 0);
    } else {
      abax_sgemm(stream, op_a, op_b, m, n, k, 1.5F, Af, row, col, Bf, row, col, -0.5F, want_f, row, col);
      abax_dgemm(stream, op_a, op_b, m, n, k, 1.5, Ad, row, col, Bd, row, col, -0.5, want_d, row, col);
    }
    if (abax_fence(stream) != ABAX_SUCCESS) return 2;
    differing += memcmp(Cf, want_f, sizeof Cf) != 0;
    differing += memcmp(Cd, want_d, sizeof Cd) != 0;
  }
  abax_close(stream);
  printf("%d of 16 products differ from abax.h's\n", differing);
  return differing != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// integer CANON: whether the BLAS' gemm has the bits of abax.h's gemm ("chain") or of its gemm by way of integers
// ("integer"), of all types, in all its forms.
#include <abax/abax.h>
#include <abax/cblas.h>
#include <stdio.h>
#include <string.h>

enum { m = 40, n = 50, k = 60, ld = 70 };
static float Af[ld * ld], Bf[ld * ld], Cf[ld * ld], want_f[ld * ld];
static double Ad[ld * ld], Bd[ld * ld], Cd[ld * ld], want_d[ld * ld];
static abax_complex_float Ac[ld * ld], Bc[ld * ld], Cc[ld * ld], want_c[ld * ld];
static abax_complex_double Az[ld * ld], Bz[ld * ld], Cz[ld * ld], want_z[ld * ld];

static abax_complex_float narrowed(abax_complex_double x) {
  const abax_complex_float result = {(float)x.re, (float)x.im};
  return result;
}

static void fill(void) {
  unsigned long long state = 1;
  for (int i = 0; i < ld * ld; ++i) {
    double drawn[6];
    for (int d = 0; d < 6; ++d) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      drawn[d] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
    Af[i] = (float)(Ad[i] = drawn[0]);
    Bf[i] = (float)(Bd[i] = drawn[1]);
    want_f[i] = Cf[i] = (float)(want_d[i] = Cd[i] = drawn[2]);
    const abax_complex_double x = {drawn[0], drawn[3]}, y = {drawn[1], drawn[4]}, z = {drawn[2], drawn[5]};
    Ac[i] = narrowed(Az[i] = x);
    Bc[i] = narrowed(Bz[i] = y);
    want_c[i] = Cc[i] = narrowed(want_z[i] = Cz[i] = z);
  }
}

int main(int argc, char** argv) {
  const int integer = argc > 1 && strcmp(argv[1], "integer") == 0;
  abax_stream* stream = NULL;
  if (abax_open(ABAX_HOST, NULL, 0, &stream) != ABAX_SUCCESS) return 2;
  int differing = 0;
  static const char ops[] = "NTC";
  static const enum CBLAS_TRANSPOSE names[] = {CblasNoTrans, CblasTrans, CblasConjTrans};
  const abax_complex_float alpha_c = {1.5F, 0.25F}, beta_c = {-0.5F, 2.0F};
  const abax_complex_double alpha_z = {1.5, 0.25}, beta_z = {-0.5, 2.0};
  for (int form = 0; form < 18; ++form) {
    const int by_rows = form & 1, turn_a = form / 2 % 3, turn_b = form / 6;
    const char op_a = ops[turn_a], op_b = ops[turn_b];
    const int64_t row = by_rows ? ld : 1, col = by_rows ? 1 : ld;
    const CBLAS_LAYOUT order = by_rows ? CblasRowMajor : CblasColMajor;
    fill();
    cblas_sgemm(order, names[turn_a], names[turn_b], m, n, k, 1.5F, Af, ld, Bf, ld, -0.5F, Cf, ld);
    cblas_dgemm(order, names[turn_a], names[turn_b], m, n, k, 1.5, Ad, ld, Bd, ld, -0.5, Cd, ld);
    cblas_cgemm(order, names[turn_a], names[turn_b], m, n, k, &alpha_c, Ac, ld, Bc, ld, &beta_c, Cc, ld);
    cblas_zgemm(order, names[turn_a], names[turn_b], m, n, k, &alpha_z, Az, ld, Bz, ld, &beta_z, Cz, ld);
    if (integer) {
      abax_sgemm_integer(stream, op_a, op_b, m, n, k, 1.5F, Af, row, col, Bf, row, col, -0.5F, want_f, row, col, 0);
      abax_dgemm_integer(stream, op_a, op_b, m, n, k, 1.5, Ad, row, col, Bd, row, col, -0.5, want_d, row, col, 0);
      abax_cgemm_integer(stream, op_a, op_b, m, n, k, alpha_c, Ac, row, col, Bc, row, col, beta_c, want_c, row, col, 0);
      abax_zgemm_integer(stream, op_a, op_b, m, n, k, alpha_z, Az, row, col, Bz, row, col, beta_z, want_z, row, col, 0);
    } else {
      abax_sgemm(stream, op_a, op_b, m, n, k, 1.5F, Af, row, col, Bf, row, col, -0.5F, want_f, row, col);
      abax_dgemm(stream, op_a, op_b, m, n, k, 1.5, Ad, row, col, Bd, row, col, -0.5, want_d, row, col);
      abax_cgemm(stream, op_a, op_b, m, n, k, alpha_c, Ac, row, col, Bc, row, col, beta_c, want_c, row, col);
      abax_zgemm(stream, op_a, op_b, m, n, k, alpha_z, Az, row, col, Bz, row, col, beta_z, want_z, row, col);
    }
    if (abax_fence(stream) != ABAX_SUCCESS) return 2;
    differing += memcmp(Cf, want_f, sizeof Cf) != 0;
    differing += memcmp(Cd, want_d, sizeof Cd) != 0;
    differing += memcmp(Cc, want_c, sizeof Cc) != 0;
    differing += memcmp(Cz, want_z, sizeof Cz) != 0;
  }
  abax_close(stream);
  printf("%d of 72 products differ from abax.h's\n", differing);
  return differing != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex dot products as a library built with ABAX_BLAS_F2C has them: results go where the first argument says.
#include <stdint.h>
#include <stdio.h>

void cdotu_(float* result, const int32_t* n, const float* x, const int32_t* incx, const float* y, const int32_t* incy);
void cdotc_64_(float* result, const int64_t* n, const float* x, const int64_t* incx, const float* y,
               const int64_t* incy);
void zdotu_64_(double* result, const int64_t* n, const double* x, const int64_t* incx, const double* y,
               const int64_t* incy);
void zdotc_(double* result, const int32_t* n, const double* x, const int32_t* incx, const double* y,
            const int32_t* incy);

int main(void) {
  const int32_t n = 2, one = 1;
  const int64_t long_n = 2, long_one = 1;
  const float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8};
  const double v[4] = {1, 2, 3, 4}, w[4] = {5, 6, 7, 8};
  float a[2] = {0, 0}, b[2] = {0, 0};
  double c[2] = {0, 0}, d[2] = {0, 0};
  cdotu_(a, &n, x, &one, y, &one);
  cdotc_64_(b, &long_n, x, &long_one, y, &long_one);
  zdotu_64_(c, &long_n, v, &long_one, w, &long_one);
  zdotc_(d, &n, v, &one, w, &one);
  printf("%g %g, %g %g, %g %g, %g %g\n", a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]);
  return a[0] != -18 || a[1] != 68 || b[0] != 70 || b[1] != -8 || c[0] != -18 || c[1] != 68 || d[0] != 70 || d[1] != -8;
}

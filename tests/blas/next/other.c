// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the place of another BLAS: a routine that Abax does not offer, and two that it does.
double dsdot_(const int* n, const float* x, const int* incx, const float* y, const int* incy) {
  return *n + *x + *incx + *y + *incy;
}
double ddot_(const int* n, const double* x, const int* incx, const double* y, const int* incy) {
  return *n + *x + *incx + *y + *incy;
}
double dznrm2_(const int* n, const double* x, const int* incx) { return *n + *x + *incx; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The BLAS as Fortran calls it: every argument by address, in 32-bit and (with 64_ at the end of the name) 64-bit
/// integers. A Fortran compiler passes the lengths of the CHARACTER arguments after all others; nothing reads them
/// here, so that C callers need not pass them.
#include <cstddef>
#include <cstdint>

#include "routines.hpp"
#include "xerbla.hpp"

namespace abax::blas {
namespace {

/// True for `info` == 0; else tells the xerbla of this width of integers, whose name is as long as Fortran says.
template <class Int>
bool accepts(const char* routine, int info) {
  if (info == 0) return true;
  complain(routine, Int{info});
  return false;
}

}  // namespace
}  // namespace abax::blas

using namespace abax::blas;

extern "C" {

void sgemm_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n, const std::int32_t* k,
            const float* alpha, const float* a, const std::int32_t* lda, const float* b, const std::int32_t* ldb,
            const float* beta, float* c, const std::int32_t* ldc) {
  if (accepts<std::int32_t>("SGEMM ", check_gemm(*transa, *transb, *m, *n, *k, *lda, *ldb, *ldc)))
    gemm(*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}

void sgemm_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
               const std::int64_t* k, const float* alpha, const float* a, const std::int64_t* lda, const float* b,
               const std::int64_t* ldb, const float* beta, float* c, const std::int64_t* ldc) {
  if (accepts<std::int64_t>("SGEMM ", check_gemm(*transa, *transb, *m, *n, *k, *lda, *ldb, *ldc)))
    gemm(*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}

void dgemm_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n, const std::int32_t* k,
            const double* alpha, const double* a, const std::int32_t* lda, const double* b, const std::int32_t* ldb,
            const double* beta, double* c, const std::int32_t* ldc) {
  if (accepts<std::int32_t>("DGEMM ", check_gemm(*transa, *transb, *m, *n, *k, *lda, *ldb, *ldc)))
    gemm(*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}

void dgemm_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
               const std::int64_t* k, const double* alpha, const double* a, const std::int64_t* lda, const double* b,
               const std::int64_t* ldb, const double* beta, double* c, const std::int64_t* ldc) {
  if (accepts<std::int64_t>("DGEMM ", check_gemm(*transa, *transb, *m, *n, *k, *lda, *ldb, *ldc)))
    gemm(*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}

void sgemv_(const char* trans, const std::int32_t* m, const std::int32_t* n, const float* alpha, const float* a,
            const std::int32_t* lda, const float* x, const std::int32_t* incx, const float* beta, float* y,
            const std::int32_t* incy) {
  if (accepts<std::int32_t>("SGEMV ", check_gemv(*trans, *m, *n, *lda, *incx, *incy)))
    gemv(*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);
}

void sgemv_64_(const char* trans, const std::int64_t* m, const std::int64_t* n, const float* alpha, const float* a,
               const std::int64_t* lda, const float* x, const std::int64_t* incx, const float* beta, float* y,
               const std::int64_t* incy) {
  if (accepts<std::int64_t>("SGEMV ", check_gemv(*trans, *m, *n, *lda, *incx, *incy)))
    gemv(*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);
}

void dgemv_(const char* trans, const std::int32_t* m, const std::int32_t* n, const double* alpha, const double* a,
            const std::int32_t* lda, const double* x, const std::int32_t* incx, const double* beta, double* y,
            const std::int32_t* incy) {
  if (accepts<std::int32_t>("DGEMV ", check_gemv(*trans, *m, *n, *lda, *incx, *incy)))
    gemv(*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);
}

void dgemv_64_(const char* trans, const std::int64_t* m, const std::int64_t* n, const double* alpha, const double* a,
               const std::int64_t* lda, const double* x, const std::int64_t* incx, const double* beta, double* y,
               const std::int64_t* incy) {
  if (accepts<std::int64_t>("DGEMV ", check_gemv(*trans, *m, *n, *lda, *incx, *incy)))
    gemv(*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);
}

float sdot_(const std::int32_t* n, const float* x, const std::int32_t* incx, const float* y, const std::int32_t* incy) {
  return dot(*n, x, *incx, y, *incy);
}

float sdot_64_(const std::int64_t* n, const float* x, const std::int64_t* incx, const float* y,
               const std::int64_t* incy) {
  return dot(*n, x, *incx, y, *incy);
}

double ddot_(const std::int32_t* n, const double* x, const std::int32_t* incx, const double* y,
             const std::int32_t* incy) {
  return dot(*n, x, *incx, y, *incy);
}

double ddot_64_(const std::int64_t* n, const double* x, const std::int64_t* incx, const double* y,
                const std::int64_t* incy) {
  return dot(*n, x, *incx, y, *incy);
}

float snrm2_(const std::int32_t* n, const float* x, const std::int32_t* incx) { return nrm2(*n, x, *incx); }

float snrm2_64_(const std::int64_t* n, const float* x, const std::int64_t* incx) { return nrm2(*n, x, *incx); }

double dnrm2_(const std::int32_t* n, const double* x, const std::int32_t* incx) { return nrm2(*n, x, *incx); }

double dnrm2_64_(const std::int64_t* n, const double* x, const std::int64_t* incx) { return nrm2(*n, x, *incx); }

float sasum_(const std::int32_t* n, const float* x, const std::int32_t* incx) { return asum(*n, x, *incx); }

float sasum_64_(const std::int64_t* n, const float* x, const std::int64_t* incx) { return asum(*n, x, *incx); }

double dasum_(const std::int32_t* n, const double* x, const std::int32_t* incx) { return asum(*n, x, *incx); }

double dasum_64_(const std::int64_t* n, const double* x, const std::int64_t* incx) { return asum(*n, x, *incx); }

std::int32_t isamax_(const std::int32_t* n, const float* x, const std::int32_t* incx) {
  return static_cast<std::int32_t>(iamax(*n, x, *incx));
}

std::int64_t isamax_64_(const std::int64_t* n, const float* x, const std::int64_t* incx) {
  return static_cast<std::int64_t>(iamax(*n, x, *incx));
}

std::int32_t idamax_(const std::int32_t* n, const double* x, const std::int32_t* incx) {
  return static_cast<std::int32_t>(iamax(*n, x, *incx));
}

std::int64_t idamax_64_(const std::int64_t* n, const double* x, const std::int64_t* incx) {
  return static_cast<std::int64_t>(iamax(*n, x, *incx));
}

void saxpy_(const std::int32_t* n, const float* alpha, const float* x, const std::int32_t* incx, float* y,
            const std::int32_t* incy) {
  axpy(*n, *alpha, x, *incx, y, *incy);
}

void saxpy_64_(const std::int64_t* n, const float* alpha, const float* x, const std::int64_t* incx, float* y,
               const std::int64_t* incy) {
  axpy(*n, *alpha, x, *incx, y, *incy);
}

void daxpy_(const std::int32_t* n, const double* alpha, const double* x, const std::int32_t* incx, double* y,
            const std::int32_t* incy) {
  axpy(*n, *alpha, x, *incx, y, *incy);
}

void daxpy_64_(const std::int64_t* n, const double* alpha, const double* x, const std::int64_t* incx, double* y,
               const std::int64_t* incy) {
  axpy(*n, *alpha, x, *incx, y, *incy);
}

void sscal_(const std::int32_t* n, const float* alpha, float* x, const std::int32_t* incx) {
  scal(*n, *alpha, x, *incx);
}

void sscal_64_(const std::int64_t* n, const float* alpha, float* x, const std::int64_t* incx) {
  scal(*n, *alpha, x, *incx);
}

void dscal_(const std::int32_t* n, const double* alpha, double* x, const std::int32_t* incx) {
  scal(*n, *alpha, x, *incx);
}

void dscal_64_(const std::int64_t* n, const double* alpha, double* x, const std::int64_t* incx) {
  scal(*n, *alpha, x, *incx);
}

void scopy_(const std::int32_t* n, const float* x, const std::int32_t* incx, float* y, const std::int32_t* incy) {
  copy(*n, x, *incx, y, *incy);
}

void scopy_64_(const std::int64_t* n, const float* x, const std::int64_t* incx, float* y, const std::int64_t* incy) {
  copy(*n, x, *incx, y, *incy);
}

void dcopy_(const std::int32_t* n, const double* x, const std::int32_t* incx, double* y, const std::int32_t* incy) {
  copy(*n, x, *incx, y, *incy);
}

void dcopy_64_(const std::int64_t* n, const double* x, const std::int64_t* incx, double* y, const std::int64_t* incy) {
  copy(*n, x, *incx, y, *incy);
}

void somatcopy_(const char* order, const char* trans, const std::int32_t* rows, const std::int32_t* cols,
                const float* alpha, const float* a, const std::int32_t* lda, float* b, const std::int32_t* ldb) {
  if (accepts<std::int32_t>("SOMATCOPY", check_omatcopy(*order, *trans, *rows, *cols, *lda, *ldb)))
    omatcopy(*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb);
}

void somatcopy_64_(const char* order, const char* trans, const std::int64_t* rows, const std::int64_t* cols,
                   const float* alpha, const float* a, const std::int64_t* lda, float* b, const std::int64_t* ldb) {
  if (accepts<std::int64_t>("SOMATCOPY", check_omatcopy(*order, *trans, *rows, *cols, *lda, *ldb)))
    omatcopy(*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb);
}

void domatcopy_(const char* order, const char* trans, const std::int32_t* rows, const std::int32_t* cols,
                const double* alpha, const double* a, const std::int32_t* lda, double* b, const std::int32_t* ldb) {
  if (accepts<std::int32_t>("DOMATCOPY", check_omatcopy(*order, *trans, *rows, *cols, *lda, *ldb)))
    omatcopy(*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb);
}

void domatcopy_64_(const char* order, const char* trans, const std::int64_t* rows, const std::int64_t* cols,
                   const double* alpha, const double* a, const std::int64_t* lda, double* b, const std::int64_t* ldb) {
  if (accepts<std::int64_t>("DOMATCOPY", check_omatcopy(*order, *trans, *rows, *cols, *lda, *ldb)))
    omatcopy(*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb);
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The BLAS as Fortran calls it: every argument by address, in 32-bit and (with 64_ at the end of the name) 64-bit
// integers. A Fortran compiler passes the lengths of the CHARACTER arguments after all others; nothing reads them
// here, so that C callers need not pass them.
#include "batches.hpp"
#include "fortran_call.hpp"
#include "omatcopy.hpp"
#include "vectors.hpp"

using namespace abax::blas;
using abax::blas::fortran::perform;

extern "C" {

void sgemm_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n, const std::int32_t* k,
            const float* alpha, const float* a, const std::int32_t* lda, const float* b, const std::int32_t* ldb,
            const float* beta, float* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__, gemm<float>{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void sgemm_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
               const std::int64_t* k, const float* alpha, const float* a, const std::int64_t* lda, const float* b,
               const std::int64_t* ldb, const float* beta, float* c, const std::int64_t* ldc) {
  perform<std::int64_t>(__func__, gemm<float>{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void dgemm_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n, const std::int32_t* k,
            const double* alpha, const double* a, const std::int32_t* lda, const double* b, const std::int32_t* ldb,
            const double* beta, double* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__, gemm<double>{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void dgemm_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
               const std::int64_t* k, const double* alpha, const double* a, const std::int64_t* lda, const double* b,
               const std::int64_t* ldb, const double* beta, double* c, const std::int64_t* ldc) {
  perform<std::int64_t>(__func__, gemm<double>{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void sgemm_batch_strided_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n,
                          const std::int32_t* k, const float* alpha, const float* a, const std::int32_t* lda,
                          const std::int32_t* stridea, const float* b, const std::int32_t* ldb,
                          const std::int32_t* strideb, const float* beta, float* c, const std::int32_t* ldc,
                          const std::int32_t* stridec, const std::int32_t* batch_size) {
  perform<std::int32_t>(__func__, gemm_batch_strided<float>{{false, *transa, *transb, *m, *n, *k, *lda, *ldb, *ldc},
                                                            *alpha,
                                                            a,
                                                            *stridea,
                                                            b,
                                                            *strideb,
                                                            *beta,
                                                            c,
                                                            *stridec,
                                                            *batch_size});
}

void sgemm_batch_strided_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
                             const std::int64_t* k, const float* alpha, const float* a, const std::int64_t* lda,
                             const std::int64_t* stridea, const float* b, const std::int64_t* ldb,
                             const std::int64_t* strideb, const float* beta, float* c, const std::int64_t* ldc,
                             const std::int64_t* stridec, const std::int64_t* batch_size) {
  perform<std::int64_t>(__func__, gemm_batch_strided<float>{{false, *transa, *transb, *m, *n, *k, *lda, *ldb, *ldc},
                                                            *alpha,
                                                            a,
                                                            *stridea,
                                                            b,
                                                            *strideb,
                                                            *beta,
                                                            c,
                                                            *stridec,
                                                            *batch_size});
}

void dgemm_batch_strided_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n,
                          const std::int32_t* k, const double* alpha, const double* a, const std::int32_t* lda,
                          const std::int32_t* stridea, const double* b, const std::int32_t* ldb,
                          const std::int32_t* strideb, const double* beta, double* c, const std::int32_t* ldc,
                          const std::int32_t* stridec, const std::int32_t* batch_size) {
  perform<std::int32_t>(__func__, gemm_batch_strided<double>{{false, *transa, *transb, *m, *n, *k, *lda, *ldb, *ldc},
                                                             *alpha,
                                                             a,
                                                             *stridea,
                                                             b,
                                                             *strideb,
                                                             *beta,
                                                             c,
                                                             *stridec,
                                                             *batch_size});
}

void dgemm_batch_strided_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
                             const std::int64_t* k, const double* alpha, const double* a, const std::int64_t* lda,
                             const std::int64_t* stridea, const double* b, const std::int64_t* ldb,
                             const std::int64_t* strideb, const double* beta, double* c, const std::int64_t* ldc,
                             const std::int64_t* stridec, const std::int64_t* batch_size) {
  perform<std::int64_t>(__func__, gemm_batch_strided<double>{{false, *transa, *transb, *m, *n, *k, *lda, *ldb, *ldc},
                                                             *alpha,
                                                             a,
                                                             *stridea,
                                                             b,
                                                             *strideb,
                                                             *beta,
                                                             c,
                                                             *stridec,
                                                             *batch_size});
}

void sgemm_batch_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n,
                  const std::int32_t* k, const float* alpha, const float* const* a, const std::int32_t* lda,
                  const float* const* b, const std::int32_t* ldb, const float* beta, float* const* c,
                  const std::int32_t* ldc, const std::int32_t* group_count, const std::int32_t* group_size) {
  perform<std::int32_t>(
      __func__, gemm_batch<float, std::int32_t, char>{false, itself, transa, transb, m, n, k, alpha, a, lda, b, ldb,
                                                      beta, c, ldc, *group_count, group_size});
}

void sgemm_batch_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
                     const std::int64_t* k, const float* alpha, const float* const* a, const std::int64_t* lda,
                     const float* const* b, const std::int64_t* ldb, const float* beta, float* const* c,
                     const std::int64_t* ldc, const std::int64_t* group_count, const std::int64_t* group_size) {
  perform<std::int64_t>(
      __func__, gemm_batch<float, std::int64_t, char>{false, itself, transa, transb, m, n, k, alpha, a, lda, b, ldb,
                                                      beta, c, ldc, *group_count, group_size});
}

void dgemm_batch_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n,
                  const std::int32_t* k, const double* alpha, const double* const* a, const std::int32_t* lda,
                  const double* const* b, const std::int32_t* ldb, const double* beta, double* const* c,
                  const std::int32_t* ldc, const std::int32_t* group_count, const std::int32_t* group_size) {
  perform<std::int32_t>(
      __func__, gemm_batch<double, std::int32_t, char>{false, itself, transa, transb, m, n, k, alpha, a, lda, b, ldb,
                                                       beta, c, ldc, *group_count, group_size});
}

void dgemm_batch_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
                     const std::int64_t* k, const double* alpha, const double* const* a, const std::int64_t* lda,
                     const double* const* b, const std::int64_t* ldb, const double* beta, double* const* c,
                     const std::int64_t* ldc, const std::int64_t* group_count, const std::int64_t* group_size) {
  perform<std::int64_t>(
      __func__, gemm_batch<double, std::int64_t, char>{false, itself, transa, transb, m, n, k, alpha, a, lda, b, ldb,
                                                       beta, c, ldc, *group_count, group_size});
}

void sgemmt_(const char* uplo, const char* transa, const char* transb, const std::int32_t* n, const std::int32_t* k,
             const float* alpha, const float* a, const std::int32_t* lda, const float* b, const std::int32_t* ldb,
             const float* beta, float* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__,
                        gemmt<float>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void sgemmt_64_(const char* uplo, const char* transa, const char* transb, const std::int64_t* n, const std::int64_t* k,
                const float* alpha, const float* a, const std::int64_t* lda, const float* b, const std::int64_t* ldb,
                const float* beta, float* c, const std::int64_t* ldc) {
  perform<std::int64_t>(__func__,
                        gemmt<float>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void dgemmt_(const char* uplo, const char* transa, const char* transb, const std::int32_t* n, const std::int32_t* k,
             const double* alpha, const double* a, const std::int32_t* lda, const double* b, const std::int32_t* ldb,
             const double* beta, double* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__,
                        gemmt<double>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void dgemmt_64_(const char* uplo, const char* transa, const char* transb, const std::int64_t* n, const std::int64_t* k,
                const double* alpha, const double* a, const std::int64_t* lda, const double* b, const std::int64_t* ldb,
                const double* beta, double* c, const std::int64_t* ldc) {
  perform<std::int64_t>(__func__,
                        gemmt<double>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void sgemmtr_(const char* uplo, const char* transa, const char* transb, const std::int32_t* n, const std::int32_t* k,
              const float* alpha, const float* a, const std::int32_t* lda, const float* b, const std::int32_t* ldb,
              const float* beta, float* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__,
                        gemmt<float>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void sgemmtr_64_(const char* uplo, const char* transa, const char* transb, const std::int64_t* n, const std::int64_t* k,
                 const float* alpha, const float* a, const std::int64_t* lda, const float* b, const std::int64_t* ldb,
                 const float* beta, float* c, const std::int64_t* ldc) {
  perform<std::int64_t>(__func__,
                        gemmt<float>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void dgemmtr_(const char* uplo, const char* transa, const char* transb, const std::int32_t* n, const std::int32_t* k,
              const double* alpha, const double* a, const std::int32_t* lda, const double* b, const std::int32_t* ldb,
              const double* beta, double* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__,
                        gemmt<double>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void dgemmtr_64_(const char* uplo, const char* transa, const char* transb, const std::int64_t* n, const std::int64_t* k,
                 const double* alpha, const double* a, const std::int64_t* lda, const double* b,
                 const std::int64_t* ldb, const double* beta, double* c, const std::int64_t* ldc) {
  perform<std::int64_t>(__func__,
                        gemmt<double>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void ssyrk_(const char* uplo, const char* trans, const std::int32_t* n, const std::int32_t* k, const float* alpha,
            const float* a, const std::int32_t* lda, const float* beta, float* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__, syrk<float>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void ssyrk_64_(const char* uplo, const char* trans, const std::int64_t* n, const std::int64_t* k, const float* alpha,
               const float* a, const std::int64_t* lda, const float* beta, float* c, const std::int64_t* ldc) {
  perform<std::int64_t>(__func__, syrk<float>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void dsyrk_(const char* uplo, const char* trans, const std::int32_t* n, const std::int32_t* k, const double* alpha,
            const double* a, const std::int32_t* lda, const double* beta, double* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__, syrk<double>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void dsyrk_64_(const char* uplo, const char* trans, const std::int64_t* n, const std::int64_t* k, const double* alpha,
               const double* a, const std::int64_t* lda, const double* beta, double* c, const std::int64_t* ldc) {
  perform<std::int64_t>(__func__, syrk<double>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void sgemv_(const char* trans, const std::int32_t* m, const std::int32_t* n, const float* alpha, const float* a,
            const std::int32_t* lda, const float* x, const std::int32_t* incx, const float* beta, float* y,
            const std::int32_t* incy) {
  perform<std::int32_t>(__func__, gemv<float>{*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy});
}

void sgemv_64_(const char* trans, const std::int64_t* m, const std::int64_t* n, const float* alpha, const float* a,
               const std::int64_t* lda, const float* x, const std::int64_t* incx, const float* beta, float* y,
               const std::int64_t* incy) {
  perform<std::int64_t>(__func__, gemv<float>{*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy});
}

void dgemv_(const char* trans, const std::int32_t* m, const std::int32_t* n, const double* alpha, const double* a,
            const std::int32_t* lda, const double* x, const std::int32_t* incx, const double* beta, double* y,
            const std::int32_t* incy) {
  perform<std::int32_t>(__func__, gemv<double>{*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy});
}

void dgemv_64_(const char* trans, const std::int64_t* m, const std::int64_t* n, const double* alpha, const double* a,
               const std::int64_t* lda, const double* x, const std::int64_t* incx, const double* beta, double* y,
               const std::int64_t* incy) {
  perform<std::int64_t>(__func__, gemv<double>{*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy});
}

float sdot_(const std::int32_t* n, const float* x, const std::int32_t* incx, const float* y, const std::int32_t* incy) {
  return perform<std::int32_t>(__func__, dot<float>{*n, x, *incx, y, *incy});
}

float sdot_64_(const std::int64_t* n, const float* x, const std::int64_t* incx, const float* y,
               const std::int64_t* incy) {
  return perform<std::int64_t>(__func__, dot<float>{*n, x, *incx, y, *incy});
}

double ddot_(const std::int32_t* n, const double* x, const std::int32_t* incx, const double* y,
             const std::int32_t* incy) {
  return perform<std::int32_t>(__func__, dot<double>{*n, x, *incx, y, *incy});
}

double ddot_64_(const std::int64_t* n, const double* x, const std::int64_t* incx, const double* y,
                const std::int64_t* incy) {
  return perform<std::int64_t>(__func__, dot<double>{*n, x, *incx, y, *incy});
}

float snrm2_(const std::int32_t* n, const float* x, const std::int32_t* incx) {
  return perform<std::int32_t>(__func__, nrm2<float>{*n, x, *incx});
}

float snrm2_64_(const std::int64_t* n, const float* x, const std::int64_t* incx) {
  return perform<std::int64_t>(__func__, nrm2<float>{*n, x, *incx});
}

double dnrm2_(const std::int32_t* n, const double* x, const std::int32_t* incx) {
  return perform<std::int32_t>(__func__, nrm2<double>{*n, x, *incx});
}

double dnrm2_64_(const std::int64_t* n, const double* x, const std::int64_t* incx) {
  return perform<std::int64_t>(__func__, nrm2<double>{*n, x, *incx});
}

float sasum_(const std::int32_t* n, const float* x, const std::int32_t* incx) {
  return perform<std::int32_t>(__func__, asum<float>{*n, x, *incx});
}

float sasum_64_(const std::int64_t* n, const float* x, const std::int64_t* incx) {
  return perform<std::int64_t>(__func__, asum<float>{*n, x, *incx});
}

double dasum_(const std::int32_t* n, const double* x, const std::int32_t* incx) {
  return perform<std::int32_t>(__func__, asum<double>{*n, x, *incx});
}

double dasum_64_(const std::int64_t* n, const double* x, const std::int64_t* incx) {
  return perform<std::int64_t>(__func__, asum<double>{*n, x, *incx});
}

std::int32_t isamax_(const std::int32_t* n, const float* x, const std::int32_t* incx) {
  return static_cast<std::int32_t>(perform<std::int32_t>(__func__, iamax<float>{*n, x, *incx}));
}

std::int64_t isamax_64_(const std::int64_t* n, const float* x, const std::int64_t* incx) {
  return static_cast<std::int64_t>(perform<std::int64_t>(__func__, iamax<float>{*n, x, *incx}));
}

std::int32_t idamax_(const std::int32_t* n, const double* x, const std::int32_t* incx) {
  return static_cast<std::int32_t>(perform<std::int32_t>(__func__, iamax<double>{*n, x, *incx}));
}

std::int64_t idamax_64_(const std::int64_t* n, const double* x, const std::int64_t* incx) {
  return static_cast<std::int64_t>(perform<std::int64_t>(__func__, iamax<double>{*n, x, *incx}));
}

void saxpy_(const std::int32_t* n, const float* alpha, const float* x, const std::int32_t* incx, float* y,
            const std::int32_t* incy) {
  perform<std::int32_t>(__func__, axpy<float>{*n, *alpha, x, *incx, y, *incy});
}

void saxpy_64_(const std::int64_t* n, const float* alpha, const float* x, const std::int64_t* incx, float* y,
               const std::int64_t* incy) {
  perform<std::int64_t>(__func__, axpy<float>{*n, *alpha, x, *incx, y, *incy});
}

void daxpy_(const std::int32_t* n, const double* alpha, const double* x, const std::int32_t* incx, double* y,
            const std::int32_t* incy) {
  perform<std::int32_t>(__func__, axpy<double>{*n, *alpha, x, *incx, y, *incy});
}

void daxpy_64_(const std::int64_t* n, const double* alpha, const double* x, const std::int64_t* incx, double* y,
               const std::int64_t* incy) {
  perform<std::int64_t>(__func__, axpy<double>{*n, *alpha, x, *incx, y, *incy});
}

void sscal_(const std::int32_t* n, const float* alpha, float* x, const std::int32_t* incx) {
  perform<std::int32_t>(__func__, scal<float>{*n, *alpha, x, *incx});
}

void sscal_64_(const std::int64_t* n, const float* alpha, float* x, const std::int64_t* incx) {
  perform<std::int64_t>(__func__, scal<float>{*n, *alpha, x, *incx});
}

void dscal_(const std::int32_t* n, const double* alpha, double* x, const std::int32_t* incx) {
  perform<std::int32_t>(__func__, scal<double>{*n, *alpha, x, *incx});
}

void dscal_64_(const std::int64_t* n, const double* alpha, double* x, const std::int64_t* incx) {
  perform<std::int64_t>(__func__, scal<double>{*n, *alpha, x, *incx});
}

void scopy_(const std::int32_t* n, const float* x, const std::int32_t* incx, float* y, const std::int32_t* incy) {
  perform<std::int32_t>(__func__, copy<float>{*n, x, *incx, y, *incy});
}

void scopy_64_(const std::int64_t* n, const float* x, const std::int64_t* incx, float* y, const std::int64_t* incy) {
  perform<std::int64_t>(__func__, copy<float>{*n, x, *incx, y, *incy});
}

void dcopy_(const std::int32_t* n, const double* x, const std::int32_t* incx, double* y, const std::int32_t* incy) {
  perform<std::int32_t>(__func__, copy<double>{*n, x, *incx, y, *incy});
}

void dcopy_64_(const std::int64_t* n, const double* x, const std::int64_t* incx, double* y, const std::int64_t* incy) {
  perform<std::int64_t>(__func__, copy<double>{*n, x, *incx, y, *incy});
}

void somatcopy_(const char* order, const char* trans, const std::int32_t* rows, const std::int32_t* cols,
                const float* alpha, const float* a, const std::int32_t* lda, float* b, const std::int32_t* ldb) {
  perform<std::int32_t>(__func__, omatcopy<float>{*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb});
}

void somatcopy_64_(const char* order, const char* trans, const std::int64_t* rows, const std::int64_t* cols,
                   const float* alpha, const float* a, const std::int64_t* lda, float* b, const std::int64_t* ldb) {
  perform<std::int64_t>(__func__, omatcopy<float>{*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb});
}

void domatcopy_(const char* order, const char* trans, const std::int32_t* rows, const std::int32_t* cols,
                const double* alpha, const double* a, const std::int32_t* lda, double* b, const std::int32_t* ldb) {
  perform<std::int32_t>(__func__, omatcopy<double>{*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb});
}

void domatcopy_64_(const char* order, const char* trans, const std::int64_t* rows, const std::int64_t* cols,
                   const double* alpha, const double* a, const std::int64_t* lda, double* b, const std::int64_t* ldb) {
  perform<std::int64_t>(__func__, omatcopy<double>{*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb});
}

}  // extern "C"

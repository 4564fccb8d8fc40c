// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The BLAS' routines for complex numbers, as fortran.cpp has those for real ones, but for dot products.
#include "batches.hpp"
#include "fortran_call.hpp"
#include "omatcopy.hpp"
#include "vectors.hpp"

using namespace abax::blas;
using abax::blas::fortran::perform;
using abax::tile::complex;

extern "C" {

void cgemm_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n, const std::int32_t* k,
            const complex<float>* alpha, const complex<float>* a, const std::int32_t* lda, const complex<float>* b,
            const std::int32_t* ldb, const complex<float>* beta, complex<float>* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__,
                        gemm<complex<float>>{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void cgemm_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
               const std::int64_t* k, const complex<float>* alpha, const complex<float>* a, const std::int64_t* lda,
               const complex<float>* b, const std::int64_t* ldb, const complex<float>* beta, complex<float>* c,
               const std::int64_t* ldc) {
  perform<std::int64_t>(__func__,
                        gemm<complex<float>>{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void zgemm_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n, const std::int32_t* k,
            const complex<double>* alpha, const complex<double>* a, const std::int32_t* lda, const complex<double>* b,
            const std::int32_t* ldb, const complex<double>* beta, complex<double>* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__,
                        gemm<complex<double>>{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void zgemm_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
               const std::int64_t* k, const complex<double>* alpha, const complex<double>* a, const std::int64_t* lda,
               const complex<double>* b, const std::int64_t* ldb, const complex<double>* beta, complex<double>* c,
               const std::int64_t* ldc) {
  perform<std::int64_t>(__func__,
                        gemm<complex<double>>{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void cgemm_batch_strided_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n,
                          const std::int32_t* k, const complex<float>* alpha, const complex<float>* a,
                          const std::int32_t* lda, const std::int32_t* stridea, const complex<float>* b,
                          const std::int32_t* ldb, const std::int32_t* strideb, const complex<float>* beta,
                          complex<float>* c, const std::int32_t* ldc, const std::int32_t* stridec,
                          const std::int32_t* batch_size) {
  perform<std::int32_t>(__func__,
                        gemm_batch_strided<complex<float>>{{false, *transa, *transb, *m, *n, *k, *lda, *ldb, *ldc},
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

void cgemm_batch_strided_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
                             const std::int64_t* k, const complex<float>* alpha, const complex<float>* a,
                             const std::int64_t* lda, const std::int64_t* stridea, const complex<float>* b,
                             const std::int64_t* ldb, const std::int64_t* strideb, const complex<float>* beta,
                             complex<float>* c, const std::int64_t* ldc, const std::int64_t* stridec,
                             const std::int64_t* batch_size) {
  perform<std::int64_t>(__func__,
                        gemm_batch_strided<complex<float>>{{false, *transa, *transb, *m, *n, *k, *lda, *ldb, *ldc},
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

void zgemm_batch_strided_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n,
                          const std::int32_t* k, const complex<double>* alpha, const complex<double>* a,
                          const std::int32_t* lda, const std::int32_t* stridea, const complex<double>* b,
                          const std::int32_t* ldb, const std::int32_t* strideb, const complex<double>* beta,
                          complex<double>* c, const std::int32_t* ldc, const std::int32_t* stridec,
                          const std::int32_t* batch_size) {
  perform<std::int32_t>(__func__,
                        gemm_batch_strided<complex<double>>{{false, *transa, *transb, *m, *n, *k, *lda, *ldb, *ldc},
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

void zgemm_batch_strided_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
                             const std::int64_t* k, const complex<double>* alpha, const complex<double>* a,
                             const std::int64_t* lda, const std::int64_t* stridea, const complex<double>* b,
                             const std::int64_t* ldb, const std::int64_t* strideb, const complex<double>* beta,
                             complex<double>* c, const std::int64_t* ldc, const std::int64_t* stridec,
                             const std::int64_t* batch_size) {
  perform<std::int64_t>(__func__,
                        gemm_batch_strided<complex<double>>{{false, *transa, *transb, *m, *n, *k, *lda, *ldb, *ldc},
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

void cgemm_batch_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n,
                  const std::int32_t* k, const complex<float>* alpha, const complex<float>* const* a,
                  const std::int32_t* lda, const complex<float>* const* b, const std::int32_t* ldb,
                  const complex<float>* beta, complex<float>* const* c, const std::int32_t* ldc,
                  const std::int32_t* group_count, const std::int32_t* group_size) {
  perform<std::int32_t>(
      __func__, gemm_batch<complex<float>, std::int32_t, char>{false, itself, transa, transb, m, n, k, alpha, a, lda, b,
                                                               ldb, beta, c, ldc, *group_count, group_size});
}

void cgemm_batch_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
                     const std::int64_t* k, const complex<float>* alpha, const complex<float>* const* a,
                     const std::int64_t* lda, const complex<float>* const* b, const std::int64_t* ldb,
                     const complex<float>* beta, complex<float>* const* c, const std::int64_t* ldc,
                     const std::int64_t* group_count, const std::int64_t* group_size) {
  perform<std::int64_t>(
      __func__, gemm_batch<complex<float>, std::int64_t, char>{false, itself, transa, transb, m, n, k, alpha, a, lda, b,
                                                               ldb, beta, c, ldc, *group_count, group_size});
}

void zgemm_batch_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n,
                  const std::int32_t* k, const complex<double>* alpha, const complex<double>* const* a,
                  const std::int32_t* lda, const complex<double>* const* b, const std::int32_t* ldb,
                  const complex<double>* beta, complex<double>* const* c, const std::int32_t* ldc,
                  const std::int32_t* group_count, const std::int32_t* group_size) {
  perform<std::int32_t>(
      __func__, gemm_batch<complex<double>, std::int32_t, char>{false, itself, transa, transb, m, n, k, alpha, a, lda,
                                                                b, ldb, beta, c, ldc, *group_count, group_size});
}

void zgemm_batch_64_(const char* transa, const char* transb, const std::int64_t* m, const std::int64_t* n,
                     const std::int64_t* k, const complex<double>* alpha, const complex<double>* const* a,
                     const std::int64_t* lda, const complex<double>* const* b, const std::int64_t* ldb,
                     const complex<double>* beta, complex<double>* const* c, const std::int64_t* ldc,
                     const std::int64_t* group_count, const std::int64_t* group_size) {
  perform<std::int64_t>(
      __func__, gemm_batch<complex<double>, std::int64_t, char>{false, itself, transa, transb, m, n, k, alpha, a, lda,
                                                                b, ldb, beta, c, ldc, *group_count, group_size});
}

void cgemmt_(const char* uplo, const char* transa, const char* transb, const std::int32_t* n, const std::int32_t* k,
             const complex<float>* alpha, const complex<float>* a, const std::int32_t* lda, const complex<float>* b,
             const std::int32_t* ldb, const complex<float>* beta, complex<float>* c, const std::int32_t* ldc) {
  perform<std::int32_t>(
      __func__, gemmt<complex<float>>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void cgemmt_64_(const char* uplo, const char* transa, const char* transb, const std::int64_t* n, const std::int64_t* k,
                const complex<float>* alpha, const complex<float>* a, const std::int64_t* lda, const complex<float>* b,
                const std::int64_t* ldb, const complex<float>* beta, complex<float>* c, const std::int64_t* ldc) {
  perform<std::int64_t>(
      __func__, gemmt<complex<float>>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void zgemmt_(const char* uplo, const char* transa, const char* transb, const std::int32_t* n, const std::int32_t* k,
             const complex<double>* alpha, const complex<double>* a, const std::int32_t* lda, const complex<double>* b,
             const std::int32_t* ldb, const complex<double>* beta, complex<double>* c, const std::int32_t* ldc) {
  perform<std::int32_t>(
      __func__, gemmt<complex<double>>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void zgemmt_64_(const char* uplo, const char* transa, const char* transb, const std::int64_t* n, const std::int64_t* k,
                const complex<double>* alpha, const complex<double>* a, const std::int64_t* lda,
                const complex<double>* b, const std::int64_t* ldb, const complex<double>* beta, complex<double>* c,
                const std::int64_t* ldc) {
  perform<std::int64_t>(
      __func__, gemmt<complex<double>>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void cgemmtr_(const char* uplo, const char* transa, const char* transb, const std::int32_t* n, const std::int32_t* k,
              const complex<float>* alpha, const complex<float>* a, const std::int32_t* lda, const complex<float>* b,
              const std::int32_t* ldb, const complex<float>* beta, complex<float>* c, const std::int32_t* ldc) {
  perform<std::int32_t>(
      __func__, gemmt<complex<float>>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void cgemmtr_64_(const char* uplo, const char* transa, const char* transb, const std::int64_t* n, const std::int64_t* k,
                 const complex<float>* alpha, const complex<float>* a, const std::int64_t* lda, const complex<float>* b,
                 const std::int64_t* ldb, const complex<float>* beta, complex<float>* c, const std::int64_t* ldc) {
  perform<std::int64_t>(
      __func__, gemmt<complex<float>>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void zgemmtr_(const char* uplo, const char* transa, const char* transb, const std::int32_t* n, const std::int32_t* k,
              const complex<double>* alpha, const complex<double>* a, const std::int32_t* lda, const complex<double>* b,
              const std::int32_t* ldb, const complex<double>* beta, complex<double>* c, const std::int32_t* ldc) {
  perform<std::int32_t>(
      __func__, gemmt<complex<double>>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void zgemmtr_64_(const char* uplo, const char* transa, const char* transb, const std::int64_t* n, const std::int64_t* k,
                 const complex<double>* alpha, const complex<double>* a, const std::int64_t* lda,
                 const complex<double>* b, const std::int64_t* ldb, const complex<double>* beta, complex<double>* c,
                 const std::int64_t* ldc) {
  perform<std::int64_t>(
      __func__, gemmt<complex<double>>{*uplo, *transa, *transb, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});
}

void csyrk_(const char* uplo, const char* trans, const std::int32_t* n, const std::int32_t* k,
            const complex<float>* alpha, const complex<float>* a, const std::int32_t* lda, const complex<float>* beta,
            complex<float>* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__, syrk<complex<float>>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void csyrk_64_(const char* uplo, const char* trans, const std::int64_t* n, const std::int64_t* k,
               const complex<float>* alpha, const complex<float>* a, const std::int64_t* lda,
               const complex<float>* beta, complex<float>* c, const std::int64_t* ldc) {
  perform<std::int64_t>(__func__, syrk<complex<float>>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void zsyrk_(const char* uplo, const char* trans, const std::int32_t* n, const std::int32_t* k,
            const complex<double>* alpha, const complex<double>* a, const std::int32_t* lda,
            const complex<double>* beta, complex<double>* c, const std::int32_t* ldc) {
  perform<std::int32_t>(__func__, syrk<complex<double>>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void zsyrk_64_(const char* uplo, const char* trans, const std::int64_t* n, const std::int64_t* k,
               const complex<double>* alpha, const complex<double>* a, const std::int64_t* lda,
               const complex<double>* beta, complex<double>* c, const std::int64_t* ldc) {
  perform<std::int64_t>(__func__, syrk<complex<double>>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void cherk_(const char* uplo, const char* trans, const std::int32_t* n, const std::int32_t* k, const float* alpha,
            const complex<float>* a, const std::int32_t* lda, const float* beta, complex<float>* c,
            const std::int32_t* ldc) {
  perform<std::int32_t>(__func__, herk<complex<float>>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void cherk_64_(const char* uplo, const char* trans, const std::int64_t* n, const std::int64_t* k, const float* alpha,
               const complex<float>* a, const std::int64_t* lda, const float* beta, complex<float>* c,
               const std::int64_t* ldc) {
  perform<std::int64_t>(__func__, herk<complex<float>>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void zherk_(const char* uplo, const char* trans, const std::int32_t* n, const std::int32_t* k, const double* alpha,
            const complex<double>* a, const std::int32_t* lda, const double* beta, complex<double>* c,
            const std::int32_t* ldc) {
  perform<std::int32_t>(__func__, herk<complex<double>>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void zherk_64_(const char* uplo, const char* trans, const std::int64_t* n, const std::int64_t* k, const double* alpha,
               const complex<double>* a, const std::int64_t* lda, const double* beta, complex<double>* c,
               const std::int64_t* ldc) {
  perform<std::int64_t>(__func__, herk<complex<double>>{*uplo, *trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc});
}

void cgemv_(const char* trans, const std::int32_t* m, const std::int32_t* n, const complex<float>* alpha,
            const complex<float>* a, const std::int32_t* lda, const complex<float>* x, const std::int32_t* incx,
            const complex<float>* beta, complex<float>* y, const std::int32_t* incy) {
  perform<std::int32_t>(__func__, gemv<complex<float>>{*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy});
}

void cgemv_64_(const char* trans, const std::int64_t* m, const std::int64_t* n, const complex<float>* alpha,
               const complex<float>* a, const std::int64_t* lda, const complex<float>* x, const std::int64_t* incx,
               const complex<float>* beta, complex<float>* y, const std::int64_t* incy) {
  perform<std::int64_t>(__func__, gemv<complex<float>>{*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy});
}

void zgemv_(const char* trans, const std::int32_t* m, const std::int32_t* n, const complex<double>* alpha,
            const complex<double>* a, const std::int32_t* lda, const complex<double>* x, const std::int32_t* incx,
            const complex<double>* beta, complex<double>* y, const std::int32_t* incy) {
  perform<std::int32_t>(__func__, gemv<complex<double>>{*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy});
}

void zgemv_64_(const char* trans, const std::int64_t* m, const std::int64_t* n, const complex<double>* alpha,
               const complex<double>* a, const std::int64_t* lda, const complex<double>* x, const std::int64_t* incx,
               const complex<double>* beta, complex<double>* y, const std::int64_t* incy) {
  perform<std::int64_t>(__func__, gemv<complex<double>>{*trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy});
}

float scnrm2_(const std::int32_t* n, const complex<float>* x, const std::int32_t* incx) {
  return perform<std::int32_t>(__func__, nrm2<complex<float>>{*n, x, *incx});
}

float scnrm2_64_(const std::int64_t* n, const complex<float>* x, const std::int64_t* incx) {
  return perform<std::int64_t>(__func__, nrm2<complex<float>>{*n, x, *incx});
}

double dznrm2_(const std::int32_t* n, const complex<double>* x, const std::int32_t* incx) {
  return perform<std::int32_t>(__func__, nrm2<complex<double>>{*n, x, *incx});
}

double dznrm2_64_(const std::int64_t* n, const complex<double>* x, const std::int64_t* incx) {
  return perform<std::int64_t>(__func__, nrm2<complex<double>>{*n, x, *incx});
}

float scasum_(const std::int32_t* n, const complex<float>* x, const std::int32_t* incx) {
  return perform<std::int32_t>(__func__, asum<complex<float>>{*n, x, *incx});
}

float scasum_64_(const std::int64_t* n, const complex<float>* x, const std::int64_t* incx) {
  return perform<std::int64_t>(__func__, asum<complex<float>>{*n, x, *incx});
}

double dzasum_(const std::int32_t* n, const complex<double>* x, const std::int32_t* incx) {
  return perform<std::int32_t>(__func__, asum<complex<double>>{*n, x, *incx});
}

double dzasum_64_(const std::int64_t* n, const complex<double>* x, const std::int64_t* incx) {
  return perform<std::int64_t>(__func__, asum<complex<double>>{*n, x, *incx});
}

std::int32_t icamax_(const std::int32_t* n, const complex<float>* x, const std::int32_t* incx) {
  return static_cast<std::int32_t>(perform<std::int32_t>(__func__, iamax<complex<float>>{*n, x, *incx}));
}

std::int64_t icamax_64_(const std::int64_t* n, const complex<float>* x, const std::int64_t* incx) {
  return static_cast<std::int64_t>(perform<std::int64_t>(__func__, iamax<complex<float>>{*n, x, *incx}));
}

std::int32_t izamax_(const std::int32_t* n, const complex<double>* x, const std::int32_t* incx) {
  return static_cast<std::int32_t>(perform<std::int32_t>(__func__, iamax<complex<double>>{*n, x, *incx}));
}

std::int64_t izamax_64_(const std::int64_t* n, const complex<double>* x, const std::int64_t* incx) {
  return static_cast<std::int64_t>(perform<std::int64_t>(__func__, iamax<complex<double>>{*n, x, *incx}));
}

void caxpy_(const std::int32_t* n, const complex<float>* alpha, const complex<float>* x, const std::int32_t* incx,
            complex<float>* y, const std::int32_t* incy) {
  perform<std::int32_t>(__func__, axpy<complex<float>>{*n, *alpha, x, *incx, y, *incy});
}

void caxpy_64_(const std::int64_t* n, const complex<float>* alpha, const complex<float>* x, const std::int64_t* incx,
               complex<float>* y, const std::int64_t* incy) {
  perform<std::int64_t>(__func__, axpy<complex<float>>{*n, *alpha, x, *incx, y, *incy});
}

void zaxpy_(const std::int32_t* n, const complex<double>* alpha, const complex<double>* x, const std::int32_t* incx,
            complex<double>* y, const std::int32_t* incy) {
  perform<std::int32_t>(__func__, axpy<complex<double>>{*n, *alpha, x, *incx, y, *incy});
}

void zaxpy_64_(const std::int64_t* n, const complex<double>* alpha, const complex<double>* x, const std::int64_t* incx,
               complex<double>* y, const std::int64_t* incy) {
  perform<std::int64_t>(__func__, axpy<complex<double>>{*n, *alpha, x, *incx, y, *incy});
}

void cscal_(const std::int32_t* n, const complex<float>* alpha, complex<float>* x, const std::int32_t* incx) {
  perform<std::int32_t>(__func__, scal<complex<float>>{*n, *alpha, x, *incx});
}

void cscal_64_(const std::int64_t* n, const complex<float>* alpha, complex<float>* x, const std::int64_t* incx) {
  perform<std::int64_t>(__func__, scal<complex<float>>{*n, *alpha, x, *incx});
}

void zscal_(const std::int32_t* n, const complex<double>* alpha, complex<double>* x, const std::int32_t* incx) {
  perform<std::int32_t>(__func__, scal<complex<double>>{*n, *alpha, x, *incx});
}

void zscal_64_(const std::int64_t* n, const complex<double>* alpha, complex<double>* x, const std::int64_t* incx) {
  perform<std::int64_t>(__func__, scal<complex<double>>{*n, *alpha, x, *incx});
}

void csscal_(const std::int32_t* n, const float* alpha, complex<float>* x, const std::int32_t* incx) {
  perform<std::int32_t>(__func__, scal<complex<float>, float>{*n, *alpha, x, *incx});
}

void csscal_64_(const std::int64_t* n, const float* alpha, complex<float>* x, const std::int64_t* incx) {
  perform<std::int64_t>(__func__, scal<complex<float>, float>{*n, *alpha, x, *incx});
}

void zdscal_(const std::int32_t* n, const double* alpha, complex<double>* x, const std::int32_t* incx) {
  perform<std::int32_t>(__func__, scal<complex<double>, double>{*n, *alpha, x, *incx});
}

void zdscal_64_(const std::int64_t* n, const double* alpha, complex<double>* x, const std::int64_t* incx) {
  perform<std::int64_t>(__func__, scal<complex<double>, double>{*n, *alpha, x, *incx});
}

void ccopy_(const std::int32_t* n, const complex<float>* x, const std::int32_t* incx, complex<float>* y,
            const std::int32_t* incy) {
  perform<std::int32_t>(__func__, copy<complex<float>>{*n, x, *incx, y, *incy});
}

void ccopy_64_(const std::int64_t* n, const complex<float>* x, const std::int64_t* incx, complex<float>* y,
               const std::int64_t* incy) {
  perform<std::int64_t>(__func__, copy<complex<float>>{*n, x, *incx, y, *incy});
}

void zcopy_(const std::int32_t* n, const complex<double>* x, const std::int32_t* incx, complex<double>* y,
            const std::int32_t* incy) {
  perform<std::int32_t>(__func__, copy<complex<double>>{*n, x, *incx, y, *incy});
}

void zcopy_64_(const std::int64_t* n, const complex<double>* x, const std::int64_t* incx, complex<double>* y,
               const std::int64_t* incy) {
  perform<std::int64_t>(__func__, copy<complex<double>>{*n, x, *incx, y, *incy});
}

void comatcopy_(const char* order, const char* trans, const std::int32_t* rows, const std::int32_t* cols,
                const complex<float>* alpha, const complex<float>* a, const std::int32_t* lda, complex<float>* b,
                const std::int32_t* ldb) {
  perform<std::int32_t>(__func__, omatcopy<complex<float>>{*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb});
}

void comatcopy_64_(const char* order, const char* trans, const std::int64_t* rows, const std::int64_t* cols,
                   const complex<float>* alpha, const complex<float>* a, const std::int64_t* lda, complex<float>* b,
                   const std::int64_t* ldb) {
  perform<std::int64_t>(__func__, omatcopy<complex<float>>{*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb});
}

void zomatcopy_(const char* order, const char* trans, const std::int32_t* rows, const std::int32_t* cols,
                const complex<double>* alpha, const complex<double>* a, const std::int32_t* lda, complex<double>* b,
                const std::int32_t* ldb) {
  perform<std::int32_t>(__func__, omatcopy<complex<double>>{*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb});
}

void zomatcopy_64_(const char* order, const char* trans, const std::int64_t* rows, const std::int64_t* cols,
                   const complex<double>* alpha, const complex<double>* a, const std::int64_t* lda, complex<double>* b,
                   const std::int64_t* ldb) {
  perform<std::int64_t>(__func__, omatcopy<complex<double>>{*order, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb});
}

}  // extern "C"

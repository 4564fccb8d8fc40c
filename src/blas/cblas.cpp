// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The BLAS as C calls it.
#include "cblas_call.hpp"

using namespace abax::blas;

extern "C" {

void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M, int32_t N, int32_t K,
                 float alpha, const float* A, int32_t lda, const float* B, int32_t ldb, float beta, float* C,
                 int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, TransA, TransB,
          gemm<float>{letter(TransA), letter(TransB), M, N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_sgemm_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M, int64_t N,
                    int64_t K, float alpha, const float* A, int64_t lda, const float* B, int64_t ldb, float beta,
                    float* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, TransA, TransB,
          gemm<float>{letter(TransA), letter(TransB), M, N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M, int32_t N, int32_t K,
                 double alpha, const double* A, int32_t lda, const double* B, int32_t ldb, double beta, double* C,
                 int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, TransA, TransB,
          gemm<double>{letter(TransA), letter(TransB), M, N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_dgemm_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M, int64_t N,
                    int64_t K, double alpha, const double* A, int64_t lda, const double* B, int64_t ldb, double beta,
                    double* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, TransA, TransB,
          gemm<double>{letter(TransA), letter(TransB), M, N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_sgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M,
                               int32_t N, int32_t K, float alpha, const float* A, int32_t lda, int32_t stridea,
                               const float* B, int32_t ldb, int32_t strideb, float beta, float* C, int32_t ldc,
                               int32_t stridec, int32_t batch_size) {
  perform_batch(
      complaint<int32_t>(__func__), layout,
      gemm_batch_strided<float>{{layout == CblasRowMajor, letter(TransA), letter(TransB), M, N, K, lda, ldb, ldc},
                                alpha,
                                A,
                                stridea,
                                B,
                                strideb,
                                beta,
                                C,
                                stridec,
                                batch_size});
}

void cblas_sgemm_batch_strided_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M,
                                  int64_t N, int64_t K, float alpha, const float* A, int64_t lda, int64_t stridea,
                                  const float* B, int64_t ldb, int64_t strideb, float beta, float* C, int64_t ldc,
                                  int64_t stridec, int64_t batch_size) {
  perform_batch(
      complaint<int64_t>(__func__), layout,
      gemm_batch_strided<float>{{layout == CblasRowMajor, letter(TransA), letter(TransB), M, N, K, lda, ldb, ldc},
                                alpha,
                                A,
                                stridea,
                                B,
                                strideb,
                                beta,
                                C,
                                stridec,
                                batch_size});
}

void cblas_dgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M,
                               int32_t N, int32_t K, double alpha, const double* A, int32_t lda, int32_t stridea,
                               const double* B, int32_t ldb, int32_t strideb, double beta, double* C, int32_t ldc,
                               int32_t stridec, int32_t batch_size) {
  perform_batch(
      complaint<int32_t>(__func__), layout,
      gemm_batch_strided<double>{{layout == CblasRowMajor, letter(TransA), letter(TransB), M, N, K, lda, ldb, ldc},
                                 alpha,
                                 A,
                                 stridea,
                                 B,
                                 strideb,
                                 beta,
                                 C,
                                 stridec,
                                 batch_size});
}

void cblas_dgemm_batch_strided_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M,
                                  int64_t N, int64_t K, double alpha, const double* A, int64_t lda, int64_t stridea,
                                  const double* B, int64_t ldb, int64_t strideb, double beta, double* C, int64_t ldc,
                                  int64_t stridec, int64_t batch_size) {
  perform_batch(
      complaint<int64_t>(__func__), layout,
      gemm_batch_strided<double>{{layout == CblasRowMajor, letter(TransA), letter(TransB), M, N, K, lda, ldb, ldc},
                                 alpha,
                                 A,
                                 stridea,
                                 B,
                                 strideb,
                                 beta,
                                 C,
                                 stridec,
                                 batch_size});
}

void cblas_sgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                       const int32_t* M, const int32_t* N, const int32_t* K, const float* alpha, const float* const* A,
                       const int32_t* lda, const float* const* B, const int32_t* ldb, const float* beta,
                       float* const* C, const int32_t* ldc, int32_t group_count, const int32_t* group_size) {
  perform_batch(
      complaint<int32_t>(__func__), layout,
      gemm_batch<float, int32_t, CBLAS_TRANSPOSE>{layout == CblasRowMajor, letter, TransA, TransB, M, N, K, alpha, A,
                                                  lda, B, ldb, beta, C, ldc, group_count, group_size});
}

void cblas_sgemm_batch_64(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                          const int64_t* M, const int64_t* N, const int64_t* K, const float* alpha,
                          const float* const* A, const int64_t* lda, const float* const* B, const int64_t* ldb,
                          const float* beta, float* const* C, const int64_t* ldc, int64_t group_count,
                          const int64_t* group_size) {
  perform_batch(
      complaint<int64_t>(__func__), layout,
      gemm_batch<float, int64_t, CBLAS_TRANSPOSE>{layout == CblasRowMajor, letter, TransA, TransB, M, N, K, alpha, A,
                                                  lda, B, ldb, beta, C, ldc, group_count, group_size});
}

void cblas_dgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                       const int32_t* M, const int32_t* N, const int32_t* K, const double* alpha,
                       const double* const* A, const int32_t* lda, const double* const* B, const int32_t* ldb,
                       const double* beta, double* const* C, const int32_t* ldc, int32_t group_count,
                       const int32_t* group_size) {
  perform_batch(
      complaint<int32_t>(__func__), layout,
      gemm_batch<double, int32_t, CBLAS_TRANSPOSE>{layout == CblasRowMajor, letter, TransA, TransB, M, N, K, alpha, A,
                                                   lda, B, ldb, beta, C, ldc, group_count, group_size});
}

void cblas_dgemm_batch_64(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                          const int64_t* M, const int64_t* N, const int64_t* K, const double* alpha,
                          const double* const* A, const int64_t* lda, const double* const* B, const int64_t* ldb,
                          const double* beta, double* const* C, const int64_t* ldc, int64_t group_count,
                          const int64_t* group_size) {
  perform_batch(
      complaint<int64_t>(__func__), layout,
      gemm_batch<double, int64_t, CBLAS_TRANSPOSE>{layout == CblasRowMajor, letter, TransA, TransB, M, N, K, alpha, A,
                                                   lda, B, ldb, beta, C, ldc, group_count, group_size});
}

void cblas_sgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                  int32_t K, float alpha, const float* A, int32_t lda, const float* B, int32_t ldb, float beta,
                  float* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<float>{letter(Uplo), letter(TransA), letter(TransB), N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_sgemmt_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                     int64_t K, float alpha, const float* A, int64_t lda, const float* B, int64_t ldb, float beta,
                     float* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<float>{letter(Uplo), letter(TransA), letter(TransB), N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_dgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                  int32_t K, double alpha, const double* A, int32_t lda, const double* B, int32_t ldb, double beta,
                  double* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<double>{letter(Uplo), letter(TransA), letter(TransB), N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_dgemmt_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                     int64_t K, double alpha, const double* A, int64_t lda, const double* B, int64_t ldb, double beta,
                     double* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<double>{letter(Uplo), letter(TransA), letter(TransB), N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_sgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                   int32_t K, float alpha, const float* A, int32_t lda, const float* B, int32_t ldb, float beta,
                   float* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<float>{letter(Uplo), letter(TransA), letter(TransB), N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_sgemmtr_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                      int64_t K, float alpha, const float* A, int64_t lda, const float* B, int64_t ldb, float beta,
                      float* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<float>{letter(Uplo), letter(TransA), letter(TransB), N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_dgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                   int32_t K, double alpha, const double* A, int32_t lda, const double* B, int32_t ldb, double beta,
                   double* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<double>{letter(Uplo), letter(TransA), letter(TransB), N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_dgemmtr_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                      int64_t K, double alpha, const double* A, int64_t lda, const double* B, int64_t ldb, double beta,
                      double* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<double>{letter(Uplo), letter(TransA), letter(TransB), N, K, alpha, A, lda, B, ldb, beta, C, ldc});
}

void cblas_ssyrk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, float alpha,
                 const float* A, int32_t lda, float beta, float* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, Trans,
          syrk<float>{letter(Uplo), letter(Trans), N, K, alpha, A, lda, beta, C, ldc});
}

void cblas_ssyrk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K, float alpha,
                    const float* A, int64_t lda, float beta, float* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, Trans,
          syrk<float>{letter(Uplo), letter(Trans), N, K, alpha, A, lda, beta, C, ldc});
}

void cblas_dsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, double alpha,
                 const double* A, int32_t lda, double beta, double* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, Trans,
          syrk<double>{letter(Uplo), letter(Trans), N, K, alpha, A, lda, beta, C, ldc});
}

void cblas_dsyrk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K, double alpha,
                    const double* A, int64_t lda, double beta, double* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, Trans,
          syrk<double>{letter(Uplo), letter(Trans), N, K, alpha, A, lda, beta, C, ldc});
}

void cblas_sgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int32_t M, int32_t N, float alpha, const float* A,
                 int32_t lda, const float* X, int32_t incX, float beta, float* Y, int32_t incY) {
  perform(complaint<int32_t>(__func__), layout, TransA,
          gemv<float>{letter(TransA), M, N, alpha, A, lda, X, incX, beta, Y, incY});
}

void cblas_sgemv_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int64_t M, int64_t N, float alpha, const float* A,
                    int64_t lda, const float* X, int64_t incX, float beta, float* Y, int64_t incY) {
  perform(complaint<int64_t>(__func__), layout, TransA,
          gemv<float>{letter(TransA), M, N, alpha, A, lda, X, incX, beta, Y, incY});
}

void cblas_dgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int32_t M, int32_t N, double alpha, const double* A,
                 int32_t lda, const double* X, int32_t incX, double beta, double* Y, int32_t incY) {
  perform(complaint<int32_t>(__func__), layout, TransA,
          gemv<double>{letter(TransA), M, N, alpha, A, lda, X, incX, beta, Y, incY});
}

void cblas_dgemv_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int64_t M, int64_t N, double alpha, const double* A,
                    int64_t lda, const double* X, int64_t incX, double beta, double* Y, int64_t incY) {
  perform(complaint<int64_t>(__func__), layout, TransA,
          gemv<double>{letter(TransA), M, N, alpha, A, lda, X, incX, beta, Y, incY});
}

float cblas_sdot(int32_t N, const float* X, int32_t incX, const float* Y, int32_t incY) {
  return perform<int32_t>(__func__, dot<float>{N, X, incX, Y, incY});
}

float cblas_sdot_64(int64_t N, const float* X, int64_t incX, const float* Y, int64_t incY) {
  return perform<int64_t>(__func__, dot<float>{N, X, incX, Y, incY});
}

double cblas_ddot(int32_t N, const double* X, int32_t incX, const double* Y, int32_t incY) {
  return perform<int32_t>(__func__, dot<double>{N, X, incX, Y, incY});
}

double cblas_ddot_64(int64_t N, const double* X, int64_t incX, const double* Y, int64_t incY) {
  return perform<int64_t>(__func__, dot<double>{N, X, incX, Y, incY});
}

float cblas_snrm2(int32_t N, const float* X, int32_t incX) {
  return perform<int32_t>(__func__, nrm2<float>{N, X, incX});
}

float cblas_snrm2_64(int64_t N, const float* X, int64_t incX) {
  return perform<int64_t>(__func__, nrm2<float>{N, X, incX});
}

double cblas_dnrm2(int32_t N, const double* X, int32_t incX) {
  return perform<int32_t>(__func__, nrm2<double>{N, X, incX});
}

double cblas_dnrm2_64(int64_t N, const double* X, int64_t incX) {
  return perform<int64_t>(__func__, nrm2<double>{N, X, incX});
}

float cblas_sasum(int32_t N, const float* X, int32_t incX) {
  return perform<int32_t>(__func__, asum<float>{N, X, incX});
}

float cblas_sasum_64(int64_t N, const float* X, int64_t incX) {
  return perform<int64_t>(__func__, asum<float>{N, X, incX});
}

double cblas_dasum(int32_t N, const double* X, int32_t incX) {
  return perform<int32_t>(__func__, asum<double>{N, X, incX});
}

double cblas_dasum_64(int64_t N, const double* X, int64_t incX) {
  return perform<int64_t>(__func__, asum<double>{N, X, incX});
}

size_t cblas_isamax(int32_t N, const float* X, int32_t incX) {
  return index_of_largest<int32_t>(__func__, iamax<float>{N, X, incX});
}

size_t cblas_isamax_64(int64_t N, const float* X, int64_t incX) {
  return index_of_largest<int64_t>(__func__, iamax<float>{N, X, incX});
}

size_t cblas_idamax(int32_t N, const double* X, int32_t incX) {
  return index_of_largest<int32_t>(__func__, iamax<double>{N, X, incX});
}

size_t cblas_idamax_64(int64_t N, const double* X, int64_t incX) {
  return index_of_largest<int64_t>(__func__, iamax<double>{N, X, incX});
}

void cblas_saxpy(int32_t N, float alpha, const float* X, int32_t incX, float* Y, int32_t incY) {
  perform<int32_t>(__func__, axpy<float>{N, alpha, X, incX, Y, incY});
}

void cblas_saxpy_64(int64_t N, float alpha, const float* X, int64_t incX, float* Y, int64_t incY) {
  perform<int64_t>(__func__, axpy<float>{N, alpha, X, incX, Y, incY});
}

void cblas_daxpy(int32_t N, double alpha, const double* X, int32_t incX, double* Y, int32_t incY) {
  perform<int32_t>(__func__, axpy<double>{N, alpha, X, incX, Y, incY});
}

void cblas_daxpy_64(int64_t N, double alpha, const double* X, int64_t incX, double* Y, int64_t incY) {
  perform<int64_t>(__func__, axpy<double>{N, alpha, X, incX, Y, incY});
}

void cblas_sscal(int32_t N, float alpha, float* X, int32_t incX) {
  perform<int32_t>(__func__, scal<float>{N, alpha, X, incX});
}

void cblas_sscal_64(int64_t N, float alpha, float* X, int64_t incX) {
  perform<int64_t>(__func__, scal<float>{N, alpha, X, incX});
}

void cblas_dscal(int32_t N, double alpha, double* X, int32_t incX) {
  perform<int32_t>(__func__, scal<double>{N, alpha, X, incX});
}

void cblas_dscal_64(int64_t N, double alpha, double* X, int64_t incX) {
  perform<int64_t>(__func__, scal<double>{N, alpha, X, incX});
}

void cblas_scopy(int32_t N, const float* X, int32_t incX, float* Y, int32_t incY) {
  perform<int32_t>(__func__, copy<float>{N, X, incX, Y, incY});
}

void cblas_scopy_64(int64_t N, const float* X, int64_t incX, float* Y, int64_t incY) {
  perform<int64_t>(__func__, copy<float>{N, X, incX, Y, incY});
}

void cblas_dcopy(int32_t N, const double* X, int32_t incX, double* Y, int32_t incY) {
  perform<int32_t>(__func__, copy<double>{N, X, incX, Y, incY});
}

void cblas_dcopy_64(int64_t N, const double* X, int64_t incX, double* Y, int64_t incY) {
  perform<int64_t>(__func__, copy<double>{N, X, incX, Y, incY});
}

void cblas_somatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int32_t rows, int32_t cols, float alpha,
                     const float* A, int32_t lda, float* B, int32_t ldb) {
  perform(complaint<int32_t>(__func__), layout, Trans,
          omatcopy<float>{order(layout), letter(Trans), rows, cols, alpha, A, lda, B, ldb});
}

void cblas_somatcopy_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int64_t rows, int64_t cols, float alpha,
                        const float* A, int64_t lda, float* B, int64_t ldb) {
  perform(complaint<int64_t>(__func__), layout, Trans,
          omatcopy<float>{order(layout), letter(Trans), rows, cols, alpha, A, lda, B, ldb});
}

void cblas_domatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int32_t rows, int32_t cols, double alpha,
                     const double* A, int32_t lda, double* B, int32_t ldb) {
  perform(complaint<int32_t>(__func__), layout, Trans,
          omatcopy<double>{order(layout), letter(Trans), rows, cols, alpha, A, lda, B, ldb});
}

void cblas_domatcopy_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int64_t rows, int64_t cols, double alpha,
                        const double* A, int64_t lda, double* B, int64_t ldb) {
  perform(complaint<int64_t>(__func__), layout, Trans,
          omatcopy<double>{order(layout), letter(Trans), rows, cols, alpha, A, lda, B, ldb});
}

}  // extern "C"

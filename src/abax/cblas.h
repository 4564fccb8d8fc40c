// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ABAX_CBLAS_H
#define ABAX_CBLAS_H
/**
 * The C interface to the BLAS, as far as libabax_blas offers it: names, arguments and numbers are the reference's, so
 * that a program may include another library's cblas.h just as well. Names that end in _64 take 64-bit integers.
 * Complex numbers, real part first, come by address, also as alpha and beta.
 *
 * Where an argument cannot be used, cblas_xerbla is told its number and nothing is written. A program's own
 * cblas_xerbla takes the place of this one. As in the reference, the numbers it is handed are those of the column-major
 * call that a row-major one becomes (but A and B, which are told of only here, are the caller's); RowMajorStrg is 1
 * meanwhile, and until the next call, if cblas_xerbla jumps out of this one. The batches, which the reference lacks,
 * tell the numbers of the call as it was made, in either layout.
 */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef CBLAS_LAYOUT CBLAS_ORDER;
/** CblasConjNoTrans, which the reference lacks, is for complex omatcopy alone. */
typedef enum CBLAS_TRANSPOSE {
  CblasNoTrans = 111,
  CblasTrans = 112,
  CblasConjTrans = 113,
  CblasConjNoTrans = 114
} CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;

/** Prints what is wrong and returns (the reference's ends the program). */
void cblas_xerbla(int32_t info, const char* routine, const char* format, ...);
void cblas_xerbla_64(int64_t info, const char* routine, const char* format, ...);
extern int RowMajorStrg;

/** C <- alpha op(A) op(B) + beta C; op(A) M x K, op(B) K x N, C M x N. */
void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M, int32_t N, int32_t K,
                 float alpha, const float* A, int32_t lda, const float* B, int32_t ldb, float beta, float* C,
                 int32_t ldc);
void cblas_sgemm_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M, int64_t N,
                    int64_t K, float alpha, const float* A, int64_t lda, const float* B, int64_t ldb, float beta,
                    float* C, int64_t ldc);
void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M, int32_t N, int32_t K,
                 double alpha, const double* A, int32_t lda, const double* B, int32_t ldb, double beta, double* C,
                 int32_t ldc);
void cblas_dgemm_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M, int64_t N,
                    int64_t K, double alpha, const double* A, int64_t lda, const double* B, int64_t ldb, double beta,
                    double* C, int64_t ldc);
void cblas_cgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M, int32_t N, int32_t K,
                 const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb, const void* beta, void* C,
                 int32_t ldc);
void cblas_cgemm_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M, int64_t N,
                    int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                    const void* beta, void* C, int64_t ldc);
void cblas_zgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M, int32_t N, int32_t K,
                 const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb, const void* beta, void* C,
                 int32_t ldc);
void cblas_zgemm_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M, int64_t N,
                    int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                    const void* beta, void* C, int64_t ldc);

/** C_i <- alpha op(A_i) op(B_i) + beta C_i for batch_size items of one shape, as in MKL and OpenBLAS: the next item
   begins stridea (strideb, stridec) elements behind the one before it, 0 where all items share one A or B. */
void cblas_sgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M,
                               int32_t N, int32_t K, float alpha, const float* A, int32_t lda, int32_t stridea,
                               const float* B, int32_t ldb, int32_t strideb, float beta, float* C, int32_t ldc,
                               int32_t stridec, int32_t batch_size);
void cblas_sgemm_batch_strided_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M,
                                  int64_t N, int64_t K, float alpha, const float* A, int64_t lda, int64_t stridea,
                                  const float* B, int64_t ldb, int64_t strideb, float beta, float* C, int64_t ldc,
                                  int64_t stridec, int64_t batch_size);
void cblas_dgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M,
                               int32_t N, int32_t K, double alpha, const double* A, int32_t lda, int32_t stridea,
                               const double* B, int32_t ldb, int32_t strideb, double beta, double* C, int32_t ldc,
                               int32_t stridec, int32_t batch_size);
void cblas_dgemm_batch_strided_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M,
                                  int64_t N, int64_t K, double alpha, const double* A, int64_t lda, int64_t stridea,
                                  const double* B, int64_t ldb, int64_t strideb, double beta, double* C, int64_t ldc,
                                  int64_t stridec, int64_t batch_size);
void cblas_cgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M,
                               int32_t N, int32_t K, const void* alpha, const void* A, int32_t lda, int32_t stridea,
                               const void* B, int32_t ldb, int32_t strideb, const void* beta, void* C, int32_t ldc,
                               int32_t stridec, int32_t batch_size);
void cblas_cgemm_batch_strided_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M,
                                  int64_t N, int64_t K, const void* alpha, const void* A, int64_t lda, int64_t stridea,
                                  const void* B, int64_t ldb, int64_t strideb, const void* beta, void* C, int64_t ldc,
                                  int64_t stridec, int64_t batch_size);
void cblas_zgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M,
                               int32_t N, int32_t K, const void* alpha, const void* A, int32_t lda, int32_t stridea,
                               const void* B, int32_t ldb, int32_t strideb, const void* beta, void* C, int32_t ldc,
                               int32_t stridec, int32_t batch_size);
void cblas_zgemm_batch_strided_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M,
                                  int64_t N, int64_t K, const void* alpha, const void* A, int64_t lda, int64_t stridea,
                                  const void* B, int64_t ldb, int64_t strideb, const void* beta, void* C, int64_t ldc,
                                  int64_t stridec, int64_t batch_size);

/** The same for groups of items, as in MKL and OpenBLAS: the group_size[g] items of group g have one shape and one
   alpha and beta. A, B and C have a pointer for each item of each group, one group after another. */
void cblas_sgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                       const int32_t* M, const int32_t* N, const int32_t* K, const float* alpha, const float* const* A,
                       const int32_t* lda, const float* const* B, const int32_t* ldb, const float* beta,
                       float* const* C, const int32_t* ldc, int32_t group_count, const int32_t* group_size);
void cblas_sgemm_batch_64(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                          const int64_t* M, const int64_t* N, const int64_t* K, const float* alpha,
                          const float* const* A, const int64_t* lda, const float* const* B, const int64_t* ldb,
                          const float* beta, float* const* C, const int64_t* ldc, int64_t group_count,
                          const int64_t* group_size);
void cblas_dgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                       const int32_t* M, const int32_t* N, const int32_t* K, const double* alpha,
                       const double* const* A, const int32_t* lda, const double* const* B, const int32_t* ldb,
                       const double* beta, double* const* C, const int32_t* ldc, int32_t group_count,
                       const int32_t* group_size);
void cblas_dgemm_batch_64(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                          const int64_t* M, const int64_t* N, const int64_t* K, const double* alpha,
                          const double* const* A, const int64_t* lda, const double* const* B, const int64_t* ldb,
                          const double* beta, double* const* C, const int64_t* ldc, int64_t group_count,
                          const int64_t* group_size);
void cblas_cgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                       const int32_t* M, const int32_t* N, const int32_t* K, const void* alpha, const void* const* A,
                       const int32_t* lda, const void* const* B, const int32_t* ldb, const void* beta, void* const* C,
                       const int32_t* ldc, int32_t group_count, const int32_t* group_size);
void cblas_cgemm_batch_64(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                          const int64_t* M, const int64_t* N, const int64_t* K, const void* alpha, const void* const* A,
                          const int64_t* lda, const void* const* B, const int64_t* ldb, const void* beta,
                          void* const* C, const int64_t* ldc, int64_t group_count, const int64_t* group_size);
void cblas_zgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                       const int32_t* M, const int32_t* N, const int32_t* K, const void* alpha, const void* const* A,
                       const int32_t* lda, const void* const* B, const int32_t* ldb, const void* beta, void* const* C,
                       const int32_t* ldc, int32_t group_count, const int32_t* group_size);
void cblas_zgemm_batch_64(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                          const int64_t* M, const int64_t* N, const int64_t* K, const void* alpha, const void* const* A,
                          const int64_t* lda, const void* const* B, const int64_t* ldb, const void* beta,
                          void* const* C, const int64_t* ldc, int64_t group_count, const int64_t* group_size);

/** One triangle of C <- alpha op(A) op(B) + beta C; op(A) N x K, op(B) K x N, C N x N. */
void cblas_sgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                  int32_t K, float alpha, const float* A, int32_t lda, const float* B, int32_t ldb, float beta,
                  float* C, int32_t ldc);
void cblas_sgemmt_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                     int64_t K, float alpha, const float* A, int64_t lda, const float* B, int64_t ldb, float beta,
                     float* C, int64_t ldc);
void cblas_dgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                  int32_t K, double alpha, const double* A, int32_t lda, const double* B, int32_t ldb, double beta,
                  double* C, int32_t ldc);
void cblas_dgemmt_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                     int64_t K, double alpha, const double* A, int64_t lda, const double* B, int64_t ldb, double beta,
                     double* C, int64_t ldc);
void cblas_cgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                  int32_t K, const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb,
                  const void* beta, void* C, int32_t ldc);
void cblas_cgemmt_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                     int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                     const void* beta, void* C, int64_t ldc);
void cblas_zgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                  int32_t K, const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb,
                  const void* beta, void* C, int32_t ldc);
void cblas_zgemmt_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                     int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                     const void* beta, void* C, int64_t ldc);

/** The same, as reference LAPACK 3.12.1 calls it. */
void cblas_sgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                   int32_t K, float alpha, const float* A, int32_t lda, const float* B, int32_t ldb, float beta,
                   float* C, int32_t ldc);
void cblas_sgemmtr_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                      int64_t K, float alpha, const float* A, int64_t lda, const float* B, int64_t ldb, float beta,
                      float* C, int64_t ldc);
void cblas_dgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                   int32_t K, double alpha, const double* A, int32_t lda, const double* B, int32_t ldb, double beta,
                   double* C, int32_t ldc);
void cblas_dgemmtr_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                      int64_t K, double alpha, const double* A, int64_t lda, const double* B, int64_t ldb, double beta,
                      double* C, int64_t ldc);
void cblas_cgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                   int32_t K, const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb,
                   const void* beta, void* C, int32_t ldc);
void cblas_cgemmtr_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                      int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                      const void* beta, void* C, int64_t ldc);
void cblas_zgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                   int32_t K, const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb,
                   const void* beta, void* C, int32_t ldc);
void cblas_zgemmtr_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                      int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                      const void* beta, void* C, int64_t ldc);

/** One triangle of C <- alpha A A^T + beta C, or, transposed, of C <- alpha A^T A + beta C; C N x N. */
void cblas_ssyrk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, float alpha,
                 const float* A, int32_t lda, float beta, float* C, int32_t ldc);
void cblas_ssyrk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K, float alpha,
                    const float* A, int64_t lda, float beta, float* C, int64_t ldc);
void cblas_dsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, double alpha,
                 const double* A, int32_t lda, double beta, double* C, int32_t ldc);
void cblas_dsyrk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K, double alpha,
                    const double* A, int64_t lda, double beta, double* C, int64_t ldc);
void cblas_csyrk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, const void* alpha,
                 const void* A, int32_t lda, const void* beta, void* C, int32_t ldc);
void cblas_csyrk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K,
                    const void* alpha, const void* A, int64_t lda, const void* beta, void* C, int64_t ldc);
void cblas_zsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, const void* alpha,
                 const void* A, int32_t lda, const void* beta, void* C, int32_t ldc);
void cblas_zsyrk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K,
                    const void* alpha, const void* A, int64_t lda, const void* beta, void* C, int64_t ldc);

/** One triangle of C <- alpha A A^H + beta C, or, by CblasConjTrans, of C <- alpha A^H A + beta C; C N x N, whose
   diagonal becomes real. */
void cblas_cherk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, float alpha,
                 const void* A, int32_t lda, float beta, void* C, int32_t ldc);
void cblas_cherk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K, float alpha,
                    const void* A, int64_t lda, float beta, void* C, int64_t ldc);
void cblas_zherk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, double alpha,
                 const void* A, int32_t lda, double beta, void* C, int32_t ldc);
void cblas_zherk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K, double alpha,
                    const void* A, int64_t lda, double beta, void* C, int64_t ldc);

/** Y <- alpha op(A) X + beta Y; A M x N as it lies. */
void cblas_sgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int32_t M, int32_t N, float alpha, const float* A,
                 int32_t lda, const float* X, int32_t incX, float beta, float* Y, int32_t incY);
void cblas_sgemv_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int64_t M, int64_t N, float alpha, const float* A,
                    int64_t lda, const float* X, int64_t incX, float beta, float* Y, int64_t incY);
void cblas_dgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int32_t M, int32_t N, double alpha, const double* A,
                 int32_t lda, const double* X, int32_t incX, double beta, double* Y, int32_t incY);
void cblas_dgemv_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int64_t M, int64_t N, double alpha, const double* A,
                    int64_t lda, const double* X, int64_t incX, double beta, double* Y, int64_t incY);
void cblas_cgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int32_t M, int32_t N, const void* alpha, const void* A,
                 int32_t lda, const void* X, int32_t incX, const void* beta, void* Y, int32_t incY);
void cblas_cgemv_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int64_t M, int64_t N, const void* alpha, const void* A,
                    int64_t lda, const void* X, int64_t incX, const void* beta, void* Y, int64_t incY);
void cblas_zgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int32_t M, int32_t N, const void* alpha, const void* A,
                 int32_t lda, const void* X, int32_t incX, const void* beta, void* Y, int32_t incY);
void cblas_zgemv_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int64_t M, int64_t N, const void* alpha, const void* A,
                    int64_t lda, const void* X, int64_t incX, const void* beta, void* Y, int64_t incY);

/** X . Y; 0 for N <= 0. */
float cblas_sdot(int32_t N, const float* X, int32_t incX, const float* Y, int32_t incY);
float cblas_sdot_64(int64_t N, const float* X, int64_t incX, const float* Y, int64_t incY);
double cblas_ddot(int32_t N, const double* X, int32_t incX, const double* Y, int32_t incY);
double cblas_ddot_64(int64_t N, const double* X, int64_t incX, const double* Y, int64_t incY);

/** *result <- X . Y (dotu), or conj(X) . Y (dotc); 0 for N <= 0. */
void cblas_cdotu_sub(int32_t N, const void* X, int32_t incX, const void* Y, int32_t incY, void* result);
void cblas_cdotu_sub_64(int64_t N, const void* X, int64_t incX, const void* Y, int64_t incY, void* result);
void cblas_zdotu_sub(int32_t N, const void* X, int32_t incX, const void* Y, int32_t incY, void* result);
void cblas_zdotu_sub_64(int64_t N, const void* X, int64_t incX, const void* Y, int64_t incY, void* result);
void cblas_cdotc_sub(int32_t N, const void* X, int32_t incX, const void* Y, int32_t incY, void* result);
void cblas_cdotc_sub_64(int64_t N, const void* X, int64_t incX, const void* Y, int64_t incY, void* result);
void cblas_zdotc_sub(int32_t N, const void* X, int32_t incX, const void* Y, int32_t incY, void* result);
void cblas_zdotc_sub_64(int64_t N, const void* X, int64_t incX, const void* Y, int64_t incY, void* result);

/** Square root of the sum of |X_i|^2; 0 for N <= 0. */
float cblas_snrm2(int32_t N, const float* X, int32_t incX);
float cblas_snrm2_64(int64_t N, const float* X, int64_t incX);
double cblas_dnrm2(int32_t N, const double* X, int32_t incX);
double cblas_dnrm2_64(int64_t N, const double* X, int64_t incX);
float cblas_scnrm2(int32_t N, const void* X, int32_t incX);
float cblas_scnrm2_64(int64_t N, const void* X, int64_t incX);
double cblas_dznrm2(int32_t N, const void* X, int32_t incX);
double cblas_dznrm2_64(int64_t N, const void* X, int64_t incX);

/** Sum of |X_i|, of complex numbers of |Re X_i| + |Im X_i|; 0 for N <= 0 or incX <= 0. */
float cblas_sasum(int32_t N, const float* X, int32_t incX);
float cblas_sasum_64(int64_t N, const float* X, int64_t incX);
double cblas_dasum(int32_t N, const double* X, int32_t incX);
double cblas_dasum_64(int64_t N, const double* X, int64_t incX);
float cblas_scasum(int32_t N, const void* X, int32_t incX);
float cblas_scasum_64(int64_t N, const void* X, int64_t incX);
double cblas_dzasum(int32_t N, const void* X, int32_t incX);
double cblas_dzasum_64(int64_t N, const void* X, int64_t incX);

/** The lowest index of an element of largest magnitude (as asum has it), counted from 0; 0 for N <= 0 or incX <= 0. */
size_t cblas_isamax(int32_t N, const float* X, int32_t incX);
size_t cblas_isamax_64(int64_t N, const float* X, int64_t incX);
size_t cblas_idamax(int32_t N, const double* X, int32_t incX);
size_t cblas_idamax_64(int64_t N, const double* X, int64_t incX);
size_t cblas_icamax(int32_t N, const void* X, int32_t incX);
size_t cblas_icamax_64(int64_t N, const void* X, int64_t incX);
size_t cblas_izamax(int32_t N, const void* X, int32_t incX);
size_t cblas_izamax_64(int64_t N, const void* X, int64_t incX);

/** Y <- alpha X + Y. */
void cblas_saxpy(int32_t N, float alpha, const float* X, int32_t incX, float* Y, int32_t incY);
void cblas_saxpy_64(int64_t N, float alpha, const float* X, int64_t incX, float* Y, int64_t incY);
void cblas_daxpy(int32_t N, double alpha, const double* X, int32_t incX, double* Y, int32_t incY);
void cblas_daxpy_64(int64_t N, double alpha, const double* X, int64_t incX, double* Y, int64_t incY);
void cblas_caxpy(int32_t N, const void* alpha, const void* X, int32_t incX, void* Y, int32_t incY);
void cblas_caxpy_64(int64_t N, const void* alpha, const void* X, int64_t incX, void* Y, int64_t incY);
void cblas_zaxpy(int32_t N, const void* alpha, const void* X, int32_t incX, void* Y, int32_t incY);
void cblas_zaxpy_64(int64_t N, const void* alpha, const void* X, int64_t incX, void* Y, int64_t incY);

/** X <- alpha X; nothing for incX <= 0. */
void cblas_sscal(int32_t N, float alpha, float* X, int32_t incX);
void cblas_sscal_64(int64_t N, float alpha, float* X, int64_t incX);
void cblas_dscal(int32_t N, double alpha, double* X, int32_t incX);
void cblas_dscal_64(int64_t N, double alpha, double* X, int64_t incX);
void cblas_cscal(int32_t N, const void* alpha, void* X, int32_t incX);
void cblas_cscal_64(int64_t N, const void* alpha, void* X, int64_t incX);
void cblas_zscal(int32_t N, const void* alpha, void* X, int32_t incX);
void cblas_zscal_64(int64_t N, const void* alpha, void* X, int64_t incX);
void cblas_csscal(int32_t N, float alpha, void* X, int32_t incX);
void cblas_csscal_64(int64_t N, float alpha, void* X, int64_t incX);
void cblas_zdscal(int32_t N, double alpha, void* X, int32_t incX);
void cblas_zdscal_64(int64_t N, double alpha, void* X, int64_t incX);

/** Y <- X. */
void cblas_scopy(int32_t N, const float* X, int32_t incX, float* Y, int32_t incY);
void cblas_scopy_64(int64_t N, const float* X, int64_t incX, float* Y, int64_t incY);
void cblas_dcopy(int32_t N, const double* X, int32_t incX, double* Y, int32_t incY);
void cblas_dcopy_64(int64_t N, const double* X, int64_t incX, double* Y, int64_t incY);
void cblas_ccopy(int32_t N, const void* X, int32_t incX, void* Y, int32_t incY);
void cblas_ccopy_64(int64_t N, const void* X, int64_t incX, void* Y, int64_t incY);
void cblas_zcopy(int32_t N, const void* X, int32_t incX, void* Y, int32_t incY);
void cblas_zcopy_64(int64_t N, const void* X, int64_t incX, void* Y, int64_t incY);

/** B <- alpha op(A), A rows x cols as it lies; as in OpenBLAS. */
void cblas_somatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int32_t rows, int32_t cols, float alpha,
                     const float* A, int32_t lda, float* B, int32_t ldb);
void cblas_somatcopy_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int64_t rows, int64_t cols, float alpha,
                        const float* A, int64_t lda, float* B, int64_t ldb);
void cblas_domatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int32_t rows, int32_t cols, double alpha,
                     const double* A, int32_t lda, double* B, int32_t ldb);
void cblas_domatcopy_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int64_t rows, int64_t cols, double alpha,
                        const double* A, int64_t lda, double* B, int64_t ldb);
void cblas_comatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int32_t rows, int32_t cols, const void* alpha,
                     const void* A, int32_t lda, void* B, int32_t ldb);
void cblas_comatcopy_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int64_t rows, int64_t cols, const void* alpha,
                        const void* A, int64_t lda, void* B, int64_t ldb);
void cblas_zomatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int32_t rows, int32_t cols, const void* alpha,
                     const void* A, int32_t lda, void* B, int32_t ldb);
void cblas_zomatcopy_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int64_t rows, int64_t cols, const void* alpha,
                        const void* A, int64_t lda, void* B, int64_t ldb);

#ifdef __cplusplus
}
#endif
#endif

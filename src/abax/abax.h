// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ABAX_ABAX_H
#define ABAX_ABAX_H
/**
 * Abax for C, and for every language that calls C: dense kernels with the same bits on CPU and GPU.
 *
 * A call works on a stream, which says where (the host's cores, or one of the GPU's queues) and keeps what there is to
 * keep; there is no global state. It returns a status and never throws. Only where it is ABAX_SUCCESS has anything been
 * launched or written; but where memory runs out in the midst, or a device refuses a launch, a batch may have written
 * some of its items, each as a whole, gemm_integer some blocks of a large C, herk zeros to the imaginary parts of C's
 * diagonal or all but these, and conjugate_transpose_in_place the transpose without its conjugation. On a device a call
 * returns before its work is done: abax_fence waits. On the host it is done. (An error that a GPU reports after a
 * launch ends the program: Kokkos does so. So does OpenMP where it finds no memory or no threads for its own.)
 *
 * A stream serves one thread at a time. Several streams may name the same cores or the same queue.
 *
 * Every matrix comes with two strides, in elements: element (i, j) of A lies at A[i * rsA + j * csA]. Column-major with
 * leading dimension ld is (1, ld), row-major is (ld, 1). A vector has one; strides may be negative, counted from the
 * pointer given. Pointers are the stream's own memory: host memory on the host, device memory on a device. Shapes,
 * which operands are read, what may share memory, and the order of operations are those of the C++ function of the same
 * name (abax/gemm.hpp and its neighbours); the results are the canon's, bit by bit.
 *
 * An extent is from 0 to 2^60 - 1. An operand that is read or written is no null pointer, and all its elements have
 * addresses, less than 2^60 bytes from the first to the last. (One that is not may be null.) Anything else is
 * ABAX_INVALID_ARGUMENT, with a message that names the argument, and more terms than can be counted are
 * ABAX_OUT_OF_RESOURCES.
 */
#include <stdint.h>

#include "abax/version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum abax_status {
  ABAX_SUCCESS = 0,
  ABAX_INVALID_ARGUMENT = 1, /* an argument cannot be used */
  ABAX_OUT_OF_RESOURCES = 2, /* no memory, or a problem beyond what the machine can count */
  ABAX_UNAVAILABLE = 3,      /* this build or this machine has no such place, or the program ends */
  ABAX_FAILED = 4            /* the machine reported an error */
} abax_status;

typedef enum abax_place {
  ABAX_HOST = 0,  /* the host's cores: as many as OpenMP was started with (OMP_NUM_THREADS), or Kokkos, if it runs */
  ABAX_DEVICE = 1 /* the GPU that Kokkos was started with */
} abax_place;

enum {
  /* The caller vouches that no output shares memory with an input, nor names an element twice. Without it every call
     looks, and refuses operands that may; it errs towards refusing where strides are unlike and addresses meet. */
  ABAX_TRUST_OPERANDS = 1,
  /* Of a product by way of integers: each product of integers is checked (Freivalds' check), and a wrong one is
     ABAX_FAILED, with a message that says where; all but one of 2^29 of them are found. The call waits for its end, and
     may then have written parts of C. */
  ABAX_VERIFY_PRODUCTS = 2
};

typedef struct abax_stream abax_stream;
typedef struct abax_integer_operand abax_integer_operand;

/* Complex numbers, laid out as C's float _Complex and double _Complex, std::complex, Fortran's complex and cuComplex: a
   pointer to any of these may be cast. */
typedef struct abax_complex_float {
  float re, im;
} abax_complex_float;
typedef struct abax_complex_double {
  double re, im;
} abax_complex_double;

/** The ABAX_VERSION that the library was built with; the program's own may be another one. */
int abax_version(void);

/** A few words for a status; "unknown status" for any other number. Never null. */
const char* abax_status_text(abax_status status);

/** Opens a stream at `place`; on a device, starts Kokkos first if nobody has. `queue`: on a device, the native stream
    to use (cudaStream_t), which must outlive it, or null for Kokkos' own; null on the host. `options`: 0 or
    ABAX_TRUST_OPERANDS. *stream is null where it fails. */
abax_status abax_open(abax_place place, void* queue, unsigned options, abax_stream** stream);

/** Closes a stream that nobody uses any more; work already launched on it is done nonetheless. Null is allowed. */
void abax_close(abax_stream* stream);

/** Waits until all work of the stream is done. */
abax_status abax_fence(abax_stream* stream);

/** What went wrong in the last call on the stream that failed: function, operand, what was found and expected. Empty if
    none has failed, and where there was no memory for it. Valid until the next call on the stream. */
const char* abax_message(const abax_stream* stream);

/** C <- alpha op(A) op(B) + beta C; op(A) m x k, op(B) k x n, C m x n. transA, transB: 'N', 'T' for transposed, or
    'C' for conjugate transposed, which for real numbers is 'T'. */
abax_status abax_sgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k, float alpha,
                       const float* A, int64_t rsA, int64_t csA, const float* B, int64_t rsB, int64_t csB, float beta,
                       float* C, int64_t rsC, int64_t csC);
abax_status abax_dgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k, double alpha,
                       const double* A, int64_t rsA, int64_t csA, const double* B, int64_t rsB, int64_t csB,
                       double beta, double* C, int64_t rsC, int64_t csC);
abax_status abax_cgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                       abax_complex_float alpha, const abax_complex_float* A, int64_t rsA, int64_t csA,
                       const abax_complex_float* B, int64_t rsB, int64_t csB, abax_complex_float beta,
                       abax_complex_float* C, int64_t rsC, int64_t csC);
abax_status abax_zgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                       abax_complex_double alpha, const abax_complex_double* A, int64_t rsA, int64_t csA,
                       const abax_complex_double* B, int64_t rsB, int64_t csB, abax_complex_double beta,
                       abax_complex_double* C, int64_t rsC, int64_t csC);

/** gemm of bytes: C <- alpha op(A) op(B) + beta C in the integers, modulo 2^32. */
abax_status abax_gemm_int8(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                           int32_t alpha, const int8_t* A, int64_t rsA, int64_t csA, const int8_t* B, int64_t rsB,
                           int64_t csB, int32_t beta, int32_t* C, int64_t rsC, int64_t csC);

/** gemm by way of exact integers: each row of op(A) and each column of op(B) is rounded to the grid of its largest
    element, of which `bits` digits count (0: 24 for float, 53 for double), and each sum is rounded once. Complex ones
    by parts: two sums of twice the terms, and a line's largest part. */
abax_status abax_sgemm_integer(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                               float alpha, const float* A, int64_t rsA, int64_t csA, const float* B, int64_t rsB,
                               int64_t csB, float beta, float* C, int64_t rsC, int64_t csC, int bits);
abax_status abax_dgemm_integer(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                               double alpha, const double* A, int64_t rsA, int64_t csA, const double* B, int64_t rsB,
                               int64_t csB, double beta, double* C, int64_t rsC, int64_t csC, int bits);
abax_status abax_cgemm_integer(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                               abax_complex_float alpha, const abax_complex_float* A, int64_t rsA, int64_t csA,
                               const abax_complex_float* B, int64_t rsB, int64_t csB, abax_complex_float beta,
                               abax_complex_float* C, int64_t rsC, int64_t csC, int bits);
abax_status abax_zgemm_integer(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                               abax_complex_double alpha, const abax_complex_double* A, int64_t rsA, int64_t csA,
                               const abax_complex_double* B, int64_t rsB, int64_t csB, abax_complex_double beta,
                               abax_complex_double* C, int64_t rsC, int64_t csC, int bits);

/** op(X) in integers, as the left (side 'L') or the right ('R') operand of products by way of integers: made once for
    many of them. X is m x n as it lies, and stays as it is as long as *operand is used, because products still read its
    lines with an infinity. `bits` as above; ABAX_INVALID_ARGUMENT also for more terms than they allow.
    *operand, which is null where it fails, is memory of the stream's place: any stream there may use it, several
    threads at once, on a device once the work of this stream is done. 8 to 11 bytes an element for float, 14 to 20 for
    double; for complex ones twice as many on the left, four times on the right. */
abax_status abax_sinteger_operand(abax_stream* stream, char side, char trans, int64_t m, int64_t n, const float* X,
                                  int64_t rsX, int64_t csX, int bits, abax_integer_operand** operand);
abax_status abax_dinteger_operand(abax_stream* stream, char side, char trans, int64_t m, int64_t n, const double* X,
                                  int64_t rsX, int64_t csX, int bits, abax_integer_operand** operand);
abax_status abax_cinteger_operand(abax_stream* stream, char side, char trans, int64_t m, int64_t n,
                                  const abax_complex_float* X, int64_t rsX, int64_t csX, int bits,
                                  abax_integer_operand** operand);
abax_status abax_zinteger_operand(abax_stream* stream, char side, char trans, int64_t m, int64_t n,
                                  const abax_complex_double* X, int64_t rsX, int64_t csX, int bits,
                                  abax_integer_operand** operand);

/** Frees what is prepared, which nobody uses any more; products already launched are done nonetheless. Null is
    allowed. */
void abax_free_integer_operand(abax_integer_operand* operand);

/** gemm_integer with operands that are prepared, and with options. leftA: what abax_?integer_operand has made of op(A)
    as the left operand, then transA is 'N' and A, rsA and csA are not looked at; or null. rightB: likewise. The bits
    are gemm_integer's. ABAX_INVALID_ARGUMENT for one that was made of another type, another shape, for the other side,
    in the other place, or with another number of bits than `bits`, if that is not 0, or than the other one.
    workspace: the most bytes that the call takes beside its operands, ABAX_OUT_OF_RESOURCES where they do not do; 0: 2
    GiB, and on a device a sixteenth of its memory if that is more. options: 0 or ABAX_VERIFY_PRODUCTS. Only `bits` can
    show in the result. */
abax_status abax_sgemm_integer_with(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                                    float alpha, const float* A, int64_t rsA, int64_t csA,
                                    const abax_integer_operand* leftA, const float* B, int64_t rsB, int64_t csB,
                                    const abax_integer_operand* rightB, float beta, float* C, int64_t rsC, int64_t csC,
                                    int bits, int64_t workspace, unsigned options);
abax_status abax_dgemm_integer_with(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                                    double alpha, const double* A, int64_t rsA, int64_t csA,
                                    const abax_integer_operand* leftA, const double* B, int64_t rsB, int64_t csB,
                                    const abax_integer_operand* rightB, double beta, double* C, int64_t rsC,
                                    int64_t csC, int bits, int64_t workspace, unsigned options);
abax_status abax_cgemm_integer_with(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                                    abax_complex_float alpha, const abax_complex_float* A, int64_t rsA, int64_t csA,
                                    const abax_integer_operand* leftA, const abax_complex_float* B, int64_t rsB,
                                    int64_t csB, const abax_integer_operand* rightB, abax_complex_float beta,
                                    abax_complex_float* C, int64_t rsC, int64_t csC, int bits, int64_t workspace,
                                    unsigned options);
abax_status abax_zgemm_integer_with(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                                    abax_complex_double alpha, const abax_complex_double* A, int64_t rsA, int64_t csA,
                                    const abax_integer_operand* leftA, const abax_complex_double* B, int64_t rsB,
                                    int64_t csB, const abax_integer_operand* rightB, abax_complex_double beta,
                                    abax_complex_double* C, int64_t rsC, int64_t csC, int bits, int64_t workspace,
                                    unsigned options);

/** *lost <- how many elements of op(X) lose bits as the left (side 'L') or the right ('R') operand of gemm_integer:
    those off the grid of their line's largest element; of complex ones how many parts. X is m x n as it lies. Waits for
    its end; lost is the host's. */
abax_status abax_sgemm_integer_lost(abax_stream* stream, char side, char trans, int64_t m, int64_t n, const float* X,
                                    int64_t rsX, int64_t csX, int bits, int64_t* lost);
abax_status abax_dgemm_integer_lost(abax_stream* stream, char side, char trans, int64_t m, int64_t n, const double* X,
                                    int64_t rsX, int64_t csX, int bits, int64_t* lost);
abax_status abax_cgemm_integer_lost(abax_stream* stream, char side, char trans, int64_t m, int64_t n,
                                    const abax_complex_float* X, int64_t rsX, int64_t csX, int bits, int64_t* lost);
abax_status abax_zgemm_integer_lost(abax_stream* stream, char side, char trans, int64_t m, int64_t n,
                                    const abax_complex_double* X, int64_t rsX, int64_t csX, int bits, int64_t* lost);

/** One triangle of C <- alpha op(A) op(B) + beta C; op(A) n x k, op(B) k x n, C n x n. uplo: 'L' (elements (i, j) with
    i >= j) or 'U' (i <= j); the others are neither read nor written. */
abax_status abax_sgemmt(abax_stream* stream, char uplo, char transA, char transB, int64_t n, int64_t k, float alpha,
                        const float* A, int64_t rsA, int64_t csA, const float* B, int64_t rsB, int64_t csB, float beta,
                        float* C, int64_t rsC, int64_t csC);
abax_status abax_dgemmt(abax_stream* stream, char uplo, char transA, char transB, int64_t n, int64_t k, double alpha,
                        const double* A, int64_t rsA, int64_t csA, const double* B, int64_t rsB, int64_t csB,
                        double beta, double* C, int64_t rsC, int64_t csC);
abax_status abax_cgemmt(abax_stream* stream, char uplo, char transA, char transB, int64_t n, int64_t k,
                        abax_complex_float alpha, const abax_complex_float* A, int64_t rsA, int64_t csA,
                        const abax_complex_float* B, int64_t rsB, int64_t csB, abax_complex_float beta,
                        abax_complex_float* C, int64_t rsC, int64_t csC);
abax_status abax_zgemmt(abax_stream* stream, char uplo, char transA, char transB, int64_t n, int64_t k,
                        abax_complex_double alpha, const abax_complex_double* A, int64_t rsA, int64_t csA,
                        const abax_complex_double* B, int64_t rsB, int64_t csB, abax_complex_double beta,
                        abax_complex_double* C, int64_t rsC, int64_t csC);

/** The same with op(A)^T for op(B): C <- alpha A A^T + beta C (trans 'N'), or alpha A^T A + beta C ('T';
    of real numbers also 'C'). */
abax_status abax_ssyrk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, float alpha, const float* A,
                       int64_t rsA, int64_t csA, float beta, float* C, int64_t rsC, int64_t csC);
abax_status abax_dsyrk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, double alpha, const double* A,
                       int64_t rsA, int64_t csA, double beta, double* C, int64_t rsC, int64_t csC);
abax_status abax_csyrk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, abax_complex_float alpha,
                       const abax_complex_float* A, int64_t rsA, int64_t csA, abax_complex_float beta,
                       abax_complex_float* C, int64_t rsC, int64_t csC);
abax_status abax_zsyrk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, abax_complex_double alpha,
                       const abax_complex_double* A, int64_t rsA, int64_t csA, abax_complex_double beta,
                       abax_complex_double* C, int64_t rsC, int64_t csC);

/** C <- alpha A A^H + beta C (trans 'N'), or alpha A^H A + beta C ('C'), alpha and beta real: one triangle of C, whose
    diagonal becomes real, unless C stays as it is. */
abax_status abax_cherk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, float alpha,
                       const abax_complex_float* A, int64_t rsA, int64_t csA, float beta, abax_complex_float* C,
                       int64_t rsC, int64_t csC);
abax_status abax_zherk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, double alpha,
                       const abax_complex_double* A, int64_t rsA, int64_t csA, double beta, abax_complex_double* C,
                       int64_t rsC, int64_t csC);

/** y <- alpha op(A) x + beta y; A is m x n as it lies. */
abax_status abax_sgemv(abax_stream* stream, char trans, int64_t m, int64_t n, float alpha, const float* A, int64_t rsA,
                       int64_t csA, const float* x, int64_t incx, float beta, float* y, int64_t incy);
abax_status abax_dgemv(abax_stream* stream, char trans, int64_t m, int64_t n, double alpha, const double* A,
                       int64_t rsA, int64_t csA, const double* x, int64_t incx, double beta, double* y, int64_t incy);
abax_status abax_cgemv(abax_stream* stream, char trans, int64_t m, int64_t n, abax_complex_float alpha,
                       const abax_complex_float* A, int64_t rsA, int64_t csA, const abax_complex_float* x, int64_t incx,
                       abax_complex_float beta, abax_complex_float* y, int64_t incy);
abax_status abax_zgemv(abax_stream* stream, char trans, int64_t m, int64_t n, abax_complex_double alpha,
                       const abax_complex_double* A, int64_t rsA, int64_t csA, const abax_complex_double* x,
                       int64_t incx, abax_complex_double beta, abax_complex_double* y, int64_t incy);

/** C_b <- alpha op(A_b) op(B_b) + beta C_b for each of `items` items, matrices of one shape: isA (isB, isC) elements
    lie between the beginnings of two that follow one another, none where all items share one A or B. Each item has the
    bits of its own gemm. */
abax_status abax_sgemm_batched(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                               int64_t k, float alpha, const float* A, int64_t isA, int64_t rsA, int64_t csA,
                               const float* B, int64_t isB, int64_t rsB, int64_t csB, float beta, float* C, int64_t isC,
                               int64_t rsC, int64_t csC);
abax_status abax_dgemm_batched(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                               int64_t k, double alpha, const double* A, int64_t isA, int64_t rsA, int64_t csA,
                               const double* B, int64_t isB, int64_t rsB, int64_t csB, double beta, double* C,
                               int64_t isC, int64_t rsC, int64_t csC);
abax_status abax_cgemm_batched(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                               int64_t k, abax_complex_float alpha, const abax_complex_float* A, int64_t isA,
                               int64_t rsA, int64_t csA, const abax_complex_float* B, int64_t isB, int64_t rsB,
                               int64_t csB, abax_complex_float beta, abax_complex_float* C, int64_t isC, int64_t rsC,
                               int64_t csC);
abax_status abax_zgemm_batched(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                               int64_t k, abax_complex_double alpha, const abax_complex_double* A, int64_t isA,
                               int64_t rsA, int64_t csA, const abax_complex_double* B, int64_t isB, int64_t rsB,
                               int64_t csB, abax_complex_double beta, abax_complex_double* C, int64_t isC, int64_t rsC,
                               int64_t csC);

/** The same where the items begin where arrays of pointers say, by columns with leading dimensions (by rows: exchange A
    and B, m and n). The arrays, too, are the stream's memory, and must stay until the work is done. Whether items of C
    share memory with others is never checked. */
abax_status abax_sgemm_batched_at(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                                  int64_t k, float alpha, const float* const* A, int64_t lda, const float* const* B,
                                  int64_t ldb, float beta, float* const* C, int64_t ldc);
abax_status abax_dgemm_batched_at(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                                  int64_t k, double alpha, const double* const* A, int64_t lda, const double* const* B,
                                  int64_t ldb, double beta, double* const* C, int64_t ldc);
abax_status abax_cgemm_batched_at(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                                  int64_t k, abax_complex_float alpha, const abax_complex_float* const* A, int64_t lda,
                                  const abax_complex_float* const* B, int64_t ldb, abax_complex_float beta,
                                  abax_complex_float* const* C, int64_t ldc);
abax_status abax_zgemm_batched_at(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                                  int64_t k, abax_complex_double alpha, const abax_complex_double* const* A,
                                  int64_t lda, const abax_complex_double* const* B, int64_t ldb,
                                  abax_complex_double beta, abax_complex_double* const* C, int64_t ldc);

/** y_b <- alpha op(A_b) x_b + beta y_b for each item; A_b is m x n as it lies. isA = 0 or isx = 0: one for all. */
abax_status abax_sgemv_batched(abax_stream* stream, char trans, int64_t items, int64_t m, int64_t n, float alpha,
                               const float* A, int64_t isA, int64_t rsA, int64_t csA, const float* x, int64_t isx,
                               int64_t incx, float beta, float* y, int64_t isy, int64_t incy);
abax_status abax_dgemv_batched(abax_stream* stream, char trans, int64_t items, int64_t m, int64_t n, double alpha,
                               const double* A, int64_t isA, int64_t rsA, int64_t csA, const double* x, int64_t isx,
                               int64_t incx, double beta, double* y, int64_t isy, int64_t incy);
abax_status abax_cgemv_batched(abax_stream* stream, char trans, int64_t items, int64_t m, int64_t n,
                               abax_complex_float alpha, const abax_complex_float* A, int64_t isA, int64_t rsA,
                               int64_t csA, const abax_complex_float* x, int64_t isx, int64_t incx,
                               abax_complex_float beta, abax_complex_float* y, int64_t isy, int64_t incy);
abax_status abax_zgemv_batched(abax_stream* stream, char trans, int64_t items, int64_t m, int64_t n,
                               abax_complex_double alpha, const abax_complex_double* A, int64_t isA, int64_t rsA,
                               int64_t csA, const abax_complex_double* x, int64_t isx, int64_t incx,
                               abax_complex_double beta, abax_complex_double* y, int64_t isy, int64_t incy);

/** *result <- x . y; result is memory of the stream, too. */
abax_status abax_sdot(abax_stream* stream, int64_t n, const float* x, int64_t incx, const float* y, int64_t incy,
                      float* result);
abax_status abax_ddot(abax_stream* stream, int64_t n, const double* x, int64_t incx, const double* y, int64_t incy,
                      double* result);

/** *result <- x . y, without a conjugate; result is memory of the stream, too. */
abax_status abax_cdotu(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx,
                       const abax_complex_float* y, int64_t incy, abax_complex_float* result);
abax_status abax_zdotu(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx,
                       const abax_complex_double* y, int64_t incy, abax_complex_double* result);

/** *result <- conj(x) . y; result is memory of the stream, too. */
abax_status abax_cdotc(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx,
                       const abax_complex_float* y, int64_t incy, abax_complex_float* result);
abax_status abax_zdotc(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx,
                       const abax_complex_double* y, int64_t incy, abax_complex_double* result);

/** *result <- the square root of the sum of |x_i|^2; result is memory of the stream, too. */
abax_status abax_snrm2(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result);
abax_status abax_dnrm2(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result);
abax_status abax_scnrm2(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx, float* result);
abax_status abax_dznrm2(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx, double* result);

/** *result <- the sum of |x_i|, of complex numbers of |Re x_i| + |Im x_i|; result is memory of the stream, too. */
abax_status abax_sasum(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result);
abax_status abax_dasum(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result);
abax_status abax_scasum(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx, float* result);
abax_status abax_dzasum(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx, double* result);

/** *result <- the sum of x_i; result is memory of the stream, too. */
abax_status abax_ssum(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result);
abax_status abax_dsum(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result);

/** *result <- the lowest index of an element of largest magnitude (as asum has it), counted from 0, or of the first
    NaN; -1 if n is 0. */
abax_status abax_isamax(abax_stream* stream, int64_t n, const float* x, int64_t incx, int64_t* result);
abax_status abax_idamax(abax_stream* stream, int64_t n, const double* x, int64_t incx, int64_t* result);
abax_status abax_icamax(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx, int64_t* result);
abax_status abax_izamax(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx, int64_t* result);

/** B <- A^T; A is m x n. */
abax_status abax_stranspose(abax_stream* stream, int64_t m, int64_t n, const float* A, int64_t rsA, int64_t csA,
                            float* B, int64_t rsB, int64_t csB);
abax_status abax_dtranspose(abax_stream* stream, int64_t m, int64_t n, const double* A, int64_t rsA, int64_t csA,
                            double* B, int64_t rsB, int64_t csB);
abax_status abax_ctranspose(abax_stream* stream, int64_t m, int64_t n, const abax_complex_float* A, int64_t rsA,
                            int64_t csA, abax_complex_float* B, int64_t rsB, int64_t csB);
abax_status abax_ztranspose(abax_stream* stream, int64_t m, int64_t n, const abax_complex_double* A, int64_t rsA,
                            int64_t csA, abax_complex_double* B, int64_t rsB, int64_t csB);

/** B <- A^H; A is m x n. */
abax_status abax_cconjugate_transpose(abax_stream* stream, int64_t m, int64_t n, const abax_complex_float* A,
                                      int64_t rsA, int64_t csA, abax_complex_float* B, int64_t rsB, int64_t csB);
abax_status abax_zconjugate_transpose(abax_stream* stream, int64_t m, int64_t n, const abax_complex_double* A,
                                      int64_t rsA, int64_t csA, abax_complex_double* B, int64_t rsB, int64_t csB);

/** A <- A^T where it lies; A is n x n. */
abax_status abax_stranspose_in_place(abax_stream* stream, int64_t n, float* A, int64_t rsA, int64_t csA);
abax_status abax_dtranspose_in_place(abax_stream* stream, int64_t n, double* A, int64_t rsA, int64_t csA);
abax_status abax_ctranspose_in_place(abax_stream* stream, int64_t n, abax_complex_float* A, int64_t rsA, int64_t csA);
abax_status abax_ztranspose_in_place(abax_stream* stream, int64_t n, abax_complex_double* A, int64_t rsA, int64_t csA);

/** A <- A^H where it lies. */
abax_status abax_cconjugate_transpose_in_place(abax_stream* stream, int64_t n, abax_complex_float* A, int64_t rsA,
                                               int64_t csA);
abax_status abax_zconjugate_transpose_in_place(abax_stream* stream, int64_t n, abax_complex_double* A, int64_t rsA,
                                               int64_t csA);

/** y <- alpha x + beta y. */
abax_status abax_saxpby(abax_stream* stream, int64_t n, float alpha, const float* x, int64_t incx, float beta, float* y,
                        int64_t incy);
abax_status abax_daxpby(abax_stream* stream, int64_t n, double alpha, const double* x, int64_t incx, double beta,
                        double* y, int64_t incy);
abax_status abax_caxpby(abax_stream* stream, int64_t n, abax_complex_float alpha, const abax_complex_float* x,
                        int64_t incx, abax_complex_float beta, abax_complex_float* y, int64_t incy);
abax_status abax_zaxpby(abax_stream* stream, int64_t n, abax_complex_double alpha, const abax_complex_double* x,
                        int64_t incx, abax_complex_double beta, abax_complex_double* y, int64_t incy);

/** y <- alpha x. */
abax_status abax_sscal(abax_stream* stream, int64_t n, float* y, int64_t incy, float alpha, const float* x,
                       int64_t incx);
abax_status abax_dscal(abax_stream* stream, int64_t n, double* y, int64_t incy, double alpha, const double* x,
                       int64_t incx);
abax_status abax_cscal(abax_stream* stream, int64_t n, abax_complex_float* y, int64_t incy, abax_complex_float alpha,
                       const abax_complex_float* x, int64_t incx);
abax_status abax_zscal(abax_stream* stream, int64_t n, abax_complex_double* y, int64_t incy, abax_complex_double alpha,
                       const abax_complex_double* x, int64_t incx);

/** The same by a real factor, which multiplies each part. */
abax_status abax_csscal(abax_stream* stream, int64_t n, abax_complex_float* y, int64_t incy, float alpha,
                        const abax_complex_float* x, int64_t incx);
abax_status abax_zdscal(abax_stream* stream, int64_t n, abax_complex_double* y, int64_t incy, double alpha,
                        const abax_complex_double* x, int64_t incx);

/** y <- x, bits untouched. */
abax_status abax_scopy(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* y, int64_t incy);
abax_status abax_dcopy(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* y, int64_t incy);
abax_status abax_ccopy(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx, abax_complex_float* y,
                       int64_t incy);
abax_status abax_zcopy(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx,
                       abax_complex_double* y, int64_t incy);

/** z <- alpha x + y. */
abax_status abax_striad(abax_stream* stream, int64_t n, float alpha, const float* x, int64_t incx, const float* y,
                        int64_t incy, float* z, int64_t incz);
abax_status abax_dtriad(abax_stream* stream, int64_t n, double alpha, const double* x, int64_t incx, const double* y,
                        int64_t incy, double* z, int64_t incz);
abax_status abax_ctriad(abax_stream* stream, int64_t n, abax_complex_float alpha, const abax_complex_float* x,
                        int64_t incx, const abax_complex_float* y, int64_t incy, abax_complex_float* z, int64_t incz);
abax_status abax_ztriad(abax_stream* stream, int64_t n, abax_complex_double alpha, const abax_complex_double* x,
                        int64_t incx, const abax_complex_double* y, int64_t incy, abax_complex_double* z, int64_t incz);

/** x <- x + value. */
abax_status abax_sincrement(abax_stream* stream, int64_t n, float value, float* x, int64_t incx);
abax_status abax_dincrement(abax_stream* stream, int64_t n, double value, double* x, int64_t incx);
abax_status abax_cincrement(abax_stream* stream, int64_t n, abax_complex_float value, abax_complex_float* x,
                            int64_t incx);
abax_status abax_zincrement(abax_stream* stream, int64_t n, abax_complex_double value, abax_complex_double* x,
                            int64_t incx);

#ifdef __cplusplus
}
#endif
#endif

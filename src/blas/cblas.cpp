// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The BLAS as C calls it. A row-major matrix is the transposed column-major one: op(A) op(B) becomes op(B)^T op(A)^T,
/// A x becomes A^T x.
#include "abax/cblas.h"

#include <algorithm>
#include <utility>

#include "routines.hpp"

namespace abax::blas {
namespace {

/// Whether RowMajorStrg is what this thread has set it to. (Other threads may be telling of their own calls.)
constinit thread_local bool set_here = false;

/// Tells cblas_xerbla, of the width of the routine's integers.
template <class Int>
struct complaint {
  const char* routine;
  void (*xerbla)(Int, const char*, const char*, ...);

  complaint(const char* of, void (*teller)(Int, const char*, const char*, ...)) : routine(of), xerbla(teller) {
    if (set_here) RowMajorStrg = set_here = false;  // cblas_xerbla left this thread's last call by a jump
  }
  // No object's end sets it back, because a jump may not pass one by.
  void operator()(int info, const char* format, int value, bool row_major = false) const {
    RowMajorStrg = row_major;
    set_here = true;
    try {
      xerbla(info, routine, format, value);
    } catch (...) {
      RowMajorStrg = set_here = false;
      throw;
    }
    RowMajorStrg = set_here = false;
  }
  /// True for `info` == 0, which counts the arguments of the column-major Fortran routine: one less than here.
  bool accepts(int info, bool row_major) const {
    if (info != 0) operator()(info + 1, "", 0, row_major);
    return info == 0;
  }
};
/// 'N', 'T' or 'C'; 0 for a number that is none of them.
char letter(CBLAS_TRANSPOSE trans) {
  switch (trans) {
    case CblasNoTrans:
      return 'N';
    case CblasTrans:
      return 'T';
    case CblasConjTrans:
      return 'C';
  }
  return 0;
}
/// Counted from 0, also where there is none.
template <class T>
size_t index_of_largest(int64_t n, const T* x, int64_t incx) {
  return static_cast<size_t>(std::max<int64_t>(1, iamax(n, x, incx)) - 1);
}
bool is_layout(CBLAS_LAYOUT layout) { return layout == CblasRowMajor || layout == CblasColMajor; }

template <class Int, class T>
void gemm(const complaint<Int>& wrong, CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, Int m,
          Int n, Int k, T alpha, const T* a, Int lda, const T* b, Int ldb, T beta, T* c, Int ldc) {
  if (!is_layout(layout)) return wrong(1, "Illegal layout setting, %d\n", layout);
  const bool row_major = layout == CblasRowMajor;
  char trans_a = letter(TransA), trans_b = letter(TransB);
  if (trans_a == 0) return wrong(2, "Illegal TransA setting, %d\n", TransA, row_major);
  // The reference, too, calls both transpositions of a row-major call the second argument.
  if (trans_b == 0) return wrong(row_major ? 2 : 3, "Illegal TransB setting, %d\n", TransB, row_major);
  if (row_major) {
    std::swap(trans_a, trans_b);
    std::swap(m, n);
    std::swap(a, b);
    std::swap(lda, ldb);
  }
  if (wrong.accepts(check_gemm(trans_a, trans_b, m, n, k, lda, ldb, ldc), row_major))
    blas::gemm(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <class Int, class T>
void gemv(const complaint<Int>& wrong, CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, Int m, Int n, T alpha, const T* a,
          Int lda, const T* x, Int incx, T beta, T* y, Int incy) {
  if (!is_layout(layout)) return wrong(1, "Illegal layout setting, %d\n", layout);
  const bool row_major = layout == CblasRowMajor;
  char trans = letter(Trans);
  if (trans == 0) return wrong(2, "Illegal TransA setting, %d\n", Trans, row_major);
  if (row_major) {
    trans = transposes(trans) ? 'N' : 'T';
    std::swap(m, n);
  }
  if (wrong.accepts(check_gemv(trans, m, n, lda, incx, incy), row_major))
    blas::gemv(trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

template <class Int, class T>
void omatcopy(const complaint<Int>& wrong, CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, Int rows, Int cols, T alpha,
              const T* a, Int lda, T* b, Int ldb) {
  if (!is_layout(layout)) return wrong(1, "Illegal layout setting, %d\n", layout);
  const char trans = letter(Trans), order = layout == CblasRowMajor ? 'R' : 'C';
  if (trans == 0) return wrong(2, "Illegal Trans setting, %d\n", Trans);
  const int info = check_omatcopy(order, trans, rows, cols, lda, ldb);
  if (wrong.accepts(info == 0 ? 0 : info - 1, false))  // here both lists begin alike
    blas::omatcopy(order, trans, rows, cols, alpha, a, lda, b, ldb);
}

}  // namespace
}  // namespace abax::blas

using namespace abax::blas;

extern "C" {

void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M, int32_t N, int32_t K,
                 float alpha, const float* A, int32_t lda, const float* B, int32_t ldb, float beta, float* C,
                 int32_t ldc) {
  gemm({"cblas_sgemm", cblas_xerbla}, layout, TransA, TransB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

void cblas_sgemm_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M, int64_t N,
                    int64_t K, float alpha, const float* A, int64_t lda, const float* B, int64_t ldb, float beta,
                    float* C, int64_t ldc) {
  gemm({"cblas_sgemm", cblas_xerbla_64}, layout, TransA, TransB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M, int32_t N, int32_t K,
                 double alpha, const double* A, int32_t lda, const double* B, int32_t ldb, double beta, double* C,
                 int32_t ldc) {
  gemm({"cblas_dgemm", cblas_xerbla}, layout, TransA, TransB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

void cblas_dgemm_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M, int64_t N,
                    int64_t K, double alpha, const double* A, int64_t lda, const double* B, int64_t ldb, double beta,
                    double* C, int64_t ldc) {
  gemm({"cblas_dgemm", cblas_xerbla_64}, layout, TransA, TransB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

void cblas_sgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int32_t M, int32_t N, float alpha, const float* A,
                 int32_t lda, const float* X, int32_t incX, float beta, float* Y, int32_t incY) {
  gemv({"cblas_sgemv", cblas_xerbla}, layout, TransA, M, N, alpha, A, lda, X, incX, beta, Y, incY);
}

void cblas_sgemv_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int64_t M, int64_t N, float alpha, const float* A,
                    int64_t lda, const float* X, int64_t incX, float beta, float* Y, int64_t incY) {
  gemv({"cblas_sgemv", cblas_xerbla_64}, layout, TransA, M, N, alpha, A, lda, X, incX, beta, Y, incY);
}

void cblas_dgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int32_t M, int32_t N, double alpha, const double* A,
                 int32_t lda, const double* X, int32_t incX, double beta, double* Y, int32_t incY) {
  gemv({"cblas_dgemv", cblas_xerbla}, layout, TransA, M, N, alpha, A, lda, X, incX, beta, Y, incY);
}

void cblas_dgemv_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int64_t M, int64_t N, double alpha, const double* A,
                    int64_t lda, const double* X, int64_t incX, double beta, double* Y, int64_t incY) {
  gemv({"cblas_dgemv", cblas_xerbla_64}, layout, TransA, M, N, alpha, A, lda, X, incX, beta, Y, incY);
}

float cblas_sdot(int32_t N, const float* X, int32_t incX, const float* Y, int32_t incY) {
  return dot(N, X, incX, Y, incY);
}

float cblas_sdot_64(int64_t N, const float* X, int64_t incX, const float* Y, int64_t incY) {
  return dot(N, X, incX, Y, incY);
}

double cblas_ddot(int32_t N, const double* X, int32_t incX, const double* Y, int32_t incY) {
  return dot(N, X, incX, Y, incY);
}

double cblas_ddot_64(int64_t N, const double* X, int64_t incX, const double* Y, int64_t incY) {
  return dot(N, X, incX, Y, incY);
}

float cblas_snrm2(int32_t N, const float* X, int32_t incX) { return nrm2(N, X, incX); }

float cblas_snrm2_64(int64_t N, const float* X, int64_t incX) { return nrm2(N, X, incX); }

double cblas_dnrm2(int32_t N, const double* X, int32_t incX) { return nrm2(N, X, incX); }

double cblas_dnrm2_64(int64_t N, const double* X, int64_t incX) { return nrm2(N, X, incX); }

float cblas_sasum(int32_t N, const float* X, int32_t incX) { return asum(N, X, incX); }

float cblas_sasum_64(int64_t N, const float* X, int64_t incX) { return asum(N, X, incX); }

double cblas_dasum(int32_t N, const double* X, int32_t incX) { return asum(N, X, incX); }

double cblas_dasum_64(int64_t N, const double* X, int64_t incX) { return asum(N, X, incX); }

size_t cblas_isamax(int32_t N, const float* X, int32_t incX) { return index_of_largest(N, X, incX); }

size_t cblas_isamax_64(int64_t N, const float* X, int64_t incX) { return index_of_largest(N, X, incX); }

size_t cblas_idamax(int32_t N, const double* X, int32_t incX) { return index_of_largest(N, X, incX); }

size_t cblas_idamax_64(int64_t N, const double* X, int64_t incX) { return index_of_largest(N, X, incX); }

void cblas_saxpy(int32_t N, float alpha, const float* X, int32_t incX, float* Y, int32_t incY) {
  axpy(N, alpha, X, incX, Y, incY);
}

void cblas_saxpy_64(int64_t N, float alpha, const float* X, int64_t incX, float* Y, int64_t incY) {
  axpy(N, alpha, X, incX, Y, incY);
}

void cblas_daxpy(int32_t N, double alpha, const double* X, int32_t incX, double* Y, int32_t incY) {
  axpy(N, alpha, X, incX, Y, incY);
}

void cblas_daxpy_64(int64_t N, double alpha, const double* X, int64_t incX, double* Y, int64_t incY) {
  axpy(N, alpha, X, incX, Y, incY);
}

void cblas_sscal(int32_t N, float alpha, float* X, int32_t incX) { scal(N, alpha, X, incX); }

void cblas_sscal_64(int64_t N, float alpha, float* X, int64_t incX) { scal(N, alpha, X, incX); }

void cblas_dscal(int32_t N, double alpha, double* X, int32_t incX) { scal(N, alpha, X, incX); }

void cblas_dscal_64(int64_t N, double alpha, double* X, int64_t incX) { scal(N, alpha, X, incX); }

void cblas_scopy(int32_t N, const float* X, int32_t incX, float* Y, int32_t incY) { copy(N, X, incX, Y, incY); }

void cblas_scopy_64(int64_t N, const float* X, int64_t incX, float* Y, int64_t incY) { copy(N, X, incX, Y, incY); }

void cblas_dcopy(int32_t N, const double* X, int32_t incX, double* Y, int32_t incY) { copy(N, X, incX, Y, incY); }

void cblas_dcopy_64(int64_t N, const double* X, int64_t incX, double* Y, int64_t incY) { copy(N, X, incX, Y, incY); }

void cblas_somatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int32_t rows, int32_t cols, float alpha,
                     const float* A, int32_t lda, float* B, int32_t ldb) {
  omatcopy({"cblas_somatcopy", cblas_xerbla}, layout, Trans, rows, cols, alpha, A, lda, B, ldb);
}

void cblas_somatcopy_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int64_t rows, int64_t cols, float alpha,
                        const float* A, int64_t lda, float* B, int64_t ldb) {
  omatcopy({"cblas_somatcopy", cblas_xerbla_64}, layout, Trans, rows, cols, alpha, A, lda, B, ldb);
}

void cblas_domatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int32_t rows, int32_t cols, double alpha,
                     const double* A, int32_t lda, double* B, int32_t ldb) {
  omatcopy({"cblas_domatcopy", cblas_xerbla}, layout, Trans, rows, cols, alpha, A, lda, B, ldb);
}

void cblas_domatcopy_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int64_t rows, int64_t cols, double alpha,
                        const double* A, int64_t lda, double* B, int64_t ldb) {
  omatcopy({"cblas_domatcopy", cblas_xerbla_64}, layout, Trans, rows, cols, alpha, A, lda, B, ldb);
}

}  // extern "C"

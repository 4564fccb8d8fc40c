// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The BLAS' routines for complex numbers as C calls them, as cblas.cpp has those for real ones.
#include "cblas_call.hpp"

using namespace abax::blas;
using abax::tile::complex;

namespace {

// Elements, and arrays of pointers to them, as C hands them over.
template <class Real>
const complex<Real>* in(const void* x) {
  return static_cast<const complex<Real>*>(x);
}
template <class Real>
complex<Real>* out(void* x) {
  return static_cast<complex<Real>*>(x);
}
template <class Real>
const complex<Real>* const* ins(const void* const* x) {
  return reinterpret_cast<const complex<Real>* const*>(x);
}
template <class Real>
complex<Real>* const* outs(void* const* x) {
  return reinterpret_cast<complex<Real>* const*>(x);
}

/// *result <- call.run(), unless an argument cannot be used.
template <class Int, class Call, class T>
void put(const char* routine, const Call& call, T* result) {
  if (const int info = call.check(); info != 0) return complaint<Int>{routine}(info, "", 0);
  *result = perform(routine, call, [&](abax::c::line& text) { call.describe(text); });
}

}  // namespace

extern "C" {

void cblas_cgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M, int32_t N, int32_t K,
                 const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb, const void* beta, void* C,
                 int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, TransA, TransB,
          gemm<complex<float>>{letter(TransA), letter(TransB), M, N, K, *in<float>(alpha), in<float>(A), lda,
                               in<float>(B), ldb, *in<float>(beta), out<float>(C), ldc});
}

void cblas_cgemm_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M, int64_t N,
                    int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                    const void* beta, void* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, TransA, TransB,
          gemm<complex<float>>{letter(TransA), letter(TransB), M, N, K, *in<float>(alpha), in<float>(A), lda,
                               in<float>(B), ldb, *in<float>(beta), out<float>(C), ldc});
}

void cblas_zgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M, int32_t N, int32_t K,
                 const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb, const void* beta, void* C,
                 int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, TransA, TransB,
          gemm<complex<double>>{letter(TransA), letter(TransB), M, N, K, *in<double>(alpha), in<double>(A), lda,
                                in<double>(B), ldb, *in<double>(beta), out<double>(C), ldc});
}

void cblas_zgemm_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M, int64_t N,
                    int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                    const void* beta, void* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, TransA, TransB,
          gemm<complex<double>>{letter(TransA), letter(TransB), M, N, K, *in<double>(alpha), in<double>(A), lda,
                                in<double>(B), ldb, *in<double>(beta), out<double>(C), ldc});
}

void cblas_cgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M,
                               int32_t N, int32_t K, const void* alpha, const void* A, int32_t lda, int32_t stridea,
                               const void* B, int32_t ldb, int32_t strideb, const void* beta, void* C, int32_t ldc,
                               int32_t stridec, int32_t batch_size) {
  perform_batch(complaint<int32_t>(__func__), layout,
                gemm_batch_strided<complex<float>>{
                    {layout == CblasRowMajor, letter(TransA), letter(TransB), M, N, K, lda, ldb, ldc},
                    *in<float>(alpha),
                    in<float>(A),
                    stridea,
                    in<float>(B),
                    strideb,
                    *in<float>(beta),
                    out<float>(C),
                    stridec,
                    batch_size});
}

void cblas_cgemm_batch_strided_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M,
                                  int64_t N, int64_t K, const void* alpha, const void* A, int64_t lda, int64_t stridea,
                                  const void* B, int64_t ldb, int64_t strideb, const void* beta, void* C, int64_t ldc,
                                  int64_t stridec, int64_t batch_size) {
  perform_batch(complaint<int64_t>(__func__), layout,
                gemm_batch_strided<complex<float>>{
                    {layout == CblasRowMajor, letter(TransA), letter(TransB), M, N, K, lda, ldb, ldc},
                    *in<float>(alpha),
                    in<float>(A),
                    stridea,
                    in<float>(B),
                    strideb,
                    *in<float>(beta),
                    out<float>(C),
                    stridec,
                    batch_size});
}

void cblas_zgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t M,
                               int32_t N, int32_t K, const void* alpha, const void* A, int32_t lda, int32_t stridea,
                               const void* B, int32_t ldb, int32_t strideb, const void* beta, void* C, int32_t ldc,
                               int32_t stridec, int32_t batch_size) {
  perform_batch(complaint<int32_t>(__func__), layout,
                gemm_batch_strided<complex<double>>{
                    {layout == CblasRowMajor, letter(TransA), letter(TransB), M, N, K, lda, ldb, ldc},
                    *in<double>(alpha),
                    in<double>(A),
                    stridea,
                    in<double>(B),
                    strideb,
                    *in<double>(beta),
                    out<double>(C),
                    stridec,
                    batch_size});
}

void cblas_zgemm_batch_strided_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t M,
                                  int64_t N, int64_t K, const void* alpha, const void* A, int64_t lda, int64_t stridea,
                                  const void* B, int64_t ldb, int64_t strideb, const void* beta, void* C, int64_t ldc,
                                  int64_t stridec, int64_t batch_size) {
  perform_batch(complaint<int64_t>(__func__), layout,
                gemm_batch_strided<complex<double>>{
                    {layout == CblasRowMajor, letter(TransA), letter(TransB), M, N, K, lda, ldb, ldc},
                    *in<double>(alpha),
                    in<double>(A),
                    stridea,
                    in<double>(B),
                    strideb,
                    *in<double>(beta),
                    out<double>(C),
                    stridec,
                    batch_size});
}

void cblas_cgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                       const int32_t* M, const int32_t* N, const int32_t* K, const void* alpha, const void* const* A,
                       const int32_t* lda, const void* const* B, const int32_t* ldb, const void* beta, void* const* C,
                       const int32_t* ldc, int32_t group_count, const int32_t* group_size) {
  perform_batch(complaint<int32_t>(__func__), layout,
                gemm_batch<complex<float>, int32_t, CBLAS_TRANSPOSE>{
                    layout == CblasRowMajor, letter, TransA, TransB, M, N, K, in<float>(alpha), ins<float>(A), lda,
                    ins<float>(B), ldb, in<float>(beta), outs<float>(C), ldc, group_count, group_size});
}

void cblas_cgemm_batch_64(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                          const int64_t* M, const int64_t* N, const int64_t* K, const void* alpha, const void* const* A,
                          const int64_t* lda, const void* const* B, const int64_t* ldb, const void* beta,
                          void* const* C, const int64_t* ldc, int64_t group_count, const int64_t* group_size) {
  perform_batch(complaint<int64_t>(__func__), layout,
                gemm_batch<complex<float>, int64_t, CBLAS_TRANSPOSE>{
                    layout == CblasRowMajor, letter, TransA, TransB, M, N, K, in<float>(alpha), ins<float>(A), lda,
                    ins<float>(B), ldb, in<float>(beta), outs<float>(C), ldc, group_count, group_size});
}

void cblas_zgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                       const int32_t* M, const int32_t* N, const int32_t* K, const void* alpha, const void* const* A,
                       const int32_t* lda, const void* const* B, const int32_t* ldb, const void* beta, void* const* C,
                       const int32_t* ldc, int32_t group_count, const int32_t* group_size) {
  perform_batch(complaint<int32_t>(__func__), layout,
                gemm_batch<complex<double>, int32_t, CBLAS_TRANSPOSE>{
                    layout == CblasRowMajor, letter, TransA, TransB, M, N, K, in<double>(alpha), ins<double>(A), lda,
                    ins<double>(B), ldb, in<double>(beta), outs<double>(C), ldc, group_count, group_size});
}

void cblas_zgemm_batch_64(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* TransA, const CBLAS_TRANSPOSE* TransB,
                          const int64_t* M, const int64_t* N, const int64_t* K, const void* alpha, const void* const* A,
                          const int64_t* lda, const void* const* B, const int64_t* ldb, const void* beta,
                          void* const* C, const int64_t* ldc, int64_t group_count, const int64_t* group_size) {
  perform_batch(complaint<int64_t>(__func__), layout,
                gemm_batch<complex<double>, int64_t, CBLAS_TRANSPOSE>{
                    layout == CblasRowMajor, letter, TransA, TransB, M, N, K, in<double>(alpha), ins<double>(A), lda,
                    ins<double>(B), ldb, in<double>(beta), outs<double>(C), ldc, group_count, group_size});
}

void cblas_cgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                  int32_t K, const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb,
                  const void* beta, void* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<complex<float>>{letter(Uplo), letter(TransA), letter(TransB), N, K, *in<float>(alpha), in<float>(A),
                                lda, in<float>(B), ldb, *in<float>(beta), out<float>(C), ldc});
}

void cblas_cgemmt_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                     int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                     const void* beta, void* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<complex<float>>{letter(Uplo), letter(TransA), letter(TransB), N, K, *in<float>(alpha), in<float>(A),
                                lda, in<float>(B), ldb, *in<float>(beta), out<float>(C), ldc});
}

void cblas_zgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                  int32_t K, const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb,
                  const void* beta, void* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<complex<double>>{letter(Uplo), letter(TransA), letter(TransB), N, K, *in<double>(alpha), in<double>(A),
                                 lda, in<double>(B), ldb, *in<double>(beta), out<double>(C), ldc});
}

void cblas_zgemmt_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                     int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                     const void* beta, void* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<complex<double>>{letter(Uplo), letter(TransA), letter(TransB), N, K, *in<double>(alpha), in<double>(A),
                                 lda, in<double>(B), ldb, *in<double>(beta), out<double>(C), ldc});
}

void cblas_cgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                   int32_t K, const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb,
                   const void* beta, void* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<complex<float>>{letter(Uplo), letter(TransA), letter(TransB), N, K, *in<float>(alpha), in<float>(A),
                                lda, in<float>(B), ldb, *in<float>(beta), out<float>(C), ldc});
}

void cblas_cgemmtr_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                      int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                      const void* beta, void* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<complex<float>>{letter(Uplo), letter(TransA), letter(TransB), N, K, *in<float>(alpha), in<float>(A),
                                lda, in<float>(B), ldb, *in<float>(beta), out<float>(C), ldc});
}

void cblas_zgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int32_t N,
                   int32_t K, const void* alpha, const void* A, int32_t lda, const void* B, int32_t ldb,
                   const void* beta, void* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<complex<double>>{letter(Uplo), letter(TransA), letter(TransB), N, K, *in<double>(alpha), in<double>(A),
                                 lda, in<double>(B), ldb, *in<double>(beta), out<double>(C), ldc});
}

void cblas_zgemmtr_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, int64_t N,
                      int64_t K, const void* alpha, const void* A, int64_t lda, const void* B, int64_t ldb,
                      const void* beta, void* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, TransA, TransB,
          gemmt<complex<double>>{letter(Uplo), letter(TransA), letter(TransB), N, K, *in<double>(alpha), in<double>(A),
                                 lda, in<double>(B), ldb, *in<double>(beta), out<double>(C), ldc});
}

void cblas_csyrk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, const void* alpha,
                 const void* A, int32_t lda, const void* beta, void* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, Trans,
          syrk<complex<float>>{letter(Uplo), letter(Trans), N, K, *in<float>(alpha), in<float>(A), lda,
                               *in<float>(beta), out<float>(C), ldc});
}

void cblas_csyrk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K,
                    const void* alpha, const void* A, int64_t lda, const void* beta, void* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, Trans,
          syrk<complex<float>>{letter(Uplo), letter(Trans), N, K, *in<float>(alpha), in<float>(A), lda,
                               *in<float>(beta), out<float>(C), ldc});
}

void cblas_zsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, const void* alpha,
                 const void* A, int32_t lda, const void* beta, void* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, Trans,
          syrk<complex<double>>{letter(Uplo), letter(Trans), N, K, *in<double>(alpha), in<double>(A), lda,
                                *in<double>(beta), out<double>(C), ldc});
}

void cblas_zsyrk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K,
                    const void* alpha, const void* A, int64_t lda, const void* beta, void* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, Trans,
          syrk<complex<double>>{letter(Uplo), letter(Trans), N, K, *in<double>(alpha), in<double>(A), lda,
                                *in<double>(beta), out<double>(C), ldc});
}

void cblas_cherk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, float alpha,
                 const void* A, int32_t lda, float beta, void* C, int32_t ldc) {
  perform(complaint<int32_t>(__func__), layout, Uplo, Trans,
          herk<complex<float>>{letter(Uplo), letter(Trans), N, K, alpha, in<float>(A), lda, beta, out<float>(C), ldc});
}

void cblas_cherk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K, float alpha,
                    const void* A, int64_t lda, float beta, void* C, int64_t ldc) {
  perform(complaint<int64_t>(__func__), layout, Uplo, Trans,
          herk<complex<float>>{letter(Uplo), letter(Trans), N, K, alpha, in<float>(A), lda, beta, out<float>(C), ldc});
}

void cblas_zherk(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int32_t N, int32_t K, double alpha,
                 const void* A, int32_t lda, double beta, void* C, int32_t ldc) {
  perform(
      complaint<int32_t>(__func__), layout, Uplo, Trans,
      herk<complex<double>>{letter(Uplo), letter(Trans), N, K, alpha, in<double>(A), lda, beta, out<double>(C), ldc});
}

void cblas_zherk_64(CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans, int64_t N, int64_t K, double alpha,
                    const void* A, int64_t lda, double beta, void* C, int64_t ldc) {
  perform(
      complaint<int64_t>(__func__), layout, Uplo, Trans,
      herk<complex<double>>{letter(Uplo), letter(Trans), N, K, alpha, in<double>(A), lda, beta, out<double>(C), ldc});
}

void cblas_cgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int32_t M, int32_t N, const void* alpha, const void* A,
                 int32_t lda, const void* X, int32_t incX, const void* beta, void* Y, int32_t incY) {
  perform(complaint<int32_t>(__func__), layout, TransA,
          gemv<complex<float>>{letter(TransA), M, N, *in<float>(alpha), in<float>(A), lda, in<float>(X), incX,
                               *in<float>(beta), out<float>(Y), incY});
}

void cblas_cgemv_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int64_t M, int64_t N, const void* alpha, const void* A,
                    int64_t lda, const void* X, int64_t incX, const void* beta, void* Y, int64_t incY) {
  perform(complaint<int64_t>(__func__), layout, TransA,
          gemv<complex<float>>{letter(TransA), M, N, *in<float>(alpha), in<float>(A), lda, in<float>(X), incX,
                               *in<float>(beta), out<float>(Y), incY});
}

void cblas_zgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int32_t M, int32_t N, const void* alpha, const void* A,
                 int32_t lda, const void* X, int32_t incX, const void* beta, void* Y, int32_t incY) {
  perform(complaint<int32_t>(__func__), layout, TransA,
          gemv<complex<double>>{letter(TransA), M, N, *in<double>(alpha), in<double>(A), lda, in<double>(X), incX,
                                *in<double>(beta), out<double>(Y), incY});
}

void cblas_zgemv_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, int64_t M, int64_t N, const void* alpha, const void* A,
                    int64_t lda, const void* X, int64_t incX, const void* beta, void* Y, int64_t incY) {
  perform(complaint<int64_t>(__func__), layout, TransA,
          gemv<complex<double>>{letter(TransA), M, N, *in<double>(alpha), in<double>(A), lda, in<double>(X), incX,
                                *in<double>(beta), out<double>(Y), incY});
}

void cblas_cdotu_sub(int32_t N, const void* X, int32_t incX, const void* Y, int32_t incY, void* result) {
  put<int32_t>(__func__, dot<complex<float>>{N, in<float>(X), incX, in<float>(Y), incY, false}, out<float>(result));
}

void cblas_cdotu_sub_64(int64_t N, const void* X, int64_t incX, const void* Y, int64_t incY, void* result) {
  put<int64_t>(__func__, dot<complex<float>>{N, in<float>(X), incX, in<float>(Y), incY, false}, out<float>(result));
}

void cblas_zdotu_sub(int32_t N, const void* X, int32_t incX, const void* Y, int32_t incY, void* result) {
  put<int32_t>(__func__, dot<complex<double>>{N, in<double>(X), incX, in<double>(Y), incY, false}, out<double>(result));
}

void cblas_zdotu_sub_64(int64_t N, const void* X, int64_t incX, const void* Y, int64_t incY, void* result) {
  put<int64_t>(__func__, dot<complex<double>>{N, in<double>(X), incX, in<double>(Y), incY, false}, out<double>(result));
}

void cblas_cdotc_sub(int32_t N, const void* X, int32_t incX, const void* Y, int32_t incY, void* result) {
  put<int32_t>(__func__, dot<complex<float>>{N, in<float>(X), incX, in<float>(Y), incY, true}, out<float>(result));
}

void cblas_cdotc_sub_64(int64_t N, const void* X, int64_t incX, const void* Y, int64_t incY, void* result) {
  put<int64_t>(__func__, dot<complex<float>>{N, in<float>(X), incX, in<float>(Y), incY, true}, out<float>(result));
}

void cblas_zdotc_sub(int32_t N, const void* X, int32_t incX, const void* Y, int32_t incY, void* result) {
  put<int32_t>(__func__, dot<complex<double>>{N, in<double>(X), incX, in<double>(Y), incY, true}, out<double>(result));
}

void cblas_zdotc_sub_64(int64_t N, const void* X, int64_t incX, const void* Y, int64_t incY, void* result) {
  put<int64_t>(__func__, dot<complex<double>>{N, in<double>(X), incX, in<double>(Y), incY, true}, out<double>(result));
}

float cblas_scnrm2(int32_t N, const void* X, int32_t incX) {
  return perform<int32_t>(__func__, nrm2<complex<float>>{N, in<float>(X), incX});
}

float cblas_scnrm2_64(int64_t N, const void* X, int64_t incX) {
  return perform<int64_t>(__func__, nrm2<complex<float>>{N, in<float>(X), incX});
}

double cblas_dznrm2(int32_t N, const void* X, int32_t incX) {
  return perform<int32_t>(__func__, nrm2<complex<double>>{N, in<double>(X), incX});
}

double cblas_dznrm2_64(int64_t N, const void* X, int64_t incX) {
  return perform<int64_t>(__func__, nrm2<complex<double>>{N, in<double>(X), incX});
}

float cblas_scasum(int32_t N, const void* X, int32_t incX) {
  return perform<int32_t>(__func__, asum<complex<float>>{N, in<float>(X), incX});
}

float cblas_scasum_64(int64_t N, const void* X, int64_t incX) {
  return perform<int64_t>(__func__, asum<complex<float>>{N, in<float>(X), incX});
}

double cblas_dzasum(int32_t N, const void* X, int32_t incX) {
  return perform<int32_t>(__func__, asum<complex<double>>{N, in<double>(X), incX});
}

double cblas_dzasum_64(int64_t N, const void* X, int64_t incX) {
  return perform<int64_t>(__func__, asum<complex<double>>{N, in<double>(X), incX});
}

size_t cblas_icamax(int32_t N, const void* X, int32_t incX) {
  return index_of_largest<int32_t>(__func__, iamax<complex<float>>{N, in<float>(X), incX});
}

size_t cblas_icamax_64(int64_t N, const void* X, int64_t incX) {
  return index_of_largest<int64_t>(__func__, iamax<complex<float>>{N, in<float>(X), incX});
}

size_t cblas_izamax(int32_t N, const void* X, int32_t incX) {
  return index_of_largest<int32_t>(__func__, iamax<complex<double>>{N, in<double>(X), incX});
}

size_t cblas_izamax_64(int64_t N, const void* X, int64_t incX) {
  return index_of_largest<int64_t>(__func__, iamax<complex<double>>{N, in<double>(X), incX});
}

void cblas_caxpy(int32_t N, const void* alpha, const void* X, int32_t incX, void* Y, int32_t incY) {
  perform<int32_t>(__func__, axpy<complex<float>>{N, *in<float>(alpha), in<float>(X), incX, out<float>(Y), incY});
}

void cblas_caxpy_64(int64_t N, const void* alpha, const void* X, int64_t incX, void* Y, int64_t incY) {
  perform<int64_t>(__func__, axpy<complex<float>>{N, *in<float>(alpha), in<float>(X), incX, out<float>(Y), incY});
}

void cblas_zaxpy(int32_t N, const void* alpha, const void* X, int32_t incX, void* Y, int32_t incY) {
  perform<int32_t>(__func__, axpy<complex<double>>{N, *in<double>(alpha), in<double>(X), incX, out<double>(Y), incY});
}

void cblas_zaxpy_64(int64_t N, const void* alpha, const void* X, int64_t incX, void* Y, int64_t incY) {
  perform<int64_t>(__func__, axpy<complex<double>>{N, *in<double>(alpha), in<double>(X), incX, out<double>(Y), incY});
}

void cblas_cscal(int32_t N, const void* alpha, void* X, int32_t incX) {
  perform<int32_t>(__func__, scal<complex<float>>{N, *in<float>(alpha), out<float>(X), incX});
}

void cblas_cscal_64(int64_t N, const void* alpha, void* X, int64_t incX) {
  perform<int64_t>(__func__, scal<complex<float>>{N, *in<float>(alpha), out<float>(X), incX});
}

void cblas_zscal(int32_t N, const void* alpha, void* X, int32_t incX) {
  perform<int32_t>(__func__, scal<complex<double>>{N, *in<double>(alpha), out<double>(X), incX});
}

void cblas_zscal_64(int64_t N, const void* alpha, void* X, int64_t incX) {
  perform<int64_t>(__func__, scal<complex<double>>{N, *in<double>(alpha), out<double>(X), incX});
}

void cblas_csscal(int32_t N, float alpha, void* X, int32_t incX) {
  perform<int32_t>(__func__, scal<complex<float>, float>{N, alpha, out<float>(X), incX});
}

void cblas_csscal_64(int64_t N, float alpha, void* X, int64_t incX) {
  perform<int64_t>(__func__, scal<complex<float>, float>{N, alpha, out<float>(X), incX});
}

void cblas_zdscal(int32_t N, double alpha, void* X, int32_t incX) {
  perform<int32_t>(__func__, scal<complex<double>, double>{N, alpha, out<double>(X), incX});
}

void cblas_zdscal_64(int64_t N, double alpha, void* X, int64_t incX) {
  perform<int64_t>(__func__, scal<complex<double>, double>{N, alpha, out<double>(X), incX});
}

void cblas_ccopy(int32_t N, const void* X, int32_t incX, void* Y, int32_t incY) {
  perform<int32_t>(__func__, copy<complex<float>>{N, in<float>(X), incX, out<float>(Y), incY});
}

void cblas_ccopy_64(int64_t N, const void* X, int64_t incX, void* Y, int64_t incY) {
  perform<int64_t>(__func__, copy<complex<float>>{N, in<float>(X), incX, out<float>(Y), incY});
}

void cblas_zcopy(int32_t N, const void* X, int32_t incX, void* Y, int32_t incY) {
  perform<int32_t>(__func__, copy<complex<double>>{N, in<double>(X), incX, out<double>(Y), incY});
}

void cblas_zcopy_64(int64_t N, const void* X, int64_t incX, void* Y, int64_t incY) {
  perform<int64_t>(__func__, copy<complex<double>>{N, in<double>(X), incX, out<double>(Y), incY});
}

void cblas_comatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int32_t rows, int32_t cols, const void* alpha,
                     const void* A, int32_t lda, void* B, int32_t ldb) {
  perform(complaint<int32_t>(__func__), layout, Trans,
          omatcopy<complex<float>>{order(layout), letter_of_copy(Trans), rows, cols, *in<float>(alpha), in<float>(A),
                                   lda, out<float>(B), ldb});
}

void cblas_comatcopy_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int64_t rows, int64_t cols, const void* alpha,
                        const void* A, int64_t lda, void* B, int64_t ldb) {
  perform(complaint<int64_t>(__func__), layout, Trans,
          omatcopy<complex<float>>{order(layout), letter_of_copy(Trans), rows, cols, *in<float>(alpha), in<float>(A),
                                   lda, out<float>(B), ldb});
}

void cblas_zomatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int32_t rows, int32_t cols, const void* alpha,
                     const void* A, int32_t lda, void* B, int32_t ldb) {
  perform(complaint<int32_t>(__func__), layout, Trans,
          omatcopy<complex<double>>{order(layout), letter_of_copy(Trans), rows, cols, *in<double>(alpha), in<double>(A),
                                    lda, out<double>(B), ldb});
}

void cblas_zomatcopy_64(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, int64_t rows, int64_t cols, const void* alpha,
                        const void* A, int64_t lda, void* B, int64_t ldb) {
  perform(complaint<int64_t>(__func__), layout, Trans,
          omatcopy<complex<double>>{order(layout), letter_of_copy(Trans), rows, cols, *in<double>(alpha), in<double>(A),
                                    lda, out<double>(B), ldb});
}

}  // extern "C"

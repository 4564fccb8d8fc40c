// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The C interface: its functions of complex numbers.
#include "calls.hpp"
#include "own_complex.hpp"

namespace abax::c {

template abax_status gemm_batched_at(const char* routine, abax_stream* stream, bool by_rows, char trans_a, char trans_b,
                                     std::int64_t items, std::int64_t m, std::int64_t n, std::int64_t k,
                                     tile::complex<float> alpha, const tile::complex<float>* const* a, std::int64_t lda,
                                     const tile::complex<float>* const* b, std::int64_t ldb, tile::complex<float> beta,
                                     tile::complex<float>* const* c, std::int64_t ldc);
template abax_status gemm_batched_at(const char* routine, abax_stream* stream, bool by_rows, char trans_a, char trans_b,
                                     std::int64_t items, std::int64_t m, std::int64_t n, std::int64_t k,
                                     tile::complex<double> alpha, const tile::complex<double>* const* a,
                                     std::int64_t lda, const tile::complex<double>* const* b, std::int64_t ldb,
                                     tile::complex<double> beta, tile::complex<double>* const* c, std::int64_t ldc);

}  // namespace abax::c

using namespace abax::c;

extern "C" {

abax_status abax_cgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                       abax_complex_float alpha, const abax_complex_float* A, int64_t rsA, int64_t csA,
                       const abax_complex_float* B, int64_t rsB, int64_t csB, abax_complex_float beta,
                       abax_complex_float* C, int64_t rsC, int64_t csC) {
  return gemm(__func__, stream, transA, transB, m, n, k, own(alpha), own(A), rsA, csA, own(B), rsB, csB, own(beta),
              own(C), rsC, csC);
}

abax_status abax_zgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                       abax_complex_double alpha, const abax_complex_double* A, int64_t rsA, int64_t csA,
                       const abax_complex_double* B, int64_t rsB, int64_t csB, abax_complex_double beta,
                       abax_complex_double* C, int64_t rsC, int64_t csC) {
  return gemm(__func__, stream, transA, transB, m, n, k, own(alpha), own(A), rsA, csA, own(B), rsB, csB, own(beta),
              own(C), rsC, csC);
}

abax_status abax_cgemmt(abax_stream* stream, char uplo, char transA, char transB, int64_t n, int64_t k,
                        abax_complex_float alpha, const abax_complex_float* A, int64_t rsA, int64_t csA,
                        const abax_complex_float* B, int64_t rsB, int64_t csB, abax_complex_float beta,
                        abax_complex_float* C, int64_t rsC, int64_t csC) {
  return gemmt(__func__, stream, uplo, transA, transB, n, k, own(alpha), own(A), rsA, csA, own(B), rsB, csB, own(beta),
               own(C), rsC, csC);
}

abax_status abax_zgemmt(abax_stream* stream, char uplo, char transA, char transB, int64_t n, int64_t k,
                        abax_complex_double alpha, const abax_complex_double* A, int64_t rsA, int64_t csA,
                        const abax_complex_double* B, int64_t rsB, int64_t csB, abax_complex_double beta,
                        abax_complex_double* C, int64_t rsC, int64_t csC) {
  return gemmt(__func__, stream, uplo, transA, transB, n, k, own(alpha), own(A), rsA, csA, own(B), rsB, csB, own(beta),
               own(C), rsC, csC);
}

abax_status abax_csyrk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, abax_complex_float alpha,
                       const abax_complex_float* A, int64_t rsA, int64_t csA, abax_complex_float beta,
                       abax_complex_float* C, int64_t rsC, int64_t csC) {
  return syrk(__func__, stream, uplo, trans, n, k, own(alpha), own(A), rsA, csA, own(beta), own(C), rsC, csC);
}

abax_status abax_zsyrk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, abax_complex_double alpha,
                       const abax_complex_double* A, int64_t rsA, int64_t csA, abax_complex_double beta,
                       abax_complex_double* C, int64_t rsC, int64_t csC) {
  return syrk(__func__, stream, uplo, trans, n, k, own(alpha), own(A), rsA, csA, own(beta), own(C), rsC, csC);
}

abax_status abax_cgemv(abax_stream* stream, char trans, int64_t m, int64_t n, abax_complex_float alpha,
                       const abax_complex_float* A, int64_t rsA, int64_t csA, const abax_complex_float* x, int64_t incx,
                       abax_complex_float beta, abax_complex_float* y, int64_t incy) {
  return gemv(__func__, stream, trans, m, n, own(alpha), own(A), rsA, csA, own(x), incx, own(beta), own(y), incy);
}

abax_status abax_zgemv(abax_stream* stream, char trans, int64_t m, int64_t n, abax_complex_double alpha,
                       const abax_complex_double* A, int64_t rsA, int64_t csA, const abax_complex_double* x,
                       int64_t incx, abax_complex_double beta, abax_complex_double* y, int64_t incy) {
  return gemv(__func__, stream, trans, m, n, own(alpha), own(A), rsA, csA, own(x), incx, own(beta), own(y), incy);
}

abax_status abax_cgemm_batched(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                               int64_t k, abax_complex_float alpha, const abax_complex_float* A, int64_t isA,
                               int64_t rsA, int64_t csA, const abax_complex_float* B, int64_t isB, int64_t rsB,
                               int64_t csB, abax_complex_float beta, abax_complex_float* C, int64_t isC, int64_t rsC,
                               int64_t csC) {
  return gemm_batched(__func__, stream, transA, transB, items, m, n, k, own(alpha), own(A), isA, rsA, csA, own(B), isB,
                      rsB, csB, own(beta), own(C), isC, rsC, csC);
}

abax_status abax_zgemm_batched(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                               int64_t k, abax_complex_double alpha, const abax_complex_double* A, int64_t isA,
                               int64_t rsA, int64_t csA, const abax_complex_double* B, int64_t isB, int64_t rsB,
                               int64_t csB, abax_complex_double beta, abax_complex_double* C, int64_t isC, int64_t rsC,
                               int64_t csC) {
  return gemm_batched(__func__, stream, transA, transB, items, m, n, k, own(alpha), own(A), isA, rsA, csA, own(B), isB,
                      rsB, csB, own(beta), own(C), isC, rsC, csC);
}

abax_status abax_cgemm_batched_at(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                                  int64_t k, abax_complex_float alpha, const abax_complex_float* const* A, int64_t lda,
                                  const abax_complex_float* const* B, int64_t ldb, abax_complex_float beta,
                                  abax_complex_float* const* C, int64_t ldc) {
  return gemm_batched_at(__func__, stream, false, transA, transB, items, m, n, k, own(alpha), own(A), lda, own(B), ldb,
                         own(beta), own(C), ldc);
}

abax_status abax_zgemm_batched_at(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                                  int64_t k, abax_complex_double alpha, const abax_complex_double* const* A,
                                  int64_t lda, const abax_complex_double* const* B, int64_t ldb,
                                  abax_complex_double beta, abax_complex_double* const* C, int64_t ldc) {
  return gemm_batched_at(__func__, stream, false, transA, transB, items, m, n, k, own(alpha), own(A), lda, own(B), ldb,
                         own(beta), own(C), ldc);
}

abax_status abax_cgemv_batched(abax_stream* stream, char trans, int64_t items, int64_t m, int64_t n,
                               abax_complex_float alpha, const abax_complex_float* A, int64_t isA, int64_t rsA,
                               int64_t csA, const abax_complex_float* x, int64_t isx, int64_t incx,
                               abax_complex_float beta, abax_complex_float* y, int64_t isy, int64_t incy) {
  return gemv_batched(__func__, stream, trans, items, m, n, own(alpha), own(A), isA, rsA, csA, own(x), isx, incx,
                      own(beta), own(y), isy, incy);
}

abax_status abax_zgemv_batched(abax_stream* stream, char trans, int64_t items, int64_t m, int64_t n,
                               abax_complex_double alpha, const abax_complex_double* A, int64_t isA, int64_t rsA,
                               int64_t csA, const abax_complex_double* x, int64_t isx, int64_t incx,
                               abax_complex_double beta, abax_complex_double* y, int64_t isy, int64_t incy) {
  return gemv_batched(__func__, stream, trans, items, m, n, own(alpha), own(A), isA, rsA, csA, own(x), isx, incx,
                      own(beta), own(y), isy, incy);
}

abax_status abax_scnrm2(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx, float* result) {
  return reduce<abax::tile::nrm2>(__func__, stream, n, own(x), incx, result);
}

abax_status abax_dznrm2(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx, double* result) {
  return reduce<abax::tile::nrm2>(__func__, stream, n, own(x), incx, result);
}

abax_status abax_scasum(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx, float* result) {
  return reduce<abax::tile::asum>(__func__, stream, n, own(x), incx, result);
}

abax_status abax_dzasum(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx, double* result) {
  return reduce<abax::tile::asum>(__func__, stream, n, own(x), incx, result);
}

abax_status abax_icamax(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx, int64_t* result) {
  return reduce<abax::tile::iamax>(__func__, stream, n, own(x), incx, result);
}

abax_status abax_izamax(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx, int64_t* result) {
  return reduce<abax::tile::iamax>(__func__, stream, n, own(x), incx, result);
}

abax_status abax_ctranspose(abax_stream* stream, int64_t m, int64_t n, const abax_complex_float* A, int64_t rsA,
                            int64_t csA, abax_complex_float* B, int64_t rsB, int64_t csB) {
  return transpose(__func__, stream, m, n, own(A), rsA, csA, own(B), rsB, csB);
}

abax_status abax_ztranspose(abax_stream* stream, int64_t m, int64_t n, const abax_complex_double* A, int64_t rsA,
                            int64_t csA, abax_complex_double* B, int64_t rsB, int64_t csB) {
  return transpose(__func__, stream, m, n, own(A), rsA, csA, own(B), rsB, csB);
}

abax_status abax_caxpby(abax_stream* stream, int64_t n, abax_complex_float alpha, const abax_complex_float* x,
                        int64_t incx, abax_complex_float beta, abax_complex_float* y, int64_t incy) {
  return axpby(__func__, stream, n, own(alpha), own(x), incx, own(beta), own(y), incy);
}

abax_status abax_zaxpby(abax_stream* stream, int64_t n, abax_complex_double alpha, const abax_complex_double* x,
                        int64_t incx, abax_complex_double beta, abax_complex_double* y, int64_t incy) {
  return axpby(__func__, stream, n, own(alpha), own(x), incx, own(beta), own(y), incy);
}

abax_status abax_cscal(abax_stream* stream, int64_t n, abax_complex_float* y, int64_t incy, abax_complex_float alpha,
                       const abax_complex_float* x, int64_t incx) {
  return scal(__func__, stream, n, own(y), incy, own(alpha), own(x), incx);
}

abax_status abax_zscal(abax_stream* stream, int64_t n, abax_complex_double* y, int64_t incy, abax_complex_double alpha,
                       const abax_complex_double* x, int64_t incx) {
  return scal(__func__, stream, n, own(y), incy, own(alpha), own(x), incx);
}

abax_status abax_ccopy(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx, abax_complex_float* y,
                       int64_t incy) {
  return copy(__func__, stream, n, own(x), incx, own(y), incy);
}

abax_status abax_zcopy(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx,
                       abax_complex_double* y, int64_t incy) {
  return copy(__func__, stream, n, own(x), incx, own(y), incy);
}

abax_status abax_ctriad(abax_stream* stream, int64_t n, abax_complex_float alpha, const abax_complex_float* x,
                        int64_t incx, const abax_complex_float* y, int64_t incy, abax_complex_float* z, int64_t incz) {
  return triad(__func__, stream, n, own(alpha), own(x), incx, own(y), incy, own(z), incz);
}

abax_status abax_ztriad(abax_stream* stream, int64_t n, abax_complex_double alpha, const abax_complex_double* x,
                        int64_t incx, const abax_complex_double* y, int64_t incy, abax_complex_double* z,
                        int64_t incz) {
  return triad(__func__, stream, n, own(alpha), own(x), incx, own(y), incy, own(z), incz);
}

abax_status abax_cincrement(abax_stream* stream, int64_t n, abax_complex_float value, abax_complex_float* x,
                            int64_t incx) {
  return increment(__func__, stream, n, own(value), own(x), incx);
}

abax_status abax_zincrement(abax_stream* stream, int64_t n, abax_complex_double value, abax_complex_double* x,
                            int64_t incx) {
  return increment(__func__, stream, n, own(value), own(x), incx);
}

abax_status abax_cherk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, float alpha,
                       const abax_complex_float* A, int64_t rsA, int64_t csA, float beta, abax_complex_float* C,
                       int64_t rsC, int64_t csC) {
  return herk(__func__, stream, uplo, trans, n, k, alpha, own(A), rsA, csA, beta, own(C), rsC, csC);
}

abax_status abax_zherk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, double alpha,
                       const abax_complex_double* A, int64_t rsA, int64_t csA, double beta, abax_complex_double* C,
                       int64_t rsC, int64_t csC) {
  return herk(__func__, stream, uplo, trans, n, k, alpha, own(A), rsA, csA, beta, own(C), rsC, csC);
}

abax_status abax_cconjugate_transpose(abax_stream* stream, int64_t m, int64_t n, const abax_complex_float* A,
                                      int64_t rsA, int64_t csA, abax_complex_float* B, int64_t rsB, int64_t csB) {
  return transpose(__func__, stream, m, n, own(A), rsA, csA, own(B), rsB, csB, true);
}

abax_status abax_zconjugate_transpose(abax_stream* stream, int64_t m, int64_t n, const abax_complex_double* A,
                                      int64_t rsA, int64_t csA, abax_complex_double* B, int64_t rsB, int64_t csB) {
  return transpose(__func__, stream, m, n, own(A), rsA, csA, own(B), rsB, csB, true);
}

abax_status abax_ctranspose_in_place(abax_stream* stream, int64_t n, abax_complex_float* A, int64_t rsA, int64_t csA) {
  return transpose_in_place(__func__, stream, n, own(A), rsA, csA);
}

abax_status abax_ztranspose_in_place(abax_stream* stream, int64_t n, abax_complex_double* A, int64_t rsA, int64_t csA) {
  return transpose_in_place(__func__, stream, n, own(A), rsA, csA);
}

abax_status abax_cconjugate_transpose_in_place(abax_stream* stream, int64_t n, abax_complex_float* A, int64_t rsA,
                                               int64_t csA) {
  return transpose_in_place(__func__, stream, n, own(A), rsA, csA, true);
}

abax_status abax_zconjugate_transpose_in_place(abax_stream* stream, int64_t n, abax_complex_double* A, int64_t rsA,
                                               int64_t csA) {
  return transpose_in_place(__func__, stream, n, own(A), rsA, csA, true);
}

abax_status abax_csscal(abax_stream* stream, int64_t n, abax_complex_float* y, int64_t incy, float alpha,
                        const abax_complex_float* x, int64_t incx) {
  return scal(__func__, stream, n, own(y), incy, alpha, own(x), incx);
}

abax_status abax_zdscal(abax_stream* stream, int64_t n, abax_complex_double* y, int64_t incy, double alpha,
                        const abax_complex_double* x, int64_t incx) {
  return scal(__func__, stream, n, own(y), incy, alpha, own(x), incx);
}

abax_status abax_cdotu(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx,
                       const abax_complex_float* y, int64_t incy, abax_complex_float* result) {
  return dot(__func__, stream, n, own(x), incx, own(y), incy, own(result));
}

abax_status abax_zdotu(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx,
                       const abax_complex_double* y, int64_t incy, abax_complex_double* result) {
  return dot(__func__, stream, n, own(x), incx, own(y), incy, own(result));
}

abax_status abax_cdotc(abax_stream* stream, int64_t n, const abax_complex_float* x, int64_t incx,
                       const abax_complex_float* y, int64_t incy, abax_complex_float* result) {
  return dot(__func__, stream, n, own(x), incx, own(y), incy, own(result), true);
}

abax_status abax_zdotc(abax_stream* stream, int64_t n, const abax_complex_double* x, int64_t incx,
                       const abax_complex_double* y, int64_t incy, abax_complex_double* result) {
  return dot(__func__, stream, n, own(x), incx, own(y), incy, own(result), true);
}

}  // extern "C"

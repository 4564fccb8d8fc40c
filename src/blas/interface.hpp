// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// abax.h's functions by type; those of complex numbers take the library's own.
#include <cstdint>

#include "../c/own_complex.hpp"
#include "abax/abax.h"

namespace abax::blas {

template <class T>
struct interface;
template <>
struct interface<float> {
  static constexpr auto gemm = abax_sgemm;
  static constexpr auto gemm_integer = abax_sgemm_integer;
  static constexpr auto gemm_batched = abax_sgemm_batched;
  static constexpr auto gemmt = abax_sgemmt;
  static constexpr auto syrk = abax_ssyrk;
  static constexpr auto gemv = abax_sgemv;
  static constexpr auto dot = abax_sdot;
  static constexpr auto nrm2 = abax_snrm2;
  static constexpr auto asum = abax_sasum;
  static constexpr auto iamax = abax_isamax;
  static constexpr auto axpby = abax_saxpby;
  static constexpr auto scal = abax_sscal;
  static constexpr auto copy = abax_scopy;
  static constexpr auto transpose = abax_stranspose;
};
template <>
struct interface<double> {
  static constexpr auto gemm = abax_dgemm;
  static constexpr auto gemm_integer = abax_dgemm_integer;
  static constexpr auto gemm_batched = abax_dgemm_batched;
  static constexpr auto gemmt = abax_dgemmt;
  static constexpr auto syrk = abax_dsyrk;
  static constexpr auto gemv = abax_dgemv;
  static constexpr auto dot = abax_ddot;
  static constexpr auto nrm2 = abax_dnrm2;
  static constexpr auto asum = abax_dasum;
  static constexpr auto iamax = abax_idamax;
  static constexpr auto axpby = abax_daxpby;
  static constexpr auto scal = abax_dscal;
  static constexpr auto copy = abax_dcopy;
  static constexpr auto transpose = abax_dtranspose;
};

template <>
struct interface<tile::complex<float>> {
  static constexpr auto gemm = c::with_own<abax_cgemm>::call;
  static constexpr auto gemm_integer = c::with_own<abax_cgemm_integer>::call;
  static constexpr auto gemm_batched = c::with_own<abax_cgemm_batched>::call;
  static constexpr auto gemmt = c::with_own<abax_cgemmt>::call;
  static constexpr auto syrk = c::with_own<abax_csyrk>::call;
  static constexpr auto herk = c::with_own<abax_cherk>::call;
  static constexpr auto gemv = c::with_own<abax_cgemv>::call;
  static constexpr auto dot = c::with_own<abax_cdotu>::call;
  static constexpr auto dotc = c::with_own<abax_cdotc>::call;
  static constexpr auto nrm2 = c::with_own<abax_scnrm2>::call;
  static constexpr auto asum = c::with_own<abax_scasum>::call;
  static constexpr auto iamax = c::with_own<abax_icamax>::call;
  static constexpr auto axpby = c::with_own<abax_caxpby>::call;
  static constexpr auto scal = c::with_own<abax_cscal>::call;
  static constexpr auto scal_by_real = c::with_own<abax_csscal>::call;
  static constexpr auto copy = c::with_own<abax_ccopy>::call;
  static constexpr auto transpose = c::with_own<abax_ctranspose>::call;
  static constexpr auto conjugate_transpose = c::with_own<abax_cconjugate_transpose>::call;
};
template <>
struct interface<tile::complex<double>> {
  static constexpr auto gemm = c::with_own<abax_zgemm>::call;
  static constexpr auto gemm_integer = c::with_own<abax_zgemm_integer>::call;
  static constexpr auto gemm_batched = c::with_own<abax_zgemm_batched>::call;
  static constexpr auto gemmt = c::with_own<abax_zgemmt>::call;
  static constexpr auto syrk = c::with_own<abax_zsyrk>::call;
  static constexpr auto herk = c::with_own<abax_zherk>::call;
  static constexpr auto gemv = c::with_own<abax_zgemv>::call;
  static constexpr auto dot = c::with_own<abax_zdotu>::call;
  static constexpr auto dotc = c::with_own<abax_zdotc>::call;
  static constexpr auto nrm2 = c::with_own<abax_dznrm2>::call;
  static constexpr auto asum = c::with_own<abax_dzasum>::call;
  static constexpr auto iamax = c::with_own<abax_izamax>::call;
  static constexpr auto axpby = c::with_own<abax_zaxpby>::call;
  static constexpr auto scal = c::with_own<abax_zscal>::call;
  static constexpr auto scal_by_real = c::with_own<abax_zdscal>::call;
  static constexpr auto copy = c::with_own<abax_zcopy>::call;
  static constexpr auto transpose = c::with_own<abax_ztranspose>::call;
  static constexpr auto conjugate_transpose = c::with_own<abax_zconjugate_transpose>::call;
};

/// C <- alpha op(A) op(B) + beta C, column-major. What is `turned` is computed as the product by rows that lies there:
/// of complex numbers a term's products come in its order.
template <class T>
abax_status gemm_by_columns(abax_stream* stream, bool turned, char trans_a, char trans_b, std::int64_t m,
                            std::int64_t n, std::int64_t k, T alpha, const T* a, std::int64_t lda, const T* b,
                            std::int64_t ldb, T beta, T* c, std::int64_t ldc) {
  return turned ? interface<T>::gemm(stream, trans_b, trans_a, n, m, k, alpha, b, ldb, 1, a, lda, 1, beta, c, ldc, 1)
                : interface<T>::gemm(stream, trans_a, trans_b, m, n, k, alpha, a, 1, lda, b, 1, ldb, beta, c, 1, ldc);
}

}  // namespace abax::blas

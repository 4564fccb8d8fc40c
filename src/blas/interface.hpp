// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The kernels by type: of real numbers abax.h's functions, of complex ones functions with the same arguments, whose
/// streams are the host's.
#include <cstdint>

#include "abax/abax.h"
#include "abax/detail/tile/complex_value.hpp"

namespace abax::blas {

template <class T>
struct interface;
template <>
struct interface<float> {
  static constexpr auto gemm = abax_sgemm;
  static constexpr auto gemm_integer = abax_sgemm_integer;
  static constexpr auto gemm_batched = abax_sgemm_batched;
  static constexpr auto gemm_batched_at = abax_sgemm_batched_at;
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
  static constexpr auto gemm_batched_at = abax_dgemm_batched_at;
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

/// `trans` may be 'N', 'T' or 'C'.
template <class Real>
struct interface<tile::complex<Real>> {
  using T = tile::complex<Real>;
  using index = std::int64_t;
  static abax_status gemm(abax_stream*, char trans_a, char trans_b, index m, index n, index k, T alpha, const T* a,
                          index rs_a, index cs_a, const T* b, index rs_b, index cs_b, T beta, T* c, index rs_c,
                          index cs_c);
  static abax_status gemm_batched(abax_stream*, char trans_a, char trans_b, index items, index m, index n, index k,
                                  T alpha, const T* a, index is_a, index rs_a, index cs_a, const T* b, index is_b,
                                  index rs_b, index cs_b, T beta, T* c, index is_c, index rs_c, index cs_c);
  /// Unlike abax.h's also by rows: terms are made in the caller's order.
  static abax_status gemm_batched_at(abax_stream*, bool by_rows, char trans_a, char trans_b, index items, index m,
                                     index n, index k, T alpha, const T* const* a, index lda, const T* const* b,
                                     index ldb, T beta, T* const* c, index ldc);
  static abax_status gemmt(abax_stream*, char uplo, char trans_a, char trans_b, index n, index k, T alpha, const T* a,
                           index rs_a, index cs_a, const T* b, index rs_b, index cs_b, T beta, T* c, index rs_c,
                           index cs_c);
  static abax_status syrk(abax_stream*, char uplo, char trans, index n, index k, T alpha, const T* a, index rs_a,
                          index cs_a, T beta, T* c, index rs_c, index cs_c);
  static abax_status herk(abax_stream*, char uplo, char trans, index n, index k, Real alpha, const T* a, index rs_a,
                          index cs_a, Real beta, T* c, index rs_c, index cs_c);
  static abax_status gemv(abax_stream*, char trans, index m, index n, T alpha, const T* a, index rs_a, index cs_a,
                          const T* x, index incx, T beta, T* y, index incy);
  static abax_status dot(abax_stream*, bool conjugated, index n, const T* x, index incx, const T* y, index incy,
                         T* result);
  static abax_status nrm2(abax_stream*, index n, const T* x, index incx, Real* result);
  static abax_status asum(abax_stream*, index n, const T* x, index incx, Real* result);
  static abax_status iamax(abax_stream*, index n, const T* x, index incx, index* result);
  static abax_status axpby(abax_stream*, index n, T alpha, const T* x, index incx, T beta, T* y, index incy);
  static abax_status scal(abax_stream*, index n, T* y, index incy, T alpha, const T* x, index incx);
  /// Both parts times the factor.
  static abax_status scal(abax_stream*, index n, T* y, index incy, Real alpha, const T* x, index incx);
  static abax_status copy(abax_stream*, index n, const T* x, index incx, T* y, index incy);
  static abax_status transpose(abax_stream*, bool conjugated, index m, index n, const T* a, index rs_a, index cs_a,
                               T* b, index rs_b, index cs_b);
};

}  // namespace abax::blas

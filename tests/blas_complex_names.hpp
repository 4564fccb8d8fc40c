// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// libabax_blas' names of complex numbers, as blas_names.hpp has those of real ones.
#include <Kokkos_Complex.hpp>

#include "blas_names.hpp"

namespace abax::tests {

using c32 = Kokkos::complex<float>;
using c64 = Kokkos::complex<double>;
// What Fortran's functions return.
__extension__ typedef _Complex float fortran_c32;
__extension__ typedef _Complex double fortran_c64;

extern "C" {

void cgemm_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*, const c32*,
            const c32*, const std::int32_t*, const c32*, const std::int32_t*, const c32*, c32*, const std::int32_t*);
void cgemm_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*, const c32*,
               const c32*, const std::int64_t*, const c32*, const std::int64_t*, const c32*, c32*, const std::int64_t*);
void zgemm_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*, const c64*,
            const c64*, const std::int32_t*, const c64*, const std::int32_t*, const c64*, c64*, const std::int32_t*);
void zgemm_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*, const c64*,
               const c64*, const std::int64_t*, const c64*, const std::int64_t*, const c64*, c64*, const std::int64_t*);
void cgemm_batch_strided_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*,
                          const c32*, const c32*, const std::int32_t*, const std::int32_t*, const c32*,
                          const std::int32_t*, const std::int32_t*, const c32*, c32*, const std::int32_t*,
                          const std::int32_t*, const std::int32_t*);
void cgemm_batch_strided_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*,
                             const c32*, const c32*, const std::int64_t*, const std::int64_t*, const c32*,
                             const std::int64_t*, const std::int64_t*, const c32*, c32*, const std::int64_t*,
                             const std::int64_t*, const std::int64_t*);
void zgemm_batch_strided_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*,
                          const c64*, const c64*, const std::int32_t*, const std::int32_t*, const c64*,
                          const std::int32_t*, const std::int32_t*, const c64*, c64*, const std::int32_t*,
                          const std::int32_t*, const std::int32_t*);
void zgemm_batch_strided_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*,
                             const c64*, const c64*, const std::int64_t*, const std::int64_t*, const c64*,
                             const std::int64_t*, const std::int64_t*, const c64*, c64*, const std::int64_t*,
                             const std::int64_t*, const std::int64_t*);
void cgemm_batch_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*, const c32*,
                  const c32* const*, const std::int32_t*, const c32* const*, const std::int32_t*, const c32*,
                  c32* const*, const std::int32_t*, const std::int32_t*, const std::int32_t*);
void cgemm_batch_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*,
                     const c32*, const c32* const*, const std::int64_t*, const c32* const*, const std::int64_t*,
                     const c32*, c32* const*, const std::int64_t*, const std::int64_t*, const std::int64_t*);
void zgemm_batch_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*, const c64*,
                  const c64* const*, const std::int32_t*, const c64* const*, const std::int32_t*, const c64*,
                  c64* const*, const std::int32_t*, const std::int32_t*, const std::int32_t*);
void zgemm_batch_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*,
                     const c64*, const c64* const*, const std::int64_t*, const c64* const*, const std::int64_t*,
                     const c64*, c64* const*, const std::int64_t*, const std::int64_t*, const std::int64_t*);
void cgemmt_(const char*, const char*, const char*, const std::int32_t*, const std::int32_t*, const c32*, const c32*,
             const std::int32_t*, const c32*, const std::int32_t*, const c32*, c32*, const std::int32_t*);
void cgemmt_64_(const char*, const char*, const char*, const std::int64_t*, const std::int64_t*, const c32*, const c32*,
                const std::int64_t*, const c32*, const std::int64_t*, const c32*, c32*, const std::int64_t*);
void zgemmt_(const char*, const char*, const char*, const std::int32_t*, const std::int32_t*, const c64*, const c64*,
             const std::int32_t*, const c64*, const std::int32_t*, const c64*, c64*, const std::int32_t*);
void zgemmt_64_(const char*, const char*, const char*, const std::int64_t*, const std::int64_t*, const c64*, const c64*,
                const std::int64_t*, const c64*, const std::int64_t*, const c64*, c64*, const std::int64_t*);
void cgemmtr_(const char*, const char*, const char*, const std::int32_t*, const std::int32_t*, const c32*, const c32*,
              const std::int32_t*, const c32*, const std::int32_t*, const c32*, c32*, const std::int32_t*);
void cgemmtr_64_(const char*, const char*, const char*, const std::int64_t*, const std::int64_t*, const c32*,
                 const c32*, const std::int64_t*, const c32*, const std::int64_t*, const c32*, c32*,
                 const std::int64_t*);
void zgemmtr_(const char*, const char*, const char*, const std::int32_t*, const std::int32_t*, const c64*, const c64*,
              const std::int32_t*, const c64*, const std::int32_t*, const c64*, c64*, const std::int32_t*);
void zgemmtr_64_(const char*, const char*, const char*, const std::int64_t*, const std::int64_t*, const c64*,
                 const c64*, const std::int64_t*, const c64*, const std::int64_t*, const c64*, c64*,
                 const std::int64_t*);
void csyrk_(const char*, const char*, const std::int32_t*, const std::int32_t*, const c32*, const c32*,
            const std::int32_t*, const c32*, c32*, const std::int32_t*);
void csyrk_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const c32*, const c32*,
               const std::int64_t*, const c32*, c32*, const std::int64_t*);
void zsyrk_(const char*, const char*, const std::int32_t*, const std::int32_t*, const c64*, const c64*,
            const std::int32_t*, const c64*, c64*, const std::int32_t*);
void zsyrk_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const c64*, const c64*,
               const std::int64_t*, const c64*, c64*, const std::int64_t*);
void cherk_(const char*, const char*, const std::int32_t*, const std::int32_t*, const float*, const c32*,
            const std::int32_t*, const float*, c32*, const std::int32_t*);
void cherk_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const float*, const c32*,
               const std::int64_t*, const float*, c32*, const std::int64_t*);
void zherk_(const char*, const char*, const std::int32_t*, const std::int32_t*, const double*, const c64*,
            const std::int32_t*, const double*, c64*, const std::int32_t*);
void zherk_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const double*, const c64*,
               const std::int64_t*, const double*, c64*, const std::int64_t*);
void cgemv_(const char*, const std::int32_t*, const std::int32_t*, const c32*, const c32*, const std::int32_t*,
            const c32*, const std::int32_t*, const c32*, c32*, const std::int32_t*);
void cgemv_64_(const char*, const std::int64_t*, const std::int64_t*, const c32*, const c32*, const std::int64_t*,
               const c32*, const std::int64_t*, const c32*, c32*, const std::int64_t*);
void zgemv_(const char*, const std::int32_t*, const std::int32_t*, const c64*, const c64*, const std::int32_t*,
            const c64*, const std::int32_t*, const c64*, c64*, const std::int32_t*);
void zgemv_64_(const char*, const std::int64_t*, const std::int64_t*, const c64*, const c64*, const std::int64_t*,
               const c64*, const std::int64_t*, const c64*, c64*, const std::int64_t*);
float scnrm2_(const std::int32_t*, const c32*, const std::int32_t*);
float scnrm2_64_(const std::int64_t*, const c32*, const std::int64_t*);
double dznrm2_(const std::int32_t*, const c64*, const std::int32_t*);
double dznrm2_64_(const std::int64_t*, const c64*, const std::int64_t*);
float scasum_(const std::int32_t*, const c32*, const std::int32_t*);
float scasum_64_(const std::int64_t*, const c32*, const std::int64_t*);
double dzasum_(const std::int32_t*, const c64*, const std::int32_t*);
double dzasum_64_(const std::int64_t*, const c64*, const std::int64_t*);
std::int32_t icamax_(const std::int32_t*, const c32*, const std::int32_t*);
std::int64_t icamax_64_(const std::int64_t*, const c32*, const std::int64_t*);
std::int32_t izamax_(const std::int32_t*, const c64*, const std::int32_t*);
std::int64_t izamax_64_(const std::int64_t*, const c64*, const std::int64_t*);
void caxpy_(const std::int32_t*, const c32*, const c32*, const std::int32_t*, c32*, const std::int32_t*);
void caxpy_64_(const std::int64_t*, const c32*, const c32*, const std::int64_t*, c32*, const std::int64_t*);
void zaxpy_(const std::int32_t*, const c64*, const c64*, const std::int32_t*, c64*, const std::int32_t*);
void zaxpy_64_(const std::int64_t*, const c64*, const c64*, const std::int64_t*, c64*, const std::int64_t*);
void cscal_(const std::int32_t*, const c32*, c32*, const std::int32_t*);
void cscal_64_(const std::int64_t*, const c32*, c32*, const std::int64_t*);
void zscal_(const std::int32_t*, const c64*, c64*, const std::int32_t*);
void zscal_64_(const std::int64_t*, const c64*, c64*, const std::int64_t*);
void csscal_(const std::int32_t*, const float*, c32*, const std::int32_t*);
void csscal_64_(const std::int64_t*, const float*, c32*, const std::int64_t*);
void zdscal_(const std::int32_t*, const double*, c64*, const std::int32_t*);
void zdscal_64_(const std::int64_t*, const double*, c64*, const std::int64_t*);
void ccopy_(const std::int32_t*, const c32*, const std::int32_t*, c32*, const std::int32_t*);
void ccopy_64_(const std::int64_t*, const c32*, const std::int64_t*, c32*, const std::int64_t*);
void zcopy_(const std::int32_t*, const c64*, const std::int32_t*, c64*, const std::int32_t*);
void zcopy_64_(const std::int64_t*, const c64*, const std::int64_t*, c64*, const std::int64_t*);
void comatcopy_(const char*, const char*, const std::int32_t*, const std::int32_t*, const c32*, const c32*,
                const std::int32_t*, c32*, const std::int32_t*);
void comatcopy_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const c32*, const c32*,
                   const std::int64_t*, c32*, const std::int64_t*);
void zomatcopy_(const char*, const char*, const std::int32_t*, const std::int32_t*, const c64*, const c64*,
                const std::int32_t*, c64*, const std::int32_t*);
void zomatcopy_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const c64*, const c64*,
                   const std::int64_t*, c64*, const std::int64_t*);
#if ABAX_BLAS_F2C  // the option that says where results go
void cdotu_(c32*, const std::int32_t*, const c32*, const std::int32_t*, const c32*, const std::int32_t*);
void cdotu_64_(c32*, const std::int64_t*, const c32*, const std::int64_t*, const c32*, const std::int64_t*);
void cdotc_(c32*, const std::int32_t*, const c32*, const std::int32_t*, const c32*, const std::int32_t*);
void cdotc_64_(c32*, const std::int64_t*, const c32*, const std::int64_t*, const c32*, const std::int64_t*);
void zdotu_(c64*, const std::int32_t*, const c64*, const std::int32_t*, const c64*, const std::int32_t*);
void zdotu_64_(c64*, const std::int64_t*, const c64*, const std::int64_t*, const c64*, const std::int64_t*);
void zdotc_(c64*, const std::int32_t*, const c64*, const std::int32_t*, const c64*, const std::int32_t*);
void zdotc_64_(c64*, const std::int64_t*, const c64*, const std::int64_t*, const c64*, const std::int64_t*);
#else
fortran_c32 cdotu_(const std::int32_t*, const c32*, const std::int32_t*, const c32*, const std::int32_t*);
fortran_c32 cdotu_64_(const std::int64_t*, const c32*, const std::int64_t*, const c32*, const std::int64_t*);
fortran_c32 cdotc_(const std::int32_t*, const c32*, const std::int32_t*, const c32*, const std::int32_t*);
fortran_c32 cdotc_64_(const std::int64_t*, const c32*, const std::int64_t*, const c32*, const std::int64_t*);
fortran_c64 zdotu_(const std::int32_t*, const c64*, const std::int32_t*, const c64*, const std::int32_t*);
fortran_c64 zdotu_64_(const std::int64_t*, const c64*, const std::int64_t*, const c64*, const std::int64_t*);
fortran_c64 zdotc_(const std::int32_t*, const c64*, const std::int32_t*, const c64*, const std::int32_t*);
fortran_c64 zdotc_64_(const std::int64_t*, const c64*, const std::int64_t*, const c64*, const std::int64_t*);
#endif

}  // extern "C"

/// Every name by type and width of integers.
template <class T, class Int>
struct complex_blas;
template <>
struct complex_blas<c32, std::int32_t> {
  using value = c32;
  using real = c32::value_type;
  using integer = std::int32_t;
  static constexpr auto gemm = cgemm_;
  static constexpr auto gemm_batch_strided = cgemm_batch_strided_;
  static constexpr auto gemm_batch = cgemm_batch_;
  static constexpr auto gemmt = cgemmt_;
  static constexpr auto gemmtr = cgemmtr_;
  static constexpr auto syrk = csyrk_;
  static constexpr auto herk = cherk_;
  static constexpr auto gemv = cgemv_;
  static constexpr auto dotu = cdotu_;
  static constexpr auto dotc = cdotc_;
  static constexpr auto axpy = caxpy_;
  static constexpr auto scal = cscal_;
  static constexpr auto copy = ccopy_;
  static constexpr auto omatcopy = comatcopy_;
  static constexpr auto nrm2 = scnrm2_;
  static constexpr auto asum = scasum_;
  static constexpr auto iamax = icamax_;
  static constexpr auto scal_real = csscal_;
  static constexpr auto cblas_gemm = ::cblas_cgemm;
  static constexpr auto cblas_gemm_batch_strided = ::cblas_cgemm_batch_strided;
  static constexpr auto cblas_gemm_batch = ::cblas_cgemm_batch;
  static constexpr auto cblas_gemmt = ::cblas_cgemmt;
  static constexpr auto cblas_gemmtr = ::cblas_cgemmtr;
  static constexpr auto cblas_syrk = ::cblas_csyrk;
  static constexpr auto cblas_herk = ::cblas_cherk;
  static constexpr auto cblas_gemv = ::cblas_cgemv;
  static constexpr auto cblas_dotu = ::cblas_cdotu_sub;
  static constexpr auto cblas_dotc = ::cblas_cdotc_sub;
  static constexpr auto cblas_axpy = ::cblas_caxpy;
  static constexpr auto cblas_scal = ::cblas_cscal;
  static constexpr auto cblas_copy = ::cblas_ccopy;
  static constexpr auto cblas_omatcopy = ::cblas_comatcopy;
  static constexpr auto cblas_nrm2 = ::cblas_scnrm2;
  static constexpr auto cblas_asum = ::cblas_scasum;
  static constexpr auto cblas_iamax = ::cblas_icamax;
  static constexpr auto cblas_scal_real = ::cblas_csscal;
  static constexpr char letter = 'C';
};
template <>
struct complex_blas<c32, std::int64_t> {
  using value = c32;
  using real = c32::value_type;
  using integer = std::int64_t;
  static constexpr auto gemm = cgemm_64_;
  static constexpr auto gemm_batch_strided = cgemm_batch_strided_64_;
  static constexpr auto gemm_batch = cgemm_batch_64_;
  static constexpr auto gemmt = cgemmt_64_;
  static constexpr auto gemmtr = cgemmtr_64_;
  static constexpr auto syrk = csyrk_64_;
  static constexpr auto herk = cherk_64_;
  static constexpr auto gemv = cgemv_64_;
  static constexpr auto dotu = cdotu_64_;
  static constexpr auto dotc = cdotc_64_;
  static constexpr auto axpy = caxpy_64_;
  static constexpr auto scal = cscal_64_;
  static constexpr auto copy = ccopy_64_;
  static constexpr auto omatcopy = comatcopy_64_;
  static constexpr auto nrm2 = scnrm2_64_;
  static constexpr auto asum = scasum_64_;
  static constexpr auto iamax = icamax_64_;
  static constexpr auto scal_real = csscal_64_;
  static constexpr auto cblas_gemm = ::cblas_cgemm_64;
  static constexpr auto cblas_gemm_batch_strided = ::cblas_cgemm_batch_strided_64;
  static constexpr auto cblas_gemm_batch = ::cblas_cgemm_batch_64;
  static constexpr auto cblas_gemmt = ::cblas_cgemmt_64;
  static constexpr auto cblas_gemmtr = ::cblas_cgemmtr_64;
  static constexpr auto cblas_syrk = ::cblas_csyrk_64;
  static constexpr auto cblas_herk = ::cblas_cherk_64;
  static constexpr auto cblas_gemv = ::cblas_cgemv_64;
  static constexpr auto cblas_dotu = ::cblas_cdotu_sub_64;
  static constexpr auto cblas_dotc = ::cblas_cdotc_sub_64;
  static constexpr auto cblas_axpy = ::cblas_caxpy_64;
  static constexpr auto cblas_scal = ::cblas_cscal_64;
  static constexpr auto cblas_copy = ::cblas_ccopy_64;
  static constexpr auto cblas_omatcopy = ::cblas_comatcopy_64;
  static constexpr auto cblas_nrm2 = ::cblas_scnrm2_64;
  static constexpr auto cblas_asum = ::cblas_scasum_64;
  static constexpr auto cblas_iamax = ::cblas_icamax_64;
  static constexpr auto cblas_scal_real = ::cblas_csscal_64;
  static constexpr char letter = 'C';
};
template <>
struct complex_blas<c64, std::int32_t> {
  using value = c64;
  using real = c64::value_type;
  using integer = std::int32_t;
  static constexpr auto gemm = zgemm_;
  static constexpr auto gemm_batch_strided = zgemm_batch_strided_;
  static constexpr auto gemm_batch = zgemm_batch_;
  static constexpr auto gemmt = zgemmt_;
  static constexpr auto gemmtr = zgemmtr_;
  static constexpr auto syrk = zsyrk_;
  static constexpr auto herk = zherk_;
  static constexpr auto gemv = zgemv_;
  static constexpr auto dotu = zdotu_;
  static constexpr auto dotc = zdotc_;
  static constexpr auto axpy = zaxpy_;
  static constexpr auto scal = zscal_;
  static constexpr auto copy = zcopy_;
  static constexpr auto omatcopy = zomatcopy_;
  static constexpr auto nrm2 = dznrm2_;
  static constexpr auto asum = dzasum_;
  static constexpr auto iamax = izamax_;
  static constexpr auto scal_real = zdscal_;
  static constexpr auto cblas_gemm = ::cblas_zgemm;
  static constexpr auto cblas_gemm_batch_strided = ::cblas_zgemm_batch_strided;
  static constexpr auto cblas_gemm_batch = ::cblas_zgemm_batch;
  static constexpr auto cblas_gemmt = ::cblas_zgemmt;
  static constexpr auto cblas_gemmtr = ::cblas_zgemmtr;
  static constexpr auto cblas_syrk = ::cblas_zsyrk;
  static constexpr auto cblas_herk = ::cblas_zherk;
  static constexpr auto cblas_gemv = ::cblas_zgemv;
  static constexpr auto cblas_dotu = ::cblas_zdotu_sub;
  static constexpr auto cblas_dotc = ::cblas_zdotc_sub;
  static constexpr auto cblas_axpy = ::cblas_zaxpy;
  static constexpr auto cblas_scal = ::cblas_zscal;
  static constexpr auto cblas_copy = ::cblas_zcopy;
  static constexpr auto cblas_omatcopy = ::cblas_zomatcopy;
  static constexpr auto cblas_nrm2 = ::cblas_dznrm2;
  static constexpr auto cblas_asum = ::cblas_dzasum;
  static constexpr auto cblas_iamax = ::cblas_izamax;
  static constexpr auto cblas_scal_real = ::cblas_zdscal;
  static constexpr char letter = 'Z';
};
template <>
struct complex_blas<c64, std::int64_t> {
  using value = c64;
  using real = c64::value_type;
  using integer = std::int64_t;
  static constexpr auto gemm = zgemm_64_;
  static constexpr auto gemm_batch_strided = zgemm_batch_strided_64_;
  static constexpr auto gemm_batch = zgemm_batch_64_;
  static constexpr auto gemmt = zgemmt_64_;
  static constexpr auto gemmtr = zgemmtr_64_;
  static constexpr auto syrk = zsyrk_64_;
  static constexpr auto herk = zherk_64_;
  static constexpr auto gemv = zgemv_64_;
  static constexpr auto dotu = zdotu_64_;
  static constexpr auto dotc = zdotc_64_;
  static constexpr auto axpy = zaxpy_64_;
  static constexpr auto scal = zscal_64_;
  static constexpr auto copy = zcopy_64_;
  static constexpr auto omatcopy = zomatcopy_64_;
  static constexpr auto nrm2 = dznrm2_64_;
  static constexpr auto asum = dzasum_64_;
  static constexpr auto iamax = izamax_64_;
  static constexpr auto scal_real = zdscal_64_;
  static constexpr auto cblas_gemm = ::cblas_zgemm_64;
  static constexpr auto cblas_gemm_batch_strided = ::cblas_zgemm_batch_strided_64;
  static constexpr auto cblas_gemm_batch = ::cblas_zgemm_batch_64;
  static constexpr auto cblas_gemmt = ::cblas_zgemmt_64;
  static constexpr auto cblas_gemmtr = ::cblas_zgemmtr_64;
  static constexpr auto cblas_syrk = ::cblas_zsyrk_64;
  static constexpr auto cblas_herk = ::cblas_zherk_64;
  static constexpr auto cblas_gemv = ::cblas_zgemv_64;
  static constexpr auto cblas_dotu = ::cblas_zdotu_sub_64;
  static constexpr auto cblas_dotc = ::cblas_zdotc_sub_64;
  static constexpr auto cblas_axpy = ::cblas_zaxpy_64;
  static constexpr auto cblas_scal = ::cblas_zscal_64;
  static constexpr auto cblas_copy = ::cblas_zcopy_64;
  static constexpr auto cblas_omatcopy = ::cblas_zomatcopy_64;
  static constexpr auto cblas_nrm2 = ::cblas_dznrm2_64;
  static constexpr auto cblas_asum = ::cblas_dzasum_64;
  static constexpr auto cblas_iamax = ::cblas_izamax_64;
  static constexpr auto cblas_scal_real = ::cblas_zdscal_64;
  static constexpr char letter = 'Z';
};

}  // namespace abax::tests

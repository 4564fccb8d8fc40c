// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// libabax_blas' names of real numbers as Fortran and C call them, by type and width of integers, and what the
/// program's own xerbla functions (blas_errors.cpp) were told last.
#include <abax/cblas.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace abax::tests {

struct complaint {
  std::string routine;
  std::int64_t info = 0;  ///< 0: nothing was told
};
inline complaint last;
/// RowMajorStrg when cblas_xerbla was told.
inline int row_major_within = 0;

inline std::int64_t taken() { return std::exchange(last, {}).info; }

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0;
}

}  // namespace abax::tests

extern "C" {

void sgemm_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*, const float*,
            const float*, const std::int32_t*, const float*, const std::int32_t*, const float*, float*,
            const std::int32_t*);
void sgemm_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*, const float*,
               const float*, const std::int64_t*, const float*, const std::int64_t*, const float*, float*,
               const std::int64_t*);
void dgemm_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*, const double*,
            const double*, const std::int32_t*, const double*, const std::int32_t*, const double*, double*,
            const std::int32_t*);
void dgemm_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*, const double*,
               const double*, const std::int64_t*, const double*, const std::int64_t*, const double*, double*,
               const std::int64_t*);
void sgemm_batch_strided_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*,
                          const float*, const float*, const std::int32_t*, const std::int32_t*, const float*,
                          const std::int32_t*, const std::int32_t*, const float*, float*, const std::int32_t*,
                          const std::int32_t*, const std::int32_t*);
void sgemm_batch_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*, const float*,
                  const float* const*, const std::int32_t*, const float* const*, const std::int32_t*, const float*,
                  float* const*, const std::int32_t*, const std::int32_t*, const std::int32_t*);
void sgemm_batch_strided_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*,
                             const float*, const float*, const std::int64_t*, const std::int64_t*, const float*,
                             const std::int64_t*, const std::int64_t*, const float*, float*, const std::int64_t*,
                             const std::int64_t*, const std::int64_t*);
void sgemm_batch_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*,
                     const float*, const float* const*, const std::int64_t*, const float* const*, const std::int64_t*,
                     const float*, float* const*, const std::int64_t*, const std::int64_t*, const std::int64_t*);
void dgemm_batch_strided_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*,
                          const double*, const double*, const std::int32_t*, const std::int32_t*, const double*,
                          const std::int32_t*, const std::int32_t*, const double*, double*, const std::int32_t*,
                          const std::int32_t*, const std::int32_t*);
void dgemm_batch_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*,
                  const double*, const double* const*, const std::int32_t*, const double* const*, const std::int32_t*,
                  const double*, double* const*, const std::int32_t*, const std::int32_t*, const std::int32_t*);
void dgemm_batch_strided_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*,
                             const double*, const double*, const std::int64_t*, const std::int64_t*, const double*,
                             const std::int64_t*, const std::int64_t*, const double*, double*, const std::int64_t*,
                             const std::int64_t*, const std::int64_t*);
void dgemm_batch_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*,
                     const double*, const double* const*, const std::int64_t*, const double* const*,
                     const std::int64_t*, const double*, double* const*, const std::int64_t*, const std::int64_t*,
                     const std::int64_t*);
void sgemmt_(const char*, const char*, const char*, const std::int32_t*, const std::int32_t*, const float*,
             const float*, const std::int32_t*, const float*, const std::int32_t*, const float*, float*,
             const std::int32_t*);
void sgemmtr_(const char*, const char*, const char*, const std::int32_t*, const std::int32_t*, const float*,
              const float*, const std::int32_t*, const float*, const std::int32_t*, const float*, float*,
              const std::int32_t*);
void ssyrk_(const char*, const char*, const std::int32_t*, const std::int32_t*, const float*, const float*,
            const std::int32_t*, const float*, float*, const std::int32_t*);
void sgemmt_64_(const char*, const char*, const char*, const std::int64_t*, const std::int64_t*, const float*,
                const float*, const std::int64_t*, const float*, const std::int64_t*, const float*, float*,
                const std::int64_t*);
void sgemmtr_64_(const char*, const char*, const char*, const std::int64_t*, const std::int64_t*, const float*,
                 const float*, const std::int64_t*, const float*, const std::int64_t*, const float*, float*,
                 const std::int64_t*);
void ssyrk_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const float*, const float*,
               const std::int64_t*, const float*, float*, const std::int64_t*);
void dgemmt_(const char*, const char*, const char*, const std::int32_t*, const std::int32_t*, const double*,
             const double*, const std::int32_t*, const double*, const std::int32_t*, const double*, double*,
             const std::int32_t*);
void dgemmtr_(const char*, const char*, const char*, const std::int32_t*, const std::int32_t*, const double*,
              const double*, const std::int32_t*, const double*, const std::int32_t*, const double*, double*,
              const std::int32_t*);
void dsyrk_(const char*, const char*, const std::int32_t*, const std::int32_t*, const double*, const double*,
            const std::int32_t*, const double*, double*, const std::int32_t*);
void dgemmt_64_(const char*, const char*, const char*, const std::int64_t*, const std::int64_t*, const double*,
                const double*, const std::int64_t*, const double*, const std::int64_t*, const double*, double*,
                const std::int64_t*);
void dgemmtr_64_(const char*, const char*, const char*, const std::int64_t*, const std::int64_t*, const double*,
                 const double*, const std::int64_t*, const double*, const std::int64_t*, const double*, double*,
                 const std::int64_t*);
void dsyrk_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const double*, const double*,
               const std::int64_t*, const double*, double*, const std::int64_t*);
void sgemv_(const char*, const std::int32_t*, const std::int32_t*, const float*, const float*, const std::int32_t*,
            const float*, const std::int32_t*, const float*, float*, const std::int32_t*);
void sgemv_64_(const char*, const std::int64_t*, const std::int64_t*, const float*, const float*, const std::int64_t*,
               const float*, const std::int64_t*, const float*, float*, const std::int64_t*);
void dgemv_(const char*, const std::int32_t*, const std::int32_t*, const double*, const double*, const std::int32_t*,
            const double*, const std::int32_t*, const double*, double*, const std::int32_t*);
void dgemv_64_(const char*, const std::int64_t*, const std::int64_t*, const double*, const double*, const std::int64_t*,
               const double*, const std::int64_t*, const double*, double*, const std::int64_t*);
float sdot_(const std::int32_t*, const float*, const std::int32_t*, const float*, const std::int32_t*);
float sdot_64_(const std::int64_t*, const float*, const std::int64_t*, const float*, const std::int64_t*);
double ddot_(const std::int32_t*, const double*, const std::int32_t*, const double*, const std::int32_t*);
double ddot_64_(const std::int64_t*, const double*, const std::int64_t*, const double*, const std::int64_t*);
float snrm2_(const std::int32_t*, const float*, const std::int32_t*);
float snrm2_64_(const std::int64_t*, const float*, const std::int64_t*);
float sasum_(const std::int32_t*, const float*, const std::int32_t*);
float sasum_64_(const std::int64_t*, const float*, const std::int64_t*);
std::int32_t isamax_(const std::int32_t*, const float*, const std::int32_t*);
std::int64_t isamax_64_(const std::int64_t*, const float*, const std::int64_t*);
double dnrm2_(const std::int32_t*, const double*, const std::int32_t*);
double dnrm2_64_(const std::int64_t*, const double*, const std::int64_t*);
double dasum_(const std::int32_t*, const double*, const std::int32_t*);
double dasum_64_(const std::int64_t*, const double*, const std::int64_t*);
std::int32_t idamax_(const std::int32_t*, const double*, const std::int32_t*);
std::int64_t idamax_64_(const std::int64_t*, const double*, const std::int64_t*);
void saxpy_(const std::int32_t*, const float*, const float*, const std::int32_t*, float*, const std::int32_t*);
void saxpy_64_(const std::int64_t*, const float*, const float*, const std::int64_t*, float*, const std::int64_t*);
void daxpy_(const std::int32_t*, const double*, const double*, const std::int32_t*, double*, const std::int32_t*);
void daxpy_64_(const std::int64_t*, const double*, const double*, const std::int64_t*, double*, const std::int64_t*);
void sscal_(const std::int32_t*, const float*, float*, const std::int32_t*);
void sscal_64_(const std::int64_t*, const float*, float*, const std::int64_t*);
void dscal_(const std::int32_t*, const double*, double*, const std::int32_t*);
void dscal_64_(const std::int64_t*, const double*, double*, const std::int64_t*);
void scopy_(const std::int32_t*, const float*, const std::int32_t*, float*, const std::int32_t*);
void scopy_64_(const std::int64_t*, const float*, const std::int64_t*, float*, const std::int64_t*);
void dcopy_(const std::int32_t*, const double*, const std::int32_t*, double*, const std::int32_t*);
void dcopy_64_(const std::int64_t*, const double*, const std::int64_t*, double*, const std::int64_t*);
void somatcopy_(const char*, const char*, const std::int32_t*, const std::int32_t*, const float*, const float*,
                const std::int32_t*, float*, const std::int32_t*);
void somatcopy_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const float*, const float*,
                   const std::int64_t*, float*, const std::int64_t*);
void domatcopy_(const char*, const char*, const std::int32_t*, const std::int32_t*, const double*, const double*,
                const std::int32_t*, double*, const std::int32_t*);
void domatcopy_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const double*, const double*,
                   const std::int64_t*, double*, const std::int64_t*);

}  // extern "C"

namespace abax::tests {

/// Every name by type and width of integers.
template <class T, class Int>
struct blas;
template <>
struct blas<float, std::int32_t> {
  using value = float;
  using integer = std::int32_t;
  static constexpr auto gemm = sgemm_;
  static constexpr auto gemm_batch_strided = sgemm_batch_strided_;
  static constexpr auto gemm_batch = sgemm_batch_;
  static constexpr auto gemmt = sgemmt_;
  static constexpr auto gemmtr = sgemmtr_;
  static constexpr auto syrk = ssyrk_;
  static constexpr auto gemv = sgemv_;
  static constexpr auto dot = sdot_;
  static constexpr auto nrm2 = snrm2_;
  static constexpr auto asum = sasum_;
  static constexpr auto iamax = isamax_;
  static constexpr auto axpy = saxpy_;
  static constexpr auto scal = sscal_;
  static constexpr auto copy = scopy_;
  static constexpr auto omatcopy = somatcopy_;
  static constexpr auto cblas_gemm = ::cblas_sgemm;
  static constexpr auto cblas_gemm_batch_strided = ::cblas_sgemm_batch_strided;
  static constexpr auto cblas_gemm_batch = ::cblas_sgemm_batch;
  static constexpr auto cblas_gemmt = ::cblas_sgemmt;
  static constexpr auto cblas_gemmtr = ::cblas_sgemmtr;
  static constexpr auto cblas_syrk = ::cblas_ssyrk;
  static constexpr auto cblas_gemv = ::cblas_sgemv;
  static constexpr auto cblas_dot = ::cblas_sdot;
  static constexpr auto cblas_nrm2 = ::cblas_snrm2;
  static constexpr auto cblas_asum = ::cblas_sasum;
  static constexpr auto cblas_iamax = ::cblas_isamax;
  static constexpr auto cblas_axpy = ::cblas_saxpy;
  static constexpr auto cblas_scal = ::cblas_sscal;
  static constexpr auto cblas_copy = ::cblas_scopy;
  static constexpr auto cblas_omatcopy = ::cblas_somatcopy;
  static constexpr char letter = 'S';
  static std::string c_name(const char* routine) { return std::string("cblas_s") + routine; }
};
template <>
struct blas<float, std::int64_t> {
  using value = float;
  using integer = std::int64_t;
  static constexpr auto gemm = sgemm_64_;
  static constexpr auto gemm_batch_strided = sgemm_batch_strided_64_;
  static constexpr auto gemm_batch = sgemm_batch_64_;
  static constexpr auto gemmt = sgemmt_64_;
  static constexpr auto gemmtr = sgemmtr_64_;
  static constexpr auto syrk = ssyrk_64_;
  static constexpr auto gemv = sgemv_64_;
  static constexpr auto dot = sdot_64_;
  static constexpr auto nrm2 = snrm2_64_;
  static constexpr auto asum = sasum_64_;
  static constexpr auto iamax = isamax_64_;
  static constexpr auto axpy = saxpy_64_;
  static constexpr auto scal = sscal_64_;
  static constexpr auto copy = scopy_64_;
  static constexpr auto omatcopy = somatcopy_64_;
  static constexpr auto cblas_gemm = ::cblas_sgemm_64;
  static constexpr auto cblas_gemm_batch_strided = ::cblas_sgemm_batch_strided_64;
  static constexpr auto cblas_gemm_batch = ::cblas_sgemm_batch_64;
  static constexpr auto cblas_gemmt = ::cblas_sgemmt_64;
  static constexpr auto cblas_gemmtr = ::cblas_sgemmtr_64;
  static constexpr auto cblas_syrk = ::cblas_ssyrk_64;
  static constexpr auto cblas_gemv = ::cblas_sgemv_64;
  static constexpr auto cblas_dot = ::cblas_sdot_64;
  static constexpr auto cblas_nrm2 = ::cblas_snrm2_64;
  static constexpr auto cblas_asum = ::cblas_sasum_64;
  static constexpr auto cblas_iamax = ::cblas_isamax_64;
  static constexpr auto cblas_axpy = ::cblas_saxpy_64;
  static constexpr auto cblas_scal = ::cblas_sscal_64;
  static constexpr auto cblas_copy = ::cblas_scopy_64;
  static constexpr auto cblas_omatcopy = ::cblas_somatcopy_64;
  static constexpr char letter = 'S';
  static std::string c_name(const char* routine) { return std::string("cblas_s") + routine; }
};
template <>
struct blas<double, std::int32_t> {
  using value = double;
  using integer = std::int32_t;
  static constexpr auto gemm = dgemm_;
  static constexpr auto gemm_batch_strided = dgemm_batch_strided_;
  static constexpr auto gemm_batch = dgemm_batch_;
  static constexpr auto gemmt = dgemmt_;
  static constexpr auto gemmtr = dgemmtr_;
  static constexpr auto syrk = dsyrk_;
  static constexpr auto gemv = dgemv_;
  static constexpr auto dot = ddot_;
  static constexpr auto nrm2 = dnrm2_;
  static constexpr auto asum = dasum_;
  static constexpr auto iamax = idamax_;
  static constexpr auto axpy = daxpy_;
  static constexpr auto scal = dscal_;
  static constexpr auto copy = dcopy_;
  static constexpr auto omatcopy = domatcopy_;
  static constexpr auto cblas_gemm = ::cblas_dgemm;
  static constexpr auto cblas_gemm_batch_strided = ::cblas_dgemm_batch_strided;
  static constexpr auto cblas_gemm_batch = ::cblas_dgemm_batch;
  static constexpr auto cblas_gemmt = ::cblas_dgemmt;
  static constexpr auto cblas_gemmtr = ::cblas_dgemmtr;
  static constexpr auto cblas_syrk = ::cblas_dsyrk;
  static constexpr auto cblas_gemv = ::cblas_dgemv;
  static constexpr auto cblas_dot = ::cblas_ddot;
  static constexpr auto cblas_nrm2 = ::cblas_dnrm2;
  static constexpr auto cblas_asum = ::cblas_dasum;
  static constexpr auto cblas_iamax = ::cblas_idamax;
  static constexpr auto cblas_axpy = ::cblas_daxpy;
  static constexpr auto cblas_scal = ::cblas_dscal;
  static constexpr auto cblas_copy = ::cblas_dcopy;
  static constexpr auto cblas_omatcopy = ::cblas_domatcopy;
  static constexpr char letter = 'D';
  static std::string c_name(const char* routine) { return std::string("cblas_d") + routine; }
};
template <>
struct blas<double, std::int64_t> {
  using value = double;
  using integer = std::int64_t;
  static constexpr auto gemm = dgemm_64_;
  static constexpr auto gemm_batch_strided = dgemm_batch_strided_64_;
  static constexpr auto gemm_batch = dgemm_batch_64_;
  static constexpr auto gemmt = dgemmt_64_;
  static constexpr auto gemmtr = dgemmtr_64_;
  static constexpr auto syrk = dsyrk_64_;
  static constexpr auto gemv = dgemv_64_;
  static constexpr auto dot = ddot_64_;
  static constexpr auto nrm2 = dnrm2_64_;
  static constexpr auto asum = dasum_64_;
  static constexpr auto iamax = idamax_64_;
  static constexpr auto axpy = daxpy_64_;
  static constexpr auto scal = dscal_64_;
  static constexpr auto copy = dcopy_64_;
  static constexpr auto omatcopy = domatcopy_64_;
  static constexpr auto cblas_gemm = ::cblas_dgemm_64;
  static constexpr auto cblas_gemm_batch_strided = ::cblas_dgemm_batch_strided_64;
  static constexpr auto cblas_gemm_batch = ::cblas_dgemm_batch_64;
  static constexpr auto cblas_gemmt = ::cblas_dgemmt_64;
  static constexpr auto cblas_gemmtr = ::cblas_dgemmtr_64;
  static constexpr auto cblas_syrk = ::cblas_dsyrk_64;
  static constexpr auto cblas_gemv = ::cblas_dgemv_64;
  static constexpr auto cblas_dot = ::cblas_ddot_64;
  static constexpr auto cblas_nrm2 = ::cblas_dnrm2_64;
  static constexpr auto cblas_asum = ::cblas_dasum_64;
  static constexpr auto cblas_iamax = ::cblas_idamax_64;
  static constexpr auto cblas_axpy = ::cblas_daxpy_64;
  static constexpr auto cblas_scal = ::cblas_dscal_64;
  static constexpr auto cblas_copy = ::cblas_dcopy_64;
  static constexpr auto cblas_omatcopy = ::cblas_domatcopy_64;
  static constexpr char letter = 'D';
  static std::string c_name(const char* routine) { return std::string("cblas_d") + routine; }
};

using s32 = blas<float, std::int32_t>;
using d32 = blas<double, std::int32_t>;
using s64 = blas<float, std::int64_t>;
using d64 = blas<double, std::int64_t>;

}  // namespace abax::tests

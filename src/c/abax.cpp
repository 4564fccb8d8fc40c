// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The C interface: its streams, and its functions of real numbers.
#include "abax/abax.h"

#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "at_once.hpp"
#include "calls.hpp"

namespace abax::c {
namespace {

/// The instance of the device that works on the native stream `queue`; Kokkos' own if there is none.
template <class Device>
Device device_on(void* queue) {
  if (queue == nullptr) return Device();
  if constexpr (requires { Device(static_cast<decltype(Device().cuda_stream())>(queue)); })
    return Device(static_cast<decltype(Device().cuda_stream())>(queue));
  throw invalid_argument("abax_open: this device takes no native stream");
}

space space_at(abax_place place, void* queue) {
  if (place == ABAX_HOST) {
    if (queue != nullptr) throw invalid_argument("abax_open: the host has no native stream, expected null");
    return host();
  }
  if constexpr (has_device) return device_on<device>(queue);
  throw resource_error("abax_open: this build has no device");
}

}  // namespace

template <class T>
bool multiply_at_once([[maybe_unused]] bool in_place, [[maybe_unused]] openmp::direct_product<T>&& product) {
#ifdef KOKKOS_ENABLE_OPENMP
  if (openmp::has_few_rows<T>(product.m) && openmp::lanes_are_columns(openmp::kernels<T>().lanes, product.m, product.n,
                                                                      product.k, in_place, product.stride_b == 1))
    return false;
  try {
    openmp::run_directly<T>("abax::gemm", host(), in_place, std::move(product));
    return true;
  } catch (const std::exception&) {  // abax.h says what
    return false;
  }
#else
  return false;
#endif
}
template <class T>
bool multiply_at_once([[maybe_unused]] const openmp::direct_vector_product<T>& product) {
#ifdef KOKKOS_ENABLE_OPENMP
  try {
    openmp::run_directly<T>("abax::gemv", host(), product);
    return true;
  } catch (const std::exception&) {
    return false;
  }
#else
  return false;
#endif
}
/// Reductions likewise, where they are small.
template <class Kernel>
bool reduces_at_once([[maybe_unused]] const Kernel& kernel, [[maybe_unused]] typename Kernel::result_type* result) {
#ifdef KOKKOS_ENABLE_OPENMP
  using rows = typename openmp::backend::immediate_reductions<Kernel>;
  try {
    return launch::run_immediately<openmp::backend>(rows(), Kernel::name, host(),
                                                    tile::reduction<Kernel>{kernel, result});
  } catch (const std::exception&) {  // abax.h says what
    return false;
  }
#else
  return false;
#endif
}
template <class T>
bool dot_at_once(index_t n, const T* x, index_t incx, const T* y, index_t incy, T* result) {
  return reduces_at_once(tile::dot<T>{{{{x, n, incx}, {y, n, incy}}}}, result);
}
template <class T, class Result>
bool reduce_at_once(reduction kind, index_t n, const T* x, index_t incx, Result* result) {
  const tile::vector<const T> X{x, n, incx};
  if constexpr (std::is_same_v<Result, T>)
    return kind == reduction::nrm2 ? reduces_at_once(tile::nrm2<T>{{X}}, result)
                                   : reduces_at_once(tile::asum<T>{{{X}}}, result);
  else
    return reduces_at_once(tile::iamax<T>{{X}}, result);
}

template bool dot_at_once(index_t n, const float* x, index_t incx, const float* y, index_t incy, float* result);
template bool dot_at_once(index_t n, const double* x, index_t incx, const double* y, index_t incy, double* result);
template bool reduce_at_once(reduction kind, index_t n, const float* x, index_t incx, float* result);
template bool reduce_at_once(reduction kind, index_t n, const float* x, index_t incx, index_t* result);
template bool reduce_at_once(reduction kind, index_t n, const double* x, index_t incx, double* result);
template bool reduce_at_once(reduction kind, index_t n, const double* x, index_t incx, index_t* result);
template bool multiply_at_once(bool in_place, openmp::direct_product<float>&& product);
template bool multiply_at_once(bool in_place, openmp::direct_product<double>&& product);
template bool multiply_at_once(const openmp::direct_vector_product<float>& product);
template bool multiply_at_once(const openmp::direct_vector_product<double>& product);
template abax_status gemm_batched_at(const char* routine, abax_stream* stream, bool by_rows, char trans_a, char trans_b,
                                     std::int64_t items, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                                     const float* const* a, std::int64_t lda, const float* const* b, std::int64_t ldb,
                                     float beta, float* const* c, std::int64_t ldc);
template abax_status gemm_batched_at(const char* routine, abax_stream* stream, bool by_rows, char trans_a, char trans_b,
                                     std::int64_t items, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
                                     const double* const* a, std::int64_t lda, const double* const* b, std::int64_t ldb,
                                     double beta, double* const* c, std::int64_t ldc);

}  // namespace abax::c

using namespace abax::c;

extern "C" {

int abax_version(void) { return ABAX_VERSION; }

const char* abax_status_text(abax_status status) {
  switch (status) {
    case ABAX_SUCCESS:
      return "success";
    case ABAX_INVALID_ARGUMENT:
      return "invalid argument";
    case ABAX_OUT_OF_RESOURCES:
      return "out of resources";
    case ABAX_UNAVAILABLE:
      return "not available in this build or on this machine";
    case ABAX_FAILED:
      return "failed";
  }
  return "unknown status";
}

abax_status abax_open(abax_place place, void* queue, unsigned options, abax_stream** stream) {
  if (stream == nullptr) return ABAX_INVALID_ARGUMENT;
  *stream = nullptr;
  if ((place != ABAX_HOST && place != ABAX_DEVICE) || (options & ~unsigned(ABAX_TRUST_OPERANDS)) != 0)
    return ABAX_INVALID_ARGUMENT;
  try {
    if (!(place == ABAX_DEVICE ? start_device() : start_host())) return ABAX_UNAVAILABLE;
    const auto memory = (options & ABAX_TRUST_OPERANDS) != 0 ? sharing::trusted : sharing::checked;
    *stream = new abax_stream{space_at(place, queue), memory, {}};
    return ABAX_SUCCESS;
  } catch (const abax::invalid_argument&) {
    return ABAX_INVALID_ARGUMENT;
  } catch (const abax::resource_error&) {
    return ABAX_UNAVAILABLE;
  } catch (const std::bad_alloc&) {
    return ABAX_OUT_OF_RESOURCES;
  } catch (const std::system_error&) {
    return ABAX_OUT_OF_RESOURCES;
  } catch (...) {
    return ABAX_FAILED;
  }
}

void abax_close(abax_stream* stream) {
  if (stream != nullptr && serves(stream->space)) delete stream;  // else Kokkos' instances cannot be destroyed any more
}

abax_status abax_fence(abax_stream* stream) {
  const auto fence = [&] { return run(stream, [](const auto& exec, sharing) { exec.fence("abax_fence"); }); };
  if (stream == nullptr || std::holds_alternative<host>(stream->space)) return fence();  // nothing to wait for
  return told(
      __func__, timing::of_all, [](line&) {}, fence);
}

const char* abax_message(const abax_stream* stream) { return stream == nullptr ? "" : stream->message.c_str(); }

abax_status abax_sgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k, float alpha,
                       const float* A, int64_t rsA, int64_t csA, const float* B, int64_t rsB, int64_t csB, float beta,
                       float* C, int64_t rsC, int64_t csC) {
  return gemm(__func__, stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC);
}

abax_status abax_dgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k, double alpha,
                       const double* A, int64_t rsA, int64_t csA, const double* B, int64_t rsB, int64_t csB,
                       double beta, double* C, int64_t rsC, int64_t csC) {
  return gemm(__func__, stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC);
}

abax_status abax_sgemmt(abax_stream* stream, char uplo, char transA, char transB, int64_t n, int64_t k, float alpha,
                        const float* A, int64_t rsA, int64_t csA, const float* B, int64_t rsB, int64_t csB, float beta,
                        float* C, int64_t rsC, int64_t csC) {
  return gemmt(__func__, stream, uplo, transA, transB, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC);
}

abax_status abax_dgemmt(abax_stream* stream, char uplo, char transA, char transB, int64_t n, int64_t k, double alpha,
                        const double* A, int64_t rsA, int64_t csA, const double* B, int64_t rsB, int64_t csB,
                        double beta, double* C, int64_t rsC, int64_t csC) {
  return gemmt(__func__, stream, uplo, transA, transB, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC);
}

abax_status abax_ssyrk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, float alpha, const float* A,
                       int64_t rsA, int64_t csA, float beta, float* C, int64_t rsC, int64_t csC) {
  return syrk(__func__, stream, uplo, trans, n, k, alpha, A, rsA, csA, beta, C, rsC, csC);
}

abax_status abax_dsyrk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, double alpha, const double* A,
                       int64_t rsA, int64_t csA, double beta, double* C, int64_t rsC, int64_t csC) {
  return syrk(__func__, stream, uplo, trans, n, k, alpha, A, rsA, csA, beta, C, rsC, csC);
}

abax_status abax_sgemv(abax_stream* stream, char trans, int64_t m, int64_t n, float alpha, const float* A, int64_t rsA,
                       int64_t csA, const float* x, int64_t incx, float beta, float* y, int64_t incy) {
  return gemv(__func__, stream, trans, m, n, alpha, A, rsA, csA, x, incx, beta, y, incy);
}

abax_status abax_dgemv(abax_stream* stream, char trans, int64_t m, int64_t n, double alpha, const double* A,
                       int64_t rsA, int64_t csA, const double* x, int64_t incx, double beta, double* y, int64_t incy) {
  return gemv(__func__, stream, trans, m, n, alpha, A, rsA, csA, x, incx, beta, y, incy);
}

abax_status abax_sgemm_batched(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                               int64_t k, float alpha, const float* A, int64_t isA, int64_t rsA, int64_t csA,
                               const float* B, int64_t isB, int64_t rsB, int64_t csB, float beta, float* C, int64_t isC,
                               int64_t rsC, int64_t csC) {
  return gemm_batched(__func__, stream, transA, transB, items, m, n, k, alpha, A, isA, rsA, csA, B, isB, rsB, csB, beta,
                      C, isC, rsC, csC);
}

abax_status abax_dgemm_batched(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                               int64_t k, double alpha, const double* A, int64_t isA, int64_t rsA, int64_t csA,
                               const double* B, int64_t isB, int64_t rsB, int64_t csB, double beta, double* C,
                               int64_t isC, int64_t rsC, int64_t csC) {
  return gemm_batched(__func__, stream, transA, transB, items, m, n, k, alpha, A, isA, rsA, csA, B, isB, rsB, csB, beta,
                      C, isC, rsC, csC);
}

abax_status abax_sgemm_batched_at(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                                  int64_t k, float alpha, const float* const* A, int64_t lda, const float* const* B,
                                  int64_t ldb, float beta, float* const* C, int64_t ldc) {
  return gemm_batched_at(__func__, stream, false, transA, transB, items, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

abax_status abax_dgemm_batched_at(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                                  int64_t k, double alpha, const double* const* A, int64_t lda, const double* const* B,
                                  int64_t ldb, double beta, double* const* C, int64_t ldc) {
  return gemm_batched_at(__func__, stream, false, transA, transB, items, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

abax_status abax_sgemv_batched(abax_stream* stream, char trans, int64_t items, int64_t m, int64_t n, float alpha,
                               const float* A, int64_t isA, int64_t rsA, int64_t csA, const float* x, int64_t isx,
                               int64_t incx, float beta, float* y, int64_t isy, int64_t incy) {
  return gemv_batched(__func__, stream, trans, items, m, n, alpha, A, isA, rsA, csA, x, isx, incx, beta, y, isy, incy);
}

abax_status abax_dgemv_batched(abax_stream* stream, char trans, int64_t items, int64_t m, int64_t n, double alpha,
                               const double* A, int64_t isA, int64_t rsA, int64_t csA, const double* x, int64_t isx,
                               int64_t incx, double beta, double* y, int64_t isy, int64_t incy) {
  return gemv_batched(__func__, stream, trans, items, m, n, alpha, A, isA, rsA, csA, x, isx, incx, beta, y, isy, incy);
}

abax_status abax_sdot(abax_stream* stream, int64_t n, const float* x, int64_t incx, const float* y, int64_t incy,
                      float* result) {
  return dot(__func__, stream, n, x, incx, y, incy, result);
}

abax_status abax_ddot(abax_stream* stream, int64_t n, const double* x, int64_t incx, const double* y, int64_t incy,
                      double* result) {
  return dot(__func__, stream, n, x, incx, y, incy, result);
}

abax_status abax_snrm2(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result) {
  return reduce<abax::tile::nrm2>(__func__, stream, n, x, incx, result);
}

abax_status abax_dnrm2(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result) {
  return reduce<abax::tile::nrm2>(__func__, stream, n, x, incx, result);
}

abax_status abax_sasum(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result) {
  return reduce<abax::tile::asum>(__func__, stream, n, x, incx, result);
}

abax_status abax_dasum(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result) {
  return reduce<abax::tile::asum>(__func__, stream, n, x, incx, result);
}

abax_status abax_ssum(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result) {
  return reduce<abax::tile::sum>(__func__, stream, n, x, incx, result);
}

abax_status abax_dsum(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result) {
  return reduce<abax::tile::sum>(__func__, stream, n, x, incx, result);
}

abax_status abax_isamax(abax_stream* stream, int64_t n, const float* x, int64_t incx, int64_t* result) {
  return reduce<abax::tile::iamax>(__func__, stream, n, x, incx, result);
}

abax_status abax_idamax(abax_stream* stream, int64_t n, const double* x, int64_t incx, int64_t* result) {
  return reduce<abax::tile::iamax>(__func__, stream, n, x, incx, result);
}

abax_status abax_stranspose(abax_stream* stream, int64_t m, int64_t n, const float* A, int64_t rsA, int64_t csA,
                            float* B, int64_t rsB, int64_t csB) {
  return transpose(__func__, stream, m, n, A, rsA, csA, B, rsB, csB);
}

abax_status abax_dtranspose(abax_stream* stream, int64_t m, int64_t n, const double* A, int64_t rsA, int64_t csA,
                            double* B, int64_t rsB, int64_t csB) {
  return transpose(__func__, stream, m, n, A, rsA, csA, B, rsB, csB);
}

abax_status abax_stranspose_in_place(abax_stream* stream, int64_t n, float* A, int64_t rsA, int64_t csA) {
  return transpose_in_place(__func__, stream, n, A, rsA, csA);
}

abax_status abax_dtranspose_in_place(abax_stream* stream, int64_t n, double* A, int64_t rsA, int64_t csA) {
  return transpose_in_place(__func__, stream, n, A, rsA, csA);
}

abax_status abax_saxpby(abax_stream* stream, int64_t n, float alpha, const float* x, int64_t incx, float beta, float* y,
                        int64_t incy) {
  return axpby(__func__, stream, n, alpha, x, incx, beta, y, incy);
}

abax_status abax_daxpby(abax_stream* stream, int64_t n, double alpha, const double* x, int64_t incx, double beta,
                        double* y, int64_t incy) {
  return axpby(__func__, stream, n, alpha, x, incx, beta, y, incy);
}

abax_status abax_sscal(abax_stream* stream, int64_t n, float* y, int64_t incy, float alpha, const float* x,
                       int64_t incx) {
  return scal(__func__, stream, n, y, incy, alpha, x, incx);
}

abax_status abax_dscal(abax_stream* stream, int64_t n, double* y, int64_t incy, double alpha, const double* x,
                       int64_t incx) {
  return scal(__func__, stream, n, y, incy, alpha, x, incx);
}

abax_status abax_scopy(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* y, int64_t incy) {
  return copy(__func__, stream, n, x, incx, y, incy);
}

abax_status abax_dcopy(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* y, int64_t incy) {
  return copy(__func__, stream, n, x, incx, y, incy);
}

abax_status abax_striad(abax_stream* stream, int64_t n, float alpha, const float* x, int64_t incx, const float* y,
                        int64_t incy, float* z, int64_t incz) {
  return triad(__func__, stream, n, alpha, x, incx, y, incy, z, incz);
}

abax_status abax_dtriad(abax_stream* stream, int64_t n, double alpha, const double* x, int64_t incx, const double* y,
                        int64_t incy, double* z, int64_t incz) {
  return triad(__func__, stream, n, alpha, x, incx, y, incy, z, incz);
}

abax_status abax_sincrement(abax_stream* stream, int64_t n, float value, float* x, int64_t incx) {
  return increment(__func__, stream, n, value, x, incx);
}

abax_status abax_dincrement(abax_stream* stream, int64_t n, double value, double* x, int64_t incx) {
  return increment(__func__, stream, n, value, x, incx);
}

}  // extern "C"

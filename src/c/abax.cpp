// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The C interface: pointers and strides become operands, exceptions become statuses.
#include "abax/abax.h"

#include <algorithm>
#include <limits>
#include <new>
#include <system_error>

#include "abax/detail/tile/scalar.hpp"
#include "abax/error.hpp"
#include "abax/templates.hpp"
#include "start.hpp"
#include "stream.hpp"

namespace abax::c {
namespace {

using launch::sharing;

abax_status failed(abax_stream* stream, abax_status status, const char* message) noexcept {
  try {
    stream->message = message;
  } catch (...) {  // no memory for it: the status has to do
  }
  return status;
}

/// Whether what runs computes on `place`. A small product waits for the answer.
bool serves(const space& place) noexcept {
  if (std::holds_alternative<host>(place)) return host_runs();
  return device_runs();
}

/// call(exec, sharing) on the stream's space.
template <class Call>
abax_status run(abax_stream* stream, const Call& call) noexcept {
  if (stream == nullptr) return ABAX_INVALID_ARGUMENT;
  if (!serves(stream->space)) return failed(stream, ABAX_UNAVAILABLE, "abax: Kokkos has been finalized");
  try {
    std::visit([&](const auto& exec) { call(exec, stream->memory); }, stream->space);
    return ABAX_SUCCESS;
  } catch (const invalid_argument& error) {
    return failed(stream, ABAX_INVALID_ARGUMENT, error.what());
  } catch (const resource_error& error) {
    return failed(stream, ABAX_OUT_OF_RESOURCES, error.what());
  } catch (const std::bad_alloc&) {
    return failed(stream, ABAX_OUT_OF_RESOURCES, "abax: no memory");
  } catch (const std::system_error& error) {  // no threads
    return failed(stream, ABAX_OUT_OF_RESOURCES, error.what());
  } catch (const std::exception& error) {
    return failed(stream, ABAX_FAILED, error.what());
  } catch (...) {
    return failed(stream, ABAX_FAILED, "abax: an unknown exception");
  }
}

void require_extent(const char* function, const char* name, index_t extent) {
  if (extent < 0)
    throw invalid_argument(std::string(function) + ": " + name + " is " + std::to_string(extent) +
                           ", expected 0 or more");
}
void require_pointer(const char* function, const char* name, const void* data, bool needed) {
  if (needed && data == nullptr) throw invalid_argument(std::string(function) + ": " + name + " is a null pointer");
}

/// A stride between `extent` elements. One that nothing uses may be any number: here it becomes one that may be added
/// and multiplied like others.
index_t stride_of(index_t extent, index_t stride) {
  constexpr index_t most = std::numeric_limits<std::int32_t>::max();
  return extent > 1 ? stride : std::clamp(stride, -most, most);
}
template <class T>
tile::matrix<T> matrix_of(T* data, index_t rows, index_t cols, index_t row_stride, index_t col_stride) {
  return {data, rows, cols, stride_of(rows, row_stride), stride_of(cols, col_stride)};
}
template <class T>
tile::vector<T> vector_of(T* data, index_t size, index_t stride) {
  return {data, size, stride_of(size, stride)};
}

template <class T>
abax_status gemm(abax_stream* stream, char trans_a, char trans_b, index_t m, index_t n, index_t k, T alpha, const T* a,
                 index_t rs_a, index_t cs_a, const T* b, index_t rs_b, index_t cs_b, T beta, T* c, index_t rs_c,
                 index_t cs_c) {
  return run(stream, [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::gemm";
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    require_extent(function, "k", k);
    const bool reads = m != 0 && n != 0 && k != 0 && !tile::is_zero(alpha);
    require_pointer(function, "A", a, reads);
    require_pointer(function, "B", b, reads);
    require_pointer(function, "C", c, m != 0 && n != 0);
    const bool turn_a = launch::transposition(function, "transA", &trans_a) != 'N';
    const bool turn_b = launch::transposition(function, "transB", &trans_b) != 'N';
    launch::gemm<Exec, T>::run(
        exec, turn_a ? "T" : "N", turn_b ? "T" : "N", alpha, matrix_of(a, turn_a ? k : m, turn_a ? m : k, rs_a, cs_a),
        matrix_of(b, turn_b ? n : k, turn_b ? k : n, rs_b, cs_b), beta, matrix_of(c, m, n, rs_c, cs_c), memory);
  });
}

template <class T>
abax_status gemv(abax_stream* stream, char trans, index_t m, index_t n, T alpha, const T* a, index_t rs_a, index_t cs_a,
                 const T* x, index_t incx, T beta, T* y, index_t incy) {
  return run(stream, [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::gemv";
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    const bool turned = launch::transposition(function, "trans", &trans) != 'N';
    const index_t rows = turned ? n : m, terms = turned ? m : n;
    const bool reads = m != 0 && n != 0 && !tile::is_zero(alpha);
    require_pointer(function, "A", a, reads);
    require_pointer(function, "x", x, reads);
    require_pointer(function, "y", y, rows != 0);
    launch::gemv<Exec, T>::run(exec, turned ? "T" : "N", alpha, matrix_of(a, m, n, rs_a, cs_a),
                               vector_of(x, terms, incx), beta, vector_of(y, rows, incy), memory);
  });
}

template <class T>
abax_status dot(abax_stream* stream, index_t n, const T* x, index_t incx, const T* y, index_t incy, T* result) {
  return run(stream, [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::dot";
    require_extent(function, "n", n);
    require_pointer(function, "x", x, n != 0);
    require_pointer(function, "y", y, n != 0);
    require_pointer(function, "result", result, true);
    launch::reductions<Exec, T>::run(exec, tile::dot<T>{{{vector_of(x, n, incx), vector_of(y, n, incy)}}}, result,
                                     memory);
  });
}

template <template <class> class Kernel, class T>
abax_status reduce(abax_stream* stream, index_t n, const T* x, index_t incx, typename Kernel<T>::result_type* result) {
  return run(stream, [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = Kernel<T>::name;
    require_extent(function, "n", n);
    require_pointer(function, "x", x, n != 0);
    require_pointer(function, "result", result, true);
    launch::reductions<Exec, T>::run(exec, Kernel<T>{{vector_of(x, n, incx)}}, result, memory);
  });
}

template <class T>
abax_status transpose(abax_stream* stream, index_t m, index_t n, const T* a, index_t rs_a, index_t cs_a, T* b,
                      index_t rs_b, index_t cs_b) {
  return run(stream, [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::transpose";
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    require_pointer(function, "A", a, m != 0 && n != 0);
    require_pointer(function, "B", b, m != 0 && n != 0);
    launch::transpose<Exec, T>::run(exec, matrix_of(a, m, n, rs_a, cs_a), matrix_of(b, n, m, rs_b, cs_b), memory);
  });
}

/// z <- alpha x + beta y under the name and the operands' names of the function that was called.
template <class T>
abax_status combine(const char* function, abax_stream* stream, index_t n, T alpha, const T* x, index_t incx, T beta,
                    const char* y_name, const T* y, index_t incy, const char* z_name, T* z, index_t incz) {
  return run(stream, [&]<class Exec>(const Exec& exec, sharing memory) {
    require_extent(function, "n", n);
    require_pointer(function, "x", x, n != 0 && !tile::is_zero(alpha));
    require_pointer(function, y_name, y, n != 0);
    require_pointer(function, z_name, z, n != 0);
    launch::stream<Exec, T>::combine(function, exec, alpha, tile::column(vector_of(x, n, incx)), beta, y_name,
                                     tile::column(vector_of(y, n, incy)), z_name, tile::column(vector_of(z, n, incz)),
                                     memory);
  });
}

template <class T>
abax_status copy(abax_stream* stream, index_t n, const T* x, index_t incx, T* y, index_t incy) {
  return run(stream, [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::copy";
    require_extent(function, "n", n);
    require_pointer(function, "x", x, n != 0);
    require_pointer(function, "y", y, n != 0);
    launch::stream<Exec, T>::copy(exec, tile::column(vector_of(x, n, incx)), tile::column(vector_of(y, n, incy)),
                                  memory);
  });
}

template <class T>
abax_status increment(abax_stream* stream, index_t n, T value, T* x, index_t incx) {
  return run(stream, [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::increment";
    require_extent(function, "n", n);
    require_pointer(function, "x", x, n != 0);
    launch::stream<Exec, T>::increment(exec, value, vector_of(x, n, incx), memory);
  });
}

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
  return run(stream, [](const auto& exec, sharing) { exec.fence("abax_fence"); });
}

const char* abax_message(const abax_stream* stream) { return stream == nullptr ? "" : stream->message.c_str(); }

abax_status abax_sgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k, float alpha,
                       const float* A, int64_t rsA, int64_t csA, const float* B, int64_t rsB, int64_t csB, float beta,
                       float* C, int64_t rsC, int64_t csC) {
  return gemm(stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC);
}

abax_status abax_dgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k, double alpha,
                       const double* A, int64_t rsA, int64_t csA, const double* B, int64_t rsB, int64_t csB,
                       double beta, double* C, int64_t rsC, int64_t csC) {
  return gemm(stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC);
}

abax_status abax_sgemv(abax_stream* stream, char trans, int64_t m, int64_t n, float alpha, const float* A, int64_t rsA,
                       int64_t csA, const float* x, int64_t incx, float beta, float* y, int64_t incy) {
  return gemv(stream, trans, m, n, alpha, A, rsA, csA, x, incx, beta, y, incy);
}

abax_status abax_dgemv(abax_stream* stream, char trans, int64_t m, int64_t n, double alpha, const double* A,
                       int64_t rsA, int64_t csA, const double* x, int64_t incx, double beta, double* y, int64_t incy) {
  return gemv(stream, trans, m, n, alpha, A, rsA, csA, x, incx, beta, y, incy);
}

abax_status abax_sdot(abax_stream* stream, int64_t n, const float* x, int64_t incx, const float* y, int64_t incy,
                      float* result) {
  return dot(stream, n, x, incx, y, incy, result);
}

abax_status abax_ddot(abax_stream* stream, int64_t n, const double* x, int64_t incx, const double* y, int64_t incy,
                      double* result) {
  return dot(stream, n, x, incx, y, incy, result);
}

abax_status abax_snrm2(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result) {
  return reduce<abax::tile::nrm2>(stream, n, x, incx, result);
}

abax_status abax_dnrm2(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result) {
  return reduce<abax::tile::nrm2>(stream, n, x, incx, result);
}

abax_status abax_sasum(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result) {
  return reduce<abax::tile::asum>(stream, n, x, incx, result);
}

abax_status abax_dasum(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result) {
  return reduce<abax::tile::asum>(stream, n, x, incx, result);
}

abax_status abax_ssum(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result) {
  return reduce<abax::tile::sum>(stream, n, x, incx, result);
}

abax_status abax_dsum(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result) {
  return reduce<abax::tile::sum>(stream, n, x, incx, result);
}

abax_status abax_isamax(abax_stream* stream, int64_t n, const float* x, int64_t incx, int64_t* result) {
  return reduce<abax::tile::iamax>(stream, n, x, incx, result);
}

abax_status abax_idamax(abax_stream* stream, int64_t n, const double* x, int64_t incx, int64_t* result) {
  return reduce<abax::tile::iamax>(stream, n, x, incx, result);
}

abax_status abax_stranspose(abax_stream* stream, int64_t m, int64_t n, const float* A, int64_t rsA, int64_t csA,
                            float* B, int64_t rsB, int64_t csB) {
  return transpose(stream, m, n, A, rsA, csA, B, rsB, csB);
}

abax_status abax_dtranspose(abax_stream* stream, int64_t m, int64_t n, const double* A, int64_t rsA, int64_t csA,
                            double* B, int64_t rsB, int64_t csB) {
  return transpose(stream, m, n, A, rsA, csA, B, rsB, csB);
}

abax_status abax_saxpby(abax_stream* stream, int64_t n, float alpha, const float* x, int64_t incx, float beta, float* y,
                        int64_t incy) {
  return combine<float>("abax::axpby", stream, n, alpha, x, incx, beta, "y", y, incy, "y", y, incy);
}

abax_status abax_daxpby(abax_stream* stream, int64_t n, double alpha, const double* x, int64_t incx, double beta,
                        double* y, int64_t incy) {
  return combine<double>("abax::axpby", stream, n, alpha, x, incx, beta, "y", y, incy, "y", y, incy);
}

abax_status abax_sscal(abax_stream* stream, int64_t n, float* y, int64_t incy, float alpha, const float* x,
                       int64_t incx) {
  return combine<float>("abax::scal", stream, n, alpha, x, incx, 0, "y", y, incy, "y", y, incy);
}

abax_status abax_dscal(abax_stream* stream, int64_t n, double* y, int64_t incy, double alpha, const double* x,
                       int64_t incx) {
  return combine<double>("abax::scal", stream, n, alpha, x, incx, 0, "y", y, incy, "y", y, incy);
}

abax_status abax_scopy(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* y, int64_t incy) {
  return copy(stream, n, x, incx, y, incy);
}

abax_status abax_dcopy(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* y, int64_t incy) {
  return copy(stream, n, x, incx, y, incy);
}

abax_status abax_striad(abax_stream* stream, int64_t n, float alpha, const float* x, int64_t incx, const float* y,
                        int64_t incy, float* z, int64_t incz) {
  return combine<float>("abax::triad", stream, n, alpha, x, incx, 1, "y", y, incy, "z", z, incz);
}

abax_status abax_dtriad(abax_stream* stream, int64_t n, double alpha, const double* x, int64_t incx, const double* y,
                        int64_t incy, double* z, int64_t incz) {
  return combine<double>("abax::triad", stream, n, alpha, x, incx, 1, "y", y, incy, "z", z, incz);
}

abax_status abax_sincrement(abax_stream* stream, int64_t n, float value, float* x, int64_t incx) {
  return increment(stream, n, value, x, incx);
}

abax_status abax_dincrement(abax_stream* stream, int64_t n, double value, double* x, int64_t incx) {
  return increment(stream, n, value, x, incx);
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex kernels of the host for the BLAS, which has checked their arguments.
#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <system_error>
#include <variant>

#include "../c/start.hpp"
#include "../c/stream.hpp"
#include "abax/detail/launch/batch.hpp"
#include "abax/detail/launch/gemm.hpp"
#include "abax/detail/launch/gemv.hpp"
#include "abax/detail/launch/reduction.hpp"
#include "abax/detail/launch/stream.hpp"
#include "abax/detail/launch/transpose.hpp"
#include "abax/error.hpp"
#include "interface.hpp"

namespace abax::blas {
namespace {

using c::host;
constexpr auto trusted = launch::sharing::trusted;

abax_status failed(abax_stream* stream, abax_status status, const char* message) noexcept {
  try {
    stream->message = message;
  } catch (...) {  // no memory for it: the status has to do
  }
  return status;
}

/// call(exec) on the stream's space, which is the host's.
template <class Call>
abax_status run(abax_stream* stream, const Call& call) noexcept {
  if (!c::host_runs()) return failed(stream, ABAX_UNAVAILABLE, "abax: Kokkos has been finalized");
  try {
    call(std::get<host>(stream->space));
    return ABAX_SUCCESS;
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

/// The matrix X of which op(X) is rows x cols.
template <class T>
tile::matrix<T> operand_of(char trans, T* data, index_t rows, index_t cols, index_t row_stride, index_t col_stride) {
  const bool turned = trans != 'N' && trans != 'n';
  return matrix_of(data, turned ? cols : rows, turned ? rows : cols, row_stride, col_stride);
}

/// y <- alpha x + beta y.
template <class T>
void combine(const char* function, const host& exec, index_t n, T alpha, const T* x, index_t incx, T beta, T* y,
             index_t incy) {
  launch::stream<host, T>::combine(function, exec, alpha, tile::column(vector_of(x, n, incx)), beta, "y",
                                   tile::column(vector_of<const T>(y, n, incy)), "y",
                                   tile::column(vector_of(y, n, incy)), trusted);
}

}  // namespace

template <class Real>
abax_status interface<tile::complex<Real>>::gemm(abax_stream* stream, char trans_a, char trans_b, index m, index n,
                                                 index k, T alpha, const T* a, index rs_a, index cs_a, const T* b,
                                                 index rs_b, index cs_b, T beta, T* c, index rs_c, index cs_c) {
  return run(stream, [&](const host& exec) {
    launch::gemm<host, T>::run(exec, &trans_a, &trans_b, alpha, operand_of(trans_a, a, m, k, rs_a, cs_a),
                               operand_of(trans_b, b, k, n, rs_b, cs_b), beta, matrix_of(c, m, n, rs_c, cs_c), trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::gemm_batched(abax_stream* stream, char trans_a, char trans_b, index items,
                                                         index m, index n, index k, T alpha, const T* a, index is_a,
                                                         index rs_a, index cs_a, const T* b, index is_b, index rs_b,
                                                         index cs_b, T beta, T* c, index is_c, index rs_c, index cs_c) {
  return run(stream, [&](const host& exec) {
    const auto all = [&]<class E>(const tile::matrix<E>& first, index step) {
      return tile::matrices<E>{first, items, stride_of(items, step)};
    };
    launch::batch<host, T>::gemm(exec, &trans_a, &trans_b, alpha, all(operand_of(trans_a, a, m, k, rs_a, cs_a), is_a),
                                 all(operand_of(trans_b, b, k, n, rs_b, cs_b), is_b), beta,
                                 all(matrix_of(c, m, n, rs_c, cs_c), is_c), trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::gemm_batched_at(abax_stream* stream, bool by_rows, char trans_a,
                                                            char trans_b, index items, index m, index n, index k,
                                                            T alpha, const T* const* a, index lda, const T* const* b,
                                                            index ldb, T beta, T* const* c, index ldc) {
  return run(stream, [&](const host& exec) {
    launch::batch<host, T>::gemm_at(exec, by_rows ? storage::by_rows : storage::by_columns, &trans_a, &trans_b,
                                    {m, n, k, lda, ldb, ldc}, alpha, a, b, beta, c, items);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::gemmt(abax_stream* stream, char uplo, char trans_a, char trans_b, index n,
                                                  index k, T alpha, const T* a, index rs_a, index cs_a, const T* b,
                                                  index rs_b, index cs_b, T beta, T* c, index rs_c, index cs_c) {
  return run(stream, [&](const host& exec) {
    launch::gemm<host, T>::run_triangle(
        exec, &uplo, &trans_a, &trans_b, alpha, operand_of(trans_a, a, n, k, rs_a, cs_a),
        operand_of(trans_b, b, k, n, rs_b, cs_b), beta, matrix_of(c, n, n, rs_c, cs_c), trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::syrk(abax_stream* stream, char uplo, char trans, index n, index k, T alpha,
                                                 const T* a, index rs_a, index cs_a, T beta, T* c, index rs_c,
                                                 index cs_c) {
  return run(stream, [&](const host& exec) {
    launch::gemm<host, T>::run_rank_k(exec, &uplo, &trans, alpha, operand_of(trans, a, n, k, rs_a, cs_a), beta,
                                      matrix_of(c, n, n, rs_c, cs_c), trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::herk(abax_stream* stream, char uplo, char trans, index n, index k,
                                                 Real alpha, const T* a, index rs_a, index cs_a, Real beta, T* c,
                                                 index rs_c, index cs_c) {
  return run(stream, [&](const host& exec) {
    launch::gemm<host, T>::run_hermitian_rank_k(exec, &uplo, &trans, alpha, operand_of(trans, a, n, k, rs_a, cs_a),
                                                beta, matrix_of(c, n, n, rs_c, cs_c), trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::gemv(abax_stream* stream, char trans, index m, index n, T alpha, const T* a,
                                                 index rs_a, index cs_a, const T* x, index incx, T beta, T* y,
                                                 index incy) {
  return run(stream, [&](const host& exec) {
    const bool turned = trans != 'N' && trans != 'n';
    launch::gemv<host, T>::run(exec, &trans, alpha, matrix_of(a, m, n, rs_a, cs_a), vector_of(x, turned ? m : n, incx),
                               beta, vector_of(y, turned ? n : m, incy), trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::dot(abax_stream* stream, bool conjugated, index n, const T* x, index incx,
                                                const T* y, index incy, T* result) {
  return run(stream, [&](const host& exec) {
    const tile::dot<T> kernel(vector_of(x, n, incx), vector_of(y, n, incy), conjugated);
    launch::reductions<host, T>::run(exec, kernel, result, trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::nrm2(abax_stream* stream, index n, const T* x, index incx, Real* result) {
  return run(stream, [&](const host& exec) {
    tile::nrm2<T> kernel{};
    kernel.operand[0] = tile::terms<T>::of(vector_of(x, n, incx));
    launch::reductions<host, T>::run(exec, kernel, result, trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::asum(abax_stream* stream, index n, const T* x, index incx, Real* result) {
  return run(stream, [&](const host& exec) {
    tile::asum<T> kernel{};
    kernel.operand[0] = tile::terms<T>::of(vector_of(x, n, incx));
    launch::reductions<host, T>::run(exec, kernel, result, trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::iamax(abax_stream* stream, index n, const T* x, index incx, index* result) {
  return run(stream, [&](const host& exec) {
    launch::reductions<host, T>::run(exec, tile::iamax<T>{{vector_of(x, n, incx)}}, result, trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::axpby(abax_stream* stream, index n, T alpha, const T* x, index incx, T beta,
                                                  T* y, index incy) {
  return run(stream, [&](const host& exec) { combine<T>("abax::axpby", exec, n, alpha, x, incx, beta, y, incy); });
}

template <class Real>
abax_status interface<tile::complex<Real>>::scal(abax_stream* stream, index n, T* y, index incy, T alpha, const T* x,
                                                 index incx) {
  return run(stream, [&](const host& exec) { combine<T>("abax::scal", exec, n, alpha, x, incx, T{}, y, incy); });
}

template <class Real>
abax_status interface<tile::complex<Real>>::scal(abax_stream* stream, index n, T* y, index incy, Real alpha, const T* x,
                                                 index incx) {
  return run(stream, [&](const host& exec) {
    constexpr const char* function = "abax::scal";
    if (incx == 1 && incy == 1) return combine<Real>(function, exec, 2 * n, alpha, &x->re, 1, 0, &y->re, 1);
    for (const auto part : {&T::re, &T::im})
      combine<Real>(function, exec, n, alpha, &(x->*part), 2 * stride_of(n, incx), 0, &(y->*part),
                    2 * stride_of(n, incy));
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::copy(abax_stream* stream, index n, const T* x, index incx, T* y,
                                                 index incy) {
  return run(stream, [&](const host& exec) {
    launch::stream<host, T>::copy(exec, tile::column(vector_of(x, n, incx)), tile::column(vector_of(y, n, incy)),
                                  trusted);
  });
}

template <class Real>
abax_status interface<tile::complex<Real>>::transpose(abax_stream* stream, bool conjugated, index m, index n,
                                                      const T* a, index rs_a, index cs_a, T* b, index rs_b,
                                                      index cs_b) {
  return run(stream, [&](const host& exec) {
    const auto A = matrix_of(a, m, n, rs_a, cs_a);
    const auto B = matrix_of(b, n, m, rs_b, cs_b);
    if (conjugated)
      launch::transpose<host, T>::run_conjugated(exec, A, B, trusted);
    else
      launch::transpose<host, T>::run(exec, A, B, trusted);
  });
}

template struct interface<tile::complex<float>>;
template struct interface<tile::complex<double>>;

}  // namespace abax::blas

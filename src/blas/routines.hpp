// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The reference BLAS' routines, once for all their names, precisions and widths of integers: arguments checked in the
/// reference's order, quick returns, increments counted from either end; then the C interface, on the stream of the
/// call.
///
/// A check answers with the number of the first bad argument in the Fortran argument list, 0 if there is none.
/// Source: Netlib's reference BLAS 3.11 (BLAS/SRC).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "abax/abax.h"
#include "abax/detail/backends/portable/gradual_underflow.hpp"
#include "abax/detail/tile/scalar.hpp"
#include "call.hpp"

namespace abax::blas {

using tile::is_one, tile::is_zero;

inline bool transposes(char trans) { return trans != 'N' && trans != 'n'; }
inline bool is_transposition(char trans) {
  switch (trans) {
    case 'N':
    case 'n':
    case 'T':
    case 't':
    case 'C':
    case 'c':
      return true;
    default:
      return false;
  }
}

inline int check_gemm(char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t lda,
                      std::int64_t ldb, std::int64_t ldc) {
  const auto least = [](std::int64_t rows) { return std::max<std::int64_t>(1, rows); };
  if (!is_transposition(trans_a)) return 1;
  if (!is_transposition(trans_b)) return 2;
  if (m < 0) return 3;
  if (n < 0) return 4;
  if (k < 0) return 5;
  if (lda < least(transposes(trans_a) ? k : m)) return 8;
  if (ldb < least(transposes(trans_b) ? n : k)) return 10;
  if (ldc < least(m)) return 13;
  return 0;
}

inline int check_gemv(char trans, std::int64_t m, std::int64_t n, std::int64_t lda, std::int64_t incx,
                      std::int64_t incy) {
  if (!is_transposition(trans)) return 1;
  if (m < 0) return 2;
  if (n < 0) return 3;
  if (lda < std::max<std::int64_t>(1, m)) return 6;
  if (incx == 0) return 8;
  if (incy == 0) return 11;
  return 0;
}

/// B <- alpha op(A), A rows x cols as it lies, by columns ('C') or by rows ('R').
inline int check_omatcopy(char order, char trans, std::int64_t rows, std::int64_t cols, std::int64_t lda,
                          std::int64_t ldb) {
  const bool row_major = order == 'R' || order == 'r';
  if (!row_major && order != 'C' && order != 'c') return 1;
  if (!is_transposition(trans)) return 2;
  if (rows < 0) return 3;
  if (cols < 0) return 4;
  if (lda < std::max<std::int64_t>(1, row_major ? cols : rows)) return 7;
  if (ldb < std::max<std::int64_t>(1, row_major != transposes(trans) ? cols : rows)) return 9;
  return 0;
}

/// The C interface by type.
template <class T>
struct interface;
template <>
struct interface<float> {
  static constexpr auto gemm = abax_sgemm;
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

/// The canon's NaN for any.
template <class T>
T canonical(T r) {
  return r != r ? std::numeric_limits<T>::quiet_NaN() : r;
}

/// C <- alpha op(A) op(B) + beta C, column-major; arguments are checked.
template <class T>
void gemm(char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* a,
          std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc) {
  if (m == 0 || n == 0 || ((is_zero(alpha) || k == 0) && is_one(beta))) return;
  if constexpr (device::exists)
    if (device::gemm(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
  abax_stream* const stream = host_stream();
  require_success(interface<T>::gemm(stream, trans_a, trans_b, m, n, k, alpha, a, 1, lda, b, 1, ldb, beta, c, 1, ldc),
                  stream, "gemm");
}

/// y <- alpha op(A) x + beta y, column-major, A m x n as it lies; arguments are checked.
template <class T>
void gemv(char trans, std::int64_t m, std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* x,
          std::int64_t incx, T beta, T* y, std::int64_t incy) {
  if (m == 0 || n == 0 || (is_zero(alpha) && is_one(beta))) return;
  const std::int64_t terms = transposes(trans) ? m : n, outputs = transposes(trans) ? n : m;
  const access of_y = is_zero(beta) ? access::write : access::update;
  if (is_zero(alpha)) {
    call here("gemv", {range_of(y, outputs)});
    const auto Y = here.use(y, outputs, incy, of_y);
    here.require(
        interface<T>::gemv(here.stream(), trans, m, n, alpha, nullptr, 1, lda, nullptr, 1, beta, Y.data, Y.inc));
    return here.finish();
  }
  call here("gemv", {range_of(a, m * n), range_of(x, terms), range_of(y, outputs)});
  const auto A = here.use(a, m, n, lda, access::read);
  const auto X = here.use(x, terms, incx, access::read);
  const auto Y = here.use(y, outputs, incy, of_y);
  here.require(
      interface<T>::gemv(here.stream(), trans, m, n, alpha, A.data, 1, A.ld, X.data, X.inc, beta, Y.data, Y.inc));
  here.finish();
}

template <class T>
T dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy) {
  if (n <= 0) return 0;
  T result;
  call here("dot", {range_of(x, n), range_of(y, n), range_of(&result, 1)});
  const auto X = here.use(x, n, incx, access::read);
  const auto Y = here.use(y, n, incy, access::read);
  const auto R = here.use(&result, 1, 1, access::write);
  here.require(interface<T>::dot(here.stream(), n, X.data, X.inc, Y.data, Y.inc, R.data));
  here.finish();
  return result;
}

/// What `reduce`, one of the C interface's reductions, makes of n elements of x, one at least.
template <class Result, class T>
Result reduction(const char* name, abax_status (*reduce)(abax_stream*, std::int64_t, const T*, std::int64_t, Result*),
                 std::int64_t n, const T* x, std::int64_t incx) {
  Result result;
  call here(name, {range_of(x, n), range_of(&result, 1)});
  const auto X = here.use(x, n, incx, access::read);
  const auto R = here.use(&result, 1, 1, access::write);
  here.require(reduce(here.stream(), n, X.data, X.inc, R.data));
  here.finish();
  return result;
}

template <class T>
T nrm2(std::int64_t n, const T* x, std::int64_t incx) {
  return n <= 0 ? T(0) : reduction("nrm2", interface<T>::nrm2, n, x, incx);
}

template <class T>
T asum(std::int64_t n, const T* x, std::int64_t incx) {
  return n <= 0 || incx <= 0 ? T(0) : reduction("asum", interface<T>::asum, n, x, incx);
}

/// Counted from 1; 0 if there is none.
template <class T>
std::int64_t iamax(std::int64_t n, const T* x, std::int64_t incx) {
  return n <= 0 || incx <= 0 ? 0 : 1 + reduction("iamax", interface<T>::iamax, n, x, incx);
}

/// y <- alpha x + y.
template <class T>
void axpy(std::int64_t n, T alpha, const T* x, std::int64_t incx, T* y, std::int64_t incy) {
  if (n <= 0 || is_zero(alpha)) return;
  call here("axpy", {range_of(x, n), range_of(y, n)});
  const auto X = here.use(x, n, incx, access::read);
  const auto Y = here.use(y, n, incy, access::update);
  // With an increment of zero every term goes to the one element, one after the other.
  if (incy == 0 && here.is_on_host()) {
    portable::under_ieee([&] {
      T sum = *Y.data;
      for (std::int64_t i = 0; i < n; ++i) sum = std::fma(alpha, X.data[i * X.inc], sum);
      *Y.data = canonical(sum);
    });
    return;
  }
  const std::int64_t calls = incy == 0 ? n : 1, each = incy == 0 ? 1 : n;
  for (std::int64_t i = 0; i < calls; ++i)
    here.require(interface<T>::axpby(here.stream(), each, alpha, X.data + i * X.inc, X.inc, 1, Y.data, Y.inc));
  here.finish();
}

/// x <- alpha x.
template <class T>
void scal(std::int64_t n, T alpha, T* x, std::int64_t incx) {
  if (n <= 0 || incx <= 0 || is_one(alpha)) return;
  if (is_zero(alpha)) {  // the reference multiplies here, too: signs stay, infinity and NaN become NaN
    const auto multiply = [=](T* y, std::int64_t incy) {
      portable::under_ieee([&] {
        for (std::int64_t i = 0; i < n; ++i) {
          y[i * incy] = canonical(alpha * y[i * incy]);
        }
      });
    };
    if constexpr (device::exists)
      if (device::visit_on_host(x, sizeof(T), n, sizeof(T) * incx,
                                [&](void* copy) { multiply(static_cast<T*>(copy), 1); }))
        return;
    return multiply(x, incx);
  }
  call here("scal", {range_of(x, n)});
  const auto X = here.use(x, n, incx, access::update);
  here.require(interface<T>::scal(here.stream(), n, X.data, X.inc, alpha, X.data, X.inc));
  here.finish();
}

/// y <- x.
template <class T>
void copy(std::int64_t n, const T* x, std::int64_t incx, T* y, std::int64_t incy) {
  if (n <= 0) return;
  if (incy == 0) {  // every element goes to the one place: the last one stays
    x = first(x, n, incx) + (n - 1) * incx;
    n = 1;
  }
  call here("copy", {range_of(x, n), range_of(y, n)});
  const auto X = here.use(x, n, incx, access::read);
  const auto Y = here.use(y, n, incy, access::write);
  here.require(interface<T>::copy(here.stream(), n, X.data, X.inc, Y.data, Y.inc));
  here.finish();
}

/// B <- alpha op(A); A rows x cols as it lies, order 'C' (column-major) or 'R'; arguments are checked.
template <class T>
void omatcopy(char order, char trans, std::int64_t rows, std::int64_t cols, T alpha, const T* a, std::int64_t lda, T* b,
              std::int64_t ldb) {
  if (order == 'R' || order == 'r') std::swap(rows, cols);
  if (rows == 0 || cols == 0) return;
  const std::int64_t length = transposes(trans) ? cols : rows, columns = transposes(trans) ? rows : cols;
  if (is_zero(alpha)) a = b;  // not read: no operand of its own
  call here("omatcopy", {range_of(a, rows * cols), range_of(b, rows * cols)});
  const auto B = here.use(b, length, columns, ldb, access::write);
  if (!is_zero(alpha)) {  // a plain copy is the transpose of the matrix read along its rows
    const auto A = here.use(a, rows, cols, lda, access::read);
    here.require(transposes(trans)
                     ? interface<T>::transpose(here.stream(), rows, cols, A.data, 1, A.ld, B.data, 1, B.ld)
                     : interface<T>::transpose(here.stream(), cols, rows, A.data, A.ld, 1, B.data, 1, B.ld));
  }
  const bool whole = B.ld == length;  // columns one after another are one vector
  for (std::int64_t j = 0; !is_one(alpha) && j < (whole ? 1 : columns); ++j) {
    T* const column = B.data + j * B.ld;
    here.require(interface<T>::scal(here.stream(), whole ? length * columns : length, column, 1, alpha, column, 1));
  }
  here.finish();
}

}  // namespace abax::blas

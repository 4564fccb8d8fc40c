// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The reference BLAS' routines, once for all their names, precisions and widths of integers: arguments checked in the
/// reference's order, quick returns, increments counted from either end; then the C interface.
///
/// A check answers with the number of the first bad argument in the Fortran argument list, 0 if there is none.
/// Source: Netlib's reference BLAS 3.11 (BLAS/SRC).
#include <algorithm>
#include <cstdint>

#include "abax/abax.h"
#include "blas/stream.hpp"

namespace abax::blas {

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

/// Element 0 of a vector whose increment may count from its end.
template <class T>
T* first(T* x, std::int64_t n, std::int64_t incx) {
  return incx < 0 ? x - (n - 1) * incx : x;
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

/// B <- alpha op(A), A rows x cols as it lies, column-major.
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
  static constexpr auto axpby = abax_saxpby;
  static constexpr auto scal = abax_sscal;
  static constexpr auto copy = abax_scopy;
  static constexpr auto triad = abax_striad;
  static constexpr auto transpose = abax_stranspose;
};
template <>
struct interface<double> {
  static constexpr auto gemm = abax_dgemm;
  static constexpr auto gemv = abax_dgemv;
  static constexpr auto dot = abax_ddot;
  static constexpr auto axpby = abax_daxpby;
  static constexpr auto scal = abax_dscal;
  static constexpr auto copy = abax_dcopy;
  static constexpr auto triad = abax_dtriad;
  static constexpr auto transpose = abax_dtranspose;
};

/// C <- alpha op(A) op(B) + beta C, column-major; arguments are checked.
template <class T>
void gemm(char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* a,
          std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc) {
  if (m == 0 || n == 0 || ((alpha == T(0) || k == 0) && beta == T(1))) return;
  abax_stream* const stream = host_stream();
  require_success(interface<T>::gemm(stream, trans_a, trans_b, m, n, k, alpha, a, 1, lda, b, 1, ldb, beta, c, 1, ldc),
                  stream, "gemm");
}

/// y <- alpha op(A) x + beta y, column-major, A m x n as it lies; arguments are checked.
template <class T>
void gemv(char trans, std::int64_t m, std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* x,
          std::int64_t incx, T beta, T* y, std::int64_t incy) {
  if (m == 0 || n == 0 || (alpha == T(0) && beta == T(1))) return;
  const std::int64_t terms = transposes(trans) ? m : n, outputs = transposes(trans) ? n : m;
  abax_stream* const stream = host_stream();
  require_success(interface<T>::gemv(stream, trans, m, n, alpha, a, 1, lda, first(x, terms, incx), incx, beta,
                                     first(y, outputs, incy), incy),
                  stream, "gemv");
}

template <class T>
T dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy) {
  if (n <= 0) return 0;
  T result;
  abax_stream* const stream = host_stream();
  require_success(interface<T>::dot(stream, n, first(x, n, incx), incx, first(y, n, incy), incy, &result), stream,
                  "dot");
  return result;
}

/// y <- alpha x + y.
template <class T>
void axpy(std::int64_t n, T alpha, const T* x, std::int64_t incx, T* y, std::int64_t incy) {
  if (n <= 0 || alpha == T(0)) return;
  abax_stream* const stream = host_stream();
  // With an increment of zero every term goes to the one element, one after the other.
  const std::int64_t calls = incy == 0 ? n : 1, each = incy == 0 ? 1 : n;
  x = first(x, n, incx);
  y = first(y, n, incy);
  for (std::int64_t i = 0; i < calls; ++i)
    require_success(interface<T>::axpby(stream, each, alpha, x + i * incx, incx, 1, y, incy), stream, "axpy");
}

/// x <- alpha x.
template <class T>
void scal(std::int64_t n, T alpha, T* x, std::int64_t incx) {
  if (n <= 0 || incx <= 0 || alpha == T(1)) return;
  abax_stream* const stream = host_stream();
  // The reference multiplies by zero, too: infinity and NaN become NaN. x - x is that, and +0 else.
  const abax_status status = alpha == T(0) ? interface<T>::triad(stream, n, -1, x, incx, x, incx, x, incx)
                                           : interface<T>::scal(stream, n, x, incx, alpha, x, incx);
  require_success(status, stream, "scal");
}

/// y <- x.
template <class T>
void copy(std::int64_t n, const T* x, std::int64_t incx, T* y, std::int64_t incy) {
  if (n <= 0) return;
  abax_stream* const stream = host_stream();
  x = first(x, n, incx);
  if (incy == 0) {  // every element goes to the one place: the last one stays
    x += (n - 1) * incx;
    n = 1;
  }
  require_success(interface<T>::copy(stream, n, x, incx, first(y, n, incy), incy), stream, "copy");
}

/// B <- alpha op(A); A rows x cols as it lies, order 'C' (column-major) or 'R'; arguments are checked.
template <class T>
void omatcopy(char order, char trans, std::int64_t rows, std::int64_t cols, T alpha, const T* a, std::int64_t lda, T* b,
              std::int64_t ldb) {
  if (order == 'R' || order == 'r') std::swap(rows, cols);
  if (rows == 0 || cols == 0) return;
  abax_stream* const stream = host_stream();
  const auto require = [&](abax_status status) { require_success(status, stream, "omatcopy"); };
  const std::int64_t length = transposes(trans) ? cols : rows, columns = transposes(trans) ? rows : cols;
  if (alpha != T(0))  // a plain copy is the transpose of the matrix read along its rows
    require(transposes(trans) ? interface<T>::transpose(stream, rows, cols, a, 1, lda, b, 1, ldb)
                              : interface<T>::transpose(stream, cols, rows, a, lda, 1, b, 1, ldb));
  if (alpha == T(1)) return;
  const bool whole = ldb == length;  // columns one after another are one vector
  for (std::int64_t j = 0; j < (whole ? 1 : columns); ++j)
    require(interface<T>::scal(stream, whole ? length * columns : length, b + j * ldb, 1, alpha, b + j * ldb, 1));
}

}  // namespace abax::blas

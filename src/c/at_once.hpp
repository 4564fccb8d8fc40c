// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Small products of the host, past abax.h, for callers that have checked what it would check.
#include "abax/detail/backends/openmp/kernels.hpp"

namespace abax::c {

/// The product, on the calling thread; `in_place`: A needs no panels. False, and nothing is done, where its lanes are
/// columns (openmp::lanes_are_columns), where something is missing, which abax.h's functions report, and in a build
/// whose host is not OpenMP's.
template <class T>
bool multiply_at_once(bool in_place, openmp::direct_product<T>&& product);
template <class T>
bool multiply_at_once(const openmp::direct_vector_product<T>& product);

// Operands of these have elements and addresses, and the call is not to be told of. False, and nothing is done, where
// the product is not small, or something is missing.

/// y <- alpha A x + beta y; element (i, p) of A lies at a[i row_stride + p col_stride].
template <class T>
[[gnu::always_inline]] inline bool gemv_at_once(std::int64_t rows, std::int64_t terms, T alpha, const T* a,
                                                std::int64_t row_stride, std::int64_t col_stride, const T* x,
                                                std::int64_t incx, T beta, T* y, std::int64_t incy) {
  if (!openmp::is_small_vector<T>(rows, terms)) return false;
  return multiply_at_once<T>({.outputs = rows,
                              .depth = terms,
                              .a = a,
                              .stride_output = row_stride,
                              .stride_k = col_stride,
                              .x = x,
                              .stride_x = incx,
                              .alpha = alpha,
                              .beta = beta,
                              .y = y,
                              .stride_y = incy});
}

/// C <- alpha op(A) op(B) + beta C, column-major.
template <class T>
[[gnu::always_inline]] inline bool gemm_at_once(bool turn_a, bool turn_b, std::int64_t m, std::int64_t n,
                                                std::int64_t k, T alpha, const T* a, std::int64_t lda, const T* b,
                                                std::int64_t ldb, T beta, T* c, std::int64_t ldc) {
  const std::int64_t row_a = turn_a ? lda : 1, col_a = turn_a ? 1 : lda, row_b = turn_b ? ldb : 1,
                     col_b = turn_b ? 1 : ldb;
  if (n == 1) return gemv_at_once(m, k, alpha, a, row_a, col_a, b, row_b, beta, c, 1);
  if (m == 1) return gemv_at_once(n, k, alpha, b, col_b, row_b, a, col_a, beta, c, ldc);
  if (!openmp::is_small<T>(m, n, k)) return false;
  return multiply_at_once<T>(!turn_a, {.m = m,
                                       .n = n,
                                       .k = k,
                                       .a = a,
                                       .stride_a = lda,
                                       .b = b,
                                       .stride_k = row_b,
                                       .stride_b = col_b,
                                       .alpha = alpha,
                                       .beta = beta,
                                       .c = c,
                                       .stride_c = ldc});
}

/// Sum of x_i y_i.
template <class T>
bool dot_at_once(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy, T* result);

enum class reduction { nrm2, asum, iamax };

/// `Result` is T or, of iamax, an index.
template <class T, class Result>
bool reduce_at_once(reduction kind, std::int64_t n, const T* x, std::int64_t incx, Result* result);

}  // namespace abax::c

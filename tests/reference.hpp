// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The oracle: the canon (docs/canon.md) in scalar loops, written to be checked by eye and by nothing else.
///
/// It shares no code and no constant with the library. Indices are checked by at().
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace abax::reference {

using index_t = std::int64_t;

/// Terms of one block of the canonical sum.
inline constexpr index_t block_length = 2048;

/// A logical matrix: what a test means, whatever the layout it will be stored in. A vector has one column.
template <class T>
struct matrix {
  index_t rows = 0, cols = 0;
  std::vector<T> elements;  // column by column

  matrix() = default;
  matrix(index_t rows_, index_t cols_, T value = T(0)) : rows(rows_), cols(cols_), elements(rows_ * cols_, value) {}

  T& operator()(index_t i, index_t j = 0) { return elements.at(i + j * rows); }
  const T& operator()(index_t i, index_t j = 0) const { return elements.at(i + j * rows); }
};

/// "N", "T", "C" in either case, as BLAS has them.
inline bool transposes(char trans) { return trans != 'N' && trans != 'n'; }

// ---------------------------------------------------------------------------------------------------------------------
// The canon.

/// Every NaN that arithmetic makes is stored as the one quiet NaN of its type.
inline float one_nan(float r) {
  const std::uint32_t quiet = 0x7FC00000;
  if (std::isnan(r)) std::memcpy(&r, &quiet, sizeof r);
  return r;
}
inline double one_nan(double r) {
  const std::uint64_t quiet = 0x7FF8000000000000;
  if (std::isnan(r)) std::memcpy(&r, &quiet, sizeof r);
  return r;
}

/// Sum of a(p) b(p), p = 0..k-1: a chain of fma from +0 in each block, the block sums added in ascending order.
template <class T, class A, class B>
T canonical_sum(index_t k, const A& a, const B& b) {
  T total = T(0);
  for (index_t begin = 0; begin < k; begin += block_length) {
    const index_t end = begin + block_length < k ? begin + block_length : k;
    T s = T(0);
    for (index_t p = begin; p < end; ++p) s = std::fma(a(p), b(p), s);
    total = begin == 0 ? s : total + s;  // not 0 + s: a first block sum of -0 stays -0
  }
  return total;
}

/// What blocks of 1024 terms leave, `take(lane, i)` being what a lane does with term i, `join` what is done with two
/// lanes, and `none` what a lane begins with: 64 lanes take the terms in turn, then halves are joined.
template <class S, class Take, class Join>
std::vector<S> reduced_blocks(index_t n, S none, const Take& take, const Join& join) {
  std::vector<S> blocks;
  for (index_t begin = 0; begin == 0 || begin < n; begin += 1024) {
    std::vector<S> lane(64, none);
    for (index_t i = begin; i < n && i < begin + 1024; ++i) lane.at(i % 64) = take(lane.at(i % 64), i);
    for (index_t half = 32; half >= 1; half /= 2)
      for (index_t l = 0; l < half; ++l) lane.at(l) = join(lane.at(l), lane.at(l + half));
    blocks.push_back(lane.at(0));
  }
  return blocks;
}

/// Sum of a(p) b(p), p = 0..k-1, as a reduction: what blocks leave are the terms of the next level, until one is left.
template <class T>
T reduced_sum(index_t k, const matrix<T>& a, const matrix<T>& b) {
  const auto add = [](T s, T t) { return s + t; };
  auto sums = reduced_blocks(
      k, T(0), [&](T s, index_t p) { return std::fma(a(p), b(p), s); }, add);
  while (sums.size() > 1) {
    const auto terms = sums;
    sums = reduced_blocks(
        static_cast<index_t>(terms.size()), T(0), [&](T s, index_t p) { return s + terms.at(p); }, add);
  }
  return sums.at(0);
}

/// alpha S + beta c. `c` counts as not read if beta == 0.
template <class T>
T epilogue(T alpha, T sum, T beta, T c) {
  T r;
  if (beta == T(0)) {
    r = alpha == T(1) ? sum : alpha * sum;
  } else {
    const T t = beta == T(1) ? c : beta * c;
    r = std::fma(alpha, sum, t);
  }
  return one_nan(r);
}

/// What is left where alpha == 0 or k == 0.
template <class T>
T epilogue_without_terms(T beta, T c) {
  if (beta == T(0)) return T(0);
  if (beta == T(1)) return c;  // untouched: a NaN keeps its payload
  return one_nan(beta * c);
}

// ---------------------------------------------------------------------------------------------------------------------
// The functions.

template <class T>
T dot(const matrix<T>& x, const matrix<T>& y) {
  return one_nan(reduced_sum(x.rows, x, y));
}

template <class T>
T sum(const matrix<T>& x) {
  return dot(x, matrix<T>(x.rows, 1, T(1)));
}

template <class T>
T asum(const matrix<T>& x) {
  matrix<T> magnitudes = x;
  for (T& e : magnitudes.elements) e = std::fabs(e);
  return sum(magnitudes);
}

/// Square root of the dot product of x with itself; where that leaves a range, of x times a power of two.
template <class T>
T nrm2(const matrix<T>& x) {
  const int exponent = sizeof(T) == 4 ? 90 : 600, least = sizeof(T) == 4 ? -90 : -900;
  const auto scaled = [&](int by) {
    matrix<T> v = x;
    for (T& e : v.elements) e = e * std::ldexp(T(1), by);
    return one_nan(std::sqrt(dot(v, v)) * std::ldexp(T(1), -by));
  };
  const T squares = dot(x, x);
  if (std::isnan(squares) || std::isinf(squares)) return scaled(-exponent);
  return squares < std::ldexp(T(1), least) ? scaled(exponent) : std::sqrt(squares);
}

/// The first NaN, else the first element of largest magnitude; -1 where there is none.
template <class T>
index_t iamax(const matrix<T>& x) {
  for (index_t i = 0; i < x.rows; ++i)
    if (std::isnan(x(i))) return i;
  index_t largest = x.rows > 0 ? 0 : -1;
  for (index_t i = 1; i < x.rows; ++i)
    if (std::fabs(x(i)) > std::fabs(x(largest))) largest = i;
  return largest;
}

/// Element (i, j) of alpha op(A) op(B) + beta C.
template <class T>
T gemm_element(index_t i, index_t j, char trans_a, char trans_b, T alpha, const matrix<T>& A, const matrix<T>& B,
               T beta, const matrix<T>& C) {
  const index_t k = transposes(trans_a) ? A.rows : A.cols;
  if (alpha == T(0) || k == 0) return epilogue_without_terms(beta, C(i, j));
  const T sum = canonical_sum<T>(
      k, [&](index_t p) { return transposes(trans_a) ? A(p, i) : A(i, p); },
      [&](index_t p) { return transposes(trans_b) ? B(j, p) : B(p, j); });
  return epilogue(alpha, sum, beta, C(i, j));
}

template <class T>
matrix<T> gemm(char trans_a, char trans_b, T alpha, const matrix<T>& A, const matrix<T>& B, T beta,
               const matrix<T>& C) {
  matrix<T> result(C.rows, C.cols);
  for (index_t j = 0; j < C.cols; ++j)
    for (index_t i = 0; i < C.rows; ++i) result(i, j) = gemm_element(i, j, trans_a, trans_b, alpha, A, B, beta, C);
  return result;
}

inline bool in_triangle(char uplo, index_t i, index_t j) { return uplo == 'L' || uplo == 'l' ? i >= j : i <= j; }

/// One triangle of it; the other is as it was, bit by bit.
template <class T>
matrix<T> gemmt(char uplo, char trans_a, char trans_b, T alpha, const matrix<T>& A, const matrix<T>& B, T beta,
                const matrix<T>& C) {
  matrix<T> result = C;
  for (index_t j = 0; j < C.cols; ++j)
    for (index_t i = 0; i < C.rows; ++i)
      if (in_triangle(uplo, i, j)) result(i, j) = gemm_element(i, j, trans_a, trans_b, alpha, A, B, beta, C);
  return result;
}

template <class T>
matrix<T> gemv(char trans, T alpha, const matrix<T>& A, const matrix<T>& x, T beta, const matrix<T>& y) {
  return gemm(trans, 'N', alpha, A, x, beta, y);
}

template <class T>
matrix<T> transpose(const matrix<T>& A) {
  matrix<T> result(A.cols, A.rows);
  for (index_t j = 0; j < A.cols; ++j)
    for (index_t i = 0; i < A.rows; ++i) std::memcpy(&result(j, i), &A(i, j), sizeof(T));
  return result;
}

/// alpha x + beta y, element by element.
template <class T>
matrix<T> axpby(T alpha, const matrix<T>& x, T beta, const matrix<T>& y) {
  matrix<T> result(y.rows, y.cols);
  for (index_t j = 0; j < y.cols; ++j)
    for (index_t i = 0; i < y.rows; ++i)
      result(i, j) = alpha == T(0) ? epilogue_without_terms(beta, y(i, j)) : epilogue(alpha, x(i, j), beta, y(i, j));
  return result;
}

template <class T>
matrix<T> scal(T alpha, const matrix<T>& x) {
  return axpby(alpha, x, T(0), x);
}

/// alpha x + y. With alpha == 0 the bits of y arrive untouched.
template <class T>
matrix<T> triad(T alpha, const matrix<T>& x, const matrix<T>& y) {
  return axpby(alpha, x, T(1), y);
}

template <class T>
matrix<T> increment(T value, const matrix<T>& x) {
  matrix<T> result(x.rows, 1);
  for (index_t i = 0; i < x.rows; ++i) result(i) = one_nan(x(i) + value);
  return result;
}

}  // namespace abax::reference

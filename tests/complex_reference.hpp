// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The oracle for complex numbers: the canon (docs/canon.md) in scalar loops over their parts, written to be checked by
/// eye. A complex sum is two real ones of twice as many terms, which reference.hpp adds up.
#include <Kokkos_Complex.hpp>

#include "reference.hpp"

namespace abax::reference {

template <class R>
using complex = Kokkos::complex<R>;

template <class R>
complex<R> one_nan(const complex<R>& r) {
  return {one_nan(r.real()), one_nan(r.imag())};
}

/// a b: each part by one product and one fma.
template <class R>
complex<R> multiply(const complex<R>& a, const complex<R>& b) {
  return {std::fma(-a.imag(), b.imag(), a.real() * b.real()), std::fma(a.imag(), b.real(), a.real() * b.imag())};
}
/// a b + c: each part by two fma.
template <class R>
complex<R> multiply_add(const complex<R>& a, const complex<R>& b, const complex<R>& c) {
  return {std::fma(-a.imag(), b.imag(), std::fma(a.real(), b.real(), c.real())),
          std::fma(a.imag(), b.real(), std::fma(a.real(), b.imag(), c.imag()))};
}
template <class R>
bool is(const complex<R>& x, int value) {
  return x.real() == R(value) && x.imag() == R(0);
}

/// Element (i, j) of op(X): of "N", "T" or "C".
template <class R>
complex<R> element_of(char op, const matrix<complex<R>>& x, index_t i, index_t j) {
  if (!transposes(op)) return x(i, j);
  const complex<R> e = x(j, i);
  return op == 'C' || op == 'c' ? complex<R>(e.real(), -e.imag()) : e;
}

/// Sum of a(p) b(p): re's terms are ar br, -ai bi, im's are ar bi, ai br, one after another.
template <class R, class A, class B>
complex<R> complex_sum(index_t k, const A& a, const B& b) {
  const auto real = canonical_sum<R>(
      2 * k, [&](index_t t) { return t % 2 == 0 ? a(t / 2).real() : -a(t / 2).imag(); },
      [&](index_t t) { return t % 2 == 0 ? b(t / 2).real() : b(t / 2).imag(); });
  const auto imaginary = canonical_sum<R>(
      2 * k, [&](index_t t) { return t % 2 == 0 ? a(t / 2).real() : a(t / 2).imag(); },
      [&](index_t t) { return t % 2 == 0 ? b(t / 2).imag() : b(t / 2).real(); });
  return {real, imaginary};
}

template <class R>
complex<R> epilogue(const complex<R>& alpha, const complex<R>& sum, const complex<R>& beta, const complex<R>& c) {
  if (is(beta, 0)) return one_nan(is(alpha, 1) ? sum : multiply(alpha, sum));
  return one_nan(multiply_add(alpha, sum, is(beta, 1) ? c : multiply(beta, c)));
}
template <class R>
complex<R> epilogue_without_terms(const complex<R>& beta, const complex<R>& c) {
  if (is(beta, 0)) return {R(0), R(0)};
  return is(beta, 1) ? c : one_nan(multiply(beta, c));
}

template <class R>
complex<R> gemm_element(index_t i, index_t j, char trans_a, char trans_b, const complex<R>& alpha,
                        const matrix<complex<R>>& A, const matrix<complex<R>>& B, const complex<R>& beta,
                        const matrix<complex<R>>& C) {
  const index_t k = transposes(trans_a) ? A.rows : A.cols;
  if (is(alpha, 0) || k == 0) return epilogue_without_terms(beta, C(i, j));
  const auto sum = complex_sum<R>(
      k, [&](index_t p) { return element_of(trans_a, A, i, p); },
      [&](index_t p) { return element_of(trans_b, B, p, j); });
  return epilogue(alpha, sum, beta, C(i, j));
}

template <class R>
matrix<complex<R>> gemm(char trans_a, char trans_b, const complex<R>& alpha, const matrix<complex<R>>& A,
                        const matrix<complex<R>>& B, const complex<R>& beta, const matrix<complex<R>>& C) {
  matrix<complex<R>> result(C.rows, C.cols);
  for (index_t j = 0; j < C.cols; ++j)
    for (index_t i = 0; i < C.rows; ++i) result(i, j) = gemm_element(i, j, trans_a, trans_b, alpha, A, B, beta, C);
  return result;
}

/// One triangle of it; of a Hermitian one the diagonal is real, unless C stays as it is.
template <class R>
matrix<complex<R>> gemmt(char uplo, char trans_a, char trans_b, const complex<R>& alpha, const matrix<complex<R>>& A,
                         const matrix<complex<R>>& B, const complex<R>& beta, const matrix<complex<R>>& C,
                         bool hermitian = false) {
  const index_t k = transposes(trans_a) ? A.rows : A.cols;
  const bool stays = (is(alpha, 0) || k == 0) && is(beta, 1);
  matrix<complex<R>> result = C, old = C;
  if (hermitian && !stays)
    for (index_t i = 0; i < C.rows; ++i) old(i, i) = complex<R>(C(i, i).real(), R(0));
  for (index_t j = 0; j < C.cols; ++j)
    for (index_t i = 0; i < C.rows; ++i) {
      if (!in_triangle(uplo, i, j)) continue;
      complex<R> e = gemm_element(i, j, trans_a, trans_b, alpha, A, B, beta, old);
      if (hermitian && i == j && !stays) e = complex<R>(e.real(), R(0));
      result(i, j) = e;
    }
  return result;
}

/// Real and imaginary parts in turn.
template <class R>
matrix<R> parts_of(const matrix<complex<R>>& x) {
  matrix<R> parts(2 * x.rows, 1);
  for (index_t i = 0; i < x.rows; ++i) {
    parts(2 * i) = x(i).real();
    parts(2 * i + 1) = x(i).imag();
  }
  return parts;
}

/// Sum of x_i y_i, or of conj(x_i) y_i: two reductions of twice as many terms.
template <class R>
complex<R> dot(const matrix<complex<R>>& x, const matrix<complex<R>>& y, bool conjugated) {
  matrix<complex<R>> a = x, plain = x, signs = x, swapped = y;
  for (index_t i = 0; i < x.rows; ++i) {
    a(i) = complex<R>(x(i).real(), conjugated ? -x(i).imag() : x(i).imag());
    signs(i) = complex<R>(a(i).real(), -a(i).imag());
    swapped(i) = complex<R>(y(i).imag(), y(i).real());
  }
  return {one_nan(reduced_sum(2 * x.rows, parts_of(signs), parts_of(y))),
          one_nan(reduced_sum(2 * x.rows, parts_of(a), parts_of(swapped)))};
}
template <class R>
R asum(const matrix<complex<R>>& x) {
  return asum(parts_of(x));
}
template <class R>
R nrm2(const matrix<complex<R>>& x) {
  return nrm2(parts_of(x));
}
/// Of |re| + |im|, rounded once.
template <class R>
index_t iamax(const matrix<complex<R>>& x) {
  matrix<R> magnitudes(x.rows, 1);
  for (index_t i = 0; i < x.rows; ++i) magnitudes(i) = std::fabs(x(i).real()) + std::fabs(x(i).imag());
  return iamax(magnitudes);
}

template <class R>
matrix<complex<R>> axpby(const complex<R>& alpha, const matrix<complex<R>>& x, const complex<R>& beta,
                         const matrix<complex<R>>& y) {
  matrix<complex<R>> result(y.rows, y.cols);
  for (index_t j = 0; j < y.cols; ++j)
    for (index_t i = 0; i < y.rows; ++i)
      result(i, j) = is(alpha, 0) ? epilogue_without_terms(beta, y(i, j)) : epilogue(alpha, x(i, j), beta, y(i, j));
  return result;
}

/// A^T, or A^H: bits are moved, and a sign bit changes.
template <class R>
matrix<complex<R>> transpose(const matrix<complex<R>>& A, bool conjugated) {
  matrix<complex<R>> result(A.cols, A.rows);
  for (index_t j = 0; j < A.cols; ++j)
    for (index_t i = 0; i < A.rows; ++i) {
      unsigned char e[2 * sizeof(R)];
      std::memcpy(e, &A(i, j), sizeof e);
      if (conjugated) e[2 * sizeof(R) - 1] ^= 0x80;  // little-endian: the sign of the imaginary part
      std::memcpy(static_cast<void*>(&result(j, i)), e, sizeof e);
    }
  return result;
}

}  // namespace abax::reference

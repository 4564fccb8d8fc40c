// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Matrix products: gemm, gemmt, syrk, herk and gemv, column-major. A call by rows comes as the transposed one that it
/// is by columns, and as such is checked; but what is `turned` computes the caller's own, which lies by rows, because
/// of complex numbers A B and B^T A^T differ in the order of a term's products.
#include <cstdint>
#include <type_traits>

#include "arguments.hpp"
#include "target.hpp"

namespace abax::blas {

/// C <- alpha op(A) op(B) + beta C, column-major; see gemm_by_columns.
template <class T>
struct gemm {
  char trans_a, trans_b;
  std::int64_t m, n, k;
  T alpha;
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
  T beta;
  T* c;
  std::int64_t ldc;
  bool turned = false;

  /// By columns what these arguments are by rows.
  gemm of_rows() const { return {trans_b, trans_a, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc, true}; }
  int check() const {
    if (!is_transposition(trans_a)) return 1;
    if (!is_transposition(trans_b)) return 2;
    if (m < 0) return 3;
    if (n < 0) return 4;
    if (k < 0) return 5;
    const std::int64_t rows_a = transposes(trans_a) ? k : m, rows_b = transposes(trans_b) ? n : k;
    if (lda < least_ld(rows_a)) return 8;
    if (ldb < least_ld(rows_b)) return 10;
    if (ldc < least_ld(m)) return 13;
    if (returns_at_once()) return 0;
    if (multiplies()) {
      if (const int info = fault(7, a, rows_a, transposes(trans_a) ? m : k, lda)) return info;
      if (const int info = fault(9, b, rows_b, transposes(trans_b) ? k : n, ldb)) return info;
    }
    return fault(12, c, m, n, ldc);
  }
  void run() const {
    if (returns_at_once()) return;
    const T *const A = multiplies() ? a : nullptr, *const B = multiplies() ? b : nullptr;
    if (multiplies() && double(m) * double(n) * double(k) >= chosen_integer_terms()) return run_by_integers();
    if constexpr (device::exists)
      if (device::gemm(turned, trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, c, ldc)) return;
    if constexpr (!is_complex<T>)
      if (may_run_at_once() && multiplies() &&
          c::gemm_at_once(transposes(trans_a), transposes(trans_b), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
        return;
    run_planned(A, B);
  }
  void describe(c::line& text) const {
    text.add_arguments("transA,transB,m,n,k,alpha,lda,ldb,beta,ldc", trans_a, trans_b, m, n, k, alpha, lda, ldb, beta,
                       ldc);
  }

 private:
  /// Apart from what small products wait for.
  [[gnu::noinline]] void run_planned(const T* A, const T* B) const {
    abax_stream* const stream = host_stream();
    require_success(gemm_by_columns(stream, turned, trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, c, ldc),
                    stream, "gemm");
  }
  [[gnu::noinline]] void run_by_integers() const {
    const std::int64_t rows_a = transposes(trans_a) ? k : m, cols_a = transposes(trans_a) ? m : k;
    const std::int64_t rows_b = transposes(trans_b) ? n : k, cols_b = transposes(trans_b) ? k : n;
    call here("gemm", {range_of(a, m * k), range_of(b, n * k), range_of(c, m * n)});
    const auto A = here.use(a, rows_a, cols_a, lda, access::read);
    const auto B = here.use(b, rows_b, cols_b, ldb, access::read);
    const auto C = here.use(c, m, n, ldc, is_zero(beta) ? access::write : access::update);
    here.require(turned ? interface<T>::gemm_integer(here.stream(), trans_b, trans_a, n, m, k, alpha, B.data, B.ld, 1,
                                                     A.data, A.ld, 1, beta, C.data, C.ld, 1, 0)
                        : interface<T>::gemm_integer(here.stream(), trans_a, trans_b, m, n, k, alpha, A.data, 1, A.ld,
                                                     B.data, 1, B.ld, beta, C.data, 1, C.ld, 0));
    here.finish();
  }
  bool multiplies() const { return !is_zero(alpha) && k != 0; }
  bool returns_at_once() const { return m == 0 || n == 0 || (!multiplies() && is_one(beta)); }
};

/// One triangle of C <- alpha op(A) op(B) + beta C, column-major. (A C that is not the stream's memory comes and goes
/// as a whole.)
template <class T>
struct gemmt {
  char uplo, trans_a, trans_b;
  std::int64_t n, k;
  T alpha;
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
  T beta;
  T* c;
  std::int64_t ldc;
  bool turned = false;

  int check() const {
    if (!is_triangle(uplo)) return 1;
    if (!is_transposition(trans_a)) return 2;
    if (!is_transposition(trans_b)) return 3;
    if (n < 0) return 4;
    if (k < 0) return 5;
    if (lda < least_ld(rows_a())) return 8;
    if (ldb < least_ld(rows_b())) return 10;
    if (ldc < least_ld(n)) return 13;
    if (returns_at_once()) return 0;
    if (multiplies()) {
      if (const int info = fault(7, a, rows_a(), cols_a(), lda)) return info;
      if (const int info = fault(9, b, rows_b(), cols_b(), ldb)) return info;
    }
    return fault(12, c, n, n, ldc);
  }
  void run() const {
    if (returns_at_once()) return;
    const auto on = [&](call& here, const matrix<const T>& A, const matrix<const T>& B) {
      const auto C = here.use(c, n, n, ldc, access::update);
      here.require(turned ? interface<T>::gemmt(here.stream(), other(uplo), trans_b, trans_a, n, k, alpha, B.data, B.ld,
                                                1, A.data, A.ld, 1, beta, C.data, C.ld, 1)
                          : interface<T>::gemmt(here.stream(), uplo, trans_a, trans_b, n, k, alpha, A.data, 1, A.ld,
                                                B.data, 1, B.ld, beta, C.data, 1, C.ld));
      here.finish();
    };
    if (!multiplies()) {
      call here("gemmt", {range_of(c, n * n)});
      return on(here, {nullptr, lda}, {nullptr, ldb});
    }
    call here("gemmt", {range_of(a, n * k), range_of(b, n * k), range_of(c, n * n)});
    const auto A = here.use(a, rows_a(), cols_a(), lda, access::read);
    const auto B = here.use(b, rows_b(), cols_b(), ldb, access::read);
    on(here, A, B);
  }
  void describe(c::line& text) const {
    text.add_arguments("uplo,transA,transB,n,k,alpha,lda,ldb,beta,ldc", uplo, trans_a, trans_b, n, k, alpha, lda, ldb,
                       beta, ldc);
  }

 private:
  std::int64_t rows_a() const { return transposes(trans_a) ? k : n; }
  std::int64_t cols_a() const { return transposes(trans_a) ? n : k; }
  std::int64_t rows_b() const { return transposes(trans_b) ? n : k; }
  std::int64_t cols_b() const { return transposes(trans_b) ? k : n; }
  bool multiplies() const { return !is_zero(alpha) && k != 0; }
  bool returns_at_once() const { return n == 0 || (!multiplies() && is_one(beta)); }
};

/// The same with op(A)^T for op(B), or with op(A)^H and real alpha and beta.
template <class T, bool hermitian>
struct rank_k {
  using factor = std::conditional_t<hermitian, real_of<T>, T>;

  char uplo, trans;
  std::int64_t n, k;
  factor alpha;
  const T* a;
  std::int64_t lda;
  factor beta;
  T* c;
  std::int64_t ldc;
  bool turned = false;

  /// Of complex numbers one of the two transpositions alone gives such a C.
  static bool takes(char trans) {
    return is_transposition(trans) && (!is_complex<T> || !transposes(trans) || conjugates(trans) == hermitian);
  }
  int check() const {
    if (!is_triangle(uplo)) return 1;
    if (!takes(trans)) return 2;
    if (n < 0) return 3;
    if (k < 0) return 4;
    if (lda < least_ld(rows())) return 7;
    if (ldc < least_ld(n)) return 10;
    if (returns_at_once()) return 0;
    if (multiplies())
      if (const int info = fault(6, a, rows(), cols(), lda)) return info;
    return fault(9, c, n, n, ldc);
  }
  void run() const {
    if (returns_at_once()) return;
    const auto on = [&](call& here, const matrix<const T>& A) {
      const auto C = here.use(c, n, n, ldc, access::update);
      const auto update = [&] {
        if constexpr (hermitian)
          return interface<T>::herk;
        else
          return interface<T>::syrk;
      }();
      here.require(turned ? update(here.stream(), other(uplo), turned_back(), n, k, alpha, A.data, A.ld, 1, beta,
                                   C.data, C.ld, 1)
                          : update(here.stream(), uplo, trans, n, k, alpha, A.data, 1, A.ld, beta, C.data, 1, C.ld));
      here.finish();
    };
    if (!multiplies()) {
      call here(name, {range_of(c, n * n)});
      return on(here, {nullptr, lda});
    }
    call here(name, {range_of(a, n * k), range_of(c, n * n)});
    const auto A = here.use(a, rows(), cols(), lda, access::read);
    on(here, A);
  }
  void describe(c::line& text) const {
    text.add_arguments("uplo,trans,n,k,alpha,lda,beta,ldc", uplo, trans, n, k, alpha, lda, beta, ldc);
  }
  /// What is asked of the matrix by rows.
  char turned_back() const { return transposes(trans) ? 'N' : hermitian ? 'C' : 'T'; }

 private:
  static constexpr const char* name = hermitian ? "herk" : "syrk";
  std::int64_t rows() const { return transposes(trans) ? k : n; }
  std::int64_t cols() const { return transposes(trans) ? n : k; }
  bool multiplies() const { return !is_zero(alpha) && k != 0; }
  bool returns_at_once() const { return n == 0 || (!multiplies() && is_one(beta)); }
};
template <class T>
using syrk = rank_k<T, false>;
template <class T>
using herk = rank_k<T, true>;

/// y <- alpha op(A) x + beta y, column-major, A m x n as it lies.
template <class T>
struct gemv {
  char trans;
  std::int64_t m, n;
  T alpha;
  const T* a;
  std::int64_t lda;
  const T* x;
  std::int64_t incx;
  T beta;
  T* y;
  std::int64_t incy;
  char trans_by_rows = 0;  ///< what is asked of the matrix by rows; 0: it lies by columns

  int check() const {
    if (!is_transposition(trans)) return 1;
    if (m < 0) return 2;
    if (n < 0) return 3;
    if (lda < least_ld(m)) return 6;
    if (incx == 0) return 8;
    if (incy == 0) return 11;
    if (returns_at_once()) return 0;
    if (!is_zero(alpha)) {
      if (const int info = fault(5, a, m, n, lda)) return info;
      if (const int info = fault(7, x, terms(), incx)) return info;
    }
    return fault(10, y, outputs(), incy);
  }
  void run() const {
    if (returns_at_once()) return;
    const access of_y = is_zero(beta) ? access::write : access::update;
    if (is_zero(alpha)) {
      call here("gemv", {range_of(y, outputs())});
      const auto Y = here.use(y, outputs(), incy, of_y);
      here.require(
          interface<T>::gemv(here.stream(), trans, m, n, alpha, nullptr, 1, lda, nullptr, 1, beta, Y.data, Y.inc));
      return here.finish();
    }
    call here("gemv", {range_of(a, m * n), range_of(x, terms()), range_of(y, outputs())});
    const bool turn = transposes(trans);
    if constexpr (!is_complex<T>)
      if (may_run_at_once() && here.is_on_host() &&
          c::gemv_at_once(outputs(), terms(), alpha, a, turn ? lda : 1, turn ? 1 : lda, first(x, terms(), incx), incx,
                          beta, first(y, outputs(), incy), incy))
        return;
    const auto A = here.use(a, m, n, lda, access::read);
    const auto X = here.use(x, terms(), incx, access::read);
    const auto Y = here.use(y, outputs(), incy, of_y);
    here.require(trans_by_rows != 0 ? interface<T>::gemv(here.stream(), trans_by_rows, n, m, alpha, A.data, A.ld, 1,
                                                         X.data, X.inc, beta, Y.data, Y.inc)
                                    : interface<T>::gemv(here.stream(), trans, m, n, alpha, A.data, 1, A.ld, X.data,
                                                         X.inc, beta, Y.data, Y.inc));
    here.finish();
  }
  void describe(c::line& text) const {
    text.add_arguments("trans,m,n,alpha,lda,incx,beta,incy", trans, m, n, alpha, lda, incx, beta, incy);
  }

 private:
  std::int64_t terms() const { return transposes(trans) ? m : n; }
  std::int64_t outputs() const { return transposes(trans) ? n : m; }
  bool returns_at_once() const { return m == 0 || n == 0 || (is_zero(alpha) && is_one(beta)); }
};

}  // namespace abax::blas

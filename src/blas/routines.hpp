// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The reference BLAS' routines, once for all their names, precisions and widths of integers. Each is a struct of its
/// arguments in their order: check() looks at them in the reference's, run() has the reference's quick returns, counts
/// increments from either end, and calls the C interface on the stream of the call.
///
/// check() answers with the number of the first bad argument in the Fortran argument list, 0 if there is none. After
/// the reference's list it looks at the operands that would be read or written: the number of one that is a null
/// pointer, or, where an operand does not fit the address space, that of its leading dimension or increment. Source:
/// Netlib's reference BLAS 3.11 (BLAS/SRC).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "../c/addresses.hpp"
#include "../c/at_once.hpp"
#include "../c/verbose.hpp"
#include "abax/abax.h"
#include "abax/detail/backends/portable/gradual_underflow.hpp"
#include "abax/detail/launch/trace.hpp"
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

inline bool is_triangle(char uplo) { return uplo == 'L' || uplo == 'l' || uplo == 'U' || uplo == 'u'; }

inline std::int64_t least_ld(std::int64_t rows) { return std::max<std::int64_t>(1, rows); }

/// What is wrong with a rows x cols operand, argument number `at`, or with the leading dimension that follows it.
template <class T>
int fault(int at, const T* data, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  if (data == nullptr) return at;
  return c::has_addresses(data, rows, cols, 1, ld) ? 0 : at + 1;
}
/// The same for a vector, which begins at `x` whatever its increment's sign.
template <class T>
int fault(int at, const T* x, std::int64_t n, std::int64_t incx) {
  return fault(at, x, 1, n, std::abs(std::max(incx, -std::numeric_limits<std::int64_t>::max())));
}

/// The C interface by type.
template <class T>
struct interface;
template <>
struct interface<float> {
  static constexpr auto gemm = abax_sgemm;
  static constexpr auto gemm_batched = abax_sgemm_batched;
  static constexpr auto gemm_batched_at = abax_sgemm_batched_at;
  static constexpr auto gemmt = abax_sgemmt;
  static constexpr auto syrk = abax_ssyrk;
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
  static constexpr auto gemm_batched = abax_dgemm_batched;
  static constexpr auto gemm_batched_at = abax_dgemm_batched_at;
  static constexpr auto gemmt = abax_dgemmt;
  static constexpr auto syrk = abax_dsyrk;
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

/// Whether a small call of the host may go past abax.h.
inline bool may_run_at_once() { return c::is_silent() && host_opened.load(std::memory_order_relaxed); }

/// C <- alpha op(A) op(B) + beta C, column-major.
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
    if constexpr (device::exists)
      if (device::gemm(trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, c, ldc)) return;
    if (may_run_at_once() && multiplies() &&
        c::gemm_at_once(transposes(trans_a), transposes(trans_b), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
      return;
    abax_stream* const stream = host_stream();
    require_success(interface<T>::gemm(stream, trans_a, trans_b, m, n, k, alpha, A, 1, lda, B, 1, ldb, beta, c, 1, ldc),
                    stream, "gemm");
  }
  void describe(c::line& text) const {
    text.add_arguments("transA,transB,m,n,k,alpha,lda,ldb,beta,ldc", trans_a, trans_b, m, n, k, alpha, lda, ldb, beta,
                       ldc);
  }

 private:
  bool multiplies() const { return !is_zero(alpha) && k != 0; }
  bool returns_at_once() const { return m == 0 || n == 0 || (!multiplies() && is_one(beta)); }
};

/// The shape of a batch's products. Their matrices lie by columns or by rows.
struct batch_shape {
  /// Lines of so many elements, so many lines, and the distance from one to the next.
  struct matrix {
    std::int64_t length, lines, ld;
  };
  bool by_rows;
  char trans_a, trans_b;
  std::int64_t m, n, k, lda, ldb, ldc;

  matrix a() const { return lying(transposes(trans_a) ? k : m, transposes(trans_a) ? m : k, lda); }
  matrix b() const { return lying(transposes(trans_b) ? n : k, transposes(trans_b) ? k : n, ldb); }
  matrix c() const { return lying(m, n, ldc); }
  bool is_empty() const { return m == 0 || n == 0; }

  /// The leading dimensions are arguments number 8, `at_ldb` and `at_ldc`.
  int check(int at_ldb, int at_ldc) const {
    if (!is_transposition(trans_a)) return 1;
    if (!is_transposition(trans_b)) return 2;
    if (m < 0) return 3;
    if (n < 0) return 4;
    if (k < 0) return 5;
    if (lda < least_ld(a().length)) return 8;
    if (ldb < least_ld(b().length)) return at_ldb;
    return ldc < least_ld(c().length) ? at_ldc : 0;
  }

 private:
  matrix lying(std::int64_t rows, std::int64_t cols, std::int64_t ld) const {
    return by_rows ? matrix{cols, rows, ld} : matrix{rows, cols, ld};
  }
};

/// C_i <- alpha op(A_i) op(B_i) + beta C_i for `items` items, each as far from the one before it as the strides say; as
/// in MKL and OpenBLAS. (A C that is not the stream's memory comes and goes with all that lies between its elements.)
template <class T>
struct gemm_batch_strided {
  batch_shape shape;
  T alpha;
  const T* a;
  std::int64_t stride_a;
  const T* b;
  std::int64_t stride_b;
  T beta;
  T* c;
  std::int64_t stride_c, items;

  int check() const {
    if (const int info = shape.check(11, 15)) return info;
    if (stride_a < 0) return 9;
    if (stride_b < 0) return 12;
    if (stride_c < 0) return 16;
    if (items < 0) return 17;
    if (returns_at_once()) return 0;
    if (multiplies()) {
      if (const int info = fault_of_items(7, a, shape.a(), stride_a)) return info;
      if (const int info = fault_of_items(10, b, shape.b(), stride_b)) return info;
    }
    return fault_of_items(14, c, shape.c(), stride_c);
  }
  void run() const {
    if (returns_at_once()) return;
    const std::int64_t size_c = size(shape.c(), stride_c);
    const auto on = [&](call& here, const T* A, const T* B) {
      T* const C = here.use(c, size_c, 1, size_c, access::update).data;
      const auto row = [&](std::int64_t ld) { return shape.by_rows ? ld : 1; };
      const auto col = [&](std::int64_t ld) { return shape.by_rows ? 1 : ld; };
      const auto& s = shape;
      here.require(interface<T>::gemm_batched(here.stream(), s.trans_a, s.trans_b, items, s.m, s.n, s.k, alpha, A,
                                              stride_a, row(s.lda), col(s.lda), B, stride_b, row(s.ldb), col(s.ldb),
                                              beta, C, stride_c, row(s.ldc), col(s.ldc)));
      here.finish();
    };
    if (!multiplies()) {
      call here("gemm_batch_strided", {range_of(c, size_c)});
      return on(here, nullptr, nullptr);
    }
    const std::int64_t size_a = size(shape.a(), stride_a), size_b = size(shape.b(), stride_b);
    call here("gemm_batch_strided", {range_of(a, size_a), range_of(b, size_b), range_of(c, size_c)});
    const T* const A = here.use(a, size_a, 1, size_a, access::read).data;
    on(here, A, here.use(b, size_b, 1, size_b, access::read).data);
  }
  void describe(c::line& text) const {
    text.add_arguments("transA,transB,m,n,k,alpha,lda,stridea,ldb,strideb,beta,ldc,stridec,batch_size", shape.trans_a,
                       shape.trans_b, shape.m, shape.n, shape.k, alpha, shape.lda, stride_a, shape.ldb, stride_b, beta,
                       shape.ldc, stride_c, items);
  }

 private:
  bool multiplies() const { return !is_zero(alpha) && shape.k != 0; }
  bool returns_at_once() const { return items == 0 || shape.is_empty() || (!multiplies() && is_one(beta)); }
  /// Elements from the first one to the last.
  std::int64_t size(const batch_shape::matrix& one, std::int64_t stride) const {
    return (items - 1) * stride + (one.lines - 1) * one.ld + one.length;
  }
  /// As that of one matrix; where the items do not fit the address space, the number of their stride.
  int fault_of_items(int at, const T* data, const batch_shape::matrix& one, std::int64_t stride) const {
    if (const int info = fault(at, data, one.length, one.lines, one.ld)) return info;
    return c::has_addresses(data, (one.lines - 1) * one.ld + one.length, items, 1, stride) ? 0 : at + 2;
  }
};

/// Groups of such products, the items of each group of one shape, whose matrices begin where arrays of pointers say; as
/// in MKL and OpenBLAS. All other arrays have an element for each group. `letter` makes a transposition a letter.
template <class T, class Int, class Trans>
struct gemm_batch {
  bool by_rows;
  char (*letter)(Trans);
  const Trans *trans_a, *trans_b;
  const Int *m, *n, *k;
  const T* alpha;
  const T* const* a;
  const Int* lda;
  const T* const* b;
  const Int* ldb;
  const T* beta;
  T* const* c;
  const Int* ldc;
  Int group_count;
  const Int* group_size;

  int check() const {
    if (group_count < 0) return 14;
    int info = 0;
    for_each_group([&](Int g, std::int64_t first) {
      if (info == 0) info = check(g, first);
    });
    return info;
  }
  void run() const {
    for_each_group([&](Int g, std::int64_t first) {
      if (!returns_at_once(g)) run(g, first);
    });
  }
  void describe(c::line& text) const { text.add_arguments("group_count", group_count); }

 private:
  template <class Visit>
  void for_each_group(const Visit& visit) const {
    std::int64_t first = 0;
    for (Int g = 0; g < group_count; ++g) {
      visit(g, first);
      first += std::max<Int>(0, group_size[g]);
    }
  }
  batch_shape shape(Int g) const {
    return {by_rows, letter(trans_a[g]), letter(trans_b[g]), m[g], n[g], k[g], lda[g], ldb[g], ldc[g]};
  }
  bool multiplies(Int g) const { return !is_zero(alpha[g]) && k[g] != 0; }
  bool returns_at_once(Int g) const {
    return group_size[g] == 0 || m[g] == 0 || n[g] == 0 || (!multiplies(g) && is_one(beta[g]));
  }
  int check(Int g, std::int64_t first) const {
    const batch_shape s = shape(g);
    if (const int info = s.check(10, 13)) return info;
    if (group_size[g] < 0) return 15;
    if (returns_at_once(g)) return 0;
    const auto fault_of = [](int at, const T* data, const batch_shape::matrix& one) {
      return fault(at, data, one.length, one.lines, one.ld);
    };
    for (std::int64_t i = first; i < first + group_size[g]; ++i) {
      if (multiplies(g)) {
        if (const int info = fault_of(7, a[i], s.a())) return info;
        if (const int info = fault_of(9, b[i], s.b())) return info;
      }
      if (const int info = fault_of(12, c[i], s.c())) return info;
    }
    return 0;
  }
  void run(Int g, std::int64_t first) const {
    batch_shape s = shape(g);
    const T *const *from_a = multiplies(g) ? a + first : nullptr, *const *from_b = multiplies(g) ? b + first : nullptr;
    if (by_rows) {  // by columns C^T <- alpha op(B)^T op(A)^T + beta C^T
      std::swap(from_a, from_b);
      std::swap(s.trans_a, s.trans_b);
      std::swap(s.m, s.n);
      std::swap(s.lda, s.ldb);
    }
    if constexpr (device::exists) {  // the first item's memory decides; there each product is on its own
      const T *const A = multiplies(g) ? *from_a : c[first], *const B = multiplies(g) ? *from_b : c[first];
      if (device::session::begin("gemm_batch", {{A, 0}, {B, 0}, {c[first], 0}})) {
        for (Int i = 0; i < group_size[g]; ++i) {
          const T *const A_i = multiplies(g) ? from_a[i] : nullptr, *const B_i = multiplies(g) ? from_b[i] : nullptr;
          gemm<T>{s.trans_a, s.trans_b, s.m, s.n, s.k, alpha[g], A_i, s.lda, B_i, s.ldb, beta[g], c[first + i], s.ldc}
              .run();
        }
        return;
      }
    }
    abax_stream* const stream = host_stream();
    require_success(interface<T>::gemm_batched_at(stream, s.trans_a, s.trans_b, group_size[g], s.m, s.n, s.k, alpha[g],
                                                  from_a, s.lda, from_b, s.ldb, beta[g], c + first, s.ldc),
                    stream, "gemm_batch");
  }
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
      here.require(interface<T>::gemmt(here.stream(), uplo, trans_a, trans_b, n, k, alpha, A.data, 1, A.ld, B.data, 1,
                                       B.ld, beta, C.data, 1, C.ld));
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

/// The same with op(A)^T for op(B).
template <class T>
struct syrk {
  char uplo, trans;
  std::int64_t n, k;
  T alpha;
  const T* a;
  std::int64_t lda;
  T beta;
  T* c;
  std::int64_t ldc;

  int check() const {
    if (!is_triangle(uplo)) return 1;
    if (!is_transposition(trans)) return 2;
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
      here.require(interface<T>::syrk(here.stream(), uplo, trans, n, k, alpha, A.data, 1, A.ld, beta, C.data, 1, C.ld));
      here.finish();
    };
    if (!multiplies()) {
      call here("syrk", {range_of(c, n * n)});
      return on(here, {nullptr, lda});
    }
    call here("syrk", {range_of(a, n * k), range_of(c, n * n)});
    const auto A = here.use(a, rows(), cols(), lda, access::read);
    on(here, A);
  }
  void describe(c::line& text) const {
    text.add_arguments("uplo,trans,n,k,alpha,lda,beta,ldc", uplo, trans, n, k, alpha, lda, beta, ldc);
  }

 private:
  std::int64_t rows() const { return transposes(trans) ? k : n; }
  std::int64_t cols() const { return transposes(trans) ? n : k; }
  bool multiplies() const { return !is_zero(alpha) && k != 0; }
  bool returns_at_once() const { return n == 0 || (!multiplies() && is_one(beta)); }
};

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
    if (may_run_at_once() && here.is_on_host() &&
        c::gemv_at_once(outputs(), terms(), alpha, a, turn ? lda : 1, turn ? 1 : lda, first(x, terms(), incx), incx,
                        beta, first(y, outputs(), incy), incy))
      return;
    const auto A = here.use(a, m, n, lda, access::read);
    const auto X = here.use(x, terms(), incx, access::read);
    const auto Y = here.use(y, outputs(), incy, of_y);
    here.require(
        interface<T>::gemv(here.stream(), trans, m, n, alpha, A.data, 1, A.ld, X.data, X.inc, beta, Y.data, Y.inc));
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

template <class T>
struct dot {
  std::int64_t n;
  const T* x;
  std::int64_t incx;
  const T* y;
  std::int64_t incy;

  int check() const {
    if (n <= 0) return 0;
    const int info = fault(2, x, n, incx);
    return info != 0 ? info : fault(4, y, n, incy);
  }
  T run() const {
    if (n <= 0) return 0;
    T result;
    call here("dot", {range_of(x, n), range_of(y, n), range_of(&result, 1)});
    if (may_run_at_once() && here.is_on_host() &&
        c::dot_at_once(n, first(x, n, incx), incx, first(y, n, incy), incy, &result))
      return result;
    const auto X = here.use(x, n, incx, access::read);
    const auto Y = here.use(y, n, incy, access::read);
    const auto R = here.use(&result, 1, 1, access::write);
    here.require(interface<T>::dot(here.stream(), n, X.data, X.inc, Y.data, Y.inc, R.data));
    here.finish();
    return result;
  }
  void describe(c::line& text) const { text.add_arguments("n,incx,incy", n, incx, incy); }
};

/// What a reduction of one vector has; `any_increment`: without, it has no terms unless the increment is positive.
template <class T, bool any_increment>
struct reduction {
  std::int64_t n;
  const T* x;
  std::int64_t incx;

  int check() const { return has_terms() ? fault(2, x, n, incx) : 0; }
  void describe(c::line& text) const { text.add_arguments("n,incx", n, incx); }

 protected:
  bool has_terms() const { return n > 0 && (any_increment || incx > 0); }
  /// What `reduce` of the C interface makes of the terms; `name` is the routine's.
  template <class Result>
  Result reduced(c::reduction kind, const char* name,
                 abax_status (*reduce)(abax_stream*, std::int64_t, const T*, std::int64_t, Result*)) const {
    Result result;
    call here(name, {range_of(x, n), range_of(&result, 1)});
    if (may_run_at_once() && here.is_on_host() && c::reduce_at_once(kind, n, first(x, n, incx), incx, &result))
      return result;
    const auto X = here.use(x, n, incx, access::read);
    const auto R = here.use(&result, 1, 1, access::write);
    here.require(reduce(here.stream(), n, X.data, X.inc, R.data));
    here.finish();
    return result;
  }
};

template <class T>
struct nrm2 : reduction<T, true> {
  T run() const { return this->has_terms() ? this->reduced(c::reduction::nrm2, "nrm2", interface<T>::nrm2) : 0; }
};

template <class T>
struct asum : reduction<T, false> {
  T run() const { return this->has_terms() ? this->reduced(c::reduction::asum, "asum", interface<T>::asum) : 0; }
};

/// Counted from 1; 0 if there is none.
template <class T>
struct iamax : reduction<T, false> {
  std::int64_t run() const {
    return this->has_terms() ? 1 + this->reduced(c::reduction::iamax, "iamax", interface<T>::iamax) : 0;
  }
};

/// y <- alpha x + y.
template <class T>
struct axpy {
  std::int64_t n;
  T alpha;
  const T* x;
  std::int64_t incx;
  T* y;
  std::int64_t incy;

  int check() const {
    if (returns_at_once()) return 0;
    const int info = fault(3, x, n, incx);
    return info != 0 ? info : fault(5, y, n, incy);
  }
  void run() const {
    if (returns_at_once()) return;
    call here("axpy", {range_of(x, n), range_of(y, n)});
    const auto X = here.use(x, n, incx, access::read);
    const auto Y = here.use(y, n, incy, access::update);
    // With an increment of zero every term goes to the one element, one after the other.
    if (incy == 0 && here.is_on_host()) {
      launch::note("loop", 1);
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
  void describe(c::line& text) const { text.add_arguments("n,alpha,incx,incy", n, alpha, incx, incy); }

 private:
  bool returns_at_once() const { return n <= 0 || is_zero(alpha); }
};

/// x <- alpha x.
template <class T>
struct scal {
  std::int64_t n;
  T alpha;
  T* x;
  std::int64_t incx;

  int check() const { return returns_at_once() ? 0 : fault(3, x, n, incx); }
  void run() const {
    if (returns_at_once()) return;
    if (is_zero(alpha)) {  // the reference multiplies here, too: signs stay, infinity and NaN become NaN
      launch::note("loop", 1);
      const auto multiply = [this](T* y, std::int64_t incy) {
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
  void describe(c::line& text) const { text.add_arguments("n,alpha,incx", n, alpha, incx); }

 private:
  bool returns_at_once() const { return n <= 0 || incx <= 0 || is_one(alpha); }
};

/// y <- x.
template <class T>
struct copy {
  std::int64_t n;
  const T* x;
  std::int64_t incx;
  T* y;
  std::int64_t incy;

  int check() const {
    if (n <= 0) return 0;
    const int info = fault(2, x, n, incx);
    return info != 0 ? info : fault(4, y, n, incy);
  }
  void run() const {
    if (n <= 0) return;
    // With an increment of zero every element goes to the one place: the last one stays.
    const T* const from = incy == 0 ? first(x, n, incx) + (n - 1) * incx : x;
    const std::int64_t count = incy == 0 ? 1 : n;
    call here("copy", {range_of(from, count), range_of(y, count)});
    const auto X = here.use(from, count, incx, access::read);
    const auto Y = here.use(y, count, incy, access::write);
    here.require(interface<T>::copy(here.stream(), count, X.data, X.inc, Y.data, Y.inc));
    here.finish();
  }
  void describe(c::line& text) const { text.add_arguments("n,incx,incy", n, incx, incy); }
};

/// B <- alpha op(A); A rows x cols as it lies, by columns (order 'C') or by rows ('R').
template <class T>
struct omatcopy {
  char order, trans;
  std::int64_t rows, cols;
  T alpha;
  const T* a;
  std::int64_t lda;
  T* b;
  std::int64_t ldb;

  int check() const {
    if (!by_rows() && order != 'C' && order != 'c') return 1;
    if (!is_transposition(trans)) return 2;
    if (rows < 0) return 3;
    if (cols < 0) return 4;
    if (lda < least_ld(line_of_a())) return 7;
    if (ldb < least_ld(line_of_b())) return 9;
    if (rows == 0 || cols == 0) return 0;
    const int info = is_zero(alpha) ? 0 : fault(6, a, line_of_a(), lines_of_a(), lda);
    return info != 0 ? info : fault(8, b, line_of_b(), lines_of_b(), ldb);
  }
  void run() const {
    if (rows == 0 || cols == 0) return;
    const std::int64_t length = line_of_b(), columns = lines_of_b();
    const T* const from = is_zero(alpha) ? b : a;  // not read: no operand of its own
    call here("omatcopy", {range_of(from, rows * cols), range_of(b, rows * cols)});
    const auto B = here.use(b, length, columns, ldb, access::write);
    if (!is_zero(alpha)) {  // a plain copy is the transpose of the matrix read along its rows
      const std::int64_t line = line_of_a(), lines = lines_of_a();
      const auto A = here.use(from, line, lines, lda, access::read);
      here.require(transposes(trans)
                       ? interface<T>::transpose(here.stream(), line, lines, A.data, 1, A.ld, B.data, 1, B.ld)
                       : interface<T>::transpose(here.stream(), lines, line, A.data, A.ld, 1, B.data, 1, B.ld));
    }
    const bool whole = B.ld == length;  // columns one after another are one vector
    for (std::int64_t j = 0; !is_one(alpha) && j < (whole ? 1 : columns); ++j) {
      T* const column = B.data + j * B.ld;
      here.require(interface<T>::scal(here.stream(), whole ? length * columns : length, column, 1, alpha, column, 1));
    }
    here.finish();
  }
  void describe(c::line& text) const {
    text.add_arguments("order,trans,rows,cols,alpha,lda,ldb", order, trans, rows, cols, alpha, lda, ldb);
  }

 private:
  bool by_rows() const { return order == 'R' || order == 'r'; }
  // Elements that lie side by side, and lines of them.
  std::int64_t line_of_a() const { return by_rows() ? cols : rows; }
  std::int64_t lines_of_a() const { return by_rows() ? rows : cols; }
  std::int64_t line_of_b() const { return transposes(trans) ? lines_of_a() : line_of_a(); }
  std::int64_t lines_of_b() const { return transposes(trans) ? line_of_a() : lines_of_a(); }
};

}  // namespace abax::blas

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices, and of a matrix and a vector.
#include "../integer_complex_reference.hpp"
#include "one_call.hpp"

namespace abax::tests::fuzz {
namespace {

// Numbers in the CBLAS of a call by rows: those of the call by columns that it becomes, as in the reference, but the
// operands' own (abax/cblas.h).

/// Of A with B, and of m with n.
int gemm_by_rows(int position) {
  switch (position) {
    case 2:
      return 2;
    case 3:
      return 5;
    case 4:
      return 4;
    case 8:
      return 11;
    case 10:
      return 9;
    default:
      return after_layout(position);
  }
}
int gemmt_by_rows(int position) { return position == 8 ? 11 : position == 10 ? 9 : after_layout(position); }
/// The triangle has the transposition's number.
int rank_k_by_rows(int position) { return position == 1 ? 3 : after_layout(position); }
int gemv_by_rows(int position) { return position == 2 ? 4 : position == 3 ? 3 : after_layout(position); }

/// Operands that are prepared for one product, in place of their elements.
struct prepared {
  bool is_left = false, is_right = false;
  abax_integer_operand *left = nullptr, *right = nullptr;
  prepared(bool takes_left, bool takes_right) : is_left(takes_left), is_right(takes_right) {}
  prepared(const prepared&) = delete;
  ~prepared() {
    abax_free_integer_operand(left);
    abax_free_integer_operand(right);
  }
};

template <class T>
void gemm(one_call& c, bool by_integers) {
  c.kernel = by_integers ? "gemm_integer" : "gemm";
  char ta = c.op(), tb = c.op();
  index_t m = c.extent(), n = c.extent(), k = c.choose.one_in(8) ? n : c.terms(m, n);
  if (by_integers) m %= 6, n %= 6, k %= 24;
  if (c.choose.one_in(8)) m = k = n;
  constexpr int digits = std::numeric_limits<real_of<T>>::digits;
  int bits = !by_integers || c.choose.below(2) == 1 ? 0 : digits - 8 + c.choose.below(17);
  const int form = by_integers ? c.choose.below(8) : 0;  // of abax_?gemm_integer_with; 0: without
  const unsigned options = form >= 4 ? unsigned(ABAX_VERIFY_PRODUCTS) : 0U;
  prepared made((form & 1) != 0, (form & 2) != 0);
  const T alpha = c.factor<T>(), beta = c.factor<T>();
  const bool rows = c.by_rows(), turns_a = transposes(ta), turns_b = transposes(tb);
  const auto A = c.place<T>(0, c.matrix_layout(turns_a ? k : m, turns_a ? m : k, rows, false));
  const bool same =
      A.where().rows == (turns_b ? n : k) && A.where().cols == (turns_b ? k : n) && c.choose.below(2) == 1;
  const auto B = same ? A : c.place<T>(1, c.matrix_layout(turns_b ? n : k, turns_b ? k : n, rows, false));
  auto C = c.place<T>(2, c.matrix_layout(m, n, rows, true));
  const bool reads = !is_value(alpha, 0) && k != 0 && m != 0 && n != 0;
  const bool acts = m != 0 && n != 0 && (reads || !is_value(beta, 1) || c.is_native());
  const T *a = A.first(), *b = B.first();
  T* to = C.first();
  if (!reads && c.choose.below(2) == 1) a = b = nullptr;
  const T *const x = A.first(), *const y = B.first();
  const char op_x = ta, op_y = tb;
  const int made_bits = bits;
  layout la = A.where(), lb = B.where(), lc = C.where();
  index_t lda = c.ld_of(la, rows), ldb = c.ld_of(lb, rows), ldc = c.ld_of(lc, rows);
  const bool many = (rows ? la.rows : la.cols) > 1;
  index_t workspace = form % 3 == 1 ? 1 << 24 : 0;
  const int bad = c.is_native() ? c.spoil({{1, true, [&] { ta = '/'; }},
                                           {2, true, [&] { tb = '\0'; }},
                                           {3, true, [&] { m = -1; }},
                                           {4, true, [&] { n = -far; }},
                                           {5, true, [&] { k = -3; }},
                                           {7, reads && !made.is_left, [&] { a = nullptr; }},
                                           {9, reads && !made.is_right, [&] { b = nullptr; }},
                                           {12, acts, [&] { to = nullptr; }},
                                           {8, reads && !made.is_left && la.cols > 1, [&] { la.col_stride = far; }},
                                           {13, acts && m > 1, [&] { lc.row_stride = 0; }},
                                           {13, acts && n > 1, [&] { lc.col_stride = -far; }},
                                           {12, reads, [&] { to = const_cast<T*>(a); }},
                                           {19, form != 0, [&] { workspace = -1; }},
                                           {17, by_integers, [&] { bits = digits + 9; }}})
                                : c.spoil({c.wrong_layout(),
                                           {1, true, [&] { ta = '/'; }},
                                           {2, true, [&] { tb = '\0'; }},
                                           {3, true, [&] { m = -1; }},
                                           {4, true, [&] { n = -7; }},
                                           {5, true, [&] { k = -3; }},
                                           {8, true, [&] { lda = c.too_small(la, rows); }},
                                           {10, true, [&] { ldb = c.too_small(lb, rows); }},
                                           {13, true, [&] { ldc = c.too_small(lc, rows); }},
                                           {8, reads && many && c.is_wide(), [&] { lda = far; }},
                                           {7, reads, [&] { a = nullptr; }},
                                           {9, reads, [&] { b = nullptr; }},
                                           {12, acts, [&] { to = nullptr; }}});
  if (bad == 0) {
    bool in_integers = by_integers;
    if (!c.is_native()) in_integers = reads && double(m) * double(n) * double(k) >= c.integer_terms;
    if (in_integers)
      C.expect(
          reference::gemm_integer(ta, tb, alpha, A.values(), B.values(), beta, C.values(), bits == 0 ? digits : bits));
    else
      C.expect(reference::gemm(ta, tb, alpha, A.values(), B.values(), beta, C.values()));
  }
  c.tell<T>("transA transB m n k alpha beta rsA csA rsB csB rsC csC ldA ldB ldC A B C bits form", ta, tb, m, n, k,
            alpha, beta, la.row_stride, la.col_stride, lb.row_stride, lb.col_stride, lc.row_stride, lc.col_stride, lda,
            ldb, ldc, a, b, to, bits, form);
  c.run([&] {
    if (c.is_native()) {
      const auto make = [&](auto function, auto... bits) {
        return function(c.stream, ta, tb, m, n, k, alpha, a, la.row_stride, la.col_stride, b, lb.row_stride,
                        lb.col_stride, beta, to, lc.row_stride, lc.col_stride, bits...);
      };
      if (by_integers && form == 0) return c.expect_status(make(functions<T>::gemm_integer, bits), bad);
      if (by_integers) {
        const auto prepare = [&](char side, char op, const layout& l, const T* from, abax_integer_operand*& operand) {
          c.expect_status(functions<T>::integer_operand(c.stream, side, op, l.rows, l.cols, from, l.row_stride,
                                                        l.col_stride, made_bits, &operand),
                          0);
        };
        if (made.is_left) prepare('L', op_x, A.where(), x, made.left);
        if (made.is_right) prepare('R', op_y, B.where(), y, made.right);
        const char turn_a = made.is_left && bad != 1 ? 'N' : ta, turn_b = made.is_right && bad != 2 ? 'n' : tb;
        return c.expect_status(
            functions<T>::gemm_integer_with(c.stream, turn_a, turn_b, m, n, k, alpha, made.is_left ? nullptr : a,
                                            la.row_stride, la.col_stride, made.left, made.is_right ? nullptr : b,
                                            lb.row_stride, lb.col_stride, made.right, beta, to, lc.row_stride,
                                            lc.col_stride, bits, workspace, options),
            bad);
      }
      return c.expect_status(make(functions<T>::gemm), bad);
    }
    with_names<T>(c, [&]<class f>(f) {
      if (c.is_cblas())
        by_value<typename f::integer>(f::cblas_gemm, layout_of(rows, bad), number_of(ta), number_of(tb), m, n, k, alpha,
                                      a, lda, b, ldb, beta, to, ldc);
      else
        by_address<typename f::integer>(f::gemm, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, to, ldc);
    });
    c.expect_info(bad, rows ? gemm_by_rows : after_layout);
  });
  c.expect(C.difference("C"));
  c.expect(A.difference("A"));
  c.expect(B.difference("B"));
}

template <class T>
matrix<T> triangle(char uplo, char ta, char tb, const T& alpha, const matrix<T>& A, const matrix<T>& B, const T& beta,
                   const matrix<T>& C, bool hermitian = false) {
  if constexpr (is_complex<T>)
    return reference::gemmt(uplo, ta, tb, alpha, A, B, beta, C, hermitian);
  else
    return reference::gemmt(uplo, ta, tb, alpha, A, B, beta, C);
}

template <class T>
void gemmt(one_call& c) {
  c.kernel = "gemmt";
  char uplo = c.uplo(), ta = c.op(), tb = c.op();
  index_t n = c.extent(), k = c.terms(n, n);
  const T alpha = c.factor<T>(), beta = c.factor<T>();
  const bool rows = c.by_rows(), turns_a = transposes(ta), turns_b = transposes(tb);
  const auto A = c.place<T>(0, c.matrix_layout(turns_a ? k : n, turns_a ? n : k, rows, false));
  const bool same = turns_a != turns_b && c.choose.below(4) == 0;
  const auto B = same ? A : c.place<T>(1, c.matrix_layout(turns_b ? n : k, turns_b ? k : n, rows, false));
  auto C = c.place<T>(2, c.matrix_layout(n, n, rows, true));
  const bool reads = !is_value(alpha, 0) && k != 0 && n != 0;
  const bool acts = n != 0 && (reads || !is_value(beta, 1) || c.is_native());
  const T *a = A.first(), *b = B.first();
  T* to = C.first();
  layout la = A.where(), lb = B.where(), lc = C.where();
  index_t lda = c.ld_of(la, rows), ldb = c.ld_of(lb, rows), ldc = c.ld_of(lc, rows);
  const int bad = c.is_native() ? c.spoil({{1, true, [&] { uplo = 'X'; }},
                                           {2, true, [&] { ta = '/'; }},
                                           {3, true, [&] { tb = 'H'; }},
                                           {4, true, [&] { n = -1; }},
                                           {5, true, [&] { k = -1; }},
                                           {7, reads, [&] { a = nullptr; }},
                                           {9, reads, [&] { b = nullptr; }},
                                           {12, acts, [&] { to = nullptr; }},
                                           {13, acts && n > 1, [&] { lc.col_stride = lc.row_stride; }}})
                                : c.spoil({c.wrong_layout(),
                                           {1, true, [&] { uplo = 'X'; }},
                                           {2, true, [&] { ta = '/'; }},
                                           {3, true, [&] { tb = 'H'; }},
                                           {4, true, [&] { n = -1; }},
                                           {5, true, [&] { k = -1; }},
                                           {8, true, [&] { lda = c.too_small(la, rows); }},
                                           {10, true, [&] { ldb = c.too_small(lb, rows); }},
                                           {13, true, [&] { ldc = c.too_small(lc, rows); }},
                                           {7, reads, [&] { a = nullptr; }},
                                           {9, reads, [&] { b = nullptr; }},
                                           {12, acts, [&] { to = nullptr; }}});
  if (bad == 0) C.expect(triangle(uplo, ta, tb, alpha, A.values(), B.values(), beta, C.values()));
  c.tell<T>("uplo transA transB n k alpha beta rsA csA rsB csB rsC csC ldA ldB ldC A B C", uplo, ta, tb, n, k, alpha,
            beta, la.row_stride, la.col_stride, lb.row_stride, lb.col_stride, lc.row_stride, lc.col_stride, lda, ldb,
            ldc, a, b, to);
  c.run([&] {
    if (c.is_native())
      return c.expect_status(
          functions<T>::gemmt(c.stream, uplo, ta, tb, n, k, alpha, a, la.row_stride, la.col_stride, b, lb.row_stride,
                              lb.col_stride, beta, to, lc.row_stride, lc.col_stride),
          bad);
    const bool younger = c.choose.below(2) == 1;
    with_names<T>(c, [&]<class f>(f) {
      if (c.is_cblas())
        by_value<typename f::integer>(younger ? f::cblas_gemmtr : f::cblas_gemmt, layout_of(rows, bad),
                                      triangle_of(uplo), number_of(ta), number_of(tb), n, k, alpha, a, lda, b, ldb,
                                      beta, to, ldc);
      else
        by_address<typename f::integer>(younger ? f::gemmtr : f::gemmt, uplo, ta, tb, n, k, alpha, a, lda, b, ldb, beta,
                                        to, ldc);
    });
    c.expect_info(bad, rows ? gemmt_by_rows : after_layout);
  });
  c.expect(C.difference("C"));
  c.expect(A.difference("A"));
  c.expect(B.difference("B"));
}

/// syrk, or herk.
template <class T, bool hermitian>
void rank_k(one_call& c) {
  using factor_t = std::conditional_t<hermitian, real_of<T>, T>;
  c.kernel = hermitian ? "herk" : "syrk";
  char uplo = c.uplo(), trans = c.op();
  if (is_complex<T> && transposes(trans)) trans = hermitian ? 'C' : 'T';
  index_t n = c.extent(), k = c.terms(n, n);
  const factor_t alpha = c.factor<factor_t>(), beta = c.factor<factor_t>();
  const bool rows = c.by_rows(), turns = transposes(trans);
  const auto A = c.place<T>(0, c.matrix_layout(turns ? k : n, turns ? n : k, rows, false));
  auto C = c.place<T>(2, c.matrix_layout(n, n, rows, true));
  const bool reads = !is_value(alpha, 0) && k != 0 && n != 0;
  const bool acts = n != 0 && (reads || !is_value(beta, 1) || c.is_native());
  const T* a = A.first();
  T* to = C.first();
  layout la = A.where(), lc = C.where();
  index_t lda = c.ld_of(la, rows), ldc = c.ld_of(lc, rows);
  const char other = hermitian ? 'T' : is_complex<T> ? 'C' : '/';  // the transposition that makes no such C
  const int bad = c.is_native() ? c.spoil({{1, true, [&] { uplo = 'X'; }},
                                           {2, true, [&] { trans = other; }},
                                           {3, true, [&] { n = -1; }},
                                           {4, true, [&] { k = -1; }},
                                           {6, reads, [&] { a = nullptr; }},
                                           {9, acts, [&] { to = nullptr; }},
                                           {10, acts && n > 1, [&] { lc.row_stride = lc.col_stride = 0; }}})
                                : c.spoil({c.wrong_layout(),
                                           {1, true, [&] { uplo = 'X'; }},
                                           {2, true, [&] { trans = other; }},
                                           {3, true, [&] { n = -1; }},
                                           {4, true, [&] { k = -1; }},
                                           {7, true, [&] { lda = c.too_small(la, rows); }},
                                           {10, true, [&] { ldc = c.too_small(lc, rows); }},
                                           {6, reads, [&] { a = nullptr; }},
                                           {9, acts, [&] { to = nullptr; }}});
  if (bad == 0) {
    const char back = hermitian ? 'C' : 'T';
    C.expect(triangle(uplo, turns ? back : 'N', turns ? 'N' : back, T(alpha), A.values(), A.values(), T(beta),
                      C.values(), hermitian));
  }
  c.tell<T>("uplo trans n k alpha beta rsA csA rsC csC ldA ldC A C", uplo, trans, n, k, alpha, beta, la.row_stride,
            la.col_stride, lc.row_stride, lc.col_stride, lda, ldc, a, to);
  c.run([&] {
    const auto make = [&](auto native, auto fortran, auto cblas, auto integer) {
      using Int = decltype(integer);
      if (c.is_native())
        return c.expect_status(native(c.stream, uplo, trans, n, k, alpha, a, la.row_stride, la.col_stride, beta, to,
                                      lc.row_stride, lc.col_stride),
                               bad);
      if (c.is_cblas())
        by_value<Int>(cblas, layout_of(rows, bad), triangle_of(uplo), number_of(trans), n, k, alpha, a, lda, beta, to,
                      ldc);
      else
        by_address<Int>(fortran, uplo, trans, n, k, alpha, a, lda, beta, to, ldc);
      c.expect_info(bad, rows ? rank_k_by_rows : after_layout);
    };
    with_names<T>(c, [&]<class f>(f) {
      if constexpr (hermitian)
        make(functions<T>::herk, f::herk, f::cblas_herk, typename f::integer());
      else
        make(functions<T>::syrk, f::syrk, f::cblas_syrk, typename f::integer());
    });
  });
  c.expect(C.difference("C"));
  c.expect(A.difference("A"));
}

template <class T>
void gemv(one_call& c) {
  c.kernel = "gemv";
  char trans = c.op();
  index_t m = c.extent(), n = c.extent();
  if (c.choose.one_in(64)) {
    m = c.choose.below(3000);
    n %= 13;
    if (c.choose.below(2) == 1) std::swap(m, n);
  }
  const T alpha = c.factor<T>(), beta = c.factor<T>();
  const bool rows = c.by_rows(), turns = transposes(trans);
  const auto A = c.place<T>(0, c.matrix_layout(m, n, rows, false));
  const auto x = c.place<T>(1, c.vector_layout(turns ? m : n, c.is_native()));
  auto y = c.place<T>(2, c.vector_layout(turns ? n : m, false));
  const bool reads = !is_value(alpha, 0) && m != 0 && n != 0;
  const bool has_terms = turns ? m != 0 : n != 0;
  const bool acts = c.is_native() ? y.where().rows != 0 : m != 0 && n != 0 && (reads || !is_value(beta, 1));
  const T *a = A.first(), *from = c.is_native() ? x.first() : x.lowest();
  T* to = c.is_native() ? y.first() : y.lowest();
  if (!reads && c.choose.below(2) == 1) a = from = nullptr;
  layout la = A.where();
  index_t lda = c.ld_of(la, rows), incx = x.where().row_stride, incy = y.where().row_stride;
  const int bad = c.is_native()
                      ? c.spoil({{1, true, [&] { trans = 'X'; }},
                                 {2, true, [&] { m = -1; }},
                                 {3, true, [&] { n = -1; }},
                                 {5, reads, [&] { a = nullptr; }},
                                 {7, reads, [&] { from = nullptr; }},
                                 {10, acts, [&] { to = nullptr; }},
                                 {11, acts && y.where().rows > 1, [&] { incy = 0; }},
                                 {8, reads && x.where().rows > 1, [&] { incx = std::numeric_limits<index_t>::min(); }},
                                 {10, reads, [&] { to = const_cast<T*>(from); }}})
                      : c.spoil({c.wrong_layout(),
                                 {1, true, [&] { trans = 'X'; }},
                                 {2, true, [&] { m = -1; }},
                                 {3, true, [&] { n = -1; }},
                                 {6, true, [&] { lda = c.too_small(la, rows); }},
                                 {8, true, [&] { incx = 0; }},
                                 {11, true, [&] { incy = 0; }},
                                 {5, reads, [&] { a = nullptr; }},
                                 {7, reads, [&] { from = nullptr; }},
                                 {8, reads && x.where().rows > 1 && c.is_wide(),
                                  [&] { incx = std::numeric_limits<index_t>::min(); }},
                                 {10, acts, [&] { to = nullptr; }}});
  // BLAS leaves y as it is where there are no terms.
  if (bad == 0 && (has_terms || c.is_native()))
    y.expect(reference::gemm(trans, 'N', alpha, A.values(), x.values(), beta, y.values()));
  c.tell<T>("trans m n alpha beta rsA csA ldA incx incy A x y", trans, m, n, alpha, beta, la.row_stride, la.col_stride,
            lda, incx, incy, a, from, to);
  c.run([&] {
    if (c.is_native())
      return c.expect_status(
          functions<T>::gemv(c.stream, trans, m, n, alpha, a, la.row_stride, la.col_stride, from, incx, beta, to, incy),
          bad);
    with_names<T>(c, [&]<class f>(f) {
      if (c.is_cblas())
        by_value<typename f::integer>(f::cblas_gemv, layout_of(rows, bad), number_of(trans), m, n, alpha, a, lda, from,
                                      incx, beta, to, incy);
      else
        by_address<typename f::integer>(f::gemv, trans, m, n, alpha, a, lda, from, incx, beta, to, incy);
    });
    c.expect_info(bad, rows ? gemv_by_rows : after_layout);
  });
  c.expect(y.difference("y"));
  c.expect(A.difference("A"));
  c.expect(x.difference("x"));
}

}  // namespace

template <class T>
void product(one_call& c) {
  switch (c.choose.below(8)) {
    case 0:
      return gemmt<T>(c);
    case 1:
      return rank_k<T, false>(c);
    case 2:
      if constexpr (is_complex<T>)
        if (c.choose.below(2) == 1) return rank_k<T, true>(c);
      return gemm<T>(c, c.is_native());
    case 3:
    case 4:
      return gemv<T>(c);
    default:
      return gemm<T>(c, false);
  }
}
template void product<float>(one_call&);
template void product<double>(one_call&);
template void product<c32>(one_call&);
template void product<c64>(one_call&);

}  // namespace abax::tests::fuzz

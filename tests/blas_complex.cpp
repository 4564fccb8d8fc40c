// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libabax_blas on complex numbers: the canon's bits behind every name in either layout, increments, what is read and
// written, and the numbers of bad arguments.
#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <vector>

#include "blas_complex_names.hpp"
#include "complex_inputs.hpp"
#include "complex_reference.hpp"
#include "sample.hpp"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

using namespace abax::tests;

namespace {

using of_c32 = complex_blas<c32, std::int32_t>;
using of_z32 = complex_blas<c64, std::int32_t>;
using of_c64 = complex_blas<c32, std::int64_t>;
using of_z64 = complex_blas<c64, std::int64_t>;

constexpr char ops[] = {'N', 'T', 'C'};

CBLAS_TRANSPOSE number(char op) {
  return op == 'N' ? CblasNoTrans : op == 'T' ? CblasTrans : op == 'C' ? CblasConjTrans : CblasConjNoTrans;
}
CBLAS_UPLO part(char uplo) { return uplo == 'L' ? CblasLower : CblasUpper; }
CBLAS_LAYOUT layout_of(bool by_rows) { return by_rows ? CblasRowMajor : CblasColMajor; }

/// A matrix in memory, by columns or by rows, between lines of guard values.
template <class T>
struct lying {
  index_t ld;
  std::vector<T> memory;

  lying(const matrix<T>& m, bool by_rows) : ld((by_rows ? m.cols : m.rows) + 3) {
    memory.assign(ld * std::max<index_t>(1, by_rows ? m.rows : m.cols), guard_value<T>());
    for (index_t j = 0; j < m.cols; ++j)
      for (index_t i = 0; i < m.rows; ++i)
        std::memcpy(static_cast<void*>(&memory[by_rows ? i * ld + j : i + j * ld]), &m(i, j), sizeof(T));
  }
  const T* data() const { return memory.data(); }
};

/// Empty where call(C) makes `want` of `before`, and nothing else in memory changes.
template <class T, class Call>
std::string change(const matrix<T>& before, const matrix<T>& want, bool by_rows, const Call& call) {
  lying<T> got(before, by_rows);
  call(got.memory.data());
  const lying<T> expected(want, by_rows);
  return difference(got.data(), expected.data(), static_cast<index_t>(got.memory.size()),
                    [](index_t e) { return "element " + std::to_string(e) + " of the memory"; });
}

/// Rows x cols such that op(X) is m x k.
template <class T>
matrix<T> operand(char op, index_t m, index_t k, numbers kind, std::uint64_t seed) {
  using R = typename T::value_type;
  return op == 'N' ? random_complex<R>(m, k, kind, seed) : random_complex<R>(k, m, kind, seed);
}

/// A dot product by Fortran's name, however it hands over its result.
template <class T, class Dot, class I>
T dot_by(Dot* dot, I n, const T* x, I incx, const T* y, I incy) {
  T result;
  if constexpr (std::is_invocable_v<Dot*, T*, const I*, const T*, const I*, const T*, const I*>) {
    dot(&result, &n, x, &incx, y, &incy);
  } else {
    const auto value = dot(&n, x, &incx, y, &incy);
    static_assert(sizeof value == sizeof result);
    std::memcpy(static_cast<void*>(&result), &value, sizeof result);
  }
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("BLAS: complex products have the canon's bits under every name, in either layout", "[blas][complex]",
                   of_c32, of_z32, of_c64, of_z64) {
  using f = TestType;
  using T = typename f::value;
  using R = typename f::real;
  using I = typename f::integer;
  const T alpha(R(1.25), R(-0.5)), beta(R(-0.75), R(0.375));
  const I m = 37, n = 29, one = 1;
  sample cases(5);
  for (const numbers kind : {numbers::unit, numbers::special})
    for (const I k : {I(5), I(1100)})
      for (const char ta : ops)
        for (const char tb : ops) {
          if (!cases.takes()) continue;
          CAPTURE(name_of(kind), k, ta, tb);
          const matrix<T> a = operand<T>(ta, m, k, kind, 1), b = operand<T>(tb, k, n, kind, 2),
                          c = random_complex<R>(m, n, kind, 3);
          const matrix<T> want = abax::reference::gemm(ta, tb, alpha, a, b, beta, c);
          for (const bool by_rows : {false, true}) {
            CAPTURE(by_rows);
            const lying<T> A(a, by_rows), B(b, by_rows);
            const I lda = static_cast<I>(A.ld), ldb = static_cast<I>(B.ld), ldc = (by_rows ? n : m) + 3;
            CHECK(change(c, want, by_rows, [&](T* C) {
                    f::cblas_gemm(layout_of(by_rows), number(ta), number(tb), m, n, k, &alpha, A.data(), lda, B.data(),
                                  ldb, &beta, C, ldc);
                  }) == "");
            // gemv is gemm with one column.
            if (tb != 'N') continue;
            matrix<T> x(k, 1), y(m, 1), y_want(m, 1);
            for (index_t i = 0; i < k; ++i) x(i) = b(i, 0);
            for (index_t i = 0; i < m; ++i) y(i) = c(i, 0), y_want(i) = want(i, 0);
            const I rows = static_cast<I>(a.rows), cols = static_cast<I>(a.cols);
            CHECK(change(y, y_want, false, [&](T* Y) {
                    f::cblas_gemv(layout_of(by_rows), number(ta), rows, cols, &alpha, A.data(), lda, x.elements.data(),
                                  1, &beta, Y, 1);
                  }) == "");
            if (by_rows) continue;
            CHECK(change(y, y_want, false, [&](T* Y) {
                    f::gemv(&ta, &rows, &cols, &alpha, A.data(), &lda, x.elements.data(), &one, &beta, Y, &one);
                  }) == "");
          }
          const lying<T> A(a, false), B(b, false);
          const I lda = static_cast<I>(A.ld), ldb = static_cast<I>(B.ld), ldc = m + 3;
          CHECK(change(c, want, false, [&](T* C) {
                  f::gemm(&ta, &tb, &m, &n, &k, &alpha, A.data(), &lda, B.data(), &ldb, &beta, C, &ldc);
                }) == "");
        }
  CHECK(taken() == 0);
}

TEMPLATE_TEST_CASE("BLAS: complex gemmt, syrk and herk have gemm's bits in one triangle, in either layout",
                   "[blas][complex][gemmt]", of_c32, of_z32, of_c64, of_z64) {
  using f = TestType;
  using T = typename f::value;
  using R = typename f::real;
  using I = typename f::integer;
  const T alpha(R(1.25), R(-0.5)), beta(R(-0.75), R(0.375));
  const R real_alpha = R(1.25), real_beta = R(-0.75);
  const I n = 37, k = 1030, ldc = n + 3;
  const matrix<T> c = random_complex<R>(n, n, numbers::unit, 3);
  sample cases(5);
  for (const char uplo : {'L', 'U'})
    for (const char ta : ops)
      for (const char tb : ops)
        for (const bool by_rows : {false, true}) {
          if (!cases.takes()) continue;
          CAPTURE(uplo, ta, tb, by_rows);
          const CBLAS_LAYOUT layout = layout_of(by_rows);
          const matrix<T> a = operand<T>(ta, n, k, numbers::unit, 1), b = operand<T>(tb, k, n, numbers::unit, 2);
          const lying<T> A(a, by_rows), B(b, by_rows);
          const I lda = static_cast<I>(A.ld), ldb = static_cast<I>(B.ld);
          const matrix<T> want = abax::reference::gemmt(uplo, ta, tb, alpha, a, b, beta, c);
          for (const auto gemmt : {f::cblas_gemmt, f::cblas_gemmtr})
            CHECK(change(c, want, by_rows, [&](T* C) {
                    gemmt(layout, part(uplo), number(ta), number(tb), n, k, &alpha, A.data(), lda, B.data(), ldb, &beta,
                          C, ldc);
                  }) == "");
          for (const auto gemmt : {f::gemmt, f::gemmtr})
            if (!by_rows)
              CHECK(change(c, want, false, [&](T* C) {
                      gemmt(&uplo, &ta, &tb, &n, &k, &alpha, A.data(), &lda, B.data(), &ldb, &beta, C, &ldc);
                    }) == "");
          if (tb != 'N') continue;
          if (ta != 'C') {
            const matrix<T> square = abax::reference::gemmt(uplo, ta, ta == 'N' ? 'T' : 'N', alpha, a, a, beta, c);
            CHECK(change(c, square, by_rows, [&](T* C) {
                    f::cblas_syrk(layout, part(uplo), number(ta), n, k, &alpha, A.data(), lda, &beta, C, ldc);
                  }) == "");
            if (!by_rows)
              CHECK(change(c, square, false,
                           [&](T* C) { f::syrk(&uplo, &ta, &n, &k, &alpha, A.data(), &lda, &beta, C, &ldc); }) == "");
          }
          if (ta != 'T') {
            const auto hermitian = [&](R by, R old) {
              return abax::reference::gemmt(uplo, ta, ta == 'N' ? 'C' : 'N', T(by, 0), a, a, T(old, 0), c, true);
            };
            const matrix<T> square = hermitian(real_alpha, real_beta);
            CHECK(change(c, square, by_rows, [&](T* C) {
                    f::cblas_herk(layout, part(uplo), number(ta), n, k, real_alpha, A.data(), lda, real_beta, C, ldc);
                  }) == "");
            if (by_rows) continue;
            CHECK(change(c, square, false, [&](T* C) {
                    f::herk(&uplo, &ta, &n, &k, &real_alpha, A.data(), &lda, &real_beta, C, &ldc);
                  }) == "");
            // Without terms the triangle is scaled, its diagonal real, and nothing else is read; or it stays.
            const R zero = 0, unit = 1;
            const T* const none = nullptr;
            CHECK(change(c, hermitian(0, real_beta), false,
                         [&](T* C) { f::herk(&uplo, &ta, &n, &k, &zero, none, &lda, &real_beta, C, &ldc); }) == "");
            CHECK(change(c, c, false, [&](T* C) { f::herk(&uplo, &ta, &n, &k, &zero, none, &lda, &unit, C, &ldc); }) ==
                  "");
          }
        }
  CHECK(taken() == 0);
}

TEMPLATE_TEST_CASE("BLAS: each complex product of a batch has gemm's bits, under every name", "[blas][complex]", of_c32,
                   of_z32, of_c64, of_z64) {
  using f = TestType;
  using T = typename f::value;
  using R = typename f::real;
  using I = typename f::integer;
  const std::vector<T> a = random_complex<R>(4000, 1, numbers::special, 1).elements,
                       b = random_complex<R>(4000, 1, numbers::special, 2).elements,
                       c = random_complex<R>(4000, 1, numbers::special, 3).elements;
  const T alphas[] = {T(R(1.25), R(2)), T(-2, 0)}, betas[] = {T(R(-0.5), 1), T(0, 0)};
  const I ms[] = {7, 19}, ns[] = {5, 17}, ks[] = {9, 3}, lds[] = {20, 23}, sizes[] = {4, 2}, groups = 2;
  std::vector<T> got, want;
  for (const char ta : ops)
    for (const char tb : ops)
      for (const bool by_rows : {false, true}) {
        CAPTURE(ta, tb, by_rows);
        const CBLAS_LAYOUT layout = layout_of(by_rows);
        const auto product = [&](int g, const T* A, const T* B, T* C) {
          f::cblas_gemm(layout, number(ta), number(tb), ms[g], ns[g], ks[g], &alphas[g], A, lds[g], B, lds[g],
                        &betas[g], C, lds[g]);
        };
        const I stride_a = 431, stride_b = 0, stride_c = 501, items = sizes[0];
        want = got = c;
        for (I i = 0; i < items; ++i) product(0, &a[i * stride_a], b.data(), &want[i * stride_c]);
        f::cblas_gemm_batch_strided(layout, number(ta), number(tb), ms[0], ns[0], ks[0], &alphas[0], a.data(), lds[0],
                                    stride_a, b.data(), lds[0], stride_b, &betas[0], got.data(), lds[0], stride_c,
                                    items);
        CHECK(same_bits(got, want));
        std::vector<const T*> in_a, in_b;
        std::vector<T*> out;
        want = got = c;
        for (int g = 0; g < groups; ++g)
          for (I i = 0; i < sizes[g]; ++i) {
            const std::size_t item = out.size();
            in_a.push_back(&a[550 * item]);
            in_b.push_back(&b[530 * (5 - item)]);
            out.push_back(&got[600 * item]);
            product(g, in_a.back(), in_b.back(), &want[600 * item]);
          }
        const std::array<CBLAS_TRANSPOSE, 2> op_a{number(ta), number(ta)}, op_b{number(tb), number(tb)};
        f::cblas_gemm_batch(layout, op_a.data(), op_b.data(), ms, ns, ks, alphas,
                            reinterpret_cast<const void* const*>(in_a.data()), lds,
                            reinterpret_cast<const void* const*>(in_b.data()), lds, betas,
                            reinterpret_cast<void* const*>(out.data()), lds, groups, sizes);
        CHECK(same_bits(got, want));
        if (by_rows) continue;
        const char letters_a[] = {ta, ta}, letters_b[] = {tb, tb};
        std::copy(c.begin(), c.end(), got.begin());
        f::gemm_batch(letters_a, letters_b, ms, ns, ks, alphas, in_a.data(), lds, in_b.data(), lds, betas, out.data(),
                      lds, &groups, sizes);
        CHECK(same_bits(got, want));
        want = got = c;
        for (I i = 0; i < items; ++i) product(0, &a[i * stride_a], b.data(), &want[i * stride_c]);
        f::gemm_batch_strided(&ta, &tb, ms, ns, ks, alphas, a.data(), lds, &stride_a, b.data(), lds, &stride_b, betas,
                              got.data(), lds, &stride_c, &items);
        CHECK(same_bits(got, want));
      }
  CHECK(taken() == 0);
}

TEMPLATE_TEST_CASE("BLAS: complex vectors, by increments from either end, have the canon's bits", "[blas][complex]",
                   of_c32, of_z32, of_c64, of_z64) {
  using f = TestType;
  using T = typename f::value;
  using R = typename f::real;
  using I = typename f::integer;
  const T alpha(R(1.25), R(-0.5)), beta(R(-0.5), R(2));
  const R factor = R(-1.75);
  const auto at = [](I i, I count, I inc) { return inc < 0 ? (i - count + 1) * inc : i * inc; };
  for (const numbers kind : {numbers::unit, numbers::special})
    for (const I n : {I(1), I(5), I(1300)}) {
      const std::vector<T> a = random_complex<R>(3 * n + 1, 1, kind, 3).elements,
                           b = random_complex<R>(3 * n + 1, 1, kind, 4).elements,
                           start = random_complex<R>(3 * n + 1, 1, kind, 5).elements;
      for (const I incx : {1, 2, -1, -3, 0})
        for (const I incy : {1, 3, -1, -2, 0}) {
          CAPTURE(name_of(kind), n, incx, incy);
          matrix<T> x(n, 1), y(n, 1);
          for (I i = 0; i < n; ++i) x(i) = a[at(i, n, incx)], y(i) = b[at(i, n, incy)];
          std::vector<T> got = start, want = start;
          const auto check = [&](const auto& call) {
            got = start;
            call(got.data());
            CHECK(same_bits(got, want));
          };
          for (I i = 0; i < n; ++i) {
            T& to = want[at(i, n, incy)];
            to = abax::reference::one_nan(abax::reference::multiply_add(alpha, x(i), to));
          }
          check([&](T* to) { f::axpy(&n, &alpha, a.data(), &incx, to, &incy); });
          check([&](T* to) { f::cblas_axpy(n, &alpha, a.data(), incx, to, incy); });
          want = start;
          for (I i = 0; i < n; ++i) want[at(i, n, incy)] = x(i);
          check([&](T* to) { f::copy(&n, a.data(), &incx, to, &incy); });
          check([&](T* to) { f::cblas_copy(n, a.data(), incx, to, incy); });
          for (const T& by : {alpha, T(0, 0), T(-R(0), R(0))}) {
            want = start;
            for (I i = 0; incy > 0 && i < n; ++i)
              want[i * incy] = abax::reference::one_nan(abax::reference::multiply(by, start[i * incy]));
            check([&](T* to) { f::scal(&n, &by, to, &incy); });
            check([&](T* to) { f::cblas_scal(n, &by, to, incy); });
          }
          for (const R by : {factor, R(0), -R(0)}) {
            want = start;
            for (I i = 0; incy > 0 && i < n; ++i) {
              const T& old = start[i * incy];
              want[i * incy] = abax::reference::one_nan(T(by * old.real(), by * old.imag()));
            }
            check([&](T* to) { f::scal_real(&n, &by, to, &incy); });
            check([&](T* to) { f::cblas_scal_real(n, by, to, incy); });
          }
          const auto same = [](const auto& p, const auto& q) { return std::memcmp(&p, &q, sizeof p) == 0; };
          T sum;
          for (const bool conjugated : {false, true}) {
            const T dot = abax::reference::dot(x, y, conjugated);
            CHECK(same(dot_by(conjugated ? f::dotc : f::dotu, n, a.data(), incx, b.data(), incy), dot));
            (conjugated ? f::cblas_dotc : f::cblas_dotu)(n, a.data(), incx, b.data(), incy, &sum);
            CHECK(same(sum, dot));
          }
          const R nrm2 = abax::reference::nrm2(x), asum = incx > 0 ? abax::reference::asum(x) : R(0);
          const I largest = incx > 0 ? static_cast<I>(abax::reference::iamax(x) + 1) : 0;
          CHECK(same(f::nrm2(&n, a.data(), &incx), nrm2));
          CHECK(same(f::cblas_nrm2(n, a.data(), incx), nrm2));
          CHECK(same(f::asum(&n, a.data(), &incx), asum));
          CHECK(same(f::cblas_asum(n, a.data(), incx), asum));
          CHECK(f::iamax(&n, a.data(), &incx) == largest);
          CHECK(static_cast<I>(f::cblas_iamax(n, a.data(), incx)) == std::max<I>(largest, 1) - 1);
          if (incx == 0 || incy == 0 || n != 5) continue;
          const I m = 4, lda = 5;
          const matrix<T> A = random_complex<R>(lda, n, kind, 6);
          matrix<T> block(m, n), v(m, 1), w(n, 1);
          for (I j = 0; j < n; ++j)
            for (I i = 0; i < m; ++i) block(i, j) = A(i, j);
          for (const char trans : ops) {
            const I rows = trans == 'N' ? m : n, terms = trans == 'N' ? n : m;
            matrix<T> from(terms, 1), to(rows, 1);
            for (I i = 0; i < terms; ++i) from(i) = b[at(i, terms, incx)];
            for (I i = 0; i < rows; ++i) to(i) = start[at(i, rows, incy)];
            const matrix<T> result = abax::reference::gemm(trans, 'N', alpha, block, from, beta, to);
            want = start;
            for (I i = 0; i < rows; ++i) want[at(i, rows, incy)] = result(i);
            check([&](T* Y) {
              f::gemv(&trans, &m, &n, &alpha, A.elements.data(), &lda, b.data(), &incx, &beta, Y, &incy);
            });
          }
        }
    }
  CHECK(taken() == 0);
}

TEMPLATE_TEST_CASE("BLAS: complex omatcopy scales, turns and conjugates in either order", "[blas][complex]", of_c32,
                   of_z32, of_c64, of_z64) {
  using f = TestType;
  using T = typename f::value;
  using R = typename f::real;
  using I = typename f::integer;
  const I rows = 5, cols = 7;
  const matrix<T> a = random_complex<R>(rows, cols, numbers::special, 5);
  for (const T& alpha : {T(1, 0), T(R(-2.5), R(0.5)), T(0, 0)})
    for (const bool by_rows : {false, true})
      for (const char trans : {'N', 'T', 'C', 'R'}) {
        CAPTURE(hex(alpha), by_rows, trans);
        const bool turns = trans == 'T' || trans == 'C';
        matrix<T> want = abax::reference::transpose(a, trans == 'C' || trans == 'R');
        if (!turns) want = abax::reference::transpose(want, false);
        for (T& e : want.elements) {
          if (abax::reference::is(alpha, 0)) e = T(0, 0);
          if (!abax::reference::is(alpha, 1) && !abax::reference::is(alpha, 0))
            e = abax::reference::one_nan(abax::reference::multiply(alpha, e));
        }
        const matrix<T> before = random_complex<R>(want.rows, want.cols, numbers::nan, 6);
        const lying<T> A(a, by_rows);
        const I lda = static_cast<I>(A.ld), ldb = static_cast<I>((by_rows ? want.cols : want.rows) + 3);
        const char order = by_rows ? 'R' : 'C';
        CHECK(change(before, want, by_rows,
                     [&](T* B) { f::omatcopy(&order, &trans, &rows, &cols, &alpha, A.data(), &lda, B, &ldb); }) == "");
        CHECK(change(before, want, by_rows, [&](T* B) {
                f::cblas_omatcopy(layout_of(by_rows), number(trans), rows, cols, &alpha, A.data(), lda, B, ldb);
              }) == "");
      }
  CHECK(taken() == 0);
}

TEMPLATE_TEST_CASE("BLAS: complex calls read what they need, and quick returns touch nothing", "[blas][complex]",
                   of_c32, of_z64) {
  using f = TestType;
  using T = typename f::value;
  using R = typename f::real;
  using I = typename f::integer;
  const T* const none = nullptr;
  const T zero(0, 0), one(1, 0), imaginary(0, 1);
  const R real_one = 1;
  const I n = 3, nil = 0, inc = 1, down = -1;
  const std::vector<T> nan = random_complex<R>(9, 1, numbers::nan, 1).elements, x(9, T(2, 1));
  std::vector<T> c = nan;  // beta == 0 does not read C, alpha == 0 not A and B
  f::gemm("N", "C", &n, &n, &n, &zero, none, &n, none, &n, &zero, c.data(), &n);
  CHECK(same_bits(c, std::vector<T>(9, zero)));
  c = nan;
  f::gemm("C", "N", &n, &n, &n, &one, x.data(), &n, x.data(), &n, &zero, c.data(), &n);
  CHECK(same_bits(c, std::vector<T>(9, T(15, 0))));
  c = x;
  f::gemm("N", "T", &n, &n, &nil, &one, none, &n, none, &n, &imaginary, c.data(), &n);
  CHECK(same_bits(c, std::vector<T>(9, T(-1, 2))));
  c = nan;  // and these return at once
  f::gemm("N", "N", &n, &n, &nil, &one, none, &n, none, &n, &one, c.data(), &n);
  f::gemm("N", "N", &nil, &n, &n, &one, none, &n, none, &n, &zero, c.data(), &n);
  f::syrk("L", "T", &n, &n, &zero, none, &n, &one, c.data(), &n);
  f::herk("U", "C", &nil, &n, &real_one, none, &n, &real_one, c.data(), &n);
  f::gemv("C", &nil, &n, &one, none, &n, none, &inc, &zero, c.data(), &inc);
  f::gemv("N", &n, &n, &zero, none, &n, none, &inc, &one, c.data(), &inc);
  f::axpy(&n, &zero, none, &inc, c.data(), &inc);
  f::scal(&n, &one, c.data(), &inc);
  f::scal_real(&n, &real_one, c.data(), &inc);
  f::scal(&n, &zero, c.data(), &down);
  f::copy(&nil, none, &inc, c.data(), &inc);
  f::omatcopy("C", "N", &nil, &n, &one, none, &n, c.data(), &n);
  CHECK(abax::reference::is(dot_by(f::dotu, nil, none, inc, none, inc), 0));
  CHECK(abax::reference::is(dot_by(f::dotc, down, none, inc, none, inc), 0));
  CHECK(f::nrm2(&nil, none, &inc) == 0);
  CHECK(f::asum(&n, none, &down) == 0);
  CHECK(f::iamax(&n, none, &nil) == 0);
  CHECK(same_bits(c, nan));
  CHECK(taken() == 0);
}

TEMPLATE_TEST_CASE("BLAS: each bad argument of a complex call has the reference's number, and nothing is written",
                   "[blas][complex][errors]", of_c32, of_z32, of_c64, of_z64) {
  using f = TestType;
  using T = typename f::value;
  using R = typename f::real;
  using I = typename f::integer;
  const std::vector<T> x(100, T(2, 1));
  std::vector<T> y(100, T(7, 3));
  const std::vector<T> before = y;
  const T one(1, 0), *const no_x = nullptr;
  T* const no_y = nullptr;
  const R real_one = 1;
  const I inc = 1, three = 3;
  const auto told = [](const std::string& name, std::int64_t info) {
    const std::string routine = last.routine;
    CHECK(taken() == info);
    if (info != 0) CHECK(routine == name);
  };
  const auto fortran = [](std::string name) { return f::letter + name.append(std::max<int>(0, 5 - name.size()), ' '); };
  const auto c = [](const char* name) { return std::string("cblas_") + char(f::letter + ('a' - 'A')) + name; };

  SECTION("products") {
    const auto gemm = [&](int info, char ta, char tb, I m, I n, I k, I lda, I ldb, I ldc) {
      f::gemm(&ta, &tb, &m, &n, &k, &one, x.data(), &lda, x.data(), &ldb, &one, y.data(), &ldc);
      told(fortran("GEMM"), info);
    };
    gemm(1, 'R', 'N', -1, 4, 5, 3, 5, 3);
    gemm(2, 'C', 'R', -1, 4, 5, 3, 5, 3);
    gemm(8, 'C', 'N', 3, 4, 5, 4, 5, 3);
    gemm(10, 'N', 'C', 3, 4, 5, 3, 3, 3);
    gemm(13, 'N', 'N', 3, 4, 5, 3, 5, 2);
    f::cblas_gemm(CblasColMajor, CblasConjNoTrans, CblasNoTrans, 3, 3, 3, &one, x.data(), 3, x.data(), 3, &one,
                  y.data(), 3);
    told(c("gemm"), 2);
    f::cblas_gemm(CblasRowMajor, CblasConjTrans, CblasNoTrans, 3, 4, 5, &one, x.data(), 2, x.data(), 4, &one, y.data(),
                  4);
    told(c("gemm"), 11);  // lda, which is the second matrix' of the column-major call
    f::cblas_gemm(CblasRowMajor, CblasConjTrans, CblasNoTrans, 3, 4, 5, &one, no_x, 3, x.data(), 4, &one, y.data(), 4);
    told(c("gemm"), 8);
    const auto rank_k = [&](int of_syrk, int of_herk, char uplo, char t, I n, I k, I lda, I ldc) {
      f::syrk(&uplo, &t, &n, &k, &one, x.data(), &lda, &one, y.data(), &ldc);
      told(fortran("SYRK"), of_syrk);
      f::herk(&uplo, &t, &n, &k, &real_one, x.data(), &lda, &real_one, y.data(), &ldc);
      told(fortran("HERK"), of_herk);
    };
    rank_k(1, 1, '/', 'N', -1, 5, 3, 3);
    rank_k(2, 2, 'L', 'R', -1, 5, 3, 3);
    rank_k(2, 3, 'L', 'C', -1, 5, 3, 3);
    rank_k(3, 2, 'U', 't', -1, 5, 3, 3);
    rank_k(7, 7, 'U', 'N', 3, 5, 2, 3);
    rank_k(10, 10, 'U', 'n', 3, 5, 3, 2);
    for (const CBLAS_LAYOUT layout : {CblasRowMajor, CblasColMajor}) {
      f::cblas_syrk(layout, CblasUpper, CblasConjTrans, 3, 5, &one, x.data(), 5, &one, y.data(), 3);
      told(c("syrk"), 3);
      f::cblas_herk(layout, CblasUpper, CblasTrans, 3, 5, real_one, x.data(), 5, real_one, y.data(), 3);
      told(c("herk"), 3);
    }
    f::herk("U", "N", &three, &three, &real_one, no_x, &three, &real_one, y.data(), &three);
    told(fortran("HERK"), 6);
    f::cblas_gemv(CblasRowMajor, CblasConjTrans, -1, 2, &one, x.data(), 3, x.data(), 1, &one, y.data(), 1);
    told(c("gemv"), 4);
    f::cblas_gemv(CblasRowMajor, CblasConjNoTrans, 3, 2, &one, x.data(), 3, x.data(), 1, &one, y.data(), 1);
    told(c("gemv"), 2);
    f::gemv("C", &three, &three, &one, x.data(), &three, no_x, &inc, &one, y.data(), &inc);
    told(fortran("GEMV"), 7);
  }
  SECTION("vectors and copies") {
    CHECK(abax::reference::is(dot_by(f::dotu, three, no_x, inc, x.data(), inc), 0));
    told(fortran("DOTU"), 2);
    CHECK(abax::reference::is(dot_by(f::dotc, three, x.data(), inc, no_x, inc), 0));
    told(fortran("DOTC"), 4);
    T result(1, 1);
    f::cblas_dotc(3, x.data(), 1, no_x, 1, &result);
    told(c("dotc_sub"), 4);
    CHECK(result == T(1, 1));
    const bool is_single = f::letter == 'C';
    CHECK(f::nrm2(&three, no_x, &inc) == 0);
    told(is_single ? "SCNRM2" : "DZNRM2", 2);
    CHECK(f::cblas_asum(3, no_x, 1) == 0);
    told(is_single ? "cblas_scasum" : "cblas_dzasum", 2);
    CHECK(f::iamax(&three, no_x, &inc) == 0);
    told(is_single ? "ICAMAX" : "IZAMAX", 2);
    f::axpy(&three, &one, x.data(), &inc, no_y, &inc);
    told(fortran("AXPY"), 5);
    const R two = 2;
    f::scal_real(&three, &two, no_y, &inc);
    told(is_single ? "CSSCAL" : "ZDSCAL", 3);
    f::omatcopy("C", "X", &three, &three, &one, x.data(), &three, y.data(), &three);
    told(fortran("OMATCOPY"), 2);
    const I few = 2;
    f::omatcopy("C", "R", &three, &few, &one, x.data(), &three, y.data(), &few);
    told(fortran("OMATCOPY"), 9);
    constexpr I far = std::numeric_limits<I>::max();
    constexpr I many = static_cast<I>(std::min<std::int64_t>(far, std::int64_t(1) << 40));
    f::copy(&many, x.data(), &far, y.data(), &inc);
    told(fortran("COPY"), 3);
  }
  CHECK(same_bits(y, before));
}

TEMPLATE_TEST_CASE("BLAS: a stride that nothing uses may be any number in a complex call", "[blas][complex]", of_c64,
                   of_z64) {
  using f = TestType;
  using T = typename f::value;
  using R = typename f::real;
  using I = typename f::integer;
  const I one = 1, k = 3;
  const T two(2, 0), x[3] = {T(0, 3), T(5, 0), T(7, 0)};
  const R half = R(0.5), unit = 1;
  for (const I far : {std::numeric_limits<I>::max(), std::numeric_limits<I>::max() / 2 + 1,
                      std::numeric_limits<I>::min() + 1, std::numeric_limits<I>::min()}) {
    CAPTURE(far);
    T y(1, 0);
    CHECK(dot_by(f::dotu, one, x, far, x, far) == T(-9, 0));
    CHECK(f::nrm2(&one, x, &far) == 3);
    f::axpy(&one, &two, x, &far, &y, &far);
    CHECK(y == T(1, 6));
    f::copy(&one, x, &far, &y, &far);
    CHECK(y == T(0, 3));
    f::gemv("N", &one, &one, &two, x, &one, x, &far, &two, &y, &far);
    CHECK(y == T(-18, 6));
    if (far < 0) continue;
    f::scal_real(&one, &half, &y, &far);
    CHECK(y == T(-9, 3));
    f::gemm("C", "N", &one, &one, &k, &two, x, &far, x, &far, &two, &y, &far);
    CHECK(y == T(148, 6));
    f::herk("L", "C", &one, &k, &half, x, &far, &unit, &y, &far);
    CHECK(y == T(R(189.5), 0));
    T turned[3] = {};
    f::omatcopy("C", "R", &k, &one, &two, x, &far, turned, &far);
    CHECK(turned[0] == T(0, -6));
  }
  CHECK(taken() == 0);
}

#if defined(__x86_64__) && !defined(__FAST_MATH__)
TEMPLATE_TEST_CASE("BLAS: neither bits nor flags of complex calls depend on the caller's floating-point environment",
                   "[blas][complex][bits]", of_c32, of_z64) {
  using f = TestType;
  using T = typename f::value;
  using R = typename f::real;
  using I = typename f::integer;
  constexpr unsigned ieee = 0x1F80, all_flags = 0x3F, flush = ieee | 0x8040, upwards = ieee | 0x4000,
                     trapping = ieee & ~0x1F80u;
  const I n = 12, inc = 1, two = 2, none = 0;
  for (const numbers kind : {numbers::special, numbers::subnormal, numbers::wide})
    for (const T& alpha : {T(R(0.7), R(-3)), T(std::numeric_limits<R>::denorm_min(), R(0)), T(0, 0)}) {
      const std::vector<T> x = random_complex<R>(12 * 12, 1, kind, 1).elements,
                           start = random_complex<R>(12 * 12, 1, kind, 2).elements;
      const R factor = alpha.real();
      const auto results = [&](unsigned mode) {
        std::vector<T> all, c;
        const auto each = [&](const auto& call) {
          c = start;
          const unsigned before = _mm_getcsr();
          _mm_setcsr(mode);
          call(c.data());
          const unsigned after = _mm_getcsr();
          _mm_setcsr(before);
          CHECK(after == mode);
          all.insert(all.end(), c.begin(), c.end());
        };
        const T* const A = x.data();
        each([&](T* C) { f::gemm("N", "C", &n, &n, &n, &alpha, A, &n, A, &n, &alpha, C, &n); });
        each([&](T* C) { f::cblas_gemv(CblasRowMajor, CblasConjTrans, n, n, &alpha, A, n, A, 1, &alpha, C, 1); });
        each([&](T* C) { f::herk("L", "C", &n, &n, &factor, A, &n, &factor, C, &n); });
        each([&](T* C) { f::axpy(&n, &alpha, A, &inc, C, &two); });
        each([&](T* C) { f::axpy(&n, &alpha, A, &inc, C, &none); });
        each([&](T* C) { f::scal(&n, &alpha, C, &two); });
        each([&](T* C) { f::scal_real(&n, &factor, C, &inc); });
        each([&](T* C) { f::cblas_dotc(n, A, 1, A, 1, C); });
        each([&](T* C) { f::omatcopy("C", "R", &n, &n, &alpha, A, &n, C, &n); });
        return all;
      };
      const std::vector<T> want = results(ieee);
      for (const unsigned mode : {flush, upwards, ieee | all_flags, trapping}) {
        CAPTURE(name_of(kind), hex(alpha), mode);
        CHECK(same_bits(results(mode), want));
      }
    }
}
#endif

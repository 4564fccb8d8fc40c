// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libabax_blas: what is read and written, increments, and the canon's bits behind every name. (The numbers of bad
// arguments: blas_errors.cpp. Netlib's testers: tests/blas/.)
#include <omp.h>

#include <algorithm>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../src/blas/target.hpp"
#include "blas_names.hpp"
#include "inputs.hpp"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

using namespace abax::tests;

TEMPLATE_TEST_CASE("BLAS: what need not be read is not, and quick returns touch nothing", "[blas]", s32, d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  const T* const none = nullptr;
  const T zero = 0, one = 1, two = 2;
  const I n = 3, nil = 0, inc = 1, down = -1;
  std::vector<T> nan(9, nan_with_payload<T>()), x(9, T(2)), c;
  c = nan;  // beta == 0 does not read C, alpha == 0 not A and B
  f::gemm("N", "N", &n, &n, &n, &zero, none, &n, none, &n, &zero, c.data(), &n);
  CHECK(same_bits(c, std::vector<T>(9, T(0))));
  c = nan;
  f::gemm("N", "N", &n, &n, &n, &one, x.data(), &n, x.data(), &n, &zero, c.data(), &n);
  CHECK(same_bits(c, std::vector<T>(9, T(12))));
  c = x;
  f::gemm("N", "T", &n, &n, &nil, &one, none, &n, none, &n, &two, c.data(), &n);
  CHECK(same_bits(c, std::vector<T>(9, T(4))));
  c = nan;  // and these return at once
  f::gemm("N", "N", &n, &n, &nil, &one, none, &n, none, &n, &one, c.data(), &n);
  f::gemm("N", "N", &n, &n, &n, &zero, none, &n, none, &n, &one, c.data(), &n);
  f::gemm("N", "N", &nil, &n, &n, &one, none, &n, none, &n, &zero, c.data(), &n);
  f::gemm("N", "N", &n, &nil, &n, &one, none, &n, none, &n, &zero, c.data(), &n);
  f::gemv("N", &n, &nil, &one, none, &n, none, &inc, &zero, c.data(), &inc);  // unlike gemm, the reference's gemv
  f::gemv("T", &nil, &n, &one, none, &n, none, &inc, &two, c.data(), &inc);   // leaves y alone without any terms
  f::gemv("N", &n, &n, &zero, none, &n, none, &inc, &one, c.data(), &inc);
  f::axpy(&n, &zero, none, &inc, c.data(), &inc);
  f::axpy(&down, &one, none, &inc, c.data(), &inc);
  f::scal(&n, &one, c.data(), &inc);
  f::scal(&n, &two, c.data(), &down);
  f::scal(&n, &two, c.data(), &nil);
  f::copy(&nil, none, &inc, c.data(), &inc);
  f::omatcopy("C", "N", &nil, &n, &one, none, &n, c.data(), &n);
  CHECK(f::dot(&nil, none, &inc, none, &inc) == 0);
  CHECK(f::dot(&down, none, &inc, none, &inc) == 0);
  CHECK(f::nrm2(&nil, none, &inc) == 0);
  CHECK(f::asum(&down, none, &inc) == 0);
  CHECK(f::iamax(&nil, none, &inc) == 0);
  CHECK(f::cblas_iamax(down, none, inc) == 0);
  CHECK(f::asum(&n, none, &down) == 0);
  CHECK(f::iamax(&n, none, &nil) == 0);
  CHECK(same_bits(c, nan));
  f::omatcopy("C", "T", &n, &n, &zero, none, &n, c.data(), &n);
  CHECK(same_bits(c, std::vector<T>(9, T(0))));
}

TEMPLATE_TEST_CASE("BLAS: scal by zero multiplies, as the reference does", "[blas]", s32, d32, s64, d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  using limits = std::numeric_limits<T>;
  const T nan = limits::quiet_NaN();
  const std::vector<T> start = {
      1,     -2,   nan_with_payload<T>(), limits::infinity(), T(0), -T(0), limits::denorm_min(),
      -T(5), T(3), -limits::max(),        -limits::infinity()};
  const auto signs = [](std::initializer_list<int> of) {
    std::vector<T> zeros;
    for (const int sign : of) zeros.push_back(sign < 0 ? -T(0) : T(0));
    return zeros;
  };
  std::vector<T> plus = signs({1, -1, 0, 0, 1, -1, 1, -1, 1, -1, 0}),
                 minus = signs({-1, 1, 0, 0, -1, 1, -1, 1, -1, 1, 0});
  for (const int i : {2, 3, 10}) plus[i] = minus[i] = nan;
  const I n = 11, inc = 1, half = 5, two = 2;
  for (const T zero : {T(0), -T(0)}) {
    const std::vector<T>& all = std::signbit(zero) ? minus : plus;
    std::vector<T> x = start;
    f::scal(&n, &zero, x.data(), &inc);
    CHECK(same_bits(x, all));
    x = start;
    f::cblas_scal(n, zero, x.data(), inc);
    CHECK(same_bits(x, all));
    x = start;
    std::vector<T> every_other = start;
    for (I i = 0; i < half; ++i) every_other[two * i] = all[two * i];
    f::scal(&half, &zero, x.data(), &two);
    CHECK(same_bits(x, every_other));
  }
}

TEST_CASE("ABAX_BLAS_INTEGER names a size", "[blas][integer][errors]") {
  using abax::blas::least_integer_terms;
  constexpr double none = std::numeric_limits<double>::max();
  for (const char* word : {static_cast<const char*>(nullptr), "", "0"}) CHECK(least_integer_terms(word) == none);
  CHECK(least_integer_terms("1") == 1);
  CHECK(least_integer_terms("2000") == 8e9);
  for (const char* word : {"on", "-1", "1.5", "2 ", "99999999999999999999"})
    CHECK_THROWS_WITH(least_integer_terms(word),
                      "ABAX_BLAS_INTEGER is \"" + std::string(word) + "\", expected 0, 1 or a size");
}

TEST_CASE("ABAX_BLAS_BACKEND names a place that there is", "[blas][errors]") {
  using abax::blas::target, abax::blas::target_of;
  for (const bool there : {false, true}) {
    CHECK(target_of("host", there) == target::host);
    for (const char* const word : {static_cast<const char*>(nullptr), "", "auto"})
      CHECK(target_of(word, there) == (there ? target::automatic : target::host));
    for (const char* const word : {"gpu", "Host", "auto ", "0"})
      CHECK_THROWS_WITH(target_of(word, there),
                        "ABAX_BLAS_BACKEND is \"" + std::string(word) + "\", expected auto, host or device");
  }
  CHECK(target_of("device", true) == target::device);
  CHECK_THROWS_WITH(target_of("device", false), "ABAX_BLAS_BACKEND is \"device\", but this build or machine has none");
}

TEMPLATE_TEST_CASE("BLAS: increments count from either end, and zero stays where it is", "[blas]", s32, d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  const I n = 5, m = 4, lda = 6;
  const T alpha = T(1.25), beta = T(-0.5);
  const matrix<T> numbers = random_matrix<T>(40, 3, numbers::unit, 7);
  const T* const a = &numbers(0, 0);
  const T* const b = &numbers(0, 1);
  const auto at = [](I i, I count, I inc) { return inc < 0 ? (i - count + 1) * inc : i * inc; };
  for (const I incx : {1, 2, -1, -3, 0})
    for (const I incy : {1, 3, -1, -2, 0}) {
      CAPTURE(incx, incy);
      const std::vector<T> start(&numbers(0, 2), &numbers(0, 2) + 40);
      std::vector<T> got = start, want = start;
      f::axpy(&n, &alpha, a, &incx, got.data(), &incy);
      for (I i = 0; i < n; ++i) {
        T& y = want[at(i, n, incy)];
        y = std::fma(alpha, a[at(i, n, incx)], y);
      }
      CHECK(same_bits(got, want));
      got = start;
      f::cblas_axpy(n, alpha, a, incx, got.data(), incy);
      CHECK(same_bits(got, want));
      got = want = start;
      f::scal(&n, &alpha, got.data(), &incy);
      if (incy > 0)
        for (I i = 0; i < n; ++i) want[i * incy] *= alpha;
      CHECK(same_bits(got, want));
      got = start;
      f::cblas_scal(n, alpha, got.data(), incy);
      CHECK(same_bits(got, want));
      got = want = start;
      f::copy(&n, a, &incx, got.data(), &incy);
      for (I i = 0; i < n; ++i) want[at(i, n, incy)] = a[at(i, n, incx)];
      CHECK(same_bits(got, want));
      got = start;
      f::cblas_copy(n, a, incx, got.data(), incy);
      CHECK(same_bits(got, want));
      abax::tests::matrix<T> x(n, 1), y(n, 1);
      for (I i = 0; i < n; ++i) x(i) = a[at(i, n, incx)], y(i) = b[at(i, n, incy)];
      const T dot = abax::reference::dot(x, y), nrm2 = abax::reference::nrm2(x),
              asum = incx > 0 ? abax::reference::asum(x) : T(0);
      const I largest = incx > 0 ? static_cast<I>(abax::reference::iamax(x) + 1) : 0;
      CHECK(f::dot(&n, a, &incx, b, &incy) == dot);
      CHECK(f::cblas_dot(n, a, incx, b, incy) == dot);
      CHECK(f::nrm2(&n, a, &incx) == nrm2);
      CHECK(f::cblas_nrm2(n, a, incx) == nrm2);
      CHECK(f::asum(&n, a, &incx) == asum);
      CHECK(f::cblas_asum(n, a, incx) == asum);
      CHECK(f::iamax(&n, a, &incx) == largest);
      CHECK(static_cast<I>(f::cblas_iamax(n, a, incx)) == std::max<I>(largest, 1) - 1);
      if (incx == 0 || incy == 0) continue;
      for (const char trans : {'N', 'T'}) {
        got = want = start;
        f::gemv(&trans, &m, &n, &alpha, a, &lda, b, &incx, &beta, got.data(), &incy);
        const I rows = trans == 'N' ? m : n, terms = trans == 'N' ? n : m;
        for (I i = 0; i < rows; ++i) {
          T sum = 0;
          for (I p = 0; p < terms; ++p)
            sum = std::fma(trans == 'N' ? a[i + p * lda] : a[p + i * lda], b[at(p, terms, incx)], sum);
          T& y = want[at(i, rows, incy)];
          y = std::fma(alpha, sum, beta * y);
        }
        CHECK(same_bits(got, want));
      }
    }
}

TEMPLATE_TEST_CASE("BLAS: gemm has the canon's bits under every name", "[blas]", s32, d32, s64, d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  const T alpha = T(1.25), beta = T(-0.5);
  const I m = 37, n = 29, k = 2100;
  for (const char ta : {'N', 'T', 'C'})
    for (const char tb : {'n', 't', 'c'}) {
      const bool turn_a = ta != 'N', turn_b = tb != 'n';
      const matrix<T> a = random_matrix<T>(turn_a ? k : m, turn_a ? m : k, numbers::unit, 1),
                      b = random_matrix<T>(turn_b ? n : k, turn_b ? k : n, numbers::unit, 2),
                      c = random_matrix<T>(m, n, numbers::unit, 3);
      const matrix<T> want = abax::reference::gemm(ta, tb, alpha, a, b, beta, c);
      const I lda = turn_a ? k : m, ldb = turn_b ? n : k;
      matrix<T> got = c;
      f::gemm(&ta, &tb, &m, &n, &k, &alpha, a.elements.data(), &lda, b.elements.data(), &ldb, &beta,
              got.elements.data(), &m);
      CHECK(same_bits(got.elements, want.elements));
      const auto number = [](bool turned) { return turned ? CblasTrans : CblasNoTrans; };
      got = c;
      f::cblas_gemm(CblasColMajor, number(turn_a), number(turn_b), m, n, k, alpha, a.elements.data(), lda,
                    b.elements.data(), ldb, beta, got.elements.data(), m);
      CHECK(same_bits(got.elements, want.elements));
      // Row-major: the same memory is the transposed problem.
      got = c;
      f::cblas_gemm(CblasRowMajor, number(turn_b), number(turn_a), n, m, k, alpha, b.elements.data(), ldb,
                    a.elements.data(), lda, beta, got.elements.data(), m);
      CHECK(same_bits(got.elements, want.elements));
      // gemv is gemm with one column, by columns and by rows.
      if (tb != 'n') continue;
      const I one = 1;
      const I rows = turn_a ? k : m, cols = turn_a ? m : k;
      const std::vector<T> first(c.elements.begin(), c.elements.begin() + m);
      std::vector<T> y = first, z = first, y_want(want.elements.begin(), want.elements.begin() + m);
      f::gemv(&ta, &rows, &cols, &alpha, a.elements.data(), &lda, b.elements.data(), &one, &beta, y.data(), &one);
      CHECK(same_bits(y, y_want));
      f::cblas_gemv(CblasRowMajor, number(!turn_a), cols, rows, alpha, a.elements.data(), lda, b.elements.data(), 1,
                    beta, z.data(), 1);
      CHECK(same_bits(z, y_want));
    }
}

TEMPLATE_TEST_CASE("BLAS: each product of a batch has gemm's bits, under every name", "[blas]", s32, d32, s64, d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  const auto number = [](char t) { return t == 'N' ? CblasNoTrans : CblasTrans; };
  const std::vector<T> a = random_matrix<T>(4000, 1, numbers::special, 1).elements,
                       b = random_matrix<T>(4000, 1, numbers::special, 2).elements;
  const std::vector<T> c = random_matrix<T>(4000, 1, numbers::special, 3).elements;
  std::vector<T> got, want;
  const auto check = [&](const auto& call) {
    got = c;
    call();
    CHECK(same_bits(got, want));
  };
  const T alphas[] = {T(1.25), T(-2)}, betas[] = {T(-0.5), T(0)};
  const I ms[] = {7, 19}, ns[] = {5, 17}, ks[] = {9, 3}, lds[] = {20, 23}, sizes[] = {4, 2}, groups = 2;
  for (const char ta : {'N', 'T'})
    for (const char tb : {'N', 'C'})
      for (const bool by_rows : {false, true}) {
        CAPTURE(ta, tb, by_rows);
        const CBLAS_LAYOUT layout = by_rows ? CblasRowMajor : CblasColMajor;
        const auto product = [&](int g, const T* A, const T* B, T* C) {
          f::cblas_gemm(layout, number(ta), number(tb), ms[g], ns[g], ks[g], alphas[g], A, lds[g], B, lds[g], betas[g],
                        C, lds[g]);
        };
        for (const I stride_a : {I(0), I(431)}) {
          const I stride_b = 431 - stride_a, stride_c = 501, items = sizes[0];
          want = c;
          for (I i = 0; i < items; ++i) product(0, &a[i * stride_a], &b[i * stride_b], &want[i * stride_c]);
          check([&] {
            f::cblas_gemm_batch_strided(layout, number(ta), number(tb), ms[0], ns[0], ks[0], alphas[0], a.data(),
                                        lds[0], stride_a, b.data(), lds[0], stride_b, betas[0], got.data(), lds[0],
                                        stride_c, items);
          });
          if (!by_rows)
            check([&] {
              f::gemm_batch_strided(&ta, &tb, ms, ns, ks, alphas, a.data(), lds, &stride_a, b.data(), lds, &stride_b,
                                    betas, got.data(), lds, &stride_c, &items);
            });
        }
        std::vector<const T*> a_at, b_at;
        std::vector<T*> c_at;
        want = c;
        for (int g = 0; g < groups; ++g)
          for (I i = 0; i < sizes[g]; ++i) {
            const std::size_t item = c_at.size(), place = 600 * ((item + 2) % 6);
            product(g, &a[place], &b[500 * item], &want[place]);
            a_at.push_back(&a[place]);
            b_at.push_back(&b[500 * item]);
            c_at.push_back(got.data() + place);
          }
        const CBLAS_TRANSPOSE turns_a[] = {number(ta), number(ta)}, turns_b[] = {number(tb), number(tb)};
        const char letters_a[] = {ta, ta}, letters_b[] = {tb, tb};
        const auto in_place = [&](const auto& call) {  // the pointers stay right
          std::copy(c.begin(), c.end(), got.begin());
          call();
          CHECK(same_bits(got, want));
        };
        in_place([&] {
          f::cblas_gemm_batch(layout, turns_a, turns_b, ms, ns, ks, alphas, a_at.data(), lds, b_at.data(), lds, betas,
                              c_at.data(), lds, groups, sizes);
        });
        if (!by_rows)
          in_place([&] {
            f::gemm_batch(letters_a, letters_b, ms, ns, ks, alphas, a_at.data(), lds, b_at.data(), lds, betas,
                          c_at.data(), lds, &groups, sizes);
          });
      }
  // What is not read may be null; without items nothing is looked at.
  const I zero = 0, two = 2, stride = 600;
  const T none = 0;
  T* const nothing = nullptr;
  want = c;
  for (I i = 0; i < two; ++i)
    f::cblas_gemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 7, 5, 9, none, c.data(), 20, c.data(), 20, betas[0],
                  &want[i * stride], 20);
  check([&] {
    f::gemm_batch_strided("N", "N", ms, ns, ks, &none, nothing, lds, &zero, nothing, lds, &zero, betas, got.data(), lds,
                          &stride, &two);
    f::gemm_batch_strided("N", "N", ms, ns, ks, alphas, nothing, lds, &zero, nothing, lds, &zero, betas, nothing, lds,
                          &stride, &zero);
    f::gemm_batch("N", "N", ms, ns, ks, alphas, nullptr, lds, nullptr, lds, betas, nullptr, lds, &zero, sizes);
  });
  CHECK(taken() == 0);
}

TEMPLATE_TEST_CASE("BLAS: gemmt, gemmtr and syrk have gemm's bits in one triangle, under every name", "[blas][gemmt]",
                   s32, d32, s64, d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  const T alpha = T(1.25), beta = T(-0.5);
  const I n = 37, k = 2100, ldc = 40;
  const auto number = [](bool turned) { return turned ? CblasTrans : CblasNoTrans; };
  const auto part = [](bool lower) { return lower ? CblasLower : CblasUpper; };
  for (const char uplo : {'L', 'u'})
    for (const char ta : {'N', 'T'})
      for (const char tb : {'n', 'c'}) {
        const bool turn_a = ta != 'N', turn_b = tb != 'n', lower = uplo == 'L';
        const matrix<T> a = random_matrix<T>(turn_a ? k : n, turn_a ? n : k, numbers::unit, 1),
                        b = random_matrix<T>(turn_b ? n : k, turn_b ? k : n, numbers::unit, 2),
                        c = random_matrix<T>(n, n, numbers::unit, 3);
        const I lda = turn_a ? k : n, ldb = turn_b ? n : k;
        const T *const A = a.elements.data(), *const B = b.elements.data();
        std::vector<T> before(ldc * n, nan_with_payload<T>());
        const auto placed = [&](const matrix<T>& m) {
          std::vector<T> result = before;
          for (I j = 0; j < n; ++j)
            for (I i = 0; i < n; ++i)
              if (abax::reference::in_triangle(uplo, i, j)) result[i + j * ldc] = m(i, j);
          return result;
        };
        before = placed(c);
        std::vector<T> got;
        const auto check = [&](const matrix<T>& want, const auto& call) {
          got = before;
          call(got.data());
          CHECK(same_bits(got, placed(want)));
        };
        const matrix<T> want = abax::reference::gemmt(uplo, ta, tb, alpha, a, b, beta, c);
        check(want, [&](T* C) { f::gemmt(&uplo, &ta, &tb, &n, &k, &alpha, A, &lda, B, &ldb, &beta, C, &ldc); });
        check(want, [&](T* C) { f::gemmtr(&uplo, &ta, &tb, &n, &k, &alpha, A, &lda, B, &ldb, &beta, C, &ldc); });
        check(want, [&](T* C) {
          f::cblas_gemmt(CblasColMajor, part(lower), number(turn_a), number(turn_b), n, k, alpha, A, lda, B, ldb, beta,
                         C, ldc);
        });
        // Row-major: the same memory is the transposed problem.
        check(want, [&](T* C) {
          f::cblas_gemmtr(CblasRowMajor, part(!lower), number(turn_b), number(turn_a), n, k, alpha, B, ldb, A, lda,
                          beta, C, ldc);
        });
        const matrix<T> square = abax::reference::gemmt(uplo, ta, turn_a ? 'N' : 'T', alpha, a, a, beta, c);
        check(square, [&](T* C) { f::syrk(&uplo, &ta, &n, &k, &alpha, A, &lda, &beta, C, &ldc); });
        check(square, [&](T* C) {
          f::cblas_syrk(CblasColMajor, part(lower), number(turn_a), n, k, alpha, A, lda, beta, C, ldc);
        });
        check(square, [&](T* C) {
          f::cblas_syrk(CblasRowMajor, part(!lower), number(!turn_a), n, k, alpha, A, lda, beta, C, ldc);
        });
        // Without terms the triangle is scaled, and nothing else is read.
        const T zero = 0, one = 1;
        const T* const none = nullptr;
        matrix<T> halved = c;
        for (T& element : halved.elements) element *= beta;
        check(halved, [&](T* C) { f::gemmt(&uplo, &ta, &tb, &n, &k, &zero, none, &lda, none, &ldb, &beta, C, &ldc); });
        check(halved, [&](T* C) { f::syrk(&uplo, &ta, &n, &k, &zero, none, &lda, &beta, C, &ldc); });
        check(c, [&](T* C) { f::syrk(&uplo, &ta, &n, &k, &zero, none, &lda, &one, C, &ldc); });
      }
}

TEMPLATE_TEST_CASE("BLAS: omatcopy scales and turns in either order", "[blas]", s32, d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  const I rows = 5, cols = 7;
  const matrix<T> a = random_matrix<T>(8, 8, numbers::unit, 5);
  for (const T alpha : {T(1), T(-2.5)})
    for (const char order : {'C', 'R'})
      for (const char trans : {'N', 'T'})
        for (const I pad : {0, 1}) {
          CAPTURE(alpha, order, trans, pad);
          const I lda = 8, to = (order == 'R') != (trans == 'T') ? cols : rows, ldb = to + pad;
          std::vector<T> got(80, T(9)), again = got, want = got;
          for (I i = 0; i < rows; ++i)
            for (I j = 0; j < cols; ++j) {
              const T value = alpha * a.elements[order == 'C' ? i + j * lda : i * lda + j];
              const I r = trans == 'T' ? j : i, c = trans == 'T' ? i : j;
              want[order == 'C' ? r + c * ldb : r * ldb + c] = value;
            }
          f::omatcopy(&order, &trans, &rows, &cols, &alpha, a.elements.data(), &lda, got.data(), &ldb);
          CHECK(same_bits(got, want));
          f::cblas_omatcopy(order == 'C' ? CblasColMajor : CblasRowMajor, trans == 'T' ? CblasTrans : CblasNoTrans,
                            rows, cols, alpha, a.elements.data(), lda, again.data(), ldb);
          CHECK(same_bits(again, want));
        }
}

TEST_CASE("BLAS: host threads and parallel regions get the same bits at once", "[blas][threads]") {
  const int n = 150;
  const double one = 1, zero = 0;
  const matrix<double> a = random_matrix<double>(n, n, numbers::unit, 1),
                       b = random_matrix<double>(n, n, numbers::unit, 2);
  const matrix<double> want = abax::reference::gemm('N', 'N', 1.0, a, b, 0.0, matrix<double>(n, n));
  const auto right = [&] {
    for (int turn = 0; turn < 20; ++turn) {
      matrix<double> c = random_matrix<double>(n, n, numbers::nan, 3);
      dgemm_("N", "N", &n, &n, &n, &one, a.elements.data(), &n, b.elements.data(), &n, &zero, c.elements.data(), &n);
      if (!same_bits(c.elements, want.elements)) return false;
    }
    return true;
  };
  std::vector<char> results(8);
  std::vector<std::thread> threads;
  for (char& result : results) threads.emplace_back([&] { result = right(); });
  for (std::thread& thread : threads) thread.join();
  CHECK(std::count(results.begin(), results.end(), true) == 8);
  int wrong = 0;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  wrong += !right();
  CHECK(wrong == 0);
}

#if defined(__x86_64__) && !defined(__FAST_MATH__)
namespace {

constexpr unsigned ieee = 0x1F80, flush = ieee | 0x8040, upwards = ieee | 0x4000, all_flags = 0x3F;
constexpr unsigned trapping = ieee & ~0x1F80u;  // every exception, also those of subnormal operands and of rounding

template <class F>
void f_gemm(typename F::integer n, typename F::value alpha, const typename F::value* a, typename F::value beta,
            typename F::value* c) {
  F::gemm("N", "T", &n, &n, &n, &alpha, a, &n, a, &n, &beta, c, &n);
}

/// What every routine leaves, under every name, for these alpha, beta and numbers.
template <class F>
std::vector<typename F::value> call_all(typename F::value alpha, typename F::value beta,
                                        const std::vector<typename F::value>& x, unsigned mode, unsigned& left) {
  using T = typename F::value;
  using I = typename F::integer;
  const I n = 12, inc = 1, two = 2, none = 0, large = 72;  // a product that is planned
  const std::vector<T> a(large * large, x[0]);
  std::vector<T> all, c(large * large);
  const auto start = [&] {
    c.assign(c.size(), x[1]);
    std::copy(x.begin(), x.end(), c.begin());
  };
  const auto keep = [&] { all.insert(all.end(), c.begin(), c.end()); };
  const auto each = [&](const auto& call) {
    start();
    const unsigned before = _mm_getcsr();
    _mm_setcsr(mode);
    call();
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    left |= after ^ mode;
    keep();
  };
  const T* const A = x.data();
  T* const C = c.data();
  each([&] { f_gemm<F>(n, alpha, A, beta, C); });
  each([&] { f_gemm<F>(large, alpha, a.data(), beta, C); });
  each([&] { F::cblas_gemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, n, alpha, A, n, A, n, beta, C, n); });
  for (const char trans : {'N', 'T'}) each([&] { F::gemv(&trans, &n, &n, &alpha, A, &n, A, &inc, &beta, C, &two); });
  each([&] { F::cblas_gemv(CblasRowMajor, CblasNoTrans, n, n, alpha, A, n, A, 1, beta, C, 1); });
  if (beta == 1) {  // one that several teams share along its terms
    const I m = 20, k = 4100;
    const std::vector<T> deep(m * k, x[0]);
    each([&] { F::gemm("T", "N", &m, &m, &k, &alpha, deep.data(), &k, deep.data(), &k, &beta, C, &m); });
  }
  each([&] { F::gemv("N", &large, &large, &alpha, a.data(), &large, a.data(), &inc, &beta, C, &inc); });
  each([&] { F::axpy(&n, &alpha, A, &inc, C, &two); });
  each([&] { F::axpy(&n, &alpha, A, &inc, C, &none); });
  each([&] { F::cblas_axpy(n, alpha, A, 2, C, 1); });
  each([&] { F::scal(&n, &alpha, C, &two); });
  each([&] { F::cblas_scal(n, alpha, C, 1); });
  each([&] { F::copy(&n, A, &inc, C, &two); });
  each([&] { C[0] = F::dot(&n, A, &inc, A, &inc); });
  each([&] { C[0] = F::cblas_dot(large * large, a.data(), 1, a.data(), 1); });
  for (const char trans : {'N', 'T'}) each([&] { F::omatcopy("C", &trans, &n, &n, &alpha, A, &n, C, &n); });
  each([&] { F::cblas_omatcopy(CblasRowMajor, CblasTrans, n, n, alpha, A, n, C, n); });
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("BLAS: neither bits nor flags depend on the caller's floating-point environment", "[blas][bits]",
                   s32, d32, s64, d64) {
  using T = typename TestType::value;
  using limits = std::numeric_limits<T>;
  const T tiny = limits::denorm_min() * 1000, quiet = nan_with_payload<T>(), zero = 0;
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T signaling = std::bit_cast<T>(std::bit_cast<bits>(limits::infinity()) | bits(1));
  const auto filled = [](std::initializer_list<T> with) {
    std::vector<T> x(12 * 12);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::data(with)[i % with.size()];
    return x;
  };
  const std::vector<std::vector<T>> operands = {
      filled({T(3), T(-1) / 3, limits::max() / 16, limits::min()}),
      filled({tiny, -tiny, limits::min(), T(1)}),
      filled({limits::infinity(), T(1), -limits::infinity(), limits::max(), signaling, -zero}),
  };
  for (const std::vector<T>& x : operands)
    for (const T alpha : {tiny, -tiny, T(1), T(0.7), zero, -zero, quiet, signaling, limits::infinity()})
      for (const T beta : {zero, tiny, T(1), quiet, signaling, limits::max()}) {
        unsigned left = 0;
        const std::vector<T> want = call_all<TestType>(alpha, beta, x, ieee, left);
        // Flags that are set stay, others stay clear, and where an exception would end the program none does.
        for (const unsigned mode : {flush, upwards, ieee | all_flags, flush | 0x09u, trapping}) {
          CAPTURE(alpha, beta, x[0], mode);
          const std::vector<T> got = call_all<TestType>(alpha, beta, x, mode, left);
          CHECK(std::memcmp(got.data(), want.data(), sizeof(T) * want.size()) == 0);
          REQUIRE(left == 0);
        }
      }
}
#endif

TEMPLATE_TEST_CASE("BLAS: a stride that nothing uses may be any number", "[blas]", s64, d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  const I one = 1, k = 3;
  const T two = 2, x[3] = {3, 5, 7};
  for (const I far : {std::numeric_limits<I>::max(), std::numeric_limits<I>::max() / 2 + 1,
                      std::numeric_limits<I>::min() + 1, std::numeric_limits<I>::min()}) {
    CAPTURE(far);
    T y = 1;
    CHECK(f::dot(&one, x, &far, x, &far) == 9);
    CHECK(f::cblas_dot(1, x, far, x, 1) == 9);
    f::axpy(&one, &two, x, &far, &y, &far);
    CHECK(y == 7);
    f::copy(&one, x, &far, &y, &far);
    CHECK(y == 3);
    f::gemv("N", &one, &one, &two, x, &one, x, &far, &two, &y, &far);
    CHECK(y == 24);
    if (far < 0) continue;
    f::scal(&one, &two, &y, &far);
    CHECK(y == 48);
    f::gemv("T", &k, &one, &two, x, &far, x, &one, &two, &y, &far);
    CHECK(y == 262);
    f::gemm("T", "N", &one, &one, &k, &two, x, &far, x, &far, &two, &y, &far);
    CHECK(y == 690);
    T turned[3] = {};
    f::omatcopy("C", "N", &k, &one, &two, x, &far, turned, &far);
    CHECK(turned[2] == 14);
    f::omatcopy("R", "T", &one, &k, &two, x, &far, turned, &one);
    CHECK(turned[1] == 10);
  }
}

TEMPLATE_TEST_CASE("BLAS: axpy into one element takes no call for each term", "[blas]", s32, d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  const I n = 20000, one = 1, none = 0, down = -1;
  const T alpha = T(0.3);
  const matrix<T> x = random_matrix<T>(n, 1, numbers::unit, 3);
  T want = T(0.5), got = want, backwards = want, expected_backwards = want;
  for (I i = 0; i < n; ++i) {
    want = std::fma(alpha, x.elements[i], want);
    expected_backwards = std::fma(alpha, x.elements[n - 1 - i], expected_backwards);
  }
  f::axpy(&n, &alpha, x.elements.data(), &one, &got, &none);
  f::axpy(&n, &alpha, x.elements.data(), &down, &backwards, &none);
  CHECK(got == want);
  CHECK(backwards == expected_backwards);
  T sum = 1;
  const T nan = nan_with_payload<T>();
  f::axpy(&one, &alpha, &nan, &one, &sum, &none);
  CHECK(std::memcmp(&sum, std::vector<T>{std::numeric_limits<T>::quiet_NaN()}.data(), sizeof(T)) == 0);

  const auto shortest = [](const auto& call) {
    std::chrono::nanoseconds best = std::chrono::hours(1);
    for (int turn = 0; turn < 7; ++turn) {
      const auto begin = std::chrono::steady_clock::now();
      call();
      best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - begin);
    }
    return best;
  };
  const auto at_once = shortest([&] { f::axpy(&n, &alpha, x.elements.data(), &one, &got, &none); });
  const auto one_by_one = shortest([&] {
    for (I i = 0; i < n; ++i) f::axpy(&one, &alpha, &x.elements[i], &one, &got, &one);
  });
  CHECK(2 * at_once < one_by_one);
}

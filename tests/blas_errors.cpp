// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libabax_blas: the numbers of bad arguments, which this program's own xerbla functions are told in the place of the
// library's.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <csetjmp>
#include <limits>
#include <stdexcept>

#include "blas_names.hpp"

using namespace abax::tests;

namespace {

// How cblas_xerbla leaves.
enum class way_out { returns, throws, jumps } leaving = way_out::returns;
std::jmp_buf outside;

void tell_c(std::int64_t info, const char* routine) {
  last = {routine, info};
  row_major_within = RowMajorStrg;
  if (leaving == way_out::throws) throw std::runtime_error("cblas_xerbla");
  if (leaving == way_out::jumps) std::longjmp(outside, 1);
}

}  // namespace

extern "C" {

void xerbla_(const char* routine, const std::int32_t* info, std::size_t length) {
  last = {std::string(routine, length), *info};
}
void xerbla_64_(const char* routine, const std::int64_t* info, std::size_t length) {
  last = {std::string(routine, length), *info};
}
void cblas_xerbla(std::int32_t info, const char* routine, const char*, ...) { tell_c(info, routine); }
void cblas_xerbla_64(std::int64_t info, const char* routine, const char*, ...) { tell_c(info, routine); }

}  // extern "C"

TEMPLATE_TEST_CASE("BLAS: each bad argument has the reference's number, and nothing is written", "[blas][errors]", s32,
                   d32, s64, d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  const std::vector<T> x(100, T(2));
  std::vector<T> y(100, T(7));
  const std::vector<T> before = y;
  const T one = 1;
  const auto routine = [](const char* name) { return std::string(1, f::letter) + name; };

  SECTION("gemm") {
    const auto info = [&](char ta, char tb, I m, I n, I k, I lda, I ldb, I ldc) {
      f::gemm(&ta, &tb, &m, &n, &k, &one, x.data(), &lda, x.data(), &ldb, &one, y.data(), &ldc);
      CHECK((last.info == 0 || last.routine == routine("GEMM ")));
      return taken();
    };
    CHECK(info('/', '/', -1, -1, -1, 0, 0, 0) == 1);  // the first one counts
    CHECK(info('n', '/', -1, -1, -1, 0, 0, 0) == 2);
    CHECK(info('t', 'c', -1, -1, -1, 0, 0, 0) == 3);
    CHECK(info('T', 'C', 0, -1, -1, 0, 0, 0) == 4);
    CHECK(info('N', 'N', 0, 0, -1, 0, 0, 0) == 5);
    CHECK(info('N', 'N', 0, 0, 0, 0, 0, 0) == 8);
    CHECK(info('N', 'N', 3, 4, 5, 2, 5, 3) == 8);
    CHECK(info('T', 'N', 3, 4, 5, 4, 5, 3) == 8);
    CHECK(info('N', 'N', 3, 4, 5, 3, 4, 3) == 10);
    CHECK(info('N', 'T', 3, 4, 5, 3, 3, 3) == 10);
    CHECK(info('N', 'N', 3, 4, 5, 3, 5, 2) == 13);
    CHECK(same_bits(y, before));
  }
  SECTION("gemm_batch_strided: the numbers of the call as it was made, in either layout") {
    struct numbers {
      char ta = 'N', tb = 'N';
      I m = 3, n = 4, k = 5, lda = 5, sa = 25, ldb = 5, sb = 25, ldc = 5, sc = 25, items = 2;
    };
    const auto info = [&](const numbers& v, bool by_rows = false) {
      const auto number = [](char t) { return t == 'N' ? CblasNoTrans : t == 'T' ? CblasTrans : CBLAS_TRANSPOSE(0); };
      f::cblas_gemm_batch_strided(by_rows ? CblasRowMajor : CblasColMajor, number(v.ta), number(v.tb), v.m, v.n, v.k, 1,
                                  x.data(), v.lda, v.sa, x.data(), v.ldb, v.sb, 1, y.data(), v.ldc, v.sc, v.items);
      CHECK((last.info == 0 || last.routine == f::c_name("gemm_batch_strided")));
      CHECK((row_major_within == 0 && RowMajorStrg == 0));
      const std::int64_t of_c = taken();
      if (by_rows) return of_c;
      f::gemm_batch_strided(&v.ta, &v.tb, &v.m, &v.n, &v.k, &one, x.data(), &v.lda, &v.sa, x.data(), &v.ldb, &v.sb,
                            &one, y.data(), &v.ldc, &v.sc, &v.items);
      CHECK((last.info == 0 || last.routine == routine("GEMM_BATCH_STRIDED")));
      CHECK(last.info + 1 == of_c);
      return taken();
    };
    CHECK(info({.ta = '/', .tb = '/', .m = -1}) == 1);
    CHECK(info({.tb = '/', .m = -1}) == 2);
    CHECK(info({.m = -1, .n = -1}) == 3);
    CHECK(info({.n = -1, .k = -1}) == 4);
    CHECK(info({.k = -1, .lda = 0}) == 5);
    CHECK(info({.lda = 2, .sa = -1}) == 8);
    CHECK(info({.ta = 'T', .lda = 4}) == 8);
    CHECK(info({.ldb = 4, .ldc = 2}) == 11);
    CHECK(info({.sa = -1, .sb = -1}) == 9);
    CHECK(info({.sb = -1, .sc = -1}) == 12);
    CHECK(info({.ldc = 2, .sc = -1}) == 15);
    CHECK(info({.sc = -1, .items = -1}) == 16);
    CHECK(info({.items = -1}) == 17);
    CHECK(info({.m = -1, .n = -1}, true) == 4);
    CHECK(info({.n = -1, .k = -1}, true) == 5);
    CHECK(info({.lda = 4}, true) == 9);
    CHECK(info({.tb = 'T', .ldb = 4}, true) == 12);
    CHECK(info({.ldc = 3}, true) == 16);
    CHECK(info({.sc = -1}, true) == 17);
    CHECK(same_bits(y, before));
  }
  SECTION("gemm_batch: of the first group that has one") {
    const char tt[] = {'N', 'N'};
    const CBLAS_TRANSPOSE number[] = {CblasNoTrans, CblasNoTrans};
    const T ones[] = {1, 1};
    const T* const in[] = {x.data(), x.data(), x.data()};
    T* const out[] = {y.data(), y.data() + 9, y.data() + 18};
    struct group {
      I m = 3, n = 3, k = 3, lda = 3, ldb = 3, ldc = 3, size = 1;
    };
    const auto info = [&](const group& second, I count = 2, const T* const* a = nullptr) {
      const I m[] = {3, second.m}, n[] = {3, second.n}, k[] = {3, second.k}, lda[] = {3, second.lda};
      const I ldb[] = {3, second.ldb}, ldc[] = {3, second.ldc}, size[] = {2, second.size};
      if (a == nullptr) a = in;
      f::cblas_gemm_batch(CblasRowMajor, number, number, m, n, k, ones, a, lda, in, ldb, ones, out, ldc, count, size);
      CHECK((last.info == 0 || last.routine == f::c_name("gemm_batch")));
      const std::int64_t of_c = taken();
      f::gemm_batch(tt, tt, m, n, k, ones, a, lda, in, ldb, ones, out, ldc, &count, size);
      CHECK((last.info == 0 || last.routine == routine("GEMM_BATCH")));
      CHECK(last.info + 1 == of_c);
      return taken();
    };
    CHECK(info({.m = -1, .n = -1}) == 3);
    CHECK(info({.n = -1}) == 4);
    CHECK(info({.k = -1}) == 5);
    CHECK(info({.lda = 2}) == 8);
    CHECK(info({.ldb = 2, .ldc = 2}) == 10);
    CHECK(info({.ldc = 2}) == 13);
    CHECK(info({}, -1) == 14);
    CHECK(info({.size = -1}) == 15);
    const T* const with_null[] = {x.data(), x.data(), nullptr};
    CHECK(info({}, 2, with_null) == 7);
    CHECK(same_bits(y, before));
  }
  SECTION("gemmt and gemmtr") {
    const auto info = [&](char uplo, char ta, char tb, I n, I k, I lda, I ldb, I ldc) {
      f::gemmtr(&uplo, &ta, &tb, &n, &k, &one, x.data(), &lda, x.data(), &ldb, &one, y.data(), &ldc);
      CHECK((last.info == 0 || last.routine == routine("GEMMTR")));
      const std::int64_t number = taken();
      f::gemmt(&uplo, &ta, &tb, &n, &k, &one, x.data(), &lda, x.data(), &ldb, &one, y.data(), &ldc);
      CHECK((last.info == 0 || last.routine == routine("GEMMT")));
      CHECK(taken() == number);
      return number;
    };
    CHECK(info('/', '/', '/', -1, -1, 0, 0, 0) == 1);
    CHECK(info('l', '/', '/', -1, -1, 0, 0, 0) == 2);
    CHECK(info('U', 't', '/', -1, -1, 0, 0, 0) == 3);
    CHECK(info('L', 'T', 'C', -1, -1, 0, 0, 0) == 4);
    CHECK(info('L', 'N', 'N', 0, -1, 0, 0, 0) == 5);
    CHECK(info('L', 'N', 'N', 0, 0, 0, 0, 0) == 8);
    CHECK(info('u', 'N', 'N', 3, 5, 2, 5, 3) == 8);
    CHECK(info('U', 'T', 'N', 3, 5, 4, 5, 3) == 8);
    CHECK(info('U', 'N', 'N', 3, 5, 3, 4, 3) == 10);
    CHECK(info('U', 'N', 'T', 3, 5, 3, 2, 3) == 10);
    CHECK(info('U', 'N', 'N', 3, 5, 3, 5, 2) == 13);
    CHECK(same_bits(y, before));
  }
  SECTION("syrk") {
    const auto info = [&](char uplo, char t, I n, I k, I lda, I ldc) {
      f::syrk(&uplo, &t, &n, &k, &one, x.data(), &lda, &one, y.data(), &ldc);
      CHECK((last.info == 0 || last.routine == routine("SYRK ")));
      return taken();
    };
    CHECK(info('/', '/', -1, -1, 0, 0) == 1);
    CHECK(info('l', '/', -1, -1, 0, 0) == 2);
    CHECK(info('U', 'c', -1, -1, 0, 0) == 3);
    CHECK(info('U', 'N', 0, -1, 0, 0) == 4);
    CHECK(info('L', 'N', 3, 5, 2, 3) == 7);
    CHECK(info('L', 'T', 3, 5, 4, 3) == 7);
    CHECK(info('L', 'N', 3, 5, 3, 2) == 10);
    CHECK(same_bits(y, before));
  }
  SECTION("gemv") {
    const auto info = [&](char t, I m, I n, I lda, I incx, I incy) {
      f::gemv(&t, &m, &n, &one, x.data(), &lda, x.data(), &incx, &one, y.data(), &incy);
      CHECK((last.info == 0 || last.routine == routine("GEMV ")));
      return taken();
    };
    CHECK(info('\0', -1, -1, 0, 0, 0) == 1);
    CHECK(info('c', -1, -1, 0, 0, 0) == 2);
    CHECK(info('N', 0, -1, 0, 0, 0) == 3);
    CHECK(info('N', 0, 0, 0, 0, 0) == 6);
    CHECK(info('T', 3, 4, 2, 1, 1) == 6);
    CHECK(info('N', 3, 4, 3, 0, 0) == 8);
    CHECK(info('N', 3, 4, 3, -1, 0) == 11);
    CHECK(same_bits(y, before));
  }
  SECTION("omatcopy") {
    const auto info = [&](char order, char t, I rows, I cols, I lda, I ldb) {
      f::omatcopy(&order, &t, &rows, &cols, &one, x.data(), &lda, y.data(), &ldb);
      return taken();
    };
    CHECK(info('X', 'X', -1, -1, 0, 0) == 1);
    CHECK(info('c', 'X', -1, -1, 0, 0) == 2);
    CHECK(info('r', 'n', -1, -1, 0, 0) == 3);
    CHECK(info('R', 'T', 0, -1, 0, 0) == 4);
    CHECK(info('C', 'N', 3, 4, 2, 3) == 7);
    CHECK(info('R', 'N', 3, 4, 3, 4) == 7);
    CHECK(info('C', 'N', 3, 4, 3, 2) == 9);
    CHECK(info('C', 'T', 3, 4, 3, 3) == 9);
    CHECK(info('R', 'N', 3, 4, 4, 3) == 9);
    CHECK(info('R', 'T', 3, 4, 4, 2) == 9);
    CHECK(same_bits(y, before));
  }
  SECTION("CBLAS: positions of the column-major call, one later") {
    const auto gemm = [&](int layout, int ta, int tb, I m, I n, I k, I lda, I ldb, I ldc) {
      f::cblas_gemm(CBLAS_LAYOUT(layout), CBLAS_TRANSPOSE(ta), CBLAS_TRANSPOSE(tb), m, n, k, 1, x.data(), lda, x.data(),
                    ldb, 1, y.data(), ldc);
      CHECK(RowMajorStrg == 0);
      return taken();
    };
    const auto gemmtr = [&](int layout, int uplo, int ta, int tb, I n, I k, I lda, I ldb, I ldc) {
      f::cblas_gemmtr(CBLAS_LAYOUT(layout), CBLAS_UPLO(uplo), CBLAS_TRANSPOSE(ta), CBLAS_TRANSPOSE(tb), n, k, 1,
                      x.data(), lda, x.data(), ldb, 1, y.data(), ldc);
      CHECK(RowMajorStrg == 0);
      const std::int64_t number = taken();
      f::cblas_gemmt(CBLAS_LAYOUT(layout), CBLAS_UPLO(uplo), CBLAS_TRANSPOSE(ta), CBLAS_TRANSPOSE(tb), n, k, 1,
                     x.data(), lda, x.data(), ldb, 1, y.data(), ldc);
      CHECK(taken() == number);
      return number;
    };
    CHECK(gemmtr(100, 0, 0, 0, -1, -1, 0, 0, 0) == 1);
    CHECK(gemmtr(CblasRowMajor, 0, 0, 0, -1, -1, 0, 0, 0) == 2);
    CHECK(gemmtr(CblasRowMajor, CblasUpper, 0, 0, -1, -1, 0, 0, 0) == 3);
    CHECK(gemmtr(CblasRowMajor, CblasLower, CblasTrans, 0, -1, -1, 0, 0, 0) == 4);
    CHECK(gemmtr(CblasColMajor, CblasLower, CblasTrans, CblasTrans, -1, -1, 0, 0, 0) == 5);
    CHECK(gemmtr(CblasRowMajor, CblasLower, CblasNoTrans, CblasNoTrans, 3, 5, 5, 2, 3) == 9);   // ldb
    CHECK(gemmtr(CblasRowMajor, CblasLower, CblasNoTrans, CblasNoTrans, 3, 5, 4, 3, 3) == 11);  // lda
    CHECK(gemmtr(CblasRowMajor, CblasLower, CblasNoTrans, CblasNoTrans, 3, 5, 5, 3, 2) == 14);
    const auto syrk = [&](int layout, int uplo, int t, I n, I k, I lda, I ldc) {
      f::cblas_syrk(CBLAS_LAYOUT(layout), CBLAS_UPLO(uplo), CBLAS_TRANSPOSE(t), n, k, 1, x.data(), lda, 1, y.data(),
                    ldc);
      CHECK(RowMajorStrg == 0);
      return taken();
    };
    CHECK(syrk(100, 0, 0, -1, -1, 0, 0) == 1);
    CHECK(syrk(CblasColMajor, 0, 0, -1, -1, 0, 0) == 2);
    CHECK(syrk(CblasRowMajor, 0, 0, -1, -1, 0, 0) == 3);  // as the reference says
    CHECK(syrk(CblasColMajor, CblasUpper, 0, -1, -1, 0, 0) == 3);
    CHECK(syrk(CblasColMajor, CblasUpper, CblasTrans, -1, -1, 0, 0) == 4);
    CHECK(syrk(CblasColMajor, CblasUpper, CblasTrans, 3, -1, 0, 0) == 5);
    CHECK(syrk(CblasRowMajor, CblasUpper, CblasNoTrans, 3, 5, 4, 3) == 8);
    CHECK(syrk(CblasRowMajor, CblasUpper, CblasTrans, 3, 5, 3, 2) == 11);
    CHECK(gemm(100, 0, 0, -1, -1, -1, 0, 0, 0) == 1);
    CHECK(gemm(CblasColMajor, 0, 0, -1, -1, -1, 0, 0, 0) == 2);
    CHECK(gemm(CblasColMajor, CblasTrans, 0, -1, -1, -1, 0, 0, 0) == 3);
    CHECK(gemm(CblasRowMajor, CblasTrans, 0, -1, -1, -1, 0, 0, 0) == 2);  // as the reference says
    CHECK(gemm(CblasColMajor, CblasTrans, CblasTrans, -1, -1, -1, 0, 0, 0) == 4);
    CHECK(gemm(CblasRowMajor, CblasTrans, CblasTrans, -1, 1, -1, 0, 0, 0) == 5);  // M, where N stands column-major
    CHECK(gemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 3, 4, 5, 2, 4, 2) == 9);
    CHECK(gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 3, 4, 5, 4, 3, 3) == 9);  // ldb
    CHECK(gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 3, 4, 5, 4, 4, 3) == 11);
    CHECK(gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 3, 4, 5, 5, 4, 3) == 14);
    const auto gemv = [&](int layout, int t, I m, I n, I lda, I incx, I incy) {
      f::cblas_gemv(CBLAS_LAYOUT(layout), CBLAS_TRANSPOSE(t), m, n, 1, x.data(), lda, x.data(), incx, 1, y.data(),
                    incy);
      return taken();
    };
    CHECK(gemv(0, 0, -1, -1, 0, 0, 0) == 1);
    CHECK(gemv(CblasRowMajor, 0, -1, -1, 0, 0, 0) == 2);
    CHECK(gemv(CblasRowMajor, CblasTrans, -1, 2, 3, 1, 1) == 4);
    CHECK(gemv(CblasColMajor, CblasTrans, -1, 2, 3, 1, 1) == 3);
    CHECK(gemv(CblasRowMajor, CblasNoTrans, 3, 4, 3, 1, 1) == 7);
    CHECK(gemv(CblasRowMajor, CblasNoTrans, 3, 4, 4, 0, 1) == 9);
    CHECK(gemv(CblasRowMajor, CblasNoTrans, 3, 4, 4, 1, 0) == 12);
    f::cblas_omatcopy(CblasRowMajor, CblasNoTrans, 3, 4, 1, x.data(), 3, y.data(), 4);
    CHECK(taken() == 7);
    CHECK(same_bits(y, before));
  }
}

TEMPLATE_TEST_CASE("BLAS: an operand that is null or fits no memory is a bad argument", "[blas][errors]", s32, d32, s64,
                   d64) {
  using f = TestType;
  using T = typename f::value;
  using I = typename f::integer;
  const std::vector<T> memory(16, T(2));
  std::vector<T> results(16, T(7));
  const std::vector<T> before = results;
  const T one = 1;
  const T* const x = memory.data();
  const T* const no_x = nullptr;
  T* const y = results.data();
  T* const no_y = nullptr;
  constexpr I far = std::numeric_limits<I>::max();
  constexpr I many =
      static_cast<I>(std::min<std::int64_t>(far, std::int64_t(1) << 40));  // side by side these would fit
  const auto told = [](const char* name, std::int64_t info) {
    const std::string routine = last.routine;
    CHECK(taken() == info);
    CHECK(routine == name);
  };
  const auto fortran = [](std::string name) { return f::letter + name.append(std::max<int>(0, 5 - name.size()), ' '); };
  const auto c = [](const std::string& name) { return std::string("cblas_") + char(f::letter + ('a' - 'A')) + name; };

  SECTION("gemm") {
    const auto gemm = [&](int info, char ta, char tb, I m, I n, I k, const T* a, I lda, const T* b, I ldb, T* to,
                          I ldc) {
      f::gemm(&ta, &tb, &m, &n, &k, &one, a, &lda, b, &ldb, &one, to, &ldc);
      told(fortran("GEMM").c_str(), info);
      const auto number = [](char letter) { return letter == 'N' ? CblasNoTrans : CblasTrans; };
      f::cblas_gemm(CblasColMajor, number(ta), number(tb), m, n, k, one, a, lda, b, ldb, one, to, ldc);
      told(c("gemm").c_str(), info + 1);
      // The same call by rows has A and B exchanged. What cblas_xerbla is told stands for the column-major call, but
      // for the operands themselves, which it does not exchange.
      f::cblas_gemm(CblasRowMajor, number(tb), number(ta), n, m, k, one, b, ldb, a, lda, one, to, ldc);
      told(c("gemm").c_str(), info == 7 ? 10 : info == 9 ? 8 : info + 1);
    };
    const auto gemmtr = [&](int info, I n, I k, const T* a, I lda, const T* b, I ldb, T* to, I ldc) {
      const char uplo = 'L', turned = 'T', not_turned = 'N';
      f::gemmtr(&uplo, &not_turned, &turned, &n, &k, &one, a, &lda, b, &ldb, &one, to, &ldc);
      told(fortran("GEMMTR").c_str(), info);
      f::cblas_gemmt(CblasRowMajor, CblasUpper, CblasNoTrans, CblasTrans, n, k, one, b, ldb, a, lda, one, to, ldc);
      told(c("gemmt").c_str(), info == 7 ? 10 : info == 9 ? 8 : info + 1);
    };
    gemmtr(7, 2, 2, no_x, 2, no_x, 2, no_y, 2);
    gemmtr(9, 2, 2, x, 2, no_x, 2, no_y, 2);
    gemmtr(12, 2, 2, x, 2, x, 2, no_y, 2);
    const auto syrk = [&](int info, I n, I k, const T* a, I lda, T* to, I ldc) {
      const char uplo = 'L', not_turned = 'N';
      f::syrk(&uplo, &not_turned, &n, &k, &one, a, &lda, &one, to, &ldc);
      told(fortran("SYRK").c_str(), info);
      f::cblas_syrk(CblasColMajor, CblasUpper, CblasNoTrans, n, k, one, a, lda, one, to, ldc);
      told(c("syrk").c_str(), info + 1);
    };
    syrk(6, 2, 2, no_x, 2, no_y, 2);
    syrk(9, 2, 2, x, 2, no_y, 2);
    syrk(7, 1, many, x, far, y, 1);
    gemm(7, 'N', 'N', 2, 2, 2, no_x, 2, no_x, 2, no_y, 2);
    gemm(9, 'N', 'N', 2, 2, 2, x, 2, no_x, 2, no_y, 2);
    gemm(12, 'N', 'N', 2, 2, 2, x, 2, x, 2, no_y, 2);
    gemm(8, 'N', 'N', 1, 1, many, x, far, x, far, y, 1);
    gemm(8, 'T', 'N', many, 1, 1, x, far, x, 1, y, far);
    gemm(10, 'N', 'N', 1, many, 1, x, 1, x, far, y, 1);
    gemm(10, 'T', 'T', 1, 1, many, x, far, x, far, y, 1);
    gemm(13, 'N', 'T', 1, many, 1, x, 1, x, far, y, far);
    const I two = 2;
    const T zero = 0;
    f::gemm("N", "N", &two, &two, &two, &zero, no_x, &far, no_x, &far, &one, no_y, &two);  // nothing is touched
    f::gemm("T", "T", &two, &two, &two, &zero, no_x, &far, no_x, &far, &zero, y + 8, &two);
    CHECK(taken() == 0);
    CHECK(std::count(y + 8, y + 12, T(0)) == 4);
    std::fill(y + 8, y + 12, T(7));
  }
  SECTION("gemv") {
    const auto gemv = [&](int info, char t, I m, I n, const T* a, I lda, const T* v, I incx, T* to, I incy) {
      f::gemv(&t, &m, &n, &one, a, &lda, v, &incx, &one, to, &incy);
      told(fortran("GEMV").c_str(), info);
      f::cblas_gemv(CblasColMajor, t == 'N' ? CblasNoTrans : CblasTrans, m, n, one, a, lda, v, incx, one, to, incy);
      told(c("gemv").c_str(), info + 1);
      f::cblas_gemv(CblasRowMajor, t == 'N' ? CblasTrans : CblasNoTrans, n, m, one, a, lda, v, incx, one, to, incy);
      told(c("gemv").c_str(), info + 1);
    };
    gemv(5, 'N', 2, 2, no_x, 2, no_x, 1, no_y, 1);
    gemv(7, 'N', 2, 2, x, 2, no_x, 1, no_y, 1);
    gemv(10, 'N', 2, 2, x, 2, x, 1, no_y, 1);
    gemv(6, 'N', 1, many, x, far, x, 1, y, 1);
    for (const I inc : {far, -far, std::numeric_limits<I>::min()}) {
      gemv(8, 'N', 1, many, x, 1, x, inc, y, 1);
      gemv(8, 'T', many, 1, x, far, x, inc, y, 1);
      gemv(11, 'T', 1, many, x, 1, x, 1, y, inc);
      gemv(11, 'N', many, 1, x, far, x, 1, y, inc);
    }
  }
  SECTION("vectors") {
    const auto dot = [&](int info, I n, const T* v, I incx, const T* w, I incy) {
      CHECK(f::dot(&n, v, &incx, w, &incy) == 0);
      told(fortran("DOT").c_str(), info);
      CHECK(f::cblas_dot(n, v, incx, w, incy) == 0);
      told(c("dot").c_str(), info);
    };
    const auto reductions = [&](int info, I n, const T* v, I incx) {
      CHECK(f::nrm2(&n, v, &incx) == 0);
      told(fortran("NRM2").c_str(), info);
      CHECK(f::cblas_nrm2(n, v, incx) == 0);
      told(c("nrm2").c_str(), info);
      if (incx <= 0) return;
      CHECK(f::asum(&n, v, &incx) == 0);
      told(fortran("ASUM").c_str(), info);
      CHECK(f::cblas_asum(n, v, incx) == 0);
      told(c("asum").c_str(), info);
      CHECK(f::iamax(&n, v, &incx) == 0);
      told(std::string("I").append(fortran("AMAX"), 0, 5).c_str(), info);
      CHECK(f::cblas_iamax(n, v, incx) == 0);
      told(std::string("cblas_i").append(c("amax"), 6).c_str(), info);
    };
    const auto axpy = [&](int info, I n, const T* v, I incx, T* to, I incy) {
      f::axpy(&n, &one, v, &incx, to, &incy);
      told(fortran("AXPY").c_str(), info);
      f::cblas_axpy(n, one, v, incx, to, incy);
      told(c("axpy").c_str(), info);
    };
    const auto copy = [&](int info, I n, const T* v, I incx, T* to, I incy) {
      f::copy(&n, v, &incx, to, &incy);
      told(fortran("COPY").c_str(), info);
      f::cblas_copy(n, v, incx, to, incy);
      told(c("copy").c_str(), info);
    };
    const auto scal = [&](int info, T alpha, I n, T* to, I incx) {
      f::scal(&n, &alpha, to, &incx);
      told(fortran("SCAL").c_str(), info);
      f::cblas_scal(n, alpha, to, incx);
      told(c("scal").c_str(), info);
    };
    dot(2, 2, no_x, 1, no_x, 1);
    dot(4, 2, x, 1, no_x, 1);
    reductions(2, 2, no_x, 1);
    axpy(3, 2, no_x, 1, no_y, 1);
    axpy(5, 2, x, 1, no_y, 1);
    axpy(5, 2, x, 1, no_y, 0);
    copy(2, 2, no_x, 1, no_y, 1);
    copy(4, 2, x, 1, no_y, 1);
    copy(4, 2, x, 1, no_y, 0);
    for (const T alpha : {T(2), T(0)}) {
      scal(3, alpha, 2, no_y, 1);
      scal(4, alpha, many, y, far);
    }
    for (const I inc : {far, -far, std::numeric_limits<I>::min()}) {
      dot(3, many, x, inc, x, 1);
      dot(5, many, x, 0, x, inc);
      reductions(3, many, x, inc);
      axpy(4, many, x, inc, y, 0);
      axpy(6, many, x, 0, y, inc);
      copy(3, many, x, inc, y, 0);
      copy(5, many, x, 0, y, inc);
    }
  }
  SECTION("omatcopy") {
    const auto omatcopy = [&](int info, char order, char t, I rows, I cols, const T* a, I lda, T* to, I ldb) {
      f::omatcopy(&order, &t, &rows, &cols, &one, a, &lda, to, &ldb);
      told(fortran("OMATCOPY").c_str(), info);
      f::cblas_omatcopy(order == 'R' ? CblasRowMajor : CblasColMajor, t == 'N' ? CblasNoTrans : CblasTrans, rows, cols,
                        one, a, lda, to, ldb);
      told(c("omatcopy").c_str(), info);
    };
    omatcopy(6, 'C', 'N', 2, 2, no_x, 2, no_y, 2);
    omatcopy(8, 'R', 'T', 2, 2, x, 2, no_y, 2);
    omatcopy(7, 'C', 'N', 1, many, x, far, y, far);
    omatcopy(7, 'R', 'N', many, 1, x, far, y, far);
    omatcopy(9, 'C', 'N', 1, many, x, 1, y, far);
    omatcopy(9, 'C', 'T', many, 1, x, far, y, far);
    omatcopy(9, 'R', 'T', 1, many, x, far, y, far);
  }
  CHECK(same_bits(results, before));
}

TEMPLATE_TEST_CASE("CBLAS: RowMajorStrg is set back where cblas_xerbla throws or jumps", "[blas][errors]", s32, d64) {
  using f = TestType;
  using T = typename f::value;
  const T x[4] = {};
  T y[4] = {};
  const auto wrong_row_major = [&] { f::cblas_gemv(CblasRowMajor, CblasNoTrans, 2, 2, 1, x, 1, x, 1, 1, y, 1); };
  leaving = way_out::throws;
  CHECK_THROWS_AS(wrong_row_major(), std::runtime_error);
  CHECK(RowMajorStrg == 0);
  CHECK(std::exchange(row_major_within, 0) == 1);
  leaving = way_out::jumps;
  if (setjmp(outside) == 0) wrong_row_major();
  leaving = way_out::returns;
  CHECK(std::exchange(row_major_within, 0) == 1);
  f::cblas_gemv(CblasColMajor, CblasNoTrans, 2, 2, 1, x, 2, x, 1, 1, y, 1);  // at the latest
  CHECK(RowMajorStrg == 0);
  CHECK(taken() == 7);
}

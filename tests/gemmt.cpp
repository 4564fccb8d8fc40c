// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemmt and syrk: gemm's bits in one triangle, and what lies in the other one as it was.
#include <abax/gemm.hpp>
#include <abax/gemmt.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "sample.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

template <class T>
struct gemmt_case {
  index_t n, k;
  char uplo = 'L', trans_a = 'N', trans_b = 'N';
  T alpha = T(1.25), beta = T(-0.75);
  numbers a = numbers::unit, b = numbers::unit, c = numbers::unit;
};

// In numbers::nan the other triangle would be what C is read as; this pattern is no NaN that arithmetic makes.
template <class T>
void fill_other_triangle(char uplo, matrix<T>& c) {
  for (index_t j = 0; j < c.cols; ++j)
    for (index_t i = 0; i < c.rows; ++i)
      if (!abax::reference::in_triangle(uplo, i, j)) c(i, j) = nan_with_payload<T>();
}

template <class T, class Exec>
void call_gemmt(const Exec& exec, const gemmt_case<T>& g, const operand<T, Exec>& A, const operand<T, Exec>& B,
                const operand<T, Exec>& C) {
  const char uplo[] = {g.uplo, '\0'}, ta[] = {g.trans_a, '\0'}, tb[] = {g.trans_b, '\0'};
  A.template visit<const T>([&](const auto& a) {
    B.visit([&](const auto& b) {
      C.visit([&](const auto& c) { abax::gemmt(exec, uplo, ta, tb, g.alpha, a, b, g.beta, c); });
    });
  });
  exec.fence();
}
template <class T, class Exec>
void call_syrk(const Exec& exec, const gemmt_case<T>& g, const operand<T, Exec>& A, const operand<T, Exec>& C) {
  const char uplo[] = {g.uplo, '\0'}, trans[] = {g.trans_a, '\0'};
  A.template visit<const T>(
      [&](const auto& a) { C.visit([&](const auto& c) { abax::syrk(exec, uplo, trans, g.alpha, a, g.beta, c); }); });
  exec.fence();
}

template <class T>
void check(const gemmt_case<T>& g, const std::vector<placements>& where, bool against_gemm = false) {
  using abax::reference::transposes;
  const std::uint64_t seed = 2 * (g.n + 7 * g.k);
  const bool ta = transposes(g.trans_a), tb = transposes(g.trans_b);
  const matrix<T> a = random_matrix<T>(ta ? g.k : g.n, ta ? g.n : g.k, g.a, seed),
                  b = random_matrix<T>(tb ? g.n : g.k, tb ? g.k : g.n, g.b, seed + 1);
  matrix<T> c = random_matrix<T>(g.n, g.n, g.c, seed + 2);
  fill_other_triangle(g.uplo, c);
  const char other = ta ? 'N' : 'T';
  matrix<T> want, want_syrk;
  if (!against_gemm) {
    want = abax::reference::gemmt(g.uplo, g.trans_a, g.trans_b, g.alpha, a, b, g.beta, c);
    want_syrk = abax::reference::gemmt(g.uplo, g.trans_a, other, g.alpha, a, a, g.beta, c);
  }
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    if (against_gemm && std::is_same_v<Exec, Kokkos::Serial>) return;  // its loops take long, and bits are the same
    for (const placements& p : where) {
      const operand<T, Exec> A(a, p.a), B(b, p.b), C(c, p.c);
      CAPTURE(Exec::name(), g.n, g.k, g.uplo, g.trans_a, g.trans_b, g.alpha, g.beta, name_of(g.a), name_of(g.c),
              p.a.text(), p.b.text(), p.c.text());
      if (against_gemm) {
        const auto triangle_of_gemm = [&](char trans_b, const operand<T, Exec>& right) {
          const char ta_text[] = {g.trans_a, '\0'}, tb_text[] = {trans_b, '\0'};
          A.visit([&](const auto& x) {
            right.visit([&](const auto& y) {
              C.visit([&](const auto& z) { abax::gemm(exec, ta_text, tb_text, g.alpha, x, y, g.beta, z); });
            });
          });
          exec.fence();
          matrix<T> result = C.values();
          fill_other_triangle(g.uplo, result);
          C.restore();
          return result;
        };
        want = triangle_of_gemm(g.trans_b, B);
        want_syrk = triangle_of_gemm(other, A);
      }
      call_gemmt(exec, g, A, B, C);
      REQUIRE(C.difference_from(want) == "");
      REQUIRE(A.change() == "");
      REQUIRE(B.change() == "");
      C.restore();
      call_syrk(exec, g, A, C);
      REQUIRE(C.difference_from(want_syrk) == "");
      REQUIRE(A.change() == "");
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("gemmt and syrk have the canon's bits in every combination of layouts and transpositions",
                   "[gemmt][bits]", float, double) {
  for (const char uplo : {'L', 'U', 'l', 'u'})
    for (const char ta : {'N', 'T', 'c'})
      for (const char tb : {'n', 'T', 'C'}) check<TestType>({23, 29, uplo, ta, tb}, every_layout(one_per_layout));
}

TEMPLATE_TEST_CASE("gemmt and syrk have the canon's bits at the edges of tiles, stages and blocks", "[gemmt][bits]",
                   float, double) {
  std::uint64_t turn = 0;
  sample cases(5);
  for (const index_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 65, 97, 129, 193, 257})
    for (const index_t k : {0, 1, 5, 40}) {
      const char uplo = turn % 2 ? 'L' : 'U', ta = turn % 4 < 2 ? 'N' : 'T', tb = turn % 8 < 4 ? 'N' : 'T';
      if (cases.takes()) check<TestType>({n, k, uplo, ta, tb}, some_placements(turn));
      ++turn;
    }
  for (const index_t n : {1, 2, 31, 65})
    for (const index_t k : {255, 513, 2048, 2049, 5000})
      for (const char uplo : {'L', 'U'}) {
        if (cases.takes())
          check<TestType>({n, k, uplo, turn % 2 ? 'N' : 'T', turn % 3 ? 'N' : 'T'}, some_placements(turn));
        ++turn;
      }
}

TEMPLATE_TEST_CASE("gemmt and syrk have the bits of gemm's triangle, at any size", "[gemmt][bits]", float, double) {
  std::uint64_t turn = 0;
  sample cases(11);
  for (const index_t n : {1, 2, 31, 64, 65, 257, 1000})
    for (const index_t k : {0, 1, 5, 2048, 5000})
      for (const char uplo : {'L', 'U'}) {
        if (cases.takes())
          check<TestType>({n, k, uplo, turn % 2 ? 'N' : 'T', turn % 3 ? 'N' : 'T'}, {some_placements(turn)[0]}, true);
        ++turn;
      }
  for (const char uplo : {'L', 'U'})
    check<TestType>({unless_watched(2305, 785), 300, uplo}, {some_placements(0)[0]}, true);
}

TEMPLATE_TEST_CASE("A reduced set of triangles for the sanitizers", "[gemmt][sanitizer]", float, double) {
  const placements packed{}, padded{all_placements[2], all_placements[2], all_placements[2]};
  check<TestType>({67, 2052, 'L', 'N', 'T'}, {packed, padded});
  check<TestType>({131, 40, 'U', 'T', 'N'}, {packed, padded});
}

TEMPLATE_TEST_CASE("gemmt and syrk follow the canon's epilogue, and read C only if beta is not 0", "[gemmt][bits]",
                   float, double) {
  using T = TestType;
  std::uint64_t turn = 0;
  for (const index_t k : {0, 1, 19, 2100})
    for (const T alpha : {T(0), T(1), T(-0.3)})
      for (const T beta : {T(0), T(1), T(-2)}) {
        const numbers terms = alpha == T(0) ? numbers::nan : numbers::special;
        check<T>({37, k, turn % 2 ? 'L' : 'U', 'N', 'T', alpha, beta, terms, terms,
                  beta == T(0) ? numbers::nan : numbers::special},
                 some_placements(turn));
        ++turn;
      }
}

TEST_CASE("gemmt and syrk take Views without an execution space", "[gemmt]") {
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> A("A", 5, 3), B("B", 3, 5), C("C", 5, 5);
  Kokkos::deep_copy(A, 2.0);
  Kokkos::deep_copy(B, 0.5);
  abax::gemmt("L", "N", "N", 1.0, A, B, 0.0, C);
  abax::syrk("U", "N", 1.0, A, 0.0, C);
  Kokkos::fence();
  CHECK(C(4, 0) == 3.0);
  CHECK(C(0, 4) == 12.0);
}

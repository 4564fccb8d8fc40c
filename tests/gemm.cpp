// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm against the oracle: every layout, transposition and space, at the shapes and values where products go wrong.
#include <abax/gemm.hpp>
#include <catch2/catch_template_test_macros.hpp>

#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "sample.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

template <class T>
struct gemm_case {
  index_t m, n, k;
  char trans_a = 'N', trans_b = 'N';
  T alpha = T(1.25), beta = T(-0.75);
  numbers a = numbers::unit, b = numbers::unit, c = numbers::unit;
};

template <class T, class Exec>
void call(const Exec& exec, const gemm_case<T>& g, const operand<T, Exec>& A, const operand<T, Exec>& B,
          const operand<T, Exec>& C) {
  const char ta[] = {g.trans_a, '\0'}, tb[] = {g.trans_b, '\0'};
  A.template visit<const T>([&](const auto& a) {
    B.visit(
        [&](const auto& b) { C.visit([&](const auto& c) { abax::gemm(exec, ta, tb, g.alpha, a, b, g.beta, c); }); });
  });
  exec.fence();
}

template <class T>
void check(const gemm_case<T>& g, const std::vector<placements>& where) {
  using abax::reference::transposes;
  const std::uint64_t seed = 2 * (g.m + 3 * g.n + 7 * g.k);  // even: numbers::vanishing gets both signs below
  const bool ta = transposes(g.trans_a), tb = transposes(g.trans_b);
  const matrix<T> a = random_matrix<T>(ta ? g.k : g.m, ta ? g.m : g.k, g.a, seed),
                  b = random_matrix<T>(tb ? g.n : g.k, tb ? g.k : g.n, g.b, seed + 1),
                  c = random_matrix<T>(g.m, g.n, g.c, seed + 2);
  const matrix<T> want = abax::reference::gemm(g.trans_a, g.trans_b, g.alpha, a, b, g.beta, c);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const placements& p : where) {
      const operand<T, Exec> A(a, p.a), B(b, p.b), C(c, p.c);
      call(exec, g, A, B, C);
      CAPTURE(Exec::name(), g.m, g.n, g.k, g.trans_a, g.trans_b, g.alpha, g.beta, name_of(g.a), name_of(g.b),
              name_of(g.c), p.a.text(), p.b.text(), p.c.text());
      REQUIRE(C.difference_from(want) == "");
      REQUIRE(A.change() == "");
      REQUIRE(B.change() == "");
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("gemm has the canon's bits in every combination of layouts and transpositions", "[gemm][bits]",
                   float, double) {
  for (const char ta : {'N', 'T', 'C'})
    for (const char tb : {'N', 'T', 'C'}) check<TestType>({19, 23, 29, ta, tb}, every_layout(one_per_layout));
  for (const char ta : {'n', 't', 'c'}) check<TestType>({2, 3, 5, ta, 't'}, some_placements(1));
}

TEMPLATE_TEST_CASE("gemm has the canon's bits at extents 0 and 1", "[gemm][bits]", float, double) {
  std::uint64_t turn = 0;
  for (const index_t m : {0, 1, 2})
    for (const index_t n : {0, 1, 2})
      for (const index_t k : {0, 1, 2}) check<TestType>({m, n, k, 'N', turn % 2 ? 'T' : 'N'}, some_placements(turn++));
}

TEMPLATE_TEST_CASE("gemm has the canon's bits at the edges of tiles", "[gemm][bits]", float, double) {
  // The edges of every plan's and every register tile, of every backend.
  std::uint64_t turn = 0;
  const index_t edges[] = {4, 6, 8, 12, 14, 16, 24, 28, 32, 48, 64, 96, 128, 192, 384};
  for (const index_t edge : edges)
    for (const index_t delta : {-1, 0, 1}) {
      const index_t partner = edges[(turn * 7) % 11] + delta;
      const char ta = turn % 2 ? 'T' : 'N', tb = turn % 4 < 2 ? 'T' : 'N';
      check<TestType>({edge + delta, partner, 5, ta, tb}, some_placements(turn));
      check<TestType>({partner, edge + delta, 3, tb, ta}, some_placements(turn + 3));
      ++turn;
    }
  check<TestType>({385, 387, 2}, some_placements(4));
}

TEMPLATE_TEST_CASE("gemm has the canon's bits at the edges of stages and blocks along k", "[gemm][bits]", float,
                   double) {
  std::uint64_t turn = 0;
  for (const index_t k : {7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 511, 513, 1024, 1031})
    check<TestType>({33, 17, k, turn % 2 ? 'T' : 'N', turn % 3 ? 'N' : 'T'}, some_placements(turn++));
  for (const index_t k : {2047, 2048, 2049, 4095, 4096, 4097, 6151})
    for (const char ta : {'N', 'T'}) check<TestType>({37, 11, k, ta, turn % 2 ? 'T' : 'N'}, some_placements(turn++));
}

TEMPLATE_TEST_CASE("gemm has the canon's bits for tall, wide and prime shapes", "[gemm][bits]", float, double) {
  const index_t shapes[][3] = {{1009, 1, 31},   {1, 1009, 31},  {997, 3, 2},  {5, 1201, 3}, {1, 1, 5003},
                               {101, 103, 107}, {211, 199, 13}, {3, 6007, 0}, {3, 6007, 2}, {6007, 9, 3},
                               {53, 389, 97},   {1031, 67, 1},  {1, 1, 1},    {70001, 3, 0}};
  std::uint64_t turn = 0;
  for (const auto& [m, n, k] : shapes) {
    check<TestType>({m, n, k}, some_placements(turn));
    check<TestType>({m, n, k, 'T', 'T'}, some_placements(++turn));
  }
}

TEMPLATE_TEST_CASE("gemm has the canon's bits where few rows or columns meet many", "[gemm][bits]", float, double) {
  using T = TestType;
  std::uint64_t turn = 0;
  sample cases(11);
  for (const index_t few : {2, 3, 4, 5, 8})
    for (const index_t many : {16, 37, 1030})
      for (const index_t k : {1, 65, 2048, 2049, 4500}) {
        const char ta = turn % 2 ? 'T' : 'N', tb = turn % 3 ? 'T' : 'N';
        const T alpha = turn % 5 ? T(1) : T(-0.3), beta = turn % 4 ? T(turn % 4 == 1) : T(1.7);
        const numbers kind = turn % 7 ? numbers::unit : numbers::special;
        ++turn;
        if (!cases.takes()) continue;
        check<T>({few, many, k, ta, tb, alpha, beta, kind, kind, kind}, {some_placements(turn - 1)[0]});
        check<T>({many, few, k, tb, ta, alpha, beta, kind, kind, kind}, {some_placements(turn)[0]});
      }
}

TEMPLATE_TEST_CASE("gemm has the canon's bits where few terms meet a C that outgrows the caches", "[gemm][bits]", float,
                   double) {
  using T = TestType;
  const index_t cores = Kokkos::DefaultHostExecutionSpace().concurrency();
  if (cores > 16) SKIP("more than 16 cores: C would take gigabytes");
  const index_t columns = (cores << 22) / (1031 * index_t(sizeof(T))) + 3;  // two second caches of 2 MB for each core
  constexpr placement packed{layout::left, 0, 0}, anywhere{layout::left, 3, 1}, by_rows{layout::right, 2, 3};
  const numbers unit = numbers::unit, special = numbers::special;
  check<T>({1031, columns, 1, 'N', 'N', T(1), T(0), unit, unit, special}, {{packed, packed, packed}});
  check<T>({1031, columns, 3, 'N', 'T', T(-0.3), T(0), special, special, special}, {{anywhere, by_rows, anywhere}});
  check<T>({1031, columns, 7, 'T', 'N', T(1), T(0), unit, unit, special}, {{anywhere, anywhere, anywhere}});
  check<T>({columns, 1031, 16, 'N', 'N', T(1.7), T(0), special, unit, special}, {{by_rows, anywhere, by_rows}});
  check<T>({257, 4 * columns + 16, 17, 'N', 'N', T(1), T(0), unit, unit, special}, {{packed, packed, anywhere}});
  check<T>({1031, columns, 2, 'N', 'N', T(1), T(1.7), unit, unit, unit}, {{packed, packed, anywhere}});
}

TEMPLATE_TEST_CASE("gemm follows the canon's epilogue for every alpha and beta", "[gemm][bits]", float, double) {
  using T = TestType;
  const T nan = nan_with_payload<T>(), inf = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::min();
  const T scalars[] = {T(0), -T(0), T(1), T(-1), T(1.7), T(-0.3), tiny, nan, inf};
  std::uint64_t turn = 0;
  for (const T alpha : scalars)
    for (const T beta : scalars)
      for (const index_t k : {0, 1, 19, 2100}) {
        const bool short_k = k < 100;
        check<T>({short_k ? 21 : 5, short_k ? 13 : 3, k, 'N', 'T', alpha, beta, numbers::unit, numbers::unit,
                  numbers::special},
                 some_placements(turn));
        ++turn;
      }
}

TEMPLATE_TEST_CASE("gemm reads C only if beta is not 0, A and B only if alpha is not 0", "[gemm][bits]", float,
                   double) {
  using T = TestType;
  std::uint64_t turn = 0;
  for (const index_t k : {0, 9, 2049})
    for (const T scalar : {T(1), T(-1), T(0.3)}) {
      check<T>({21, 34, k, 'N', 'N', scalar, T(0), numbers::unit, numbers::unit, numbers::nan},
               some_placements(turn++));
      check<T>({21, 34, k, 'T', 'N', T(0), scalar, numbers::nan, numbers::nan, numbers::special},
               some_placements(turn++));
    }
  check<T>({21, 34, 9, 'N', 'N', T(0), T(0), numbers::nan, numbers::nan, numbers::nan}, some_placements(0));
}

TEMPLATE_TEST_CASE("gemm without terms keeps a -0 of C, scales it, or leaves +0", "[gemm][bits]", float, double) {
  using T = TestType;
  matrix<T> c(35, 3, -T(0)), none(35, 0), nothing(0, 3);
  for (const T beta : {T(0), T(1), T(2), T(-2)}) {
    const matrix<T> want(35, 3, beta == T(0) || beta == T(-2) ? T(0) : -T(0));
    for_each_space([&](const auto& exec) {
      using Exec = std::decay_t<decltype(exec)>;
      const operand<T, Exec> A(none, all_placements[2]), B(nothing, all_placements[2]), C(c, all_placements[4]);
      call<T>(exec, {35, 3, 0, 'N', 'N', T(1), beta}, A, B, C);
      CAPTURE(Exec::name(), beta);
      REQUIRE(C.difference_from(want) == "");
    });
  }
}

TEMPLATE_TEST_CASE("gemm keeps infinities, NaN, signed zeros and subnormals as the canon has them", "[gemm][bits]",
                   float, double) {
  using T = TestType;
  std::uint64_t turn = 0;
  for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing})
    for (const index_t k : {1, 2, 3, 5, 15, 17, 31, 33, 100, 255, 2047, 2049, 4097})
      for (const T beta : {T(0), T(1), T(0.5)})
        check<T>({k < 200 ? 35 : 18, k < 200 ? 19 : 5, k, turn % 2 ? 'T' : 'N', 'N', T(1), beta, kind, kind, kind},
                 some_placements(turn++));
}

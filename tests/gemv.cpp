// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemv against the oracle: every layout, transposition and space, at the shapes and values where products go wrong.
#include <abax/gemv.hpp>
#include <catch2/catch_template_test_macros.hpp>

#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

template <class T>
struct gemv_case {
  index_t m, k;
  char trans = 'N';
  T alpha = T(1.25), beta = T(-0.75);
  numbers a = numbers::unit, x = numbers::unit, y = numbers::unit;
};

template <class T>
void check(const gemv_case<T>& g, const std::vector<placements>& where) {
  const std::uint64_t seed = 2 * (g.m + 3 * g.k);  // even: numbers::vanishing gets both signs below
  const bool t = abax::reference::transposes(g.trans);
  const matrix<T> a = random_matrix<T>(t ? g.k : g.m, t ? g.m : g.k, g.a, seed),
                  x = random_vector<T>(g.k, g.x, seed + 1), y = random_vector<T>(g.m, g.y, seed + 2);
  const matrix<T> want = abax::reference::gemv(g.trans, g.alpha, a, x, g.beta, y);
  const char trans[] = {g.trans, '\0'};
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const placements& p : where) {
      const operand<T, Exec> A(a, p.a), X(x, p.b), Y(y, p.c);
      A.template visit<const T>([&](const auto& a_view) {
        X.visit_vector([&](const auto& x_view) {
          Y.visit_vector([&](const auto& y_view) { abax::gemv(exec, trans, g.alpha, a_view, x_view, g.beta, y_view); });
        });
      });
      exec.fence();
      CAPTURE(Exec::name(), g.m, g.k, g.trans, g.alpha, g.beta, name_of(g.a), name_of(g.x), name_of(g.y), p.a.text(),
              p.b.text(), p.c.text());
      REQUIRE(Y.difference_from(want) == "");
      REQUIRE(A.change() == "");
      REQUIRE(X.change() == "");
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("gemv has the canon's bits in every combination of layouts and transpositions", "[gemv][bits]",
                   float, double) {
  for (const char trans : {'N', 'T', 'C', 'n', 't', 'c'}) {
    check<TestType>({67, 59, trans}, every_layout(all_placements));
    check<TestType>({5, 2051, trans}, every_layout(all_placements));
  }
}

TEMPLATE_TEST_CASE("gemv has the canon's bits at extents 0 to 3", "[gemv][bits]", float, double) {
  std::uint64_t turn = 0;
  for (const char trans : {'N', 'T'})
    for (const index_t m : {0, 1, 2, 3})
      for (const index_t k : {0, 1, 2, 3}) check<TestType>({m, k, trans}, some_placements(turn++));
}

TEMPLATE_TEST_CASE("gemv has the canon's bits at the edges of strips, vectors, stages and blocks", "[gemv][bits]",
                   float, double) {
  std::uint64_t turn = 0;
  const index_t edges[] = {4, 8, 16, 32, 64, 128, 256, 512, 2048};
  for (const char trans : {'N', 'T'}) {
    for (const index_t edge : edges)
      for (const index_t delta : {-1, 0, 1}) {
        check<TestType>({edge + delta, 11, trans}, some_placements(turn++));
        check<TestType>({19, edge + delta, trans}, some_placements(turn++));
        check<TestType>({edge + delta, edges[turn % 5] - delta, trans}, some_placements(turn++));
      }
    for (const index_t k : {2047, 2048, 2049, 4095, 4096, 4097, 10241})
      for (const index_t m : {1, 7, 33, 70}) check<TestType>({m, k, trans}, some_placements(turn++));
    check<TestType>({40009, 67, trans}, {{one_per_layout[0], one_per_layout[1], one_per_layout[2]}});
  }
}

TEMPLATE_TEST_CASE("gemv has the canon's bits for tall, wide and prime shapes", "[gemv][bits]", float, double) {
  std::uint64_t turn = 0;
  for (const char trans : {'N', 'T'}) {
    check<TestType>({10007, 3, trans}, some_placements(turn++));
    check<TestType>({3, 10007, trans}, some_placements(turn++));
    check<TestType>({1, 70001, trans}, some_placements(turn++));
    check<TestType>({70001, 1, trans}, some_placements(turn++));
    check<TestType>({509, 521, trans}, some_placements(turn++));
    check<TestType>({4111, 127, trans}, some_placements(turn++));
  }
}

TEMPLATE_TEST_CASE("gemv follows the canon's epilogue for every alpha and beta", "[gemv][bits]", float, double) {
  using T = TestType;
  const T nan = nan_with_payload<T>(), inf = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::min();
  const T scalars[] = {T(0), -T(0), T(1), T(-1), T(1.7), T(-0.3), tiny, nan, inf};
  std::uint64_t turn = 0;
  for (const T alpha : scalars)
    for (const T beta : scalars)
      for (const index_t k : {0, 1, 19, 2100})
        check<T>({37, k, turn % 2 ? 'N' : 'T', alpha, beta, numbers::unit, numbers::unit, numbers::special},
                 some_placements(turn++));
}

TEMPLATE_TEST_CASE("gemv reads y only if beta is not 0, A and x only if alpha is not 0", "[gemv][bits]", float,
                   double) {
  using T = TestType;
  std::uint64_t turn = 0;
  for (const index_t k : {0, 9, 2049})
    for (const T scalar : {T(1), T(-1), T(0.3)}) {
      check<T>({51, k, 'N', scalar, T(0), numbers::unit, numbers::unit, numbers::nan}, some_placements(turn++));
      check<T>({51, k, 'T', T(0), scalar, numbers::nan, numbers::nan, numbers::special}, some_placements(turn++));
    }
  check<T>({51, 9, 'N', T(0), T(0), numbers::nan, numbers::nan, numbers::nan}, some_placements(0));
}

TEMPLATE_TEST_CASE("gemv keeps infinities, NaN, signed zeros and subnormals as the canon has them", "[gemv][bits]",
                   float, double) {
  using T = TestType;
  std::uint64_t turn = 0;
  for (const char trans : {'N', 'T'})
    for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing})
      for (const index_t k : {1, 2, 3, 5, 7, 9, 15, 17, 31, 33, 65, 100, 255, 2047, 2049, 4097})
        for (const T beta : {T(0), T(1), T(0.5)})
          check<T>({39, k, trans, T(1), beta, kind, kind, kind}, some_placements(turn++));
}

TEMPLATE_TEST_CASE("gemv takes one element as all of x", "[gemv][bits]", float, double) {
  using T = TestType;
  for (const gemv_case<T>& g : {gemv_case<T>{9, 7}, {400, 300}, {40, 3000}, {3, 5000}})
    for (const placement& where : {one_per_layout[0], one_per_layout[1]}) {
      const matrix<T> a = random_matrix<T>(g.m, g.k, g.a, 1), y = random_vector<T>(g.m, g.y, 2);
      const matrix<T> want = abax::reference::gemv(g.trans, g.alpha, a, matrix<T>(g.k, 1, T(0.7)), g.beta, y);
      for_each_space([&](const auto& exec) {
        using Exec = std::decay_t<decltype(exec)>;
        const operand<T, Exec> A(a, where), X(matrix<T>(1, 1, T(0.7)), {}), Y(y, {});
        const Kokkos::View<const T*, Kokkos::LayoutStride, typename Exec::memory_space,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>
            x(X.data(), Kokkos::LayoutStride(static_cast<std::size_t>(g.k), 0));
        A.template visit<const T>([&](const auto& a_view) {
          Y.visit_vector([&](const auto& y_view) { abax::gemv(exec, "N", g.alpha, a_view, x, g.beta, y_view); });
        });
        exec.fence();
        CAPTURE(Exec::name(), g.m, g.k, where.text());
        REQUIRE(Y.difference_from(want) == "");
      });
    }
}

TEMPLATE_TEST_CASE("gemv has the canon's bits in long columns and rows, many and few", "[gemv][bits]", float, double) {
  using T = TestType;
  const std::vector<placements> packed{{{layout::left, 0, 0}, {layout::left, 0, 1}, {layout::left, 0, 3}}};
  for (const char trans : {'N', 'T'})
    for (const auto& [m, k] : std::initializer_list<std::pair<index_t, index_t>>{{20011, 9},
                                                                                 {9, 20011},
                                                                                 {64, 4500},
                                                                                 {70001, 1},
                                                                                 {1, 70001},
                                                                                 {1, 9001},
                                                                                 {2, 20011},
                                                                                 {4, 6151},
                                                                                 {3000, 131},
                                                                                 {131, 3000}})
      check<T>({m, k, trans}, packed);
}

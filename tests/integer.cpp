// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm_integer against its oracle in big integers: ops, layouts and spaces, all numbers of bits, special and extreme
// lines, every way to cut the work; what follows from exactness; and the errors.
#include <abax/epilogue.hpp>
#include <abax/gemm.hpp>
#include <abax/gemm_integer.hpp>
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <limits>
#include <string>
#include <vector>

#include "inputs.hpp"
#include "integer_planes.hpp"
#include "integer_reference.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

template <class T>
struct product_case {
  index_t m, n, k;
  char op_a = 'N', op_b = 'N';
  T alpha = T(1), beta = T(0);
  abax::integer_options options = {};
};

/// Compares C with the oracle's on every space, the operands lying as `where` says. On each space every second product
/// is verified, and those that ask for it.
template <class T>
void check(const product_case<T>& g, const matrix<T>& a, const matrix<T>& b, const matrix<T>& c,
           const std::vector<placements>& where) {
  static int turn = 0;
  if (!g.options.verify) ++turn;
  const int bits = g.options.bits == 0 ? std::numeric_limits<T>::digits : g.options.bits;
  const auto want = abax::reference::gemm_integer(g.op_a, g.op_b, g.alpha, a, b, g.beta, c, bits);
  const char op_a[] = {g.op_a, '\0'}, op_b[] = {g.op_b, '\0'};
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    int place = turn;
    for (const placements& p : where) {
      abax::integer_options options = g.options;
      options.verify = options.verify || place++ % 2 == 0;
      const operand<T, Exec> A(a, p.a), B(b, p.b), C(c, p.c);
      A.template visit<const T>([&](const auto& a_view) {
        B.template visit<const T>([&](const auto& b_view) {
          C.visit([&](const auto& c_view) {
            abax::gemm_integer(exec, op_a, op_b, g.alpha, a_view, b_view, g.beta, c_view, options);
          });
        });
      });
      exec.fence();
      CAPTURE(Exec::name(), g.m, g.n, g.k, g.op_a, g.op_b, g.alpha, g.beta, bits, options.workspace, options.verify,
              p.a.text(), p.b.text(), p.c.text());
      REQUIRE(C.difference_from(want) == "");
      REQUIRE(A.change() == "");
      REQUIRE(B.change() == "");
    }
  });
}

template <class T>
void check(const product_case<T>& g, numbers kind, const std::vector<placements>& where) {
  const auto transposes = [](char op) { return abax::reference::transposes(op); };
  const std::uint64_t seed = 7 * g.m + 3 * g.n + g.k;
  check(g, transposes(g.op_a) ? random_matrix<T>(g.k, g.m, kind, seed) : random_matrix<T>(g.m, g.k, kind, seed),
        transposes(g.op_b) ? random_matrix<T>(g.n, g.k, kind, seed + 1) : random_matrix<T>(g.k, g.n, kind, seed + 1),
        random_matrix<T>(g.m, g.n, g.beta == T(0) ? numbers::nan : numbers::unit, seed + 2), where);
}

const std::vector<placements> packed_left{{{}, {}, {}}};

/// The default space's result for operands that lie packed.
template <class T>
matrix<T> product_of(const matrix<T>& a, const matrix<T>& b, const abax::integer_options& options = {}) {
  using Exec = Kokkos::DefaultExecutionSpace;
  const operand<T, Exec> A(a, {}), B(b, {}), C(matrix<T>(a.rows, b.cols), {});
  using left = Kokkos::LayoutLeft;
  abax::gemm_integer(Exec(), "N", "N", T(1), A.template view<left>(), B.template view<left>(), T(0),
                     C.template view<left>(), options);
  Exec().fence();
  return C.values();
}

}  // namespace

TEMPLATE_TEST_CASE("gemm_integer follows the integer canon", "[integer]", float, double) {
  using T = TestType;
  std::uint64_t turn = 0;
  for (const char op_a : {'N', 'T'})
    for (const char op_b : {'N', 'T', 'C'})
      for (const auto& [alpha, beta] :
           {std::pair(T(1), T(0)), {T(1.5), T(-0.75)}, {T(-1), T(1)}, {T(0), T(0)}, {T(0), T(0.5)}})
        check<T>({13, 9, 70, op_a, op_b, alpha, beta}, numbers::unit, some_placements(turn++));
  for (const index_t m : {1, 2, 17, 63, 64, 65})
    for (const index_t n : {1, 5, 6, 7, 31})
      for (const index_t k : {1, 3, 64, 65, 129})
        check<T>({m, n, k, turn % 2 == 0 ? 'N' : 'T', turn % 3 == 0 ? 'N' : 'T'}, numbers::unit,
                 some_placements(turn++));
  for (const index_t m : {257, 300}) check<T>({m, 391, 33}, numbers::unit, some_placements(turn++));
  check<T>({3, 2, 5000}, numbers::unit, some_placements(turn++));
}

TEMPLATE_TEST_CASE("A reduced set of integer products for the sanitizers", "[integer][sanitizer]", float, double) {
  using T = TestType;
  const placements packed{}, apart{{layout::right, 1, 1}, {layout::left, 1, 1}, {layout::right, 1, 0}};
  for (const placements& where : {packed, apart})
    for (const char op : {'N', 'T'}) {
      check<T>({35, 17, 70, op, 'N', T(1.5), T(-0.75), {.verify = true}}, numbers::unit, {where});
      check<T>({65, 66, 129, 'N', op}, numbers::special, {where});
    }
}

TEMPLATE_TEST_CASE("gemm_integer without terms or outputs is gemm", "[integer]", float, double) {
  using T = TestType;
  for (const auto& [m, n, k] : {std::array<index_t, 3>{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {0, 0, 0}})
    for (const T beta : {T(0), T(1), T(2)}) check<T>({m, n, k, 'N', 'N', T(1), beta}, numbers::unit, packed_left);
}

TEMPLATE_TEST_CASE("gemm_integer takes any numbers", "[integer]", float, double) {
  using T = TestType;
  for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing, numbers::nan})
    for (const index_t k : {1, 8, 40}) check<T>({21, 11, k}, kind, packed_left);
}

TEMPLATE_TEST_CASE("gemm_integer takes any number of bits", "[integer]", float, double) {
  using T = TestType;
  constexpr int digits = std::numeric_limits<T>::digits;
  for (int bits = digits - 8; bits <= digits + 8; ++bits)
    for (const index_t k : {1, 30, 1000}) {
      abax::integer_options options;
      options.bits = bits;
      check<T>({9, 7, k, 'N', 'N', T(1), T(0), options}, k == 30 ? numbers::wide : numbers::unit, packed_left);
    }
}

// Each line's own meaning: rule 6 for lines with infinities, lines of zeros, one element that outweighs all others,
// ties on the grid, subnormal lines, sums that cancel to nothing or to the last bit.
TEMPLATE_TEST_CASE("gemm_integer's lines keep their own rules", "[integer]", float, double) {
  using T = TestType;
  using limits = std::numeric_limits<T>;
  constexpr index_t k = 67, lines = 14;
  const T infinity = limits::infinity();
  auto a = random_matrix<T>(lines, k, numbers::unit, 5);
  for (index_t p = 0; p < k; ++p) {
    const T sign = p % 2 == 0 ? T(1) : T(-1);
    a(0, p) = p % 3 == 0 ? -T(0) : T(0);
    a(1, p) = p == 40 ? infinity : a(1, p);
    a(2, p) = p == 3 ? infinity : p == 5 ? -infinity : a(2, p);
    a(3, p) = p == 66 ? nan_with_payload<T>() : a(3, p);
    a(4, p) = p == 7 ? infinity : T(0);
    a(5, p) = p == 8 ? limits::max() : a(5, p);
    a(6, p) = limits::denorm_min() * T(p % 5) * sign;
    a(7, p) = p == 0 ? T(1) : std::ldexp(T(2 * p + 1), -limits::digits) * sign;  // half way between two integers
    a(8, p) = sign;
    a(9, p) = sign * (p == 0 ? T(1) + limits::epsilon() : T(1));
    a(10, p) = limits::max() * sign;
    a(11, p) = limits::min();
    a(12, p) = p == 20 ? -infinity : p == 21 ? T(0) : limits::denorm_min();
    a(13, p) = std::ldexp(T(1), -int(p) * 3);
  }
  matrix<T> b(k, lines);
  for (index_t p = 0; p < k; ++p)
    for (index_t j = 0; j < lines; ++j) b(p, j) = a(lines - 1 - j, (p + 1) % k);
  for (const char op_b : {'N', 'T'}) {
    matrix<T> right = b;
    if (op_b == 'T') {
      right = matrix<T>(lines, k);
      for (index_t p = 0; p < k; ++p)
        for (index_t j = 0; j < lines; ++j) right(j, p) = b(p, j);
    }
    check<T>({lines, lines, k, 'N', op_b}, a, right, random_matrix<T>(lines, lines, numbers::nan, 1), packed_left);
    check<T>({lines, lines, k, 'N', op_b, T(-2), T(0.5)}, a, right, random_matrix<T>(lines, lines, numbers::special, 1),
             packed_left);
  }
}

// Half way between two numbers, and the smallest integer to either side.
TEMPLATE_TEST_CASE("gemm_integer rounds once, by all bits of a sum", "[integer]", float, double) {
  using T = TestType;
  constexpr int digits = std::numeric_limits<T>::digits;
  const T largest = std::ldexp(T(1), digits - 1);
  matrix<T> a(3, 3), b(3, 2);
  for (index_t i = 0; i < 3; ++i) a(i, 0) = largest, a(i, 1) = largest / 2, a(i, 2) = T(i - 1);
  for (index_t j = 0; j < 2; ++j) b(0, j) = j == 0 ? largest : -largest, b(1, j) = b(2, j) = j == 0 ? T(1) : T(-1);
  for (const int bits : {digits, digits + 8}) {
    abax::integer_options options;
    options.bits = bits;
    check<T>({3, 2, 3, 'N', 'N', T(1), T(0), options}, a, b, matrix<T>(3, 2, T(7)), packed_left);
  }
}

// Sums of integers as large as they can be, beside the numbers of terms at which engines cut them, and with more
// moduli.
TEMPLATE_TEST_CASE("gemm_integer is exact for many terms of the largest integers", "[integer]", float, double) {
  using T = TestType;
  for (const index_t k : {65535, 65536, 65537, 131071, 131072, 131073, 300001})
    for (const int kind : {0, 1, 2, 3, 4}) {
      matrix<T> a(2, k), b(k, 2);
      random_bits random(static_cast<std::uint64_t>(k + kind));
      // On their grid 2^p - 1 and 2^p - 128: modulo 256 they are 255 and -128, and as large as bytes can be.
      const T largest = std::ldexp(T(2) - std::numeric_limits<T>::epsilon(), 3);
      const T other = T(16) - 1024 * std::numeric_limits<T>::epsilon();
      for (index_t p = 0; p < k; ++p)
        for (index_t i = 0; i < 2; ++i) {
          const T sign = kind == 1 && p % 2 == 1 ? T(-1) : T(1);
          a(i, p) = kind == 2 ? random.unit<T>() : kind == 4 ? other : largest;
          b(p, i) = kind == 2 ? random.unit<T>() : kind >= 3 ? other : i == 0 ? largest * sign : -largest;
        }
      check<T>({2, 2, k}, a, b, matrix<T>(2, 2, T(7)), packed_left);
    }
}

// With as many terms as a number of moduli serves, sums come as near to half of the moduli's product as any do; with
// one more there is one modulus more.
TEMPLATE_TEST_CASE("gemm_integer is exact up to the last term that its moduli serve", "[integer]", float, double) {
  using T = TestType;
  constexpr int digits = std::numeric_limits<T>::digits;
  constexpr index_t most = unless_watched(index_t(400000), index_t(30000));
  int seen = 0;
  for (const int bits : {digits - 4, digits, digits + 8})
    for (int count = abax::tile::fewest_moduli<T>; count < abax::tile::most_moduli_of<T>; ++count) {
      const index_t last = abax::tile::most_terms(count, bits);
      if (last < 1 || last > most) continue;
      ++seen;
      for (const index_t k : {last, last + 1}) {
        const T largest = std::ldexp(T(2) - std::numeric_limits<T>::epsilon(), -5);
        const matrix<T> a(2, k, largest);
        matrix<T> b(k, 2, largest);
        for (index_t p = 0; p < k; ++p) b(p, 1) = -largest;
        for (const bool verify : {false, true})
          check<T>({2, 2, k, 'N', 'N', T(1), T(0), {.bits = bits, .verify = verify}}, a, b, matrix<T>(2, 2, T(7)),
                   packed_left);
      }
    }
  CHECK(seen == (sizeof(T) == 4 ? 6 : unless_watched(8, 6)));
}

namespace {

struct plus_place {
  template <class T>
  KOKKOS_FUNCTION T operator()(index_t i, index_t j, T value) const {
    return value + T(i) - 2 * T(j);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("No way to cut gemm_integer's work changes a bit", "[integer]", float, double) {
  using T = TestType;
  constexpr index_t m = 700, n = 650, k = 5000;
  auto a = random_matrix<T>(m, k, numbers::wide, 3), b = random_matrix<T>(k, n, numbers::wide, 4);
  for (const index_t line : {0, 63, 64, 699}) a(line, line) = std::numeric_limits<T>::infinity();
  for (const index_t line : {1, 128, 649}) b(2 * line, line) = -std::numeric_limits<T>::infinity();
  const auto c = random_matrix<T>(m, n, numbers::unit, 5);
  const int count = abax::tile::moduli_for(k, std::numeric_limits<T>::digits);
  using Exec = Kokkos::DefaultHostExecutionSpace;
  const operand<T, Exec> A(a, {}), B(b, {});
  const auto product = [&](std::size_t workspace, bool by_rows) {
    abax::integer_options options;
    options.workspace = workspace;
    const operand<T, Exec> C(c, {by_rows ? layout::right : layout::left});
    C.visit([&](const auto& view) {
      abax::gemm_integer(Exec(), "N", "N", T(1.5), A.template view<Kokkos::LayoutLeft>(),
                         B.template view<Kokkos::LayoutLeft>(), T(0.5), view, plus_place(), options);
    });
    return C.values();
  };
  const auto whole = product(std::size_t(2) << 30, false);
  constexpr abax::tile::byte_engine engine{abax::tile::plane_order::lines, {256, 512}, true, 64 << 20};
  struct {
    std::size_t megabytes;
    bool cuts_rows, cuts_cols, cuts_terms;
  } const ways[] = {{sizeof(T) == 4 ? 52 : 100, true, false, false},
                    {sizeof(T) == 4 ? 45 : 86, true, true, false},
                    {sizeof(T) == 4 ? 20 : 40, true, true, true},
                    {sizeof(T) == 4 ? 3 : 6, true, true, true}};
  for (const auto& way : ways) {
    const std::size_t workspace = way.megabytes << 20;
    const auto blocks = abax::launch::integer_blocks_for({m, n, k}, count, sizeof(T), engine, workspace, workspace);
    CAPTURE(workspace, blocks.rows, blocks.cols, blocks.terms);
    CHECK(blocks.bytes() <= workspace);
    CHECK((blocks.rows < m) == way.cuts_rows);
    CHECK((blocks.cols < n) == way.cuts_cols);
    CHECK((blocks.terms < k) == way.cuts_terms);
    REQUIRE(same_bits(product(workspace, false), whole));
    REQUIRE(same_bits(product(workspace, true), whole));
  }
  using Catch::Matchers::ContainsSubstring;
  REQUIRE_THROWS_WITH(product(1000, false),
                      ContainsSubstring("abax::gemm_integer: a workspace of 1000 bytes was allowed"));
  constexpr std::size_t limit = std::size_t(1) << 30;
  for (const index_t extent : {index_t(1) << 31, index_t(1) << 60}) {
    const abax::launch::product_extents all{extent, extent, extent};
    CHECK(abax::launch::integer_blocks_for(all, count, sizeof(T), engine, limit, limit).bytes() <= limit);
    // The whole is more than any number of bytes, and no sum of it wraps around.
    constexpr auto order = abax::tile::plane_order::lines;
    CHECK(abax::launch::integer_blocks{extent, extent, extent, all, count, sizeof(T), order}.bytes() > limit);
  }
}

// Each needs no oracle: exact sums have no order, and a power of two moves a line's grid with its elements.
TEMPLATE_TEST_CASE("gemm_integer is indifferent to the order of terms and to powers of two", "[integer]", float,
                   double) {
  using T = TestType;
  constexpr index_t m = 40, n = 30, k = 300;
  const auto a = random_matrix<T>(m, k, numbers::unit, 11), b = random_matrix<T>(k, n, numbers::unit, 12);
  const auto want = product_of(a, b);
  auto a_mixed = a, b_mixed = b, a_scaled = a, b_scaled = b, scaled_want = want, negated = a, negative_want = want;
  for (index_t p = 0; p < k; ++p) {
    for (index_t i = 0; i < m; ++i) a_mixed(i, p) = a(i, (p * 7 + 5) % k);
    for (index_t j = 0; j < n; ++j) b_mixed(p, j) = b((p * 7 + 5) % k, j);
    for (index_t i = 0; i < m; ++i) a_scaled(i, p) = std::ldexp(a(i, p), static_cast<int>(i % 9) - 4);
    for (index_t j = 0; j < n; ++j) b_scaled(p, j) = std::ldexp(b(p, j), 3 - static_cast<int>(j % 5));
    for (index_t i = 0; i < m; ++i) negated(i, p) = -a(i, p);
  }
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) {
      scaled_want(i, j) = std::ldexp(want(i, j), static_cast<int>(i % 9) - 4 + 3 - static_cast<int>(j % 5));
      negative_want(i, j) = -want(i, j);
    }
  REQUIRE(same_bits(product_of(a_mixed, b_mixed), want));
  REQUIRE(same_bits(product_of(a_scaled, b_scaled), scaled_want));
  REQUIRE(same_bits(product_of(negated, b), negative_want));
  // Powers from one end of the exponents to the other; and results that are subnormal, which are rounded once, too.
  const int far = std::numeric_limits<T>::max_exponent - 10;
  auto a_far = a, b_far = b, a_small = a, b_small = b;
  for (T& x : a_far.elements) x = std::ldexp(x, -far);
  for (T& x : b_far.elements) x = std::ldexp(x, far);
  for (T& x : a_small.elements) x = std::ldexp(x, -far / 2 - std::numeric_limits<T>::digits / 2);
  for (T& x : b_small.elements) x = std::ldexp(x, -far / 2 - 14);
  REQUIRE(same_bits(product_of(a_far, b_far), want));
  check<T>({m, n, k}, a_small, b_small, matrix<T>(m, n, T(7)), packed_left);
}

TEMPLATE_TEST_CASE("gemm_integer checks its products where that is asked", "[integer]", float, double) {
  using T = TestType;
  abax::integer_options options;
  options.verify = true;
  for (const auto& [m, n, k] : {std::array<index_t, 3>{1, 1, 1}, {33, 31, 70}, {3, 2, 131073}})
    check<T>({m, n, k, 'N', 'N', T(1), T(0), options}, numbers::unit, packed_left);
  const auto a = random_matrix<T>(300, 520, numbers::wide, 21), b = random_matrix<T>(520, 600, numbers::wide, 22);
  REQUIRE(same_bits(product_of(a, b, options), product_of(a, b)));
  options.workspace = std::size_t(8) << 20;  // terms are cut
  const auto c = random_matrix<T>(150, 9000, numbers::unit, 3), d = random_matrix<T>(9000, 140, numbers::unit, 4);
  REQUIRE(same_bits(product_of(c, d, options), product_of(c, d)));
}

TEMPLATE_TEST_CASE("gemm_integer ends in a functor", "[integer][epilogue]", float, double) {
  using T = TestType;
  using left = Kokkos::LayoutLeft;
  using right = Kokkos::LayoutRight;
  const index_t m = 70, n = 40, k = 65;
  const auto a = random_matrix<T>(m, k, numbers::unit, 1), b = random_matrix<T>(k, n, numbers::unit, 2),
             c = random_matrix<T>(m, n, numbers::unit, 3), bias = random_vector<T>(m, numbers::unit, 4);
  for (const T alpha : {T(1.5), T(0)}) {
    auto want = abax::reference::gemm_integer('N', 'N', alpha, a, b, T(0.5), c);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) want(i, j) = std::max(want(i, j) + bias(i), T(0));
    using Exec = Kokkos::DefaultHostExecutionSpace;
    const operand<T, Exec> A(a, {}), B(b, {}), C(c, {}), D(c, {layout::right}), V(bias, {});
    V.visit_vector([&](const auto& v) {
      const auto ending = abax::epilogue::then(abax::epilogue::row_bias(v), abax::epilogue::relu());
      abax::gemm_integer(Exec(), "N", "N", alpha, A.template view<left>(), B.template view<left>(), T(0.5),
                         C.template view<left>(), ending);
      abax::gemm_integer(Exec(), "N", "N", alpha, A.template view<left>(), B.template view<left>(), T(0.5),
                         D.template view<right>(), ending);
    });
    REQUIRE(C.difference_from(want) == "");
    REQUIRE(D.difference_from(want) == "");
  }
}

TEMPLATE_TEST_CASE("gemm_integer_lost counts the elements that lose bits", "[integer]", float, double) {
  using T = TestType;
  constexpr int digits = std::numeric_limits<T>::digits;
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const numbers kind : {numbers::unit, numbers::wide, numbers::special, numbers::subnormal})
      for (const auto& [m, k] : {std::array<index_t, 2>{1, 1}, {13, 70}, {130, 5000}})
        for (const int bits : {digits, digits + 8})
          for (const char trans : {'N', 'T'}) {
            const auto x = random_matrix<T>(m, k, kind, 31);
            abax::integer_options options;
            options.bits = bits;
            for (const char side : {'L', 'R'}) {
              const bool by_rows = (trans == 'N') == (side == 'L');
              index_t want = 0;
              for (index_t line = 0; line < (by_rows ? m : k); ++line) {
                std::vector<T> elements;
                for (index_t p = 0; p < (by_rows ? k : m); ++p) elements.push_back(by_rows ? x(line, p) : x(p, line));
                T largest = 0;
                for (const T e : elements) largest = std::isnan(e) ? e : std::max(largest, std::abs(e));
                if (!std::all_of(elements.begin(), elements.end(), [](T e) { return std::isfinite(e); })) continue;
                if (largest == 0) continue;
                for (const T e : elements) {
                  const long double scaled = std::ldexp(static_cast<long double>(e), bits - 1 - std::ilogb(largest));
                  want += std::rint(scaled) != scaled ? 1 : 0;
                }
              }
              const operand<T, Exec> X(x, {layout::left, 2, 1});
              const char sides[] = {side, '\0'}, transes[] = {trans, '\0'};
              CAPTURE(Exec::name(), name_of(kind), m, k, bits, trans, side);
              REQUIRE(abax::gemm_integer_lost(exec, sides, transes, X.template view<Kokkos::LayoutLeft, const T>(),
                                              options) == want);
            }
          }
    REQUIRE(abax::gemm_integer_lost(exec, "L", "N", Kokkos::View<T**, typename Exec::memory_space>("none", 0, 3)) == 0);
  });
}

TEST_CASE("gemm of bytes is exact modulo 2^32", "[integer]") {
  const auto bytes = [](index_t rows, index_t cols, std::uint64_t seed, bool extreme) {
    random_bits random(seed);
    matrix<std::int8_t> x(rows, cols);
    for (auto& e : x.elements) e = static_cast<std::int8_t>(extreme ? -128 : random.below(256) - 128);
    return x;
  };
  const auto check = [&](index_t m, index_t n, index_t k, char op_a, char op_b, std::int32_t alpha, std::int32_t beta,
                         bool extreme) {
    const auto a = op_a == 'N' ? bytes(m, k, 1, extreme) : bytes(k, m, 1, extreme);
    const auto b = op_b == 'N' ? bytes(k, n, 2, extreme) : bytes(n, k, 2, extreme);
    matrix<std::int32_t> c(m, n);
    random_bits random(3);
    for (auto& e : c.elements) e = static_cast<std::int32_t>(random.next());
    auto want = c;
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) {
        std::uint32_t sum = 0;
        for (index_t p = 0; p < k; ++p)
          sum += static_cast<std::uint32_t>((op_a == 'N' ? a(i, p) : a(p, i)) * (op_b == 'N' ? b(p, j) : b(j, p)));
        want(i, j) = static_cast<std::int32_t>(static_cast<std::uint32_t>(alpha) * sum +
                                               static_cast<std::uint32_t>(beta) * static_cast<std::uint32_t>(c(i, j)));
      }
    for_each_space([&](const auto& exec) {
      using Exec = std::decay_t<decltype(exec)>;
      using memory = typename Exec::memory_space;
      const auto placed = [&]<class T, class Layout>(const matrix<T>& values, Layout) {
        Kokkos::View<T**, Layout, memory> view("operand", values.rows, values.cols);
        const auto host = Kokkos::create_mirror_view(view);
        for (index_t j = 0; j < values.cols; ++j)
          for (index_t i = 0; i < values.rows; ++i) host(i, j) = values(i, j);
        Kokkos::deep_copy(view, host);
        return view;
      };
      const auto run = [&](auto layout_a, auto layout_b, auto layout_c) {
        const auto A = placed(a, layout_a);
        const auto B = placed(b, layout_b);
        const auto C = placed(c, layout_c);
        const char ops[] = {op_a, '\0', op_b, '\0'};
        abax::gemm(exec, ops, ops + 2, alpha, A, B, beta, C);
        exec.fence();
        const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
        bool same = true;
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < m; ++i) same = same && found(i, j) == want(i, j);
        CAPTURE(Exec::name(), m, n, k, op_a, op_b, alpha, beta, extreme);
        REQUIRE(same);
      };
      run(Kokkos::LayoutLeft(), Kokkos::LayoutLeft(), Kokkos::LayoutLeft());
      run(Kokkos::LayoutLeft(), Kokkos::LayoutRight(), Kokkos::LayoutRight());
    });
  };
  for (const char op_a : {'N', 'T'})
    for (const char op_b : {'N', 'C'})
      for (const auto& [alpha, beta] : {std::pair(1, 0), {-3, 1}, {1 << 30, 77}, {0, 5}, {0, 0}})
        check(37, 29, 70, op_a, op_b, alpha, beta, false);
  for (const index_t k : {0, 1, 64, 129}) check(300, 520, k, 'N', 'N', 1, k == 0 ? 3 : 0, k == 129);
  check(2, 3, 200000, 'N', 'N', 1, 0, true);  // 200000 128^2 is more than 2^31
  using Catch::Matchers::ContainsSubstring;
  const Kokkos::View<std::int8_t**, Kokkos::HostSpace> A("A", 3, 4), B("B", 5, 6);
  const Kokkos::View<std::int32_t**, Kokkos::HostSpace> C("C", 3, 6);
  REQUIRE_THROWS_WITH(abax::gemm("N", "N", 1, A, B, 0, C),
                      ContainsSubstring("abax::gemm: extent 1 of op(A) is 4, but extent 0 of op(B) is 5"));
}

TEMPLATE_TEST_CASE("gemm_integer refuses bad input before it writes", "[integer][errors]", float, double) {
  using T = TestType;
  using Catch::Matchers::ContainsSubstring;
  using left = Kokkos::LayoutLeft;
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const operand<T, Exec> A(random_matrix<T>(4, 5, numbers::unit, 1), {}),
        B(random_matrix<T>(5, 3, numbers::unit, 2), {}), C(random_matrix<T>(4, 3, numbers::unit, 3), {});
    const auto a = A.template view<left>(), b = B.template view<left>(), c = C.template view<left>();
    abax::integer_options options;
    options.bits = std::numeric_limits<T>::digits + 9;
    REQUIRE_THROWS_WITH(abax::gemm_integer(exec, "N", "N", T(1), a, b, T(0), c, options),
                        ContainsSubstring("abax::gemm_integer: bits is " + std::to_string(options.bits)));
    options.bits = -1;
    REQUIRE_THROWS_AS(abax::gemm_integer(exec, "N", "N", T(1), a, b, T(0), c, options), abax::invalid_argument);
    REQUIRE_THROWS_WITH(abax::gemm_integer(exec, "T", "N", T(1), a, b, T(0), c),
                        ContainsSubstring("abax::gemm_integer: extent 0 of op(A) is 5, but extent 0 of C is 4"));
    REQUIRE_THROWS_WITH(abax::gemm_integer(exec, "X", "N", T(1), a, b, T(0), c),
                        ContainsSubstring("abax::gemm_integer: transA"));
    REQUIRE_THROWS_AS(abax::gemm_integer(exec, "N", "N", T(1), c, b, T(0), c), abax::invalid_argument);
    // One term more than the largest integers allow, all of them the same element.
    const index_t most = abax::tile::most_terms(abax::tile::most_moduli_of<T>, std::numeric_limits<T>::digits + 8);
    using vain = Kokkos::View<const T**, Kokkos::LayoutStride, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
    const auto terms = static_cast<std::size_t>(most + 1);
    options.bits = std::numeric_limits<T>::digits + 8;
    REQUIRE_THROWS_WITH(
        abax::gemm_integer(exec, "N", "N", T(1), vain(a.data(), Kokkos::LayoutStride(4, 1, terms, 0)),
                           vain(b.data(), Kokkos::LayoutStride(terms, 0, 3, 5)), T(0), c, options),
        ContainsSubstring("extent 1 of op(A) is " + std::to_string(most + 1) + ", but with " +
                          std::to_string(options.bits) + " bits it can be " + std::to_string(most) + " at most"));
    options.bits = -1;
    REQUIRE_THROWS_WITH(abax::gemm_integer_lost(exec, "U", "N", a),
                        ContainsSubstring("abax::gemm_integer_lost: side is 'U', expected \"L\" or \"R\""));
    REQUIRE_THROWS_AS(abax::gemm_integer_lost(exec, "L", "N", a, options), abax::invalid_argument);
    exec.fence();
    REQUIRE(C.change() == "");
  });
}

// What a check compares with is taken of an operand before one of its bits changes: as if the engine, or the memory it
// reads, were faulty.
TEST_CASE("A wrong bit of an operand's integers is caught and named", "[integer]") {
  constexpr index_t rows = 300, cols = 270, terms = 384;
  constexpr int count = 9;
  for_each_space([&]<class Exec>(const Exec& space) {
    using backend = abax::backends::backend_for_t<Exec>;
    CAPTURE(Exec::name());
    const typename backend::instance exec = space;
    const auto machine = backend::machine(exec);
    const abax::tile::byte_engine engine = backend::byte_engine(machine);
    const random_planes<Exec> a(engine.planes, rows, terms, count, 1), b(engine.planes, cols, terms, count, 2);
    const Kokkos::View<std::uint8_t*, typename Exec::memory_space> c(
        "c", static_cast<std::size_t>(count * abax::tile::remainder_stride(rows) * cols));
    const abax::tile::residue_product problem{a.planes, b.planes, 0, terms, c.data(), false};
    const abax::tile::residue_tile_shape shape = engine.tile;
    using memory = typename Exec::memory_space;
    abax::tile::line_weights of_a{a.planes, engine.left_unsigned, true, shape.rows, nullptr},
        of_b{b.planes, false, false, shape.cols, nullptr};
    const Kokkos::View<std::int64_t*, memory> weights_a("a", of_a.size()), weights_b("b", of_b.size());
    of_a.weighed = weights_a.data();
    of_b.weighed = weights_b.data();
    const auto tiles = static_cast<std::size_t>(problem.tiles(shape).all());
    const Kokkos::View<std::uint64_t*, memory> sums("sums", tiles);
    const Kokkos::View<std::uint8_t*, memory> faults("faults", tiles);
    std::vector<std::uint8_t> found_faults;
    const auto run = [&] {
      abax::launch::run_checked<backend>("test", exec, machine, problem, of_a, of_b, sums.data(), faults.data(),
                                         found_faults, 0, 0, false);
    };
    abax::launch::run_step<backend>("test", exec, machine, of_a);
    abax::launch::run_step<backend>("test", exec, machine, of_b);
    REQUIRE_NOTHROW(run());
    const auto named = [&](int t, index_t row, index_t col) {
      return "modulus " + std::to_string(abax::tile::moduli[static_cast<std::size_t>(t)]) + ", C's tile from row " +
             std::to_string(row / shape.rows * shape.rows) + " and column " +
             std::to_string(col / shape.cols * shape.cols) + " on";
    };
    using Catch::Matchers::ContainsSubstring;
    for (const int bit : {0, 3, 7}) {
      a.flip(4, 299, 383, bit);
      REQUIRE_THROWS_WITH(run(), ContainsSubstring(named(4, 299, 0)));
      a.flip(4, 299, 383, bit);
      b.flip(8, 260, 129, bit);
      REQUIRE_THROWS_WITH(run(), ContainsSubstring(named(8, 0, 260)));
      b.flip(8, 260, 129, bit);
    }
    REQUIRE_NOTHROW(run());
  });
}

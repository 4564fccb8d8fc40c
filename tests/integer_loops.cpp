// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of gemm_integer for every instruction set that this CPU runs: lines as integers, their products, whole
// products; and that a wrong product is caught.
#include <Kokkos_Macros.hpp>
#ifdef KOKKOS_ENABLE_OPENMP
#include <abax/gemm_integer.hpp>
#include <abax/templates.hpp>
#include <atomic>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "abax/detail/backends/openmp/kernel_integer_tiles.hpp"
#include "inputs.hpp"
#include "integer_reference.hpp"

using namespace abax::tests;

namespace {

/// visit(loops) for the integer loops of every instruction set that this CPU runs.
template <class Visit>
void for_each_integer_set(const Visit& visit) {
  for (const auto* const* set = abax::openmp::runnable_integer_loops(); *set != nullptr; ++set) {
    CAPTURE((*set)->name);
    visit(**set);
  }
}

// An engine with a fault: one bit of one sum, or of two, in the call of that number.
std::atomic<int> calls_to_fault = 0;
int sums_with_fault = 1, bit_with_fault = 30;
void multiply_add_with_fault(index_t panels, index_t cols, index_t words, const std::uint8_t* a, const std::uint8_t* b,
                             index_t stride_b, std::int32_t* sums, index_t stride_sums) {
  abax::openmp::integer_loops().multiply_add(panels, cols, words, a, b, stride_b, sums, stride_sums);
  if (calls_to_fault-- == 0)
    for (int s = 0; s < sums_with_fault; ++s) {
      std::int32_t& sum = sums[(cols - 1 - s) * stride_sums + 1 + 2 * s];
      sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) ^ (1U << bit_with_fault));
    }
}
struct faulty_row : abax::openmp::simd_residue_product {
  static typename primitives::parameters parameters(const auto& problem, const abax::openmp::machine& m) {
    static const auto loops = [] {
      auto faulty = abax::openmp::integer_loops();
      faulty.multiply_add = multiply_add_with_fault;
      return faulty;
    }();
    auto all = abax::openmp::simd_residue_product::parameters(problem, m);
    all.integers = &loops;
    return all;
  }
};
struct faulty_backend : abax::openmp::backend {
  using residue_product_rows = abax::backends::rows<faulty_row>;
};

}  // namespace

TEST_CASE("A wrong product of integers is caught and named", "[integer]") {
  constexpr index_t m = 300, n = 520, k = 600;
  const auto a = random_matrix<float>(m, k, numbers::unit, 1), b = random_matrix<float>(k, n, numbers::unit, 2);
  matrix<float> c(m, n);
  abax::tile::product<float> problem{{a.elements.data(), m, k, 1, m},
                                     {b.elements.data(), k, n, 1, k},
                                     abax::tile::matrix<float>{c.elements.data(), m, n, 1, m},
                                     {1.0F, 0.0F}};
  abax::integer_options options;
  const Kokkos::OpenMP space(1);
  const abax::openmp::instance one = space;
  const auto run = [&](int call, bool verify) {
    calls_to_fault = call;
    options.verify = verify;
    abax::launch::integer_product<faulty_backend, float, abax::tile::no_functor>("abax::gemm_integer", one, problem, 24,
                                                                                 options)
        .run();
  };
  run(-1, true);
  const auto right = c;
  run(17, false);
  REQUIRE(!same_bits(c, right));
  // Two calls a tile, two row tiles, two column tiles, and so eight calls a modulus.
  using Catch::Matchers::ContainsSubstring;
  REQUIRE_THROWS_WITH(run(17, true), ContainsSubstring("modulus 253, C's tile from row 0 and column 0 on"));
  REQUIRE_THROWS_WITH(run(5 * 8 + 7, true), ContainsSubstring("modulus 241, C's tile from row 256 and column 512 on"));
  REQUIRE_THROWS_AS(run(0, true), abax::verification_error);
  for (bit_with_fault = 0; bit_with_fault < 32; ++bit_with_fault)
    for (sums_with_fault = 1; sums_with_fault <= 3; ++sums_with_fault)
      REQUIRE_THROWS_AS(run(33, true), abax::verification_error);
  sums_with_fault = 1, bit_with_fault = 30;
  // C by rows is computed as its transpose.
  problem = abax::tile::along_rows(abax::tile::product<float>{{a.elements.data(), m, k, 1, m},
                                                              {b.elements.data(), k, n, 1, k},
                                                              abax::tile::matrix<float>{c.elements.data(), m, n, n, 1},
                                                              {1.0F, 0.0F}});
  // Of 520 by 300 outputs there are three tiles by one.
  REQUIRE_THROWS_WITH(run(5 * 6 + 5, true), ContainsSubstring("modulus 241, C's tile from row 0 and column 512 on"));
}

namespace {

// A product's steps by any instruction set's loops.
const abax::openmp::integer_kernels* chosen_loops = nullptr;
template <class Row>
struct row_by_chosen_loops : Row {
  static typename Row::primitives::parameters parameters(const auto& problem, const abax::openmp::machine& m) {
    auto all = Row::parameters(problem, m);
    all.integers = chosen_loops;
    return all;
  }
};
struct backend_of_chosen_loops : abax::openmp::backend {
  template <class T>
  using integer_line_rows = abax::backends::rows<row_by_chosen_loops<abax::openmp::simd_integer_lines<T>>>;
  using residue_product_rows = abax::backends::rows<row_by_chosen_loops<abax::openmp::simd_residue_product>>;
};

}  // namespace

TEMPLATE_TEST_CASE("Whole products by way of integers are the same by all instruction sets", "[integer][kernels]",
                   float, double) {
  using T = TestType;
  constexpr index_t m = 70, n = 45, k = 600;
  for (const numbers kind : {numbers::unit, numbers::special}) {
    const auto a = random_matrix<T>(m, k, kind, 1), b = random_matrix<T>(k, n, kind, 2);
    const auto want =
        abax::reference::gemm_integer('N', 'N', T(1.5), a, b, T(0), matrix<T>(m, n, nan_with_payload<T>()));
    for_each_integer_set([&](const abax::openmp::integer_kernels& loops) {
      chosen_loops = &loops;
      for (const bool verify : {false, true}) {
        matrix<T> c(m, n, nan_with_payload<T>());
        const abax::tile::product<T> problem{{a.elements.data(), m, k, 1, m},
                                             {b.elements.data(), k, n, 1, k},
                                             abax::tile::matrix<T>{c.elements.data(), m, n, 1, m},
                                             {T(1.5), T(0)}};
        abax::launch::integer_product<backend_of_chosen_loops, T, abax::tile::no_functor>(
            "test", Kokkos::OpenMP(), problem, std::numeric_limits<T>::digits, {.verify = verify})
            .run();
        CAPTURE(name_of(kind), verify);
        REQUIRE(same_bits(c, want));
      }
    });
  }
}

namespace {

void check_products(const abax::openmp::integer_kernels& loops) {
  random_bits random(77);
  for (const bool extreme : {false, true})
    for (const index_t cols : {1, 5, 6, 13, 16, 33, 50})
      for (const index_t words : {16, 32, 80}) {
        constexpr index_t panels = 2;
        const index_t rows = loops.rows, stride_b = 4 * words + 8, stride = panels * rows + 3;
        std::vector<std::uint8_t> a(panels * rows * words * 4), b(cols * stride_b);
        for (auto& x : a) x = extreme ? 255 : static_cast<std::uint8_t>(random.below(256));
        for (auto& x : b) x = extreme ? 128 : static_cast<std::uint8_t>(random.below(256));
        std::vector<std::int32_t> sums(stride * cols);
        for (auto& s : sums) s = random.below(1000) - 500;
        auto want = sums;
        for (index_t j = 0; j < cols; ++j)
          for (index_t i = 0; i < panels * rows; ++i)
            for (index_t p = 0; p < 4 * words; ++p)
              want[j * stride + i] += a[((i / rows * words + p / 4) * rows + i % rows) * 4 + p % 4] *
                                      static_cast<std::int8_t>(b[j * stride_b + p]);
        loops.multiply_add(panels, cols, words, a.data(), b.data(), stride_b, sums.data(), stride);
        REQUIRE(sums == want);
      }
}

}  // namespace

TEST_CASE("Integer products of all instruction sets are exact", "[integer][kernels]") {
  random_bits random(78);
  for_each_integer_set([&](const abax::openmp::integer_kernels& loops) {
    check_products(loops);
    for (int t = 0; t < abax::tile::most_moduli; ++t) {
      const int p = abax::tile::moduli[static_cast<std::size_t>(t)];
      std::vector<std::int32_t> sums{0,         1,      -1,        p,         -p,         p / 2,
                                     p / 2 + 1, -p / 2, INT32_MAX, INT32_MIN, 2139095040, -65536};
      for (int i = 0; i < 5000; ++i) sums.push_back(static_cast<std::int32_t>(random.next()));
      std::vector<std::uint8_t> remainders(sums.size());
      loops.reduce(static_cast<index_t>(sums.size()), sums.data(), t, remainders.data());
      for (std::size_t i = 0; i < sums.size(); ++i) REQUIRE(int(remainders[i]) == ((sums[i] % p) + p) % p);
    }
  });
}

namespace {

/// Tile registers in memory, with the meaning that AMX' instructions have.
class tiles_in_memory {
 public:
  template <int Tile>
  void load(const void* from, index_t stride) {
    for (int line = 0; line < 16; ++line)
      std::memcpy(bytes[Tile] + 64 * line, static_cast<const std::uint8_t*>(from) + line * stride, 64);
  }
  template <int Tile>
  void store(void* to, index_t stride) const {
    for (int line = 0; line < 16; ++line)
      std::memcpy(static_cast<std::uint8_t*>(to) + line * stride, bytes[Tile] + 64 * line, 64);
  }
  /// TDPBSUD: dst(m, n) += src1(m, 4 k + t) src2(k, 4 n + t), src1 with a sign and src2 without.
  template <int To, int Right, int Left>
  void add_products() {
    for (int m = 0; m < 16; ++m)
      for (int n = 0; n < 16; ++n) {
        std::int32_t sum;
        std::memcpy(&sum, bytes[To] + 64 * m + 4 * n, 4);
        for (int k = 0; k < 16; ++k)
          for (int t = 0; t < 4; ++t)
            sum += static_cast<std::int8_t>(bytes[Right][64 * m + 4 * k + t]) * bytes[Left][64 * k + 4 * n + t];
        std::memcpy(bytes[To] + 64 * m + 4 * n, &sum, 4);
      }
  }

 private:
  std::uint8_t bytes[8][1024];
};

/// One line of a and one of b at a time.
struct single_bytes {
  static constexpr int lanes = 1;
  using reg = std::int32_t;
  using lines = const std::uint8_t*;
  using word = const std::uint8_t*;

  static reg load(const std::int32_t* p) { return *p; }
  static void store(std::int32_t* p, reg r) { *p = r; }
  static lines load_lines(const std::uint8_t* p) { return p; }
  static word broadcast(const std::uint8_t* p) { return p; }
  static reg add_products(reg sum, lines a, word b) {
    for (int t = 0; t < 4; ++t) sum += a[t] * static_cast<std::int8_t>(b[t]);
    return sum;
  }
};

}  // namespace

// What AMX computes where there is some, with its registers in memory.
TEST_CASE("Integer products by tile registers are exact", "[integer][kernels]") {
  auto loops = abax::openmp::integer_loops();
  loops.rows = 32;
  loops.multiply_add = abax::openmp::multiply_add_by_tiles<tiles_in_memory, single_bytes>;
  check_products(loops);
}

TEMPLATE_TEST_CASE("Integers of lines have the same remainders by all instruction sets", "[integer][kernels]", float,
                   double) {
  using T = TestType;
  constexpr index_t n = 192;
  for_each_integer_set([&](const abax::openmp::integer_kernels& loops) {
    for (const numbers kind : {numbers::unit, numbers::wide, numbers::subnormal})
      for (const index_t terms : {index_t(1), index_t(65), n}) {
        const auto x = random_vector<T>(terms, kind, 9);
        typename abax::tile::ieee<T>::bits largest = 0;
        loops.template lines<T>().peaks(1, terms, x.elements.data(), 1, 1, &largest);
        for (const int bits : {std::numeric_limits<T>::digits, std::numeric_limits<T>::digits + 8})
          for (const bool are_unsigned : {false, true}) {
            const int shift = abax::tile::shift_of<T>(largest, bits);
            std::vector<std::uint8_t> planes(abax::tile::most_moduli * n);
            loops.template lines<T>().residues(
                {x.elements.data(), terms, n, shift, abax::tile::most_moduli, are_unsigned, planes.data(), n});
            for (int t = 0; t < abax::tile::most_moduli; ++t) {
              const int p = abax::tile::moduli[static_cast<std::size_t>(t)];
              for (index_t e = 0; e < n; ++e) {
                const long double scaled =
                    e < terms ? std::rint(std::ldexp(static_cast<long double>(x(e)), shift)) : 0.0L;
                const auto q = static_cast<std::int64_t>(scaled);
                const int byte = planes[t * n + e];
                const int r = are_unsigned ? byte : static_cast<std::int8_t>(byte);
                REQUIRE(((q % p) + p) % p == ((r % p) + p) % p);
                REQUIRE((are_unsigned ? r >= 0 && r < p : 2 * std::abs(r) <= p));
              }
            }
          }
      }
  });
}
#endif

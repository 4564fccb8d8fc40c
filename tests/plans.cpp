// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where teams share tiles along k; tiles that the OpenMP backend fits to a product.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <utility>

#include "abax/detail/launch/plan.hpp"

namespace launch = abax::launch;
namespace tile = abax::tile;
using abax::index_t;

TEST_CASE("Teams share the last tiles where these would leave most of a machine idle", "[plans]") {
  abax::backends::machine machine{.teams_at_once = 10, .team_scratch = 1 << 16};
  constexpr tile::product_tile size{64, 64, 16, 2};
  const auto cut_of = [&](int tiles, index_t terms, const tile::product_cost& cost = {.ends = 20, .join = 20},
                          tile::triangle part = tile::triangle::whole, index_t items = 1) {
    const float* const none = nullptr;
    const index_t rows = part == tile::triangle::whole ? 64 : 64 * tiles, cols = 64 * tiles;
    tile::product<float> problem{
        {none, rows, terms, 1, rows}, {none, terms, cols, 1, terms}, {{nullptr, rows, cols, 1, rows}, part}, {}};
    problem.items = items;
    const tile::cut cut = items == 1 ? launch::cut_for<launch::shape::matrix>(problem, size, cost, machine)
                                     : launch::cut_for<launch::shape::matrices>(problem, size, cost, machine);
    return std::pair(cut.splits, cut.whole);
  };
  using pair = std::pair<index_t, index_t>;
  constexpr index_t block = tile::canon_block;
  REQUIRE(cut_of(41, 8 * block) == pair(1, 0));  // where they begin in any order, a tile is one team's
  machine.in_turn = true;
  REQUIRE(cut_of(41, 8 * block) == pair(8, 40));  // two rounds of 20
  REQUIRE(cut_of(41, 3 * block) == pair(3, 40));
  REQUIRE(cut_of(41, block) == pair(1, 0));      // nothing to share
  REQUIRE(cut_of(40, 8 * block) == pair(1, 0));  // no place is idle
  REQUIRE(cut_of(38, 4 * block) == pair(1, 0));  // few are
  REQUIRE(cut_of(35, 4 * block) == pair(4, 20));
  REQUIRE(cut_of(37, 8 * block) == pair(8, 20));
  REQUIRE(cut_of(37, 8 * block, {.ends = 314, .join = 0}) == pair(1, 0));                            // half a percent
  REQUIRE(cut_of(1, 8 * block, {.ends = 20, .join = 20}, tile::triangle::whole, 41) == pair(1, 0));  // a batch of 41
  REQUIRE(cut_of(41, 8 * block, {.ends = 20, .shares = 0}) == pair(1, 0));   // the row wants one team
  REQUIRE(cut_of(41, 8 * block, {.ends = 20, .join = 4000}) == pair(1, 0));  // joining costs more
  machine.uneven = 0.1;
  REQUIRE(cut_of(41, 8 * block) == pair(8, 20));  // enough parts to even out two rounds
  REQUIRE(cut_of(40, 8 * block) == pair(8, 20));
  REQUIRE(cut_of(39, 8 * block) == pair(1, 0));  // the last round has room for what is late
  REQUIRE(cut_of(9, 8 * block, {.ends = 20, .join = 20}, tile::triangle::lower) ==
          pair(1, 0));  // teams outside it end at once
}

TEST_CASE("Teams outside a triangle hold places where all begin at once", "[plans]") {
  abax::backends::machine machine{.teams_at_once = 10, .team_scratch = 1 << 16};
  const auto time_of = [&](index_t tiles) {
    const float* const none = nullptr;
    const index_t n = 64 * tiles;
    const tile::product<float> problem{
        {none, n, 100, 1, n}, {none, 100, n, 1, 100}, {{nullptr, n, n, 1, n}, tile::triangle::lower}, {}};
    return launch::time_of(problem, {64, 64, 16, 2}, {}, machine, {});
  };
  REQUIRE(time_of(4) == time_of(3));  // as many tiles meet the triangle as there are processors
  machine.in_turn = true;
  REQUIRE(time_of(4) == 2 * time_of(3));  // but 16 teams begin, two of them beside each other on six processors
  REQUIRE(time_of(5) == 2 * time_of(3));  // 15 of 25
}

TEST_CASE("Cores share a gemv's blocks one by one where the last is short", "[plans]") {
  abax::backends::machine machine{.teams_at_once = 2, .team_scratch = 1 << 16, .outputs_of_blocks = 4};
  const auto splits_of = [&](index_t outputs, index_t terms) {
    const float* const none = nullptr;
    const tile::product<float> problem{
        {none, outputs, terms, 1, outputs}, {none, terms, 1, 1, terms}, {{nullptr, outputs, 1, 1, outputs}}, {}};
    const tile::product_tile all{static_cast<int>(outputs), 1, static_cast<int>(tile::canon_block), 1};
    return launch::cut_for<launch::shape::vector>(problem, all, {}, machine).splits;
  };
  constexpr index_t block = tile::canon_block;
  REQUIRE(splits_of(20, 2 * block + 800) == 3);
  REQUIRE(splits_of(20, 4 * block + 800) == 5);
  REQUIRE(splits_of(20, 4 * block) == 2);
  REQUIRE(splits_of(20, 14 * block + 800) == 2);  // hardly shorter
  REQUIRE(splits_of(5, 2 * block + 800) == 3);
  REQUIRE(splits_of(4, 2 * block + 800) == 2);  // chains of several blocks run at once
  machine.outputs_of_blocks = 0;
  REQUIRE(splits_of(4, 2 * block + 800) == 3);
  machine.in_turn = true;
  REQUIRE(splits_of(20, 2 * block + 800) == 2);
}

#ifdef KOKKOS_ENABLE_OPENMP
#include "abax/detail/backends/openmp/backend.hpp"

namespace openmp = abax::openmp;

TEMPLATE_TEST_CASE("Cores get equal shares of few outputs", "[plans]", float, double) {
  using T = TestType;
  const auto strip = [](index_t outputs, index_t terms, bool by_rows, index_t line) {
    return openmp::fitted_strip<T>(2, outputs, terms, by_rows, line).rows;
  };
  REQUIRE(strip(35, 1130, true, 1130) == 24);
  REQUIRE(strip(93, 4000, false, 93) == 48);
  REQUIRE(strip(66, 95172, false, 69) == 66);  // they share blocks
  REQUIRE(strip(911, 7, true, 7) == 911);      // in no time
  REQUIRE(strip(1500, 7, true, 4096) < 1500);  // each row is a line at least
  const openmp::kernel_set<T>& set = **openmp::runnable_kernels<T>();
  const tile::product_tile size = openmp::fitted_tile(set, 2, 960, 96, tile::canon_block + 20, false);
  REQUIRE(tile::ceil_div(960, size.rows) * tile::ceil_div(96, size.cols) == 2);  // the second block is no half
}

TEST_CASE("A stream's teams have whole columns, and every core has as many teams", "[plans]") {
  double any{};
  const auto run = [&](index_t m, index_t n, index_t row, index_t col, index_t cores) {
    const tile::matrix<const double> from{&any, m, n, row, col};
    const tile::combine_matrices<double> stream{from, from, {&any, m, n, row, col}, {}};
    return openmp::run_of(stream, 1 << 15, cores);
  };
  REQUIRE(run(2, 9001, 1, 3, 2) == 2 * 9001);   // one team
  REQUIRE(run(2, 9001, 1, 64, 2) == 2 * 2251);  // a column is a line of the cache: two teams a core
  REQUIRE(run(2, 9001, 1, -64, 2) == 2 * 2251);
  REQUIRE(run(2, 9001, 2, 64, 2) == 2 * 2251);
  REQUIRE(run(2, 9001, 8, 64, 2) == 2 * 1501);  // or as many as it has elements
  REQUIRE(run(2, 9001, 1, 64, 16) == 2 * 3001);
  REQUIRE(run(30000, 17, 1, 30000, 64) == 30000);    // one column at least, and no more than a team's work
  REQUIRE(run(40007, 3, 1, 40007, 2) == 30 * 1024);  // parts of columns
  const auto run_of_vector = [&](index_t size, index_t cores) {
    return openmp::run_of(tile::increment<double>{{&any, size, 1}, 1}, 1 << 15, cores);
  };
  REQUIRE(run_of_vector(33000, 2) == 17 * 1024);
  REQUIRE(run_of_vector(100003, 2) == 25 * 1024);
  REQUIRE(run_of_vector(100003, 3) == 17 * 1024);
}

// Whatever the product, the cores and the instruction set, a team's scratch holds its tile.
TEMPLATE_TEST_CASE("A fitted tile fits a team's scratch, whatever the product", "[plans]", float, double) {
  using T = TestType;
  const std::size_t available = openmp::most_team_scratch;
  const index_t sizes[] = {1, 7, 64, 97, 576, 1152, 2048, 2049, 2304, 3000, 4096, 8192, 10000, 12000, 100003};
  const auto check = [&]<class Row>(const Row*, const tile::product<T>& problem, const openmp::machine& machine) {
    if (!Row::serves(problem, machine)) return;
    const tile::product_tile size = Row::tile_for(problem, machine);
    const std::size_t needed = Row::primitives::scratch_bytes(Row::parameters(problem, size, machine));
    if (size.rows < 1 || size.cols < 1 || needed > available) {
      CAPTURE(Row::name, machine.teams_at_once, machine.template loops<T>().name, problem.c.rows, problem.c.cols,
              problem.terms(), size.rows, size.cols, needed, available);
      FAIL("no tile, or one that needs more scratch than there is");
    }
  };
  const auto* const* floats = openmp::runnable_kernels<float>();
  const auto* const* doubles = openmp::runnable_kernels<double>();
  for (; *floats != nullptr; ++floats, ++doubles)
    for (const int cores : {1, 2, 3, 8, 16, 64, 128})
      for (const index_t m : sizes)
        for (const index_t n : sizes)
          for (const index_t k : {index_t(1), index_t(256), index_t(2048), index_t(2049), index_t(10000)})
            for (const bool own_columns : {false, true})
              for (const tile::triangle part : {tile::triangle::whole, tile::triangle::lower}) {
                if (part != tile::triangle::whole && m != n) continue;
                const openmp::machine machine(cores, **floats, **doubles);
                T any{};
                const tile::matrix<const T> b{&any, k, n, own_columns ? 1 : n, own_columns ? k : 1};
                const tile::matrix<T> c{&any, m, n, 1, m};
                const tile::product<T> problem{{&any, m, k, 1, m}, b, {c, part}, {T(1), T(0)}};
                check(static_cast<const openmp::fitted_gemm<T>*>(nullptr), problem, machine);
                check(static_cast<const openmp::direct_gemm<T>*>(nullptr), problem, machine);
              }
  SUCCEED();
}
#endif

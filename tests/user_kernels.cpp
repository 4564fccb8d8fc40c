// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What users do with Kokkos beside Abax, on every space of the build: their reductions, scans, teams with scratch,
// ranges of several dimensions, maps and random numbers are right with the Kokkos that Abax was built with.
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <Kokkos_UnorderedMap.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "fields.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

template <class Exec>
using memory_of = typename Exec::memory_space;
template <class Exec>
using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>>;

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

KOKKOS_FUNCTION index_t term(index_t i) { return i * i % 97 - 20; }

template <class Exec>
void check_reductions(const Exec& exec) {
  constexpr index_t n = 5000;
  const Kokkos::View<index_t*, memory_of<Exec>> x("x", n), results("results", 5);
  const Kokkos::View<index_t, memory_of<Exec>> total("total");
  const Kokkos::View<index_t, Kokkos::HostSpace> total_on_host("total_on_host");
  Kokkos::parallel_for(
      "terms", range<Exec>(exec, 0, n), KOKKOS_LAMBDA(index_t i) { x(i) = term(i); });
  Kokkos::deep_copy(exec, results, -1);
  Kokkos::deep_copy(exec, total, -1);
  index_t want = 0, largest = -1000, smallest = 1000;
  for (index_t i = 0; i < n; ++i) {
    want += term(i);
    largest = std::max(largest, term(i));
    smallest = std::min(smallest, term(i));
  }
  index_t sum = -1, most = -1, least = -1;
  const auto add = KOKKOS_LAMBDA(index_t i, index_t & s) { s += x(i); };
  Kokkos::parallel_reduce("sum", range<Exec>(exec, 0, n), add, sum);
  REQUIRE(sum == want);
  Kokkos::parallel_reduce("sum", range<Exec>(exec, 0, n), add, total);
  Kokkos::parallel_reduce("sum", range<Exec>(exec, 0, n), add, total_on_host);
  Kokkos::parallel_reduce("sum", range<Exec>(exec, 0, n), add, Kokkos::subview(results, 2));
  exec.fence();
  REQUIRE(on_host(total)() == want);
  REQUIRE(total_on_host() == want);
  const auto found = on_host(results);
  REQUIRE(std::vector<index_t>(found.data(), found.data() + 5) == std::vector<index_t>{-1, -1, want, -1, -1});
  Kokkos::parallel_reduce(
      "extremes", range<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(index_t i, index_t & s, index_t & high, index_t & low) {
        s += 2 * x(i);
        high = Kokkos::max(high, x(i));
        low = Kokkos::min(low, x(i));
      },
      sum, Kokkos::Max<index_t>(most), Kokkos::Min<index_t>(least));
  REQUIRE(sum == 2 * want);
  REQUIRE(most == largest);
  REQUIRE(least == smallest);
}

/// Sums of all terms before each, into one column of a matrix, and up to each, into another.
template <class Exec>
struct sums {
  Kokkos::View<const index_t*, memory_of<Exec>> x;
  Kokkos::View<index_t*, Kokkos::LayoutStride, memory_of<Exec>> before, up_to;
  KOKKOS_FUNCTION void operator()(index_t i, index_t& sum, bool last) const {
    if (last) before(i) = sum;
    sum += x(i);
    if (last) up_to(i) = sum;
  }
};

template <class Exec>
void check_scans(const Exec& exec) {
  constexpr index_t n = 3000;
  const Kokkos::View<index_t*, memory_of<Exec>> x("x", n);
  const Kokkos::View<index_t**, Kokkos::LayoutRight, memory_of<Exec>> table("table", n, 4);
  Kokkos::parallel_for(
      "terms", range<Exec>(exec, 0, n), KOKKOS_LAMBDA(index_t i) { x(i) = term(i); });
  Kokkos::deep_copy(exec, table, -7);
  index_t total = 0;
  Kokkos::parallel_scan("sums", range<Exec>(exec, 0, n),
                        sums<Exec>{x, Kokkos::subview(table, Kokkos::ALL, 1), Kokkos::subview(table, Kokkos::ALL, 3)},
                        total);
  const auto found = on_host(table);
  index_t sum = 0, wrong = 0;
  for (index_t i = 0; i < n; ++i) {
    wrong += found(i, 0) != -7 || found(i, 1) != sum || found(i, 2) != -7;
    sum += term(i);
    wrong += found(i, 3) != sum;
  }
  REQUIRE(wrong == 0);
  REQUIRE(total == sum);
}

/// Each team turns its tile by way of a View in scratch, and adds it up.
template <class Layout, class Exec>
void check_scratch(const Exec& exec, int level) {
  using policy = Kokkos::TeamPolicy<Exec>;
  using member = typename policy::member_type;
  using scratch =
      Kokkos::View<float**, Layout, typename Exec::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  constexpr int teams = 7, rows = 9, cols = 37;
  constexpr bool host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, memory_of<Exec>>::accessible;
  const Kokkos::View<float***, memory_of<Exec>> from("from", teams, rows, cols), to("to", teams, cols, rows);
  const Kokkos::View<float*, memory_of<Exec>> totals("totals", teams);
  write_numbers(exec, from, 0);
  Kokkos::deep_copy(exec, to, -1.0F);
  Kokkos::deep_copy(exec, totals, -1.0F);
  Kokkos::parallel_for(
      "turn",
      policy(exec, teams, host ? 1 : 64).set_scratch_size(level, Kokkos::PerTeam(scratch::shmem_size(rows, cols))),
      KOKKOS_LAMBDA(const member& team) {
        const scratch tile(team.team_scratch(level), rows, cols);
        const int league = team.league_rank();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows), [&](int i) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, cols), [&](int j) { tile(i, j) = from(league, i, j); });
        });
        team.team_barrier();
        float sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, rows * cols),
            [&](int e, float& s) {
              to(league, e / rows, e % rows) = tile(e % rows, e / rows);
              s += tile(e % rows, e / rows);
            },
            sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { totals(league) = sum; });
      });
  const auto turned = on_host(to);
  const auto added = on_host(totals);
  index_t wrong = 0;
  for (index_t t = 0; t < teams; ++t) {
    float sum = 0;  // of multiples of 1/4 far below 2^22: exact in any order
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < cols; ++j) {
        const float want = number<float>((t * rows + i) * cols + j);
        wrong += turned(t, j, i) != want;
        sum += want;
      }
    wrong += added(t) != sum;
  }
  CAPTURE(level);
  REQUIRE(wrong == 0);
}

/// Some of a matrix and of a cube written by ranges of two and three dimensions; the rest stays.
template <class Layout, Kokkos::Iterate order, class Exec>
void check_ranges(const Exec& exec) {
  using two = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, order, order>>;
  using three = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, order, order>>;
  const Kokkos::View<double**, Layout, memory_of<Exec>> matrix("matrix", 40, 23);
  const Kokkos::View<double***, Layout, memory_of<Exec>> cube("cube", 9, 8, 7);
  Kokkos::deep_copy(exec, matrix, -1.0);
  Kokkos::deep_copy(exec, cube, -2.0);
  Kokkos::parallel_for(
      "two", two(exec, {1, 2}, {39, 20}), KOKKOS_LAMBDA(int i, int j) { matrix(i, j) = number<double>(100 * i + j); });
  Kokkos::parallel_for(
      "three", three(exec, {2, 0, 1}, {8, 8, 6}, {3, 2, 4}),
      KOKKOS_LAMBDA(int i, int j, int k) { cube(i, j, k) = number<double>(100 * i + 10 * j + k); });
  index_t larger = -1;
  Kokkos::parallel_reduce(
      "count", two(exec, {0, 0}, {40, 23}),
      KOKKOS_LAMBDA(int i, int j, index_t& count) { count += matrix(i, j) > 250; }, larger);
  const auto a = on_host(matrix);
  const auto b = on_host(cube);
  index_t wrong = 0, count = 0;
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 23; ++j) {
      const double want = i >= 1 && i < 39 && j >= 2 && j < 20 ? number<double>(100 * i + j) : -1;
      wrong += a(i, j) != want;
      count += want > 250;
    }
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 7; ++k)
        wrong += b(i, j, k) != (i >= 2 && i < 8 && k >= 1 && k < 6 ? number<double>(100 * i + 10 * j + k) : -2);
  REQUIRE(wrong == 0);
  REQUIRE(larger == count);
}

template <class Exec>
void check_map(const Exec& exec) {
  using map_type = Kokkos::UnorderedMap<int, double, Exec>;
  constexpr int n = 2000;
  const map_type map(2 * n);
  const Kokkos::View<double*, memory_of<Exec>> found("found", 2 * n);
  int failed = -1;
  Kokkos::parallel_reduce(
      "insert", range<Exec>(exec, 0, 2 * n),
      KOKKOS_LAMBDA(index_t i, int& count) {  // every key twice
        const int key = static_cast<int>(i % n);
        count += map.insert(7 * key, number<double>(key)).failed();
      },
      failed);
  REQUIRE(failed == 0);
  REQUIRE(map.size() == n);
  Kokkos::parallel_for(
      "find", range<Exec>(exec, 0, 2 * n), KOKKOS_LAMBDA(index_t i) {
        const auto at = map.find(static_cast<int>(7 * i));
        found(i) = map.valid_at(at) ? map.value_at(at) : -1;
      });
  const auto values = on_host(found);
  index_t wrong = 0;
  for (index_t i = 0; i < 2 * n; ++i) wrong += values(i) != (i < n ? number<double>(i) : -1);
  REQUIRE(wrong == 0);
}

template <class Exec>
void check_random(const Exec& exec) {
  constexpr index_t n = 20000;
  const Kokkos::Random_XorShift64_Pool<Exec> pool(12345);
  const Kokkos::View<double*, memory_of<Exec>> x("x", n);
  Kokkos::deep_copy(exec, x, -1.0);
  Kokkos::parallel_for(
      "draw", range<Exec>(exec, 0, n), KOKKOS_LAMBDA(index_t i) {
        auto generator = pool.get_state();
        x(i) = generator.drand(2.0, 3.0);
        pool.free_state(generator);
      });
  const auto drawn = on_host(x);
  std::vector<double> values(drawn.data(), drawn.data() + n);
  double mean = 0;
  for (const double value : values) mean += value / n;
  std::sort(values.begin(), values.end());
  REQUIRE(values.front() >= 2.0);
  REQUIRE(values.back() < 3.0);
  REQUIRE(std::abs(mean - 2.5) < 0.02);  // ten standard deviations
  REQUIRE(std::unique(values.begin(), values.end()) - values.begin() > n - 10);
}

}  // namespace

TEST_CASE("Users' reductions and scans arrive in scalars and in Views", "[views]") {
  for_each_space([](const auto& exec) {
    CAPTURE(exec.name());
    check_reductions(exec);
    check_scans(exec);
  });
}

TEST_CASE("Users' teams have Views in scratch of both levels", "[views]") {
  for_each_space([](const auto& exec) {
    CAPTURE(exec.name());
    for (const int level : {0, 1}) {
      check_scratch<Kokkos::LayoutLeft>(exec, level);
      check_scratch<Kokkos::LayoutRight>(exec, level);
    }
  });
}

TEST_CASE("Users' ranges of two and three dimensions reach their elements and no others", "[views]") {
  for_each_space([](const auto& exec) {
    CAPTURE(exec.name());
    check_ranges<Kokkos::LayoutLeft, Kokkos::Iterate::Left>(exec);
    check_ranges<Kokkos::LayoutLeft, Kokkos::Iterate::Right>(exec);
    check_ranges<Kokkos::LayoutRight, Kokkos::Iterate::Left>(exec);
    check_ranges<Kokkos::LayoutRight, Kokkos::Iterate::Right>(exec);
  });
}

TEST_CASE("Users' maps and random numbers work in kernels", "[views]") {
  for_each_space([](const auto& exec) {
    CAPTURE(exec.name());
    check_map(exec);
    check_random(exec);
  });
}

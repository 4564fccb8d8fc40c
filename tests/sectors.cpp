// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of sectors and lines, against the classic patterns and a simple count over random addresses.
#include "../perf/lab/model/sectors.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <set>

using abax::model::sectors;

TEST_CASE("Sectors and lines of a warp's access", "[sectors]") {
  struct expected {
    int lines, sectors;
    double share_of_lines, share_of_sectors;
  };
  const auto check = [](int width, const auto& address, const expected& e) {
    CHECK(sectors::lines(width, address) == e.lines);
    CHECK(sectors::count(width, address) == e.sectors);
    CHECK(sectors::share_of_lines(width, address) == e.share_of_lines);
    CHECK(sectors::share_of_sectors(width, address) == e.share_of_sectors);
  };
  check(4, [](int l) { return 4 * ((5 * l + 3) % 32); }, {1, 4, 1, 1});             // any order
  check(4, [](int) { return 28; }, {1, 1, 0.03125, 0.125});                         // one word
  check(4, [](int l) { return 96 + 4 * l; }, {2, 4, 0.5, 1});                       // across a line's end
  check(4, [](int l) { return l < 24 ? 4 * l : sectors::idle; }, {1, 3, 0.75, 1});  // 24 lanes
  check(4, [](int l) { return 128 * (l / 8) + (l / 8 == 3 ? 96 : 0) + 4 * (l % 8); }, {4, 4, 0.25, 1});  // four pieces
  check(4, [](int l) { return 4 + 4 * l; }, {2, 5, 0.5, 0.8});    // one word further on
  check(4, [](int l) { return 32 * l; }, {8, 32, 0.125, 0.125});  // a sector each
  check(8, [](int l) { return 8 * l; }, {2, 8, 1, 1});
  check(16, [](int l) { return 16 * l; }, {4, 16, 1, 1});
  check(4, [](int) { return sectors::idle; }, {0, 0, 1, 1});
  static_assert(sectors::count(4, [](int l) { return 4 * l; }) == 4);
}

TEST_CASE("The model of sectors equals a count of bytes on random addresses", "[sectors]") {
  std::mt19937 random(1);
  const auto below = [&](long n) { return std::uniform_int_distribution<long>(0, n - 1)(random); };
  for (int trial = 0; trial < 2000; ++trial) {
    const int width = 1 << below(5);
    const long range = 1L << (1 + below(10)), busy = 1 + below(8);
    std::array<long, 32> at{};
    std::set<long> bytes, touched_sectors, touched_lines;
    for (long& a : at) {
      a = below(8) < busy ? width * below(range) : -1;
      for (long b = a; a >= 0 && b < a + width; ++b) {
        bytes.insert(b);
        touched_sectors.insert(b / 32);
        touched_lines.insert(b / 128);
      }
    }
    const auto address = [&](int l) { return at[static_cast<std::size_t>(l)]; };
    CAPTURE(width, at);
    REQUIRE(sectors::asked(width, address) == static_cast<int>(bytes.size()));
    REQUIRE(sectors::count(width, address) == static_cast<int>(touched_sectors.size()));
    REQUIRE(sectors::lines(width, address) == static_cast<int>(touched_lines.size()));
  }
}

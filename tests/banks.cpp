// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of banked scratch: patterns whose cost is known from the hardware's description, what an H200's counters
// said, and a simulation that serves word by word.
#include "abax/detail/tile/banks.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "../perf/lab/model/layout.hpp"

using abax::model::layout;
using abax::tile::banks;
using abax::tile::direction;

namespace {

constexpr int none = banks::idle;

/// Lanes' addresses in units of their width.
struct pattern {
  int width;
  std::array<long, 32> at;

  long operator()(int l) const {
    return at[static_cast<std::size_t>(l)] < 0 ? none : at[static_cast<std::size_t>(l)] * width;
  }
};

template <class Each>
pattern of_lanes(int width, const Each& each) {
  pattern p{width, {}};
  for (int l = 0; l < 32; ++l) p.at[static_cast<std::size_t>(l)] = each(l);
  return p;
}

struct served {
  int wavefronts, passes;
};

/// Serves, wavefront by wavefront, one word of each bank to all lanes that wait for it, pass after pass.
served simulate(const pattern& p, bool load) {
  constexpr int word = 4;
  const int words = p.width / word;
  int group = 32 / words;
  for (const int k : {1, 2}) {
    bool pairs = load && words > 1;
    for (int l = 0; l < 32; ++l) pairs = pairs && (p(l) == none || p(l ^ k) == none || p(l) == p(l ^ k));
    if (pairs) {
      group = 64 / words;
      break;
    }
  }
  served s{0, 0};
  for (int first = 0; first < 32; first += group) {
    std::map<long, std::set<long>> waiting;
    for (int l = first; l < first + group; ++l)
      if (p(l) != none)
        for (int w = 0; w < words; ++w) waiting[(p(l) / word + w) % 32].insert(p(l) / word + w);
    s.passes += waiting.empty() ? 0 : 1;
    while (!waiting.empty()) {
      ++s.wavefronts;
      for (auto bank = waiting.begin(); bank != waiting.end();) {
        bank->second.erase(bank->second.begin());
        bank = bank->second.empty() ? waiting.erase(bank) : std::next(bank);
      }
    }
  }
  return s;
}

constexpr int column_of(const layout& tile, int lanes_in_a_column, int first) {
  return banks::wavefronts(4, [&](int l) { return 4 * tile(l % lanes_in_a_column, first + l / lanes_in_a_column); });
}

}  // namespace

TEST_CASE("Wavefronts of one access of 32 lanes", "[banks]") {
  SECTION("4 bytes a lane") {
    CHECK(banks::wavefronts(4, [](int l) { return 4 * l; }) == 1);                // side by side
    CHECK(banks::wavefronts(4, [](int) { return 64; }) == 1);                     // one word for all
    CHECK(banks::wavefronts(4, [](int l) { return 8 * l; }) == 2);                // every other word
    CHECK(banks::wavefronts(4, [](int l) { return 128 * l; }) == 32);             // a column of 32 words' lines
    CHECK(banks::wavefronts(4, [](int l) { return 132 * l; }) == 1);              // the same, padded
    CHECK(banks::wavefronts(4, [](int l) { return 128 * (l / 16); }) == 2);       // two words of one bank
    CHECK(banks::wavefronts(4, [](int l) { return 4 * (31 - l) + 4096; }) == 1);  // order and place do not matter
  }
  SECTION("8 bytes a lane: half a warp at a time") {
    CHECK(banks::wavefronts(8, [](int l) { return 8 * l; }) == 2);
    CHECK(banks::wavefronts(8, [](int) { return 0; }) == 2);
    CHECK(banks::wavefronts(8, [](int l) { return 16 * l; }) == 4);
    CHECK(banks::wavefronts(8, [](int l) { return 8 * (l % 4 * 16 + l / 4); }) == 8);  // 4 terms of 8, lines of 16
    CHECK(banks::wavefronts(8, [](int l) { return 8 * (l % 4 * 20 + l / 4); }) == 2);  // lines of 16, 4 more
    CHECK(banks::wavefronts(8, [](int l) { return 8 * (l / 4 * 16 + l % 4); }) == 8);  // the other way round
    CHECK(banks::wavefronts(8, [](int l) { return 8 * (l / 4 * 18 + l % 4); }) == 4);  // 2 more are too few
  }
  SECTION("16 bytes a lane: a quarter of a warp at a time") {
    CHECK(banks::wavefronts(16, [](int l) { return 16 * l; }) == 4);
    CHECK(banks::wavefronts(16, [](int l) { return 32 * l; }) == 8);
    CHECK(banks::wavefronts(16, [](int l) { return 128 * l; }) == 32);
    CHECK(banks::wavefronts(16, [](int l) { return 144 * l; }) == 4);
    CHECK(banks::wavefronts(16, [](int l) { return 128 * (l % 2); }) == 8);
  }
  SECTION("Lanes that take no part, or ask for what others ask for") {
    CHECK(banks::wavefronts(16, [](int l) { return 144 * (l % 16); }) == 4);
    CHECK(banks::wavefronts(8, [](int l) { return 8 * (l % 20); }) == 3);
    CHECK(banks::wavefronts(4, [](int l) { return 128 * (l % 3); }) == 3);
    CHECK(banks::wavefronts(4, [](int l) { return l < 3 ? 128 * l : none; }) == 3);
    CHECK(banks::wavefronts(8, [](int l) { return l < 16 ? 8 * l : none; }) == 1);
    CHECK(banks::wavefronts(16, [](int) { return none; }) == 0);
  }
  SECTION("Free of conflicts is what distinct words would cost at best") {
    CHECK(banks::free_of_conflicts(4, [](int l) { return 4 * l; }));
    CHECK_FALSE(banks::free_of_conflicts(4, [](int l) { return 8 * l; }));
    CHECK(banks::free_of_conflicts(8, [](int l) { return 8 * (l % 4 * 20 + l / 4); }));
    CHECK_FALSE(banks::free_of_conflicts(8, [](int l) { return 8 * (l / 4 * 18 + l % 4); }));
    CHECK(banks::free_of_conflicts(16, [](int l) { return 144 * l; }));
    CHECK_FALSE(banks::free_of_conflicts(16, [](int l) { return 136 * l / 16 * 16; }));
  }
  static_assert(banks::wavefronts(4, [](int l) { return 4 * l; }) == 1);
  static_assert(banks::of(direction::load, 8, [](int) { return 0; }).wavefronts == 1);
}

TEST_CASE("Wavefronts and conflicts that an H200 counted", "[banks]") {
  struct counted {
    pattern p;
    int load, load_conflicts, store, store_conflicts;
  };
  const auto lanes = [](int width, const auto& each) { return of_lanes(width, each); };
  const std::vector<counted> all{{lanes(4, [](int l) { return l; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l / 2; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l % 8; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l / 16; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l < 8 ? l : -1; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l & 2 ? -1 : l; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l % 4 ? -1 : l / 4; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l == 7 || l == 30 ? l : -1; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l == 0 || l == 8 ? l : -1; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l & ~2; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l & ~3; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l * 16; }), 16, 15, 16, 15},
                                 {lanes(4, [](int l) { return l * 3; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l / 4 * 16 + l % 4; }), 4, 3, 4, 3},
                                 {lanes(4, [](int l) { return l % 8 < 4 ? l : -1; }), 1, 0, 1, 0},
                                 {lanes(4, [](int l) { return l % 16 * 16; }), 8, 7, 8, 7},
                                 {lanes(8, [](int l) { return l; }), 2, 0, 2, 0},
                                 {lanes(8, [](int) { return 5; }), 1, 0, 2, 0},
                                 {lanes(8, [](int l) { return 2 * l; }), 4, 2, 4, 2},
                                 {lanes(8, [](int l) { return l / 2; }), 1, 0, 2, 0},
                                 {lanes(8, [](int l) { return l % 16; }), 2, 0, 2, 0},
                                 {lanes(8, [](int l) { return l / 8; }), 1, 0, 2, 0},
                                 {lanes(8, [](int l) { return l < 16 ? l : -1; }), 1, 0, 1, 0},
                                 {lanes(8, [](int l) { return l >= 16 ? l : -1; }), 1, 0, 1, 0},
                                 {lanes(8, [](int l) { return l % 2 ? -1 : l; }), 2, 1, 2, 0},
                                 {lanes(8, [](int l) { return l % 2 ? -1 : l / 2; }), 1, 0, 2, 0},
                                 {lanes(8, [](int l) { return l & 2 ? -1 : l; }), 2, 1, 2, 0},
                                 {lanes(8, [](int l) { return l & 4 ? -1 : l; }), 2, 0, 2, 0},
                                 {lanes(8, [](int l) { return l & 8 ? -1 : l; }), 2, 0, 2, 0},
                                 {lanes(8, [](int l) { return l % 4 ? -1 : l / 4; }), 1, 0, 2, 0},
                                 {lanes(8, [](int l) { return l == 7 ? 3 : -1; }), 1, 0, 1, 0},
                                 {lanes(8, [](int l) { return l == 0 || l == 8 ? l : -1; }), 1, 0, 1, 0},
                                 {lanes(8, [](int l) { return l == 0 || l == 16 ? l : -1; }), 2, 1, 2, 0},
                                 {lanes(8, [](int l) { return l == 0 || l == 16 ? 0 : -1; }), 1, 0, 2, 0},
                                 {lanes(8, [](int l) { return l & ~2; }), 2, 1, 2, 0},
                                 {lanes(8, [](int l) { return l & ~1; }), 2, 1, 2, 0},
                                 {lanes(8, [](int l) { return l & ~4; }), 2, 0, 2, 0},
                                 {lanes(8, [](int l) { return l % 2 ? 0 : l; }), 3, 1, 3, 1},
                                 {lanes(8, [](int l) { return l * 16; }), 32, 30, 32, 30},
                                 {lanes(8, [](int l) { return l * 4; }), 8, 6, 8, 6},
                                 {lanes(8, [](int l) { return l * 3; }), 2, 0, 2, 0},
                                 {lanes(8, [](int l) { return l % 4 * 16 + l / 4; }), 8, 6, 8, 6},
                                 {lanes(8, [](int l) { return l / 4 * 16 + l % 4; }), 8, 6, 8, 6},
                                 {lanes(8, [](int l) { return l % 8 < 4 ? l : -1; }), 2, 0, 2, 0},
                                 {lanes(8, [](int l) { return (l & ~1) * 16; }), 16, 15, 16, 14},
                                 {lanes(8, [](int l) { return (l & ~2) * 16; }), 16, 15, 16, 14},
                                 {lanes(8, [](int l) { return l % 16 * 16; }), 32, 30, 32, 30},
                                 {lanes(16, [](int l) { return l; }), 4, 0, 4, 0},
                                 {lanes(16, [](int) { return 5; }), 2, 0, 4, 0},
                                 {lanes(16, [](int l) { return 2 * l; }), 8, 4, 8, 4},
                                 {lanes(16, [](int l) { return l / 2; }), 2, 0, 4, 0},
                                 {lanes(16, [](int l) { return l % 16; }), 4, 0, 4, 0},
                                 {lanes(16, [](int l) { return l / 8; }), 2, 0, 4, 0},
                                 {lanes(16, [](int l) { return l < 16 ? l : -1; }), 2, 0, 2, 0},
                                 {lanes(16, [](int l) { return l >= 16 ? l : -1; }), 2, 0, 2, 0},
                                 {lanes(16, [](int l) { return l % 2 ? -1 : l; }), 4, 2, 4, 0},
                                 {lanes(16, [](int l) { return l % 2 ? -1 : l / 2; }), 2, 0, 4, 0},
                                 {lanes(16, [](int l) { return l & 2 ? -1 : l; }), 4, 2, 4, 0},
                                 {lanes(16, [](int l) { return l & 4 ? -1 : l; }), 4, 0, 4, 0},
                                 {lanes(16, [](int l) { return l & 8 ? -1 : l; }), 2, 0, 2, 0},
                                 {lanes(16, [](int l) { return l % 4 ? -1 : l / 4; }), 2, 0, 4, 0},
                                 {lanes(16, [](int l) { return l == 7 ? 3 : -1; }), 1, 0, 1, 0},
                                 {lanes(16, [](int l) { return l == 0 || l == 8 ? l : -1; }), 2, 1, 2, 0},
                                 {lanes(16, [](int l) { return l == 0 || l == 16 ? l : -1; }), 2, 0, 2, 0},
                                 {lanes(16, [](int l) { return l == 0 || l == 16 ? 0 : -1; }), 2, 0, 2, 0},
                                 {lanes(16, [](int l) { return l & ~2; }), 4, 2, 4, 0},
                                 {lanes(16, [](int l) { return l & ~1; }), 4, 2, 4, 0},
                                 {lanes(16, [](int l) { return l & ~4; }), 4, 0, 4, 0},
                                 {lanes(16, [](int l) { return l % 2 ? 0 : l; }), 7, 3, 7, 3},
                                 {lanes(16, [](int l) { return l * 16; }), 32, 28, 32, 28},
                                 {lanes(16, [](int l) { return l * 4; }), 16, 12, 16, 12},
                                 {lanes(16, [](int l) { return l * 3; }), 4, 0, 4, 0},
                                 {lanes(16, [](int l) { return l % 4 * 16 + l / 4; }), 16, 12, 16, 12},
                                 {lanes(16, [](int l) { return l / 4 * 16 + l % 4; }), 8, 4, 8, 4},
                                 {lanes(16, [](int l) { return l % 8 < 4 ? l : -1; }), 4, 0, 4, 0},
                                 {lanes(16, [](int l) { return (l & ~1) * 16; }), 16, 14, 16, 12},
                                 {lanes(16, [](int l) { return (l & ~2) * 16; }), 16, 14, 16, 12},
                                 {lanes(16, [](int l) { return l % 16 * 16; }), 32, 28, 32, 28},
                                 {{16, {0,  2, -1, -1, -1, -1, -1, -1, 3,  1,  -1, -1, -1, -1, -1, -1,
                                        -1, 3, -1, 2,  2,  -1, 3,  2,  -1, -1, -1, 1,  0,  -1, 2,  -1}},
                                  4,
                                  0,
                                  4,
                                  0}};
  for (const counted& c : all) {
    CAPTURE(c.p.width, c.p.at);
    const banks::cost load = banks::of(direction::load, c.p.width, c.p),
                      store = banks::of(direction::store, c.p.width, c.p);
    CHECK(load.wavefronts == c.load);
    CHECK(load.conflicts() == c.load_conflicts);
    CHECK(store.wavefronts == c.store);
    CHECK(store.conflicts() == c.store_conflicts);
  }
}

TEST_CASE("The model of banks equals a simulation on random addresses", "[banks]") {
  std::mt19937 random(1);
  const auto below = [&](long n) { return std::uniform_int_distribution<long>(0, n - 1)(random); };
  for (int trial = 0; trial < 4000; ++trial) {
    const int width = 4 << below(3), shared = 1 << below(6);
    const long range = 1L << (1 + below(10)), busy = 1 + below(8);
    const pattern drawn = of_lanes(width, [&](int) { return below(range); });
    const pattern p = of_lanes(
        width, [&](int l) { return below(8) < busy ? drawn.at[static_cast<std::size_t>(l & ~(shared / 2))] : -1; });
    CAPTURE(width, p.at);
    for (const bool load : {false, true}) {
      const direction way = load ? direction::load : direction::store;
      const banks::cost cost = banks::of(way, width, p);
      const served expected = simulate(p, load);
      REQUIRE(cost.wavefronts == expected.wavefronts);
      REQUIRE(cost.passes == expected.passes);
      REQUIRE(cost.ideal <= cost.wavefronts);
      REQUIRE(cost.worst <= cost.wavefronts);
    }
    REQUIRE(banks::of(direction::load, width, p).wavefronts <= banks::wavefronts(width, p));
  }
}

TEST_CASE("A tile's columns, plain, padded and swizzled", "[banks]") {
  static_assert(column_of(layout::plain(32, 32), 32, 5) == 32);
  static_assert(column_of(layout::padded(32, 32, 1), 32, 5) == 1);
  static_assert(column_of(layout::swizzled(32, 32, 1), 32, 5) == 1);
  static_assert(column_of(layout::plain(16, 32), 16, 4) == 16);
  static_assert(column_of(layout::padded(16, 32, 2), 16, 4) == 1);
  static_assert(column_of(layout::swizzled(16, 32, 2), 16, 4) == 1);
  for (const layout& tile :
       {layout::plain(7, 5), layout::padded(7, 5, 3), layout::swizzled(16, 32, 2), layout::swizzled(3, 8, 5)}) {
    std::set<int> places;
    for (int r = 0; r < tile.rows; ++r)
      for (int c = 0; c < tile.columns; ++c) places.insert(tile(r, c));
    CHECK(static_cast<int>(places.size()) == tile.rows * tile.columns);  // no two elements in one place
    CHECK((*places.begin() >= 0 && *places.rbegin() < tile.size()));
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of banked scratch, against access patterns whose cost is known from the hardware's description.
#include "tile/banks.hpp"

#include <catch2/catch_test_macros.hpp>

using abax::tile::banks;

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
  SECTION("Lanes that take no part ask for what others ask for") {
    CHECK(banks::wavefronts(16, [](int l) { return 144 * (l % 16); }) == 4);
    CHECK(banks::wavefronts(8, [](int l) { return 8 * (l % 20); }) == 3);
    CHECK(banks::wavefronts(4, [](int l) { return 128 * (l % 3); }) == 3);
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
}

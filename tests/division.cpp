// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a product is divided among teams.
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "abax/detail/tile/product.hpp"

namespace tile = abax::tile;

TEST_CASE("Teams' shares are every tile and every block of the canon once", "[division]") {
  for (const int row_tiles : {1, 2, 7, 8, 9, 16, 19})
    for (const int col_tiles : {1, 3, 8, 17})
      for (const int blocks : {0, 1, 2, 5, 12})
        for (int splits = 1; splits <= (blocks > 0 ? blocks : 1); ++splits) {
          const bool folded = (row_tiles + splits) % 2 == 0;
          CAPTURE(row_tiles, col_tiles, blocks, splits, folded);
          const tile::division<float> division{row_tiles, col_tiles, splits, nullptr, nullptr, 1, 1, folded};
          std::vector<int> seen(row_tiles * col_tiles * (blocks > 0 ? blocks : 1)), number(row_tiles * col_tiles, -1);
          for (int rank = 0; rank < row_tiles * col_tiles * splits; ++rank) {
            const tile::share mine = tile::share_of(division, rank, blocks);
            REQUIRE(0 <= mine.row_tile);
            REQUIRE(mine.row_tile < row_tiles);
            REQUIRE(0 <= mine.col_tile);
            REQUIRE(mine.col_tile < col_tiles);
            REQUIRE(0 <= mine.first_block);
            REQUIRE(mine.last_block <= blocks);
            const int place = mine.row_tile * col_tiles + mine.col_tile;
            REQUIRE((number[place] == -1 || number[place] == mine.tile));  // where its block sums go
            number[place] = mine.tile;
            REQUIRE(rank / splits == mine.tile);
            if (blocks == 0) ++seen[place];
            for (int block = mine.first_block; block < mine.last_block; ++block) ++seen[place * blocks + block];
          }
          REQUIRE(seen == std::vector<int>(seen.size(), 1));
        }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a product is divided among teams.
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <vector>

#include "abax/detail/tile/product.hpp"

namespace tile = abax::tile;

TEST_CASE("Teams' shares are every tile and every block of the canon once", "[division]") {
  for (const int row_tiles : {1, 2, 7, 8, 9, 16, 19})
    for (const int col_tiles : {1, 3, 8, 17})
      for (const int blocks : {0, 1, 2, 5, 12})
        for (int splits = 1; splits <= (blocks > 0 ? blocks : 1); ++splits) {
          const bool folded = (row_tiles + splits) % 2 == 0;
          const int tiles = row_tiles * col_tiles, whole = (blocks + splits) % 3 * tiles / 2;  // none, half, all
          CAPTURE(row_tiles, col_tiles, blocks, splits, whole, folded);
          const tile::cut cut{splits, whole};
          const tile::division<float> division{row_tiles, col_tiles, splits, nullptr, nullptr, 1, 1, folded, whole};
          std::vector<int> seen(tiles * (blocks > 0 ? blocks : 1)), number(tiles, -1);
          for (int rank = 0; rank < cut.teams_of(tiles); ++rank) {
            const tile::share mine = tile::share_of(division, rank, blocks);
            REQUIRE(0 <= mine.row_tile);
            REQUIRE(mine.row_tile < row_tiles);
            REQUIRE(0 <= mine.col_tile);
            REQUIRE(mine.col_tile < col_tiles);
            REQUIRE(0 <= mine.first_block);
            REQUIRE(mine.last_block <= blocks);
            const int place = mine.row_tile * col_tiles + mine.col_tile;
            if (rank < whole || splits == 1) {
              REQUIRE(mine.teams == 1);
              REQUIRE(mine.last_block - mine.first_block == blocks);
            } else {
              REQUIRE(mine.teams == splits);
              REQUIRE((number[place] == -1 || number[place] == mine.tile));  // where its block sums go
              number[place] = mine.tile;
              REQUIRE((rank - whole) / splits == mine.tile);
              REQUIRE(mine.tile < cut.shared_of(tiles));
            }
            if (blocks == 0) ++seen[place];
            for (int block = mine.first_block; block < mine.last_block; ++block) ++seen[place * blocks + block];
          }
          REQUIRE(seen == std::vector<int>(seen.size(), 1));
        }
}

TEST_CASE("Column tiles of a triangle are taken from both ends in turn", "[division]") {
  const tile::division<float> division{4, 6, 1, nullptr, nullptr, 1, 1, true};
  for (int turn = 0; turn < 6; turn += 2) {
    const int first = tile::share_of(division, 4 * turn, 1).col_tile;
    REQUIRE(first + tile::share_of(division, 4 * (turn + 1), 1).col_tile == 5);
    REQUIRE(tile::share_of(division, 4 * turn + 3, 1).col_tile == first);
  }
}

TEST_CASE("Tiles across a triangle's diagonal have places of their own aside", "[division][gemmt]") {
  for (const tile::triangle part : {tile::triangle::lower, tile::triangle::upper})
    for (const int n : {2, 31, 65, 300})
      for (const auto& [rows, cols] : {std::pair{8, 8}, {64, 8}, {8, 64}, {64, 32}, {256, 128}, {3, 7}}) {
        CAPTURE(static_cast<int>(part), n, rows, cols);
        std::vector<float> c(n * n);
        tile::output<float> output({c.data(), n, n, 1, n}, part);
        std::vector<float> aside(output.elements_aside(rows, cols));
        output.aside = aside.data();
        std::set<std::ptrdiff_t> taken;
        std::size_t elements = 0;
        for (int i = 0; i < n; i += rows)
          for (int j = 0; j < n; j += cols) {
            const tile::matrix<float> at = output.block(i, j, rows, cols);
            const bool inside = tile::covers(part, i, j, rows, cols), outside = !tile::meets(part, i, j, rows, cols);
            REQUIRE(output.is_aside(i, j, rows, cols) == !inside);
            if (inside) REQUIRE(at.data == &c[i + j * n]);
            if (inside || outside) continue;  // teams of tiles that are outside end at once
            elements += at.rows * at.cols;
            for (int e = 0; e < at.rows * at.cols; ++e) taken.insert(&at(e % at.rows, e / at.rows) - aside.data());
          }
        REQUIRE(taken.size() == elements);
        REQUIRE((taken.empty() || (*taken.begin() >= 0 && *taken.rbegin() < std::ssize(aside))));
      }
}

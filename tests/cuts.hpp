// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How teams may share the tiles of a product, for tests that try every way.
#include <algorithm>
#include <vector>

#include "abax/detail/tile/product.hpp"

namespace abax::tests {

/// One team a tile, and each number of them up to one a block of the canon; last, for the later half of the tiles
/// alone, two teams and a block each.
inline std::vector<tile::cut> cuts_of(index_t tiles, index_t blocks) {
  std::vector<tile::cut> cuts;
  for (index_t splits = 1; splits <= std::max<index_t>(1, blocks); ++splits) cuts.push_back({splits});
  if (blocks > 2 && tiles > 1) cuts.push_back({2, tiles / 2});
  if (blocks > 1 && tiles > 1) cuts.push_back({blocks, tiles / 2});
  return cuts;
}

}  // namespace abax::tests

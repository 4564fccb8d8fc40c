// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How the operands of a batch lie.
#include <algorithm>
#include <tuple>

#include "inputs.hpp"

namespace abax::tests {

/// How the matrices of an operand lie.
enum class lie {
  columns,          ///< each dense by columns, one after another
  rows,             ///< each dense by rows
  padded_columns,   ///< with gaps between columns and between items
  padded_rows,      ///< and by rows
  interleaved,      ///< items are neighbours
  interleaved_gap,  ///< with gaps between their lines
  strided,          ///< no stride is 1
  shared,           ///< one matrix, dense by columns
  repeated          ///< all rows of an item are the same elements; for operands that are only read
};

/// Elements from one item to the next, from one row to the next, and from one column to the next.
inline std::tuple<index_t, index_t, index_t> strides_of(lie how, index_t items, index_t rows, index_t cols) {
  const index_t r = std::max<index_t>(1, rows), c = std::max<index_t>(1, cols), b = std::max<index_t>(1, items);
  index_t item = 0, row = 1, col = 1;
  switch (how) {
    case lie::columns:
      col = r, item = r * c;
      break;
    case lie::rows:
      row = c, item = r * c;
      break;
    case lie::padded_columns:
      col = r + 3, item = (r + 3) * c + 2;
      break;
    case lie::padded_rows:
      row = c + 1, item = (c + 1) * r + 7;
      break;
    case lie::interleaved:
      item = 1, row = b, col = b * r;
      break;
    case lie::interleaved_gap:
      item = 1, col = b + 3, row = (b + 3) * c;
      break;
    case lie::strided:
      row = 2, col = 2 * r + 1, item = (2 * r + 1) * c + 1;
      break;
    case lie::shared:
      col = r;
      break;
    case lie::repeated:
      row = 0, col = r, item = r * c;
      break;
  }
  return {item, row, col};
}

}  // namespace abax::tests

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Where the elements of a tile lie in scratch.
namespace abax::model {

/// rows x columns elements, row after row, `line` elements apart. Swizzled, the columns of row r are exchanged by
/// an exclusive or with r * swizzle: a column of the tile then lies in all banks and no element is left unused; columns
/// must be a power of two. For a tile that lies column after column, exchange the two indices.
struct layout {
  int rows, columns, line, swizzle = 0;

  static constexpr layout plain(int rows, int columns) { return {rows, columns, columns}; }
  static constexpr layout padded(int rows, int columns, int padding) { return {rows, columns, columns + padding}; }
  static constexpr layout swizzled(int rows, int columns, int swizzle) { return {rows, columns, columns, swizzle}; }

  bool operator==(const layout&) const = default;
  constexpr int operator()(int row, int column) const {
    return row * line + (swizzle == 0 ? column : column ^ (row * swizzle & (columns - 1)));
  }
  /// Elements that the tile takes.
  constexpr int size() const { return rows * line; }
};

}  // namespace abax::model

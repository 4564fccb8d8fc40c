// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a machine's own measurements say of the catalogues of products, in place of the constants beside the rows.
///
/// `abax-perf tune --output FILE` writes them, ABAX_TUNING=FILE has the library read them. Which row a product takes
/// then changes, and no bit of its result.
#include <compare>
#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>

#include "abax/detail/tile/product.hpp"

namespace abax::launch {

/// Names a row of gemm's catalogues.
struct row_name {
  std::string backend;  ///< its execution space's name
  std::size_t element;  ///< bytes
  int group;            ///< of the backend's catalogue: how the operands lie
  std::string row;

  auto operator<=>(const row_name&) const = default;
};

/// What was measured of rows.
class tuning {
 public:
  struct costs {
    double rate, ends, alone;  ///< see tile::product_cost
  };

  tuning() = default;
  /// Lines "Cuda gemm f32 3 0.78 34 1.35 64x32": execution space, kernel, type, group, costs, the row's name; after a
  /// first line "abax tuning 1". A # begins a comment. Throws std::runtime_error, which names `file`, the line and what
  /// was expected, for anything else.
  tuning(std::istream& lines, const std::string& file);

  /// `cost` with what was measured of the row in its place.
  tile::product_cost of(const row_name& row, tile::product_cost cost) const;

  void set(const row_name& row, const costs& measured) { rows_[row] = measured; }
  std::string text() const;

 private:
  std::map<row_name, costs> rows_;
};

/// That of the file which ABAX_TUNING names, read when it is first asked for; empty where it names none.
const tuning& tuning_of_machine();

}  // namespace abax::launch

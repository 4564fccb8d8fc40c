// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's rows of interleaved batches, whose items are neighbours in memory.
#include "abax/detail/backends/backend.hpp"
#include "abax/detail/backends/cuda/interleaved_product.hpp"
#include "abax/detail/backends/cuda/interleaved_tiles.hpp"
#include "abax/detail/backends/cuda/machine.hpp"

namespace abax::cuda {

using member = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;

/// Items that lanes have side by side are all there, unless there is little to do.
inline bool fills_lanes(index_t items, int lanes, index_t tiles) {
  constexpr index_t few = 16;
  return items >= lanes || tiles <= few;
}

/// Interleaved items, a lane each: tiles of as many rows as columns that lie within their item, or those of 4 x 4,
/// which may end past it.
template <class T, interleaved_shape Shape>
class interleaved_row {
  static constexpr int side = Shape.rows;
  static constexpr bool lies_within = side > 4;
  static constexpr const char* names[] = {"interleaved 4x4", "interleaved 5x5", "interleaved 6x6", "interleaved 7x7",
                                          "interleaved 8x8"};

  /// The side with which multiply-adds and reads, which take as long as two of them, cost least.
  static int best_side(const tile::output<T>& c) {
    const auto cost = [&](index_t side) {
      return tile::ceil_div(c.rows, side) * tile::ceil_div(c.cols, side) * (side * side + 4 * side);
    };
    int best = 4;
    for (int side = 5; side <= tile::min<index_t>(8, tile::min(c.rows, c.cols)); ++side)
      if (cost(side) < cost(best)) best = side;
    return best;
  }

 public:
  using primitives = interleaved_product<T, Shape, lies_within, member>;
  static constexpr const char* name = names[side - 4];
  static typename primitives::parameters parameters(const tile::batch<T>&, const machine&) { return {}; }
  static index_t teams(const tile::batch<T>& batch, const typename primitives::parameters&, const machine&) {
    return primitives::pieces(batch);
  }
  static bool serves(const tile::batch<T>& batch, const machine&) {
    const tile::output<T>& c = batch.first.c;
    // Elements of large items would be read too often, but for those of a few rows or columns.
    constexpr index_t most = 128, few = 8;
    return batch.is_interleaved() && (side == 4 || side == best_side(c)) && (c.rows | c.cols) >> 15 == 0 &&
           (tile::max(c.rows, c.cols) <= most || tile::min(c.rows, c.cols) <= few) &&
           batch.first.terms() <= tile::canon_block && fills_lanes(batch.items(), 32, primitives::tiles(c));
  }
};
template <class T>
using interleaved_rows = std::conditional_t<
    sizeof(T) == 4,
    backends::rows<
        interleaved_row<T, interleaved_shape{4, 8, 8, 4, 2}>, interleaved_row<T, interleaved_shape{4, 7, 7, 4, 2}>,
        interleaved_row<T, interleaved_shape{4, 6, 6, 5, 2}>, interleaved_row<T, interleaved_shape{4, 5, 5, 5, 5}>,
        interleaved_row<T, interleaved_shape{4, 4, 4, 8, 2}>>,
    backends::rows<
        interleaved_row<T, interleaved_shape{4, 8, 8, 2, 2}>, interleaved_row<T, interleaved_shape{4, 7, 7, 3, 1}>,
        interleaved_row<T, interleaved_shape{4, 6, 6, 3, 2}>, interleaved_row<T, interleaved_shape{4, 5, 5, 4, 2}>,
        interleaved_row<T, interleaved_shape{4, 4, 4, 5, 4}>>>;

/// The tiles of so many rows and columns. Wide: copied 16 bytes at a time. Neighbouring threads have 128 bytes of
/// items, or 256, which memory gives faster, where scratch and registers have room.
template <class T, bool Wide>
constexpr interleaved_tile_shape interleaved_tiles_of(int side) {
  constexpr bool single = sizeof(T) == 4;
  switch (side) {
    case 12:
      if (single)
        return Wide ? interleaved_tile_shape{6, 6, 2, 2, 64, 4, 4, 2, false}
                    : interleaved_tile_shape{6, 6, 2, 2, 32, 4, 3, 5, false};
      return Wide ? interleaved_tile_shape{6, 6, 2, 2, 32, 4, 3, 3, false}
                  : interleaved_tile_shape{3, 6, 4, 2, 16, 4, 3, 4, false};
    case 16:
      if (single)
        return Wide ? interleaved_tile_shape{8, 8, 2, 2, 32, 4, 3, 4, false}
                    : interleaved_tile_shape{8, 8, 2, 2, 32, 4, 4, 3, true};
      return Wide ? interleaved_tile_shape{8, 4, 2, 4, 16, 4, 3, 4, false}
                  : interleaved_tile_shape{4, 4, 4, 4, 16, 4, 3, 3, false};
    case 20:
      if (single)
        return Wide ? interleaved_tile_shape{5, 5, 4, 4, 32, 4, 4, 1, true}
                    : interleaved_tile_shape{5, 5, 4, 4, 32, 4, 3, 2, false};
      return {5, 5, 4, 4, 16, 4, 4, 2, false};
    case 24:
      return {6, 6, 4, 4, 128 / int(sizeof(T)), 4, 4, 1, true};
    default:
      if (single)
        return Wide ? interleaved_tile_shape{8, 8, 4, 4, 32, 8, 3, 1, true}
                    : interleaved_tile_shape{8, 8, 4, 4, 32, 4, 4, 1, true};
      return {4, 8, 8, 4, 16, 4, 3, 1, true};
  }
}

/// Interleaved items that are large enough for their elements to be read several times: tiles that hold an item or,
/// where it is larger than all of them, those of 12 or 16 rows and columns that waste less.
template <class T, int Side, bool Wide>
class interleaved_tiles_row {
  static constexpr interleaved_tile_shape shape = interleaved_tiles_of<T, Wide>(Side);
  static_assert(shape.rows * shape.row_lanes == Side && shape.cols * shape.col_lanes == Side);

  static constexpr const char* name_of(int side) {
    switch (side) {
      case 12:
        return Wide ? "interleaved tiles of 12, wide" : "interleaved tiles of 12";
      case 16:
        return Wide ? "interleaved tiles of 16, wide" : "interleaved tiles of 16";
      case 20:
        return Wide ? "interleaved tiles of 20, wide" : "interleaved tiles of 20";
      case 24:
        return Wide ? "interleaved tiles of 24, wide" : "interleaved tiles of 24";
      default:
        return Wide ? "interleaved tiles of 32, wide" : "interleaved tiles of 32";
    }
  }

  static int best_side(const tile::output<T>& c) {
    const index_t largest = tile::max(c.rows, c.cols);
    for (const int side : {12, 16, 20, 24, 32})
      if (largest <= side) return side;
    const auto covered = [&](index_t side) {
      return side * side * tile::ceil_div<index_t>(c.rows, side) * tile::ceil_div<index_t>(c.cols, side);
    };
    return covered(12) < covered(16) ? 12 : 16;
  }

 public:
  using primitives = interleaved_tiles<T, shape, Wide ? 16 / int(sizeof(T)) : 1, member>;
  static constexpr const char* name = name_of(Side);
  static typename primitives::parameters parameters(const tile::batch<T>&, const machine&) { return {}; }
  static index_t teams(const tile::batch<T>& batch, const typename primitives::parameters&, const machine& m) {
    const index_t pieces = primitives::pieces(batch);
    return shape.stays ? tile::min(pieces, index_t(m.teams_at_once) * shape.residents) : pieces;
  }
  static bool serves(const tile::batch<T>& batch, const machine&) {
    // With no more rows or columns, a lane an item reads all elements of the larger operand once, too. Doubles that
    // would be copied one by one are faster so to 12.
    constexpr index_t least = 8, lanes_to = sizeof(T) == 8 && !Wide ? 12 : 8;
    const tile::output<T>& c = batch.first.c;
    return tile::min(c.rows, c.cols) > least && tile::max(c.rows, c.cols) > lanes_to && Side == best_side(c) &&
           (c.rows | c.cols) >> 15 == 0 && batch.first.terms() <= tile::canon_block && primitives::serves(batch) &&
           fills_lanes(batch.items(), shape.items, primitives::tiles(c));
  }
};
template <class T, bool Wide, int... Sides>
using interleaved_rows_of_sides = backends::rows<interleaved_tiles_row<T, Sides, Wide>...>;
template <class T, bool Wide>
using interleaved_tile_rows = interleaved_rows_of_sides<T, Wide, 12, 16, 20, 24, 32>;

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Products of bytes by tile registers, of 16 lines by 64 bytes, as AMX has them.
#include "kernel_integer_product.hpp"

namespace abax::openmp {
namespace {

/// Tiles: eight registers, numbered; load<N>(from, stride of its lines in bytes), store<N>, and add_products<To, Right,
/// Left>, To's line j and word i <- itself + the dot product of Right's line j, whose bytes have a sign, and Left's
/// words i, whose bytes have none. Tiles is made for the length of a call. Edge: the engine of what is less than a
/// tile.
template <class Tiles, class Edge>
void multiply_add_by_tiles(index_t panels, index_t cols, index_t words, const std::uint8_t* a, const std::uint8_t* b,
                           index_t stride_b, std::int32_t* sums, index_t stride_sums) {
  constexpr index_t lines = 16, rows = 2 * lines, step = 16;  // step: words
  constexpr index_t line_bytes = 4 * rows, byte_step = 4 * step, left_step = step * line_bytes;
  const index_t stride_c = stride_sums * index_t(sizeof(std::int32_t));
  Tiles tiles;
  for (index_t q = 0; q < panels; ++q, a += words * line_bytes, sums += rows) {
    index_t j = 0;
    for (; j + 2 * lines <= cols; j += 2 * lines) {
      std::int32_t *const c = sums + j * stride_sums, *const d = c + lines * stride_sums;
      const std::uint8_t *left = a, *right = b + j * stride_b;
      tiles.template load<0>(c, stride_c);
      tiles.template load<1>(c + lines, stride_c);
      tiles.template load<2>(d, stride_c);
      tiles.template load<3>(d + lines, stride_c);
      for (index_t w = 0; w < words; w += step, left += left_step, right += byte_step) {
        tiles.template load<4>(right, stride_b);
        tiles.template load<6>(left, line_bytes);
        tiles.template add_products<0, 4, 6>();
        tiles.template load<7>(left + 4 * lines, line_bytes);
        tiles.template add_products<1, 4, 7>();
        tiles.template load<5>(right + lines * stride_b, stride_b);
        tiles.template add_products<2, 5, 6>();
        tiles.template add_products<3, 5, 7>();
      }
      tiles.template store<0>(c, stride_c);
      tiles.template store<1>(c + lines, stride_c);
      tiles.template store<2>(d, stride_c);
      tiles.template store<3>(d + lines, stride_c);
    }
    for (; j + lines <= cols; j += lines) {
      std::int32_t* const c = sums + j * stride_sums;
      const std::uint8_t *left = a, *right = b + j * stride_b;
      tiles.template load<0>(c, stride_c);
      tiles.template load<1>(c + lines, stride_c);
      for (index_t w = 0; w < words; w += step, left += left_step, right += byte_step) {
        tiles.template load<4>(right, stride_b);
        tiles.template load<6>(left, line_bytes);
        tiles.template add_products<0, 4, 6>();
        tiles.template load<7>(left + 4 * lines, line_bytes);
        tiles.template add_products<1, 4, 7>();
      }
      tiles.template store<0>(c, stride_c);
      tiles.template store<1>(c + lines, stride_c);
    }
    multiply_add_columns<Edge, rows / Edge::lanes>(cols - j, words, a, b + j * stride_b, stride_b,
                                                   sums + j * stride_sums, stride_sums);
  }
}

}  // namespace
}  // namespace abax::openmp

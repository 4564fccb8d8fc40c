// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The loops gathered into one table, for the vectors of one instruction set.
#include "kernel_batch.hpp"
#include "kernel_copy.hpp"
#include "kernel_direct_product.hpp"
#include "kernel_interleaved.hpp"
#include "kernel_pack.hpp"
#include "kernel_product.hpp"
#include "kernel_reduction.hpp"
#include "kernel_stream.hpp"
#include "kernel_vector.hpp"
#include "widest_tile.hpp"

namespace abax::openmp {
namespace {

/// V: the vectors; the register tile has `Vectors` of them by `Cols` columns. Of interleaved items, each element of
/// both operands is a vector, so that a square tile has the fewest loads.
template <class V, int Vectors, int Cols>
constexpr kernel_set<typename V::value> table(const char* name) {
  static_assert(Vectors * V::lanes <= most_tile_rows<typename V::value> && Cols <= most_tile_cols);
  constexpr int side = V::registers == 32 ? 5 : 3;
  return {.name = name,
          .lanes = V::lanes,
          .rows = Vectors * V::lanes,
          .cols = Cols,
          .side = side,
          .pack = pack<V>,
          .multiply_add = multiply_add<V, Vectors, Cols>,
          .multiply_add_store = multiply_add_store<V, Vectors, Cols>,
          .multiply_store = multiply_store<V, Vectors, Cols>,
          .multiply_batch = multiply_batch<V, Vectors, Cols>,
          .multiply_interleaved = multiply_interleaved<V, side>,
          .fold = fold<V>,
          .store = store<V, Vectors, Cols>,
          .multiply_add_vector = multiply_add_vector<V>,
          .multiply_add_blocks = multiply_add_blocks<V>,
          .multiply_store_vector = multiply_store_vector<V>,
          .store_vector = store_vector<V>,
          .dot = reduce<V, dot_terms>,
          .sum = reduce<V, sum_terms>,
          .asum = reduce<V, asum_terms>,
          .nrm2 = reduce<V, nrm2_terms>,
          .iamax = largest<V>,
          .copy = copy<V, false>,
          .copy_nontemporal = copy<V, true>,
          .exchange = exchange<V>,
          .transpose_square = transpose_square<V>,
          .combine = combine<V, false>,
          .combine_nontemporal = combine<V, true>,
          .combine_columns = combine_columns<V>,
          .increment = increment<V>};
}

}  // namespace
}  // namespace abax::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The loops of complex values gathered into one table, for the vectors of one instruction set.
#include "kernel_complex_product.hpp"
#include "kernel_complex_vector.hpp"
#include "widest_tile.hpp"

namespace abax::openmp {
namespace {

/// V: the vectors; the register tile has `Vectors` of them, of each part, by `Cols` columns.
template <class V, int Vectors, int Cols>
constexpr kernel_set<complex<typename V::value>> complex_table(const kernel_set<typename V::value>& parts,
                                                               const char* name) {
  using T = complex<typename V::value>;
  static_assert(Vectors * V::lanes <= most_tile_rows<typename V::value> && Cols <= most_complex_tile_cols);
  return {.name = name,
          .parts = &parts,
          .lanes = V::lanes / 4,
          .rows = Vectors * V::lanes,
          .cols = Cols,
          .pack_rows = pack_complex_rows<V, Vectors>,
          .pack_cols = pack_complex_cols<V, Cols>,
          .multiply_add = multiply_add_complex<V, Vectors, Cols>,
          .multiply_add_store = multiply_add_store_complex<V, Vectors, Cols>,
          .store = store_complex<V, Vectors, Cols>,
          .multiply_add_vector = multiply_add_complex_vector<V>,
          .multiply_add_blocks = multiply_add_complex_blocks<typename V::value>,
          .store_vector = store_complex_vector<V>,
          .dotu = reduce_complex<V, dotu_terms>,
          .dotc = reduce_complex<V, dotc_terms>,
          .magnitudes = complex_magnitudes<V>,
          .copy = copy_complex<T>,
          .conjugate = conjugate<V>,
          .exchange = exchange_complex<T>,
          .transpose_square = transpose_complex_square<T>,
          .combine = combine_complex<V>};
}

}  // namespace
}  // namespace abax::openmp

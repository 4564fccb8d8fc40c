// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Products and dot products of one thread, of any size and strides, by the loops of the instruction set: what
/// a kernel of a user calls. It knows nothing of Kokkos.
#include "abax/detail/backends/openmp/kernels.hpp"
#include "abax/detail/backends/openmp/widest_tile.hpp"

namespace abax::openmp {

/// c <- epilogue(a b) by the canon: element (i, j) of an operand lies at data[i row + j col], with any strides; beta ==
/// 0 never reads c. m, n, k > 0.
template <class T>
struct any_product {
  template <class Value>
  struct operand {
    Value* data;
    index_t row, col;
    operand transposed() const { return {data, col, row}; }
  };
  index_t m, n, k;
  operand<const T> a, b;
  operand<T> c;
  T alpha, beta;
  bool conjugated_a = false, conjugated_b = false;  // of complex products
};

/// Takes up to 206 KB of the stack. A product of at most 2^18 multiplications takes less than 1 KB if a and c have
/// contiguous columns, or b and c contiguous rows, and 50 KB if a, or b, has them the other way and k is at most 256.
void multiply(const any_product<float>& product);
void multiply(const any_product<double>& product);
/// Of complex numbers it takes up to 140 KB, however small.
void multiply(const any_product<tile::complex<float>>& product);
void multiply(const any_product<tile::complex<double>>& product);

/// Elements of the sums of an m x n tile that grow by stages, as `add_stage` leaves them.
template <class T>
constexpr index_t elements_of_sums(index_t m, index_t n) {
  return (m + most_tile_rows<tile::real_of<T>> - 1) * (n + most_tile_cols - 1);  // whole register tiles
}
/// part <- part + a b, or a b if `first`, by chains that go on; m, n, k and the operands are `stage`'s. part is aligned
/// to 64 bytes.
void add_stage(const any_product<float>& stage, float* part, bool first);
void add_stage(const any_product<double>& stage, double* part, bool first);
void add_stage(const any_product<tile::complex<float>>& stage, tile::complex<float>* part, bool first);
void add_stage(const any_product<tile::complex<double>>& stage, tile::complex<double>* part, bool first);
/// total <- total + part, or part if `first`, of an m x n tile.
void fold_stages(index_t m, index_t n, const float* part, float* total, bool first);
void fold_stages(index_t m, index_t n, const double* part, double* total, bool first);
void fold_stages(index_t m, index_t n, const tile::complex<float>* part, tile::complex<float>* total, bool first);
void fold_stages(index_t m, index_t n, const tile::complex<double>* part, tile::complex<double>* total, bool first);
/// c <- epilogue(total); m, n, c and the epilogue are `product`'s.
void store_stages(const any_product<float>& product, const float* total);
void store_stages(const any_product<double>& product, const double* total);
void store_stages(const any_product<tile::complex<float>>& product, const tile::complex<float>* total);
void store_stages(const any_product<tile::complex<double>>& product, const tile::complex<double>* total);

/// sums[b] <- the canon's sum of block first + b of the terms x(i) y(i), b < blocks, x(i) = x[i stride_x], i < n.
void dot_blocks(index_t n, const float* x, index_t stride_x, const float* y, index_t stride_y, float* sums);
void dot_blocks(index_t n, const double* x, index_t stride_x, const double* y, index_t stride_y, double* sums);
/// *sum <- the canon's sum of a block of terms, at most half as many elements: of x(i) y(i) or conj(x(i)) y(i), i < n.
void dot_block(index_t n, const tile::complex<float>* x, index_t stride_x, const tile::complex<float>* y,
               index_t stride_y, bool conjugated, tile::complex<float>* sum);
void dot_block(index_t n, const tile::complex<double>* x, index_t stride_x, const tile::complex<double>* y,
               index_t stride_y, bool conjugated, tile::complex<double>* sum);

}  // namespace abax::openmp

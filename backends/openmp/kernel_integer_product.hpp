// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Products of bytes by an instruction set's engine: its vectors of sums (`reg`, `lanes` of them), four terms each of
/// as many of a's lines (`lines`), four terms of one of b's lines for all lanes (`word`), and what adds their products.
#include "integer_kernels.hpp"

namespace abax::openmp {
namespace {

/// One register tile: Vectors of a's lines by Cols of b's.
template <class Engine, int Vectors, int Cols>
[[gnu::always_inline]] inline void multiply_add_tile(index_t words, const std::uint8_t* a, const std::uint8_t* b,
                                                     index_t stride_b, std::int32_t* sums, index_t stride_sums) {
  using reg = typename Engine::reg;
  constexpr int lanes = Engine::lanes;
  reg acc[Cols][Vectors];
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) acc[j][v] = Engine::load(sums + j * stride_sums + v * lanes);
  for (index_t w = 0; w < words; ++w) {
    typename Engine::lines left[Vectors];
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) left[v] = Engine::load_lines(a + (w * Vectors + v) * 4 * lanes);
#pragma GCC unroll 16
    for (int j = 0; j < Cols; ++j) {
      const typename Engine::word right = Engine::broadcast(b + j * stride_b + 4 * w);
#pragma GCC unroll 16
      for (int v = 0; v < Vectors; ++v) acc[j][v] = Engine::add_products(acc[j][v], left[v], right);
    }
  }
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j)
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) Engine::store(sums + j * stride_sums + v * lanes, acc[j][v]);
}

template <class Engine, int Vectors>
void multiply_add_columns(index_t cols, index_t words, const std::uint8_t* a, const std::uint8_t* b, index_t stride_b,
                          std::int32_t* sums, index_t stride_sums) {
  for (index_t j = 0; j < cols; ++j)
    multiply_add_tile<Engine, Vectors, 1>(words, a, b + j * stride_b, stride_b, sums + j * stride_sums, stride_sums);
}

template <class Engine, int Vectors, int Cols>
void multiply_add_integers(index_t panels, index_t cols, index_t words, const std::uint8_t* a, const std::uint8_t* b,
                           index_t stride_b, std::int32_t* sums, index_t stride_sums) {
  constexpr int rows = Vectors * Engine::lanes;
  for (index_t q = 0; q < panels; ++q, a += 4 * rows * words, sums += rows) {
    index_t j = 0;
    for (; j + Cols <= cols; j += Cols)
      multiply_add_tile<Engine, Vectors, Cols>(words, a, b + j * stride_b, stride_b, sums + j * stride_sums,
                                               stride_sums);
    multiply_add_columns<Engine, Vectors>(cols - j, words, a, b + j * stride_b, stride_b, sums + j * stride_sums,
                                          stride_sums);
  }
}

}  // namespace
}  // namespace abax::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The matrix product of operands that are read where they lie.
#include <type_traits>

#include "kernel_product.hpp"

namespace abax::openmp {
namespace {

/// One register tile: Live vectors of rows from a and c on, `m` rows in all, and Cols columns from b and c on.
template <class V, int Cols, int Live, class Op>
void direct_tile(const Op& op, const direct_product<typename V::value>& product, index_t m, const typename V::value* a,
                 const typename V::value* b, typename V::value* c) {
  using T = typename V::value;
  // In registers: what the stores to c might change would be read again.
  const index_t k = product.k, stride_a = product.stride_a, stride_k = product.stride_k, stride_b = product.stride_b,
                stride_c = product.stride_c;
  const index_t rest = m - (Live - 1) * V::lanes;  // rows of the last vector
  const T* column[Cols];
  typename V::reg acc[Cols][Live];
#pragma GCC unroll 16
  for (int j = 0; j < Cols; ++j) {
    column[j] = b + j * stride_b;
#pragma GCC unroll 4
    for (int v = 0; v < Live; ++v) acc[j][v] = V::zero();
  }
  for (index_t p = 0, q = 0; p < k; ++p, q += stride_k, a += stride_a) {
    typename V::reg av[Live];
#pragma GCC unroll 4
    for (int v = 0; v + 1 < Live; ++v) av[v] = V::load(a + v * V::lanes);
    av[Live - 1] = V::load(a + (Live - 1) * V::lanes, rest);
#pragma GCC unroll 16
    for (int j = 0; j < Cols; ++j) {
      const typename V::reg bv = V::set(column[j][q]);
#pragma GCC unroll 4
      for (int v = 0; v < Live; ++v) V::accumulate(acc[j][v], av[v], bv);
    }
  }
  store_registers<V, Cols, Live, false>(op, m, index_t{Cols}, acc, c, stride_c);
}

/// Live vectors of rows from a and c on, `m` rows in all, and the n columns from b and c on.
template <class V, int Cols, int Live, class Op>
void direct_rows(const Op& op, const direct_product<typename V::value>& product, index_t m, index_t n,
                 const typename V::value* a, const typename V::value* b, typename V::value* c) {
  index_t j = 0;
  for (; j + Cols <= n; j += Cols)
    direct_tile<V, Cols, Live>(op, product, m, a, b + j * product.stride_b, c + j * product.stride_c);
  if constexpr (Cols > 1)
    if (j < n)
      direct_rows<V, Cols / 2, Live>(op, product, m, n - j, a, b + j * product.stride_b, c + j * product.stride_c);
}

template <class V, int Vectors, int Cols>
void multiply_store(const direct_product<typename V::value>& p) {
  const auto run = [&](const auto& op) {
    const auto rows_by = [&]<int Live>(std::integral_constant<int, Live>, index_t i) {
      const index_t rows = smaller(index_t{Live * V::lanes}, p.m - i);
      direct_rows<V, Cols, Live>(op, p, rows, p.n, p.a + i, p.b, p.c + i);
      return i + rows;
    };
    for (index_t i = 0; i < p.m;) {
      const index_t vectors = (p.m - i + V::lanes - 1) / V::lanes;
      if (Vectors == 3 && (vectors == 2 || vectors == 4))  // twice two, not three and one: one has too few chains
        i = rows_by(std::integral_constant<int, smaller(2, Vectors)>(), i);
      else if (vectors >= Vectors)
        i = rows_by(std::integral_constant<int, Vectors>(), i);
      else
        i = rows_by(std::integral_constant<int, 1>(), i);
    }
  };
  if (p.beta != 0)
    run(update<V>(p.alpha, p.beta));
  else if (p.alpha != 1)
    run(scale<V>(p.alpha, p.beta));
  else
    run(identity<V>());
}

}  // namespace
}  // namespace abax::openmp

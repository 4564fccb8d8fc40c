// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of products, as the library has them for common spaces and types: what batch_def.hpp defines.
#include <Kokkos_Core.hpp>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/complex_value.hpp"
#include "abax/detail/tile/matrices.hpp"

namespace abax {

/// How matrices that are given by pointers lie: their columns are contiguous, as in Fortran, or their rows.
enum class storage { by_columns, by_rows };

/// The shape that all products of a batch have, which are given by arrays of pointers: op(A) m x k, op(B) k x n, C m x
/// n, and the elements from the beginning of a column to that of the next, or, by rows, of a row.
struct gemm_shape {
  index_t m, n, k;
  index_t lda, ldb, ldc;
};

/// One product of a batch whose sizes may differ: as gemm_shape, with its matrices.
template <class T>
struct gemm_item {
  const T* a;
  const T* b;
  T* c;
  index_t m, n, k;
  index_t lda, ldb, ldc;
};

}  // namespace abax

namespace abax::launch {

template <class Exec, class T>
struct batch {
  static void gemm(const Exec& exec, const char* trans_a, const char* trans_b, T alpha,
                   const tile::matrices<const T>& A, const tile::matrices<const T>& B, T beta,
                   const tile::matrices<T>& C, sharing memory = sharing::checked);
  static void gemm_at(const Exec& exec, storage order, const char* trans_a, const char* trans_b,
                      const gemm_shape& shape, T alpha, const T* const* A, const T* const* B, T beta, T* const* C,
                      index_t items);
  static void gemm_of(const Exec& exec, storage order, const char* trans_a, const char* trans_b, T alpha,
                      const gemm_item<T>* items, T beta, index_t count);
  static void gemv(const Exec& exec, const char* trans, T alpha, const tile::matrices<const T>& A,
                   const tile::matrices<const T>& x, T beta, const tile::matrices<T>& y,
                   sharing memory = sharing::checked);
};

extern template struct batch<Kokkos::DefaultHostExecutionSpace, float>;
extern template struct batch<Kokkos::DefaultHostExecutionSpace, double>;
extern template struct batch<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
extern template struct batch<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct batch<Kokkos::Cuda, float>;
extern template struct batch<Kokkos::Cuda, double>;
extern template struct batch<Kokkos::Cuda, tile::complex<float>>;
extern template struct batch<Kokkos::Cuda, tile::complex<double>>;
#endif

}  // namespace abax::launch

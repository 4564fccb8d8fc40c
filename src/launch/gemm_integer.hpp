// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm_integer, as the library has it for common spaces and types: what gemm_integer_def.hpp defines.
#include <Kokkos_Core.hpp>
#include <cstddef>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax {

/// How a product by way of integers is made. No choice but `bits` can show in the result.
struct integer_options {
  /// Digits of a line's largest element that count; 0: 24 in float and 53 in double, which is all of them. Up to eight
  /// more keep the low digits of a line's smaller elements.
  int bits = 0;
  /// The most bytes of memory that a call takes beside its operands: C is computed block by block for it. 0: 2 GiB, and
  /// on a GPU a sixteenth of its memory if that is more.
  std::size_t workspace = 0;
  /// Whether each product of integers is checked: a wrong one throws verification_error, all but one of 2^29 of them.
  /// Such a call waits for the space, and takes a little more memory.
  bool verify = false;
};

}  // namespace abax

namespace abax::launch {

template <class Exec, class T>
struct gemm_integer {
  static void run(const Exec& exec, const char* trans_a, const char* trans_b, T alpha, const tile::matrix<const T>& A,
                  const tile::matrix<const T>& B, T beta, const tile::matrix<T>& c, const integer_options& options,
                  sharing memory = sharing::checked);
  /// How many elements of op(X) lie off their line's grid, where it is the left ("L") or right ("R") operand. Waits for
  /// the space.
  static index_t lost(const Exec& exec, const char* side, const char* trans, const tile::matrix<const T>& X,
                      const integer_options& options);
};

extern template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, float>;
extern template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, double>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct gemm_integer<Kokkos::Cuda, float>;
extern template struct gemm_integer<Kokkos::Cuda, double>;
#endif

}  // namespace abax::launch

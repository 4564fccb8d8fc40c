// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm_integer, as the library has it for common spaces and types: what gemm_integer_def.hpp defines.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/byte_planes.hpp"
#include "abax/detail/tile/complex_value.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax {

/// How a product by way of integers is made. No choice but `bits` can show in the result.
struct integer_options {
  /// Digits of a line's largest element that count; 0: 24 in float and 53 in double, which is all of them. Up to eight
  /// more keep the low digits of a line's smaller elements.
  int bits = 0;
  /// The most bytes of memory that a call takes beside its operands: C is computed block by block for it. 0: 2 GiB, and
  /// on a GPU a sixteenth of its memory if that is more; and less where there is less.
  std::size_t workspace = 0;
  /// Whether each product of integers is checked: a wrong one throws verification_error, all but one of 2^29 of them.
  /// Such a call waits for the space, and may have written parts of C.
  bool verify = false;
};

}  // namespace abax

namespace abax::launch {

/// An operand whose integers are made: the lines' remainders, and each line's largest magnitude. Of a complex one those
/// of its real lines (tile/integer_parts.hpp).
template <class T>
struct prepared_lines {
  tile::byte_planes<const std::uint8_t> planes;
  const std::conditional_t<sizeof(tile::real_of<T>) == 4, std::uint32_t, std::uint64_t>* largest;
  int bits;
  char side;                ///< 'L' or 'R'
  bool is_unsigned;         ///< its bytes, as the engine wants those of its left operand
  bool conjugated = false;  ///< they are of the conjugates of the elements that come beside them
};
/// The operands of a product that are prepared.
template <class T>
struct prepared_operands {
  const prepared_lines<T>*a = nullptr, *b = nullptr;
};

template <class Exec, class T>
struct gemm_integer {
  /// What is prepared comes beside its matrix, which lines with an infinity are read of.
  static void run(const Exec& exec, const char* trans_a, const char* trans_b, T alpha, const tile::matrix<const T>& A,
                  const tile::matrix<const T>& B, T beta, const tile::matrix<T>& c, const integer_options& options,
                  const prepared_operands<T>& prepared = {}, sharing memory = sharing::checked);
  /// The integers of op(X), in memory that `take` gives for a number of bytes.
  static prepared_lines<T> prepare(const Exec& exec, const char* side, const char* trans,
                                   const tile::matrix<const T>& X, const integer_options& options,
                                   const std::function<void*(std::size_t)>& take);
  /// How many elements of op(X), or parts of complex ones, lie off their line's grid, where it is the left ("L") or
  /// right ("R") operand. Waits for the space.
  static index_t lost(const Exec& exec, const char* side, const char* trans, const tile::matrix<const T>& X,
                      const integer_options& options);
};

extern template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, float>;
extern template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, double>;
extern template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, tile::complex<float>>;
extern template struct gemm_integer<Kokkos::DefaultHostExecutionSpace, tile::complex<double>>;
#ifdef KOKKOS_ENABLE_CUDA
extern template struct gemm_integer<Kokkos::Cuda, float>;
extern template struct gemm_integer<Kokkos::Cuda, double>;
extern template struct gemm_integer<Kokkos::Cuda, tile::complex<float>>;
extern template struct gemm_integer<Kokkos::Cuda, tile::complex<double>>;
#endif

}  // namespace abax::launch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The canon in code: block length, epilogue and the one NaN (docs/canon.md says what it promises and why).
#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include "abax/detail/tile/canon_block.hpp"
#include "abax/detail/tile/complex.hpp"
#include "abax/detail/tile/matrix.hpp"
#include "abax/detail/tile/scalar.hpp"

namespace abax::tile {

/// Blocks of a product of T, and of real ones, with k terms.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr index_t canon_blocks_of(index_t k) {
  return ceil_div(k, canon_block_of<T>);
}
KOKKOS_FORCEINLINE_FUNCTION constexpr index_t canon_blocks(index_t k) { return ceil_div(k, canon_block); }

/// Every NaN that arithmetic makes is stored as the same bits: machines differ in sign and payload otherwise.
KOKKOS_FORCEINLINE_FUNCTION float canonical(float r) { return r != r ? Kokkos::bit_cast<float>(0x7FC00000u) : r; }
KOKKOS_FORCEINLINE_FUNCTION double canonical(double r) {
  return r != r ? Kokkos::bit_cast<double>(0x7FF8000000000000ull) : r;
}

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION complex<Real> canonical(const complex<Real>& r) {
  return {canonical(r.re), canonical(r.im)};
}

/// C <- alpha S + beta C, in the order the canon fixes.
template <class T>
struct epilogue {
  T alpha, beta;

  /// `c` is read only if beta != 0. Multiplied by 1, a real number stays what it is, so it needs no question; what
  /// happens to a NaN does not show. Of a complex one an infinite part would make a NaN of the other.
  KOKKOS_FORCEINLINE_FUNCTION T operator()(T sum, const T* c) const {
    if constexpr (is_complex<T>) {
      if (beta == T{0}) return canonical(alpha == T{1} ? sum : product_of(alpha, sum));
      return canonical(multiply_add(alpha, sum, beta == T{1} ? *c : product_of(beta, *c)));
    } else {
      return beta == T{0} ? canonical(alpha * sum) : canonical(Kokkos::fma(alpha, sum, beta * *c));
    }
  }
  /// What a product without terms (k == 0, or alpha == 0) leaves: not the same as a sum of +0, which would turn a
  /// -0 of C into +0.
  KOKKOS_FORCEINLINE_FUNCTION T without_product(const T* c) const {
    if (beta == T{0}) return T{0};
    return beta == T{1} ? *c : canonical(product_of(beta, *c));
  }
  /// True where the call changes nothing at all.
  KOKKOS_FORCEINLINE_FUNCTION bool keeps_output() const { return is_one(beta); }
};

}  // namespace abax::tile

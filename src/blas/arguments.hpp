// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the reference BLAS' routines share, each of which is there once for all its names, types and widths of integers
/// (products.hpp, batches.hpp, vectors.hpp, omatcopy.hpp): a struct of its arguments in their order. check() looks at
/// them in the reference's, run() has the reference's quick returns, counts increments from either end, and calls the
/// kernels on the stream of the call (interface.hpp).
///
/// check() answers with the number of the first bad argument in the Fortran argument list, 0 if there is none. After
/// the reference's list it looks at the operands that would be read or written: the number of one that is a null
/// pointer, or, where an operand does not fit the address space, that of its leading dimension or increment. Source:
/// Netlib's reference BLAS 3.11 (BLAS/SRC).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "../c/addresses.hpp"
#include "../c/at_once.hpp"
#include "../c/verbose.hpp"
#include "abax/detail/tile/scalar.hpp"
#include "call.hpp"
#include "interface.hpp"

namespace abax::blas {

using tile::is_complex, tile::is_zero, tile::is_one, tile::real_of;

inline bool transposes(char trans) { return trans != 'N' && trans != 'n'; }
inline bool conjugates(char trans) { return trans == 'C' || trans == 'c'; }
inline bool is_transposition(char trans) {
  switch (trans) {
    case 'N':
    case 'n':
    case 'T':
    case 't':
    case 'C':
    case 'c':
      return true;
    default:
      return false;
  }
}

inline bool is_triangle(char uplo) { return uplo == 'L' || uplo == 'l' || uplo == 'U' || uplo == 'u'; }
/// The triangle that the transpose has there, for a call of the CBLAS, whose triangles are 'U' and 'L'.
inline char other(char uplo) { return uplo == 'U' ? 'L' : 'U'; }

inline std::int64_t least_ld(std::int64_t rows) { return std::max<std::int64_t>(1, rows); }

/// What is wrong with a rows x cols operand, argument number `at`, or with the leading dimension that follows it.
template <class T>
int fault(int at, const T* data, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  if (data == nullptr) return at;
  return c::has_addresses(data, rows, cols, 1, ld) ? 0 : at + 1;
}
/// The same for a vector, which begins at `x` whatever its increment's sign.
template <class T>
int fault(int at, const T* x, std::int64_t n, std::int64_t incx) {
  return fault(at, x, 1, n, std::abs(std::max(incx, -std::numeric_limits<std::int64_t>::max())));
}

/// Whether a small call of the host may go past abax.h.
inline bool may_run_at_once() { return c::is_silent() && host_opened.load(std::memory_order_relaxed); }

}  // namespace abax::blas

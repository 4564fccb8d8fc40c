// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Random complex operands: both parts as inputs.hpp has them.
#include <Kokkos_Complex.hpp>
#include <cstring>

#include "inputs.hpp"

namespace abax::tests {

template <class R>
matrix<Kokkos::complex<R>> random_complex(index_t rows, index_t cols, numbers kind, std::uint64_t seed) {
  const matrix<R> re = random_matrix<R>(rows, cols, kind, 2 * seed),
                  im = random_matrix<R>(rows, cols, kind, 2 * seed + 1);
  matrix<Kokkos::complex<R>> result(rows, cols);
  for (std::size_t e = 0; e < result.elements.size(); ++e) {
    std::memcpy(&result.elements[e].real(), &re.elements[e], sizeof(R));
    std::memcpy(&result.elements[e].imag(), &im.elements[e], sizeof(R));
  }
  return result;
}

}  // namespace abax::tests

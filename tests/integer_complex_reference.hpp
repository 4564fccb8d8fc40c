// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The oracle of gemm_integer for complex numbers: each part of T is the integer sum of two real lines of twice the
/// terms.
#include <limits>
#include <vector>

#include "complex_reference.hpp"
#include "integer_reference.hpp"

namespace abax::reference {

template <class R>
matrix<complex<R>> gemm_integer(char trans_a, char trans_b, complex<R> alpha, const matrix<complex<R>>& a,
                                const matrix<complex<R>>& b, complex<R> beta, const matrix<complex<R>>& c,
                                int bits = std::numeric_limits<R>::digits) {
  const index_t k = transposes(trans_a) ? a.rows : a.cols;
  matrix<complex<R>> result = c;
  for (index_t j = 0; j < c.cols; ++j)
    for (index_t i = 0; i < c.rows; ++i) {
      std::vector<R> row, for_real, for_imaginary;
      for (index_t p = 0; p < k; ++p) {
        const complex<R> x = element_of(trans_a, a, i, p), y = element_of(trans_b, b, p, j);
        row.insert(row.end(), {x.real(), x.imag()});
        for_real.insert(for_real.end(), {y.real(), -y.imag()});
        for_imaginary.insert(for_imaginary.end(), {y.imag(), y.real()});
      }
      const complex<R> sum(integer_product(row, for_real, bits), integer_product(row, for_imaginary, bits));
      result(i, j) = is(alpha, 0) || k == 0 ? epilogue_without_terms(beta, c(i, j))
                                            : epilogue(alpha, sum, beta, c(i, j));
    }
  return result;
}

}  // namespace abax::reference

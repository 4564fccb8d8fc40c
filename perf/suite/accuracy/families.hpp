// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Kinds of operands whose products differ in how exact they are.
#include <string>
#include <vector>

#include "../peers/peers.hpp"

namespace abax::perf::accuracy {

/// A: m x terms, B: terms x n, column after column.
struct operands {
  std::vector<double> a, b;
};

struct family {
  std::string name;
  operands (*make)(index_t m, index_t n, index_t terms, unsigned seed);
};

/// Normal and uniform numbers; (u - 1/2) exp(phi g) with u uniform in (0, 1) and g normal, whose lines span the more
/// binades the larger phi is (Ozaki et al. test with these); sums of normal numbers whose second half cancels the
/// first; the Hilbert matrix; and graded ones, normal numbers times powers of two that fall along the rows of A and
/// rise along the columns of B, so that all terms have one size and elements have not (after Demmel et al.).
const std::vector<family>& families();

}  // namespace abax::perf::accuracy

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// As tile/matrix.hpp.
#include "tile/matrix.hpp"

namespace launch {
struct gemm {};
inline int checks(const tile::matrix& matrix) { return matrix.elements; }
}  // namespace launch

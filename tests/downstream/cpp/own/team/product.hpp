// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// As tile/matrix.hpp.
#include "backends/backend.hpp"

int gemm(product, team, operands);
double gemv, transpose, copy, axpby, scal, triad, view, available, compiled;

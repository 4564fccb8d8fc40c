// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops for every CPU, in plain C++.
#include "kernel_table.hpp"
#include "sets.hpp"
#include "simd_portable.hpp"

namespace abax::openmp {

constinit const kernel_set<float> portable_float = table<plain_x4<float>, 2, 4>("portable");
constinit const kernel_set<double> portable_double = table<plain_x4<double>, 1, 4>("portable");

}  // namespace abax::openmp

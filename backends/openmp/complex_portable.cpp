// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops of complex values for any CPU.
#include "kernel_complex_table.hpp"
#include "sets.hpp"
#include "simd_portable.hpp"

namespace abax::openmp {

constinit const kernel_set<tile::complex<float>> portable_complex_float =
    complex_table<plain_x4<float>, 2, 2>(portable_float, "portable");
constinit const kernel_set<tile::complex<double>> portable_complex_double =
    complex_table<plain_x4<double>, 1, 2>(portable_double, "portable");

}  // namespace abax::openmp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops of complex values for CPUs with AVX2 and FMA.
#include "kernel_complex_table.hpp"
#include "sets.hpp"
#include "simd_avx2.hpp"

namespace abax::openmp {

// 12 accumulators, two vectors of a and one of b: 15 of the 16 registers, one short of what turned products want.
constinit const kernel_set<tile::complex<float>> avx2_complex_float = complex_table<f32x8, 2, 3>(avx2_float, "avx2");
constinit const kernel_set<tile::complex<double>> avx2_complex_double = complex_table<f64x4, 2, 3>(avx2_double, "avx2");

}  // namespace abax::openmp

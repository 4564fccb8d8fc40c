// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops for CPUs with AVX2 and FMA.
#include "kernel_table.hpp"
#include "sets.hpp"
#include "simd_avx2.hpp"

namespace abax::openmp {

// 12 accumulators, two vectors of a and one of b: 15 of the 16 registers.
constinit const kernel_set<float> avx2_float = table<f32x8, 2, 6>("avx2");
constinit const kernel_set<double> avx2_double = table<f64x4, 2, 6>("avx2");

}  // namespace abax::openmp

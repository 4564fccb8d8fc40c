// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops for CPUs with AVX-512 F, DQ, BW and VL.
#include "kernel_table.hpp"
#include "sets.hpp"
#include "simd_avx512.hpp"

namespace abax::openmp {

// 24 accumulators, three vectors of a and one of b: 28 of the 32 registers.
constinit const kernel_set<float> avx512_float = table<f32x16, 3, 8>("avx512");
constinit const kernel_set<double> avx512_double = table<f64x8, 3, 8>("avx512");

}  // namespace abax::openmp

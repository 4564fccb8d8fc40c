// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops of complex values for CPUs with AVX-512 F, DQ, BW and VL.
#include "kernel_complex_table.hpp"
#include "sets.hpp"
#include "simd_avx512.hpp"

namespace abax::openmp {

// 24 accumulators, three vectors of a or, of turned products, six, and one of b: 31 of the 32 registers.
constinit const kernel_set<tile::complex<float>> avx512_complex_float =
    complex_table<f32x16, 3, 4>(avx512_float, "avx512");
constinit const kernel_set<tile::complex<double>> avx512_complex_double =
    complex_table<f64x8, 3, 4>(avx512_double, "avx512");

}  // namespace abax::openmp

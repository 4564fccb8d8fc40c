// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The tables of loops that exist, two pairs for each instruction set; `dispatch.cpp` chooses among them.
///
/// These are the only symbols an instruction set's source may export. Everything else there has internal linkage:
/// an inline function compiled with AVX-512 flags and merged by the linker with its namesake from a baseline source
/// would crash older machines.
#include "kernels.hpp"

namespace abax::openmp {

extern const kernel_set<float> avx512_float;
extern const kernel_set<double> avx512_double;
extern const kernel_set<float> avx2_float;
extern const kernel_set<double> avx2_double;
extern const kernel_set<float> portable_float;
extern const kernel_set<double> portable_double;

extern const kernel_set<tile::complex<float>> avx512_complex_float;
extern const kernel_set<tile::complex<double>> avx512_complex_double;
extern const kernel_set<tile::complex<float>> avx2_complex_float;
extern const kernel_set<tile::complex<double>> avx2_complex_double;
extern const kernel_set<tile::complex<float>> portable_complex_float;
extern const kernel_set<tile::complex<double>> portable_complex_double;

}  // namespace abax::openmp

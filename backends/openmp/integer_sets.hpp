// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The tables of integer loops that exist; `integer_dispatch.cpp` chooses among them. As in sets.hpp, these are the
/// only symbols that an instruction set's source may export.
#include "integer_kernels.hpp"

namespace abax::openmp {

extern const integer_kernels amx_integers;
extern const integer_kernels vnni_integers;
extern const integer_kernels avx512_integers;
extern const integer_kernels avx2_integers;
extern const integer_kernels portable_integers;

}  // namespace abax::openmp

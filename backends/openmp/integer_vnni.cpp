// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes for CPUs with AVX-512 VNNI.
#include "integer_sets.hpp"
#include "kernel_integer_vnni.hpp"

namespace abax::openmp {

constinit const integer_kernels vnni_integers = vnni_table("vnni");

}  // namespace abax::openmp

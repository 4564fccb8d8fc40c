// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Independent chains of fused multiply-adds that never leave the registers: what a core's arithmetic can do at most.
/// With the widest vectors that the CPU has, whatever the rest of the program is compiled for.
#include "tile/matrix.hpp"

namespace abax::perf {

struct fma_chains {
  const char* name;                     ///< of the instruction set
  double (*run_float)(index_t rounds);  ///< returns the sum, so that the work is not optimised away
  double (*run_double)(index_t rounds);
  double flops_float, flops_double;  ///< in one round
};

fma_chains widest_fma_chains();

}  // namespace abax::perf

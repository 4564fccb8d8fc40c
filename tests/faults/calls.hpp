// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Calls of libabax_blas.so, of each family one or more, small and large enough for several threads.
#include <abax/abax.h>

#include <vector>

#include "trial.hpp"

namespace abax::tests::faults {

struct called {
  std::vector<trial> trials;
  caller how;
};
called c_interface(abax_place place = ABAX_HOST);  ///< abax.h; operands are the place's memory
called blas();

}  // namespace abax::tests::faults

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "portable_rows.hpp"

namespace abax::launch {

ABAX_PORTABLE_SERIAL()
ABAX_PORTABLE_OPENMP()
ABAX_PORTABLE_CUDA()

}  // namespace abax::launch

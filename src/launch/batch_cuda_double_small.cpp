// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of batches of small products on CUDA, in double, and those of batches of gemv.
#include "abax/detail/launch/batch_def.hpp"

namespace abax::launch {

template struct kernel_rows<cuda::backend, tile::batch<double>>;
template struct product_rows<cuda::backend, shape::vectors, double>;

}  // namespace abax::launch

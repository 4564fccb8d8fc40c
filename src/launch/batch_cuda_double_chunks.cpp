// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of batches of gemm on CUDA, in double, whose operands come by chunks of 16 bytes: half of the groups of
// cuda::batched_matrix_rows.
#include "abax/detail/launch/batch_def.hpp"

namespace abax::launch {

template struct product_group<cuda::backend, shape::matrices, double, 0>;
template struct product_group<cuda::backend, shape::matrices, double, 1>;
template struct product_group<cuda::backend, shape::matrices, double, 2>;
template struct product_group<cuda::backend, shape::matrices, double, 3>;

}  // namespace abax::launch

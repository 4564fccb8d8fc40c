// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of batches of gemm on CUDA, in float, whose operands come by chunks of 16 bytes: half of the groups of
// cuda::batched_matrix_rows.
#include "abax/detail/launch/batch_def.hpp"

namespace abax::launch {

template struct product_group<cuda::backend, shape::matrices, float, 0>;
template struct product_group<cuda::backend, shape::matrices, float, 1>;
template struct product_group<cuda::backend, shape::matrices, float, 2>;
template struct product_group<cuda::backend, shape::matrices, float, 3>;

}  // namespace abax::launch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of batches of gemm on CUDA, in float, whose operands come element by element: half of the groups of
// cuda::batched_matrix_rows.
#include "abax/detail/launch/batch_def.hpp"

namespace abax::launch {

template struct product_group<cuda::backend, shape::matrices, float, 4>;
template struct product_group<cuda::backend, shape::matrices, float, 5>;
template struct product_group<cuda::backend, shape::matrices, float, 6>;
template struct product_group<cuda::backend, shape::matrices, float, 7>;

}  // namespace abax::launch

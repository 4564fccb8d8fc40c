// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of batches of gemm on CUDA, in double, whose operands come element by element: half of the groups of
// cuda::batched_matrix_rows.
#include "abax/detail/launch/batch_def.hpp"

namespace abax::launch {

template struct product_group<cuda::backend, shape::matrices, double, 4>;
template struct product_group<cuda::backend, shape::matrices, double, 5>;
template struct product_group<cuda::backend, shape::matrices, double, 6>;
template struct product_group<cuda::backend, shape::matrices, double, 7>;

}  // namespace abax::launch

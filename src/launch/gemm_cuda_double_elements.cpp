// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of gemm on CUDA, in double, whose operands come element by element: half of the groups of cuda::matrix_rows.
#include "abax/detail/launch/product.hpp"

namespace abax::launch {

template struct product_group<cuda::backend, shape::matrix, double, 4>;
template struct product_group<cuda::backend, shape::matrix, double, 5>;
template struct product_group<cuda::backend, shape::matrix, double, 6>;
template struct product_group<cuda::backend, shape::matrix, double, 7>;

}  // namespace abax::launch

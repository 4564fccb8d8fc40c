// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Refuses fast-math where kernels are compiled: to be included by what every kernel needs and no user's call does.

#ifdef __FAST_MATH__
#error "Abax promises bits: fast-math would reassociate sums and drop NaN, so it cannot be compiled with it."
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf verify`: whether this machine computes the canon's bits.
#include "../run.hpp"

namespace abax::perf::verify {

/// Runs the golden table, then calls drawn by what.seed for so many minutes, on all ranks; of `what` it takes kernels,
/// types, backends, seed, most_bytes and json. False where a bit differs. Throws an interruption once what was found is
/// kept.
bool run(const selection& what, double minutes);

}  // namespace abax::perf::verify

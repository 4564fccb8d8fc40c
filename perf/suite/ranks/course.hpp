// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf run` on several ranks: cases by all at the same time, then the links between them, then pgemm.
#include "../run.hpp"

namespace abax::perf::ranks {

/// To be called by all ranks. False if one failed a case, or had wrong bits in one.
bool run(const selection& what);

}  // namespace abax::perf::ranks

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf devices`: what figures depend on, of this host and of its GPUs.

namespace abax::perf {

void devices();

}  // namespace abax::perf

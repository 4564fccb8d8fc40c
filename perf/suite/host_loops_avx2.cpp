// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_loop_bodies.hpp"

namespace abax::perf {

host_loops avx2_host_loops() { return compiled_loops("AVX2"); }

}  // namespace abax::perf

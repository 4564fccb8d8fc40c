// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_loop_bodies.hpp"

namespace abax::perf {

host_loops avx512_host_loops() { return compiled_loops("AVX-512"); }

}  // namespace abax::perf

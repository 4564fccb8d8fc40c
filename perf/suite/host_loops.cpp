// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_loop_bodies.hpp"

namespace abax::perf {

host_loops plain_host_loops() { return compiled_loops("plain C++"); }

host_loops widest_host_loops() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return avx512_host_loops();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_host_loops();
#endif
  return plain_host_loops();
}

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_call.hpp"

namespace abax::perf::golden {

outcome run(const call& c, lay lies, backend where) {
  if (where == backend::host) return run_on(Kokkos::DefaultHostExecutionSpace(), c, lies);
  return run_on(Kokkos::DefaultExecutionSpace(), c, lies);
}

}  // namespace abax::perf::golden

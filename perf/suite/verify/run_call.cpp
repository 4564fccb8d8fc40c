// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_call.hpp"

namespace abax::perf::golden {
namespace {

outcome run_of_any_kind(const auto& exec, const call& c, lay lies) {
  if (c.kernel == "gemm_integer") return run_integer_on(exec, c, lies);
  return run_on(exec, c, lies);
}

}  // namespace

outcome run(const call& c, lay lies, backend where) {
  if (where == backend::host) return run_of_any_kind(Kokkos::DefaultHostExecutionSpace(), c, lies);
  return run_of_any_kind(Kokkos::DefaultExecutionSpace(), c, lies);
}

}  // namespace abax::perf::golden

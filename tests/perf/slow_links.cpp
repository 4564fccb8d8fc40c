// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long messages between the ranks 0 and 1 take longer, where ABAX_TEST_SLOW_LINK says so: by MPI's own interface for
// tools that stand between a program and its MPI_Send.
#include <mpi.h>

#include <chrono>
#include <cstdlib>

extern "C" int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm group) {
  static const bool asked = std::getenv("ABAX_TEST_SLOW_LINK") != nullptr;
  int rank = 0;
  MPI_Comm_rank(group, &rank);
  constexpr int long_message = 1 << 20;
  if (asked && count >= long_message && rank + to == 1) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < until) continue;
  }
  return PMPI_Send(data, count, type, to, tag, group);
}

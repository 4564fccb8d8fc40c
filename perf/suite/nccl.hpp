// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What lies between GPUs, measured through NCCL, which is loaded when the program runs.
#include <string>

namespace abax::perf {

class gpu_links {
 public:
  /// "id": a new group's name. "join NAME RANK SIZE": by all its members. "link FROM TO BYTES": by these two; the first
  /// answers "SAME s1 s2 ...", as link_samples() does for MPI, and the other "". Throws where NCCL is missing or fails.
  std::string answer(const std::string& order);

 private:
  void* group_ = nullptr;
  int rank_ = 0;
};

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What figures depend on, of this host and of its GPUs.
#include <string>
#include <utility>
#include <vector>

namespace abax::perf {

struct property_sheet {
  std::string title;
  std::vector<std::pair<std::string, std::string>> lines;
};

/// The program, the host, CUDA, each of its devices.
std::vector<property_sheet> property_sheets();

/// Prints them: `abax-perf devices`, `abax-lab devices`.
void devices();

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What CUDA says of its devices; nothing in a build without it.
#include "machine.hpp"

namespace abax::perf {

text_lines describe_gpu();
std::vector<property_sheet> gpu_sheets();
double gpu_free_memory();

}  // namespace abax::perf

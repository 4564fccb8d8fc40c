// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Of experiment "product ladder": what the library's plan picks on a GPU whose teams may have less scratch.
#include <functional>
#include <string>
#include <vector>

#include "experiment.hpp"

namespace abax::lab {

struct capacity {
  std::string scratch;           ///< "48 KB", of a team
  std::string tile = {};         ///< the row of the catalogue; empty where none fits
  std::size_t bytes = 0;         ///< of scratch that it takes
  std::function<void()> launch;  ///< C <- A B, all of them n x n, rows contiguous
};
std::vector<capacity> plans_by_capacity(index_t n, const float* A, const float* B, float* C);

}  // namespace abax::lab

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf plot`: pictures from result files.
#include <span>
#include <string>

namespace abax::perf {

/// Draws `files` into `folder`: an SVG for each figure, and a page with all of them. Needs Python with Matplotlib.
void plot(std::span<const std::string> files, const std::string& folder);

}  // namespace abax::perf

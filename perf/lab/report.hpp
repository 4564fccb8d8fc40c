// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-lab report`: the page of a folder's result files.
#include <string>

namespace abax::lab {

/// Draws the result files (*.json) of `folder` into one page, `output` or else FOLDER/index.html. Needs Python. False
/// where they could not be drawn: the script has said why.
bool report(const std::string& folder, const std::string& output);

}  // namespace abax::lab

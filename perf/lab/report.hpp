// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-lab report`: the page of a folder's result files.
#include <string>

namespace abax::lab {

/// Draws the result files (*.json) of `folder` into one page, `output` or else FOLDER/index.html. `left_out` is empty
/// or "NAME=WHY": cases and bars whose names hold NAME are not drawn, and the page says why. Needs Python with
/// Matplotlib, Jinja2 and jsonschema. False where the files could not be drawn: the script has said why.
bool report(const std::string& folder, const std::string& output, const std::string& left_out);

}  // namespace abax::lab

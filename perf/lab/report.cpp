// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "../suite/results.hpp"
#include "../suite/script.hpp"

namespace abax::lab {

bool report(const std::string& folder, const std::string& output, const std::string& left_out) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw std::runtime_error(folder + ": expected a folder with result files");
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  if (files.empty()) throw std::runtime_error(folder + ": expected result files (*.json) of `abax-lab run --json`");
  std::sort(files.begin(), files.end());
  const std::string page = output.empty() ? (fs::path(folder) / "index.html").string() : output;
  perf::require_writable(page);

  std::vector<std::string> arguments{page, left_out};
  arguments.insert(arguments.end(), files.begin(), files.end());
  return perf::run_tool("page", arguments,
                        "the page needs Python with Matplotlib, Jinja2 and jsonschema: install python3-matplotlib, "
                        "python3-jinja2 and python3-jsonschema") == 0;
}

}  // namespace abax::lab

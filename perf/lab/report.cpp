// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "../results.hpp"
#include "../script.hpp"
#include "report_script.hpp"

namespace abax::lab {

bool report(const std::string& folder, const std::string& output) {
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

  std::vector<std::string> arguments{page};
  arguments.insert(arguments.end(), files.begin(), files.end());
  const perf::script_end end = perf::run_script(perf::report_script, arguments);
  if (end == perf::script_end::lacking) throw std::runtime_error("the page needs Python 3: install python3");
  return end == perf::script_end::done;
}

}  // namespace abax::lab

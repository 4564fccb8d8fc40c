// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plot.hpp"

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "plot_script.hpp"
#include "results.hpp"
#include "script.hpp"

namespace abax::perf {

void plot(std::span<const std::string> files, const std::string& folder) {
  for (const std::string& file : files)
    if (read_json(file).cases.empty()) throw std::runtime_error(file + ": has no cases");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  require_writable(folder + "/index.html");

  std::vector<std::string> arguments{folder};
  arguments.insert(arguments.end(), files.begin(), files.end());
  const script_end end = run_script(plot_script, arguments);
  if (end == script_end::failed) throw std::runtime_error("the pictures could not be drawn");
  if (end == script_end::lacking)
    throw std::runtime_error(
        "pictures need Python with Matplotlib: install python3-matplotlib (Debian), or pip install matplotlib");
}

}  // namespace abax::perf

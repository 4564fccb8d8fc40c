// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "../suite/results.hpp"
#include "../suite/script.hpp"
#include "report_drawing.hpp"
#include "report_figures.hpp"
#include "report_page.hpp"
#include "report_reading.hpp"
#include "report_style.hpp"

namespace abax::lab {
namespace {

/// The script's modules, none of which imports a later one. Each is an argument by itself: a system may allow 128 KB.
constexpr struct {
  const char *name, *text;
} modules[] = {{"reading", perf::report_reading},
               {"drawing", perf::report_drawing},
               {"figures", perf::report_figures},
               {"style", perf::report_style},
               {"page", perf::report_page}};

/// Loads modules, the names and texts of which come first among the arguments, and calls the last one's main with the rest.
constexpr const char* load = R"(
import sys

sys.path = [folder for folder in sys.path if folder]  # a json.py where the user happens to be is none of this
import types

end = 2 + 2 * int(sys.argv[1])
for name, text in zip(sys.argv[2:end:2], sys.argv[3:end:2]):
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name + ".py", "exec"), module.__dict__)
sys.exit(module.main(*sys.argv[end:]))
)";

}  // namespace

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

  std::vector<std::string> arguments{std::to_string(std::size(modules))};
  for (const auto& [name, text] : modules) arguments.insert(arguments.end(), {name, text});
  arguments.push_back(page);
  arguments.insert(arguments.end(), files.begin(), files.end());
  const perf::script_end end = perf::run_script(load, arguments);
  if (end == perf::script_end::lacking) throw std::runtime_error("the page needs Python 3: install python3");
  return end == perf::script_end::done;
}

}  // namespace abax::lab

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plot/plot.py draws. It is a part of this program, so that there is nothing to find when it runs.
#include "plot.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "plot_script.hpp"
#include "results.hpp"

namespace abax::perf {
namespace {

constexpr int no_matplotlib = 3;  // as the script ends where it is missing

/// How it ended; no_matplotlib also where there is no such Python.
int run_script(const char* python, std::span<const std::string> files, const std::string& folder) {
  std::vector<std::string> texts{python, "-c", plot_script, folder};
  texts.insert(texts.end(), files.begin(), files.end());
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, python, nullptr, nullptr, arguments.data(), environ) != 0) return no_matplotlib;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

void plot(std::span<const std::string> files, const std::string& folder) {
  for (const std::string& file : files)
    if (read_json(file).cases.empty()) throw std::runtime_error(file + ": has no cases");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  require_writable(folder + "/index.html");

  // The user's own Python first; Debian's has what Debian's packages bring.
  for (const char* const python : {"python3", "/usr/bin/python3"}) {
    const int status = run_script(python, files, folder);
    if (status == 0) return;
    if (status != no_matplotlib) throw std::runtime_error("the pictures could not be drawn");
  }
  throw std::runtime_error(
      "pictures need Python with Matplotlib: install python3-matplotlib (Debian), or pip install matplotlib");
}

}  // namespace abax::perf

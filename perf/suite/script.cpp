// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "script.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "tools.hpp"

namespace abax::perf {
namespace {

/// The arguments: how many modules there are, their names and texts, the tool, and what its main() is given.
constexpr const char* load = R"(
import sys

sys.path = [folder for folder in sys.path if folder]  # so that no json.py in the current folder is imported
import importlib.abc, importlib.util

end = 2 + 2 * int(sys.argv[1])
texts = dict(zip(sys.argv[2:end:2], sys.argv[3:end:2]))


class Tools(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name in texts else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(texts[module.__name__], module.__name__ + ".py", "exec"), module.__dict__)


sys.meta_path.insert(0, Tools())
sys.exit(importlib.import_module(sys.argv[end]).main(*sys.argv[end + 1 :]))
)";

constexpr int lacking = 3;  // the tool's status where its Python has not what it needs

int run_by(const char* python, const std::string& tool, std::span<const std::string> arguments) {
  std::vector<std::string> texts{python, "-c", load, std::to_string(std::size(tools))};
  for (const auto& [name, text] : tools) texts.insert(texts.end(), {name, text});
  texts.push_back(tool);
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  std::fflush(stdout);
  pid_t child = 0;
  if (posix_spawnp(&child, python, nullptr, nullptr, pointers.data(), environ) != 0) return lacking;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_tool(const std::string& tool, std::span<const std::string> arguments, const std::string& needs) {
  // The user's own Python first; Debian's has what Debian's packages bring.
  for (const char* const python : {"python3", "/usr/bin/python3"})
    if (const int status = run_by(python, tool, arguments); status != lacking) return status;
  throw std::runtime_error(needs);
}

}  // namespace abax::perf

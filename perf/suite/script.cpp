// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "script.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace abax::perf {
namespace {

script_end run_by(const char* python, const char* script, std::span<const std::string> arguments) {
  std::vector<std::string> texts{python, "-c", script};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, python, nullptr, nullptr, pointers.data(), environ) != 0) return script_end::lacking;
  int status = 0;
  waitpid(child, &status, 0);
  constexpr int lacks = 3;
  if (!WIFEXITED(status)) return script_end::failed;
  return WEXITSTATUS(status) == 0       ? script_end::done
         : WEXITSTATUS(status) == lacks ? script_end::lacking
                                        : script_end::failed;
}

}  // namespace

script_end run_script(const char* script, std::span<const std::string> arguments) {
  // The user's own Python first; Debian's has what Debian's packages bring.
  for (const char* const python : {"python3", "/usr/bin/python3"})
    if (const script_end end = run_by(python, script, arguments); end != script_end::lacking) return end;
  return script_end::lacking;
}

}  // namespace abax::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "other_threads.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

namespace abax::perf {
namespace {

bool runs(int thread) {
  std::ifstream in("/proc/self/task/" + std::to_string(thread) + "/stat");  // "3 (a name) R ..."
  std::string line;
  std::getline(in, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.compare(name_end, 3, ") R") == 0;
}

}  // namespace

std::vector<int> other_threads() {
  std::vector<int> threads;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", none))
    if (const int thread = std::atoi(entry.path().filename().c_str()); thread != gettid()) threads.push_back(thread);
  return threads;
}

bool wait_for_other_threads() {
  using clock = std::chrono::steady_clock;
  const std::vector<int> threads = other_threads();
  bool waited = false;
  for (const auto end = clock::now() + std::chrono::milliseconds(500); clock::now() < end; waited = true) {
    if (std::ranges::none_of(threads, runs)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return waited;
}

}  // namespace abax::perf

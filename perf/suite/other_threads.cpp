// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "other_threads.hpp"

#include <sys/syscall.h>
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

int this_thread() { return static_cast<int>(syscall(SYS_gettid)); }  // gettid() is not in every C library

std::vector<int> other_threads() {
  std::vector<int> threads;
  std::error_code ends;
  for (std::filesystem::directory_iterator at("/proc/self/task", ends), end; !ends && at != end; at.increment(ends))
    if (const int thread = std::atoi(at->path().filename().c_str()); thread != this_thread()) threads.push_back(thread);
  return threads;
}

waited wait_for_other_threads() {
  using clock = std::chrono::steady_clock;
  const std::vector<int> threads = other_threads();
  const auto end = clock::now() + std::chrono::milliseconds(500);
  waited so_far = waited::no;
  while (std::ranges::any_of(threads, runs)) {
    if (clock::now() > end) return waited::in_vain;
    so_far = waited::yes;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return so_far;
}

}  // namespace abax::perf

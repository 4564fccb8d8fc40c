// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call.hpp"

#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace abax::perf::golden {

std::vector<call> calls_of(const std::string& table) {
  std::vector<call> calls;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    call c;
    std::string left;
    words >> c.kernel >> c.type >> c.op >> c.m >> c.n >> c.k >> c.items >> c.alpha >> c.beta >> c.numbers >> std::hex >>
        c.hash;
    if (!words || words >> left) throw std::runtime_error("not a line of the golden table: " + line);
    calls.push_back(c);
  }
  return calls;
}

std::string text_of(const call& c) {
  std::ostringstream text;
  text << c.kernel << ' ' << c.type << ' ' << c.op << ' ' << c.m << ' ' << c.n << ' ' << c.k << ' ' << c.items << ' '
       << c.alpha << ' ' << c.beta << ' ' << c.numbers;
  return text.str();
}

std::string hex(std::uint64_t bits, int digits) {
  char text[17];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(bits));
  return text;
}

std::string place_text(index_t i, index_t j) {
  char text[64];
  std::snprintf(text, sizeof text, "(%lld, %lld)", static_cast<long long>(i), static_cast<long long>(j));
  return text;
}

}  // namespace abax::perf::golden

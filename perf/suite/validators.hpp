// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the command lines of abax-perf and abax-lab refuse before anything runs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace abax::perf {

/// Refuses an unknown name, with the one that is nearest.
inline CLI::Validator one_of(const std::vector<std::string>& known) {
  const auto check = [known](const std::string& name) -> std::string {
    if (std::find(known.begin(), known.end(), name) != known.end()) return "";
    std::string all;
    for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
    return "\"" + name + "\" is not one of " + all + suggestion(name, known);
  };
  return CLI::Validator(check, "");
}

/// A number, and not NaN, which lies outside of nothing.
inline CLI::Validator between(double least, double most) {
  const auto check = [=](const std::string& text) -> std::string {
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (*end == 0 && x >= least && x <= most) return "";
    std::ostringstream message;
    message << "\"" << text << "\" is not a number from " << least << " to " << most;
    return message.str();
  };
  return CLI::Validator(check, "");
}

}  // namespace abax::perf

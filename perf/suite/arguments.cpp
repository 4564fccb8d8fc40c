// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>

namespace abax::perf {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& expected) {
  throw CLI::ValidationError("\"" + text + "\"", "expected " + expected);
}

/// Levenshtein's distance.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<index_t> sizes_of(const std::string& text) {
  static const std::regex form(R"(([1-9]\d{0,14})(:(\d{1,15}):([*+])([1-9]\d{0,14}))?)");
  constexpr std::size_t most = 1000;
  std::smatch part;
  if (!std::regex_match(text, part, form)) refuse(text, "a size, or a range as in 256:8192:*2 or 100:500:+100");
  std::vector<index_t> sizes{std::stoll(part[1])};
  if (!part[2].matched) return sizes;
  const index_t last = std::stoll(part[3]), step = std::stoll(part[5]);
  const bool times = part[4] == "*";
  if (last < sizes[0] || (times && step == 1)) refuse(text, "a range that ascends");
  while (times ? sizes.back() <= last / step : sizes.back() <= last - step) {
    if (sizes.size() == most) refuse(text, "1000 sizes at most");
    sizes.push_back(times ? sizes.back() * step : sizes.back() + step);
  }
  return sizes;
}

std::vector<index_t> shape_of(const std::string& text) {
  static const std::regex form(R"([1-9]\d{0,14}(x[1-9]\d{0,14}){0,2})"), number(R"(\d+)");
  if (!std::regex_match(text, form)) refuse(text, "1 to 3 sizes, as in 512x64x1024");
  std::vector<index_t> numbers;
  for (std::sregex_iterator n(text.begin(), text.end(), number); n != std::sregex_iterator(); ++n)
    numbers.push_back(std::stoll(n->str()));
  return numbers;
}

peer_file peer_file_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    refuse(text, "NAME=FILE, as in mkl=/opt/lib/libmkl_rt.so.2");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

double fraction_of(const std::string& text, const std::string& before) {
  double percent = 0;
  std::size_t length = 0;
  std::sscanf(text.c_str(), (before + "%lf%%%zn").c_str(), &percent, &length);
  if (length != text.size() || !(percent > 0 && percent <= 1000)) refuse(text, before + "a percentage, as in 5%");
  return percent / 100;
}

std::string suggestion(const std::string& name, std::span<const std::string> known) {
  const auto nearest = std::ranges::min_element(known, {}, [&](const std::string& k) { return distance(name, k); });
  if (nearest == known.end() || distance(name, *nearest) > 1 + name.size() / 3) return "";
  return ": did you mean \"" + *nearest + "\"?";
}

CLI::Validator one_of(const std::vector<std::string>& known) {
  const auto check = [known](const std::string& name) {
    const bool found = std::ranges::find(known, name) != known.end();
    return found ? "" : "\"" + name + "\" is not one of " + CLI::detail::join(known, ", ") + suggestion(name, known);
  };
  return CLI::Validator(check, "");
}

CLI::Validator between(double least, double most) {
  const auto check = [=](const std::string& text) -> std::string {
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (*end == 0 && x >= least && x <= most) return "";
    char message[80];
    std::snprintf(message, sizeof message, "is not a number from %g to %g", least, most);
    return "\"" + text + "\" " + message;
  };
  return CLI::Validator(check, "");
}

}  // namespace abax::perf

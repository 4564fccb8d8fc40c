// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/tuning.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <locale>
#include <sstream>
#include <stdexcept>

namespace abax::launch {
namespace {

constexpr const char* heading = "abax tuning 1";

bool is_cost(double value) { return value > 0 && std::isfinite(value); }

}  // namespace

tuning::tuning(std::istream& lines, const std::string& file) {
  std::string line;
  int number = 0;
  const auto refuse = [&](const std::string& expected) {
    throw std::runtime_error("abax: " + file + ", line " + std::to_string(number) + ": expected " + expected +
                             ", found \"" + line + "\"");
  };
  for (number = 1; std::getline(lines, line) || number == 1; ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (number == 1) {
      if (line != heading) refuse("\"" + std::string(heading) + "\"");
      continue;
    }
    std::istringstream words(line.substr(0, line.find('#')));
    words.imbue(std::locale::classic());
    row_name name{};
    if (!(words >> name.backend)) continue;
    std::string kernel, type;
    costs found{};
    words >> kernel >> type;
    const auto read_number = [&](auto& value) {
      words >> value;
      if (std::isspace(words.peek()) == 0) words.setstate(std::ios::failbit);  // "0.75" is no group 0 and a rate
    };
    read_number(name.group);
    for (double* const cost : {&found.rate, &found.ends, &found.alone}) read_number(*cost);
    const bool complete = words && std::getline(words >> std::ws, name.row) && kernel == "gemm" &&
                          (type == "f32" || type == "f64") && name.group >= 0 && is_cost(found.rate) &&
                          is_cost(found.ends) && is_cost(found.alone);
    if (!complete) refuse("\"SPACE gemm f32|f64 GROUP RATE ENDS ALONE ROW\", with costs above 0");
    name.row.erase(name.row.find_last_not_of(" \t\v\f\r") + 1);
    name.element = type == "f32" ? 4 : 8;
    if (rows_.count(name) != 0) refuse("each row once");
    set(name, found);
  }
}

tile::product_cost tuning::of(const row_name& row, tile::product_cost cost) const {
  const auto found = rows_.find(row);
  if (found == rows_.end()) return cost;
  cost.rate = found->second.rate;
  cost.ends = found->second.ends;
  cost.alone = found->second.alone;
  return cost;
}

std::string tuning::text() const {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << heading << '\n';
  for (const auto& [name, cost] : rows_)
    out << name.backend << " gemm " << (name.element == 4 ? "f32 " : "f64 ") << name.group << ' ' << cost.rate << ' '
        << cost.ends << ' ' << cost.alone << ' ' << name.row << '\n';
  return out.str();
}

const tuning& tuning_of_machine() {
  static const tuning found = [] {
    const char* const file = std::getenv("ABAX_TUNING");
    if (file == nullptr || *file == '\0') return tuning();
    std::ifstream lines(file);
    if (!lines) throw std::runtime_error(std::string("abax: ABAX_TUNING: ") + file + " cannot be opened");
    return tuning(lines, file);
  }();
  return found;
}

}  // namespace abax::launch

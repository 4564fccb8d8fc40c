// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace abax::perf {
namespace {

/// One size that nothing else follows; 0 where `text` is no such number.
index_t size_of(std::string_view text) {
  index_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
}

std::vector<std::string> parts_of(const std::string& text, char between) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == between)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
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
  const bad_argument wrong("--sizes \"" + text + "\": expected a size, or a range as in 256:8192:*2 or 100:500:+100");
  const std::vector<std::string> parts = parts_of(text, ':');
  const index_t first = size_of(parts[0]);
  if (first == 0) throw wrong;
  if (parts.size() == 1) return {first};
  if (parts.size() != 3 || parts[2].empty()) throw wrong;
  const index_t last = size_of(parts[1]), step = size_of(parts[2].substr(1));
  const bool times = parts[2][0] == '*';
  if (last < first || (times ? step < 2 : parts[2][0] != '+' || step == 0)) throw wrong;

  constexpr std::size_t most = 1000;
  std::vector<index_t> sizes;
  for (index_t n = first;; times ? n *= step : n += step) {
    sizes.push_back(n);
    if (sizes.size() > most) throw bad_argument("--sizes \"" + text + "\": expected 1000 sizes at most");
    if (times ? n > last / step : n > last - step) return sizes;
  }
}

std::vector<index_t> shape_of(const std::string& text) {
  std::vector<index_t> numbers;
  for (const std::string& part : parts_of(text, 'x')) numbers.push_back(size_of(part));
  if (numbers.size() > 3 || std::count(numbers.begin(), numbers.end(), 0) > 0)
    throw bad_argument("--shape \"" + text + "\": expected 1 to 3 sizes, as in 512x64x1024");
  return numbers;
}

peer_file peer_file_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw bad_argument("--library \"" + text + "\": expected NAME=FILE, as in mkl=/opt/lib/libmkl_rt.so.2");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

double fraction_of(const std::string& text) {
  double percent = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, percent);
  if (error != std::errc() || std::string_view(end, last) != "%" || !(percent > 0 && percent <= 1000))
    throw bad_argument("\"" + text + "\": expected a percentage above 0, as in 5%");
  return percent / 100;
}

double slowdown_of(const std::string& text) {
  constexpr std::string_view slower = "slower=";
  if (!text.starts_with(slower))
    throw bad_argument("--fail-on \"" + text + "\": expected slower=PERCENT, as in slower=5%");
  return fraction_of(text.substr(slower.size()));
}

std::string suggestion(const std::string& name, std::span<const std::string> known) {
  const auto nearer = [&](const std::string& a, const std::string& b) { return distance(name, a) < distance(name, b); };
  const auto nearest = std::min_element(known.begin(), known.end(), nearer);
  if (nearest == known.end() || distance(name, *nearest) > 1 + name.size() / 3) return "";
  return ": did you mean \"" + *nearest + "\"?";
}

}  // namespace abax::perf

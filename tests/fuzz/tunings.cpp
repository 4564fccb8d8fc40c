// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tunings.hpp"

#include <cstddef>
#include <sstream>
#include <stdexcept>

#include "abax/detail/launch/tuning.hpp"

namespace abax::tests::fuzz {
namespace {

launch::tuning read(const std::string& text) {
  std::istringstream lines(text);
  return {lines, "file"};
}

const char* one_of(choices& choose, std::initializer_list<const char*> words) {
  return words.begin()[choose.below(static_cast<int>(words.size()))];
}

}  // namespace

std::string drawn_tuning(choices& choose) {
  const char* const numbers[] = {"1",   "0.75", "34",    "1e-320", "1e308", "1e999", "0",   "-1",
                                 "nan", "inf",  "0x1p3", "1e",     ".5",    "5.",    "1,5", "99999999999999999999"};
  const auto number = [&] { return numbers[choose.below(choose.one_in(4) ? 16 : 3)]; };
  std::string text = choose.one_in(16) ? one_of(choose, {"", "abax tuning 2", "abax tuning 1 "}) : "abax tuning 1";
  for (int lines = choose.below(5); lines > 0; --lines) {
    text += one_of(choose, {"\n", "\n", "\n", "\r\n", "\n\n", "\n# a comment\n"});
    text += one_of(choose, {"Cuda", "Cuda", "OpenMP", "\xff", ""});
    for (const char* const word : {one_of(choose, {"gemm", "gemm", "gemm", "gemm", "gemv"}),
                                   one_of(choose, {"f32", "f64", "f64", "f32", "f16"}), number(), number(), number(),
                                   number(), one_of(choose, {"64x32", "16x16 on tensor cores", "a\r", "b \t", ""})})
      text += one_of(choose, {" ", " ", " ", " ", " ", " ", "\t", "  ", "\v", "#", ""}) + std::string(word);
  }
  for (int changes = choose.below(4) == 0 ? 1 + choose.below(3) : 0; changes > 0 && !text.empty(); --changes) {
    const auto at = static_cast<std::size_t>(choose.below(static_cast<int>(text.size())));
    if (choose.below(2) == 0)
      text[at] = static_cast<char>(choose.below(256));
    else
      text.erase(at, static_cast<std::size_t>(choose.below(8)));
  }
  return text;
}

std::string tuning_fault(const std::string& text) {
  std::string written;
  try {
    written = read(text).text();
  } catch (const std::runtime_error& error) {
    const std::string said = error.what();
    return said.rfind("abax: file, line ", 0) == 0 ? "" : "refused with \"" + said + "\"";
  }
  try {
    return read(written).text() == written ? "" : "not read as it was written:\n" + written;
  } catch (const std::runtime_error& error) {
    return "not read as it was written:\n" + written + error.what();
  }
}

}  // namespace abax::tests::fuzz

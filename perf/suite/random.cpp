// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace abax::perf {
namespace {

constexpr index_t most_extent = 16384, most_terms = 1000000;

/// Numbers of an engine that the C++ standard defines, and nothing made of them but by integers, and by products and
/// square roots, which IEEE 754 rounds in one way. Standard distributions differ from library to library.
class draws {
 public:
  draws(unsigned seed, int number, const kernel& one) : engine_(begin(seed, number, one)) {}

  index_t below(index_t n) { return static_cast<index_t>(engine_() % static_cast<std::uint64_t>(n)); }

  template <class T, std::size_t N>
  T any_of(const T (&values)[N]) {
    return values[below(N)];
  }

  /// 1 to `most`: 2^x rounded down, with x uniform in steps of 2^-32.
  index_t log_uniform(index_t most) {
    for (;;) {
      const index_t octave = below(std::bit_width(static_cast<std::uint64_t>(most)));
      double power = 1, root = 2;
      for (int bit = 0; bit < 32; ++bit) {
        root = std::sqrt(root);
        if (below(2) != 0) power *= root;
      }
      const auto value = static_cast<index_t>(std::ldexp(power, static_cast<int>(octave)));
      if (value <= most) return value;
    }
  }

 private:
  static std::mt19937_64 begin(unsigned seed, int number, const kernel& one) {
    const std::string_view name = first_word(one.name);
    std::vector<unsigned> words{seed, static_cast<unsigned>(number), static_cast<unsigned>(one.element)};
    words.insert(words.end(), name.begin(), name.end());
    std::seed_seq sequence(words.begin(), words.end());
    return std::mt19937_64(sequence);
  }

  std::mt19937_64 engine_;
};

bool is_matrix(form written) { return std::strlen(written) > 1; }

extents draw_extents(draws& any, form written) {
  std::vector<index_t> numbers;
  for (const char* letter = written; *letter != 0; ++letter)
    numbers.push_back(any.log_uniform(is_matrix(written) && *letter != 'k' ? most_extent : most_terms));
  return shape_of_numbers(written, numbers);
}

/// Half of the operands begin on a boundary. Of the leading dimensions a third leaves no gaps, a third is the next
/// multiple of 32, and a third is anything.
void draw_places(draws& any, const kernel& k, extents& e) {
  e.lies.by_rows = any.below(2) != 0 && is_matrix(k.written);
  const std::vector<lines> operands = k.operands(e);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const index_t length = operands[i].length, offset = any.below(30), gap = 1 + any.below(64);
    const index_t leading[] = {length, (length + 31) / 32 * 32, length + gap};
    e.lies.offset[i] = offset < 15 ? 0 : offset - 14;
    const index_t chosen = any.any_of(leading);
    if (operands[i].count > 1) e.lies.leading[i] = chosen;
  }
}

/// Of a product that is not there, something is left to do.
void draw_scales(draws& any, extents& e) {
  static constexpr double alphas[] = {1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, 0.625, 0.625, 0.625, 0.625, 0};
  static constexpr double betas[] = {0, 0, 0, 0, 1, 1, -1, 0.625}, of_nothing[] = {0, -1};
  e.lies.alpha = any.any_of(alphas);
  e.lies.beta = e.lies.alpha == 0 ? any.any_of(of_nothing) : any.any_of(betas);
}

}  // namespace

std::string_view first_word(std::string_view name) { return name.substr(0, name.find(' ')); }

std::vector<std::vector<const kernel*>> groups_of(const std::vector<const kernel*>& kernels) {
  std::map<std::pair<std::string, std::string>, std::vector<const kernel*>> groups;
  for (const kernel* const k : kernels)
    if (!k->operands({1, 1, 1}).empty()) groups[{std::string(first_word(k->name)), k->type}].push_back(k);
  std::vector<std::vector<const kernel*>> all;
  for (auto& [name, group] : groups) {
    std::ranges::sort(group, {}, [](const kernel* k) { return std::string(k->name); });
    all.push_back(std::move(group));
  }
  return all;
}

drawn_case draw_case(const std::vector<const kernel*>& kernels, unsigned seed, int number,
                     const std::function<bool(const drawn_case&)>& acceptable) {
  constexpr int most_attempts = 10000;
  draws any(seed, number, *kernels.front());
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    drawn_case drawn{kernels[any.below(std::ssize(kernels))], {}};
    drawn.shape = draw_extents(any, drawn.what->written);
    draw_places(any, *drawn.what, drawn.shape);
    if (drawn.what->scaled) draw_scales(any, drawn.shape);
    if (acceptable(drawn)) return drawn;
  }
  throw std::runtime_error("there are not so many different shapes of " + std::string(first_word(kernels[0]->name)) +
                           " within --max-bytes");
}

}  // namespace abax::perf

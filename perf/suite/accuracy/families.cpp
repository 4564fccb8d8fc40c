// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "families.hpp"

#include <cmath>
#include <numbers>
#include <random>

namespace abax::perf::accuracy {
namespace {

class draws {
 public:
  explicit draws(unsigned seed) : engine_(seed) {}

  /// In (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 12) + 0.5) * 0x1p-52; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

/// One number after the other, of A, then of B.
template <class Draw>
operands drawn(index_t m, index_t n, index_t terms, unsigned seed, const Draw& draw) {
  draws any(seed);
  operands made;
  for (index_t i = 0; i < m * terms; ++i) made.a.push_back(draw(any));
  for (index_t i = 0; i < terms * n; ++i) made.b.push_back(draw(any));
  return made;
}

operands normal(index_t m, index_t n, index_t terms, unsigned seed) {
  return drawn(m, n, terms, seed, [](draws& any) { return any.normal(); });
}

operands uniform(index_t m, index_t n, index_t terms, unsigned seed) {
  return drawn(m, n, terms, seed, [](draws& any) { return any.uniform(); });
}

/// (u - 1/2) exp(phi g); TwicePhi, because a template's parameter is an integer.
template <int TwicePhi>
operands spread(index_t m, index_t n, index_t terms, unsigned seed) {
  return drawn(m, n, terms, seed, [](draws& any) {
    const double u = any.uniform();
    return (u - 0.5) * std::exp(0.5 * TwicePhi * any.normal());
  });
}

/// The terms of the second half cancel those of the first but for 2^-20 of them or less.
operands cancelling(index_t m, index_t n, index_t terms, unsigned seed) {
  operands made = normal(m, n, terms, seed);
  draws any(seed + 1);
  const index_t half = terms / 2;
  for (index_t p = half; p < 2 * half; ++p) {
    for (index_t i = 0; i < m; ++i) made.a[std::size_t(p * m + i)] = made.a[std::size_t((p - half) * m + i)];
    for (index_t j = 0; j < n; ++j)
      made.b[std::size_t(j * terms + p)] = -made.b[std::size_t(j * terms + p - half)] * (1 + 0x1p-20 * any.uniform());
  }
  return made;
}

operands hilbert(index_t m, index_t n, index_t terms, unsigned /*seed*/) {
  operands made;
  for (index_t p = 0; p < terms; ++p)
    for (index_t i = 0; i < m; ++i) made.a.push_back(1 / static_cast<double>(i + p + 1));
  for (index_t j = 0; j < n; ++j)
    for (index_t p = 0; p < terms; ++p) made.b.push_back(1 / static_cast<double>(p + j + 1));
  return made;
}

/// From the first term to the last the factors change by 2^Binades.
template <int Binades>
operands graded(index_t m, index_t n, index_t terms, unsigned seed) {
  operands made = normal(m, n, terms, seed);
  const auto factor = [terms](index_t p) { return std::exp2(static_cast<double>(Binades * p) / double(terms)); };
  for (std::size_t i = 0; i < made.a.size(); ++i) made.a[i] /= factor(static_cast<index_t>(i) / m);
  for (std::size_t i = 0; i < made.b.size(); ++i) made.b[i] *= factor(static_cast<index_t>(i) % terms);
  return made;
}

}  // namespace

const std::vector<family>& families() {
  static const std::vector<family> all{
      {"normal", normal},          {"uniform (0, 1)", uniform}, {"phi = 0.5", spread<1>},   {"phi = 1", spread<2>},
      {"phi = 2", spread<4>},      {"phi = 4", spread<8>},      {"cancelling", cancelling}, {"Hilbert", hilbert},
      {"graded 2^10", graded<10>}, {"graded 2^20", graded<20>}, {"graded 2^40", graded<40>}};
  return all;
}

}  // namespace abax::perf::accuracy

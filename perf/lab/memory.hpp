// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the parts of experiment "memory" share: rings of pointers, and how the time to follow them is taken.
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../suite/machine.hpp"
#include "arrays.hpp"
#include "figures.hpp"

namespace abax::lab {

inline constexpr int hop_words = 32;  // a pointer for each 128 bytes: no line, and no pair of lines, holds two

/// One ring through all places of `words` words, `apart` words from each other, in random order: next[i] is the place
/// after i. Sattolo's algorithm.
inline std::vector<unsigned> ring(index_t words, int apart = hop_words) {
  const auto places = static_cast<std::size_t>(words / apart);
  std::vector<unsigned> order(places), next(static_cast<std::size_t>(words));
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(1);
  for (std::size_t i = places - 1; i > 0; --i) std::swap(order[i], order[random() % i]);
  for (std::size_t i = 0; i < places; ++i)
    next[i * static_cast<std::size_t>(apart)] = order[i] * static_cast<unsigned>(apart);
  return next;
}

/// Pointers that one thread follows.
struct chase {
  std::string name, variant;
  const std::vector<unsigned>& next;
  index_t around;                       // steps that lead once through the ring, or 0 where no cache keeps it
  index_t steps;                        // of a call that is timed
  std::function<void(index_t)> launch;  // of so many steps; the next one goes on where it ended
  std::function<unsigned()> end;
};

/// Times one chase, before there is another one: between two samples of a ring others would push it out of the caches.
/// Before that it is followed around until the caches hold what they can of it: a ring that fits one is found there.
inline case_result& run_chase(const settings& how, backend where, experiment_result& result, const chase& one) {
  bench alone(how, where, result);
  const auto check = [&] {
    unsigned want = 0;
    for (index_t s = 0; s < one.steps; ++s) want = one.next[want];
    if (one.end() != want) throw wrong_output("the chain of pointers ended elsewhere");
    return "where the chain of pointers ends";
  };
  alone.add("latency/" + one.name, one.variant, [&] { one.launch(one.steps); }, check,
            {{"steps", static_cast<double>(one.steps)}});
  if (!how.once) {
    const std::size_t cache = where == backend::host ? perf::host_cache_bytes() : perf::device_cache_bytes();
    const auto kept = static_cast<index_t>(2 * cache / (hop_words * sizeof(unsigned)));  // places; with room to spare
    one.launch(3 * std::min(one.around, kept));
  }
  alone.finish();
  case_result& c = result.cases.back();
  if (const auto step = time_in(1e9, "steps")(c))
    c.measured.insert(
        {{"nanoseconds_per_step", step->value}, {"nanoseconds_low", step->low}, {"nanoseconds_high", step->high}});
  return c;
}

/// Of a GPU: each kind of memory by hand-written kernels, and portable reads.
void run_device_memory(const settings& how, experiment_result& result);

}  // namespace abax::lab

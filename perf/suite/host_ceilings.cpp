// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a CPU can do at most. Every thread has a share of each array, whose pages it has touched first, and works
// through it window by window: a call takes one window of each share, so that it is short, and other programs spare
// some calls.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include "ceilings.hpp"
#include "host_loops.hpp"
#include "machine.hpp"
#include "timing.hpp"

namespace abax::perf {
namespace {

struct release {
  void operator()(std::uint64_t* memory) const { std::free(memory); }
};
using words = std::unique_ptr<std::uint64_t[], release>;

/// Three arrays. A window comes again after as many bytes as two of them have, on average, as calls of all kinds take
/// turns.
struct shares {
  static constexpr index_t windows = 16, least = 128;  // least: words; a window has a multiple
  index_t window;                                      // words of a share
  words x, y, z;

  explicit shares(std::size_t bytes)
      : window(static_cast<index_t>(bytes / sizeof(std::uint64_t)) / (host_threads() * windows) / least * least),
        x(whole()),
        y(whole()),
        z(whole()) {}
  double bytes() const { return static_cast<double>(window * host_threads()) * sizeof(std::uint64_t); }
  index_t at(int thread, index_t turn) const { return (thread * windows + turn % windows) * window; }

 private:
  words whole() const {
    const index_t share = window * windows;
    words all(static_cast<std::uint64_t*>(
        std::aligned_alloc(64, static_cast<std::size_t>(share * host_threads()) * sizeof(std::uint64_t))));
    if (all == nullptr) throw std::bad_alloc();
    on_all_threads([&](int t) { std::fill_n(all.get() + t * share, share, std::uint64_t(t) << 32 | 0x9E3779B9U); });
    return all;
  }
};

}  // namespace

ceilings measure_host_ceilings(const effort& each) {
  const host_loops loops = widest_host_loops();
  const shares s(bytes_past_cache(backend::host) / 2);  // each array
  std::uint64_t *const x = s.x.get(), *const y = s.y.get(), *const z = s.z.get();
  const auto words = static_cast<std::size_t>(s.window);
  ceilings found{};
  const index_t rounds = 1 << 18;
  std::vector<double> sums(static_cast<std::size_t>(host_threads()));
  index_t turn = 0;
  const auto memory = [&](auto loop) {
    return [&, loop] {
      ++turn;
      on_all_threads([&](int t) { sums[static_cast<std::size_t>(t)] += loop(s.at(t, turn)); });
    };
  };
  struct way {
    double* ceiling;
    double amount;
    std::function<void()> call;
  };
  const auto chains = [&](auto loop) {
    return [&, loop] { on_all_threads([&](int t) { sums[static_cast<std::size_t>(t)] = loop(rounds); }); };
  };
  const double bytes = s.bytes(), fmas = static_cast<double>(rounds * host_threads());
  std::vector<way> ways{{&found.copy, 2 * bytes,
                         memory([=](index_t i) { return std::memcpy(z + i, x + i, words * sizeof *x) != z + i; })},
                        {&found.fma_f32, loops.flops_float * fmas, chains(loops.fma_float)},
                        {&found.fma_f64, loops.flops_double * fmas, chains(loops.fma_double)}};
  for (const auto copy : loops.copies)
    ways.push_back({&found.copy, 2 * bytes, memory([=](index_t i) { return copy(x + i, z + i, words), 0; })});
  for (const auto read : loops.reads)
    ways.push_back({&found.read, bytes, memory([=](index_t i) { return read(x + i, words) == 1; })});
  for (const auto update : loops.updates)
    ways.push_back({&found.update, 2 * bytes, memory([=](index_t i) { return update(y + i, words), 0; })});
  for (const auto combine : loops.combines)
    ways.push_back(
        {&found.combine, 3 * bytes, memory([=](index_t i) { return combine(x + i, y + i, z + i, words), 0; })});
  const int count = static_cast<int>(ways.size());
  const std::vector<timing> times = measure(
      count, [&](int w) { ways[w].call(); }, [] {}, {each.budget * count, each.sample});
  for (int w = 0; w < count; ++w) *ways[w].ceiling = std::max(*ways[w].ceiling, ways[w].amount / times[w].best);
  found.fma_f32_by = found.fma_f64_by = loops.name;
  return found;
}

}  // namespace abax::perf

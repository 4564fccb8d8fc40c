// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "drawn.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string_view>

#include "../random.hpp"

namespace abax::perf::verify {
namespace {

// Fixed amounts, for ranks that differ draw the same: a drawn call takes a second or so on one slow core.
constexpr double most_operations = 2e9, most_drawn_bytes = 64 << 20;
constexpr double host_bytes = 192 << 20, device_bytes = 1 << 30;
constexpr index_t side_of_a_thread = 512, host_side = 4096, device_side = 8192;

bool is_launch(const kernel* k) { return first_word(k->name) == "launch"; }

/// The largest shape within so many bytes, and a little less, so that edges of tiles are met; batches are of small
/// items.
extents shape_within(const kernel& k, double bytes, index_t most, std::uint64_t random) {
  const bool batch = std::string_view(k.written) == "kn";
  const auto of = [&](index_t n) {
    std::vector<index_t> numbers(std::strlen(k.written), n);
    if (batch) numbers[0] = 2 + static_cast<index_t>(random % 32);
    return shape_of_numbers(k.written, numbers);
  };
  index_t n = 0;
  for (index_t step = most; step > 0; step /= 2)
    if (n + step <= most && k.stored_bytes(of(n + step)) <= bytes) n += step;
  n = std::max<index_t>(n, 1);
  return of(n - static_cast<index_t>(random / 64 % 8) * (n / 100));
}

}  // namespace

drawn_call draw(const drawing& from, int number) {
  std::vector<const kernel*> products, others;
  for (const kernel* const k : from.kernels)
    if (k->arithmetic())
      products.push_back(k);
    else if (!is_launch(k))
      others.push_back(k);
  const std::vector<std::vector<const kernel*>> groups = groups_of(from.kernels);
  const int turn = number % 4, round = number / 4;
  if (turn % 2 != 0 && !groups.empty()) {
    const int count = 2 * round + turn / 2;
    const auto in_turn = static_cast<std::size_t>(count) % groups.size();
    const drawn_case drawn = draw_case(groups[in_turn], from.seed, count, [&](const drawn_case& d) {
      return d.what->flops(d.shape) <= most_operations &&
             d.what->stored_bytes(d.shape) <= std::min(from.most_bytes, most_drawn_bytes);
    });
    return {drawn.what, drawn.shape, from.backends, false};
  }
  const std::vector<const kernel*>& large = (turn == 0 || others.empty()) && !products.empty() ? products : others;
  if (large.empty()) throw std::runtime_error("nothing is chosen: `abax-perf list` shows what there is");
  std::seed_seq words{from.seed, static_cast<unsigned>(number)};
  std::mt19937_64 random(words);
  const std::vector<backend> where{from.backends[static_cast<std::size_t>(round) % from.backends.size()]};
  const kernel& k = *large[random() % large.size()];
  const bool on_host = where[0] == backend::host;
  const auto side = side_of_a_thread * static_cast<index_t>(std::ceil(std::sqrt(from.most_threads)));
  const index_t most = !k.arithmetic() ? index_t(1) << 30 : on_host ? std::min(side, host_side) : device_side;
  return {&k, shape_within(k, std::min(from.most_bytes, on_host ? host_bytes : device_bytes), most, random()), where,
          true};
}

}  // namespace abax::perf::verify

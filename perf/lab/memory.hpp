// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the parts of experiment "memory" share: rings of pointers, and the kernels that follow them and read.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rungs.hpp"

namespace abax::lab {

namespace memory {
inline constexpr const char* experiment_name = "memory";
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
inline unsigned end_of(const std::vector<unsigned>& next, index_t steps) {
  unsigned at = 0;
  for (index_t s = 0; s < steps; ++s) at = next[at];
  return at;
}

struct copy_words {
  const std::vector<unsigned>* from;
  unsigned* to;

  void operator()(const Kokkos::TeamPolicy<host>::member_type&) const { std::copy(from->begin(), from->end(), to); }
};

/// On the host the one team that will follow the pointers copies them: all pages lie near it. (A copy of Kokkos' own is
/// done by all threads.)
template <class Space>
array<Space, unsigned> in_memory(const std::vector<unsigned>& words) {
  array<Space, unsigned> there(Kokkos::view_alloc(Kokkos::WithoutInitializing, "next"), words.size());
  if constexpr (backend_of<Space> == backend::host) {
    Kokkos::parallel_for("abax-lab::touch", teams<host>(1, 1, 0), copy_words{&words, there.data()});
    host().fence();
  } else {
    Kokkos::deep_copy(
        there, Kokkos::View<const unsigned*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(words.data(), words.size()));
  }
  return there;
}

/// One thread follows `steps` pointers from *at on, in memory or in scratch, into which the team copies the first
/// words: each launch goes on where the one before it ended, so that a ring beyond the caches is not found there.
template <class Space>
struct chase_team {
  const unsigned* next;
  int scratch_words;  // 0: in memory
  index_t steps;
  unsigned* at;

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const unsigned* from = next;
    if (scratch_words > 0) {
      const std::size_t bytes = sizeof(unsigned) * static_cast<std::size_t>(scratch_words);
      unsigned* const copy = static_cast<unsigned*>(team.team_shmem().get_shmem_aligned(bytes, 16));
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, scratch_words), [&](int i) { copy[i] = next[i]; });
      team.team_barrier();
      from = copy;
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      unsigned now = *at;
      for (index_t s = 0; s < steps; ++s) now = from[now];
      *at = now;
    });
  }
};

/// Every team of 512 threads reads `words` words (a multiple of 4096) of x, or of a copy in scratch, `rounds` times
/// over; `together`: all teams share them instead. A thread's sum of them goes to sums.
template <class Space>
struct read_team {
  static constexpr int threads = 512, in_flight = 8;
  const std::uint64_t* x;
  int words, rounds;
  bool scratch, together;
  std::uint64_t* sums;

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const std::uint64_t* from = x;
    if (scratch) {
      const std::size_t bytes = sizeof(std::uint64_t) * static_cast<std::size_t>(words);
      std::uint64_t* const copy = static_cast<std::uint64_t*>(team.team_shmem().get_shmem_aligned(bytes, 16));
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, words), [&](int i) { copy[i] = x[i]; });
      team.team_barrier();
      from = copy;
    }
    const int step = together ? team.league_size() * threads : threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int t) {
      std::uint64_t sum = 0;
      for (int r = 0; r < rounds; ++r) {
        // Another share in each round: of its own, a team would find the second time in the cache nearest to it.
        const int share = together ? (team.league_rank() + r % team.league_size() * 67) % team.league_size() : 0;
        for (int i = share * threads + t; i < words; i += in_flight * step) {
          std::uint64_t v[in_flight];
          for (int e = 0; e < in_flight; ++e) v[e] = i + e * step < words ? from[i + e * step] : 0;
          for (int e = 0; e < in_flight; ++e) sum += v[e];
        }
      }
      sums[index_t(team.league_rank()) * threads + t] = sum;
    });
  }
};

struct fill_longs {
  std::uint64_t* x;

  KOKKOS_FUNCTION void operator()(index_t i) const { x[i] = perf::mix(static_cast<std::uint64_t>(i)); }
};
struct sum_longs {
  const std::uint64_t* x;

  KOKKOS_FUNCTION void operator()(index_t i, std::uint64_t& sum) const { sum += x[i]; }
};
template <class Space>
std::uint64_t sum_of(const std::uint64_t* x, index_t n) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("abax-lab::sum", range<Space>(n), sum_longs{x}, sum);
  return sum;
}

inline std::string size_text(double bytes) {
  const bool kilo = std::fmod(bytes, 1 << 20) != 0;
  return std::to_string(static_cast<long>(bytes / (kilo ? 1 << 10 : 1 << 20))) + (kilo ? " KB" : " MB");
}

struct chase {
  std::string name;
  const char* variant;
  index_t places;                       // of the ring
  index_t steps;                        // of a call that is timed
  unsigned want;                        // where the first one ends
  std::function<void(index_t)> launch;  // of so many steps; the next one goes on where it ended
  std::function<unsigned()> end;
};

/// Times one chase, before there is another one: between two samples of a ring others would push it out of the caches.
/// Before that it is followed around until the caches hold what they can of it: a ring that fits one is found there.
template <class Space>
void run_chase(const settings& how, experiment_result& result, const chase& one) {
  case_result c = case_of<Space>(experiment_name, "latency/" + one.name, one.variant);
  c.label.clear();
  c.given["steps"] = static_cast<double>(one.steps);
  rungs alone(how, backend_of<Space>, result);
  alone.add(
      c, [&] { one.launch(one.steps); },
      [&] {
        if (one.end() != one.want) throw wrong_output(c, "the chain of pointers ended elsewhere");
        return std::string("where the chain of pointers ends");
      });
  if (!how.once) {
    const std::size_t cache =
        backend_of<Space> == backend::host ? perf::host_cache_bytes() : perf::device_cache_bytes();
    const auto kept = static_cast<index_t>(2 * cache / (hop_words * sizeof(unsigned)));  // places; with room to spare
    one.launch(3 * std::min(one.places, kept));
  }
  alone.finish();
  auto& m = result.cases.back().measured;
  if (m.count("seconds_median") == 0) return;
  for (const auto& [of_steps, of_call] :
       {std::pair("nanoseconds_per_step", "seconds_median"), std::pair("nanoseconds_low", "seconds_low"),
        std::pair("nanoseconds_high", "seconds_high")})
    m[of_steps] = m[of_call] / static_cast<double>(one.steps) * 1e9;
}

inline std::vector<bar> bandwidth_bars(const std::vector<case_result>& cases) {
  std::vector<case_result> chosen;
  for (case_result c : cases)
    if (c.name.starts_with("bandwidth/")) {
      c.name = c.name.substr(10);
      chosen.push_back(c);
    }
  return rate_bars(chosen, "bytes");
}
}  // namespace memory

void run_device_memory(const settings& how, experiment_result& result);

}  // namespace abax::lab

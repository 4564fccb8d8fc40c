// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "carveout": L1 cache and scratch are one memory on a GPU, and a program may ask how they share it. Also:
// more threads than elements, and fewer.
#include "arrays.hpp"
#include "figures.hpp"
#include "handwritten/lab/ladders.hpp"

namespace abax::lab {
namespace {

/// x(i) <- i for i < n, whatever the number of teams: threads beyond n do nothing, and where there are fewer than n,
/// each takes several.
struct number_team {
  static constexpr int threads = 256;
  index_t n;
  float* x;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const index_t league = index_t(team.league_size()) * threads;
    const int all = threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) {
      for (index_t i = index_t(team.league_rank()) * threads + t; i < n; i += league) x[i] = static_cast<float>(i);
    });
  }
};

struct number_or_poison {
  index_t n;

  KOKKOS_FUNCTION float operator()(index_t i) const { return i < n ? static_cast<float>(i) : perf::poison<float>(); }
};

template <class Space>
void run_on(const settings& how, experiment_result& result) {
  const index_t n = (how.small() ? 1 << 20 : 1 << 23) - 3, behind = 1024;  // n: no multiple of a team
  const index_t exact = (n + number_team::threads - 1) / number_team::threads;
  const auto x = uninitialised<array<Space>>(n + behind);
  bench all(how, backend_of<Space>, result);
  struct league {
    const char* name;
    index_t teams;
  };
  for (const league& l : {league{"just enough threads", exact}, league{"four times as many threads", 4 * exact},
                          league{"a sixteenth of the threads", (exact + 15) / 16}, league{"one team", 1}}) {
    add_both<Space>(
        all,
        {.name = std::string("threads and elements/") + l.name, .given = {{"bytes", 4.0 * static_cast<double>(n)}}}, x,
        {1, 1}, [=](int) { return number_or_poison{n}; },
        [=](int) {
          Kokkos::parallel_for("abax-lab::carveout", teams<Space>(l.teams, number_team::threads),
                               number_team{n, x.data()});
        },
        [=](int, auto queue) { handwritten::lab::number_elements(n, static_cast<int>(l.teams), x.data(), queue); });
  }
  result.draw(
      bars({std::to_string(n) + " elements by more and by fewer threads, " + perf::backend_name(backend_of<Space>),
            "Threads beyond the last element need a guard, and their start costs time. Where there are fewer "
            "threads than elements, each takes several, a whole grid apart, so that neighbours still access "
            "neighbours. That is as fast, as long as the threads fill the machine; one team does not."},
           bars_of(all.finish(), rate_of("bytes")), "GB/s written"));
}

struct named_request {
  const char* name;
  handwritten::lab::cache_request asked;
};
constexpr named_request requests[] = {{"no request", {0, -1}},
                                      {"cudaFuncCachePreferNone", {0, -2}},
                                      {"cudaFuncCachePreferShared", {1, -2}},
                                      {"cudaFuncCachePreferL1", {2, -2}},
                                      {"cudaFuncCachePreferEqual", {3, -2}},
                                      {"carve-out 0 %", {0, 0}},
                                      {"carve-out 50 %", {0, 50}},
                                      {"carve-out 100 %", {0, 100}}};

/// A step of 33 words in a ring: the pointers that the scratch kernel follows.
struct next_hop {
  KOKKOS_FUNCTION unsigned operator()(index_t i) const {
    return static_cast<unsigned>((i + 33) % handwritten::lab::held_words);
  }
};
struct constant {
  unsigned value;

  KOKKOS_FUNCTION unsigned operator()(index_t) const { return value; }
};

/// Whether the intervals of two medians lie apart, by 1 % at least: less may be the chip's drift between them.
bool apart(const case_result& a, const case_result& b) {
  return a.measured.at("seconds_low") > 1.01 * b.measured.at("seconds_high") ||
         1.01 * a.measured.at("seconds_high") < b.measured.at("seconds_low");
}

template <class Space>
void run_requests(const settings& how, experiment_result& result) {
  using words_array = array<Space, unsigned>;
  using handwritten::lab::held_words;
  const int processors = Space().cuda_device_prop().multiProcessorCount;

  // A working set that the L1 holds if it gets most of the memory, and does not hold if scratch does.
  const std::size_t bytes = 160 * 1024;
  const index_t words = static_cast<index_t>(bytes / sizeof(unsigned));
  const int rounds = how.small() ? 20 : 200, steps = how.small() ? 2000 : 20000, blocks = 8 * processors;
  const auto x = uninitialised<words_array>(words), next = uninitialised<words_array>(held_words);
  const words_array sums("sums", static_cast<std::size_t>(processors)), last("last", static_cast<std::size_t>(blocks)),
      held("held", 1024), most("most", 1);
  fill<Space>(x.data(), words, random_of{});
  fill<Space>(next.data(), held_words, next_hop{});
  const unsigned sum = sum_of<Space>(x.data(), words) * static_cast<unsigned>(rounds);
  const auto end = static_cast<unsigned>(33LL * steps % held_words);

  bench cache(how, backend::device, result), scratch(how, backend::device, result);
  for (const auto& [name, asked] : requests) {
    const auto read = [=, asked = asked] {
      handwritten::lab::read_again(asked, processors, bytes, rounds, x.data(), sums.data(), stream<Space>());
    };
    const auto hold = [=, asked = asked] {
      handwritten::lab::hold_scratch(asked, blocks, steps, next.data(), last.data(), held.data(), most.data(),
                                     stream<Space>());
    };
    const auto sums_right = [&] {
      require<Space>(sums.data(), processors, constant{sum});
      return "the sum of every block";
    };
    const auto ends_right = [&] {
      require<Space>(last.data(), blocks, constant{end});
      return "where every block's chain ends";
    };
    Kokkos::deep_copy(sums, 0U);
    cache.add(std::string("a kernel limited by the L1/") + name, "handwritten", read, sums_right,
              {{"bytes", static_cast<double>(bytes) * rounds * processors}});
    Kokkos::deep_copy(held, 0U);
    Kokkos::deep_copy(most, 0U);
    case_result& c = scratch.add(std::string("a kernel limited by scratch/") + name, "handwritten", hold, ends_right);
    c.output["teams_per_multiprocessor"] = values_of(most)[0];
  }
  const std::vector<case_result> by_cache = cache.finish(), by_scratch = scratch.finish();

  const char* error = nullptr;
  const int banks = handwritten::lab::banks_of_eight_bytes(&error);
  case_result& b = scratch.add_untimed("banks of 8 bytes asked for", "handwritten", "what the runtime says was set");
  b.output["bank_bytes"] = banks;
  b.notes["answer"] = error != nullptr ? error : banks == 8 ? "granted" : "accepted, and ignored";
  if (how.once) return;

  table_rows rows;
  for (std::size_t i = 0; i < by_cache.size(); ++i) {
    const bool seen = apart(by_cache[i], by_cache[0]) || apart(by_scratch[i], by_scratch[0]) ||
                      by_scratch[i].output != by_scratch[0].output;
    rows.push_back({requests[i].name, text_of("%.0f GB/s", rate_of("bytes")(by_cache[i])->value),
                    text_of("%.0f", by_scratch[i].output.at("teams_per_multiprocessor")),
                    text_of("%.2f ms", time_in(1e3)(by_scratch[i])->value),
                    i == 0 ? ""
                    : seen ? "seen"
                           : "none seen"});
  }
  result.draw(table(
      {"Requests for cache and scratch, and their effects",
       "One kernel reads 160 KB again and again, which the L1 cache holds only if scratch leaves it enough; "
       "the other one's blocks of 24 KB of scratch wait for their own loads, so that more of them at a "
       "time are faster. An effect is seen where a kernel's 95 % interval lies 1 % or more apart from "
       "that without a request, or the number of teams differs. The call for banks of 8 bytes: " +
           b.notes["answer"] + ", " + std::to_string(banks) + " bytes afterwards.",
       "", "", from_clock},
      {"request", "L1 kernel", "teams of the scratch kernel a multiprocessor", "scratch kernel", "effect"}, rows));
}

}  // namespace

void run_carveout(const settings& how, experiment_result& result) {
  result.text = {
      "On a GPU the L1 cache and scratch share one memory of each multiprocessor. Two calls ask for a division of it, "
      "kernel by kernel: the older cudaFuncSetCacheConfig (shared, L1, equal, none) and the carve-out attribute, a "
      "percentage. Both are hints.",
      "Banks of 8 bytes existed on one generation of GPUs; the call that asked for them still exists. What the runtime "
      "answers today stands with the figures.",
      "The number of threads need not be the number of elements. Too many need a guard by the number of elements, not "
      "of threads; too few need a loop with the stride of the whole league."};
  result.left_out.push_back(
      "Requests of portable kernels: Kokkos sets the carve-out itself, from a kernel's scratch and occupancy, and has "
      "no "
      "call for it. On a CPU scratch is the cache.");
  for_each_space(how, [&]<class Space>(Space) { run_on<Space>(how, result); });
  for_each_space(how, [&]<class Space>(Space) {
    if constexpr (backend_of<Space> == backend::device) run_requests<Space>(how, result);
  });
}

}  // namespace abax::lab

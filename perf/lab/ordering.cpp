// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "ordering": what a thread may see of another one's stores, and what a tile without its barrier is.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "../suite/interruption.hpp"
#include "arrays.hpp"
#include "figures.hpp"
#include "handwritten/lab/ladders.hpp"

namespace abax::lab {
namespace {

using handwritten::lab::outcomes, handwritten::lab::passing;

constexpr int looks = 20000;  // at a flag, at most: no thread waits for ever

/// Messages from each even team to the odd one after it, by relaxed atomic accesses to words that no one else uses.
template <bool Fence>
struct messages_team {
  int rounds, side;                // side: writers of a team
  unsigned *data, *flags, *ready;  // (pairs, rounds, side) each
  outcomes* found;                 // one for each reader

  KOKKOS_FUNCTION static bool wait_for(const unsigned* flag) {
    for (int look = 0; look < looks; ++look)
      if (Kokkos::atomic_load(flag) != 0) return true;
    return false;
  }
  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const int pair = team.league_rank() / 2;
    const bool writes = team.league_rank() % 2 == 0;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, side), [&](int thread) {
      outcomes seen{};
      for (int round = 0; round < rounds; ++round) {
        const int at = (pair * rounds + round) * side + thread;
        if (writes) {
          wait_for(ready + at);
          Kokkos::atomic_store(data + at, 1U);
          if (Fence) Kokkos::memory_fence();
          Kokkos::atomic_store(flags + at, 1U);
        } else {
          Kokkos::atomic_store(ready + at, 1U);
          const bool flag = wait_for(flags + at);
          if (Fence) Kokkos::memory_fence();
          const bool message = Kokkos::atomic_load(data + at) != 0;
          seen.both += flag && message;
          seen.neither += !flag && !message;
          seen.data_only += !flag && message;
          seen.flag_only += flag && !message;
        }
      }
      if (!writes) found[pair * side + thread] = seen;
    });
  }
};

constexpr int tile = 256;

/// y <- x with each run of 256 elements reversed by way of scratch; without the barrier its result is undefined.
template <bool Barrier>
struct reverse_team {
  static constexpr std::size_t bytes = sizeof(float) * tile;
  const float* x;
  float* y;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const index_t first = index_t(team.league_rank()) * tile;
    const int all = tile;
    float* const x_tile = scratch_of<float>(team, bytes);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) { x_tile[t] = x[first + t]; });
    if (Barrier) team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) { y[first + t] = x_tile[tile - 1 - t]; });
  }
};

struct reversed_input {
  KOKKOS_FUNCTION float operator()(index_t i) const {
    return perf::input<float>(1, i / tile * tile + tile - 1 - i % tile);
  }
};

template <class Space>
void reverse(bool barrier, const array<Space>& x, const array<Space>& y) {
  const auto policy = teams<Space>(static_cast<index_t>(x.size()) / tile, tile, reverse_team<true>::bytes);
  if (barrier)
    Kokkos::parallel_for("abax-lab::ordering", policy, reverse_team<true>{x.data(), y.data()});
  else
    Kokkos::parallel_for("abax-lab::ordering", policy, reverse_team<false>{x.data(), y.data()});
}
template <class Space>
void reverse_by_hand(bool barrier, const array<Space>& x, const array<Space>& y) {
  handwritten::lab::reverse_blocks(barrier, static_cast<index_t>(x.size()), x.data(), y.data(), stream<Space>());
}

/// Adds the case of so many messages; throws where an outcome is missing, or one came that the fence forbids.
void add_outcomes(bench& all, const std::string& name, const char* variant, const outcomes& found, std::size_t messages,
                  bool forbidden) {
  if (const std::uint64_t seen = found.both + found.neither + found.data_only + found.flag_only; seen != messages)
    throw wrong_output(name + ": " + std::to_string(seen) + " outcomes of " + std::to_string(messages) + " messages");
  if (forbidden && found.flag_only > 0)
    throw wrong_output(name + ": " + std::to_string(found.flag_only) +
                       " flags came before their data, despite the fence");
  case_result& c = all.add_untimed(name, variant,
                                   forbidden ? "all messages have an outcome, none has the flag without the data"
                                             : "all messages have an outcome; any is allowed");
  c.given["messages"] = static_cast<double>(messages);
  c.output = {{"flag_and_data", found.both},
              {"neither", found.neither},
              {"data_without_flag", found.data_only},
              {"flag_without_data", found.flag_only}};
  c.notes["flag without data"] = forbidden ? "forbidden by the fence" : "allowed";
}

template <class Space, bool Fence>
void pass_messages(const settings& how, experiment_result& result) {
  constexpr bool on_host = backend_of<Space> == backend::host;
  const int pairs = on_host ? Space().concurrency() / 2 : how.small() ? 16 : 64, side = on_host ? 1 : 128;
  const int rounds = on_host ? (how.small() ? 2000 : 20000) : how.small() ? 16 : 256;
  const auto words = static_cast<std::size_t>(pairs * rounds * side);
  const array<Space, unsigned> data("data", words), flags("flags", words), ready("ready", words);
  const array<Space, outcomes> found("outcomes", static_cast<std::size_t>(pairs * side));
  auto policy = teams<Space>(2 * pairs, side);
  policy.set_chunk_size(1);  // a thread of the host's for each team
  Kokkos::parallel_for("abax-lab::ordering", policy,
                       messages_team<Fence>{rounds, side, data.data(), flags.data(), ready.data(), found.data()});
  Space().fence();
  outcomes sum{};
  for (const outcomes& o : values_of(found))
    sum = {sum.both + o.both, sum.neither + o.neither, sum.data_only + o.data_only, sum.flag_only + o.flag_only};
  bench all(how, backend_of<Space>, result);
  add_outcomes(all, std::string("messages between teams/relaxed atomics, ") + (Fence ? "memory_fence" : "no fence"),
               "portable", sum, words, Fence);
}

template <class Space>
void run_on(const settings& how, experiment_result& result) {
  if (backend_of<Space> == backend::host && Space().concurrency() < 2) {
    result.left_out.push_back("Messages on the host: they need two threads, and this run has one.");
  } else {
    pass_messages<Space, false>(how, result);
    pass_messages<Space, true>(how, result);
  }
  const index_t n = tile * 64;
  const array<Space> x = inputs<Space>(1, n), y = uninitialised<array<Space>>(n);
  bench all(how, backend_of<Space>, result);
  add_both<Space>(
      all, {.name = "reverse a tile/with the barrier", .counted = true}, y, {1, 1},
      [](int) { return reversed_input{}; }, [=](int) { reverse<Space>(true, x, y); },
      [=](int, auto) { reverse_by_hand<Space>(true, x, y); });
  all.finish();
}

struct way {
  passing how;
  const char* name;
  bool orders_in_block, orders_on_device;
};
constexpr way ways[] = {{passing::plain, "plain data, no fence", false, false},
                        {passing::block_fence, "plain data, __threadfence_block", true, false},
                        {passing::device_fence, "plain data, __threadfence", true, true},
                        {passing::system_fence, "plain data, __threadfence_system", true, true},
                        {passing::volatile_data, "volatile data, no fence", false, false},
                        {passing::volatile_and_device_fence, "volatile data, __threadfence", true, true}};

template <class Space>
void run_twins(const settings& how, experiment_result& result) {
  const int pairs = how.small() ? 16 : 64, rounds = how.small() ? 16 : 256;
  const std::size_t messages = static_cast<std::size_t>(pairs * rounds) * 128;
  const array<Space, unsigned> memory("words", 3 * messages);
  const array<Space, outcomes> found("outcomes", 1);
  bench all(how, backend::device, result);
  table_rows rows;
  for (const bool same_block : {false, true})
    for (const way& w : ways) {
      Kokkos::deep_copy(memory, 0U);
      Kokkos::deep_copy(found, outcomes{});
      handwritten::lab::pass_messages(w.how, same_block, pairs, rounds, memory.data(), found.data(), stream<Space>());
      Space().fence();
      const outcomes seen = values_of(found)[0];
      const bool forbidden = same_block ? w.orders_in_block : w.orders_on_device;
      const std::string where = same_block ? "within a block" : "between blocks";
      add_outcomes(all, "messages " + where + "/" + w.name, "handwritten", seen, messages, forbidden);
      rows.push_back({where, w.name, std::to_string(seen.both), std::to_string(seen.flag_only),
                      std::to_string(seen.neither + seen.data_only), forbidden ? "forbidden" : "allowed"});
    }
  result.draw(table({"Messages and what readers saw",
                     "A writer stores data, then a flag; a reader waits for the flag, then loads the data. The reader "
                     "has an old copy of the data's sector in its L1 cache, and without a fence, or with one for its "
                     "block only, it may be served from there: flag without data. A fence for the device on both sides "
                     "forbids that. Allowed does not mean that it is seen: volatile loads go past the L1 cache, and "
                     "still promise no order.",
                     "", "", from_output},
                    {"reader and writer", "how", "flag and data", "flag without data", "flag not seen in time",
                     "flag without data is"},
                    rows));
}

/// The outcome of racecheck: hazards, or none where the tool or the program under it did not come to an end.
std::optional<int> hazards_of(const std::string& variant, bool barrier) {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return std::nullopt;
  const std::string command = "timeout -k 5 120 compute-sanitizer --tool racecheck --print-limit 1 '" +
                              std::string(self, static_cast<std::size_t>(length)) + "' race " + variant +
                              (barrier ? " with" : " without") + " 2>&1";
  FILE* const out = popen(command.c_str(), "r");
  if (out == nullptr) return std::nullopt;
  std::optional<int> found;
  char line[1024];
  while (std::fgets(line, sizeof line, out) != nullptr) {
    const std::string text = line, mark = "RACECHECK SUMMARY: ";
    if (const std::size_t at = text.find(mark); at != std::string::npos)
      found = std::atoi(text.c_str() + at + mark.size());
  }
  const bool ended = pclose(out) == 0;  // hazards found are no failure
  perf::require_going_on();
  return ended ? found : std::nullopt;
}

void run_racecheck(const settings& how, experiment_result& result) {
  bench all(how, backend::device, result);
  table_rows rows;
  for (const char* const variant : {"portable", "handwritten"})
    for (const bool barrier : {true, false}) {
      const std::optional<int> hazards = hazards_of(variant, barrier);
      if (!hazards) {
        result.left_out.push_back(
            "Racecheck of the tile without its barrier: it needs compute-sanitizer on the PATH and the right to use it "
            "(by hand: compute-sanitizer --tool racecheck abax-lab race handwritten without).");
        return;
      }
      const std::string with = barrier ? "with" : "without";
      if (barrier && *hazards != 0) throw wrong_output("racecheck found a hazard despite the barrier");
      if (!barrier && *hazards == 0) throw wrong_output("racecheck did not find the missing barrier");
      all.add_untimed("reverse a tile, under racecheck/" + with + " the barrier", variant,
                      "by racecheck of compute-sanitizer")
          .output["hazards"] = *hazards;
      rows.push_back({variant, with, std::to_string(*hazards)});
    }
  result.draw(table({"A tile with its barrier and without, under racecheck",
                     "Each thread stores a word to scratch and loads one that a thread of another warp has stored. "
                     "Without a barrier between the two the result may be right every time, depending on which thread "
                     "is first. Racecheck follows every access to scratch instead, and reports pairs that nothing "
                     "orders.",
                     "", "", from_output},
                    {"kernel", "barrier", "hazards"}, rows));
}

}  // namespace

void race(const std::string& variant, bool barrier) {
  const array<device> x = inputs<device>(1, 4 * tile), y = poisoned<device>(4 * tile);
  auto run = reverse<device>;
  if constexpr (has_gpu)
    if (variant == "handwritten") run = reverse_by_hand<device>;
  run(barrier, x, y);
  device().fence();
}

void run_ordering(const settings& how, experiment_result& result) {
  result.text = {
      "Stores of one thread may become visible to another one in a different order than they were made, and loads may "
      "be served early. A barrier orders everything among the threads that wait at it; a fence orders what a thread "
      "did "
      "before it and does after it, for the threads of its block, of the device, or of the whole system.",
      "A message needs order on both sides: the writer's fence between data and flag, and the reader's between flag "
      "and "
      "data. Every wait in this experiment is bounded, because nothing promises that the other side runs at the same "
      "time.",
      "All threads of the team must reach a barrier: one inside a branch that only some take is undefined, however "
      "often it seems to work. All kernels of the lab keep threads without an element in the loop."};
  for_each_space(how, [&]<class Space>(Space) { run_on<Space>(how, result); });
  for_each_space(how, [&]<class Space>(Space) {
    if constexpr (backend_of<Space> == backend::device) run_twins<Space>(how, result);
  });
  if (how.wants(backend::device) && !how.once) run_racecheck(how, result);
  result.left_out.push_back(
      "On the host: x86 processors keep stores in order and loads in order, so that messages arrive whole with or "
      "without a fence; and a team there is one thread, which has no other to race with.");
}

}  // namespace abax::lab

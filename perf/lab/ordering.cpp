// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "ordering": what a thread may see of another one's stores, and what a tile without its barrier is.
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "../suite/interruption.hpp"
#include "rungs.hpp"
#include "runs.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/handwritten/lab/ladders.hpp"
#endif

namespace abax::lab {
namespace {

constexpr const char* experiment_name = "ordering";

/// What readers saw: the new flag and the new data, neither, the data alone, the flag alone.
struct outcomes {
  std::uint64_t both, neither, data_only, flag_only;

  std::uint64_t all() const { return both + neither + data_only + flag_only; }
};

constexpr int looks = 20000;  // at a flag, at most: nobody waits for ever

/// Messages from each even team to the odd one after it, by relaxed atomic accesses to words that no one else uses.
template <class Space, bool Fence>
struct messages_team {
  int rounds, side;                // side: writers of a team
  unsigned *data, *flags, *ready;  // (pairs, rounds, side) each
  outcomes* found;                 // one for each reader

  KOKKOS_FUNCTION static bool wait_for(const unsigned* flag) {
    for (int look = 0; look < looks; ++look)
      if (Kokkos::atomic_load(flag) != 0) return true;
    return false;
  }
  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
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

/// y <- x with each run of 256 elements reversed by way of scratch; without the barrier its result is undefined.
template <class Space, bool Barrier>
struct reverse_team {
  static constexpr int tile = 256;
  const float* x;
  float* y;

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const index_t first = index_t(team.league_rank()) * tile;
    float* const x_tile = static_cast<float*>(team.team_shmem().get_shmem_aligned(sizeof(float) * tile, 16));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile), [&](int t) { x_tile[t] = x[first + t]; });
    if (Barrier) team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile), [&](int t) { y[first + t] = x_tile[tile - 1 - t]; });
  }
};

struct wrong_reverse {
  const float* y;

  KOKKOS_FUNCTION void operator()(index_t i, index_t& found) const {
    const float want = perf::input<float>(1, i / 256 * 256 + 255 - i % 256);
    found += Kokkos::bit_cast<std::uint32_t>(y[i]) != Kokkos::bit_cast<std::uint32_t>(want);
  }
};

template <class Space, bool Barrier>
void reverse(index_t n, const float* x, float* y) {
  using kernel = reverse_team<Space, Barrier>;
  Kokkos::parallel_for(experiment_name, teams<Space>(static_cast<int>(n / kernel::tile), kernel::tile, 1024 + 16),
                       kernel{x, y});
}

/// Adds the case of so many messages; throws where an outcome is missing or one came that the fence forbids.
void add_outcomes(experiment_result& result, case_result c, const outcomes& found, std::uint64_t messages,
                  bool forbidden) {
  if (found.all() != messages)
    throw wrong_output(c, std::to_string(found.all()) + " outcomes of " + std::to_string(messages) + " messages");
  if (forbidden && found.flag_only > 0)
    throw wrong_output(c, std::to_string(found.flag_only) + " flags came before their data, in spite of the fence");
  c.checked = forbidden ? "all messages have an outcome, none has the flag without the data"
                        : "all messages have an outcome; any is allowed";
  c.given["messages"] = static_cast<double>(messages);
  c.output["flag_and_data"] = static_cast<double>(found.both);
  c.output["neither"] = static_cast<double>(found.neither);
  c.output["data_without_flag"] = static_cast<double>(found.data_only);
  c.output["flag_without_data"] = static_cast<double>(found.flag_only);
  c.notes["flag without data"] = forbidden ? "forbidden by the fence" : "allowed";
  result.cases.push_back(std::move(c));
}

template <class Space, bool Fence>
void pass_messages(const settings& how, experiment_result& result) {
  constexpr bool on_host = backend_of<Space> == backend::host;
  const int pairs = on_host ? Space().concurrency() / 2 : small(how) ? 16 : 64, side = on_host ? 1 : 128;
  const int rounds = on_host ? (small(how) ? 2000 : 20000) : small(how) ? 16 : 256;
  const int words = pairs * rounds * side;
  const array<Space, unsigned> data("data", words), flags("flags", words), ready("ready", words);
  const Kokkos::View<outcomes*, typename Space::memory_space> found("outcomes", static_cast<std::size_t>(pairs * side));
  using kernel = messages_team<Space, Fence>;
  auto policy = teams<Space>(2 * pairs, side, 0);
  policy.set_chunk_size(1);  // a thread of the host's for each team
  Kokkos::parallel_for(experiment_name, policy,
                       kernel{rounds, side, data.data(), flags.data(), ready.data(), found.data()});
  Space().fence();
  outcomes sum{};
  const auto host_found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  for (std::size_t i = 0; i < host_found.size(); ++i) {
    const outcomes& o = host_found(i);
    sum = {sum.both + o.both, sum.neither + o.neither, sum.data_only + o.data_only, sum.flag_only + o.flag_only};
  }
  case_result c = case_of<Space>(experiment_name,
                                 Fence ? "messages between teams/relaxed atomics, memory_fence"
                                       : "messages between teams/relaxed atomics, no fence",
                                 "portable");
  c.label.clear();
  add_outcomes(result, c, sum, static_cast<std::uint64_t>(words), Fence);
}

template <class Space>
void run_on(const settings& how, experiment_result& result) {
  if (backend_of<Space> == backend::host && Space().concurrency() < 2) {
    result.left_out.push_back("Messages on the host: they need two threads, and this run has one.");
  } else {
    pass_messages<Space, false>(how, result);
    pass_messages<Space, true>(how, result);
  }
  const index_t n = 256 * 64;
  const array<Space> x = random_floats<Space>("x", 1, n), y = poisoned<Space>("y", n);
  rungs all(how, backend_of<Space>, result);
  const auto check = [&](const case_result& c) {
    if (const index_t wrong = count<Space>(n, wrong_reverse{y.data()}))
      throw wrong_output(c, std::to_string(wrong) + " elements are wrong");
    return std::string("bits of every element");
  };
  const case_result c = case_of<Space>(experiment_name, "reverse a tile/with the barrier", "portable");
  all.add(
      c, [=] { reverse<Space, true>(n, x.data(), y.data()); }, [&] { return check(c); });
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (backend_of<Space> == backend::device) {
    const case_result twin = case_of<Space>(experiment_name, "reverse a tile/with the barrier", "handwritten");
    poison<Space>(y);
    all.add(
        twin, [=] { handwritten::lab::reverse_blocks(true, n, x.data(), y.data(), Space().cuda_stream()); },
        [&] { return check(twin); });
  }
#endif
  all.finish();
}

#if defined(KOKKOS_ENABLE_CUDA)
struct way {
  handwritten::lab::passing how;
  const char* name;
  bool orders_in_block, orders_on_device;
};
constexpr way ways[] = {
    {handwritten::lab::passing::plain, "plain data, no fence", false, false},
    {handwritten::lab::passing::block_fence, "plain data, __threadfence_block", true, false},
    {handwritten::lab::passing::device_fence, "plain data, __threadfence", true, true},
    {handwritten::lab::passing::system_fence, "plain data, __threadfence_system", true, true},
    {handwritten::lab::passing::volatile_data, "volatile data, no fence", false, false},
    {handwritten::lab::passing::volatile_and_device_fence, "volatile data, __threadfence", true, true}};

void run_twins(const settings& how, experiment_result& result) {
  using Space = Kokkos::Cuda;
  const int pairs = small(how) ? 16 : 64, rounds = small(how) ? 16 : 256, side = 128;
  const std::size_t words = 3 * static_cast<std::size_t>(pairs * rounds * side);
  const array<Space, unsigned> memory("words", words);
  const Kokkos::View<outcomes, Space::memory_space> found("outcomes");
  std::vector<std::vector<std::string>> rows;
  for (const bool same_block : {false, true})
    for (const way& w : ways) {
      Kokkos::deep_copy(memory, 0U);
      Kokkos::deep_copy(found, outcomes{});
      handwritten::lab::pass_messages(w.how, same_block, pairs, rounds, memory.data(),
                                      reinterpret_cast<handwritten::lab::outcomes*>(found.data()),
                                      Space().cuda_stream());
      Space().fence();
      outcomes seen{};
      Kokkos::deep_copy(seen, found);
      case_result c = case_of<Space>(
          experiment_name, std::string(same_block ? "messages within a block/" : "messages between blocks/") + w.name,
          "handwritten");
      c.label.clear();
      const bool forbidden = same_block ? w.orders_in_block : w.orders_on_device;
      add_outcomes(result, c, seen, words / 3, forbidden);
      rows.push_back({same_block ? "within a block" : "between blocks", w.name, std::to_string(seen.both),
                      std::to_string(seen.flag_only), std::to_string(seen.neither + seen.data_only),
                      forbidden ? "forbidden" : "allowed"});
    }
  result.figures.push_back(
      table({"Messages and what readers saw",
             "A writer stores data, then a flag; a reader waits for the flag, then loads the data. The reader has an "
             "old copy of the data's sector in its L1 cache, as any earlier load nearby leaves one. Without a fence, "
             "or with one for its block only, it may be served from there: flag without data. A fence for the device "
             "on both sides forbids that, and not one case is found. Allowed does not mean that it is seen: volatile "
             "loads go past the L1 cache, and still promise no order.",
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
  const std::string program(self, static_cast<std::size_t>(length));
  const std::string command = "timeout -k 5 120 compute-sanitizer --tool racecheck --print-limit 1 '" + program +
                              "' race " + variant + (barrier ? " with" : " without") + " 2>&1";
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

void run_racecheck(experiment_result& result) {
  std::vector<std::vector<std::string>> rows;
  for (const char* const variant : {"portable", "handwritten"})
    for (const bool barrier : {true, false}) {
      const std::optional<int> hazards = hazards_of(variant, barrier);
      if (!hazards) {
        result.left_out.push_back(
            "Racecheck of the tile without its barrier: it needs compute-sanitizer on the PATH and the right to use it "
            "(by hand: compute-sanitizer --tool racecheck abax-lab race handwritten without).");
        return;
      }
      case_result c = case_of<Kokkos::Cuda>(
          experiment_name,
          std::string("reverse a tile, under racecheck/") + (barrier ? "with" : "without") + " the barrier", variant);
      c.label.clear();
      if (barrier && *hazards != 0) throw wrong_output(c, "racecheck found a hazard in spite of the barrier");
      if (!barrier && *hazards == 0) throw wrong_output(c, "racecheck did not find the missing barrier");
      c.checked = "by racecheck of compute-sanitizer";
      c.output["hazards"] = *hazards;
      rows.push_back({variant, barrier ? "with" : "without", std::to_string(*hazards)});
      result.cases.push_back(std::move(c));
    }
  result.figures.push_back(
      table({"A tile with its barrier and without, under racecheck",
             "Each thread stores a word to scratch and loads one that a thread of another warp has stored. Without a "
             "barrier between the two the result may even be right, time after time: whether it is depends on who "
             "comes first. So it is not shown by a wrong result but by racecheck, which follows every access to "
             "scratch and reports pairs that nothing orders.",
             "", "", from_output},
            {"kernel", "barrier", "hazards"}, rows));
}
#endif

}  // namespace

void race([[maybe_unused]] const std::string& variant, bool barrier) {
  const index_t n = 256 * 4;
  const array<device> x = random_floats<device>("x", 1, n), y = poisoned<device>("y", n);
#if defined(KOKKOS_ENABLE_CUDA)
  if (variant == "handwritten") {
    handwritten::lab::reverse_blocks(barrier, n, x.data(), y.data(), Kokkos::Cuda().cuda_stream());
    device().fence();
    return;
  }
#endif
  barrier ? reverse<device, true>(n, x.data(), y.data()) : reverse<device, false>(n, x.data(), y.data());
  device().fence();
}

void run_ordering(const settings& how, experiment_result& result) {
  result.text = {
      "Stores of one thread may become visible to another one in a different order than they were made, and loads may "
      "be served early. What is promised is little: a barrier orders everything among the threads that meet there; a "
      "fence orders what a thread did before it and does after it, for the threads of its block, of the device, or of "
      "the whole system.",
      "A message needs order on both sides: the writer's fence between data and flag, and the reader's between flag "
      "and data. Every wait in this experiment is bounded, because nothing promises that the other side runs at the "
      "same time.",
      "A barrier must be met by all threads of the team: one inside a branch that only some take is undefined, however "
      "often it seems to work. All kernels of the lab keep threads without an element in the loop."};
  for_each_space(how, [&]<class Space>(Space) { run_on<Space>(how, result); });
  result.left_out.push_back(
      "On the host: x86 processors keep stores in order and loads in order, so that messages arrive whole with or "
      "without a fence; and a team there is one thread, which races with nobody.");
#if defined(KOKKOS_ENABLE_CUDA)
  if (how.wants(backend::device)) {
    run_twins(how, result);
    if (!how.once) run_racecheck(result);
  }
#else
  result.left_out.push_back(
      "The hand-written twins with block, device and system fences, and racecheck: this build has no GPU backend.");
#endif
}

}  // namespace abax::lab

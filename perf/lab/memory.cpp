// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "memory": how long each kind of memory takes to answer, and how much it gives; from registers to the
// host's memory, and the host's caches beside it.
#include "memory.hpp"

#include <thread>

#include "../suite/host_loops.hpp"

namespace abax::lab {
namespace {

/// One thread follows `steps` pointers from *at on, in memory or in scratch, into which the team copies the first
/// words: each launch goes on where the one before it ended, so that a ring beyond the caches is not found there.
struct chase_team {
  const unsigned* next;
  int scratch_words;  // 0: in memory
  index_t steps;
  unsigned* at;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const unsigned* from = next;
    if (scratch_words > 0) {
      unsigned* const copy = scratch_of<unsigned>(team, sizeof(unsigned) * static_cast<std::size_t>(scratch_words));
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

struct copy_words {
  const unsigned* from;
  unsigned* to;
  std::size_t words;

  void operator()(const auto&) const { std::copy_n(from, words, to); }
};
/// On the host the one team that will follow the pointers copies them: all pages lie near it. (A copy of Kokkos' own is
/// done by all threads.)
template <class Space>
array<Space, unsigned> in_memory(const std::vector<unsigned>& words) {
  const auto there = uninitialised<array<Space, unsigned>>(static_cast<index_t>(words.size()));
  if constexpr (backend_of<Space> == backend::host) {
    Kokkos::parallel_for("abax-lab::touch", teams<host>(1, 1), copy_words{words.data(), there.data(), words.size()});
    host().fence();
  } else {
    copy_to(there, words);
  }
  return there;
}

std::string size_text(double bytes) {
  const bool kilo = std::fmod(bytes, 1 << 20) != 0;
  return std::to_string(static_cast<long>(bytes / (kilo ? 1 << 10 : 1 << 20))) + (kilo ? " KB" : " MB");
}

template <class Space>
void run_portable_chase(const settings& how, experiment_result& result, const std::string& name, index_t words,
                        index_t steps, bool in_scratch) {
  const std::vector<unsigned> order = ring(words, in_scratch ? 1 : hop_words);
  const array<Space, unsigned> next = in_memory<Space>(order), end("end", 1);
  const auto launch = [=](index_t so_many) {
    const std::size_t bytes = in_scratch ? sizeof(unsigned) * next.size() : 0;
    Kokkos::parallel_for("abax-lab::memory", teams<Space>(1, in_scratch ? 256 : 32, bytes),
                         chase_team{next.data(), in_scratch ? static_cast<int>(words) : 0, so_many, end.data()});
  };
  run_chase(how, backend_of<Space>, result,
            {name, "portable", order, in_scratch ? words : words / hop_words, steps, launch,
             [=] { return values_of(end)[0]; }});
}

/// Working sets whose latency is drawn as a curve: from what the nearest cache holds to what none does.
template <class Space>
series run_latency(const settings& how, experiment_result& result) {
  constexpr bool on_host = backend_of<Space> == backend::host;
  const index_t steps = on_host ? (how.small() ? 100000 : 1000000) : how.small() ? 2000 : 20000;
  const double most = on_host ? (how.small() ? 64 << 20 : 256 << 20) : how.small() ? 128 << 20 : 512 << 20;
  series curve{perf::backend_name(backend_of<Space>)};
  const auto run = [&](double bytes) {
    run_portable_chase<Space>(how, result, "memory, " + size_text(bytes),
                              static_cast<index_t>(bytes / sizeof(unsigned)), steps, false);
    if (const auto step = time_in(1e9, "steps")(result.cases.back()))
      curve.points.push_back({bytes, step->value, step->low, step->high});
  };
  for (double bytes = 8 << 10; bytes <= most; bytes *= how.small() ? 4 : 2) {
    run(bytes);
    if (!how.small() && bytes < most) run(1.5 * bytes);  // caches need not be powers of two
  }
  if (!on_host) run_portable_chase<Space>(how, result, "scratch", 2048, 10 * steps, true);
  return curve;
}

/// The largest page that a system hands out by itself.
constexpr std::size_t page = 2 << 20;

void run_host_bandwidth(const settings& how, experiment_result& result) {
  const auto threads = static_cast<std::size_t>(perf::host_threads());
  const perf::host_loops loops = perf::widest_host_loops();
  bench all(how, backend::host, result);

  constexpr index_t chain_rounds = 1 << 14;
  std::vector<double> chain_sums(threads);
  const auto multiply = [&] {
    perf::on_all_threads([&](int t) { chain_sums[static_cast<std::size_t>(t)] = loops.fma_float(chain_rounds); });
  };
  const auto chains_right = [&] {
    if (chain_sums != std::vector(threads, loops.fma_float(chain_rounds))) throw wrong_output("a chain's sum is wrong");
    return "the sum of every thread's chains";
  };
  const double operands =  // in bytes: 12 for 2 operations
      6.0 * loops.flops_float * static_cast<double>(chain_rounds) * static_cast<double>(threads);
  case_result& r = all.add("bandwidth/registers", "portable", multiply, chains_right, {{"bytes", operands}});
  r.notes["instructions"] = std::string(loops.name) + ", three operands of each multiply-add";

  std::size_t longest = how.small() ? 32 << 20 : 128 << 20;       // bytes of a thread
  while (longest * threads > std::size_t(2) << 30) longest /= 2;  // all sizes together take twice that
  for (std::size_t bytes = 16 << 10; bytes <= longest; bytes *= how.small() ? 8 : 2) {
    const std::size_t words = bytes / 8;
    const int rounds = static_cast<int>(std::max<std::size_t>(1, (32 << 20) / bytes)) | 1;  // odd: the sum remains
    // Of this size alone: in one buffer for all sizes a thread's share would lie elsewhere for each of them.
    const auto memory = uninitialised<array<host, std::uint64_t>>(static_cast<index_t>((threads * bytes + page) / 8));
    auto* const x =
        reinterpret_cast<std::uint64_t*>((reinterpret_cast<std::uintptr_t>(memory.data()) + page - 1) / page * page);
    const auto ids = [&] { return std::make_shared<std::vector<std::thread::id>>(threads); };
    const auto touched_by = ids(), read_by = ids();
    const auto sums = std::make_shared<std::vector<std::uint64_t>>(threads);
    perf::on_all_threads(
        [&](int thread) {  // first touched by the thread that will read it: its pages lie near that one
          const auto t = static_cast<std::size_t>(thread);
          for (std::size_t w = t * words; w < (t + 1) * words; ++w) x[w] = perf::mix(w);
          (*touched_by)[t] = std::this_thread::get_id();
        });
    const auto run = [=, memory = memory] {
      perf::on_all_threads([&](int thread) {
        const auto t = static_cast<std::size_t>(thread);
        (*sums)[t] = loops.read(x + t * words, words, rounds);
        (*read_by)[t] = std::this_thread::get_id();
      });
    };
    const auto right = [&] {
      for (std::size_t t = 0; t < threads; ++t)
        if ((*sums)[t] != std::accumulate(x + t * words, x + (t + 1) * words, std::uint64_t(0), std::bit_xor<>()))
          throw wrong_output("a sum is wrong");
      return "what every thread has read";
    };
    const auto size = static_cast<double>(bytes);
    case_result& c = all.add("bandwidth/memory, " + size_text(size) + " a thread", "portable", run, right);
    c.given = {{"bytes", size * static_cast<double>(threads) * rounds}, {"bytes_of_a_thread", size}};
    c.notes["instructions"] = loops.name;
    c.notes["pages"] =
        *touched_by == *read_by ? "first touched by the threads that read them" : "first touched by other threads";
  }
  result.draw(ladder({"Bandwidth on the host, all threads together",
                      "Every thread reads memory of its own over and over. While it fits the nearest cache each core "
                      "reads at its full width; then the next cache answers, and in the end one memory serves all "
                      "cores. These caches are a CPU's only scratch: a tile there is a block that fits one."},
                     bars_of(all.finish(), rate_of("bytes"), "bandwidth/"), "GB/s"));
}

}  // namespace

void run_memory(const settings& how, experiment_result& result) {
  result.text = {
      "Two numbers describe a memory: how long it takes to answer one thread (latency), and how much it gives when all "
      "threads ask at once (bandwidth). From registers to the host's memory they change by orders of magnitude: hence "
      "the logarithmic scales.",
      "Latency is measured by following pointers in a random ring, so that every load brings the address of the next "
      "one and no hardware can guess ahead. Each step also includes the address's arithmetic, a few cycles, as any "
      "access to an array does.",
      "Reads are summed and the sums compared, so that no load can be left out."};
  std::vector<series> curves;
  for_each_space(how, [&]<class Space>(Space) { curves.push_back(run_latency<Space>(how, result)); });
  result.draw(
      lines({"Latency by working set",
             "One thread follows a ring of pointers, one for each 128 bytes. A ring that fits a cache shows the "
             "cache's latency; each step up is a cache that has become too small, and beyond the last one the "
             "translation of addresses counts as well. A step at half of a GPU's L2 is what a cache of two "
             "halves would give, of which a multiprocessor is near to one.",
             "bytes of the ring", "ns a load", from_clock},
            curves, true, true, "ns"));
  if (how.wants(backend::host)) run_host_bandwidth(how, result);
  if constexpr (has_gpu)
    if (how.wants(backend::device)) run_device_memory(how, result);
  result.left_out.push_back(
      "Constant memory, textures and spilled arrays in portable kernels: Kokkos has no such memory spaces.");
}

}  // namespace abax::lab

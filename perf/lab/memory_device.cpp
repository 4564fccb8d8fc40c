// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of experiment "memory": each kind of memory of a GPU.
#include <bit>

#include "handwritten/handwritten.hpp"
#include "handwritten/lab/ladders.hpp"
#include "memory.hpp"

namespace abax::lab {
namespace {

using handwritten::lab::memory_kind;
using Space = Kokkos::Cuda;

struct kind {
  memory_kind which;
  const char* name;
  index_t chase_words;
  int apart;                           // words between two pointers
  index_t steps;                       // of a chase
  std::size_t read_bytes, used_bytes;  // used: of what is to be read, the part that the memory has room for
  int rounds;
  unsigned reads_of_a_word;  // in a round of a block

  /// Whether all blocks read one working set together, not each the whole of it.
  bool together() const {
    return which == memory_kind::l2 || which == memory_kind::global || which == memory_kind::mapped;
  }
};

/// What lies in the L2 whatever else is there: half of it at most.
std::size_t bytes_in_l2() { return std::min(std::bit_floor(perf::device_cache_bytes() / 2), std::size_t(16) << 20); }

std::vector<kind> kinds_of(bool small, std::size_t large) {
  const int many = small ? 50 : 400;
  const index_t near = small ? 32000 : 320000, far = near / 10, slow = near / 200;
  constexpr std::size_t tile = 64 << 10;
  const std::size_t l2 = bytes_in_l2(), beyond = std::bit_ceil(4 * perf::device_cache_bytes()),
                    mapped = std::size_t(small ? 16 : 64) << 20;
  const auto words = [](std::size_t bytes) { return static_cast<index_t>(bytes / sizeof(unsigned)); };
  return {{memory_kind::registers, "registers", 1, 1, near, tile, tile, 16 * many, 0},
          {memory_kind::scratch, "scratch", 8192, 1, near, tile, 32 << 10, 4 * many, 1},
          {memory_kind::l1, "L1 cache", 8192, hop_words, near, tile, tile, 2 * many, 1},
          {memory_kind::read_only, "read-only path, in L1", 8192, hop_words, near, tile, tile, 2 * many, 1},
          {memory_kind::texture, "texture path, in L1", 8192, hop_words, near, tile, tile, many, 1},
          {memory_kind::constant, "constant, 2 KB", 512, 1, near, tile, 2 << 10, many, 512},
          {memory_kind::local, "local (a spilled array)", 256, 1, near, tile, tile, 2 * many, 1},
          {memory_kind::l2, "L2 cache", words(l2 / 4), hop_words, far, l2, l2, small ? 10 : 50, 1},
          {memory_kind::global, "global memory", words(beyond), hop_words, far, large, large, 1, 1},
          {memory_kind::mapped, "host memory, mapped", 1 << 20, hop_words, slow, mapped, mapped, 1, 1}};
}

void run_kinds(const settings& how, experiment_result& result, const array<Space, unsigned>& x) {
  const int blocks = 4 * Space().cuda_device_prop().multiProcessorCount;
  const std::vector<kind> kinds = kinds_of(how.small(), sizeof(unsigned) * x.size());
  handwritten::mapped_array<unsigned> mapped(static_cast<index_t>(kinds.back().read_bytes / sizeof(unsigned)));
  const std::size_t first = result.cases.size();
  for (const kind& k : kinds) {
    const bool on_host = k.which == memory_kind::mapped;
    std::vector<unsigned> order = ring(k.chase_words, k.apart);
    const auto there = uninitialised<array<Space, unsigned>>(k.chase_words);
    copy_to(there, order);
    if (on_host) std::copy(order.begin(), order.end(), mapped.host());
    const unsigned* const next = on_host ? mapped.device() : there.data();
    if (k.which == memory_kind::registers) {  // which count the steps
      order.resize(static_cast<std::size_t>(k.steps));
      std::iota(order.begin(), order.end(), 1U);
    }
    const array<Space, std::uint64_t> end("end", 2);  // where it is, and the cycles that it took
    const auto launch = [=](index_t steps) {
      handwritten::lab::chase(k.which, next, static_cast<int>(k.chase_words), static_cast<int>(steps), end.data(),
                              stream<Space>());
    };
    case_result& c = run_chase(how, backend::device, result,
                               {k.name, "handwritten", order, on_host ? 0 : k.chase_words / k.apart, k.steps, launch,
                                [=] { return static_cast<unsigned>(values_of(end)[0]); }});
    if (!how.once)  // of the last launch, which found its caches warm
      c.measured["cycles_per_step"] = static_cast<double>(values_of(end)[1]) / static_cast<double>(k.steps);
  }

  const array<Space, unsigned> sums("sums", static_cast<std::size_t>(blocks));
  bench bandwidth(how, backend::device, result);
  for (const kind& k : kinds) {
    const auto words = static_cast<index_t>(k.used_bytes / sizeof(unsigned));
    if (k.which == memory_kind::mapped)
      handwritten::lab::copy_bytes(mapped.host(), x.data(), k.read_bytes, stream<Space>());
    const unsigned* const from = k.which == memory_kind::mapped ? mapped.device() : x.data();
    Kokkos::deep_copy(sums, 0U);
    const auto bytes = std::make_shared<double>(0);
    const auto run = [=] {
      return handwritten::lab::read_all(k.which, blocks, k.read_bytes, k.rounds, from, sums.data(), stream<Space>());
    };
    const auto check = [&]() -> std::string {  // sums of 32-bit words, as the threads have added them
      const std::vector<unsigned> found = values_of(sums);
      if (k.which == memory_kind::registers) {
        if (found != std::vector(found.size(), found[0])) throw wrong_output("blocks disagree");
        return "that all blocks have computed the same";
      }
      const unsigned want = sum_of<Space>(x.data(), words) * static_cast<unsigned>(k.rounds) * k.reads_of_a_word;
      if (k.together() ? std::accumulate(found.begin(), found.end(), 0U) != want
                       : found != std::vector(found.size(), want))
        throw wrong_output("the sum is wrong");
      return "the sum of all that was read";
    };
    case_result& c = bandwidth.add(
        std::string("bandwidth/") + k.name, "handwritten", [bytes, run] { *bytes = run(); }, check);
    c.given["bytes"] = *bytes;
  }
  bandwidth.finish();
  const std::vector<case_result> cases(result.cases.begin() + static_cast<std::ptrdiff_t>(first), result.cases.end());
  result.draw(ladder({"Latency on the GPU: one thread, one load after another",
                      "Each load's address is what the load before it has brought, so nothing can overlap: this is how "
                      "long a kind of memory takes to answer. Scratch and the L1 cache are the same memory; each level "
                      "further out takes several times longer. Kernels hide this by having many warps, and many loads "
                      "of each, in flight at once."},
                     bars_of(cases, time_in(1e9, "steps"), "latency/"), "ns a load"));
  result.draw(ladder({"Bandwidth on the GPU, all multiprocessors together",
                      "What reaches the threads when all of them read at once, 16 bytes at a time. For registers the "
                      "three operands of each multiply-add are counted; for constant memory every lane of a warp, "
                      "although one word serves all of them. Each level down to global memory is several times slower "
                      "than the one before, which is why a tile in scratch pays."},
                     bars_of(cases, rate_of("bytes"), "bandwidth/"), "GB/s"));
}

/// Every team of 512 threads reads `words` words (a multiple of 4096) of x, or of a copy in scratch, `rounds` times
/// over; `together`: all teams share them instead. A thread's sum of them goes to sums.
struct read_team {
  static constexpr int threads = 512, in_flight = 8;
  const std::uint64_t* x;
  int words, rounds;
  bool scratch, together;
  std::uint64_t* sums;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const std::uint64_t* from = x;
    if (scratch) {
      auto* const copy = scratch_of<std::uint64_t>(team, sizeof(std::uint64_t) * static_cast<std::size_t>(words));
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, words), [&](int i) { copy[i] = x[i]; });
      team.team_barrier();
      from = copy;
    }
    const int step = together ? team.league_size() * threads : threads, all = threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) {
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

/// The portable reads of scratch and of working sets that L1, L2 and none of them holds.
void run_reads(const settings& how, experiment_result& result, const std::uint64_t* x, index_t large) {
  const int league = 4 * Space().cuda_device_prop().multiProcessorCount, many = how.small() ? 50 : 400;
  const index_t threads = index_t(league) * read_team::threads;
  const auto sums = uninitialised<array<Space, std::uint64_t>>(threads);
  struct read {
    const char* name;
    index_t words;
    int rounds;
    bool scratch, together;
  };
  bench all(how, backend::device, result);
  for (const read& r :
       {read{"scratch", 4096, many, true, false}, read{"64 KB of each team's", 8192, many, false, false},
        read{"in the L2, of all teams'", static_cast<index_t>(bytes_in_l2() / 8), how.small() ? 10 : 50, false, true},
        read{"memory", large, 1, false, true}}) {
    const int readers = r.rounds * (r.together ? 1 : league);
    const auto run = [=] {
      const std::size_t bytes = r.scratch ? static_cast<std::size_t>(8 * r.words) : 0;
      const read_team kernel{x, static_cast<int>(r.words), r.rounds, r.scratch, r.together, sums.data()};
      Kokkos::parallel_for("abax-lab::memory", teams<Space>(league, read_team::threads, bytes), kernel);
    };
    const auto right = [&] {
      const std::uint64_t want = sum_of<Space>(x, r.words) * static_cast<std::uint64_t>(readers);
      if (sum_of<Space>(sums.data(), threads) != want) throw wrong_output("the sum is wrong");
      return "the sum of all that was read";
    };
    all.add(std::string("bandwidth/") + r.name, "portable", run, right,
            {{"bytes", 8.0 * static_cast<double>(r.words) * readers}});
  }
  result.draw(
      ladder({"Bandwidth on the GPU, portable kernels",
              "The same by a team kernel in plain C++: teams of 512 threads read 8 bytes a lane, eight loads at "
              "a time. The working set decides which memory answers, except for scratch, which a kernel fills "
              "itself."},
             bars_of(all.finish(), rate_of("bytes"), "bandwidth/"), "GB/s"));
}

}  // namespace

void run_device_memory(const settings& how, experiment_result& result) {
  const index_t words = (how.small() ? index_t(256) << 20 : index_t(2) << 30) / 8;
  const auto x = uninitialised<array<Space, unsigned>>(2 * words);
  auto* const longs = reinterpret_cast<std::uint64_t*>(x.data());
  fill<Space>(longs, words, random_of{});
  run_kinds(how, result, x);
  run_reads(how, result, longs, words);
}

}  // namespace abax::lab

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "memory": how long each kind of memory takes to answer, and how much it gives; from registers to the host's
// memory, and the host's caches beside it.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "../suite/host_loops.hpp"
#include "rungs.hpp"
#include "runs.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/handwritten/handwritten.hpp"
#include "backends/handwritten/lab/ladders.hpp"
#endif

namespace abax::lab {
namespace {

constexpr const char* experiment_name = "memory";
constexpr int hop_words = 32;  // a pointer for each 128 bytes: no line, and no pair of lines, holds two

/// One ring through all places of `words` words, `apart` words from each other, in random order: next[i] is the place
/// after i. Sattolo's algorithm.
std::vector<unsigned> ring(index_t words, int apart = hop_words) {
  const auto places = static_cast<std::size_t>(words / apart);
  std::vector<unsigned> order(places), next(static_cast<std::size_t>(words));
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(1);
  for (std::size_t i = places - 1; i > 0; --i) std::swap(order[i], order[random() % i]);
  for (std::size_t i = 0; i < places; ++i)
    next[i * static_cast<std::size_t>(apart)] = order[i] * static_cast<unsigned>(apart);
  return next;
}
unsigned end_of(const std::vector<unsigned>& next, index_t steps) {
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

/// One thread follows `steps` pointers from *at on, in memory or in scratch, into which the team copies the first words:
/// each launch goes on where the one before it ended, so that a ring beyond the caches is not found there.
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

/// Every team of 512 threads reads `words` words (a multiple of 4096) of x, or of a copy in scratch, `rounds` times over;
/// `together`: all teams share them instead. A thread's sum of them goes to sums.
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

std::string size_text(double bytes) {
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

std::vector<bar> bandwidth_bars(const std::vector<case_result>& cases) {
  std::vector<case_result> chosen;
  for (case_result c : cases)
    if (c.name.starts_with("bandwidth/")) {
      c.name = c.name.substr(10);
      chosen.push_back(c);
    }
  return rate_bars(chosen, "bytes");
}

/// Working sets whose latency is drawn as a curve: from what the nearest cache holds to what none does.
template <class Space>
void run_latency(const settings& how, experiment_result& result, std::vector<series>& curves) {
  constexpr bool on_host = backend_of<Space> == backend::host;
  const std::size_t first = result.cases.size();
  const index_t steps = on_host ? (small(how) ? 100000 : 1000000) : small(how) ? 2000 : 20000;
  std::vector<double> sizes;
  const double most = on_host ? (small(how) ? 64 << 20 : 256 << 20) : small(how) ? 128 << 20 : 512 << 20;
  for (double bytes = 8 << 10; bytes <= most; bytes *= small(how) ? 4 : 2) {
    sizes.push_back(bytes);
    if (!small(how) && bytes < most) sizes.push_back(1.5 * bytes);  // caches need not be powers of two
  }
  for (const double bytes : sizes) {
    const auto words = static_cast<index_t>(bytes / sizeof(unsigned));
    const std::vector<unsigned> order = ring(words);
    const array<Space, unsigned> next = in_memory<Space>(order), end("end", 1);
    run_chase<Space>(how, result,
                     {"memory, " + size_text(bytes), "portable", words / hop_words, steps, end_of(order, steps),
                      [=](index_t so_many) {
                        Kokkos::parallel_for(experiment_name, teams<Space>(1, 32, 0),
                                             chase_team<Space>{next.data(), 0, so_many, end.data()});
                      },
                      [=] { return values_of(end)[0]; }});
  }
  if (!on_host) {
    const index_t words = 2048;
    const std::vector<unsigned> order = ring(words, 1);
    const array<Space, unsigned> next = in_memory<Space>(order), end("end", 1);
    run_chase<Space>(how, result,
                     {"scratch", "portable", words, 10 * steps, end_of(order, 10 * steps),
                      [=](index_t so_many) {
                        Kokkos::parallel_for(
                            experiment_name, teams<Space>(1, 256, words * sizeof(unsigned) + 16),
                            chase_team<Space>{next.data(), static_cast<int>(words), so_many, end.data()});
                      },
                      [=] { return values_of(end)[0]; }});
  }
  if (how.once) return;
  series s{perf::backend_name(backend_of<Space>), {}};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto& m = result.cases[first + i].measured;
    s.points.push_back({sizes[i], m.at("nanoseconds_per_step"), m.at("nanoseconds_low"), m.at("nanoseconds_high")});
  }
  curves.push_back(s);
}

constexpr std::size_t largest_page = 2 << 20;  // that a system hands out by itself

/// Where the first such page of x begins.
std::uint64_t* on_a_page(const array<host, std::uint64_t>& x) {
  const auto at = reinterpret_cast<std::uintptr_t>(x.data());
  return reinterpret_cast<std::uint64_t*>((at + largest_page - 1) / largest_page * largest_page);
}

/// The share of each of the host's threads, first touched by the thread that will read it: its pages lie near that one.
struct touch_share {
  std::uint64_t* x;
  index_t words;  // of a thread
  std::size_t* threads;

  void operator()(const Kokkos::TeamPolicy<host>::member_type& team) const {
    const index_t t = team.league_rank();
    for (index_t w = t * words; w < (t + 1) * words; ++w) x[w] = perf::mix(static_cast<std::uint64_t>(w));
    threads[t] = std::hash<std::thread::id>()(std::this_thread::get_id());
  }
};

/// What the portable reads reach: on the host every thread reads its own stretch with the widest vectors there are.
struct host_read {
  std::uint64_t (*run)(const std::uint64_t*, std::size_t, int);
  const std::uint64_t* x;
  index_t words;  // of a thread
  int rounds;
  std::uint64_t* sums;
  std::size_t* threads;

  void operator()(const Kokkos::TeamPolicy<host>::member_type& team) const {
    const index_t t = team.league_rank();
    sums[t] = run(x + t * words, static_cast<std::size_t>(words), rounds);
    threads[t] = std::hash<std::thread::id>()(std::this_thread::get_id());
  }
};

struct run_chains {
  double (*chains)(index_t);
  index_t rounds;
  double* sums;

  void operator()(const Kokkos::TeamPolicy<host>::member_type& team) const {
    sums[team.league_rank()] = chains(rounds);
  }
};

void run_host_bandwidth(const settings& how, experiment_result& result) {
  const index_t threads = host().concurrency();
  rungs all(how, backend::host, result);
  index_t longest = (small(how) ? index_t(32) << 20 : index_t(128) << 20) / 8;  // words of a thread
  while (longest * threads > index_t(1) << 28) longest /= 2;                    // all sizes together take twice that
  const array<host, std::uint64_t> sums("sums", static_cast<std::size_t>(threads));
  const array<host, std::size_t> touched_by("touched by", static_cast<std::size_t>(threads)),
      read_by("read by", static_cast<std::size_t>(threads));

  const perf::host_loops loops = perf::widest_host_loops();
  const array<host, double> chain_sums("sums", static_cast<std::size_t>(threads));
  const index_t chain_rounds = 1 << 14;
  case_result r = case_of<host>(experiment_name, "bandwidth/registers", "portable");
  r.notes["instructions"] = std::string(loops.name) + ", three operands of each multiply-add";
  r.given["bytes"] =
      6.0 * loops.flops_float * static_cast<double>(chain_rounds * threads);  // 12 bytes for 2 operations
  all.add(
      r,
      [=] {
        Kokkos::parallel_for(experiment_name, teams<host>(static_cast<int>(threads), 1, 0),
                             run_chains{loops.fma_float, chain_rounds, chain_sums.data()});
      },
      [&] {
        const double want = loops.fma_float(chain_rounds);
        for (const double s : values_of(chain_sums))
          if (s != want) throw wrong_output(r, "a chain's sum is wrong");
        return std::string("the sum of every thread's chains");
      });
  for (index_t bytes = 16 << 10; bytes <= 8 * longest; bytes *= small(how) ? 8 : 2) {
    const index_t words = bytes / 8;
    const int rounds = static_cast<int>(std::max<index_t>(1, (index_t(32) << 20) / bytes)) | 1;  // odd: the sum remains
    case_result c = case_of<host>(
        experiment_name, "bandwidth/memory, " + size_text(static_cast<double>(bytes)) + " a thread", "portable");
    c.notes["instructions"] = loops.name;
    c.given["bytes"] = static_cast<double>(bytes) * rounds * static_cast<double>(threads);
    c.given["bytes_of_a_thread"] = static_cast<double>(bytes);
    // Of this size alone: in one buffer for all sizes a thread's share would lie elsewhere for each of them.
    const array<host, std::uint64_t> x(Kokkos::view_alloc(Kokkos::WithoutInitializing, "x"),
                                       static_cast<std::size_t>(threads * words) + largest_page / 8);
    Kokkos::parallel_for("abax-lab::touch", teams<host>(static_cast<int>(threads), 1, 0),
                         touch_share{on_a_page(x), words, touched_by.data()});
    case_result& added = all.add(
        c,
        [=] {
          Kokkos::parallel_for(experiment_name, teams<host>(static_cast<int>(threads), 1, 0),
                               host_read{loops.read, on_a_page(x), words, rounds, sums.data(), read_by.data()});
        },
        [&] {
          const std::uint64_t* const from = on_a_page(x);
          for (index_t t = 0; t < threads; ++t) {
            std::uint64_t want = 0;
            for (index_t w = 0; w < words; ++w) want ^= from[t * words + w];
            if (sums(static_cast<std::size_t>(t)) != want) throw wrong_output(c, "a sum is wrong");
          }
          return std::string("what every thread has read");
        });
    added.notes["pages"] = values_of(touched_by) == values_of(read_by) ? "first touched by the threads that read them"
                                                                       : "first touched by other threads";
  }
  const std::vector<case_result> cases = all.finish();
  if (how.once) return;
  result.figures.push_back(
      ladder({"Bandwidth on the host, all threads together",
              "Every thread reads a stretch of its own over and over. While it fits the nearest cache each core "
              "delivers at its full width; then the next cache answers, and in the end one memory serves all cores. A "
              "CPU has no other scratch than these caches: blocking for them is what a tile does there."},
             bandwidth_bars(cases), "GB/s"));
}

#if defined(KOKKOS_ENABLE_CUDA)
using handwritten::lab::memory_kind;

std::vector<bar> latency_bars(const std::vector<case_result>& cases) {
  std::vector<bar> rows;
  for (const case_result& c : cases)
    if (c.name.starts_with("latency/") && c.measured.count("nanoseconds_per_step") > 0)
      rows.push_back({c.name.substr(8) + " (" + c.variant + ")", c.measured.at("nanoseconds_per_step"),
                      c.measured.at("nanoseconds_low"), c.measured.at("nanoseconds_high"), unknown, c.backend,
                      from_clock});
  return rows;
}

/// What lies in the L2 whatever else is there: half of it at most.
std::size_t bytes_in_l2() { return std::min(std::bit_floor(perf::device_cache_bytes() / 2), std::size_t(16) << 20); }

struct kind {
  memory_kind which;
  const char* name;
  index_t chase_words;
  std::size_t read_bytes;
  int rounds;
};

void run_device_kinds(const settings& how, experiment_result& result) {
  using Space = Kokkos::Cuda;
  const cudaStream_t stream = Space().cuda_stream();
  const int processors = Space().cuda_device_prop().multiProcessorCount;
  const bool quick = small(how);
  const std::size_t large = quick ? std::size_t(256) << 20 : std::size_t(2) << 30;
  const int many = quick ? 50 : 400;
  const std::size_t in_l2 = bytes_in_l2(), beyond = std::bit_ceil(4 * perf::device_cache_bytes());
  const kind kinds[] = {{memory_kind::registers, "registers", 1, 1 << 16, 16 * many},
                        {memory_kind::scratch, "scratch", 8192, 1 << 16, 4 * many},
                        {memory_kind::l1, "L1 cache", 8192, 1 << 16, 2 * many},
                        {memory_kind::read_only, "read-only path, in L1", 8192, 1 << 16, 2 * many},
                        {memory_kind::texture, "texture path, in L1", 8192, 1 << 16, many},
                        {memory_kind::constant, "constant, 2 KB", 512, 1 << 16, many},
                        {memory_kind::local, "local (a spilled array)", 256, 1 << 16, 2 * many},
                        {memory_kind::l2, "L2 cache", static_cast<index_t>(in_l2 / 16), in_l2, quick ? 10 : 50},
                        {memory_kind::global, "global memory", static_cast<index_t>(beyond / 4), large, 1},
                        {memory_kind::mapped, "host memory, mapped", 1 << 20, std::size_t(quick ? 16 : 64) << 20, 1}};

  const array<Space, unsigned> x(Kokkos::view_alloc(Kokkos::WithoutInitializing, "x"), large / 4);
  Kokkos::parallel_for("abax-lab::fill", range<Space>(static_cast<index_t>(large / 8)),
                       fill_longs{reinterpret_cast<std::uint64_t*>(x.data())});
  handwritten::mapped_array<unsigned> mapped(static_cast<index_t>(kinds[9].read_bytes / 4));
  const array<Space, std::uint64_t> ends("end", 2 * std::size(kinds));
  const array<Space, unsigned> sums("sums", static_cast<std::size_t>(4 * processors));

  const std::size_t first = result.cases.size();
  for (const kind& k : kinds) {
    std::uint64_t* const end = ends.data() + 2 * (&k - kinds);
    const bool far = k.which == memory_kind::l2 || k.which == memory_kind::global;
    const index_t steps = (k.which == memory_kind::mapped ? 1600 : far ? 32000 : 320000) / (quick ? 10 : 1);
    const bool numbers = k.which == memory_kind::registers;
    const bool on_lines = k.which == memory_kind::l1 || k.which == memory_kind::read_only ||
                          k.which == memory_kind::texture || k.which == memory_kind::l2 ||
                          k.which == memory_kind::global || k.which == memory_kind::mapped;
    const std::vector<unsigned> order = ring(k.chase_words, numbers || !on_lines ? 1 : hop_words);
    const array<Space, unsigned> in_device = in_memory<Space>(order);
    const unsigned* next = in_device.data();
    if (k.which == memory_kind::mapped) {
      std::copy(order.begin(), order.end(), mapped.host());
      next = mapped.device();
    }
    const unsigned want = numbers ? static_cast<unsigned>(steps) : end_of(order, steps);
    const auto at = static_cast<std::size_t>(2 * (&k - kinds));
    const index_t places = on_lines ? k.chase_words / hop_words : k.chase_words;
    run_chase<Space>(how, result,
                     {k.name, "handwritten", k.which == memory_kind::mapped ? 0 : places, steps, want,
                      [=](index_t so_many) {
                        handwritten::lab::chase(k.which, next, static_cast<int>(k.chase_words),
                                                static_cast<int>(so_many), end, stream);
                      },
                      [=] { return static_cast<unsigned>(values_of(ends)[at]); }});
    if (!how.once)  // of the last launch, which found its caches warm
      result.cases.back().measured["cycles_per_step"] =
          static_cast<double>(values_of(ends)[at + 1]) / static_cast<double>(steps);
  }

  rungs bandwidth(how, backend::device, result);
  for (const kind& k : kinds) {
    const bool on_host = k.which == memory_kind::mapped;
    const bool together = on_host || k.which == memory_kind::l2 || k.which == memory_kind::global;
    const int blocks = 4 * processors;
    const unsigned* from = x.data();
    if (on_host) {
      Kokkos::deep_copy(
          Kokkos::View<unsigned*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(mapped.host(), k.read_bytes / 4),
          Kokkos::subview(x, std::make_pair(std::size_t(0), k.read_bytes / 4)));
      from = mapped.device();
    }
    case_result c = case_of<Space>(experiment_name, std::string("bandwidth/") + k.name, "handwritten");
    c.label.clear();
    fill(sums, 0U);
    c.given["bytes"] = 0;
    double bytes = 0;
    const auto run = [=] {
      return handwritten::lab::read_all(k.which, blocks, k.read_bytes, k.rounds, from, sums.data(), stream);
    };
    case_result& added = bandwidth.add(
        c,
        [&bytes, run, once = true]() mutable {
          const double moved = run();
          if (once) bytes = moved;
          once = false;
        },
        [&] {
          // Sums of 32-bit words, as the threads have added them.
          const std::vector<unsigned> found = values_of(sums);
          if (k.which == memory_kind::registers) {
            for (const unsigned s : found)
              if (s != found[0]) throw wrong_output(c, "blocks disagree");
            return std::string("that all blocks have computed the same");
          }
          std::size_t used = k.read_bytes;
          if (k.which == memory_kind::scratch) used = 32 << 10;
          if (k.which == memory_kind::constant) used = 2 << 10;
          unsigned want = 0, all = 0;
          for (const unsigned word : values_of(Kokkos::subview(x, std::make_pair(std::size_t(0), used / 4))))
            want += word;
          want *= static_cast<unsigned>(k.rounds) * (k.which == memory_kind::constant ? 512U : 1U);
          for (const unsigned s : found) {
            all += s;
            if (!together && s != want) throw wrong_output(c, "a block's sum is wrong");
          }
          if (together && all != want) throw wrong_output(c, "the sum is wrong");
          return std::string("the sum of all that was read");
        });
    added.given["bytes"] = bytes;
  }
  bandwidth.finish();
  if (how.once) return;
  const std::vector<case_result> cases(result.cases.begin() + static_cast<std::ptrdiff_t>(first), result.cases.end());
  result.figures.push_back(
      ladder({"Latency on the GPU: one thread, one load after another",
              "Each load's address is what the load before it has brought, so nothing can overlap: this is how long a "
              "kind of memory takes to answer. Scratch and the L1 cache are the same memory, and answer alike; each "
              "level further out costs several times more. Kernels live with it by having many warps, and many loads "
              "of each, on their way at once."},
             latency_bars(cases), "ns a load"));
  result.figures.push_back(
      ladder({"Bandwidth on the GPU, all multiprocessors together",
              "What reaches the threads when all of them read at once, 16 bytes at a time. Registers stand for the "
              "three operands of each multiply-add. Constant memory counts every lane of a warp, although one word "
              "serves all of them: it is fast for that, and for nothing else. A tile in scratch pays because every "
              "rung down to global memory is several times slower than the one above."},
             bandwidth_bars(cases), "GB/s"));
}

/// The portable reads of scratch and of working sets that L1, L2 and none of them holds.
void run_device_reads(const settings& how, experiment_result& result) {
  using Space = Kokkos::Cuda;
  const int processors = Space().cuda_device_prop().multiProcessorCount, league = 4 * processors;
  const index_t large = (small(how) ? index_t(256) << 20 : index_t(2) << 30) / 8;
  const array<Space, std::uint64_t> x(Kokkos::view_alloc(Kokkos::WithoutInitializing, "x"),
                                      static_cast<std::size_t>(large));
  Kokkos::parallel_for("abax-lab::fill", range<Space>(large), fill_longs{x.data()});
  const index_t threads = index_t(league) * read_team<Space>::threads;
  const array<Space, std::uint64_t> sums("sums", static_cast<std::size_t>(threads));
  struct read {
    const char* name;
    index_t words;
    int rounds;
    bool scratch, together;
  };
  const int many = small(how) ? 50 : 400;
  const read reads[] = {
      {"scratch", 4096, many, true, false},
      {"64 KB of each team's", 8192, many, false, false},
      {"in the L2, of all teams'", static_cast<index_t>(bytes_in_l2() / 8), small(how) ? 10 : 50, false, true},
      {"memory", large, 1, false, true}};
  rungs all(how, backend::device, result);
  for (const read& r : reads) {
    case_result c = case_of<Space>(experiment_name, std::string("bandwidth/") + r.name, "portable");
    c.label.clear();
    c.given["bytes"] = 8.0 * static_cast<double>(r.words) * r.rounds * (r.together ? 1 : league);
    all.add(
        c,
        [=] {
          Kokkos::parallel_for(
              experiment_name,
              teams<Space>(league, read_team<Space>::threads,
                           r.scratch ? static_cast<std::size_t>(8 * r.words + 16) : 0),
              read_team<Space>{x.data(), static_cast<int>(r.words), r.rounds, r.scratch, r.together, sums.data()});
        },
        [&] {
          const std::uint64_t want = sum_of<Space>(x.data(), r.words) * static_cast<std::uint64_t>(r.rounds) *
                                     static_cast<std::uint64_t>(r.together ? 1 : league);
          if (sum_of<Space>(sums.data(), threads) != want) throw wrong_output(c, "the sum is wrong");
          return std::string("the sum of all that was read");
        });
  }
  const std::vector<case_result> cases = all.finish();
  if (how.once) return;
  result.figures.push_back(ladder(
      {"Bandwidth on the GPU, portable kernels",
       "The same rungs by a team kernel in plain C++: teams of 512 threads read 8 bytes a lane, eight loads at a time. "
       "Which memory answers is a question of the working set alone, except for scratch, which a kernel fills itself."},
      bandwidth_bars(cases), "GB/s"));
}
#endif

}  // namespace

void run_memory(const settings& how, experiment_result& result) {
  result.text = {
      "Two numbers describe a memory: how long it takes to answer one thread (latency), and how much it gives when all "
      "threads ask at once (bandwidth). From registers to the host's memory the one rises and the other falls by "
      "orders "
      "of magnitude, which is why a ladder of them is drawn on a logarithmic scale.",
      "Latency is measured by a chase: every load brings the address of the next one, in a random ring, so that no "
      "hardware can guess ahead. Each step also holds the address's arithmetic, a few cycles, as any access to an "
      "array does.",
      "Reads are summed and the sums compared, so that no load can be left out."};
  std::vector<series> curves;
  for_each_space(how, [&]<class Space>(Space) { run_latency<Space>(how, result, curves); });
  if (!how.once)
    result.figures.push_back(
        lines({"Latency by working set",
               "A ring of pointers, one for each 128 bytes, is followed by one thread. As long as it fits a cache the "
               "cache's latency is seen; each step up is a cache that has become too small, and beyond the last one "
               "the translation of addresses begins to count as well. A step where half of a GPU's L2 is full is what "
               "a cache "
               "of two halves would give, of which a multiprocessor is near to one.",
               "bytes of the ring", "ns a load", from_clock},
              curves, true, true, "ns"));
  if (how.wants(backend::host)) run_host_bandwidth(how, result);
#if defined(KOKKOS_ENABLE_CUDA)
  if (how.wants(backend::device)) {
    run_device_kinds(how, result);
    run_device_reads(how, result);
  }
  result.left_out.push_back(
      "Constant memory, textures and spilled arrays in portable kernels: Kokkos has no such memory spaces. The twins "
      "measure them.");
#else
  result.left_out.push_back(
      "Every kind of memory of a GPU: this build has no GPU backend. The host's caches are the ladder here.");
#endif
}

}  // namespace abax::lab

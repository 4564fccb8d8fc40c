// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "memory": how long each kind of memory takes to answer, and how much it gives; from registers to the
// host's memory, and the host's caches beside it.
#include "memory.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "../suite/host_loops.hpp"
#include "runs.hpp"

namespace abax::lab {

using namespace memory;

namespace {

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
    run_device_memory(how, result);
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

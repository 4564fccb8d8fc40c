// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of experiment "memory": each kind of memory of a GPU.
#include "memory.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <bit>

#include "backends/handwritten/handwritten.hpp"
#include "backends/handwritten/lab/ladders.hpp"

namespace abax::lab {

using namespace memory;

namespace {

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
    Kokkos::deep_copy(sums, 0U);
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

}  // namespace

void run_device_memory(const settings& how, experiment_result& result) {
  run_device_kinds(how, result);
  run_device_reads(how, result);
}

}  // namespace abax::lab
#endif

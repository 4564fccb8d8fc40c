// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "carveout": L1 cache and scratch are one memory on a GPU, and a program may say how it wishes them shared.
// Also: more threads than elements, and fewer.
#include <Kokkos_Core.hpp>

#include "rungs.hpp"
#include "runs.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/handwritten/lab/ladders.hpp"
#endif

namespace abax::lab {
namespace {

constexpr const char* experiment_name = "carveout";

/// x(i) <- i for i < n, whatever the number of teams: threads beyond n do nothing, and where there are fewer than n,
/// each takes several.
template <class Space>
struct number_team {
  static constexpr int threads = 256;
  index_t n;
  float* x;

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const index_t all = index_t(team.league_size()) * threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int t) {
      for (index_t i = index_t(team.league_rank()) * threads + t; i < n; i += all) x[i] = static_cast<float>(i);
    });
  }
};

struct wrong_number {
  index_t n;
  const float* x;

  KOKKOS_FUNCTION void operator()(index_t i, index_t& found) const {
    const float want = i < n ? static_cast<float>(i) : perf::poison<float>();
    found += Kokkos::bit_cast<std::uint32_t>(x[i]) != Kokkos::bit_cast<std::uint32_t>(want);
  }
};

template <class Space>
void run_on(const settings& how, experiment_result& result) {
  const index_t n = (small(how) ? 1 << 20 : 1 << 23) - 3, behind = 1024;  // n: no multiple of a team
  const index_t exact = (n + 255) / 256;
  const array<Space> x = poisoned<Space>("x", n + behind);
  rungs all(how, backend_of<Space>, result);
  struct league {
    const char* name;
    index_t teams;
  };
  const league leagues[] = {{"threads and elements/just enough threads", exact},
                            {"threads and elements/four times as many threads", 4 * exact},
                            {"threads and elements/a sixteenth of the threads", (exact + 15) / 16},
                            {"threads and elements/one team", 1}};
  const auto add = [&](const league& l, const char* variant, std::function<void()> run) {
    case_result c = case_of<Space>(experiment_name, l.name, variant);
    c.label.clear();
    c.given["bytes"] = 4.0 * static_cast<double>(n);
    poison<Space>(x);
    all.add(c, std::move(run), [&] {
      if (const index_t wrong = count<Space>(n + behind, wrong_number{n, x.data()}))
        throw wrong_output(c, std::to_string(wrong) + " elements are wrong, or were written behind the last");
      return std::string("bits of every element, and that nothing was written behind the last");
    });
  };
  for (const league& l : leagues) {
    add(l, "portable", [l, n, x] {
      Kokkos::parallel_for(experiment_name, teams<Space>(static_cast<int>(l.teams), number_team<Space>::threads, 0),
                           number_team<Space>{n, x.data()});
    });
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (backend_of<Space> == backend::device)
      add(l, "handwritten", [l, n, x] {
        handwritten::lab::number_elements(n, static_cast<int>(l.teams), x.data(), Space().cuda_stream());
      });
#endif
  }
  const std::vector<case_result> cases = all.finish();
  if (how.once) return;
  result.figures.push_back(
      bars({std::to_string(n) + " elements by more and by fewer threads, " + perf::backend_name(backend_of<Space>),
            "Threads beyond the last element need a guard and cost their start. Where there are fewer threads than "
            "elements, each takes several, a whole grid apart, so that neighbours still touch neighbours. Few threads "
            "that stay are as good as many that come and go, as long as they fill the machine; one team does not."},
           rate_bars(cases, "bytes"), "GB/s written"));
}

#if defined(KOKKOS_ENABLE_CUDA)
struct wish {
  const char* name;
  handwritten::lab::wish asked;
};
constexpr wish wishes[] = {{"no wish", {0, -1}},
                           {"cudaFuncCachePreferNone", {0, -2}},
                           {"cudaFuncCachePreferShared", {1, -2}},
                           {"cudaFuncCachePreferL1", {2, -2}},
                           {"cudaFuncCachePreferEqual", {3, -2}},
                           {"carve-out 0 %", {0, 0}},
                           {"carve-out 50 %", {0, 50}},
                           {"carve-out 100 %", {0, 100}}};

struct sum_words {
  const unsigned* x;

  KOKKOS_FUNCTION void operator()(index_t i, unsigned& sum) const { sum += x[i]; }
};
struct fill_words {
  unsigned* x;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    x[i] = static_cast<unsigned>(perf::mix(static_cast<std::uint64_t>(i)));
  }
};
/// A step of 33 words in a ring: the pointers that the scratch kernel chases.
struct fill_hops {
  unsigned* x;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    x[i] = static_cast<unsigned>((i + 33) % handwritten::lab::held_words);
  }
};

/// Whether the intervals of two medians lie apart, by 1 % at least: less may be the chip's drift between them.
bool apart(const case_result& a, const case_result& b) {
  return a.measured.at("seconds_low") > 1.01 * b.measured.at("seconds_high") ||
         1.01 * a.measured.at("seconds_high") < b.measured.at("seconds_low");
}

void run_wishes(const settings& how, experiment_result& result) {
  using Space = Kokkos::Cuda;
  const cudaStream_t stream = Space().cuda_stream();
  const int processors = Space().cuda_device_prop().multiProcessorCount;

  // A working set that the L1 holds if it gets most of the memory, and does not hold if scratch does.
  const std::size_t bytes = 160 * 1024;
  const index_t words = static_cast<index_t>(bytes / sizeof(unsigned));
  const int rounds = small(how) ? 20 : 200, steps = small(how) ? 2000 : 20000, blocks = 8 * processors;
  const array<Space, unsigned> x("x", words), sums("sums", processors), next("next", handwritten::lab::held_words),
      last("last", blocks), held("held", 1024), most("most", 1);
  Kokkos::parallel_for("abax-lab::fill", range<Space>(words), fill_words{x.data()});
  Kokkos::parallel_for("abax-lab::fill", range<Space>(handwritten::lab::held_words), fill_hops{next.data()});
  unsigned sum = 0;
  Kokkos::parallel_reduce("abax-lab::sum", range<Space>(words), sum_words{x.data()}, sum);
  const auto end = static_cast<unsigned>(33LL * steps % handwritten::lab::held_words);

  rungs cache(how, backend::device, result), scratch(how, backend::device, result);
  std::vector<int> residents;
  for (const wish& w : wishes) {
    case_result c =
        case_of<Space>(experiment_name, std::string("a kernel that lives on the L1/") + w.name, "handwritten");
    c.label.clear();
    c.given["bytes"] = static_cast<double>(bytes) * rounds * processors;
    Kokkos::deep_copy(sums, 0U);
    cache.add(
        c, [=] { handwritten::lab::read_again(w.asked, processors, bytes, rounds, x.data(), sums.data(), stream); },
        [&] {
          for (const unsigned s : values_of(sums))
            if (s != sum * static_cast<unsigned>(rounds)) throw wrong_output(c, "a sum is wrong");
          return std::string("the sum of every block");
        });

    case_result d =
        case_of<Space>(experiment_name, std::string("a kernel that lives on scratch/") + w.name, "handwritten");
    d.label.clear();
    Kokkos::deep_copy(held, 0U);
    Kokkos::deep_copy(most, 0U);
    scratch.add(
        d,
        [=] {
          handwritten::lab::hold_scratch(w.asked, blocks, steps, next.data(), last.data(), held.data(), most.data(),
                                         stream);
        },
        [&] {
          for (const unsigned at : values_of(last))
            if (at != end) throw wrong_output(d, "a chain ended elsewhere");
          return std::string("where every block's chain ends");
        });
    residents.push_back(static_cast<int>(values_of(most)[0]));
  }
  const std::vector<case_result> by_cache = cache.finish();
  std::vector<case_result> by_scratch = scratch.finish();
  const std::size_t first = result.cases.size() - by_scratch.size();
  for (std::size_t i = 0; i < by_scratch.size(); ++i)
    result.cases[first + i].output["teams_per_multiprocessor"] = residents[i];

  const char* error = nullptr;
  const int banks = handwritten::lab::banks_of_eight_bytes(&error);
  case_result b = case_of<Space>(experiment_name, "banks of 8 bytes asked for", "handwritten");
  b.label.clear();
  b.checked = "what the runtime says was set";
  b.output["bank_bytes"] = banks;
  b.notes["answer"] = error != nullptr ? error : banks == 8 ? "granted" : "accepted, and ignored";
  result.cases.push_back(b);
  if (how.once) return;

  std::vector<std::vector<std::string>> rows;
  const auto seconds = [](const case_result& c) { return c.measured.at("seconds_median"); };
  for (std::size_t i = 0; i < by_cache.size(); ++i) {
    char l1[64], time[64];
    std::snprintf(l1, sizeof l1, "%.0f GB/s", by_cache[i].measured.at("bytes_per_second") * 1e-9);
    std::snprintf(time, sizeof time, "%.2f ms", seconds(by_scratch[i]) * 1e3);
    const bool heeded =
        apart(by_cache[i], by_cache[0]) || apart(by_scratch[i], by_scratch[0]) || residents[i] != residents[0];
    rows.push_back({wishes[i].name, l1, std::to_string(residents[i]), time,
                    i == 0   ? ""
                    : heeded ? "heeded"
                             : "none seen"});
  }
  result.figures.push_back(table(
      {"Wishes for cache and scratch, and what came of them",
       "One kernel reads 160 KB again and again, which the L1 cache holds only if scratch leaves it enough; the other "
       "one's blocks of 24 KB of scratch wait for their own loads, so that more of them at a time are faster. A wish "
       "is a hint: the driver sizes scratch for the kernel's own need and may ignore the rest. Where neither kernel's "
       "interval of 95 % lies 1 % or more apart from the one without a wish, and as many teams are there, no effect "
       "was seen. The "
       "bank-size call for 8-byte banks: " +
           b.notes["answer"] + ", " + std::to_string(banks) + " bytes afterwards.",
       "", "", from_clock},
      {"wish", "L1 kernel", "teams of the scratch kernel a multiprocessor", "scratch kernel", "effect"}, rows));
}
#endif

}  // namespace

void run_carveout(const settings& how, experiment_result& result) {
  result.text = {
      "On a GPU the L1 cache and scratch are carved from one memory of each multiprocessor. Two calls express a wish "
      "per kernel: the older cudaFuncSetCacheConfig (shared, L1, equal, none) and the carve-out attribute, a "
      "percentage. Both are hints.",
      "Banks of 8 bytes existed on one generation of GPUs, long ago; the call that asked for them outlived them. What "
      "the runtime says today stands with the figures.",
      "The number of threads need not be the number of elements. Too many need a guard by the number of elements, not "
      "of threads; too few need a loop with the stride of the whole league."};
  if (!perf::has_device())
    result.left_out.push_back(
        "Wishes for cache and scratch, and bank sizes: this build has no GPU backend, and on a CPU scratch is the "
        "cache.");
  else
    result.left_out.push_back(
        "Wishes of portable kernels: Kokkos sets the carve-out itself, from a kernel's scratch and occupancy, and has "
        "no call for a wish. On the host: scratch is the cache.");
  for_each_space(how, [&]<class Space>(Space) { run_on<Space>(how, result); });
#if defined(KOKKOS_ENABLE_CUDA)
  if (how.wants(backend::device)) run_wishes(how, result);
#endif
}

}  // namespace abax::lab

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "sweep": words of 4, 8 and 16 bytes at every stride, shared by more and more lanes, with and without work.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "figures.hpp"
#include "runs.hpp"
#include "spaces.hpp"
#include "trace.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/handwritten/lab.hpp"
#endif

namespace abax::lab {
namespace {

constexpr const char* experiment_name = "sweep";
constexpr int lanes = tile::banks::lanes;
constexpr int threads = 8 * lanes;
constexpr std::uint32_t unlikely = ~std::uint32_t(0);

/// Which word of scratch a lane has: `group` neighbours share one, and words lie `stride` apart. `work`: steps of
/// arithmetic that hang on what was read.
struct pattern {
  int stride, group, work;
};

template <int Width>
struct alignas(Width) word {
  std::uint32_t part[Width / 4];
};

/// x[t] <- what thread t makes of the word that lane 31 - t % 32 has written, `rounds` times over. Each warp of the
/// team writes the same, so that it does not matter which is first.
template <class Space, int Width>
struct sweep_team {
  pattern p;
  int rounds;
  std::uint32_t* x;

  using member = typename Kokkos::TeamPolicy<Space>::member_type;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    auto* const scratch = static_cast<word<Width>*>(team.team_shmem().get_shmem_aligned(bytes(p), 16));
    const int all = threads;  // Kokkos takes a reference, and a device has none to the host's constant
    for (int round = 0; round < rounds; ++round) {
      team.team_barrier();  // the round before has been read
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) {
        const int owner = t % lanes / p.group;
        word<Width> w;
        for (int i = 0; i < Width / 4; ++i) w.part[i] = static_cast<std::uint32_t>(owner + i + round);
        scratch[owner * p.stride] = w;
      });
      team.team_barrier();  // all words are there
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) {
        const word<Width> w = scratch[(lanes - 1 - t % lanes) / p.group * p.stride];
        std::uint32_t value = 0;
        for (int i = 0; i < Width / 4; ++i) value += w.part[i];
        for (int step = 0; step < p.work; ++step) value = value * 1664525u + 1013904223u;
        if (round + 1 == rounds || value == unlikely) x[t] = value;  // so that no round's read can be left out
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(const pattern& p) {
    return Width * static_cast<std::size_t>((lanes - 1) * p.stride + 1);
  }
};

/// What thread t has to find after one round.
std::uint32_t expected(const pattern& p, int width, int t, int rounds) {
  std::uint32_t value = 0;
  for (int i = 0; i < width / 4; ++i)
    value += static_cast<std::uint32_t>((lanes - 1 - t % lanes) / p.group + i + rounds - 1);
  for (int step = 0; step < p.work; ++step) value = value * 1664525u + 1013904223u;
  return value;
}

std::vector<access> predict(const pattern& p, int width) {
  const launch_shape shape{1, threads};
  return {scratch_access("store to scratch", width, shape,
                         [&](int, int t, int) { return width * (t % lanes / p.group * p.stride); }),
          scratch_access("load from scratch", width, shape,
                         [&](int, int t, int) { return width * ((lanes - 1 - t % lanes) / p.group * p.stride); }),
          global_access("store to global", 4, shape, [](int, int t, int) { return 4 * t; })};
}

struct named_pattern {
  std::string name;
  pattern p;
};

/// Of a launch that is timed.
int rounds_of(const pattern& p) { return p.work == 0 ? 1000 : 100; }

template <class Space, int Width>
void run_width(const settings& how, const std::vector<named_pattern>& patterns, experiment_result& result) {
  Kokkos::View<std::uint32_t*, Space> x("x", threads);
  std::vector<case_result> cases;
  std::vector<std::function<void()>> calls;
  for (const named_pattern& n : patterns) {
    const int many = rounds_of(n.p);
    const auto add = [&](const char* variant, const std::function<void(const std::string&, int)>& run) {
      case_result c = case_of<Space>(experiment_name, std::to_string(Width) + " bytes/" + n.name, variant);
      Kokkos::deep_copy(x, unlikely);
      labelled(c.label, [&] { run(c.label, 1); });
      const std::vector<std::uint32_t> found = values_of(x);
      for (int t = 0; t < threads; ++t)
        if (found[static_cast<std::size_t>(t)] != expected(n.p, Width, t, 1))
          throw wrong_output(c, "thread " + std::to_string(t) + " read another word than it must");
      c.checked = "the word that each of " + std::to_string(threads) + " threads read, with the one its partner wrote";
      c.accesses = predict(n.p, Width);
      c.notes["timed"] =
          "a team of " + std::to_string(threads) + " threads that does it " + std::to_string(many) + " times over";
      c.given["rounds"] = many;
      cases.push_back(c);
      calls.push_back([run, many] { run("", many); });
    };
    add("portable", [&x, p = n.p](const std::string& label, int rounds) {
      using kernel = sweep_team<Space, Width>;
      Kokkos::parallel_for(label.empty() ? std::string(experiment_name) : label,
                           teams<Space>(1, threads, kernel::bytes(p) + 16), kernel{p, rounds, x.data()});
    });
#if defined(KOKKOS_ENABLE_CUDA)
    if (backend_of<Space> == backend::device)
      add("handwritten", [&x, p = n.p](const std::string&, int rounds) {
        handwritten::lab::sweep(Width, p.stride, p.group, p.work, rounds, x.data(),
                                Kokkos::DefaultExecutionSpace().cuda_stream());
      });
#endif
  }
  std::vector<timed_case> timed;
  for (std::size_t c = 0; c < cases.size(); ++c) timed.push_back({&cases[c], calls[c]});
  time_together(how, backend_of<Space>, timed);
  result.cases.insert(result.cases.end(), cases.begin(), cases.end());
}

std::string stride_name(int stride) { return "stride " + std::to_string(stride); }
std::string group_name(int group, int stride) {
  return std::to_string(group) + " lanes a word, stride " + std::to_string(stride);
}
std::string work_name(int stride, int work) {
  return stride_name(stride) + ", " + std::to_string(work) + " steps of arithmetic";
}

const case_result* find(const experiment_result& result, const std::string& name, const std::string& variant,
                        const std::string& where) {
  for (const case_result& c : result.cases)
    if (c.name == name && c.variant == variant && c.backend == where) return &c;
  return nullptr;
}

double predicted(const case_result& c, const char* what) {
  double sum = 0;
  for (const access& a : c.accesses)
    if (a.what == what) sum += a.model.at("wavefronts_per_request");
  return sum;
}

/// "handwritten 42 % without arithmetic, 6 % with it": what stride 1 saves, after what has been said.
std::string gain_text(const std::string& before, const std::string& variant, int work, double saved) {
  const std::string percent = std::to_string(std::lround(100 * saved)) + " %";
  if (work > 0) return ", " + percent + " with it";
  return (before.empty() ? "" : "; ") + variant + " " + percent + " without arithmetic";
}

constexpr int long_work = 4096;  // steps that take much longer than the conflicts
constexpr int widths[] = {4, 8, 16};

/// Curves over x, one for each width, from the cases that `name` names.
template <class Name, class Value>
std::vector<series> curves(const experiment_result& result, const std::string& where, const char* variant, int first,
                           int last, const Name& name, const Value& value) {
  std::vector<series> all;
  for (const int width : widths) {
    series s{std::to_string(width) + " bytes a lane", {}};
    for (int x = first; x <= last; ++x)
      if (const case_result* const c = find(result, std::to_string(width) + " bytes/" + name(x), variant, where))
        if (const point p = value(x, *c); p.y > 0) s.points.push_back(p);
    if (!s.points.empty()) all.push_back(s);
  }
  return all;
}

void draw(experiment_result& result) {
  std::vector<std::string> backends;
  for (const case_result& c : result.cases)
    if (std::find(backends.begin(), backends.end(), c.backend) == backends.end()) backends.push_back(c.backend);
  if (backends.empty()) return;
  const auto loads = [](int x, const case_result& c) {
    return point{static_cast<double>(x), predicted(c, "load from scratch")};
  };
  const auto nanoseconds = [](int x, const case_result& c) {
    const auto found = c.measured.find("seconds_median");
    if (found == c.measured.end()) return point{static_cast<double>(x), 0};
    const double one = 1e9 / c.given.at("rounds");
    return point{static_cast<double>(x), found->second * one, c.measured.at("seconds_low") * one,
                 c.measured.at("seconds_high") * one};
  };
  result.figures.push_back(lines(
      {"Wavefronts of a load over its stride, by the model",
       "Lane l reads word l * stride. An odd stride of 4-byte words meets all banks; an even one halves them, and 32 "
       "leaves one. Wider words begin at 2 and 4 wavefronts, because a bank serves 4 bytes at a time.",
       "stride in words", "wavefronts", from_model},
      curves(result, backends[0], "portable", 1, 33, stride_name, loads), false, true, "wavefronts"));
  result.figures.push_back(lines(
      {"A column of a tile 32 words wide, padded, by the model",
       "Padding of one 4-byte word spreads a column over all banks. Words of 8 and 16 bytes cover several banks each: "
       "padding by one of them is enough for them, too.",
       "padding in words", "wavefronts", from_model},
      [&] {
        std::vector<series> all = curves(result, backends[0], "portable", 32, 36, stride_name, loads);
        for (series& s : all)
          for (point& p : s.points) p.x -= 32;
        return all;
      }(),
      false, true, "wavefronts"));
  const auto shared = [](int group) { return group_name(group, 1); };
  const auto apart = [](int group) { return group_name(group, 32); };
  for (const bool in_one_bank : {false, true})
    result.figures.push_back(
        lines({std::string("Lanes that share a word, ") + (in_one_bank ? "32 words apart" : "side by side") +
                   ", by the model",
               in_one_bank
                   ? "All words lie in one bank, 4 bytes wide, so each needs a wavefront; but lanes that want the same "
                     "word are served together. The more share one, the fewer wavefronts there are."
                   : "Neighbours that want the same word are served together: a broadcast is no conflict. For 8 and "
                     "16 bytes a load even takes more lanes at a time where neighbours want the same.",
               "lanes a word", "wavefronts", from_model},
              in_one_bank ? curves(result, backends[0], "portable", 2, 16, apart, loads)
                          : curves(result, backends[0], "portable", 2, 32, shared, loads),
              true, true, "wavefronts"));
  for (const std::string& where : backends) {
    const bool on_gpu = where == "CUDA";
    std::vector<bar> rows;
    std::string gains;
    for (const char* const variant : {"handwritten", "portable"}) {
      const std::vector<series> times = curves(result, where, variant, 1, 33, stride_name, nanoseconds);
      if (times.empty()) continue;
      const std::string by = std::string(on_gpu ? ", " : "") + (on_gpu ? variant : "");
      result.figures.push_back(lines(
          {"What a round of stores and loads takes, by the clock: " + where + by,
           !on_gpu ? "On a CPU scratch is the core's own cache: it has no banks that lanes could meet in. Only the "
                     "lines of the cache that the words lie in make a difference."
           : variant == std::string("handwritten")
               ? "A team of 256 threads stores and loads, 1000 times over. The time follows the wavefronts that the "
                 "model predicts, on top of what barriers and latency cost anyway."
               : "The same by the portable kernel. Its barriers wait for the team's stores to memory as well, and take "
                 "longer than most conflicts: these stand on top, where the twin shows them by themselves.",
           "stride in words", "ns", from_clock},
          times, false, true, "ns"));
      for (const int work : {0, long_work}) {
        double spent[2] = {};
        for (const int stride : {8, 1})
          if (const case_result* const c = find(result, "4 bytes/" + work_name(stride, work), variant, where))
            if (const point p = nanoseconds(0, *c); p.y > 0) {
              rows.push_back({work_name(stride, work), p.y, p.low, p.high, unknown, variant});
              spent[stride == 1] = p.y;
            }
        if (spent[0] > 0 && spent[1] > 0) gains += gain_text(gains, variant, work, 1 - spent[1] / spent[0]);
      }
    }
    if (!rows.empty())
      result.figures.push_back(bars(
          {"Conflicts that go, and time that does not: " + where,
           (on_gpu ? "Stride 1 needs an eighth of the wavefronts of stride 8, with and without arithmetic that "
                     "hangs on each word. What that saves of a round: " +
                         gains +
                         ". Where something else takes longer, a fence or the arithmetic, little of it is left: count "
                         "first, then look where the time goes."
                   : "On a CPU there are no banks, and so no conflicts to take away: stride 8 only spreads the "
                     "words over more lines of the cache. What stride 1 saves of a round: " +
                         gains + ". Where the arithmetic takes longer, that is hidden behind it."),
           "", "", from_clock},
          rows, "ns"));
  }
  const std::vector<predicted_row> rows = predictions(result, "scratch");
  if (!rows.empty())
    result.figures.push_back(predicted_counted(
        {"Wavefronts of a launch, predicted and counted",
         "Every stride and every width, stores and loads. A load of 8 or 16 bytes may take fewer wavefronts than the "
         "store: where neighbours ask for the same word, the hardware takes twice as many lanes at a time."},
        rows));
}

}  // namespace

void run_sweep(const settings& how, experiment_result& result) {
  result.text = {
      "Lane l of each warp has a word of scratch, `stride` words from its neighbour's. It writes the word, waits, and "
      "reads its mirror image's: lane 31 - l's. Strides 32 to 36 are a column of a tile 32 words wide with a padding "
      "of "
      "0 to 4 words.",
      "Lanes that ask for the same word are served together: by one wavefront where all 32 do."};
  std::vector<named_pattern> all, words;
  for (int stride = 1; stride <= 36; ++stride)
    if (!how.quick || stride <= 4 || stride == 8 || stride == 16 || stride >= 31)
      all.push_back({stride_name(stride), {stride, 1, 0}});
  for (const int group : {2, 4, 8, 16, 32}) all.push_back({group_name(group, 1), {1, group, 0}});
  for (const int group : {2, 4, 8, 16}) all.push_back({group_name(group, 32), {32, group, 0}});
  words = all;
  for (const int work : {0, long_work})
    for (const int stride : {8, 1}) words.push_back({work_name(stride, work), {stride, 1, work}});
  for_each_space(how, [&](auto space) {
    using Space = decltype(space);
    run_width<Space, 4>(how, words, result);
    run_width<Space, 8>(how, all, result);
    run_width<Space, 16>(how, all, result);
  });
  if (!how.wants(backend::device)) result.left_out.push_back("the GPU's kernels: this build, or this run, has none");
  draw(result);
}

}  // namespace abax::lab

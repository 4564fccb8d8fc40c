// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "sweep": words of 4, 8 and 16 bytes at every stride, shared by more and more lanes, with and without work.
#include <cmath>
#include <string>
#include <vector>

#include "abax/detail/tile/banks.hpp"
#include "arrays.hpp"
#include "figures.hpp"
#include "trace.hpp"

namespace abax::lab {
namespace {

constexpr int lanes = tile::banks::lanes, threads = 8 * lanes;

/// Which word of scratch a lane has: `group` neighbours share one, and words lie `stride` apart. `work`: steps of
/// arithmetic that depend on what was read.
struct pattern {
  std::string name;
  int stride, group = 1, work = 0;
};

template <int Width>
struct alignas(Width) word {
  std::uint32_t part[Width / 4];
};

/// What a thread makes of a word.
template <int Width>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t value_of(const word<Width>& w, int work) {
  std::uint32_t value = 0;
  for (int i = 0; i < Width / 4; ++i) value += w.part[i];
  for (int step = 0; step < work; ++step) value = value * 1664525u + 1013904223u;
  return value;
}
template <int Width>
KOKKOS_FORCEINLINE_FUNCTION word<Width> word_of(int owner, int round) {
  word<Width> w;
  for (int i = 0; i < Width / 4; ++i) w.part[i] = static_cast<std::uint32_t>(owner + i + round);
  return w;
}

/// x[t] <- what thread t makes of the word that lane 31 - t % 32 has written, `rounds` times over. Each warp of the
/// team writes the same, so that it does not matter which is first.
template <int Width>
struct sweep_team {
  int stride, group, work, rounds;
  std::uint32_t* x;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    auto* const scratch = scratch_of<word<Width>>(team, bytes());
    const int all = threads;  // Kokkos takes a reference, and a device has none to the host's constant
    for (int round = 0; round < rounds; ++round) {
      team.team_barrier();  // the round before has been read
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) {
        scratch[t % lanes / group * stride] = word_of<Width>(t % lanes / group, round);
      });
      team.team_barrier();  // all words are there
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) {
        const std::uint32_t value = value_of(scratch[(lanes - 1 - t % lanes) / group * stride], work);
        if (round + 1 == rounds || value == ~0u) x[t] = value;  // so that no round's read can be left out
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t bytes() const {
    return Width * static_cast<std::size_t>((lanes - 1) * stride + 1);
  }
};

/// What thread t has to find after the last of `rounds`.
template <int Width>
struct partner_of {
  int group, work, rounds;

  KOKKOS_FUNCTION std::uint32_t operator()(index_t t) const {
    return value_of(word_of<Width>((lanes - 1 - static_cast<int>(t) % lanes) / group, rounds - 1), work);
  }
};

std::vector<access> predict(const pattern& p, int width) {
  const launch_shape shape{1, threads};
  const auto word_at = [&](int lane) { return width * (lane / p.group * p.stride); };
  return {scratch_access("store to scratch", width, shape, [&](int, int t, int) { return word_at(t % lanes); }),
          scratch_access("load from scratch", width, shape,
                         [&](int, int t, int) { return word_at(lanes - 1 - t % lanes); }),
          global_access("store to global", 4, shape, [](int, int t, int) { return 4 * t; })};
}

template <class Space, int Width>
void run_width(const settings& how, const std::vector<pattern>& patterns, experiment_result& result) {
  const auto x = uninitialised<array<Space, std::uint32_t>>(threads);
  bench all(how, backend_of<Space>, result);
  for (const pattern& p : patterns) {
    const int many = p.work == 0 ? 1000 : 100;
    add_both<Space>(
        all,
        {.name = std::to_string(Width) + " bytes/" + p.name,
         .given = {{"rounds", many}},
         .accesses = predict(p, Width),
         .notes = {{"timed", "a team of 256 threads that does it " + std::to_string(many) + " times over"}},
         .counted = true},
        x, {1, many},
        [=](int rounds) {
          return partner_of<Width>{p.group, p.work, rounds};
        },
        [=](int rounds) {
          const sweep_team<Width> kernel{p.stride, p.group, p.work, rounds, x.data()};
          Kokkos::parallel_for("abax-lab::sweep", teams<Space>(1, threads, kernel.bytes()), kernel);
        },
        [=](int rounds, auto queue) {
          handwritten::lab::sweep(Width, p.stride, p.group, p.work, rounds, x.data(), queue);
        });
  }
  all.finish();
}

std::string stride_name(int stride) { return "stride " + std::to_string(stride); }
std::string group_name(int group, int stride) {
  return std::to_string(group) + " lanes a word, stride " + std::to_string(stride);
}
std::string work_name(int stride, int work) {
  return stride_name(stride) + ", " + std::to_string(work) + " steps of arithmetic";
}

constexpr int long_work = 4096;  // steps that take much longer than the conflicts

std::optional<reading> load_wavefronts(const case_result& c) {
  return reading{c.accesses[1].model.at("wavefronts_per_request")};
}

/// Curves over x, one for each width, of the cases that `name` names.
std::vector<series> curves(const experiment_result& result, const std::string& where, const char* variant, int first,
                           int last, const std::function<std::string(int)>& name, const quantity& y) {
  std::vector<series> all;
  for (const char* const width : {"4 bytes", "8 bytes", "16 bytes"})
    all.push_back(points_of(result,
                            {std::string(width) + " a lane", where, variant, first, last,
                             [&](int x) { return std::string(width) + "/" + name(x); }},
                            y));
  return all;
}

void draw_model(experiment_result& result, const std::string& where) {
  const auto modelled = [&](int first, int last, const auto& name) {
    return curves(result, where, "portable", first, last, name, load_wavefronts);
  };
  result.draw(lines({"Wavefronts of a load over its stride, by the model",
                     "Lane l reads word l * stride. At an odd stride 4-byte words lie in all banks; an even stride "
                     "uses half of them or fewer, and a stride of 32 only one. Wider words begin at 2 and 4 "
                     "wavefronts, because a bank serves 4 bytes at a time.",
                     "stride in words", "wavefronts", from_model},
                    modelled(1, 33, stride_name), false, true, "wavefronts"));
  result.draw(lines({"A column of a tile 32 words wide, padded, by the model",
                     "Padding of one 4-byte word spreads a column over all banks. Words of 8 and 16 bytes cover "
                     "several banks each: padding by one of them is enough for them, too.",
                     "padding in words", "wavefronts", from_model},
                    modelled(0, 4, [](int padding) { return stride_name(32 + padding); }), false, true, "wavefronts"));
  result.draw(lines({"Lanes that share a word, side by side, by the model",
                     "Neighbours that ask for the same word are served together: a broadcast is no conflict. A load "
                     "of 8 or 16 bytes even takes twice as many lanes at a time where neighbours ask for the same.",
                     "lanes a word", "wavefronts", from_model},
                    modelled(2, 32, [](int group) { return group_name(group, 1); }), true, true, "wavefronts"));
  result.draw(lines({"Lanes that share a word, 32 words apart, by the model",
                     "All words lie in one bank, 4 bytes wide, so each needs a wavefront; but lanes that ask for the "
                     "same word are served together. The more lanes share one, the fewer wavefronts there are.",
                     "lanes a word", "wavefronts", from_model},
                    modelled(2, 16, [](int group) { return group_name(group, 32); }), true, true, "wavefronts"));
}

void draw_times(experiment_result& result, const std::string& where) {
  const bool on_gpu = where == "CUDA";
  const quantity round = time_in(1e9, "rounds");
  std::vector<bar> rows;
  std::string gains;
  for (const std::string variant : {"handwritten", "portable"}) {
    result.draw(
        lines({"What a round of stores and loads takes, by the clock: " + where + (on_gpu ? ", " + variant : ""),
               !on_gpu ? "On a CPU scratch is the core's own cache, which has no banks in which lanes could "
                         "conflict. Only the number of cache lines that the words lie in makes a difference."
               : variant == "handwritten"
                   ? "A team of 256 threads stores and loads, 1000 times over. The time follows the wavefronts "
                     "that the model predicts, on top of what barriers and latency cost."
                   : "The same by the portable kernel. Its barriers wait for the team's stores to memory as "
                     "well, and take longer than most conflicts, whose time is added to theirs.",
               "stride in words", "ns", from_clock},
              curves(result, where, variant.c_str(), 1, 33, stride_name, round), false, true, "ns"));
    for (const int work : {0, long_work}) {
      double spent[2] = {};
      for (const int stride : {8, 1})
        if (const auto* const c = find(result, "4 bytes/" + work_name(stride, work), variant, where))
          if (const auto r = round(*c)) {
            rows.push_back({work_name(stride, work), *r, variant});
            spent[stride == 1] = r->value;
          }
      if (spent[0] == 0) continue;
      const std::string percent = std::to_string(std::lround(100 * (1 - spent[1] / spent[0]))) + " %";
      gains += work > 0 ? ", " + percent + " with it"
                        : (gains.empty() ? "" : "; ") + variant + " " + percent + " without arithmetic";
    }
  }
  result.draw(bars({"Conflicts that go, and time that does not: " + where,
                    (on_gpu ? "Stride 1 needs an eighth of the wavefronts of stride 8, with and without arithmetic "
                              "that depends on each word. What that saves of a round: "
                            : "A CPU has no bank conflicts; stride 8 only spreads the words over more cache lines. "
                              "What stride 1 saves of a round: ") +
                        gains +
                        ". Where something else takes longer, a barrier or the arithmetic, little is saved: count "
                        "first, then find out what takes the time."},
                   rows, "ns"));
}

}  // namespace

void run_sweep(const settings& how, experiment_result& result) {
  result.text = {
      "Lane l of each warp writes a word of scratch, `stride` words from its neighbour's, waits, and reads the "
      "word of lane 31 - l. Strides 32 to 36 are a column of a tile 32 words wide with a padding of 0 to 4 "
      "words.",
      "Lanes that ask for the same word are served together: by one wavefront where all 32 do."};
  std::vector<pattern> all;
  for (int stride = 1; stride <= 36; ++stride)
    if (!how.quick || stride <= 4 || stride == 8 || stride == 16 || stride >= 31)
      all.push_back({stride_name(stride), stride});
  for (const int group : {2, 4, 8, 16, 32}) all.push_back({group_name(group, 1), 1, group});
  for (const int group : {2, 4, 8, 16}) all.push_back({group_name(group, 32), 32, group});
  std::vector<pattern> words = all;
  for (const int work : {0, long_work})
    for (const int stride : {8, 1}) words.push_back({work_name(stride, work), stride, 1, work});
  for_each_space(how, [&]<class Space>(Space) {
    run_width<Space, 4>(how, words, result);
    run_width<Space, 8>(how, all, result);
    run_width<Space, 16>(how, all, result);
  });
  const std::vector<std::string> backends = backends_of(result);
  if (!backends.empty()) draw_model(result, backends[0]);
  for (const std::string& where : backends) draw_times(result, where);
  result.draw(
      predicted_counted({"Wavefronts of a launch, predicted and counted",
                         "Every stride and every width, stores and loads. A load of 8 or 16 bytes may take "
                         "fewer wavefronts than the store: where neighbours ask for the same word, the hardware "
                         "takes twice as many lanes at a time."},
                        result, "scratch"));
}

}  // namespace abax::lab

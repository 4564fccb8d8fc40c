// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "coalescing": which bytes a warp asks for, and which sectors and lines are moved for them.
#include <algorithm>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "figures.hpp"
#include "model/sectors.hpp"
#include "trace.hpp"

namespace abax::lab {
namespace {

using handwritten::lab::strided_threads, handwritten::lab::warp_reads, model::sectors;

constexpr int lanes = sectors::lanes;

/// The word that lane `lane` of team `team` reads, or -1 for none.
KOKKOS_FORCEINLINE_FUNCTION constexpr int word_of(warp_reads pattern, int team, int lane) {
  switch (pattern) {
    case warp_reads::permuted:
      return (5 * lane + 3) % 32;
    case warp_reads::one_word:
      return 7;
    case warp_reads::shifted:
      return 24 + lane;
    case warp_reads::two_blocks:
      return team == 0 ? 24 + lane : lane < 24 ? lane : -1;
    case warp_reads::pieces:
      return lane / 8 * 32 + (lane / 8 == 3 ? 24 : 0) + lane % 8;
  }
  return -1;
}

struct classic {
  warp_reads pattern;
  const char* name;
  const char* note;
  int teams;
};
constexpr classic classics[] = {
    {warp_reads::permuted, "bytes 0-127 in a mixed order", "one line, all of it asked for: the order costs nothing", 1},
    {warp_reads::one_word, "one word for all lanes", "one line for 4 bytes: 3.125 % of it, 12.5 % of the sector", 1},
    {warp_reads::shifted, "bytes 96-223", "two lines, half of them asked for; but four sectors, all of them", 1},
    {warp_reads::two_blocks, "bytes 96-223 by one team, 0-95 by another",
     "each team asks the L2 for its own sectors, and both for a part of the first line", 2},
    {warp_reads::pieces, "32 bytes each at 0, 128, 256 and 480",
     "four lines, a quarter of them asked for; but four sectors, all of them", 1}};

/// What word i < n of an array is: none behind them was stored.
struct number_of {
  index_t n, offset = 0, stride = 1;

  KOKKOS_FUNCTION std::int32_t operator()(index_t i) const {
    return i < n ? static_cast<std::int32_t>(offset + i * stride) : perf::poison<std::int32_t>();
  }
};
constexpr std::int32_t nothing = -2;  // what the twins store for a lane that reads none
/// What lane i % 32 of team i / 32 reads, where word j is j.
struct read_of {
  classic k;

  KOKKOS_FUNCTION std::int32_t operator()(index_t i) const {
    const int team = static_cast<int>(i) / lanes, word = word_of(k.pattern, team, static_cast<int>(i) % lanes);
    return team >= k.teams ? perf::poison<std::int32_t>() : word < 0 ? nothing : word;
  }
};

/// A team of one warp.
struct warp_team {
  warp_reads pattern;
  const std::int32_t* a;
  std::int32_t* x;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const int all = lanes;  // Kokkos takes a reference, and a device has none to the host's constant
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int lane) {
      const int word = word_of(pattern, team.league_rank(), lane);
      x[team.league_rank() * lanes + lane] = word < 0 ? nothing : a[word];
    });
  }
};

/// x[i] <- a[offset + i * stride], thread by thread.
struct strided_team {
  std::int64_t offset, stride;
  const std::int32_t* a;
  std::int32_t* x;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const int all = strided_threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) {
      const std::int64_t i = std::int64_t(team.league_rank()) * strided_threads + t;
      x[i] = a[offset + i * stride];
    });
  }
};

/// The byte that a lane reads, or -1.
long byte_of(const classic& k, int team, int lane) {
  const int word = word_of(k.pattern, team, lane);
  return word < 0 ? -1 : 4 * word;
}

std::vector<access> predict(const classic& k) {
  const launch_shape shape{k.teams, lanes};
  const address reads = [&](int team, int lane, int) { return byte_of(k, team, lane); };
  std::vector<access> all{
      global_access("load from global", 4, shape, reads),
      global_access("store to global", 4, shape, [](int team, int lane, int) { return 4 * (team * lanes + lane); })};
  add_union(all[0], shape, reads);
  return all;
}

template <class Space>
void run_classics(experiment_result& result) {
  const auto a = uninitialised<array<Space, std::int32_t>>(4 * lanes),
             x = uninitialised<array<Space, std::int32_t>>(2 * lanes);
  fill<Space>(a.data(), 4 * lanes, number_of{4 * lanes});
  const settings untimed{.once = true};  // they are too short
  bench all(untimed, backend_of<Space>, result);
  for (const classic& k : classics)
    add_both<Space>(
        all,
        {.name = std::string("classic/") + k.name,
         .accesses = predict(k),
         .notes = {{"what it shows", k.note}},
         .counted = true},
        x, {1, 1}, [=](int) { return read_of{k}; },
        [=](int) {
          Kokkos::parallel_for("abax-lab::coalescing", teams<Space>(k.teams, lanes),
                               warp_team{k.pattern, a.data(), x.data()});
        },
        [=](int, auto queue) { handwritten::lab::read_by_warps(k.pattern, a.data(), x.data(), queue); });
  all.finish();
}

struct way {
  std::string name;
  int offset, stride;
};
std::string offset_name(int offset) { return "offset/" + std::to_string(offset) + " words"; }
std::string stride_name(int stride) { return "stride/" + std::to_string(stride) + " words"; }

template <class Space>
void run_strides(const settings& how, const std::vector<way>& ways, experiment_result& result) {
  constexpr int few = 4;  // teams of the launch that is predicted and counted
  const bool on_host = backend_of<Space> == backend::host;
  const int many = how.once ? few : how.quick ? 1 << 10 : on_host ? 1 << 12 : 1 << 16;  // of those that are timed
  const index_t threads = index_t(many) * strided_threads;
  index_t words = 0;
  for (const way& w : ways) words = std::max(words, w.offset + (threads - 1) * w.stride + 1);
  const auto a = uninitialised<array<Space, std::int32_t>>(words),
             x = uninitialised<array<Space, std::int32_t>>(threads);
  fill<Space>(a.data(), words, number_of{words});
  bench all(how, backend_of<Space>, result);
  const launch_shape shape{few, strided_threads};
  for (const way& w : ways)
    add_both<Space>(
        all,
        {.name = w.name,
         .given = {{"asked_bytes", 8 * static_cast<double>(threads)}},
         .accesses = {global_access("load from global", 4, shape,
                                    [&](int team, int t, int) {
                                      return 4 * (w.offset + long(team * strided_threads + t) * w.stride);
                                    }),
                      global_access("store to global", 4, shape,
                                    [](int team, int t, int) { return 4 * (team * strided_threads + t); })},
         .notes = {{"timed", std::to_string(threads) + " threads that read 4 bytes and write 4"}},
         .counted = true},
        x, {few, many},
        [=](int league) {
          return number_of{index_t(league) * strided_threads, w.offset, w.stride};
        },
        [=](int league) {
          Kokkos::parallel_for("abax-lab::coalescing", teams<Space>(league, strided_threads),
                               strided_team{w.offset, w.stride, a.data(), x.data()});
        },
        [=](int league, auto queue) {
          handwritten::lab::read_strided(league, w.offset, w.stride, a.data(), x.data(), queue);
        });
  all.finish();
}

line_panel panel_of(const std::string& title, const std::vector<long>& addresses, double of_sectors, double of_lines) {
  line_panel panel{title, addresses, of_sectors, of_lines};
  const auto pieces = [&](int size, std::vector<long>& first) {
    for (const long at : addresses)
      if (at >= 0) first.push_back(at / size * size);
    std::sort(first.begin(), first.end());
    first.erase(std::unique(first.begin(), first.end()), first.end());
  };
  pieces(sectors::sector, panel.sectors);
  pieces(sectors::line, panel.lines);
  return panel;
}

void draw_classics(experiment_result& result) {
  std::vector<line_panel> panels;
  table_rows rows;
  for (const classic& k : classics) {
    const access reads = predict(k)[0];
    const auto add_row = [&](const std::string& name, const std::string& suffix, const char* note) {
      const auto amount = [&](const char* what) { return reads.model.at(what + suffix); };
      const auto share = [&](double moved) { return text_of("%.4g %%", 100 * amount("bytes_asked") / moved); };
      rows.push_back({name, text_of("%.0f", amount("lines")), share(128 * amount("lines")),
                      text_of("%.0f", amount("sectors")), share(32 * amount("sectors")), note});
    };
    panels.push_back(panel_of(k.teams == 1 ? k.name : std::string(k.name) + ": the first team", reads.addresses,
                              reads.model.at("share_of_sectors"), reads.model.at("share_of_lines")));
    add_row(k.name, "", k.note);
    if (k.teams == 1) continue;
    std::vector<long> of_all;
    for (int i = 0; i < k.teams * lanes; ++i) of_all.push_back(byte_of(k, i / lanes, i % lanes));
    const double asked = reads.model.at("bytes_asked_once");
    panels.push_back(panel_of("the same, both teams together", of_all, asked / (32 * reads.model.at("sectors_once")),
                              asked / (128 * reads.model.at("lines_once"))));
    add_row("the same, both teams together", "_once",
            "where memory moves whole lines, the one that both ask for is brought in once");
  }
  result.draw(line_grid({"A warp's reads over lines and sectors",
                         "Each bar is a line of 128 bytes with its four sectors of 32; the marks are what the lanes "
                         "ask for. Older chips moved whole lines, whatever was asked for; today's move sectors, so "
                         "that only a part of a sector can be wasted."},
                        panels));
  result.draw(table({"The five classic reads, by the model",
                     "Shares are of the bytes moved, once counted in lines and once in sectors. What two teams ask for "
                     "is counted for each of them, as their L1 caches see it, and once for both, as the L2 and memory "
                     "do. A well-known text gives 4 % for the last row: four lines of which a quarter is asked for are "
                     "25 %, and four whole sectors 100 %.",
                     "", "", from_model},
                    {"reads", "lines", "asked for", "sectors", "asked for", "what it shows"}, rows));
}

void draw_strides(experiment_result& result) {
  const std::vector<std::string> backends = backends_of(result);
  const auto curve_of = [&](const char* variant, const std::string& where, auto name, const quantity& y) {
    return points_of(result, {variant, where, variant, 0, 33, name}, y);
  };
  if (!backends.empty())
    result.draw(lines({"Sectors of a warp's read over its stride, by the model",
                       "32 lanes read 4 bytes each, `stride` words apart. At stride 1 four sectors hold them all; from "
                       "stride 8 on each lane has a sector of its own, of which it uses an eighth.",
                       "stride in words", "sectors", from_model},
                      {curve_of("portable", backends[0], stride_name,
                                [](const case_result& c) -> std::optional<reading> {
                                  return reading{c.accesses[0].model.at("sectors_per_request")};
                                })},
                      false, false, "sectors"));
  for (const std::string& where : backends)
    for (const bool by_stride : {true, false}) {
      std::vector<series> all;
      for (const char* const variant : {"portable", "handwritten"})
        all.push_back(curve_of(variant, where, by_stride ? stride_name : offset_name, rate_of("asked_bytes")));
      const std::string what = by_stride ? "stride" : "offset";
      result.draw(lines({"Useful bytes a second over the " + what + ", by the clock: " + where,
                         by_stride ? "Each thread reads 4 bytes and writes 4. Bytes that are moved but not asked for "
                                     "take a part of the bandwidth: the useful part falls until every read moves a "
                                     "sector, or a line, of its own."
                                   : "All reads begin some words after the start of a line. Neighbouring warps then "
                                     "share a sector, which the caches serve twice: hardly anything is lost.",
                         what + " in words", "GB/s", from_clock},
                        all, false, by_stride, "GB/s"));
    }
}

}  // namespace

void run_coalescing(const settings& how, experiment_result& result) {
  result.text = {
      "Global memory is moved in sectors of 32 bytes, four to a line of 128. A warp's 32 reads are one request: "
      "its cost is the number of sectors that it touches, in whatever order and however often.",
      "Five classic reads come first, then every offset and every stride up to 32 words."};
  std::vector<way> ways;
  for (int offset = 0; offset <= 32; ++offset)
    if (!how.quick || offset % 8 <= 1) ways.push_back({offset_name(offset), offset, 1});
  for (int stride = 1; stride <= 32; ++stride)
    if (!how.quick || (stride & (stride - 1)) == 0 || stride == 3) ways.push_back({stride_name(stride), 0, stride});
  for_each_space(how, [&]<class Space>(Space) {
    run_classics<Space>(result);
    run_strides<Space>(how, ways, result);
  });
  draw_classics(result);
  draw_strides(result);
  result.draw(predicted_counted({"Sectors of a launch, predicted and counted",
                                 "Every sector that a warp's read or write touches, warp by warp, as the profiler "
                                 "counts them at the L1. A sector that two warps ask for counts twice: each of them "
                                 "must receive it."},
                                result, "global"));
}

}  // namespace abax::lab

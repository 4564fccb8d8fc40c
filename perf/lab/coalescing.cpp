// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "coalescing": which bytes a warp asks for, and which sectors and lines are moved for them.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
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

constexpr const char* experiment_name = "coalescing";
constexpr int lanes = model::sectors::lanes;
constexpr std::int32_t nothing = -1;

enum class warp_reads { permuted, one_word, shifted, two_teams, pieces };

/// The word that lane `lane` of team `team` reads, or -1 for none.
KOKKOS_FORCEINLINE_FUNCTION constexpr int word_of(warp_reads pattern, int team, int lane) {
  switch (pattern) {
    case warp_reads::permuted:
      return (5 * lane + 3) % 32;
    case warp_reads::one_word:
      return 7;
    case warp_reads::shifted:
      return 24 + lane;
    case warp_reads::two_teams:
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
const classic classics[] = {
    {warp_reads::permuted, "bytes 0-127 in a mixed order", "one line, all of it asked for: the order costs nothing", 1},
    {warp_reads::one_word, "one word for all lanes", "one line for 4 bytes: 3.125 % of it, 12.5 % of the sector", 1},
    {warp_reads::shifted, "bytes 96-223", "two lines, half of them asked for; but four sectors, all of them", 1},
    {warp_reads::two_teams, "bytes 96-223 by one team, 0-95 by another",
     "each team asks the L2 for its own sectors, and both for a part of the first line", 2},
    {warp_reads::pieces, "32 bytes each at 0, 128, 256 and 480",
     "four lines, a quarter of them asked for; but four sectors, all of them", 1}};

/// A team of one warp.
template <class Space>
struct warp_team {
  warp_reads pattern;
  const std::int32_t* a;
  std::int32_t* x;

  using member = typename Kokkos::TeamPolicy<Space>::member_type;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const int all = lanes;  // Kokkos takes a reference, and a device has none to the host's constant
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int lane) {
      const int word = word_of(pattern, team.league_rank(), lane);
      x[team.league_rank() * lanes + lane] = word < 0 ? nothing : a[word];
    });
  }
};

constexpr int strided_threads = 256;

/// x[i] <- a[offset + i * stride], thread by thread.
template <class Space>
struct strided_team {
  std::int64_t offset, stride;
  const std::int32_t* a;
  std::int32_t* x;

  using member = typename Kokkos::TeamPolicy<Space>::member_type;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const int all = strided_threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) {
      const std::int64_t i = std::int64_t(team.league_rank()) * strided_threads + t;
      x[i] = a[offset + i * stride];
    });
  }
};

/// a[i] <- i, the same wherever it is computed.
struct number_words {
  std::int32_t* a;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { a[i] = static_cast<std::int32_t>(i); }
};

/// How many x[i] are not a[offset + i * stride].
struct count_wrong {
  const std::int32_t* x;
  std::int64_t offset, stride;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    wrong += x[i] != static_cast<std::int32_t>(offset + i * stride);
  }
};

template <class Space>
using range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// The byte that a lane reads, or -1.
int byte_of(const classic& k, int team, int lane) {
  const int word = word_of(k.pattern, team, lane);
  return word < 0 ? -1 : 4 * word;
}

std::vector<access> predict(const classic& k) {
  const launch_shape shape{k.teams, lanes};
  const auto reads = [&](int team, int lane, int) { return byte_of(k, team, lane); };
  std::vector<access> all{
      global_access("load from global", 4, shape, reads),
      global_access("store to global", 4, shape, [](int team, int lane, int) { return 4 * (team * lanes + lane); })};
  add_union(all[0], shape, reads);
  return all;
}

template <class Space>
void run_classics(experiment_result& result) {
  constexpr int words = 4 * lanes;
  Kokkos::View<std::int32_t*, Space> a("a", words), x("x", 2 * lanes);
  Kokkos::parallel_for("abax-lab: words", range<Space>(0, words), number_words{a.data()});
  for (const classic& k : classics) {
    const auto add = [&](const char* variant, const std::function<void(const std::string&)>& run) {
      case_result c = case_of<Space>(experiment_name, std::string("classic/") + k.name, variant);
      Kokkos::deep_copy(x, -2);
      labelled(c.label, [&] { run(c.label); });
      const std::vector<std::int32_t> found = values_of(x);
      for (int i = 0; i < k.teams * lanes; ++i)
        if (found[static_cast<std::size_t>(i)] != word_of(k.pattern, i / lanes, i % lanes))
          throw wrong_output(c, "lane " + std::to_string(i) + " read another word than it must");
      c.checked = "the word that each lane read";
      c.accesses = predict(k);
      c.notes["what it shows"] = k.note;
      result.cases.push_back(c);
    };
    add("portable", [&](const std::string& label) {
      Kokkos::parallel_for(label.empty() ? std::string(experiment_name) : label, teams<Space>(k.teams, lanes, 0),
                           warp_team<Space>{k.pattern, a.data(), x.data()});
    });
#if defined(KOKKOS_ENABLE_CUDA)
    if (backend_of<Space> == backend::device)
      add("handwritten", [&](const std::string&) {
        handwritten::lab::read_by_warps(static_cast<handwritten::lab::warp_reads>(k.pattern), a.data(), x.data(),
                                        Kokkos::DefaultExecutionSpace().cuda_stream());
      });
#endif
  }
}

struct way {
  std::string name;
  int offset, stride;
};

template <class Space>
void run_strides(const settings& how, const std::vector<way>& ways, experiment_result& result) {
  constexpr int few = 4;  // teams of the launch that is predicted and counted
  const bool on_host = backend_of<Space> == backend::host;
  const int many = how.once ? few : how.quick ? 1 << 10 : on_host ? 1 << 12 : 1 << 16;  // teams of those that are timed
  const std::int64_t threads = std::int64_t(many) * strided_threads;
  std::int64_t words = 0;
  for (const way& w : ways) words = std::max(words, w.offset + (threads - 1) * w.stride + 1);
  Kokkos::View<std::int32_t*, Space> a(Kokkos::view_alloc("a", Kokkos::WithoutInitializing), words);
  Kokkos::View<std::int32_t*, Space> x("x", threads);
  Kokkos::parallel_for("abax-lab: words", range<Space>(0, words), number_words{a.data()});
  std::vector<case_result> cases;
  std::vector<std::function<void()>> calls;
  for (const way& w : ways) {
    const auto add = [&](const char* variant, const std::function<void(const std::string&, int)>& run) {
      case_result c = case_of<Space>(experiment_name, w.name, variant);
      for (const int league : {few, many}) {
        Kokkos::deep_copy(x, -2);
        if (league == few)
          labelled(c.label, [&] { run(c.label, league); });
        else
          run("", league);
        std::int64_t wrong = 0;
        Kokkos::parallel_reduce("abax-lab: wrong words", range<Space>(0, std::int64_t(league) * strided_threads),
                                count_wrong{x.data(), w.offset, w.stride}, wrong);
        if (wrong != 0) throw wrong_output(c, std::to_string(wrong) + " threads read other words than they must");
        if (how.once) break;
      }
      c.checked = "the word that each thread read";
      const launch_shape shape{few, strided_threads};
      c.accesses = {global_access("load from global", 4, shape,
                                  [&](int team, int t, int) {
                                    return 4 * (w.offset + long(team * strided_threads + t) * w.stride);
                                  }),
                    global_access("store to global", 4, shape,
                                  [](int team, int t, int) { return 4 * (team * strided_threads + t); })};
      c.given["asked_bytes"] = 8 * static_cast<double>(threads);
      c.notes["timed"] = std::to_string(threads) + " threads that read 4 bytes and write 4";
      cases.push_back(c);
      calls.push_back([run, many] { run("", many); });
    };
    add("portable", [&a, &x, w](const std::string& label, int league) {
      Kokkos::parallel_for(label.empty() ? std::string(experiment_name) : label,
                           teams<Space>(league, strided_threads, 0),
                           strided_team<Space>{w.offset, w.stride, a.data(), x.data()});
    });
#if defined(KOKKOS_ENABLE_CUDA)
    if (!on_host)
      add("handwritten", [&a, &x, w](const std::string&, int league) {
        handwritten::lab::read_strided(league, w.offset, w.stride, a.data(), x.data(),
                                       Kokkos::DefaultExecutionSpace().cuda_stream());
      });
#endif
  }
  std::vector<timed_case> timed;
  for (std::size_t c = 0; c < cases.size(); ++c) timed.push_back({&cases[c], calls[c]});
  time_together(how, backend_of<Space>, timed);
  for (case_result& c : cases)
    if (const auto found = c.measured.find("seconds_median"); found != c.measured.end())
      c.measured["asked_bytes_per_second"] = c.given.at("asked_bytes") / found->second;
  result.cases.insert(result.cases.end(), cases.begin(), cases.end());
}

line_panel panel_of(const std::string& title, const std::vector<long>& addresses, double of_sectors, double of_lines) {
  line_panel panel{title, 0, 512, addresses, 4, {}, {}, of_sectors, of_lines};
  const auto pieces = [&](int size, std::vector<long>& first) {
    for (const long at : addresses)
      if (at >= 0) first.push_back(at / size * size);
    std::sort(first.begin(), first.end());
    first.erase(std::unique(first.begin(), first.end()), first.end());
  };
  pieces(model::sectors::sector, panel.sectors);
  pieces(model::sectors::line, panel.lines);
  return panel;
}

std::string offset_name(int offset) { return "offset/" + std::to_string(offset) + " words"; }
std::string stride_name(int stride) { return "stride/" + std::to_string(stride) + " words"; }

void draw(experiment_result& result) {
  std::vector<line_panel> panels;
  std::vector<std::vector<std::string>> rows;
  for (const classic& k : classics) {
    const std::vector<access> accesses = predict(k);
    const auto& m = accesses[0].model;
    panels.push_back(panel_of(k.teams == 1 ? k.name : std::string(k.name) + ": the first team", accesses[0].addresses,
                              m.at("share_of_sectors"), m.at("share_of_lines")));
    const auto number = [](double v) { return std::to_string(static_cast<long>(v)); };
    const auto percent = [](double asked, double moved) {
      char text[32];
      std::snprintf(text, sizeof text, "%.4g %%", 100 * asked / moved);
      return std::string(text);
    };
    rows.push_back({k.name, number(m.at("lines")), percent(m.at("bytes_asked"), 128 * m.at("lines")),
                    number(m.at("sectors")), percent(m.at("bytes_asked"), 32 * m.at("sectors")), k.note});
    if (k.teams == 1) continue;
    const double asked = m.at("bytes_asked_once"), sectors = m.at("sectors_once"), lines = m.at("lines_once");
    std::vector<long> of_all;
    for (int team = 0; team < k.teams; ++team)
      for (int lane = 0; lane < lanes; ++lane) of_all.push_back(byte_of(k, team, lane));
    panels.push_back(panel_of("the same, both teams together", of_all, asked / (32 * sectors), asked / (128 * lines)));
    rows.push_back({"the same, both teams together", number(lines), percent(asked, 128 * lines), number(sectors),
                    percent(asked, 32 * sectors),
                    "where memory moves whole lines, the one that both ask for is brought in once"});
  }
  result.figures.push_back(line_grid({"A warp's reads over lines and sectors",
                                      "Each bar is a line of 128 bytes with its four sectors of 32; the marks are what "
                                      "the lanes ask for. Chips that moved "
                                      "whole lines threw away what nobody asked for; today's move sectors, so that "
                                      "only part of a sector can be wasted."},
                                     panels));
  result.figures.push_back(table(
      {"The five classic reads, by the model",
       "Shares are of the bytes moved, once counted in lines and once in sectors. What two teams ask for is counted "
       "for each of them, as their caches see it, and once for both, as the L2 and memory do: a line that both ask for "
       "is brought in once; no sector is asked for twice. A "
       "well-known text prints 4 % for the last: four lines of which a quarter is asked for are 25 %, and four whole "
       "sectors 100 %.",
       "", "", from_model},
      {"reads", "lines", "asked for", "sectors", "asked for", "what it shows"}, rows));
  std::vector<std::string> backends;
  for (const case_result& c : result.cases)
    if (std::find(backends.begin(), backends.end(), c.backend) == backends.end()) backends.push_back(c.backend);
  const auto curve = [&](const std::string& where, const char* variant, const auto& name, const auto& value) {
    series s{variant, {}};
    for (int x = 0; x <= 33; ++x)
      for (const case_result& c : result.cases)
        if (c.name == name(x) && c.backend == where && c.variant == variant)
          if (const point p = value(x, c); p.y > 0) s.points.push_back(p);
    return s;
  };
  const auto sectors = [](int x, const case_result& c) {
    return point{static_cast<double>(x), c.accesses[0].model.at("sectors_per_request")};
  };
  const auto rate = [](int x, const case_result& c) {
    const auto found = c.measured.find("asked_bytes_per_second");
    return point{static_cast<double>(x), found == c.measured.end() ? 0 : found->second * 1e-9};
  };
  if (!backends.empty())
    result.figures.push_back(lines(
        {"Sectors of a warp's read over its stride, by the model",
         "32 lanes read 4 bytes each, `stride` words apart. At stride 1 four sectors hold them all; from stride 8 on "
         "each lane has a sector of its own, of which it uses an eighth.",
         "stride in words", "sectors", from_model},
        {curve(backends[0], "portable", stride_name, sectors)}, false, false, "sectors"));
  for (const std::string& where : backends)
    for (const bool by_stride : {true, false}) {
      std::vector<series> all;
      for (const char* const variant : {"portable", "handwritten"}) {
        series s = by_stride ? curve(where, variant, stride_name, rate) : curve(where, variant, offset_name, rate);
        if (!s.points.empty()) all.push_back(s);
      }
      if (all.empty()) continue;
      result.figures.push_back(lines(
          {std::string("Useful bytes a second over the ") + (by_stride ? "stride" : "offset") +
               ", by the clock: " + where,
           by_stride
               ? "Each thread reads 4 bytes and writes 4. What is moved but not asked for takes its part of the "
                 "bandwidth: the useful part falls until every read moves a sector, or a line, of its own."
               : "All reads begin some words after a line does. Neighbouring warps then share a sector, which the "
                 "caches serve twice: hardly anything is lost.",
           by_stride ? "stride in words" : "offset in words", "GB/s", from_clock},
          all, false, by_stride, "GB/s"));
    }
  const std::vector<predicted_row> predicted = predictions(result, "global");
  if (!predicted.empty())
    result.figures.push_back(predicted_counted({"Sectors of a launch, predicted and counted",
                                                "Every sector that a warp's read or write touches, warp by warp, as "
                                                "the profiler counts them at the L1. A sector "
                                                "that two warps ask for counts twice: each of them has to have it."},
                                               predicted));
}

}  // namespace

void run_coalescing(const settings& how, experiment_result& result) {
  result.text = {
      "Global memory is moved in sectors of 32 bytes, four to a line of 128. A warp's 32 reads are one request: what "
      "counts "
      "is how many sectors it touches, not in which order or how often.",
      "Five classic reads come first, then every offset and every stride up to 32 words."};
  std::vector<way> ways;
  for (int offset = 0; offset <= 32; ++offset)
    if (!how.quick || offset % 8 <= 1) ways.push_back({offset_name(offset), offset, 1});
  for (int stride = 1; stride <= 32; ++stride)
    if (!how.quick || (stride & (stride - 1)) == 0 || stride == 3) ways.push_back({stride_name(stride), 0, stride});
  for_each_space(how, [&](auto space) {
    using Space = decltype(space);
    run_classics<Space>(result);
    run_strides<Space>(how, ways, result);
  });
  if (!how.wants(backend::device)) result.left_out.push_back("the GPU's kernels: this build, or this run, has none");
  draw(result);
}

}  // namespace abax::lab

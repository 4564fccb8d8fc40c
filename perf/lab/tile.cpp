// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "tile": one team writes a tile of scratch by rows or columns and reads it by rows or columns.
#include <string>
#include <vector>

#include "abax/detail/tile/banks.hpp"
#include "arrays.hpp"
#include "figures.hpp"
#include "model/layout.hpp"
#include "trace.hpp"

namespace abax::lab {
namespace {

using handwritten::lab::form, handwritten::lab::walk, model::layout;

struct cell {
  int row, column;
};

/// The element that thread `thread` of a team takes: neighbours run along a row, or along a column.
KOKKOS_FORCEINLINE_FUNCTION constexpr cell cell_of(int thread, walk way, int rows, int columns) {
  return way == walk::rows ? cell{thread / columns, thread % columns} : cell{thread % rows, thread / rows};
}

struct walks {
  walk write, read;

  std::string name() const {
    const auto text = [](walk way) { return way == walk::rows ? "rows" : "columns"; };
    return std::string("write ") + text(write) + ", read " + text(read);
  }
};

/// A layout that the compiler knows.
template <layout Layout>
struct static_layout {
  static constexpr int rows = Layout.rows, columns = Layout.columns;

  KOKKOS_FORCEINLINE_FUNCTION constexpr int operator()(int row, int column) const { return Layout(row, column); }
};

/// x[t] <- what t reads, of a tile in scratch that each t has written itself to, `rounds` times over.
template <class Layout>
struct tile_team {
  Layout at;
  walks way;
  int rounds;
  int* x;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const int threads = at.rows * at.columns;
    int* const tile = scratch_of<int>(team, bytes());
    for (int round = 0; round < rounds; ++round) {
      team.team_barrier();  // the round before has been read
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int t) {
        const cell to = cell_of(t, way.write, at.rows, at.columns);
        tile[at(to.row, to.column)] = t + round;
      });
      team.team_barrier();  // the tile is complete
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int t) {
        const cell from = cell_of(t, way.read, at.rows, at.columns);
        const int value = tile[at(from.row, from.column)] - round;
        if (round + 1 == rounds || value < 0) x[t] = value;  // never below 0: but no round's read can be left out
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t bytes() const {
    return sizeof(int) * static_cast<std::size_t>(at(at.rows - 1, 0) + 2 * at.columns);
  }
};

/// What thread t has to find: the number of the thread that wrote the element.
struct writer_of {
  int rows, columns;
  walks way;

  KOKKOS_FUNCTION int operator()(index_t t) const {
    const cell c = cell_of(static_cast<int>(t), way.read, rows, columns);
    return way.write == walk::rows ? c.row * columns + c.column : c.column * rows + c.row;
  }
};

/// One way of laying a tile out; the padding of a line and the factor of a swizzle are one number, `spread`.
struct named_form {
  const char* name;
  bool is_static;
  form how;
};
constexpr named_form forms[] = {{"static", true, form::plain},      {"dynamic", false, form::plain},
                                {"padded", true, form::padded},     {"dynamic, padded", false, form::padded},
                                {"swizzled", true, form::swizzled}, {"dynamic, swizzled", false, form::swizzled}};

constexpr layout layout_of(int rows, int columns, int spread, form how) {
  return {rows, columns, columns + (how == form::padded ? spread : 0), how == form::swizzled ? spread : 0};
}

template <class Space, layout... Known>
void launch(bool is_static, const layout& at, const walks& way, int rounds, int* x) {
  const auto run = [&](const auto& kernel) {
    Kokkos::parallel_for("abax-lab::tile", teams<Space>(1, at.rows * at.columns, kernel.bytes()), kernel);
  };
  if (!is_static) run(tile_team<layout>{at, way, rounds, x});
  ((is_static && at == Known ? run(tile_team<static_layout<Known>>{{}, way, rounds, x}) : void()), ...);
}

std::vector<access> predict(const layout& at, const walks& w) {
  const launch_shape shape{1, at.rows * at.columns};
  const auto scratch = [&](walk way) {
    return [&at, way](int, int t, int) {
      const cell c = cell_of(t, way, at.rows, at.columns);
      return 4 * at(c.row, c.column);
    };
  };
  return {scratch_access("store to scratch", 4, shape, scratch(w.write)),
          scratch_access("load from scratch", 4, shape, scratch(w.read)),
          global_access("store to global", 4, shape, [](int, int t, int) { return 4 * t; })};
}

/// Checks, times and keeps one shape in all its forms.
template <class Space, int Rows, int Columns, int Spread>
void run_shape(const settings& how, const std::vector<walks>& ways, experiment_result& result) {
  constexpr auto with = [](form how_laid) { return layout_of(Rows, Columns, Spread, how_laid); };
  const auto x = uninitialised<array<Space, int>>(Rows * Columns);
  bench all(how, backend_of<Space>, result);
  for (const walks& w : ways)
    for (const named_form& f : forms) {
      const writer_of want{Rows, Columns, w};
      rung r{.name = std::to_string(Rows) + "x" + std::to_string(Columns) + "/" + w.name() + "/" + f.name,
             .given = {{"rounds", 1000}},
             .accesses = predict(with(f.how), w),
             .notes = {{"timed", "a team that does it 1000 times over"}},
             .counted = true};
      if (Rows == 4)
        for (int t = 0; t < 16; ++t) r.notes["printed"].append(t == 0 ? "" : " ").append(std::to_string(want(t)));
      add_both<Space>(
          all, r, x, {1, 1000}, [=](int) { return want; },
          [=](int rounds) {
            launch<Space, with(form::plain), with(form::padded), with(form::swizzled)>(f.is_static, with(f.how), w,
                                                                                       rounds, x.data());
          },
          [=](int rounds, auto queue) {
            const auto call = f.is_static ? handwritten::lab::tile_static : handwritten::lab::tile_dynamic;
            call(Rows, Columns, f.how, w.write, w.read, rounds, x.data(), queue);
          });
    }
  all.finish();
}

bank_panel panel_of(const char* name, const layout& at, walk way) {
  bank_panel panel{std::string(name) + (way == walk::rows ? ", a row" : ", a column"), 4, {}, 0, 0};
  for (int r = 0; r < at.rows; ++r) {
    auto& row = panel.cells.emplace_back();
    for (int c = 0; c < at.columns; ++c) row.push_back({-1, at(r, c) % tile::banks::count});
    for (int c = at.columns; c < at.line; ++c) row.push_back({-1, (r * at.line + c) % tile::banks::count, true});
  }
  const auto cell_at = [&](int t) { return cell_of(t, way, at.rows, at.columns); };
  for (int t = 0; t < tile::banks::lanes; ++t)
    panel.cells[static_cast<std::size_t>(cell_at(t).row)][static_cast<std::size_t>(cell_at(t).column)].lane = t;
  const auto cost =
      tile::banks::of(tile::direction::load, 4, [&](int t) { return 4 * at(cell_at(t).row, cell_at(t).column); });
  panel.wavefronts = cost.wavefronts;
  panel.ideal = cost.ideal;
  return panel;
}

std::vector<bank_panel> panels_of(int rows, int columns, int spread, walk way) {
  std::vector<bank_panel> panels;
  for (const named_form& f : forms)
    if (f.is_static) panels.push_back(panel_of(f.name, layout_of(rows, columns, spread, f.how), way));
  return panels;
}

void draw(experiment_result& result) {
  for (const int rows : {32, 16})
    result.draw(bank_grid({"A warp reads a column of a tile of " + std::to_string(rows) + " x 32",
                           "Each square is a word of the tile, placed in its bank; the coloured ones are those that "
                           "the 32 lanes of a warp ask for. In the plain tile they lie in one or two banks, which "
                           "serve them one after another. Padding, or a swizzle, spreads them over all banks: one "
                           "wavefront serves them all."},
                          panels_of(rows, 32, rows == 32 ? 1 : 2, walk::columns)));
  result.draw(bank_grid({"A warp reads a row of a tile of 32 x 32",
                         "A row's words lie side by side, one in each bank, whether the tile is padded, swizzled or "
                         "plain. One wavefront serves them all: padding and swizzling cost rows nothing."},
                        panels_of(32, 32, 1, walk::rows)));
  for (const std::string& where : backends_of(result)) {
    std::vector<bar> rows;
    for (const char* const variant : {"handwritten", "portable"})
      for (const case_result& c : result.cases)
        if (c.backend == where && c.variant == variant && c.name.starts_with("32x32/") &&
            c.name.find("dynamic") == std::string::npos)
          if (const auto round = time_in(1e9, "rounds")(c)) rows.push_back({c.name.substr(6), *round, variant});
    result.draw(bars(
        {"What a round over a tile of 32 x 32 takes: " + where,
         where == "CUDA" ? "In a round each of 1024 threads stores and loads one element. Where a column of the plain "
                           "tile is accessed, the twin takes a clock for each of its 1024 wavefronts; padded and "
                           "swizzled tiles take as long by columns as by rows. The portable kernel adds the time of "
                           "its barriers."
                         : "One thread stores and loads 1024 elements in a round. A CPU's cache has no banks in which "
                           "lanes could conflict: the rounds differ in the order of the cache lines, and in the "
                           "arithmetic of a swizzled index."},
        rows, "ns"));
  }
  result.draw(predicted_counted({"Wavefronts of a launch, predicted and counted",
                                 "The model computes each lane's address as the kernel does, and counts the words that "
                                 "lie in one bank; the profiler counts what the hardware did. Where both agree for "
                                 "every kernel, the model is the hardware's rule."},
                                result, "scratch"));
}

}  // namespace

void run_tile(const settings& how, experiment_result& result) {
  result.text = {
      "Each thread of a team writes its number into a tile of scratch, waits, and reads an element back. "
      "Neighbouring threads take neighbouring elements of a row, or of a column. The results say which "
      "thread wrote what; the wavefronts say what the accesses cost.",
      "A bank serves one word at a time. 32 lanes that ask for 32 words of one bank wait for 32 wavefronts; "
      "32 words in 32 banks, or one word for all lanes, take one."};
  constexpr walk rows = walk::rows, columns = walk::columns;
  for_each_space(how, [&]<class Space>(Space) {
    run_shape<Space, 32, 32, 1>(how, {{rows, rows}, {columns, columns}, {rows, columns}, {columns, rows}}, result);
    run_shape<Space, 4, 4, 1>(how, {{rows, columns}, {columns, rows}}, result);
    run_shape<Space, 16, 32, 2>(how, {{rows, columns}}, result);
  });
  draw(result);
}

}  // namespace abax::lab

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "tile": one team writes a tile of scratch by rows or columns and reads it by rows or columns.
#include <Kokkos_Core.hpp>
#include <string>
#include <vector>

#include "figures.hpp"
#include "model/layout.hpp"
#include "runs.hpp"
#include "spaces.hpp"
#include "trace.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/handwritten/lab.hpp"
#endif

namespace abax::lab {
namespace {

constexpr const char* experiment_name = "tile";

enum class walk { rows, columns };

struct cell {
  int row, column;
};

/// The element that thread `thread` of a team takes: neighbours run along a row, or along a column.
KOKKOS_FORCEINLINE_FUNCTION constexpr cell cell_of(int thread, walk way, int rows, int columns) {
  return way == walk::rows ? cell{thread / columns, thread % columns} : cell{thread % rows, thread / rows};
}

/// A layout that the compiler knows.
template <int Rows, int Columns, int Line, int Turn>
struct static_layout {
  static constexpr int rows = Rows, columns = Columns;

  KOKKOS_FORCEINLINE_FUNCTION constexpr int operator()(int row, int column) const {
    return model::layout{Rows, Columns, Line, Turn}(row, column);
  }
};

/// x[t] <- what t reads, of a tile in scratch that each t has written itself to, `rounds` times over.
template <class Space, class Layout>
struct tile_team {
  Layout layout;
  walk write, read;
  int rounds;
  int* x;

  using member = typename Kokkos::TeamPolicy<Space>::member_type;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const int threads = layout.rows * layout.columns;
    int* const tile = static_cast<int*>(team.team_shmem().get_shmem_aligned(bytes(layout), 16));
    for (int round = 0; round < rounds; ++round) {
      team.team_barrier();  // the round before has been read
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int t) {
        const cell to = cell_of(t, write, layout.rows, layout.columns);
        tile[layout(to.row, to.column)] = t + round;
      });
      team.team_barrier();  // the tile is complete
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int t) {
        const cell from = cell_of(t, read, layout.rows, layout.columns);
        const int value = tile[layout(from.row, from.column)] - round;
        if (round + 1 == rounds || value < 0) x[t] = value;  // never: but no round's read can be left out
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(const Layout& l) {
    return sizeof(int) * static_cast<std::size_t>(l(l.rows - 1, 0) + 2 * l.columns);
  }
};

/// One way of laying a tile out.
struct form {
  const char* name;
  bool is_static;
  model::layout layout;
};

std::vector<form> forms_of(int rows, int columns, int padding, int turn) {
  const auto plain = model::layout::plain(rows, columns), padded = model::layout::padded(rows, columns, padding),
             swizzled = model::layout::swizzled(rows, columns, turn);
  return {{"static", true, plain},      {"dynamic", false, plain},
          {"padded", true, padded},     {"dynamic, padded", false, padded},
          {"swizzled", true, swizzled}, {"dynamic, swizzled", false, swizzled}};
}

struct walks {
  walk write, read;
};

std::string name_of(const walks& w) {
  const auto text = [](walk way) { return way == walk::rows ? "rows" : "columns"; };
  return std::string("write ") + text(w.write) + ", read " + text(w.read);
}

template <class Space, class Layout>
void launch(const std::string& label, const Layout& layout, const walks& w, int rounds, int* x) {
  using kernel = tile_team<Space, Layout>;
  Kokkos::parallel_for(label.empty() ? std::string(experiment_name) : label,
                       teams<Space>(1, layout.rows * layout.columns, kernel::bytes(layout) + 16),
                       kernel{layout, w.write, w.read, rounds, x});
}

template <class Space, int Rows, int Columns, int Padding, int Turn>
void launch_form(const std::string& label, const form& f, const walks& w, int rounds, int* x) {
  if (!f.is_static)
    launch<Space>(label, f.layout, w, rounds, x);
  else if (f.layout.swizzle != 0)
    launch<Space>(label, static_layout<Rows, Columns, Columns, Turn>(), w, rounds, x);
  else if (f.layout.line != Columns)
    launch<Space>(label, static_layout<Rows, Columns, Columns + Padding, 0>(), w, rounds, x);
  else
    launch<Space>(label, static_layout<Rows, Columns, Columns, 0>(), w, rounds, x);
}

#if defined(KOKKOS_ENABLE_CUDA)
void launch_twin(const form& f, const walks& w, int rounds, int* x) {
  namespace hand = handwritten::lab;
  const auto way = [](walk k) { return k == walk::rows ? hand::walk::rows : hand::walk::columns; };
  const hand::form how = f.layout.swizzle != 0               ? hand::form::swizzled
                         : f.layout.line != f.layout.columns ? hand::form::padded
                                                             : hand::form::plain;
  const auto call = f.is_static ? hand::tile_static : hand::tile_dynamic;
  call(f.layout.rows, f.layout.columns, how, way(w.write), way(w.read), rounds, x,
       Kokkos::DefaultExecutionSpace().cuda_stream());
}
#endif

/// What thread t has to find: whose element it was.
std::vector<int> expected(int rows, int columns, const walks& w) {
  std::vector<int> owner(static_cast<std::size_t>(rows * columns)), found(owner.size());
  const auto index = [&](int t, walk way) {
    const cell c = cell_of(t, way, rows, columns);
    return static_cast<std::size_t>(c.row * columns + c.column);
  };
  for (int t = 0; t < rows * columns; ++t) owner[index(t, w.write)] = t;
  for (int t = 0; t < rows * columns; ++t) found[static_cast<std::size_t>(t)] = owner[index(t, w.read)];
  return found;
}

std::vector<access> predict(const form& f, const walks& w) {
  const launch_shape shape{1, f.layout.rows * f.layout.columns};
  const auto scratch = [&](walk way) {
    return [&f, way](int, int t, int) {
      const cell c = cell_of(t, way, f.layout.rows, f.layout.columns);
      return 4 * f.layout(c.row, c.column);
    };
  };
  return {scratch_access("store to scratch", 4, shape, scratch(w.write)),
          scratch_access("load from scratch", 4, shape, scratch(w.read)),
          global_access("store to global", 4, shape, [](int, int t, int) { return 4 * t; })};
}

/// Checks, times and keeps one shape in all its forms.
template <class Space, int Rows, int Columns, int Padding, int Turn>
void run_shape(const settings& how, const std::vector<walks>& ways, experiment_result& result) {
  constexpr int threads = Rows * Columns, many = 1000;
  Kokkos::View<int*, Space> x("x", threads);
  const std::string shape = std::to_string(Rows) + "x" + std::to_string(Columns);
  std::vector<case_result> cases;
  std::vector<std::function<void()>> calls;
  for (const walks& w : ways)
    for (const form& f : forms_of(Rows, Columns, Padding, Turn)) {
      const auto add = [&](const char* variant, const std::function<void(const std::string&, int)>& run) {
        case_result c = case_of<Space>(experiment_name, shape + "/" + name_of(w) + "/" + f.name, variant);
        Kokkos::deep_copy(x, -1);
        labelled(c.label, [&] { run(c.label, 1); });
        const std::vector<int> found = values_of(x);
        if (found != expected(Rows, Columns, w)) throw wrong_output(c, "a thread read another element than it must");
        c.checked = "all " + std::to_string(threads) + " elements, with the ones that the walks leave there";
        if (threads == 16)
          for (const int v : found) c.notes["printed"] += (c.notes["printed"].empty() ? "" : " ") + std::to_string(v);
        c.accesses = predict(f, w);
        c.given["rounds"] = many;
        c.notes["timed"] = "a team that does it " + std::to_string(many) + " times over";
        cases.push_back(c);
        calls.push_back([run, many] { run("", many); });
      };
      add("portable", [&x, f, w](const std::string& label, int rounds) {
        launch_form<Space, Rows, Columns, Padding, Turn>(label, f, w, rounds, x.data());
      });
#if defined(KOKKOS_ENABLE_CUDA)
      if (backend_of<Space> == backend::device)
        add("handwritten", [&x, f, w](const std::string&, int rounds) { launch_twin(f, w, rounds, x.data()); });
#endif
    }
  std::vector<timed_case> timed;
  for (std::size_t c = 0; c < cases.size(); ++c) timed.push_back({&cases[c], calls[c]});
  time_together(how, backend_of<Space>, timed);
  result.cases.insert(result.cases.end(), cases.begin(), cases.end());
}

bank_panel panel_of(const form& f, walk way) {
  const model::layout& l = f.layout;
  bank_panel panel{std::string(f.name) + (way == walk::rows ? ", a row" : ", a column"), 4, {}, 0, 0};
  for (int r = 0; r < l.rows; ++r) {
    auto& row = panel.cells.emplace_back();
    for (int c = 0; c < l.columns; ++c) row.push_back({-1, l(r, c) % tile::banks::count});
    for (int c = l.columns; c < l.line; ++c) row.push_back({-1, (r * l.line + c) % tile::banks::count, true});
  }
  const auto address = [&](int t) {
    const cell c = cell_of(t, way, l.rows, l.columns);
    return 4 * l(c.row, c.column);
  };
  for (int t = 0; t < tile::banks::lanes; ++t) {
    const cell c = cell_of(t, way, l.rows, l.columns);
    panel.cells[static_cast<std::size_t>(c.row)][static_cast<std::size_t>(c.column)].lane = t;
  }
  const tile::banks::cost cost = tile::banks::of(tile::direction::load, 4, address);
  panel.wavefronts = cost.wavefronts;
  panel.ideal = cost.ideal;
  return panel;
}

void draw(experiment_result& result) {
  const std::vector<form> square = forms_of(32, 32, 1, 1), rectangle = forms_of(16, 32, 2, 2);
  for (const bool wide : {false, true}) {
    const std::vector<form>& forms = wide ? rectangle : square;
    const char* const shape = wide ? "16 x 32" : "32 x 32";
    result.figures.push_back(bank_grid(
        {std::string("A warp reads a column of a tile of ") + shape,
         "Each square is a word of the tile, placed in the bank that it lies in; the coloured ones are what the 32 "
         "lanes of a warp ask for. In the plain tile they stand in one bank, or few, which serves them one after "
         "another. With padding, or with the columns of each row exchanged, they stand in different banks, and one "
         "wavefront serves "
         "them all."},
        {panel_of(forms[0], walk::columns), panel_of(forms[2], walk::columns), panel_of(forms[4], walk::columns)}));
  }
  result.figures.push_back(
      bank_grid({"A warp reads a row of a tile of 32 x 32",
                 "A row's words stand side by side, one in each bank, whether the tile is padded, swizzled or plain: "
                 "one wavefront "
                 "serves them all. What padding or exchanging columns gives to columns, it does not take from rows.",
                 "", ""},
                {panel_of(square[0], walk::rows), panel_of(square[2], walk::rows), panel_of(square[4], walk::rows)}));
  for (const char* const where : {"OpenMP", "CUDA"}) {
    std::vector<bar> rows;
    for (const char* const variant : {"handwritten", "portable"})
      for (const case_result& c : result.cases)
        if (c.backend == where && c.variant == variant && c.name.starts_with("32x32/") &&
            c.name.find("dynamic") == std::string::npos && c.measured.count("seconds_median") > 0) {
          const double one = 1e9 / c.given.at("rounds");
          rows.push_back({c.name.substr(6), c.measured.at("seconds_median") * one, c.measured.at("seconds_low") * one,
                          c.measured.at("seconds_high") * one, unknown, variant});
        }
    if (!rows.empty())
      result.figures.push_back(
          bars({std::string("What a round over a tile of 32 x 32 takes: ") + where,
                where == std::string("CUDA")
                    ? "A round is a store and a load of each of 1024 threads. Where a column of the plain tile is "
                      "walked, the twin takes a clock for each of its 1024 wavefronts; padded and swizzled tiles take "
                      "what rows take. In the portable kernel the barriers' own time stands on top of each."
                    : "A round is a store and a load of each of 1024 elements, by one thread. A CPU's cache has no "
                      "banks that lanes could meet in: what differs is the way through its lines, and the arithmetic "
                      "of a swizzled index.",
                "", "", from_clock},
               rows, "ns"));
  }
  result.figures.push_back(predicted_counted(
      {"Wavefronts of a launch, predicted and counted",
       "The model computes each lane's address as the kernel does and counts the words that meet in a bank; the "
       "profiler counts what the hardware did. Where both agree for every kernel, the model is the hardware's rule."},
      predictions(result, "scratch")));
}

}  // namespace

void run_tile(const settings& how, experiment_result& result) {
  result.text = {
      "A team of threads writes its numbers into a tile of scratch, waits, and reads them back. Neighbouring threads "
      "take "
      "neighbouring elements of a row, or of a column. The results say who met whom; the wavefronts say what it cost.",
      "A bank serves one word at a time. 32 lanes that ask for 32 words of one bank wait for 32 wavefronts; 32 words "
      "in 32 "
      "banks, or one word for all, take one."};
  const std::vector<walks> all{{walk::rows, walk::rows},
                               {walk::columns, walk::columns},
                               {walk::rows, walk::columns},
                               {walk::columns, walk::rows}};
  for_each_space(how, [&](auto space) {
    using Space = decltype(space);
    run_shape<Space, 32, 32, 1, 1>(how, all, result);
    run_shape<Space, 4, 4, 1, 1>(how, {all[2], all[3]}, result);
    run_shape<Space, 16, 32, 2, 2>(how, {all[2]}, result);
  });
  if (!how.wants(backend::device)) result.left_out.push_back("the GPU's kernels: this build, or this run, has none");
  draw(result);
}

}  // namespace abax::lab

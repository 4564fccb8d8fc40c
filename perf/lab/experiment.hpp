// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What an experiment is, what it is told and what it answers. Models, clocks and counters never share a field, nor
/// with what is given beforehand or what a kernel answers.
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../suite/peers/peers.hpp"

namespace abax::lab {

using perf::backend;

/// One access of a kernel: what its lanes ask for, and what the model says that this costs.
struct access {
  std::string what;                  ///< begins with "load" or "store": "store to scratch"
  std::string space;                 ///< "scratch" or "global"
  int width = 4;                     ///< bytes a lane
  std::vector<long> addresses = {};  ///< of a representative warp's 32 lanes, bytes; -1: the lane takes no part
  /// Of the whole launch: "requests"; "wavefronts", "wavefronts_ideal" and "bank_conflicts", or "sectors", "lines" and
  /// "bytes_asked"; of the representative warp: names that end in "_per_request", "worst_conflict",
  /// "share_of_sectors", "share_of_lines".
  std::map<std::string, double> model = {};
};

struct case_result {
  std::string name;          ///< "square/write columns, read rows/padded"
  std::string backend;       ///< "CUDA", "OpenMP"
  std::string variant;       ///< "portable", "handwritten", "vendor" or "model"
  std::string label = "";    ///< of its one launch for a profiler: EXPERIMENT/NAME/VARIANT; empty: nothing is counted
  std::string checked = "";  ///< what was compared with what; a case that was not checked is not reported
  std::vector<access> accesses = {};
  std::map<std::string, double> given = {};     ///< amounts that are not measured: bytes, flops, steps, messages
  std::map<std::string, double> measured = {};  ///< by a clock, unit in the name: seconds_median, bytes_per_second, ...
  std::map<std::string, double> output = {};    ///< what kernels, a tool or the runtime answered: hazards, ...
  std::map<std::string, std::string> notes = {};
};

/// Data that the page draws by its kind: made by the functions of figures.hpp.
struct figure {
  std::string kind, title, caption, x, y;
  std::string data;  ///< JSON; empty where there is nothing to draw
};

struct experiment_result {
  std::string name, title;
  std::vector<std::string> text = {};      ///< paragraphs
  std::vector<std::string> left_out = {};  ///< what did not run here, and why
  std::vector<case_result> cases = {};
  std::vector<figure> figures = {};

  void draw(figure f) {
    if (!f.data.empty()) figures.push_back(std::move(f));
  }
};

struct settings {
  std::vector<std::string> backends = {};  ///< "host", "device"; empty: all there are
  bool quick = false;                      ///< small sizes only
  bool once = false;                       ///< each labelled kernel once, for a profiler; nothing is timed
  double seconds = 0.1;                    ///< of timing for each case, at least

  bool wants(backend where) const;  ///< and the build has it
  bool small() const { return quick || once; }
};

/// A kernel's output is not what it must be.
struct wrong_output : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The file of a run (docs/lab/README.md), written whole or not at all.
void write_json(const std::vector<experiment_result>& results, const std::string& path);

// The experiments, a source each.
void run_tile(const settings& how, experiment_result& result);
void run_sweep(const settings& how, experiment_result& result);
void run_coalescing(const settings& how, experiment_result& result);
void run_transpose_ladder(const settings& how, experiment_result& result);
void run_product_ladder(const settings& how, experiment_result& result);
void run_in_kernel(const settings& how, experiment_result& result);
void run_vector(const settings& how, experiment_result& result);
void run_copies(const settings& how, experiment_result& result);
void run_device_copies(const settings& how, experiment_result& result);  // a part of it, in builds with CUDA
void run_ordering(const settings& how, experiment_result& result);
void run_carveout(const settings& how, experiment_result& result);
void run_memory(const settings& how, experiment_result& result);

/// Launches the kernel that reverses tiles by way of scratch, with its barrier or without: for racecheck, which
/// "ordering" runs over this program.
void race(const std::string& variant, bool barrier);

}  // namespace abax::lab

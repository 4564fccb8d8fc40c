// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What an experiment is, what it is told and what it answers. Models, clocks and counters never share a field, nor
/// with what is given beforehand or what a kernel answers.
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../suite/peers/peers.hpp"

namespace abax::lab {

using perf::backend;

/// One access of a kernel: what its lanes ask for, and what the model says that this costs.
struct access {
  std::string what;             ///< begins with "load" or "store": "store to scratch"
  std::string space;            ///< "scratch" or "global"
  int width;                    ///< bytes a lane
  std::vector<long> addresses;  ///< of a representative warp's 32 lanes, bytes; -1: the lane takes no part
  /// Of the whole launch: "requests"; "wavefronts", "wavefronts_ideal" and "bank_conflicts", or "sectors", "lines" and
  /// "bytes_asked"; of the
  /// representative warp: names that end in "_per_request", "worst_conflict", "share_of_sectors", "share_of_lines".
  std::map<std::string, double> model;
};

struct case_result {
  std::string name;     ///< "square/write columns, read rows/padded"
  std::string backend;  ///< "CUDA", "OpenMP"
  std::string variant;  ///< "portable", "handwritten", "vendor" or "model"
  std::string label;    ///< of its one launch for a profiler, see labelled(); empty where nothing is counted
  std::string checked;  ///< what was compared with what; a case that was not checked is not reported
  std::vector<access> accesses;
  std::map<std::string, double> given;     ///< amounts that nobody measured: bytes, flops, steps, messages
  std::map<std::string, double> measured;  ///< by a clock, unit in the name: seconds_median, bytes_per_second, ...
  std::map<std::string, double> output;    ///< what kernels, a tool or the runtime answered: outcomes, hazards, ...
  std::map<std::string, std::string> notes;
};

/// Data that the page draws by its kind: made by the functions of figures.hpp.
struct figure {
  std::string kind, title, caption, x, y;
  std::string data;  ///< JSON
};

struct experiment_result {
  std::string name, title;
  std::vector<std::string> text;      ///< paragraphs
  std::vector<std::string> left_out;  ///< what did not run here, and why
  std::vector<case_result> cases;
  std::vector<figure> figures;
};

struct settings {
  std::vector<std::string> backends;  ///< "host", "device"; empty: all there are
  bool quick = false;                 ///< small sizes only
  bool once = false;                  ///< each labelled kernel once, for a profiler; nothing is timed
  double seconds = 0.1;               ///< of timing for each case, at least

  bool wants(backend where) const;  ///< and the build has it
};

struct experiment {
  const char* name;
  const char* title;
  const char* teaches;
  void (*run)(const settings&, experiment_result&);
};

/// All of them, in the order of the lab.
std::span<const experiment> experiments();

/// "tile/square/write columns, read rows/padded/portable"
std::string label_of(const char* experiment, const case_result& c);

/// Waits for the backend's work.
void fence(backend where);

/// Runs `launch`, which starts exactly one kernel on the device, so that a profiler knows it by `label` and counts
/// nothing else, and waits for its end. (Where an empty label is given, it just runs.)
void labelled(const std::string& label, const std::function<void()>& launch);

/// A kernel's output is not what it must be.
struct wrong_output : std::runtime_error {
  wrong_output(const case_result& c, const std::string& what)
      : std::runtime_error(c.name + " (" + c.variant + ", " + c.backend + "): " + what) {}
};

/// What times a case on a GPU: events around its calls, where all of them are put into the default stream; or the
/// host's clock, from the first call until the device is done, where the host has a part in it.
enum class timed_by { events, host };

/// A case and the call that it is timed by.
struct timed_case {
  case_result* result;
  std::function<void()> call;
  timed_by clock = timed_by::events;
};

/// Fills in seconds_median, seconds_low and seconds_high (the median's 95 % interval), call by call and in random
/// order, so that what the machine does meanwhile befalls all alike; a note says which clock it was. On the host it is
/// the host's. Nothing happens where `how.once` is set.
void time_together(const settings& how, backend where, std::span<const timed_case> cases);

}  // namespace abax::lab

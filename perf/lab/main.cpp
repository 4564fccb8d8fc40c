// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax-lab: what scratch and global memory cost, predicted, run and counted.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "../suite/arguments.hpp"
#include "../suite/interruption.hpp"
#include "../suite/machine.hpp"
#include "../suite/ranks/ranks.hpp"
#include "../suite/results.hpp"
#include "../suite/session.hpp"
#include "../suite/table.hpp"
#include "experiment.hpp"
#include "report.hpp"

namespace {

namespace lab = abax::lab;
namespace perf = abax::perf;

enum exit_code { all_right = 0, failed = 1, cannot_run = 2 };

struct experiment {
  const char *name, *title, *teaches;
  void (*run)(const lab::settings&, lab::experiment_result&);
};
constexpr experiment experiments[] = {
    {"tile", "A tile, written and read by rows and columns", "banks, conflicts, padding, swizzling", lab::run_tile},
    {"sweep", "Strides, widths and shared words", "wavefronts, broadcast, hidden conflicts", lab::run_sweep},
    {"coalescing", "What a warp's reads move", "sectors, lines, offsets, strides", lab::run_coalescing},
    {"transpose_ladder", "A transpose, from naive to a copy's speed", "tiles, padding, swizzling in use",
     lab::run_transpose_ladder},
    {"product_ladder", "A matrix product, from naive to the vendor's", "sharing what was fetched",
     lab::run_product_ladder},
    {"in_kernel", "Products inside kernels", "register tiles, conflict-free operands", lab::run_in_kernel},
    {"vector", "A matrix-vector product", "block sizes, partial tiles, what is worth staging", lab::run_vector},
    {"copies", "Copies and streams", "page-locked, mapped and pitched memory; overlap", lab::run_copies},
    {"ordering", "Fences and barriers", "what one thread may see of another's stores", lab::run_ordering},
    {"carveout", "Cache and scratch share a memory", "requests, occupancy, threads and elements", lab::run_carveout},
    {"memory", "Kinds of memory", "latency and bandwidth from registers to the host", lab::run_memory}};

void print(const lab::case_result& c) {
  std::printf("  %-64s %-7s %-12s", c.name.c_str(), c.backend.c_str(), c.variant.c_str());
  for (const char* const quantity : {"wavefronts", "sectors"})
    for (const lab::access& a : c.accesses)
      if (const auto found = a.model.find(quantity); found != a.model.end())
        std::printf("  %s: %.0f %s predicted", a.what.c_str(), found->second, quantity);
  if (const auto found = c.measured.find("seconds_median"); found != c.measured.end())
    std::printf("  %s", perf::time_text(found->second).c_str());
  std::printf("\n");
}

struct job {
  std::vector<std::string> chosen;  // empty: all
  lab::settings how;
  std::string json;
};

void run(const job& j) {
  if (!j.json.empty()) perf::require_writable(j.json);
  perf::wait_for_interruption();
  std::vector<lab::experiment_result> results;
  const auto keep = [&] {
    if (!j.json.empty()) lab::write_json(results, j.json);
  };
  for (const experiment& e : experiments) {
    if (!j.chosen.empty() && std::find(j.chosen.begin(), j.chosen.end(), e.name) == j.chosen.end()) continue;
    std::printf("%s: %s\n", e.name, e.title);
    std::fflush(stdout);
    lab::experiment_result r{e.name, e.title};
    try {
      perf::require_going_on();
      e.run(j.how, r);
      if (!j.how.wants(perf::backend::device))
        r.left_out.emplace_back("Everything on a GPU: this build, or this run, has none.");
    } catch (const perf::interruption&) {
      keep();
      throw;
    }
    for (const lab::case_result& c : r.cases) print(c);
    for (const std::string& what : r.left_out) std::printf("  left out: %s\n", what.c_str());
    std::fflush(stdout);
    results.push_back(std::move(r));
    keep();
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "The lab of scratch memory: what an access costs, by a model, by the clock and by the profiler's counters.",
      "abax-lab"};
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", [] { return perf::about("abax-lab"); }, "What this program was built from");
  app.footer(
      "Exit status: 0 all outputs are right; 1 one is not; 2 the program could not run; 77 it is built for a GPU, and\n"
      "none is visible; 130 Ctrl-C, and 143 SIGTERM: experiments that were complete are kept.\n"
      "Counters: perf/tools/counters.py ABAX_LAB FOLDER.");
  app.failure_message(
      [](const CLI::App*, const CLI::Error& error) { return std::string("abax-lab: ") + error.what() + "\n"; });

  job what;
  std::vector<std::string> names;
  for (const experiment& e : experiments) names.emplace_back(e.name);
  CLI::App* const run_command = app.add_subcommand("run", "Runs experiments; each checks its outputs first");
  run_command->add_option("NAME", what.chosen, "Those that `list` names; by default all")->check(perf::one_of(names));
  run_command->add_option("-b,--backend", what.how.backends, "host, device; by default all there are")
      ->delimiter(',')
      ->check(perf::one_of({"host", "device"}));
  run_command->add_flag("--quick", what.how.quick, "Small sizes only");
  run_command->add_option("--seconds", what.how.seconds, "Of timing for each case, at least")
      ->capture_default_str()
      ->check(perf::between(1e-6, 1e6));
  run_command->add_flag("--once", what.how.once, "Time nothing: each kernel runs once, for a profiler");
  run_command->add_option("--json", what.json, "Write everything to this file, for `report`");
  CLI::App* const list_command = app.add_subcommand("list", "The experiments");
  CLI::App* const devices_command = app.add_subcommand("devices", "This host and its GPUs: what all figures depend on");
  std::string folder, page, left_out;
  CLI::App* const report_command = app.add_subcommand("report", "One page with the drawings of result files");
  report_command->add_option("DIR", folder, "The folder of files that `run --json` or perf/tools/counters.py wrote")
      ->required();
  report_command->add_option("-o,--output", page, "The page; by default DIR/index.html");
  report_command->add_option("--leave-out", left_out, "NAME=WHY: no case whose name holds NAME, and the page says why");

  std::string variant, barrier;
  CLI::App* const race_command = app.add_subcommand("race", "One kernel for racecheck: ordering runs it");
  race_command->group("");  // not for users
  race_command->add_option("KERNEL", variant)->required()->check(perf::one_of({"portable", "handwritten"}));
  race_command->add_option("BARRIER", barrier)->required()->check(perf::one_of({"with", "without"}));

  std::vector<std::string> commands;
  for (const CLI::App* const sub : app.get_subcommands({})) commands.push_back(sub->get_name());
  if (argc > 1 && argv[1][0] != '-' && std::find(commands.begin(), commands.end(), argv[1]) == commands.end()) {
    std::fprintf(stderr, "abax-lab: \"%s\" is not a command%s\n", argv[1], perf::suggestion(argv[1], commands).c_str());
    return cannot_run;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? all_right : cannot_run;
  }
  try {
    if (list_command->parsed())
      for (const experiment& e : experiments) std::printf("%-17s %s (%s)\n", e.name, e.title, e.teaches);
    if (report_command->parsed()) return lab::report(folder, page, left_out) ? all_right : cannot_run;
    if (run_command->parsed() || devices_command->parsed() || race_command->parsed())
      perf::with_kokkos([&] {
        if (devices_command->parsed())
          perf::devices();
        else if (race_command->parsed())
          lab::race(variant, barrier == "with");
        else
          run(what);
        return true;
      });
    return all_right;
  } catch (const perf::interruption& i) {
    std::fprintf(stderr, "abax-lab: interrupted\n");
    return 128 + i.signal;
  } catch (const perf::ranks::refused& error) {
    std::fprintf(stderr, "abax-lab: %s\n", error.what());
    return error.status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "abax-lab: %s\n", error.what());
    return dynamic_cast<const lab::wrong_output*>(&error) != nullptr ? failed : cannot_run;
  }
}

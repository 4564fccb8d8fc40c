// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax-perf: how fast Abax is on this machine.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <sstream>

#include "arguments.hpp"
#include "compare.hpp"
#include "demo.hpp"
#include "devices.hpp"
#include "gather.hpp"
#include "interruption.hpp"
#include "plot.hpp"
#include "ranks.hpp"
#include "run.hpp"
#include "session.hpp"
#include "tune.hpp"
#include "validators.hpp"

namespace {

using abax::index_t;
namespace perf = abax::perf;

enum exit_code { all_right = 0, failed = 1, cannot_run = 2, no_gpu = 77 };

constexpr bool optimised =
#if defined(NDEBUG)
    true;
#else
    false;
#endif

/// Texts that are parsed only once all are known.
struct notations {
  std::vector<std::string> sizes, shapes, files;
  std::string threshold, fail_on, slow;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "How fast Abax is on this machine, every result checked first.\n"
      "Threads are OpenMP's; for steady figures bind them: OMP_PROC_BIND=spread OMP_PLACES=cores.\n"
      "ABAX_CPU=avx512|avx2|portable chooses the CPU's inner loops.",
      "abax-perf"};
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 all results have the canon's bits; 1 some have not, or `compare --fail-on` found what it names;\n"
      "2 the program could not run; 77 it is built for a GPU, and none is visible; 130 Ctrl-C, and 143 SIGTERM: what\n"
      "was measured until then is kept.");
  app.failure_message(
      [](const CLI::App*, const CLI::Error& error) { return std::string("abax-perf: ") + error.what() + "\n"; });
  bool allow_debug = false, dry = false;
  notations texts;

  CLI::App* const demo = app.add_subcommand(
      "demo", "Products, transposes and increments at real sizes on every backend, within two minutes on two cores");
  demo->add_flag("--allow-debug", allow_debug, "Run although this build is not optimised");

  perf::selection what;
  CLI::App* const run = app.add_subcommand("run", "Chosen kernels, timed beside other libraries, call by call");
  CLI::App* const list = app.add_subcommand("list", "What `run` would run");
  CLI::App* const tune = app.add_subcommand("tune", "A GPU's plans of products, measured for the tables in backends/");
  tune->add_option("-t,--type", what.types, "f32, f64")->delimiter(',')->check(perf::one_of({"f32", "f64"}));
  for (CLI::App* const sub : {run, list}) {
    sub->add_option("-k,--kernel,KERNEL", what.kernels,
                    "gemm, gemv, dot, transpose, copy, ...; \"gemm TN\" is one of them; pgemm: over several ranks")
        ->delimiter(',');
    sub->add_option("-t,--type", what.types, "f32, f64")->delimiter(',')->check(perf::one_of({"f32", "f64"}));
    sub->add_option("-b,--backend", what.backends, "host, device")
        ->delimiter(',')
        ->check(perf::one_of({"host", "device"}));
    sub->add_option("-s,--sizes", texts.sizes, "Square shapes of these sizes: 512,1000 or 256:8192:*2 or 100:500:+100")
        ->delimiter(',');
    sub->add_option("--shape,--mnk", texts.shapes,
                    "Shapes as the table writes them: 64x64x100000 for gemm, 4096x64 for gemv")
        ->delimiter(',');
  }
  run->add_option("-p,--variant,--peer", what.peers,
                  "What Abax is compared with: libraries, its hand-written twins; by default all that are found, and "
                  "with \"abax\" nothing")
      ->delimiter(',')
      ->check(perf::one_of(perf::peer_names()));
  run->add_option("--library", texts.files, "Where a CPU library lies: mkl=/opt/lib/libmkl_rt.so.2");
  CLI::Option* const seconds =
      run->add_option("--seconds", what.seconds, "Of timing for each variant of a case, at least")
          ->capture_default_str()
          ->check(perf::between(1e-6, 1e6));
  CLI::Option* const passes =
      run->add_option(
             "--passes", what.passes,
             "Over all cases, which share --seconds: what differs from one to the next is a part of the interval")
          ->capture_default_str()
          ->check(perf::between(1, 100));
  run->add_option("--patience", what.patience,
                  "Goes on for this many times --seconds, until each median is known to 2 %")
      ->capture_default_str()
      ->check(perf::between(1.0, 1e6));
  CLI::Option* const limit =
      run->add_option("--time-limit", what.time_limit, "Leave out what would take longer in all: 90, 10m, 2h")
          ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}))
          ->check(perf::between(1e-3, 1e9));
  run->add_flag("--quick", what.quick,
                "All kernels in less than five minutes: --seconds 0.2 --passes 5 --time-limit 270, no long calls");
  run->add_flag("--warm", what.warm, "One set of operands for all calls, instead of more than the caches hold");
  CLI::Option* const json =
      run->add_option("--json", what.json, "Write all samples to this file, too, for `compare` and `plot`");
  CLI::Option* const csv =
      run->add_option("--csv", what.csv, "Write a line for each variant of each case to this file");
  CLI::Option* const once =
      run->add_flag("--once", what.once, "Check only: each kernel and each library runs once, for a profiler")
          ->excludes(json)
          ->excludes(csv);
  run->add_option("--slow", texts.slow,
                  "On several ranks: name those that take longer than the median by more than this; 5% by default");
  run->add_flag("!--no-links", what.links, "On several ranks: leave out what lies between them");
  run->add_flag("--dry-run", dry, "Print what would run, and for how long; measures only what the machine can do")
      ->excludes(once);
  run->add_flag("--allow-debug", allow_debug, "Run although this build is not optimised");

  perf::comparison pair;
  CLI::App* const compare = app.add_subcommand("compare", "What became faster or slower from one result to another");
  compare->add_option("BEFORE", pair.before, "A file that `run --json` wrote")->required();
  compare->add_option("AFTER", pair.after, "Another")->required();
  compare->add_option("--threshold", texts.threshold,
                      "Changes up to this are none; by default what --fail-on says, or 5%");
  compare->add_option(
      "--fail-on", texts.fail_on,
      "slower=5%: exit with 1 where Abax is slower by more than that, of which the 95 % interval is sure");
  compare->add_flag("--all", pair.all, "Print what is the same, too");
  compare->add_option("--json", pair.json, "Write the verdicts to this file, too");

  std::vector<std::string> drawn;
  std::string folder;
  CLI::App* const plot = app.add_subcommand("plot", "Pictures of results, and a page with all of them");
  plot->add_option("RESULT", drawn, "Files that `run --json` wrote")->required();
  plot->add_option("-o,--output", folder, "The folder that they go to: index.html, and an SVG for each figure")
      ->required();

  CLI::App* const devices = app.add_subcommand("devices", "This host and its GPUs: what figures depend on");

  std::vector<std::string> commands;
  for (const CLI::App* const sub : app.get_subcommands({})) commands.push_back(sub->get_name());
  if (argc > 1 && argv[1][0] != '-' && std::find(commands.begin(), commands.end(), argv[1]) == commands.end()) {
    std::fprintf(stderr, "abax-perf: \"%s\" is not a command%s\n", argv[1],
                 perf::suggestion(argv[1], commands).c_str());
    return cannot_run;
  }
  try {
    app.parse(argc, argv);
    for (const std::string& s : texts.sizes)
      for (const index_t n : perf::sizes_of(s)) what.sizes.push_back(n);
    for (const std::string& s : texts.shapes) what.shapes.push_back(perf::shape_of(s));
    for (const std::string& f : texts.files) what.peer_files.push_back(perf::peer_file_of(f));
    if (!texts.slow.empty()) what.slow = perf::fraction_of(texts.slow);
    if (!texts.fail_on.empty()) pair.threshold = *(pair.fail_on = perf::slowdown_of(texts.fail_on));
    if (!texts.threshold.empty()) pair.threshold = perf::fraction_of(texts.threshold);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? all_right : cannot_run;
  } catch (const perf::bad_argument& error) {
    std::fprintf(stderr, "abax-perf: %s\n", error.what());
    return cannot_run;
  }
  if (what.quick && seconds->count() == 0) what.seconds = 0.2;
  if (what.quick && passes->count() == 0) what.passes = 5;
  if (what.quick && limit->count() == 0) what.time_limit = 270;
  const bool measures = demo->parsed() || tune->parsed() || (run->parsed() && !dry);
  if (!optimised && !allow_debug && measures) {
    std::fprintf(stderr,
                 "abax-perf: this build is not optimised (no NDEBUG), so its figures would mean nothing: "
                 "configure with -DCMAKE_BUILD_TYPE=Release, or pass --allow-debug\n");
    return cannot_run;
  }
  std::unique_ptr<perf::worker_line> ranks;
  try {
    if (run->parsed() && !dry) {
      const perf::part part = perf::part_of_this_process();
      if (part == perf::part::whole && !what.once && (perf::launched_ranks() > 1 || perf::asks_pgemm(what)))
        perf::become_rank(argv);
      if (part == perf::part::gatherer) return perf::gather(what);
      if (part == perf::part::worker) what.ranks = (ranks = std::make_unique<perf::worker_line>()).get();
    }
    if (compare->parsed()) return perf::compare(pair) ? all_right : failed;
    if (plot->parsed()) {
      perf::plot(drawn, folder);
      return all_right;
    }
    const bool same = perf::with_kokkos([&] {
      if (demo->parsed()) return perf::demo();
      if (run->parsed() && !dry) return perf::run(what);
      if (run->parsed()) perf::dry_run(what);
      if (list->parsed()) perf::list(what);
      if (devices->parsed()) perf::devices();
      if (tune->parsed()) perf::tune(what);
      return true;
    });
    return same ? all_right : failed;
  } catch (const perf::interruption& i) {
    std::fprintf(stderr, "abax-perf: interrupted\n");
    return 128 + i.signal;
  } catch (const perf::no_gpu& error) {
    if (ranks) return ranks->refuse(error.what(), no_gpu), no_gpu;
    std::fprintf(stderr, "abax-perf: %s\n", error.what());
    return no_gpu;
  } catch (const std::exception& error) {
    if (ranks) return ranks->refuse(error.what(), cannot_run), cannot_run;
    std::fprintf(stderr, "abax-perf: %s\n", error.what());
    return cannot_run;
  }
}

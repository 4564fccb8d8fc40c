// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax-perf: how fast Abax is on this machine.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>

#include "accuracy/accuracy.hpp"
#include "arguments.hpp"
#include "interruption.hpp"
#include "machine.hpp"
#include "ranks/ranks.hpp"
#include "results.hpp"
#include "run.hpp"
#include "script.hpp"
#include "session.hpp"
#include "tune.hpp"
#include "verify/verify.hpp"

namespace {

namespace perf = abax::perf;

enum exit_code { all_right = 0, failed = 1, cannot_run = 2 };

constexpr bool optimised =
#if defined(NDEBUG)
    true;
#else
    false;
#endif

int refuse(const char* why, int status) {
  if (perf::ranks::self().rank == 0) std::fprintf(stderr, "abax-perf: %s\n", why);
  return status;
}

int command(int argc, char** argv) {
  CLI::App app{
      "How fast Abax is on this machine, every result checked first.\n"
      "Threads are OpenMP's; for steady figures bind them: OMP_PROC_BIND=spread OMP_PLACES=cores.\n"
      "ABAX_CPU=avx512|avx2|portable chooses the CPU's inner loops.",
      "abax-perf"};
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", [] { return perf::about("abax-perf"); }, "What this program was built from");
  app.footer(
      "Exit status: 0 all results have the canon's bits; 1 some have not, or `compare --fail-on` found what it names;\n"
      "2 the program could not run; 77 it is built for a GPU, and none is visible; 130 Ctrl-C, and 143 SIGTERM: what\n"
      "was measured until then is kept.");
  app.failure_message(
      [](const CLI::App*, const CLI::Error& error) { return std::string("abax-perf: ") + error.what() + "\n"; });
  bool allow_debug = false, dry = false;
  const auto debug = [&](CLI::App* sub) {
    sub->add_flag("--allow-debug", allow_debug, "Run although this build is not optimised");
  };
  perf::selection what;
  // An option whose texts are in a notation of their own.
  const auto parsed = [](CLI::App* sub, const char* name, const auto& parse, const char* help) {
    return sub
        ->add_option_function<std::vector<std::string>>(
            name, [parse](const std::vector<std::string>& texts) { std::ranges::for_each(texts, parse); }, help)
        ->delimiter(',');
  };

  CLI::App* const demo = app.add_subcommand(
      "demo", "Products, transposes and increments at real sizes on every backend, within two minutes on two cores");
  debug(demo);

  CLI::App* const run = app.add_subcommand("run", "Chosen kernels, timed beside other libraries, call by call");
  CLI::App* const list = app.add_subcommand("list", "What `run` would run");
  CLI::App* const tune = app.add_subcommand("tune", "A GPU's rows of products, measured for this machine");
  std::string tuning;
  tune->add_option("-o,--output", tuning,
                   "Write them to this file, which the library reads where ABAX_TUNING names it");
  tune->add_option("-t,--type", what.types, "f32, f64")->delimiter(',')->check(perf::one_of({"f32", "f64"}));
  for (CLI::App* const sub : {run, list}) {
    sub->add_option(
           "-k,--kernel,KERNEL", what.kernels,
           "gemm, syrk, gemv, dot, transpose, copy, ...; \"gemm TN\" is one of them; pgemm: over several ranks")
        ->delimiter(',');
    sub->add_option("-t,--type", what.types, "f32, f64, and complex numbers: c64, c128")
        ->delimiter(',')
        ->check(perf::one_of({"f32", "f64", "c64", "c128"}));
    sub->add_option("-b,--backend", what.backends, "host, device")
        ->delimiter(',')
        ->check(perf::one_of({"host", "device"}));
    sub->add_option("-p,--variant,--peer", what.peers,
                    "What Abax is compared with: libraries, its hand-written twins; by default all that are found, and "
                    "with \"abax\" nothing")
        ->delimiter(',')
        ->check(perf::one_of(perf::peer_names()));
    parsed(
        sub, "--library", [&](const std::string& text) { what.peer_files.push_back(perf::peer_file_of(text)); },
        "Where a CPU library lies: mkl=/opt/lib/libmkl_rt.so.2");
    const auto add_sizes = [&](const std::string& text) {
      for (const abax::index_t n : perf::sizes_of(text)) what.sizes.push_back(n);
    };
    parsed(sub, "-s,--sizes", add_sizes, "Square shapes of these sizes: 512,1000 or 256:8192:*2 or 100:500:+100");
    parsed(
        sub, "--shape,--mnk", [&](const std::string& text) { what.shapes.push_back(perf::shape_of(text)); },
        "Shapes as the table writes them: 64x64x100000 for gemm, 4096x64 for gemv and syrk, 8x10000 for gemm_batched");
    CLI::Option* const random =
        sub->add_option("--random", what.random,
                        "So many shapes of each kernel and type, drawn at random with layouts, alignments and scales")
            ->check(perf::between(1, 100000));
    for (const char* const chosen : {"--sizes", "--shape"}) random->excludes(sub->get_option(chosen));
    sub->add_option("--seed", what.seed, "The same seed draws the same shapes on every machine")
        ->capture_default_str()
        ->needs(random);
    sub->add_option("--max-bytes", what.most_bytes, "Operands of a random shape, at most: 64MiB; 1GiB by default")
        ->transform(CLI::AsSizeValue(false))
        ->needs(random);
  }
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
  CLI::Option* const patience =
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
  parsed(
      run, "--slow", [&](const std::string& text) { what.slow = perf::fraction_of(text); },
      "On several ranks: name those that take longer than the median by more than this; 5% by default");
  run->add_flag("!--no-links", what.links, "On several ranks: leave out what lies between them");
  run->add_flag("--dry-run", dry, "Print what would run, and for how long; measures only what the machine can do")
      ->excludes(once);
  debug(run);

  struct {
    std::string before, after, threshold, fail_on, json;
    bool all = false;
  } pair;
  CLI::App* const compare = app.add_subcommand("compare", "What became faster or slower from one result to another");
  compare->add_option("BEFORE", pair.before, "A file that `run --json` wrote")->required();
  compare->add_option("AFTER", pair.after, "Another")->required();
  parsed(
      compare, "--threshold",
      [&](const std::string& text) { pair.threshold = std::to_string(perf::fraction_of(text)); },
      "Changes up to this are none; by default what --fail-on says, or 5%");
  parsed(
      compare, "--fail-on",
      [&](const std::string& text) { pair.fail_on = std::to_string(perf::fraction_of(text, "slower=")); },
      "slower=5%: exit with 1 where Abax is slower by more than that, of which the 95 % interval is sure");
  compare->add_flag("--all", pair.all, "Print what is the same, too");
  compare->add_option("--json", pair.json, "Write the verdicts to this file, too");

  std::vector<std::string> drawn;
  std::string folder;
  CLI::App* const plot = app.add_subcommand("plot", "Pictures of results, and a page with all of them");
  plot->add_option("RESULT", drawn, "Files that `run --json` wrote")->required();
  plot->add_option("-o,--output", folder, "The folder that they go to: index.html, and an SVG for each figure")
      ->required();

  CLI::App* const verify = app.add_subcommand(
      "verify", "Whether this machine computes the canon's bits: the golden table, then drawn calls for a while");
  double minutes = 0;
  verify
      ->add_option("--minutes", minutes,
                   "Go on with calls at full load, repeated and compared with themselves, with a scalar reference, and "
                   "between backends and ranks")
      ->check(perf::between(1e-3, 1e6));
  verify->add_option("-k,--kernel", what.kernels, "gemm, dot, transpose, ...: only these")->delimiter(',');
  verify->add_option("-t,--type", what.types, "f32, f64, c64, c128")
      ->delimiter(',')
      ->check(perf::one_of({"f32", "f64", "c64", "c128"}));
  verify->add_option("-b,--backend", what.backends, "host, device")
      ->delimiter(',')
      ->check(perf::one_of({"host", "device"}));
  verify->add_option("--seed", what.seed, "The same seed draws the same calls on all ranks and machines")
      ->capture_default_str();
  verify->add_option("--max-bytes", what.most_bytes, "Operands of a drawn call, at most: 64MiB; 1GiB by default")
      ->transform(CLI::AsSizeValue(false));
  verify->add_option("--json", what.json, "Write the report to this file");

  CLI::App* const accuracy = app.add_subcommand(
      "accuracy",
      "How far products are from the exact ones: gemm, gemm_integer and other libraries', for kinds of data");
  accuracy->add_option("-t,--type", what.types, "f32, f64")->delimiter(',')->check(perf::one_of({"f32", "f64"}));
  accuracy->add_option("-b,--backend", what.backends, "host, device")
      ->delimiter(',')
      ->check(perf::one_of({"host", "device"}));
  accuracy->add_option("-p,--variant,--peer", what.peers, "Libraries beside Abax, as in `run`")
      ->delimiter(',')
      ->check(perf::one_of(perf::peer_names()));
  parsed(
      accuracy, "--library", [&](const std::string& text) { what.peer_files.push_back(perf::peer_file_of(text)); },
      "Where a CPU library lies: mkl=/opt/lib/libmkl_rt.so.2");
  parsed(
      accuracy, "--terms",
      [&](const std::string& text) {
        for (const abax::index_t n : perf::sizes_of(text)) what.sizes.push_back(n);
      },
      "Of an element, by default 1024,2048,4096");
  accuracy->add_option("--seed", what.seed, "The same seed draws the same numbers")->capture_default_str();
  accuracy->add_option("--json", what.json, "Write the figures to this file, too, for `plot`");

  CLI::App* const devices = app.add_subcommand("devices", "This host and its GPUs: what figures depend on");

  std::vector<std::string> commands;
  for (const CLI::App* const sub : app.get_subcommands({})) commands.push_back(sub->get_name());
  if (argc > 1 && argv[1][0] != '-' && std::find(commands.begin(), commands.end(), argv[1]) == commands.end()) {
    const std::string why = "\"" + std::string(argv[1]) + "\" is not a command" + perf::suggestion(argv[1], commands);
    return refuse(why.c_str(), cannot_run);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (perf::ranks::self().rank == 0) app.exit(error);
    return error.get_exit_code() != 0 ? cannot_run : all_right;
  }
  if (what.random > 0 && seconds->count() == 0) what.seconds = 0.1;
  if (what.random > 0 && passes->count() == 0) what.passes = 3;
  if (what.random > 0 && patience->count() == 0) what.patience = 2;
  if (what.quick && seconds->count() == 0) what.seconds = 0.2;
  if (what.quick && passes->count() == 0) what.passes = 5;
  if (what.quick && limit->count() == 0) what.time_limit = 270;
  if (demo->parsed()) {
    what.demo = true;
    what.peers = {"abax"};
    what.passes = 1;
    what.patience = 1;
  }
  const bool runs = demo->parsed() || (run->parsed() && !dry);
  if (!optimised && !allow_debug && (runs || tune->parsed()))
    return refuse(
        "this build is not optimised (no NDEBUG), so its figures would mean nothing: configure with "
        "-DCMAKE_BUILD_TYPE=Release, or pass --allow-debug",
        cannot_run);
  try {
    if (compare->parsed()) {
      if (!pair.json.empty()) perf::require_writable(pair.json);
      const std::string usual = pair.fail_on.empty() ? "0.05" : pair.fail_on;
      return perf::run_tool("compare",
                            std::vector{pair.before, pair.after, pair.threshold.empty() ? usual : pair.threshold,
                                        pair.fail_on, std::string(pair.all ? "all" : ""), pair.json},
                            "compare needs Python 3 with NumPy and jsonschema: install python3-numpy and "
                            "python3-jsonschema (Debian), or pip install numpy jsonschema");
    }
    if (plot->parsed()) {
      drawn.insert(drawn.begin(), folder);
      return perf::run_tool("plot", drawn,
                            "plot needs Python 3 with Matplotlib and jsonschema: install python3-matplotlib and "
                            "python3-jsonschema (Debian), or pip install matplotlib jsonschema");
    }
    if (runs && !demo->parsed() && !what.once) perf::ranks::start(perf::asks_pgemm(what));
    const bool same = perf::with_kokkos([&] {
      if (runs) return perf::run(what);
      if (run->parsed()) perf::dry_run(what);
      if (list->parsed()) perf::list(what);
      if (devices->parsed()) perf::devices();
      if (tune->parsed()) perf::tune(what, tuning);
      if (verify->parsed()) return perf::verify::run(what, minutes);
      if (accuracy->parsed()) return perf::accuracy::run(what);
      return true;
    });
    return same ? all_right : failed;
  } catch (const perf::interruption& i) {
    return refuse("interrupted", 128 + i.signal);
  } catch (const perf::ranks::refused& error) {
    return refuse(error.what(), error.status);
  } catch (const std::exception& error) {
    return refuse(error.what(), cannot_run);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int status = cannot_run;
  try {
    if (argc > 1 && (argv[1] == std::string("run") || argv[1] == std::string("verify")))
      perf::ranks::start(false);  // so that a bad argument is refused once
    status = command(argc, argv);
  } catch (const std::exception& error) {
    refuse(error.what(), cannot_run);
  }
  return perf::ranks::end(status);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax-perf: how fast Abax is on this machine.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <sstream>

#include "demo.hpp"
#include "run.hpp"
#include "session.hpp"
#include "tune.hpp"

namespace {

using abax::index_t;
namespace perf = abax::perf;

enum exit_code { all_right = 0, wrong_bits = 1, cannot_run = 2, no_gpu = 77 };

constexpr bool optimised =
#if defined(NDEBUG)
    true;
#else
    false;
#endif

/// "512x64x1024"
std::vector<index_t> shape(const std::string& text) {
  std::vector<index_t> numbers;
  std::istringstream in(text);
  for (std::string number; std::getline(in, number, 'x');) {
    std::size_t used = 0;
    const bool digits = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
    const index_t value = digits ? std::stoll(number, &used) : 0;
    if (value <= 0) throw CLI::ValidationError("--shape", "\"" + text + "\": expected 1 to 3 sizes, as in 512x64x1024");
    numbers.push_back(value);
  }
  if (numbers.empty() || numbers.size() > 3)
    throw CLI::ValidationError("--shape", "\"" + text + "\": expected 1 to 3 sizes, as in 512x64x1024");
  return numbers;
}

/// "mkl=/opt/lib/libmkl_rt.so.2"
perf::peer_file peer_file(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw CLI::ValidationError("--library", "\"" + text + "\": expected NAME=FILE, as in mkl=/opt/lib/libmkl_rt.so.2");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "How fast Abax is on this machine, every result checked first.\n"
      "Threads are OpenMP's; for steady figures bind them: OMP_PROC_BIND=spread OMP_PLACES=cores.\n"
      "ABAX_CPU=avx512|avx2|portable chooses the CPU's inner loops.",
      "abax-perf"};
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 all results have the canon's bits; 1 some have not; 2 the program could not run;\n"
      "77 it is built for a GPU, and none is visible.");
  bool allow_debug = false;

  CLI::App* const demo = app.add_subcommand(
      "demo", "Products, transposes and increments at real sizes on every backend, within two minutes on two cores");
  demo->add_flag("--allow-debug", allow_debug, "Run although this build is not optimised");

  perf::selection what;
  std::vector<std::string> shapes, files;
  CLI::App* const run = app.add_subcommand("run", "Chosen kernels, timed beside other libraries, call by call");
  CLI::App* const list = app.add_subcommand("list", "What `run` would run");
  CLI::App* const tune = app.add_subcommand("tune", "A GPU's plans of products, measured for the tables in backends/");
  tune->add_option("-t,--type", what.types, "f32, f64")->delimiter(',')->check(CLI::IsMember({"f32", "f64"}));
  for (CLI::App* const sub : {run, list}) {
    sub->add_option("-k,--kernel", what.kernels, "gemm, gemv, dot, transpose, copy, ...; \"gemm TN\" is one of them")
        ->delimiter(',');
    sub->add_option("-t,--type", what.types, "f32, f64")->delimiter(',')->check(CLI::IsMember({"f32", "f64"}));
    sub->add_option("-b,--backend", what.backends, "host, device")
        ->delimiter(',')
        ->check(CLI::IsMember({"host", "device"}));
    sub->add_option("-s,--sizes", what.sizes, "Square shapes of these sizes")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    sub->add_option("--shape", shapes, "Shapes as the table writes them: 4096x64x4096 for gemm, 4096x64 for gemv")
        ->delimiter(',');
  }
  run->add_option("-p,--peer", what.peers, "The libraries to compare with; by default all that are found")
      ->delimiter(',')
      ->check(CLI::IsMember(perf::peer_names()));
  run->add_option("--library", files, "Where a CPU library lies: mkl=/opt/lib/libmkl_rt.so.2");
  run->add_option("--seconds", what.seconds, "Of timing for each variant of a case")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  run->add_flag("--warm", what.warm, "One set of operands for all calls, instead of more than the caches hold");
  CLI::Option* const json = run->add_option("--json", what.json, "Write all samples to this file, too");
  run->add_flag("--once", what.once, "Check only: each kernel and each library runs once, for a profiler")
      ->excludes(json);
  run->add_flag("--allow-debug", allow_debug, "Run although this build is not optimised");

  try {
    app.parse(argc, argv);
    for (const std::string& s : shapes) what.shapes.push_back(shape(s));
    for (const std::string& f : files) what.peer_files.push_back(peer_file(f));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? all_right : cannot_run;
  }
  if (!optimised && !allow_debug && !list->parsed()) {
    std::fprintf(stderr,
                 "abax-perf: this build is not optimised (no NDEBUG), so its figures would mean nothing: "
                 "configure with -DCMAKE_BUILD_TYPE=Release, or pass --allow-debug\n");
    return cannot_run;
  }
  try {
    const bool same = perf::with_kokkos([&] {
      if (demo->parsed()) return perf::demo();
      if (run->parsed()) return perf::run(what);
      if (list->parsed()) perf::list(what);
      if (tune->parsed()) perf::tune(what);
      return true;
    });
    return same ? all_right : wrong_bits;
  } catch (const perf::no_gpu& error) {
    std::fprintf(stderr, "abax-perf: %s\n", error.what());
    return no_gpu;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "abax-perf: %s\n", error.what());
    return cannot_run;
  }
}

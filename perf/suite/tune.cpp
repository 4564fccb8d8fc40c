// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels.hpp"
#include "launch/product.hpp"
#include "machine.hpp"
#include "timing.hpp"
#include "workloads.hpp"

namespace abax::perf {
namespace {

using launch::shape;

constexpr double budget = 0.1;    // seconds for one row and one shape
constexpr double longest = 2e12;  // operations: beyond, rows differ by the table's rates alone
constexpr bool using_device = !std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;

/// A product with random operands, the transpositions of BLAS taken into strides.
template <class Exec, class T>
struct trial {
  operand<Exec, T> a, b, c;
  tile::product<T> problem;

  trial(const extents& e, bool transpose_a, bool transpose_b)
      : a(operand<Exec, T>::input("A", 1, e.m * e.k, 1)),
        b(operand<Exec, T>::input("B", 2, e.k * e.n, 1)),
        c(operand<Exec, T>::output("C", e.m * e.n, 1)) {
    problem.a = transpose_a ? tile::matrix<const T>{a.data(0), e.m, e.k, e.k, 1}
                            : tile::matrix<const T>{a.data(0), e.m, e.k, 1, e.m};
    problem.b = transpose_b ? tile::matrix<const T>{b.data(0), e.k, e.n, e.n, 1}
                            : tile::matrix<const T>{b.data(0), e.k, e.n, 1, e.k};
    problem.c = {c.data(0), e.m, e.n, 1, e.m};
    problem.epilogue = {T(1), T(0)};
  }
};

/// Seconds of each row that serves one product; infinite where this machine has not the scratch.
template <shape Kind, class Exec, class T>
std::vector<double> times_of(const Exec& exec, const tile::product<T>& problem) {
  using backend_type = backends::backend_for_t<Exec>;
  const auto machine = backend_type::machine(exec);
  std::vector<double> times;
  for (const auto& plan : launch::plans<backend_type, Kind>(problem, machine)) {
    if (!launch::fits(plan, problem, machine)) {
      times.push_back(INFINITY);
      continue;
    }
    times.push_back(measure(
                        1, [&](int) { launch::run_product("abax-perf::tune", exec, machine, problem, plan); },
                        [&] { exec.fence(); }, {budget, device_sample})
                        .front()
                        .median);
  }
  return times;
}

struct layout {
  const char* name;
  bool transpose_a, transpose_b;
};

/// The catalogue's rates: each row on a product that fills the machine many times over, relative to the best, in the
/// geometric mean of the layouts.
template <shape Kind, class Exec, class T>
void tune_table(const char* title, const extents& large, std::span<const layout> layouts,
                std::span<const extents> shapes) {
  using backend_type = backends::backend_for_t<Exec>;
  const Exec exec;
  const auto machine = backend_type::machine(exec);
  const auto plans_for = [&](const tile::product<T>& problem) {
    return launch::plans<backend_type, Kind>(problem, machine);
  };
  const auto named = [](const char* name) {
    return [=](const auto& plan) { return std::string_view(plan.row->name) == name; };
  };
  const auto plans = plans_for(trial<Exec, T>(large, layouts[0].transpose_a, layouts[0].transpose_b).problem);
  std::printf("\n%s, %s, %s\n%-40s", backend_name(backend::device).c_str(), title, sizeof(T) == 4 ? "float" : "double",
              "row");
  std::vector<double> logarithms(plans.size(), 0.0);
  struct rate {
    double here, table;  // TFLOP/s, and the row's own; not a number where a row does not serve a layout
  };
  std::vector<std::vector<rate>> rates;
  for (const layout& l : layouts) {
    std::printf(" %15s", l.name);
    const trial<Exec, T> t(large, l.transpose_a, l.transpose_b);
    const auto served = plans_for(t.problem);
    const std::vector<double> times = times_of<Kind>(exec, t.problem);
    rates.emplace_back();
    for (std::size_t p = 0; p < plans.size(); ++p) {
      const auto at = std::find_if(served.begin(), served.end(), named(plans[p].row->name)) - served.begin();
      const bool serves = at < std::ssize(served);
      rates.back().push_back({serves ? 2.0 * large.m * large.n * large.k / times[at] * 1e-12 : NAN,
                              serves ? served[at].row->cost.rate : NAN});
      logarithms[p] += std::log(rates.back()[p].here) / static_cast<double>(layouts.size());
    }
  }
  double best = -INFINITY;
  for (const double l : logarithms) best = std::fmax(best, l);
  std::printf("  TFLOP/s (the row's rate), mean beside the best\n");
  for (std::size_t p = 0; p < plans.size(); ++p) {
    std::printf("%-40s", plans[p].row->name);
    for (const std::vector<rate>& r : rates)
      std::isnan(r[p].here) ? std::printf(" %15s", "-") : std::printf("  %7.3f (%.2f)", r[p].here, r[p].table);
    std::isnan(logarithms[p]) ? std::printf(" %6s\n", "-") : std::printf(" %6.2f\n", std::exp(logarithms[p] - best));
  }

  std::printf("%-28s %-38s %-38s chosen / fastest\n", "shape (m x n x k)", "chosen", "fastest");
  for (const extents& e : shapes) {
    if (2.0 * e.m * e.n * e.k > longest) continue;
    const trial<Exec, T> t(e, layouts[0].transpose_a, layouts[0].transpose_b);
    const std::vector<double> times = times_of<Kind>(exec, t.problem);
    const auto served = plans_for(t.problem);
    const auto fastest = std::min_element(times.begin(), times.end()) - times.begin();
    const auto chosen = launch::choose<backend_type, Kind>(t.problem, machine);
    const auto index = std::find_if(served.begin(), served.end(), named(chosen->row->name)) - served.begin();
    const std::string text = std::to_string(e.m) + " x " + std::to_string(e.n) + " x " + std::to_string(e.k);
    std::printf("%-28s %-38s %-38s %.2f\n", text.c_str(), chosen->row->name, served[fastest].row->name,
                times[index] / times[fastest]);
  }
  std::fflush(stdout);
}

template <class Exec, class T>
void tune_type() {
  static constexpr layout products[] = {
      {"NN", false, false}, {"TN", true, false}, {"NT", false, true}, {"TT", true, true}};
  static constexpr layout vectors[] = {{"N", false, false}, {"T", true, false}};
  for (const kernel& k : kernels()) {
    if (k.element != sizeof(T)) continue;
    const std::string name = k.name;
    if (name == "gemm NN") tune_table<shape::matrix, Exec, T>("gemm", {8192, 8192, 2048}, products, k.device_shapes);
    if (name == "gemv N") tune_table<shape::vector, Exec, T>("gemv", {16384, 1, 16384}, vectors, k.device_shapes);
  }
}

}  // namespace

void tune(const selection& what) {
  const auto chosen = [&](const char* type) {
    return what.types.empty() || std::find(what.types.begin(), what.types.end(), type) != what.types.end();
  };
  if constexpr (using_device) {
    for (const auto& [name, value] : describe_machine()) std::printf("%-8s %s\n", name.c_str(), value.c_str());
    if (chosen("f32")) tune_type<Kokkos::DefaultExecutionSpace, float>();
    if (chosen("f64")) tune_type<Kokkos::DefaultExecutionSpace, double>();
  } else {
    throw std::runtime_error("tune measures a GPU's catalogues; on a CPU each product has tiles of its own");
  }
}

}  // namespace abax::perf

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

#include "abax/detail/launch/product.hpp"
#include "machine.hpp"
#include "timing.hpp"
#include "workloads.hpp"

namespace abax::perf {
namespace {

using launch::shape;

constexpr double budget = 0.1;  // seconds for one row and one shape
constexpr bool using_device = !std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;

/// A product with random operands, the transpositions of BLAS taken into strides.
template <class Exec, class T>
struct trial {
  operand<Exec, T> a, b, c;
  tile::product<T> problem;

  trial(const extents& e, bool transpose_a, bool transpose_b)
      : a(operand<Exec, T>::input(1, {e.m * e.k, 1}, 1)),
        b(operand<Exec, T>::input(2, {e.k * e.n, 1}, 1)),
        c(operand<Exec, T>::output({e.m * e.n, 1}, 1)) {
    problem.a = {a.data(0), e.m, e.k, transpose_a ? e.k : 1, transpose_a ? 1 : e.m};
    problem.b = {b.data(0), e.k, e.n, transpose_b ? e.n : 1, transpose_b ? 1 : e.k};
    problem.c = {c.data(0), e.m, e.n, 1, e.m};
    problem.epilogue = {T(1), T(0)};
  }
};

struct timed {
  std::string_view row;
  double seconds, rate;  // infinite where this machine has not the scratch; the row's own rate
};

/// The rows that serve one product.
template <shape Kind, class Exec, class T>
std::vector<timed> times_of(const Exec& exec, const tile::product<T>& problem) {
  using backend_type = backends::backend_for_t<Exec>;
  const auto machine = backend_type::machine(exec);
  std::vector<timed> all;
  for (const auto& plan : launch::plans<backend_type, Kind>(problem, machine)) {
    double seconds = INFINITY;
    if (launch::fits(plan, problem, machine))
      seconds = measure(
                    1, [&](int) { launch::run_product("abax-perf::tune", exec, machine, problem, plan); },
                    [&] { exec.fence(); }, {budget, device_sample})
                    .front()
                    .median;
    all.push_back({plan.row->name, seconds, plan.row->cost.rate});
  }
  return all;
}

struct layout {
  const char* name;
  bool transpose_a, transpose_b;
};

/// The catalogue's rates: each row on a product that fills the machine many times over, relative to the best, in the
/// geometric mean of the layouts.
template <shape Kind, class Exec, class T>
void tune_table(const char* title, const extents& large, std::span<const layout> layouts) {
  const Exec exec;
  std::printf("\n%s, %s, %s\n%-40s", backend_name(backend::device).c_str(), title, sizeof(T) == 4 ? "float" : "double",
              "row");
  const double operations = 2.0 * large.m * large.n * large.k;
  std::vector<std::vector<timed>> by_layout;
  for (const layout& l : layouts) {
    std::printf(" %15s", l.name);
    by_layout.push_back(times_of<Kind>(exec, trial<Exec, T>(large, l.transpose_a, l.transpose_b).problem));
  }
  std::printf("  TFLOP/s (the row's rate), mean beside the best\n");
  const auto seconds_of = [](const timed& row, const std::vector<timed>& all) {  // NaN: it does not serve that layout
    const auto found = std::ranges::find(all, row.row, &timed::row);
    return found == all.end() ? NAN : found->seconds;
  };
  const auto mean_of = [&](const timed& row) {
    double logarithm = 0;
    for (const std::vector<timed>& all : by_layout) logarithm += std::log(seconds_of(row, all));
    return std::exp(logarithm / static_cast<double>(by_layout.size()));
  };
  double best = INFINITY;
  for (const timed& row : by_layout[0]) best = std::fmin(best, mean_of(row));
  for (const timed& row : by_layout[0]) {
    std::printf("%-40s", row.row.data());
    for (const std::vector<timed>& all : by_layout)
      if (const double seconds = seconds_of(row, all); std::isnan(seconds))
        std::printf(" %15s", "-");
      else
        std::printf("  %7.3f (%.2f)", operations / seconds * 1e-12, std::ranges::find(all, row.row, &timed::row)->rate);
    std::isnan(mean_of(row)) ? std::printf(" %6s\n", "-") : std::printf(" %6.2f\n", best / mean_of(row));
  }
  std::fflush(stdout);
}

template <class Exec, class T>
void tune_type() {
  static constexpr layout products[] = {
      {"NN", false, false}, {"TN", true, false}, {"NT", false, true}, {"TT", true, true}};
  static constexpr layout vectors[] = {{"N", false, false}, {"T", true, false}};
  tune_table<shape::matrix, Exec, T>("gemm", {8192, 8192, 2048}, products);
  tune_table<shape::vector, Exec, T>("gemv", {16384, 1, 16384}, vectors);
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "abax/detail/launch/product.hpp"
#include "cost_fit.hpp"
#include "machine.hpp"
#include "results.hpp"
#include "timing.hpp"
#include "workloads.hpp"

namespace abax::perf {

#if defined(KOKKOS_ENABLE_CUDA)
namespace {

using launch::shape;
using exec_type = Kokkos::Cuda;
using backend_type = backends::backend_for_t<exec_type>;

/// How the operands of a product lie.
struct layout {
  bool transpose_a, transpose_b;
  bool aligned;  ///< lines begin on multiples of 16 bytes; if not, none does but by chance
};
constexpr layout layouts[] = {{false, false, true},  {false, true, true},  {true, false, true},  {true, true, true},
                              {false, false, false}, {false, true, false}, {true, false, false}, {true, true, false}};

/// A product with random operands, the transpositions of BLAS taken into strides: as many sets of them as the caches do
/// not hold, up to `most_sets`.
template <class T>
class trial {
 public:
  static constexpr int most_sets = 256;
  int sets;

  trial(const extents& e, const layout& l, T beta)
      : trial(e, l, beta, lines_of(l.transpose_a, e.m, e.k, l), lines_of(l.transpose_b, e.k, e.n, l)) {}

  tile::product<T> problem(int set) const {
    const index_t lda = a_.leading(), ldb = b_.leading();
    tile::product<T> p{};
    p.a = {a_.data(set), e_.m, e_.k, l_.transpose_a ? lda : 1, l_.transpose_a ? 1 : lda};
    p.b = {b_.data(set), e_.k, e_.n, l_.transpose_b ? ldb : 1, l_.transpose_b ? 1 : ldb};
    p.c = tile::matrix<T>{c_.data(set), e_.m, e_.n, 1, e_.m};
    p.epilogue = {T(1), beta_};
    return p;
  }

 private:
  static lines lines_of(bool transposed, index_t rows, index_t cols, const layout& l) {
    constexpr index_t chunk = 16 / sizeof(T);
    lines lie{transposed ? cols : rows, transposed ? rows : cols};
    lie.leading = l.aligned ? (lie.length + chunk - 1) / chunk * chunk : lie.length + 1 + lie.length % 2;
    lie.offset = l.aligned ? 0 : 1;
    return lie;
  }
  static int sets_of(const lines& a, const lines& b, const extents& e) {
    constexpr double beyond_caches = 200e6;
    const double bytes = static_cast<double>(sizeof(T)) * static_cast<double>(a.size() + b.size() + e.m * e.n);
    return static_cast<int>(std::clamp(beyond_caches / bytes, 4.0, double(most_sets)));
  }
  trial(const extents& e, const layout& l, T beta, const lines& a, const lines& b)
      : sets(sets_of(a, b, e)),
        e_(e),
        l_(l),
        beta_(beta),
        a_(operand<exec_type, T>::input(1, a, sets)),
        b_(operand<exec_type, T>::input(2, b, sets)),
        c_(operand<exec_type, T>::input(3, {e.m, e.n}, sets)) {}

  extents e_;
  layout l_;
  T beta_;
  operand<exec_type, T> a_, b_, c_;
};

/// Products of all sizes: extents, how operands lie, beta, from a generator of its own.
class product_draws {
 public:
  template <class T>
  trial<T> draw() {
    constexpr double most_bytes = 256e6, most_flops = 4e10;
    for (;;) {
      const extents e{log_uniform(14), log_uniform(14), log_uniform(17)};
      const double m = double(e.m), n = double(e.n), k = double(e.k);
      const layout& l = layouts[below(std::size(layouts))];
      const T beta = below(2) == 0 ? T(0) : T(1);
      if (e.m >= 8 && e.n >= 8 && sizeof(T) * (m * k + k * n + m * n) <= most_bytes && 2 * m * n * k <= most_flops)
        return trial<T>(e, l, beta);
    }
  }

 private:
  std::size_t below(std::size_t n) { return engine_() % n; }
  /// 1 to 2^octaves
  index_t log_uniform(int octaves) {
    return static_cast<index_t>(std::exp2(octaves * double(engine_() >> 11) / 9007199254740992.0));
  }
  std::mt19937_64 engine_{22};
};

/// Writes nothing: the launch alone.
struct empty_team {
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team&) const {}
};
struct empty_primitives {
  static constexpr int team_size = 128, residents = 1;
};
double seconds_of_launch(const exec_type& exec) {
  const auto call = [&](int) { backend_type::launch<empty_primitives>("abax-perf::tune", exec, 1, 0, empty_team()); };
  return measure(1, call, [&] { exec.fence(); }, {.budget = 0.02, .sample = 1e-3, .fewest = 9}).front().median;
}

/// The times of all rows that a product could take with its operands as they lie.
template <class T>
timed_product<T> rows_of(const exec_type& exec, const typename backend_type::machine_type& machine, const trial<T>& t,
                         row_costs& rows) {
  timed_product<T> timed{t.problem(0), {}};
  const int group = launch::catalogue<backend_type, shape::matrix, T>::group_of(timed.problem, machine);
  std::vector<launch::product_plan<backend_type, T>> plans;
  for (const auto& plan : launch::plans<backend_type, shape::matrix>(timed.problem, machine)) {
    const tile::product_cost& cost = plan.row->cost;
    const index_t tiles = launch::tiles_of(timed.problem, plan.tile);
    if (!launch::fits(plan, timed.problem, machine) || tiles < index_t(cost.least) * machine.teams_at_once) continue;
    plans.push_back(plan);
    timed.rows.push_back(
        {rows.index({exec_type::name(), sizeof(T), group, plan.row->name}, cost), plan.tile, plan.cut, 0});
  }
  const int count = static_cast<int>(plans.size());
  int set = 0;
  const std::vector<timing> times = measure(
      count,
      [&](int row) {
        launch::run_product("abax-perf::tune", exec, machine, t.problem(set), plans[static_cast<std::size_t>(row)]);
        set = (set + 1) % t.sets;
      },
      [&] { exec.fence(); }, {.budget = 4e-3 * count, .sample = 1e-3, .fewest = 3});
  for (std::size_t r = 0; r < timed.rows.size(); ++r) timed.rows[r].seconds = times[r].median;
  return timed;
}

void print(const char* costs, const choices& c) {
  std::printf("  %-24s %5.1f %% longer than the fastest rows, in the mean; within 5 %% of them: %d of %d\n", costs,
              100 * (c.mean - 1), c.within, c.products);
}

template <class T>
void tune_type(launch::tuning& found) {
  constexpr int products = 180;
  constexpr double worthwhile = 1.005;  // less is within what such times vary by
  row_costs rows;
  std::vector<timed_product<T>> fitted_to, others;
  const exec_type exec;
  const auto machine = backend_type::machine(exec);
  product_draws any;
  for (int p = 0; p < products; ++p) {
    const trial<T> t = any.draw<T>();
    (p % 3 == 0 ? others : fitted_to).push_back(rows_of(exec, machine, t, rows));
  }
  const cost_model model{machine, 1e6 * backend_type::machine_type::terms_in_us, seconds_of_launch(exec)};
  const row_costs fitted = fit(rows, fitted_to, model);
  const choices before = choices_of(rows, others, model), after = choices_of(fitted, others, model);
  const bool better = before.mean > worthwhile * after.mean;
  std::printf("\ngemm, %s: %d random products\n%-40s %6s %6s %6s\n", sizeof(T) == 4 ? "float" : "double", products,
              "row: costs beside those it had", "rate", "ends", "alone");
  std::set<std::string> printed;
  for (std::size_t r = 0; r < rows.all().size(); ++r) {
    const auto& [name, cost] = fitted.all()[r];
    const tile::product_cost& had = rows.all()[r].cost;
    if (printed.insert(name.row).second)
      std::printf("%-40s %6.2f %6.2f %6.2f\n", name.row.c_str(), cost.rate / had.rate, cost.ends / had.ends,
                  cost.alone / had.alone);
    if (better) found.set(name, {cost.rate, cost.ends, cost.alone});
  }
  std::printf("Of products that nothing was fitted to, the rows chosen take\n");
  print("by the costs they had", before);
  print("by these", after);
  if (!better) std::printf("  which is no gain: the rows keep their costs\n");
  std::fflush(stdout);
}

}  // namespace

void tune(const selection& what, const std::string& file) {
  if (const char* const set = std::getenv("ABAX_TUNING"); set != nullptr && *set != 0)
    throw std::runtime_error("tune begins with the library's own costs: ABAX_TUNING must not be set");
  if (!file.empty()) require_writable(file);
  const auto chosen = [&](const char* type) {
    return what.types.empty() || std::find(what.types.begin(), what.types.end(), type) != what.types.end();
  };
  for (const auto& [name, value] : describe_machine()) std::printf("%-8s %s\n", name.c_str(), value.c_str());
  launch::tuning found;
  if (chosen("f32")) tune_type<float>(found);
  if (chosen("f64")) tune_type<double>(found);
  if (!file.empty()) write_whole(file, found.text());
}
#else
void tune(const selection&, const std::string&) {
  throw std::runtime_error("tune measures a GPU's catalogues; on a CPU each product has tiles of its own");
}
#endif

}  // namespace abax::perf

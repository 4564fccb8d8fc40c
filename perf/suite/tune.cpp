// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "abax/detail/launch/product.hpp"
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

/// Throws where a call of CUDA failed.
void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("tune: ") + cudaGetErrorString(status));
}

/// Calls one after another on a GPU, without what each costs the host: recorded once, and launched together.
class recorded {
 public:
  template <class Call>
  recorded(const exec_type& exec, int calls, const Call& call) : exec_(exec), calls_(calls) {
    call(0);  // what only a first call does
    exec.fence();
    cudaGraph_t graph{};
    check(cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal));
    for (int c = 0; c < calls; ++c) call(c);
    check(cudaStreamEndCapture(exec.cuda_stream(), &graph));
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    check(cudaGraphDestroy(graph));
    check(status);
  }
  ~recorded() { cudaGraphExecDestroy(graph_); }
  recorded(const recorded&) = delete;
  recorded& operator=(const recorded&) = delete;

  /// For one call.
  double seconds() const {
    constexpr effort some{.budget = 0.01, .sample = 2e-3, .fewest = 5};
    const auto times = measure(
        1, [&](int) { check(cudaGraphLaunch(graph_, exec_.cuda_stream())); }, [&] { exec_.fence(); }, some);
    return times.front().median / calls_;
  }

 private:
  const exec_type& exec_;
  int calls_;
  cudaGraphExec_t graph_{};
};

/// How the operands of a product lie.
struct layout {
  const char* name;
  bool transpose_a, transpose_b;
  bool aligned;  ///< lines begin on multiples of 16 bytes; if not, none does but by chance
};
constexpr layout layouts[] = {{"NN", false, false, true},
                              {"NT", false, true, true},
                              {"TN", true, false, true},
                              {"TT", true, true, true},
                              {"NN by elements", false, false, false},
                              {"NT by elements", false, true, false},
                              {"TN by elements", true, false, false},
                              {"TT by elements", true, true, false}};

/// A product with random operands, the transpositions of BLAS taken into strides: as many sets of them as the caches do
/// not hold, up to `most_sets`.
template <class T>
class trial {
 public:
  static constexpr int most_sets = 256;
  int sets;

  trial(const extents& e, const layout& l)
      : trial(e, l, lines_of(l.transpose_a, e.m, e.k, l), lines_of(l.transpose_b, e.k, e.n, l)) {}

  tile::product<T> problem(int set) const {
    const index_t lda = a_.leading(), ldb = b_.leading();
    tile::product<T> p{};
    p.a = {a_.data(set), e_.m, e_.k, l_.transpose_a ? lda : 1, l_.transpose_a ? 1 : lda};
    p.b = {b_.data(set), e_.k, e_.n, l_.transpose_b ? ldb : 1, l_.transpose_b ? 1 : ldb};
    p.c = tile::matrix<T>{c_.data(set), e_.m, e_.n, 1, e_.m};
    p.epilogue = {T(1), T(0)};
    return p;
  }

 private:
  static lines lines_of(bool transposed, index_t rows, index_t cols, const layout& l) {
    lines lie{transposed ? cols : rows, transposed ? rows : cols};
    if (!l.aligned) lie.leading = lie.length + 1 + lie.length % 2, lie.offset = 1;
    return lie;
  }
  static int sets_of(const lines& a, const lines& b) {
    constexpr double beyond_caches = 200e6;
    const double bytes = static_cast<double>(sizeof(T)) * static_cast<double>(a.size() + b.size());
    return static_cast<int>(std::clamp(beyond_caches / bytes, 4.0, double(most_sets)));
  }
  trial(const extents& e, const layout& l, const lines& a, const lines& b)
      : sets(sets_of(a, b)),
        e_(e),
        l_(l),
        a_(operand<exec_type, T>::input(1, a, sets)),
        b_(operand<exec_type, T>::input(2, b, sets)),
        c_(operand<exec_type, T>::output({e.m, e.n}, sets)) {}

  extents e_;
  layout l_;
  operand<exec_type, T> a_, b_, c_;
};

/// What tile::product_cost says of a row, measured: by a team that has the machine to itself, and by as many as it
/// holds at once, in products of few terms and of many.
struct constants {
  std::string row;
  int group;
  double speed;  ///< terms of outputs in a second on a full processor
  double ends;   ///< of a team by itself, beyond what an empty launch takes
  double ends_of_full, alone;
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
  return recorded(exec, 64,
                  [&](int) { backend_type::launch<empty_primitives>("abax-perf::tune", exec, 1, 0, empty_team()); })
      .seconds();
}

template <class T>
constants constants_of(const exec_type& exec, const typename backend_type::machine_type& machine, const layout& l,
                       int group, const launch::product_row<backend_type, T>& row, const tile::product_tile& size) {
  constexpr index_t few = 512, many = 2048;
  const auto seconds = [&](index_t row_tiles, index_t col_tiles, index_t terms) {
    const trial<T> t({size.rows * row_tiles, size.cols * col_tiles, terms}, l);
    const launch::product_plan<backend_type, T> plan{&row, size, 1};
    return recorded(exec, t.sets,
                    [&](int set) { launch::run_product("abax-perf::tune", exec, machine, t.problem(set), plan); })
        .seconds();
  };
  const index_t teams = index_t(machine.teams_at_once) * size.residents;
  index_t across = static_cast<index_t>(std::sqrt(static_cast<double>(teams)));
  while (teams % across != 0) --across;
  const double one_few = seconds(1, 1, few), one = seconds(1, 1, many);
  const double full_few = seconds(teams / across, across, few), full = seconds(teams / across, across, many);
  const double each_of_one = (one - one_few) / (many - few), each_of_full = (full - full_few) / (many - few);
  const double outputs = double(size.rows) * size.cols, speed = outputs * size.residents / each_of_full;
  const double launch = seconds_of_launch(exec);
  return {row.name,
          group,
          speed,
          (one - launch) / each_of_one - many,
          (full - launch) / each_of_full - many,
          each_of_one * speed / outputs};
}

/// The constants of all rows that serve products whose operands lie so.
template <class T>
std::vector<constants> constants_of(const exec_type& exec, const layout& l) {
  const auto machine = backend_type::machine(exec);
  const tile::product<T> any = trial<T>({256, 256, 512}, l).problem(0);
  const int group = launch::catalogue<backend_type, shape::matrix, T>::group_of(any, machine);
  std::vector<constants> all;
  for (const auto& plan : launch::plans<backend_type, shape::matrix>(any, machine))
    if (launch::fits(plan, any, machine)) all.push_back(constants_of<T>(exec, machine, l, group, *plan.row, plan.tile));
  return all;
}

template <class T>
void tune_type(launch::tuning& found) {
  cudaStream_t stream{};
  check(cudaStreamCreate(&stream));
  {
    const exec_type exec(stream);
    std::printf("\ngemm, %s; ends: of a team by itself, and of a full machine\n%-16s %-40s %6s %6s %6s %6s\n",
                sizeof(T) == 4 ? "float" : "double", "operands", "row", "rate", "ends", "", "alone");
    for (const layout& l : layouts)
      for (const constants& c : constants_of<T>(exec, l)) {
        const double rate = 1e-6 * c.speed / backend_type::machine_type::terms_in_us, ends = std::max(1.0, c.ends);
        for (const double cost : {rate, ends, c.alone})
          if (!(cost > 0) || !std::isfinite(cost))
            throw std::runtime_error(std::string("tune: the times of ") + c.row + ", " + l.name +
                                     ", make no sense: is something else running here?");
        std::printf("%-16s %-40s %6.3f %6.0f %6.0f %6.2f\n", l.name, c.row.c_str(), rate, ends, c.ends_of_full,
                    c.alone);
        std::fflush(stdout);
        found.set({exec_type::name(), sizeof(T), c.group, c.row}, {rate, ends, c.alone});
      }
  }
  check(cudaStreamDestroy(stream));
}

}  // namespace

void tune(const selection& what, const std::string& file) {
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

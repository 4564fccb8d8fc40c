// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm and gemv on their way to the machine: plan, workspace, launch.
#include <Kokkos_Core.hpp>
#include <limits>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "abax/detail/backends/backend_for.hpp"
#include "abax/detail/launch/checks.hpp"
#include "abax/detail/launch/plan.hpp"
#include "abax/detail/launch/stream_def.hpp"
#include "abax/detail/launch/trace.hpp"
#include "abax/detail/launch/transpose_def.hpp"
#include "abax/detail/launch/tuning.hpp"
#include "abax/detail/launch/workspace.hpp"
#include "abax/detail/team/product.hpp"
#include "abax/detail/tile/functor_pass.hpp"

namespace abax::launch {

/// Throws if an operand of C <- alpha A B + beta C has elements that would be read or written, and is null. A and B may
/// be turned: whether they have any is all that counts.
template <class T>
[[gnu::always_inline]] inline void require_memory_of(const char* function, T alpha, const char* a_name,
                                                     const tile::matrix<const T>& a, const char* b_name,
                                                     const tile::matrix<const T>& b, const char* c_name,
                                                     const tile::matrix<T>& c) {
  const bool reads = c.rows != 0 && c.cols != 0 && !tile::is_zero(alpha);
  require_memory(function, a_name, footprint_of(a), reads);
  require_memory(function, b_name, footprint_of(b), reads);
  require_memory(function, c_name, footprint_of(c), true);
}

template <class Primitives, class T, class Functor>
struct product_team {
  typename Primitives::parameters parameters;
  tile::product<T, Functor> problem;
  tile::division<T> division;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::product<Primitives>(team, parameters, problem, division);
  }
};

/// The same for a batch, with as many teams to each item.
template <class Primitives, class T>
struct item_team {
  typename Primitives::parameters parameters;
  tile::batch<T> batch;
  tile::division<T> division;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::product_of_item<Primitives>(team, parameters, batch, division);
  }
};

template <class Primitives, class T>
struct join_team {
  typename Primitives::parameters parameters;
  tile::product<T> problem;
  tile::division<T> division;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::join<Primitives>(team, parameters, problem, division);
  }
};

/// A row's primitives for products that end in `Functor`.
template <class Row, class Functor>
struct primitives_for : std::type_identity<typename Row::primitives::template ending_in<Functor>> {};
template <class Row>
struct primitives_for<Row, tile::no_functor> : std::type_identity<typename Row::primitives> {};

/// What product_row::run is for `Row` and products that end in `Functor`. Where there is no memory for block sums,
/// teams share no tile: the bits are the same.
template <class Backend, shape Kind, class Row, class T, class Functor>
void run_row(const char* function, const typename Backend::instance& exec,
             const typename Backend::machine_type& machine, const tile::batch<T>& batch, const tile::product_tile& size,
             const tile::cut& cut) {
  using P = typename primitives_for<Row, Functor>::type;
  tile::product<T, Functor> problem = tile::first_of<Functor>(batch);
  const typename P::parameters parameters = Row::parameters(problem, size, machine);
  const index_t blocks = tile::canon_blocks_of<T>(problem.terms());
  const std::size_t scratch = P::scratch_bytes(parameters);
  require_scratch(function, Row::name, scratch, machine.team_scratch);
  const index_t row_tiles = pieces(problem.c.rows, size.rows), col_tiles = pieces(problem.c.cols, size.cols);
  const index_t tiles = problem.items * row_tiles * col_tiles, shared = cut.shared_of(tiles);
  const int teams = league(function, cut.teams_of(tiles));
  tile::division<T> division{static_cast<int>(row_tiles),
                             static_cast<int>(col_tiles),
                             static_cast<int>(cut.splits),
                             nullptr,
                             nullptr,
                             size.rows,
                             size.cols,
                             problem.c.part != tile::triangle::whole,
                             static_cast<int>(tiles - shared)};
  const auto launch = [&] {
    note(Row::name, teams);
    if constexpr (is_batch(Kind))
      Backend::template launch<P>(function, exec, teams, scratch, item_team<P, T>{parameters, batch, division});
    else
      Backend::template launch<P>(function, exec, teams, scratch,
                                  product_team<P, T, Functor>{parameters, problem, division});
  };
  static_assert(!P::finishes || Backend::keeps_to_triangles, "a tile that ends in its last stage is not brought back");
  const bool sets_aside = division.folded && !Backend::keeps_to_triangles;
  if (shared == 0 && !sets_aside) return launch();
  const index_t sums = shared * blocks * P::elements(parameters);
  const index_t aside = sets_aside ? problem.c.elements_aside(size.rows, size.cols) : 0;
  std::optional<typename Backend::workspace> workspace;
  const std::size_t bytes = sizeof(T) * (sums + aside);
  try {
    workspace.emplace(exec, bytes, shared);
  } catch (const std::bad_alloc&) {
    if (shared == 0) throw no_memory(function, bytes);
  }
  if (!workspace) return run_row<Backend, Kind, Row, T, Functor>(function, exec, machine, batch, size, {});
  if (sets_aside) problem.c.aside = static_cast<T*>(workspace->sums()) + sums;
  division.sums = static_cast<T*>(workspace->sums());
  division.arrivals = workspace->arrivals();
  if (shared == 0) return launch();
  using joiner = typename P::joiner;
  if constexpr (!std::is_void_v<joiner> && !is_batch(Kind) && std::is_same_v<Functor, tile::no_functor>)
    if (portable::under_ieee([&] { return joins_apart(problem, size, Row::cost, machine, cut); })) {
      constexpr index_t least = 1024;  // sums that are worth a team
      const index_t wanted = pieces(2 * machine.teams_at_once, shared);
      division.joiners =
          static_cast<int>(tile::max<index_t>(1, tile::min<index_t>(wanted, P::elements(parameters) / least)));
      launch();
      return Backend::template launch<joiner>(function, exec, league(function, shared * division.joiners),
                                              joiner::scratch_bytes(parameters),
                                              join_team<joiner, T>{parameters, problem, division});
    }
  launch();
}

template <class Row, class T, class Machine>
std::size_t scratch_of(const tile::product<T>& problem, const tile::product_tile& size, const Machine& machine) {
  return Row::primitives::scratch_bytes(Row::parameters(problem, size, machine));
}
template <class Row, class T, class Machine>
tile::product_tile tile_for(const tile::product<T>& problem, const Machine& machine) {
  return Row::tile_for(problem, machine);
}

/// Whether a file of the user's can say what rows cost. Of matrix products it can, but on a host, where each product
/// has tiles of its own.
template <class Backend, shape Kind>
inline constexpr bool is_tuned =
    Kind == shape::matrix &&
    !Kokkos::SpaceAccessibility<typename Backend::execution_space, Kokkos::HostSpace>::accessible;

template <class Row, class Backend, shape Kind, class T, class Functor>
constexpr product_row<Backend, T> table_row(const tile::product_cost& cost) {
  using machine = typename Backend::machine_type;
  return {Row::name,
          cost,
          serves<Row, tile::product<T>, machine>,
          tile_for<Row, T, machine>,
          scratch_of<Row, T, machine>,
          run_row<Backend, Kind, Row, T, Functor>};
}

/// A host's table is a constant: a variable made at the first call would have a child wait for ever that is forked
/// meanwhile.
template <class Backend, shape Kind, class T, int Group, class Functor, class... Rows>
std::span<const product_row<Backend, T>> table_of_products(backends::rows<Rows...>) {
  static_assert((backends::product_row<Rows, T, Backend> && ...));
  if constexpr (!is_tuned<Backend, Kind>) {
    static constexpr product_row<Backend, T> table[] = {table_row<Rows, Backend, Kind, T, Functor>(Rows::cost)...};
    return table;
  } else {
    static const product_row<Backend, T> table[] = {table_row<Rows, Backend, Kind, T, Functor>(
        tuning_of_machine().of({Backend::execution_space::name(), sizeof(T), Group, Rows::name}, Rows::cost))...};
    return table;
  }
}

/// The table of one of the groups of a catalogue of products. The library compiles each group of the large catalogues
/// in a file of its own choice.
template <class Backend, shape Kind, class T, int Group, class Functor = tile::no_functor>
struct product_group {
  static std::span<const product_row<Backend, T>> rows();
};

// Outside the class, and so not inline: `extern template` keeps the tables of the library's own backends, and with them
// all kernels, out of what only asks for rows or runs them.
template <class Backend, shape Kind, class T, int Group, class Functor>
std::span<const product_row<Backend, T>> product_group<Backend, Kind, T, Group, Functor>::rows() {
  return table_of_products<Backend, Kind, T, Group, Functor>(
      typename catalogue<Backend, Kind, T, Functor>::groups::template group<Group>());
}

template <class Backend, shape Kind, class T, class Functor, int... Group>
std::span<const product_row<Backend, T>> rows_of_group(int group, std::integer_sequence<int, Group...>) {
  using group_rows = std::span<const product_row<Backend, T>> (*)();
  static constexpr group_rows groups[] = {product_group<Backend, Kind, T, Group, Functor>::rows...};
  return groups[group]();
}

template <class Backend, shape Kind, class T, class Functor>
std::span<const product_row<Backend, T>> product_rows<Backend, Kind, T, Functor>::of(
    const tile::product<T>& problem, const typename Backend::machine_type& machine) {
  using rows = catalogue<Backend, Kind, T, Functor>;
  return rows_of_group<Backend, Kind, T, Functor>(rows::group_of(problem, machine),
                                                  std::make_integer_sequence<int, rows::groups::count>());
}

/// Runs `problem` under `plan`, asynchronously on `exec`. Whatever the plan, no bit of the result differs.
template <class Backend, class T>
void run_product(const char* function, const typename Backend::instance& exec,
                 const typename Backend::machine_type& machine, const std::type_identity_t<tile::batch<T>>& problem,
                 const product_plan<Backend, T>& plan) {
  plan.row->run(function, exec, machine, problem, plan.tile, plan.cut);
}

template <class Backend, class T, class Functor>
requires(!std::is_same_v<Functor, tile::no_functor>) void run_product(const char* function,
                                                                      const typename Backend::instance& exec,
                                                                      const typename Backend::machine_type& machine,
                                                                      const tile::product<T, Functor>& problem,
                                                                      const product_plan<Backend, T>& plan) {
  plan.row->run(function, exec, machine, tile::batch_with_functor<T, Functor>(problem), plan.tile, plan.cut);
}

/// Runs `problem` under `plan`; where there is none, throws, naming the scratch that a row needs and that of a team.
template <class Backend, shape Kind, class T, class Functor>
void run_planned(const char* function, const typename Backend::instance& exec,
                 const typename Backend::machine_type& machine, const tile::product<T, Functor>& problem,
                 const std::optional<product_plan<Backend, T>>& plan) {
  run_product(function, exec, machine, problem, plan ? *plan : plans<Backend, Kind>(problem, machine).back());
}

/// Runs `problem`, as it lies, under the plan that suits it.
template <class Backend, shape Kind, class T, class Functor>
void plan_and_run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::product<T, Functor>& problem) {
  run_planned<Backend, Kind>(function, exec, machine, problem,
                             portable::under_ieee([&] { return choose<Backend, Kind>(problem, machine); }));
}

/// A product that is a team's work, under a row that has primitives.
template <class Backend, class Row, class T>
void run_team_immediately(const char* function, const typename Backend::instance& exec,
                          const tile::product<T>& problem) {
  using P = typename Row::primitives;
  const typename P::parameters parameters = Row::parameters(problem);
  note("immediate", 1);
  Backend::template launch<P>(function, exec, 1, P::scratch_bytes(parameters), [&](const auto& team) {
    const auto rows = static_cast<int>(problem.c.rows), cols = static_cast<int>(problem.c.cols);
    const tile::division<T> one_tile{1, 1, 1, nullptr, nullptr, rows, cols};
    team::product<P>(team, parameters, problem, one_tile);
  });
}
/// A product that takes no longer than a plan and copies of operands would: it runs as it stands, at once, where one of
/// `Rows` serves it.
template <class Backend, class T, class... Rows>
[[gnu::always_inline]] inline bool multiply_immediately(backends::rows<Rows...>, [[maybe_unused]] const char* function,
                                                        [[maybe_unused]] const typename Backend::instance& exec,
                                                        [[maybe_unused]] const tile::product<T>& problem) {
  [[maybe_unused]] const auto run = [&]<class Row>(const Row*) __attribute__((always_inline)) {
    if constexpr (requires { typename Row::primitives; }) {
      run_team_immediately<Backend, Row>(function, exec, tile::product<T>(problem));
    } else {
      note("immediate", 1);
      Row::run(function, exec, problem);
    }
    return true;
  };
  return ((Rows::serves(problem) && run(static_cast<const Rows*>(nullptr))) || ...);
}

/// Copies `operand` to `copy`, on `exec`. What lies between a line's end and the next multiple of 16 bytes is left as
/// it is: primitives that read it use it for no output.
template <class Backend, class T>
void copy_operand(const char* function, const typename Backend::instance& exec, const tile::matrix<const T>& operand,
                  const tile::matrix<const T>& copy) {
  const tile::matrix<T> to{const_cast<T*>(copy.data), copy.rows, copy.cols, copy.row_stride, copy.col_stride};
  run_transpose<Backend>(function, exec,
                         along_cols(operand) ? tile::transpose<T>{operand.transposed(), to.transposed()}
                                             : tile::transpose<T>{operand, to});
}

/// The machine as plans for products that end in `Functor` see it: their block sums are always joined by the last team
/// of a tile. A second launch would be as many kernels again to compile.
template <class Functor, class Machine>
Machine machine_for(Machine machine) {
  if constexpr (!std::is_same_v<Functor, tile::no_functor>) machine.launch = std::numeric_limits<double>::infinity();
  return machine;
}

/// Copies one operand or both to where their lines are aligned, and has `run` multiply the copies. False where there is
/// no memory for them.
template <class Backend, class T, class Functor, class Run>
bool run_on_copies(const char* function, const typename Backend::instance& exec,
                   const tile::product<T, Functor>& problem, const backends::copies& which, const Run& run) {
  const index_t size_a = which.a ? size_of_copy(problem.a) : 0, size_b = which.b ? size_of_copy(problem.b) : 0;
  try {
    const typename Backend::workspace workspace(exec, sizeof(T) * (size_a + size_b), 0);
    const auto copied = copied_to(static_cast<T*>(workspace.sums()), problem, which);
    if (which.a) copy_operand<Backend>(function, exec, problem.a, copied.a);
    if (which.b) copy_operand<Backend>(function, exec, problem.b, copied.b);
    run(copied);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const resource_error&) {  // for what tiles of a triangle set aside, beside the copies; C is as it was
    return false;
  }
}

/// C <- alpha A B + beta C: what is common to gemm and gemv once extents agree, and no row runs it immediately.
template <shape Kind, class Exec, class T, class Functor>
void planned_product(const char* function, const Exec& exec, const tile::product<T, Functor>& problem) {
  using backend = backends::backend_for_t<Exec>;
  if (problem.c.rows == 0 || problem.c.cols == 0) return;
  if (!tile::is_zero(problem.epilogue.alpha) && problem.terms() != 0) {
    const auto machine = machine_for<Functor>(backend::machine(exec));
    const auto decision =
        portable::under_ieee([&] { return decide<backend, Kind>(problem, machine); });  // times compare
    if (!decision.copies.any()) return run_planned<backend, Kind>(function, exec, machine, problem, decision.plan);
    const bool copied =
        run_on_copies<backend>(function, exec, problem, decision.copies, [&](const tile::product<T, Functor>& aligned) {
          run_product(function, exec, machine, aligned, *decision.plan);
        });
    if (!copied) plan_and_run<backend, Kind>(function, exec, machine, problem);
    return;
  }
  tile::product<T, Functor> without_terms = problem;
  without_terms.a = {nullptr, problem.c.rows, 0, 0, 0};
  without_terms.b = {nullptr, 0, problem.c.cols, 0, 0};
  if constexpr (std::is_same_v<Functor, tile::no_functor>) {
    if (problem.epilogue.keeps_output()) return;
    if (const tile::output<T>& c = problem.c; c.part == tile::triangle::whole) {
      const tile::matrix<const T> old = c.as_input();
      return stream<Exec, T>::combine(function, exec, T{}, old, problem.epilogue.beta, "C", old, "C", c,
                                      sharing::trusted);
    }
  }
  plan_and_run<backend, Kind>(function, exec, backend::machine(exec), without_terms);
}

/// C <- alpha A B + beta C once extents agree. In line, so that a small product's operands stay in registers: whoever
/// takes `problem` by its address gets a copy.
template <shape Kind, class Exec, class T>
[[gnu::always_inline]] inline void product(const char* function, const Exec& exec, const tile::product<T>& problem) {
  using backend = backends::backend_for_t<Exec>;
  using scaling = typename backend::template immediate_scaling<T>;
  if (problem.c.rows != 0 && problem.c.cols != 0) {
    if (problem.terms() != 0 && !tile::is_zero(problem.epilogue.alpha)) {
      using rows = catalogue<backend, Kind, T>;
      if (multiply_immediately<backend>(typename rows::immediate(), function, exec, problem)) return;
    } else if (!problem.epilogue.keeps_output()) {
      if (run_immediately<backend>(scaling(), function, exec, problem)) return;
    }
  }
  planned_product<Kind>(function, exec, tile::product<T>(problem));
}
/// The same with a functor at its end: rows that run a product at once know of none, and it follows them at once.
template <shape Kind, class Exec, class T, class Functor>
void product(const char* function, const Exec& exec, const tile::product<T, Functor>& problem) {
  using backend = backends::backend_for_t<Exec>;
  using rows = typename catalogue<backend, Kind, T>::immediate;
  if (problem.c.rows == 0 || problem.c.cols == 0) return;
  if constexpr (!std::is_same_v<rows, backends::rows<>>)
    if (problem.terms() != 0 && !tile::is_zero(problem.epilogue.alpha) &&
        multiply_immediately<backend, T>(rows(), function, exec, problem)) {
      return portable::under_ieee([&] { tile::apply_functor<T>(problem, problem.c, 0, 0); });
    }
  planned_product<Kind>(function, exec, problem);
}

}  // namespace abax::launch

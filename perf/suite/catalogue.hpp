// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The rows of a backend's catalogue that serve a problem, each ready to run: what Abax chooses among.
#include <Kokkos_Core.hpp>
#include <functional>
#include <string>
#include <vector>

#include "abax/detail/launch/gemm_def.hpp"
#include "abax/detail/launch/reduction_def.hpp"
#include "abax/detail/launch/transpose_def.hpp"

namespace abax::perf {

template <class Exec, class Problem>
struct row_choice {
  std::string name;
  bool chosen;  ///< by Abax
  std::function<void(const Exec&, const Problem&)> run;
};

/// Kernels that have one row for everything: the first that serves is taken.
template <class Exec, class Problem>
std::vector<row_choice<Exec, Problem>> rows_of(const Exec& exec, const Problem& problem) {
  using backend = backends::backend_for_t<Exec>;
  const auto machine = backend::machine(exec);
  std::vector<row_choice<Exec, Problem>> all;
  for (const auto& row : launch::kernel_rows<backend, Problem>::all())
    if (row.serves(problem, machine) && row.scratch_bytes() <= machine.team_scratch)
      all.push_back({row.name, all.empty(),
                     [&row, machine](const Exec& on, const Problem& p) { row.run("abax-perf::row", on, machine, p); }});
  return all;
}

/// Products. A small one may need no plan, and operands may gain by being copied: then Abax' own way stands among the
/// rows, and these run on copies, too.
template <class Exec, class T>
std::vector<row_choice<Exec, tile::product<T>>> rows_of(const Exec& exec, const tile::product<T>& given) {
  using backend = backends::backend_for_t<Exec>;
  using problem_type = tile::product<T>;
  using launch::shape;
  constexpr const char* function = "abax-perf::row";
  std::vector<row_choice<Exec, problem_type>> all;
  if (tile::is_zero(given.epilogue.alpha)) return all;
  const problem_type problem = tile::along_rows(given);
  const auto machine = backend::machine(exec);
  bool found = false;  // what is chosen
  const auto add = [&]<shape Kind>(std::integral_constant<shape, Kind>, const problem_type& lies, const auto& name,
                                   const auto& run) {
    const auto chosen = launch::choose<backend, Kind>(lies, machine);
    for (const auto& plan : launch::plans<backend, Kind>(lies, machine))
      if (launch::fits(plan, lies, machine))
        all.push_back({name + plan.row->name, !found && chosen && chosen->row == plan.row,
                       [plan, run](const Exec& on, const problem_type& p) { run(on, tile::along_rows(p), plan); }});
    found = true;
  };
  const auto as_it_lies = [machine](const Exec& on, const problem_type& p, const auto& plan) {
    launch::run_product(function, on, machine, p, plan);
  };
  const std::string no_prefix;
  if (problem.c.cols == 1) {
    add(std::integral_constant<shape, shape::vector>(), problem, no_prefix, as_it_lies);
    return all;
  }
  using rows = launch::catalogue<backend, shape::matrix, T>;
  constexpr std::integral_constant<shape, shape::matrix> matrix;
  found = launch::runs_immediately(typename rows::immediate(), problem);
  if (found)
    all.push_back({"without a plan", true, [](const Exec& on, const problem_type& p) {
                     launch::gemm<typename backend::instance, T>::launch(function, on, p);
                   }});
  if (const backends::copies which = rows::gain_by_copies(problem, machine); !found && which.any()) {
    const bool worth = launch::decide<backend, launch::shape::matrix>(problem, machine).copies.any();
    if (!worth) add(matrix, problem, no_prefix, as_it_lies);
    add(matrix, launch::as_copied(problem, which), std::string("copies, "),
        [machine, which](const Exec& on, const problem_type& p, const auto& plan) {
          const bool copied = launch::run_on_copies<backend>(function, on, p, which, [&](const problem_type& aligned) {
            launch::run_product(function, on, machine, aligned, plan);
          });
          if (!copied) throw resource_error("abax-perf: no memory for an operand's copy");
        });
    if (!worth) return all;
  }
  add(matrix, problem, no_prefix, as_it_lies);
  return all;
}

}  // namespace abax::perf

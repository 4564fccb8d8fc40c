// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A backend's catalogue as tables: each row with the functions that answer for it and the one that launches it.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <span>

#include "abax/detail/backends/backend.hpp"
#include "abax/detail/launch/trace.hpp"
#include "abax/detail/tile/batch.hpp"

namespace abax::launch {

/// Which of a backend's catalogues of products is meant: the last two are those of batches.
enum class shape { matrix, vector, matrices, vectors };
constexpr bool is_vector(shape kind) { return kind == shape::vector || kind == shape::vectors; }
constexpr bool is_batch(shape kind) { return kind == shape::matrices || kind == shape::vectors; }

template <class Backend, shape Kind, class T>
struct catalogue_of {
  using type = typename Backend::template matrix_rows<T>;
};
template <class Backend, class T>
struct catalogue_of<Backend, shape::vector, T> {
  using type = typename Backend::template vector_rows<T>;
};
template <class Backend, class T>
struct catalogue_of<Backend, shape::matrices, T> {
  using type = typename Backend::template batched_matrix_rows<T>;
};
template <class Backend, class T>
struct catalogue_of<Backend, shape::vectors, T> {
  using type = typename Backend::template batched_vector_rows<T>;
};
/// What it offers to products that end in `Functor`.
template <class Backend, shape Kind, class T, class Functor = tile::no_functor>
using catalogue =
    std::conditional_t<std::is_same_v<Functor, tile::no_functor>, typename catalogue_of<Backend, Kind, T>::type,
                       backends::catalogue_with_functors<typename catalogue_of<Backend, Kind, T>::type>>;

template <class Row, class Problem, class Machine>
bool serves(const Problem& problem, const Machine& machine) {
  return Row::serves(problem, machine);
}

/// A row of products. Of products that end in a functor, `run` takes those of its own kind alone; to all else they are
/// like any other.
template <class Backend, class T>
struct product_row {
  using problem_type = tile::product<T>;
  using machine_type = typename Backend::machine_type;

  const char* name;  ///< appears in messages
  tile::product_cost cost;
  bool (*serves)(const problem_type&, const machine_type&);
  tile::product_tile (*tile_for)(const problem_type&, const machine_type&);
  /// What a team with such a tile needs.
  std::size_t (*scratch_bytes)(const problem_type&, const tile::product_tile&, const machine_type&);
  /// Cut along k as said (1 to as many teams a tile as there are blocks; in a batch for all tiles alike),
  /// asynchronously; `function` is what errors name. Rows of batches take any, all others batches of one product.
  void (*run)(const char* function, const typename Backend::instance&, const machine_type&, const tile::batch<T>&,
              const tile::product_tile&, const tile::cut&);
};

/// A row of any other kernel.
template <class Backend, class Problem>
struct kernel_row {
  using machine_type = typename Backend::machine_type;

  const char* name;
  bool (*serves)(const Problem&, const machine_type&);
  std::size_t (*scratch_bytes)();
  void (*run)(const char* function, const typename Backend::instance&, const machine_type&, const Problem&);
};

/// The kernel for such problems: its catalogue, `rows`, and `run<Row>`, which is kernel_row::run. Each kernel's header
/// specialises this.
template <class Backend, class Problem>
struct kernel_for;

/// The backend's rows for such problems.
template <class Backend, class Problem>
struct kernel_rows {
  static std::span<const kernel_row<Backend, Problem>> all();
};

template <class Backend, class Problem, class... Rows>
std::span<const kernel_row<Backend, Problem>> table_of(backends::rows<Rows...>) {
  static_assert((backends::kernel_row<Rows, Problem, Backend> && ...));
  if constexpr (sizeof...(Rows) == 0)
    return {};
  else {
    static constexpr kernel_row<Backend, Problem> table[] = {
        {Rows::name, serves<Rows, Problem, typename Backend::machine_type>, Rows::primitives::scratch_bytes,
         kernel_for<Backend, Problem>::template run<Rows>}...};
    return table;
  }
}

// Outside the class, and so not inline: `extern template` keeps the tables of the library's own backends, and with them
// all kernels, out of what only asks for rows or runs them.
template <class Backend, class Problem>
std::span<const kernel_row<Backend, Problem>> kernel_rows<Backend, Problem>::all() {
  return table_of<Backend, Problem>(typename kernel_for<Backend, Problem>::rows());
}

/// Runs a problem that takes no longer than a plan would, as it stands and at once, where one of `Rows` serves it.
template <class Backend, class Problem, class... Rows>
[[gnu::always_inline]] inline bool run_immediately(backends::rows<Rows...>, [[maybe_unused]] const char* function,
                                                   [[maybe_unused]] const typename Backend::instance& exec,
                                                   [[maybe_unused]] const Problem& problem) {
  return ((Rows::serves(problem) && (note("immediate", 1), Rows::run(function, exec, problem), true)) || ...);
}

/// The last row serves always.
template <class Backend, class Problem>
const kernel_row<Backend, Problem>& first_that_serves(const Problem& problem,
                                                      const typename Backend::machine_type& machine) {
  const auto rows = kernel_rows<Backend, Problem>::all();
  std::size_t row = 0;
  while (row + 1 < rows.size() && !rows[row].serves(problem, machine)) ++row;
  return rows[row];
}

}  // namespace abax::launch

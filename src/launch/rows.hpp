// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A backend's catalogue as tables: each row with the functions that answer for it and the one that launches it.
#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>

#include "backends/backend.hpp"
#include "tile/product.hpp"

namespace abax::launch {

/// Which of a backend's two catalogues of products is meant.
enum class shape { matrix, vector };

template <class Backend, shape Kind, class T>
using catalogue = std::conditional_t<Kind == shape::matrix, typename Backend::template matrix_rows<T>,
                                     typename Backend::template vector_rows<T>>;

template <class Row, class Problem, class Machine>
bool serves(const Problem& problem, const Machine& machine) {
  return Row::serves(problem, machine);
}

/// A row of products.
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
  /// With `splits` teams a tile (1 to the number of blocks), asynchronously; `function` is what errors name.
  void (*run)(const char* function, const typename Backend::instance&, const machine_type&, const problem_type&,
              const tile::product_tile&, index_t splits);
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

/// The table of `Rows`, run by Run<Backend, Row, Problem>::run.
template <class Backend, class Problem, template <class, class, class> class Run, class... Rows>
constexpr std::array<kernel_row<Backend, Problem>, sizeof...(Rows)> table_of(backends::rows<Rows...>) {
  static_assert((backends::kernel_row<Rows, Problem, Backend> && ...));
  return {{{Rows::name, serves<Rows, Problem, typename Backend::machine_type>, Rows::primitives::scratch_bytes,
            Run<Backend, Rows, Problem>::run}...}};
}

/// The last row serves always.
template <class Backend, class Problem, std::size_t Count>
const kernel_row<Backend, Problem>& first_that_serves(const std::array<kernel_row<Backend, Problem>, Count>& table,
                                                      const Problem& problem,
                                                      const typename Backend::machine_type& machine) {
  std::size_t row = 0;
  while (row + 1 < Count && !table[row].serves(problem, machine)) ++row;
  return table[row];
}

}  // namespace abax::launch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a backend is: a machine's description, a catalogue of rows for each kind of kernel, memory and a launch.
///
/// A row is one kernel, complete: its name, its primitives, when it serves and, of a product, its tile and what that
/// costs. Everything named here must be there: a backend without small products or copies says so with the defaults
/// below, so that no misspelt name goes unnoticed.
#include <concepts>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "abax/detail/backends/primitives.hpp"

namespace abax::backends {

/// What every choice depends on. A backend derives its own from it, with what its rows ask for.
struct machine {
  int teams_at_once;         ///< teams of one wave: multiprocessors, or cores
  std::size_t team_scratch;  ///< bytes one team can have
  /// What a second launch costs, in terms of one output of a product; by default too much.
  double launch = std::numeric_limits<double>::infinity();
  /// What it costs to find out which team of a tile is the last, in the same terms.
  double arrival = 0;
  /// What all teams together take to read a byte of an operand from the caches that they share, in the same terms.
  double shared_byte = 0;
  /// What they take to read or write a byte of an output, in memory, in the same terms.
  double output_byte = 0;
  /// Whether teams begin in the order of their ranks, each as soon as a processor has room for it.
  bool in_turn = false;
  /// Outputs of a product by a vector, at most, whose blocks a team multiplies side by side.
  int outputs_of_blocks = 0;
  /// By what fraction processors differ in pace; teams that begin in turn make up for it.
  double uneven = 0;
  /// What an operand's copy costs, and each byte of it, read and written, in the same terms; infinite: never copied.
  double copy = std::numeric_limits<double>::infinity();
  double copied_byte = 0;
};

/// `preferred` of a catalogue: no row in particular, but the one that costs least.
inline constexpr int by_cost = -1;

/// Rows in the order in which they are asked.
template <class... Row>
struct rows;
template <>
struct rows<> {};
template <class First, class... Row>
struct rows<First, Row...> {
  using first = First;
};

/// The rows of products, a group for each way that operands may lie.
template <class... Rows>
struct groups {
  static constexpr int count = sizeof...(Rows);
  template <int Number>
  using group = std::tuple_element_t<Number, std::tuple<Rows...>>;
};

template <class... Rows>
struct joined_rows;
template <class... A>
struct joined_rows<rows<A...>> {
  using type = rows<A...>;
};
template <class... A, class... B, class... More>
struct joined_rows<rows<A...>, rows<B...>, More...> : joined_rows<rows<A..., B...>, More...> {};
/// Several lists of rows, one after another.
template <class... Rows>
using joined = typename joined_rows<Rows...>::type;

template <class Rows>
struct rows_with_functors;
template <class... Row>
struct rows_with_functors<rows<Row...>> {
  using type = joined<rows<>, std::conditional_t<Row::takes_functors, rows<Row>, rows<>>...>;
};
template <class Groups>
struct groups_with_functors;
template <class... Rows>
struct groups_with_functors<groups<Rows...>> {
  using type = groups<typename rows_with_functors<Rows>::type...>;
};
/// What a catalogue of products offers to a product that ends in a functor: of each group the rows that take one, so
/// that the caller's unit need not compile all of them.
template <class Catalogue>
struct catalogue_with_functors : Catalogue {
  using groups = typename groups_with_functors<typename Catalogue::groups>::type;

  /// The same row, if it is there.
  static int preferred(const auto& problem, const auto& machine) {
    return [&]<int... Group>(std::integer_sequence<int, Group...>) {
      static constexpr int (*place_in[])(int) = {place<Group>...};
      return place_in[Catalogue::group_of(problem, machine)](Catalogue::preferred(problem, machine));
    }
    (std::make_integer_sequence<int, groups::count>());
  }

 private:
  template <int Group>
  static int place(int row) {
    return [&]<class... Row>(rows<Row...>) {
      constexpr bool takes[] = {Row::takes_functors...};
      if (row == by_cost || !takes[row]) return by_cost;
      int before = 0;
      for (int other = 0; other < row; ++other) before += takes[other];
      return before;
    }(typename Catalogue::groups::template group<Group>());
  }
};

/// Which row of a group `Row` is.
template <class Row, class... All>
consteval int position_in(rows<All...>) {
  static_assert((0 + ... + std::is_same_v<Row, All>) == 1, "no row of this group");
  int position = 0;
  static_cast<void>(((std::is_same_v<Row, All> || (++position, false)) || ...));
  return position;
}

// ---------------------------------------------------------------------------------------------------------------------
// Defaults, for rows and catalogues to name.

/// `serves` of a row that serves every problem of its group on every machine.
inline constexpr auto always = [](const auto&, const auto&) { return true; };

/// Operands of a product that may be copied to aligned lines before it runs.
struct copies {
  bool a, b;

  constexpr bool any() const { return a || b; }
};
inline constexpr auto never_copied = [](const auto&, const auto&) { return copies{false, false}; };

// ---------------------------------------------------------------------------------------------------------------------
// The comments beside the requirements are part of the contract.
// clang-format off

/// A row of products of T.
template <class R, class T, class Backend>
concept product_row = requires(const tile::product<T>& problem, const typename Backend::machine_type& machine,
                               const tile::product_tile& size) {
  { R::name } -> std::convertible_to<const char*>;
  { R::cost } -> std::convertible_to<tile::product_cost>;
  { R::serves(problem, machine) } -> std::same_as<bool>;
  { R::tile_for(problem, machine) } -> std::same_as<tile::product_tile>;
  { R::parameters(problem, size, machine) } -> std::same_as<typename R::primitives::parameters>;
  { R::takes_functors } -> std::convertible_to<bool>;  // compiled for products that end in one of the caller's
  requires product_primitives<typename R::primitives, T, typename Backend::member>;
};

/// A row of products, reductions or streams that the calling thread computes at once, by a function of its own or,
/// products, as one team: planning would take as long as they do.
template <class R, class Problem, class Backend>
concept immediate_row = requires(const char* label, const typename Backend::instance& exec, const Problem& problem) {
  { R::serves(problem) } -> std::same_as<bool>;
  requires requires { R::run(label, exec, problem); } ||
      requires { { R::parameters(problem) } -> std::same_as<typename R::primitives::parameters>; };
};

template <class Rows, class Problem, class Backend>
inline constexpr bool are_immediate_rows = false;
template <class... Row, class Problem, class Backend>
inline constexpr bool are_immediate_rows<rows<Row...>, Problem, Backend> =
    (immediate_row<Row, Problem, Backend> && ...);

/// A row of any other kernel: a reduction, a transpose, a stream. The last of a catalogue serves always.
template <class R, class Problem, class Backend>
concept kernel_row = requires(const Problem& problem, const typename Backend::machine_type& machine) {
  { R::name } -> std::convertible_to<const char*>;
  { R::serves(problem, machine) } -> std::same_as<bool>;
  { R::parameters(problem, machine) } -> std::same_as<typename R::primitives::parameters>;
  { R::primitives::scratch_bytes() } -> std::convertible_to<std::size_t>;
};

/// A row of reductions.
template <class R, class Kernel, class Backend>
concept reduction_row = kernel_row<R, tile::reduction<Kernel>, Backend> &&
    requires(const typename Backend::machine_type& machine, index_t blocks) {
  { R::run(blocks, machine) } -> std::same_as<index_t>;  // blocks of a team: a power of two, 1024 at most
  requires reduction_primitives<typename R::primitives, Kernel, typename Backend::member>;
};

/// A row of batches of small products.
template <class R, class T, class Backend>
concept batch_row = kernel_row<R, tile::batch<T>, Backend> &&
    requires(const tile::batch<T>& batch, const typename R::primitives::parameters& parameters,
             const typename Backend::machine_type& machine) {
  { R::teams(batch, parameters, machine) } -> std::same_as<index_t>;  // of the league: see batch_primitives
  requires batch_primitives<typename R::primitives, T, typename Backend::member>;
};

/// The products of T by vectors.
template <class C, class T, class Backend>
concept vector_catalogue = requires(const tile::product<T>& problem, const typename Backend::machine_type& machine) {
  typename C::groups;                                              // groups<rows<...>, ...>
  { C::group_of(problem, machine) } -> std::same_as<int>;          // the number of the problem's group
  { C::preferred(problem, machine) } -> std::convertible_to<int>;  // its row there, if a team has scratch; or by_cost
  requires are_immediate_rows<typename C::immediate, tile::product<T>, Backend>;  // mostly none
};

/// The products of T by matrices.
template <class C, class T, class Backend>
concept matrix_catalogue = vector_catalogue<C, T, Backend> &&
    requires(const tile::product<T>& problem, const typename Backend::machine_type& machine) {
  { C::gain_by_copies(problem, machine) } -> std::same_as<copies>;  // operands whose copies have faster rows
};

/// What runs on a team.
template <class Member>
struct team_functor {
  void operator()(const Member&) const;
};

// Apart, because Clang 14 takes a missing type behind || for an error.
template <class B, class T>
concept batches_by_rows = matrix_catalogue<typename B::template batched_matrix_rows<T>, T, B> &&
                          vector_catalogue<typename B::template batched_vector_rows<T>, T, B>;

template <class B, class T>
concept backend_of = requires(const char* label, const typename B::instance& exec, int teams, std::size_t scratch,
                              team_functor<typename B::member> functor) {
  requires matrix_catalogue<typename B::template matrix_rows<T>, T, B>;
  requires vector_catalogue<typename B::template vector_rows<T>, T, B>;
  // Batches: those of small items, which may be none; all others by rows of products in one league, or item by item.
  typename B::template batch_rows<T>;  // rows<...>
  requires B::runs_items || batches_by_rows<B, T>;
  typename B::template reduction_rows<tile::dot<T>>;  // rows<...>, as all that follow
  typename B::template reduction_rows<tile::sum<T>>;
  typename B::template reduction_rows<tile::asum<T>>;
  typename B::template reduction_rows<tile::nrm2<T>>;
  typename B::template reduction_rows<tile::iamax<T>>;
  // Products without terms.
  requires are_immediate_rows<typename B::template immediate_scaling<T>, tile::product<T>, B>;
  requires are_immediate_rows<typename B::template immediate_reductions<tile::dot<T>>,
                              tile::reduction<tile::dot<T>>, B>;
  typename B::template transpose_rows<T>;
  requires are_immediate_rows<typename B::template immediate_transposes<T>, tile::transpose<T>, B>;
  typename B::template in_place_transpose_rows<T>;
  typename B::template stream_rows<tile::combine<T>>;
  typename B::template stream_rows<tile::combine_matrices<T>>;
  typename B::template stream_rows<tile::increment<T>>;
  typename B::template stream_rows<tile::copy<T>>;
  requires are_immediate_rows<typename B::template immediate_streams<tile::combine<T>>, tile::combine<T>, B>;
  // For a row's primitives: functor(member) on so many teams of their size, asynchronously.
  B::template launch<typename B::template transpose_rows<T>::first::primitives>(label, exec, teams, scratch, functor);
};

template <class B>
concept backend = requires(const typename B::instance& exec, const typename B::workspace& workspace) {
  // What its functions take for the place of a launch: its execution space, or what that becomes.
  requires std::convertible_to<const typename B::execution_space&, typename B::instance>;
  typename B::member;  // what a team's functor is called with
  requires std::derived_from<typename B::machine_type, machine>;
  { B::machine(exec) } -> std::same_as<typename B::machine_type>;
  // Memory for the length of a call, of (exec, bytes, counters): block sums, and arrival counters at zero.
  requires std::constructible_from<typename B::workspace, const typename B::instance&, std::size_t, index_t>;
  { workspace.sums() } -> std::same_as<void*>;
  { workspace.arrivals() } -> std::same_as<unsigned*>;
  // Whether products' primitives leave alone what a triangle does not hold; if not, such tiles are computed aside.
  { B::keeps_to_triangles } -> std::convertible_to<bool>;
  requires backend_of<B, float> && backend_of<B, double>;
};

// clang-format on

}  // namespace abax::backends

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm_integer: arguments checked, C cut into blocks, the steps of each launched one after another.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "abax/detail/backends/backend_for.hpp"
#include "abax/detail/launch/gemm_def.hpp"
#include "abax/detail/launch/gemm_integer.hpp"
#include "abax/detail/launch/integer_blocks.hpp"
#include "abax/detail/launch/rows.hpp"
#include "abax/detail/launch/workspace.hpp"
#include "abax/detail/team/integer.hpp"

namespace abax::launch {

// ---------------------------------------------------------------------------------------------------------------------
// The steps as kernels.

template <class Primitives, class T>
struct line_peaks_team {
  typename Primitives::parameters parameters;
  tile::line_peaks<T> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::line_peaks<Primitives>(team, parameters, problem);
  }
};
template <class Primitives, class T>
struct line_residues_team {
  typename Primitives::parameters parameters;
  tile::line_residues<T> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::line_residues<Primitives>(team, parameters, problem);
  }
};
template <class Primitives, class T>
struct line_losses_team {
  tile::line_losses<T> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::line_losses<Primitives>(team, problem);
  }
};
template <class Primitives>
struct line_weights_team {
  typename Primitives::parameters parameters;
  tile::line_weights problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::line_weights<Primitives>(team, parameters, problem);
  }
};
template <bool Checked, class Primitives>
struct residue_product_team {
  typename Primitives::parameters parameters;
  tile::residue_product problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::residue_product<Checked, Primitives>(team, parameters, problem);
  }
};
template <class Primitives>
struct residue_check_team {
  tile::residue_check problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::residue_check<Primitives>(team, problem);
  }
};
template <class Primitives, class T, int Count, class Functor>
struct residue_sum_team {
  typename Primitives::parameters parameters;
  tile::residue_sum<T, Count, Functor> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::residue_sum<Primitives>(team, parameters, problem);
  }
};

/// Values that a launch has written, once it is over: as many as there is room for in `host`.
template <class Backend, class Value>
void copy_to_host(const char* function, const typename Backend::instance& exec, const Value* values,
                  std::vector<Value>& host) {
  using space = typename Backend::execution_space;
  if constexpr (Kokkos::SpaceAccessibility<space, Kokkos::HostSpace>::accessible) {
    exec.fence(function);
    std::copy_n(values, host.size(), host.data());
  } else {
    Kokkos::deep_copy(exec, Kokkos::View<Value*, Kokkos::HostSpace>(host.data(), host.size()),
                      Kokkos::View<const Value*, typename space::memory_space>(values, host.size()));
    exec.fence(function);
  }
}

/// Launches `Row`'s primitives, one team for each of `tiles` tiles.
template <class Backend, class Row, class Functor>
void run_integer_row(const char* function, const typename Backend::instance& exec,
                     const typename Backend::machine_type& machine, index_t tiles, const Functor& functor) {
  using P = typename Row::primitives;
  const std::size_t scratch = P::scratch_bytes();
  require_scratch(function, Row::name, scratch, machine.team_scratch);
  const int teams = league(function, tiles);
  note(Row::name, teams);
  Backend::template launch<P>(function, exec, teams, scratch, functor);
}

template <class Backend, class T>
struct kernel_for<Backend, tile::line_peaks<T>> {
  using rows = typename Backend::template integer_line_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::line_peaks<T>& problem) {
    run_integer_row<Backend, Row>(
        function, exec, machine, problem.teams(),
        line_peaks_team<typename Row::primitives, T>{Row::parameters(problem, machine), problem});
  }
};
template <class Backend, class T>
struct kernel_for<Backend, tile::line_losses<T>> {
  using rows = typename Backend::template integer_line_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::line_losses<T>& problem) {
    run_integer_row<Backend, Row>(function, exec, machine, problem.peaks.teams(),
                                  line_losses_team<typename Row::primitives, T>{problem});
  }
};
template <class Backend, class T>
struct kernel_for<Backend, tile::line_residues<T>> {
  using rows = typename Backend::template integer_line_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::line_residues<T>& problem) {
    run_integer_row<Backend, Row>(
        function, exec, machine, problem.teams(),
        line_residues_team<typename Row::primitives, T>{Row::parameters(problem, machine), problem});
  }
};
template <class Backend, class Problem>
void run_step(const char* function, const typename Backend::instance& exec,
              const typename Backend::machine_type& machine, const Problem& problem) {
  first_that_serves<Backend>(problem, machine).run(function, exec, machine, problem);
}

template <class Backend>
struct kernel_for<Backend, tile::line_weights> {
  using rows = typename Backend::template integer_line_rows<float>;  // bytes are of any type

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::line_weights& problem) {
    run_integer_row<Backend, Row>(
        function, exec, machine, problem.teams(),
        line_weights_team<typename Row::primitives>{Row::parameters(problem, machine), problem});
  }
};
template <class Backend>
struct kernel_for<Backend, tile::residue_product> {
  using rows = typename Backend::residue_product_rows;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::residue_product& problem) {
    using P = typename Row::primitives;
    const index_t tiles = problem.tiles(P::shape).all();
    const auto launch = [&]<bool Checked>(std::bool_constant<Checked>) {
      run_integer_row<Backend, Row>(function, exec, machine, P::teams(tiles, machine.teams_at_once),
                                    residue_product_team<Checked, P>{Row::parameters(problem, machine), problem});
    };
    if (problem.sums != nullptr)
      launch(std::true_type());
    else
      launch(std::false_type());
  }
};
template <class Backend>
struct kernel_for<Backend, tile::residue_check> {
  using rows = typename Backend::template integer_line_rows<float>;  // bytes are of any type

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::residue_check& problem) {
    run_integer_row<Backend, Row>(function, exec, machine, problem.teams(),
                                  residue_check_team<typename Row::primitives>{problem});
  }
};
template <class Backend, class T, int Count, class Functor>
struct kernel_for<Backend, tile::residue_sum<T, Count, Functor>> {
  using rows = typename Backend::template integer_line_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::residue_sum<T, Count, Functor>& problem) {
    using kernel = tile::residue_sum<T, Count, Functor>;
    const index_t tiles = tile::ceil_div<index_t>(problem.rows, kernel::rows_of_team) *
                          tile::ceil_div<index_t>(problem.cols, kernel::cols_of_team);
    run_integer_row<Backend, Row>(
        function, exec, machine, tiles,
        residue_sum_team<typename Row::primitives, T, Count, Functor>{Row::parameters(problem, machine), problem});
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// The product.

template <class T>
int bits_of(const char* function, const integer_options& options) {
  constexpr int digits = tile::ieee<T>::mantissa + 1, least = digits - 8, most = digits + 8;
  if (options.bits == 0) return digits;
  if (options.bits < least || options.bits > most)
    throw invalid_argument(std::string(function) + ": bits is " + std::to_string(options.bits) + ", but 0 or " +
                           std::to_string(least) + " to " + std::to_string(most) + " was expected");
  return options.bits;
}

/// A product of residues whose sums are compared with those of its lines' weights, which were made before; throws where
/// one is wrong. What the check needs is sums and a byte for each of the tiles of the machine's engine, `found` on the
/// host. `row` and `col` are where the product begins in C's whole, which is the transpose of the caller's C if
/// `turned`.
template <class Backend>
void run_checked(const char* function, const typename Backend::instance& exec,
                 const typename Backend::machine_type& machine, tile::residue_product problem,
                 const tile::line_weights& a, const tile::line_weights& b, std::uint64_t* sums, std::uint8_t* faults,
                 std::vector<std::uint8_t>& found, index_t row, index_t col, bool turned) {
  const tile::residue_tile_shape shape = Backend::byte_engine(machine).tile;
  const tile::residue_tiles tiles = problem.tiles(shape);
  problem.sums = sums;
  run_step<Backend>(function, exec, machine, problem);
  run_step<Backend>(function, exec, machine,
                    tile::residue_check{tiles, a, b, problem.first, problem.terms, sums, faults});
  found.resize(static_cast<std::size_t>(tiles.all()));
  copy_to_host<Backend>(function, exec, faults, found);
  for (int t = 0; t < tiles.count; ++t)
    for (index_t i = 0; i < a.tiles(); ++i)
      for (index_t j = 0; j < b.tiles(); ++j) {
        if (found[static_cast<std::size_t>(tiles.number_of(t, i, j))] == 0) continue;
        index_t first_row = row + i * shape.rows, first_col = col + j * shape.cols;
        if (turned) std::swap(first_row, first_col);
        throw verification_error(std::string(function) + ": a product of integers is wrong: modulus " +
                                 std::to_string(tile::moduli[static_cast<std::size_t>(t)]) + ", C's tile from row " +
                                 std::to_string(first_row) + " and column " + std::to_string(first_col) + " on");
      }
}

/// Moduli for sums of so many terms, which `extent` names.
template <class T>
int moduli_of(const char* function, const char* extent, index_t terms, int bits) {
  const int count = tile::max(tile::fewest_moduli<T>, tile::moduli_for(terms, bits));
  if (count > tile::most_moduli_of<T>)
    throw invalid_argument(std::string(function) + ": " + extent + " is " + std::to_string(terms) + ", but with " +
                           std::to_string(bits) + " bits it can be " +
                           std::to_string(tile::most_terms(tile::most_moduli_of<T>, bits)) + " at most");
  return count;
}

/// An operand: its lines as rows, and where what is made of a block of them goes.
template <class T>
struct operand_lines {
  using bits_type = typename tile::ieee<T>::bits;
  tile::matrix<const T> lines;
  const prepared_lines<T>* prepared;  ///< of all lines; null: they are made
  int lines_of_tile;                  ///< of the engine
  bits_type *peaks = nullptr, *made_largest = nullptr;
  std::uint8_t* planes = nullptr;
  std::int64_t* weights = nullptr;
  index_t first = 0;

  /// The block of lines from `line` on.
  operand_lines from(index_t line, index_t count) const {
    operand_lines some = *this;
    some.lines = lines.block(line, 0, count, lines.cols);
    some.first = line;
    return some;
  }
  const bits_type* largest() const { return prepared != nullptr ? prepared->largest + first : made_largest; }
};

/// Calls `work` with the number of moduli as a constant.
template <class T, class Work>
void with_count(int count, const Work& work) {
  [&]<int... More>(std::integer_sequence<int, More...>) {
    static_cast<void>(((count == tile::fewest_moduli<T> + More &&
                        (work(std::integral_constant<int, tile::fewest_moduli<T> + More>()), true)) ||
                       ...));
  }
  (std::make_integer_sequence<int, tile::most_moduli_of<T> - tile::fewest_moduli<T> + 1>());
}

template <class Backend, class T, class Functor>
class integer_product {
 public:
  using operand = operand_lines<T>;

  integer_product(const char* function, const typename Backend::instance& exec,
                  const tile::product<T, Functor>& problem, int bits, const integer_options& options,
                  const prepared_operands<T>& prepared = {})
      : function_(function),
        exec_(exec),
        machine_(Backend::machine(exec)),
        engine_(Backend::byte_engine(machine_)),
        problem_(problem),
        prepared_(prepared),
        bits_(bits),
        verify_(options.verify),
        count_(moduli_of<T>(function, "extent 1 of op(A)", problem.terms(), bits)),
        may_shrink_(options.workspace == 0) {
    const std::size_t limit = may_shrink_ ? std::max(usual_limit, preferred_bytes(exec)) : options.workspace;
    blocks_ = blocks_within(limit);
    if (blocks_.bytes() > limit)
      throw resource_error(std::string(function) + ": a workspace of " + std::to_string(limit) +
                           " bytes was allowed, but the smallest blocks need " + std::to_string(blocks_.bytes()));
  }

  void run() {
    const auto workspace = take_workspace();
    std::vector<std::uint8_t> found = room_for_faults();
    auto* at = static_cast<std::byte*>(workspace.sums());
    const auto take = [&]<class Value>(Value*, index_t count) {
      auto* const taken = reinterpret_cast<Value*>(at);
      at += integer_blocks::aligned(static_cast<std::size_t>(count) * sizeof(Value));
      return taken;
    };
    using bits_type = typename tile::ieee<T>::bits;
    const auto operand_of = [&](const tile::matrix<const T>& lines, const prepared_lines<T>* prepared, index_t block,
                                int of_tile) {
      operand o{lines, prepared, of_tile};
      o.weights = take(static_cast<std::int64_t*>(nullptr), blocks_.weights(block, of_tile));
      if (prepared != nullptr) return o;
      o.peaks = take(static_cast<bits_type*>(nullptr), block * blocks_.pieces());
      o.made_largest = take(static_cast<bits_type*>(nullptr), block);
      o.planes = take(static_cast<std::uint8_t*>(nullptr), count_ * blocks_.line_bytes(block));
      return o;
    };
    const operand a = operand_of(problem_.a, prepared_.a, blocks_.rows, engine_.tile.rows),
                  b = operand_of(problem_.b.transposed(), prepared_.b, blocks_.cols, engine_.tile.cols);
    auto* const sums = take(static_cast<std::uint64_t*>(nullptr), blocks_.tiles());
    auto* const faults = take(static_cast<std::uint8_t*>(nullptr), blocks_.tiles());
    auto* const c =
        take(static_cast<std::uint8_t*>(nullptr), count_ * tile::remainder_stride(blocks_.rows) * blocks_.cols);
    const bool all_terms = blocks_.terms >= problem_.terms();
    for (index_t j = 0; j < b.lines.rows; j += blocks_.cols)
      for (index_t i = 0; i < a.lines.rows; i += blocks_.rows) {
        const operand some_a = a.from(i, blocks_.rows), some_b = b.from(j, blocks_.cols);
        for (index_t p = 0; p < problem_.terms(); p += blocks_.terms) {
          const bool is_left = true;
          make_lines(some_a, p, is_left);
          if (i == 0 || !all_terms) make_lines(some_b, p, !is_left);
          const index_t terms = terms_from(p);
          for (index_t q = 0; q < terms; q += tile::exact_terms) {
            const tile::residue_product part{
                planes_of(some_a, p), planes_of(some_b, p), q, tile::min(tile::exact_terms, terms - q), c, p + q > 0};
            if (verify_)
              run_checked<Backend>(function_, exec_, machine_, part, weights_of(some_a, p, is_left),
                                   weights_of(some_b, p, !is_left), sums, faults, found, i, j, problem_.turned);
            else
              step(part);
          }
        }
        with_count<T>(count_, [&]<int Count>(std::integral_constant<int, Count>) {
          step(tile::residue_sum<T, Count, Functor>{problem_, i, j, some_a.lines.rows, some_b.lines.rows, c,
                                                    some_a.largest(), some_b.largest(), bits_});
        });
      }
  }

 private:
  static constexpr std::size_t usual_limit = std::size_t(2) << 30, least_limit = std::size_t(64) << 20;

  static std::size_t preferred_bytes(const typename Backend::instance& exec) {
    if constexpr (requires { Backend::integer_workspace::preferred(exec); })
      return Backend::integer_workspace::preferred(exec);
    else
      return std::size_t(1) << 30;
  }
  /// Within the limit, if there are such.
  integer_blocks blocks_within(std::size_t limit) const {
    const made_for_product made{prepared_.a == nullptr, prepared_.b == nullptr, verify_, engine_.tile};
    return integer_blocks_for({problem_.c.rows, problem_.c.cols, problem_.terms()}, count_, sizeof(T), engine_,
                              preferred_bytes(exec_), limit, made);
  }
  /// Where there is less memory than the caller has left to be taken: smaller blocks.
  typename Backend::integer_workspace take_workspace() {
    while (true) {
      try {
        return make_workspace<Backend, typename Backend::integer_workspace>(function_, exec_, blocks_.bytes(), 0);
      } catch (const resource_error&) {
        if (!may_shrink_ || blocks_.bytes() <= least_limit) throw;
        const std::size_t limit = std::max(least_limit, blocks_.bytes() / 2);
        const integer_blocks smaller = blocks_within(limit);
        if (smaller.bytes() > limit) throw;
        blocks_ = smaller;
      }
    }
  }
  /// Where the host reads what the check of a block says, before anything is written.
  std::vector<std::uint8_t> room_for_faults() const {
    std::vector<std::uint8_t> room;
    try {
      room.reserve(static_cast<std::size_t>(blocks_.tiles()));
    } catch (const std::bad_alloc&) {
      throw resource_error(std::string(function_) + ": no memory for " + std::to_string(blocks_.tiles()) + " bytes");
    }
    return room;
  }
  template <class Problem>
  void step(const Problem& problem) const {
    run_step<Backend>(function_, exec_, machine_, problem);
  }
  index_t terms_from(index_t p) const { return tile::min(blocks_.terms, problem_.terms() - p); }
  /// For the terms from p on, where they are made.
  template <class Byte>
  tile::byte_planes<Byte> made_planes(Byte* planes, const operand& o, index_t p) const {
    return {planes, o.lines.rows, tile::plane_stride(blocks_.order, terms_from(p)), count_, blocks_.order};
  }
  /// For the terms from p on.
  tile::byte_planes<const std::uint8_t> planes_of(const operand& o, index_t p) const {
    if (o.prepared != nullptr) return o.prepared->planes.block(o.first, o.lines.rows, p);
    return made_planes<const std::uint8_t>(o.planes, o, p);
  }
  tile::line_weights weights_of(const operand& o, index_t p, bool is_left) const {
    return {planes_of(o, p), is_left && engine_.left_unsigned,     is_left, o.lines_of_tile,
            o.weights,       integer_blocks::padded(terms_from(p))};
  }
  /// Of the terms from p on, unless they are prepared; before the first of them, what a line's largest element is.
  void make_lines(const operand& o, index_t p, bool is_left) const {
    if (o.prepared == nullptr) {
      const tile::line_peaks<T> peaks{o.lines, o.peaks};
      if (p == 0) step(peaks);
      step(tile::line_residues<T>{peaks, bits_, is_left && engine_.left_unsigned, p,
                                  made_planes<std::uint8_t>(o.planes, o, p), o.made_largest});
    }
    if (verify_) step(weights_of(o, p, is_left));
  }

  const char* function_;
  typename Backend::instance exec_;  // a space's may be one that is made of it for the call of the constructor
  typename Backend::machine_type machine_;
  tile::byte_engine engine_;
  const tile::product<T, Functor>& problem_;
  prepared_operands<T> prepared_;
  int bits_;
  bool verify_;
  int count_;
  bool may_shrink_;
  integer_blocks blocks_ = {};
};

/// The bits of a product with operands that are prepared; throws where they do not serve it so.
template <class T>
int bits_with(const char* function, const char* trans_a, const char* trans_b, const prepared_operands<T>& prepared,
              const integer_options& options) {
  int bits = bits_of<T>(function, options);
  bool is_free = options.bits == 0;
  const auto take = [&](const prepared_lines<T>* lines, const char* name, char side, const char* trans_name,
                        const char* trans) {
    if (lines == nullptr) return;
    const std::string operand = std::string(function) + ": " + name + " was prepared ";
    if (lines->side != side)
      throw invalid_argument(operand + "as the operand \"" + lines->side + "\", but \"" + side + "\" was expected");
    if (transposition(function, trans_name, trans) != 'N')
      throw invalid_argument(operand + "from op(" + name + "), and " + trans_name + " is '" + *trans +
                             "', but \"N\" was expected");
    if (!is_free && lines->bits != bits)
      throw invalid_argument(operand + "with " + std::to_string(lines->bits) + " bits, but " + std::to_string(bits) +
                             " were expected");
    bits = lines->bits;
    is_free = false;
  };
  take(prepared.a, "A", 'L', "transA", trans_a);
  take(prepared.b, "B", 'R', "transB", trans_b);
  return bits;
}

/// Launches a product, C along its rows: where it is not, the transposes are multiplied, but where an engine takes what
/// is prepared on its own side only.
/// An operand that is prepared has the bytes that the engine takes.
template <class T>
void require_made_for(const char* function, const tile::byte_engine& engine, const prepared_lines<T>* lines,
                      const char* name) {
  if (lines == nullptr) return;
  if (lines->planes.order == engine.planes && lines->is_unsigned == (lines->side == 'L' && engine.left_unsigned))
    return;
  throw invalid_argument(std::string(function) + ": " + name +
                         " was prepared on an execution space or a GPU whose products take other bytes than those of "
                         "this one");
}

template <class Exec, class T, class Functor>
void integer_product_of(const char* function, const Exec& exec, const tile::product<T, Functor>& given, int bits,
                        const integer_options& options, prepared_operands<T> prepared) {
  using backend = backends::backend_for_t<Exec>;
  bool stays = false;
  if (prepared.a != nullptr || prepared.b != nullptr) {
    const tile::byte_engine engine = backend::byte_engine(backend::machine(exec));
    require_made_for(function, engine, prepared.a, "A");
    require_made_for(function, engine, prepared.b, "B");
    stays = engine.left_unsigned;
  }
  const auto problem = stays ? given : tile::along_rows(given);
  if (problem.turned) std::swap(prepared.a, prepared.b);
  if (problem.c.rows == 0 || problem.c.cols == 0) return;
  if (tile::is_zero(problem.epilogue.alpha) || problem.terms() == 0) {
    if constexpr (std::is_same_v<Functor, tile::no_functor>)
      gemm<Exec, T>::launch(function, exec, problem);
    else
      product<shape::matrix>(function, exec, problem);
  } else {
    integer_product<backend, T, Functor>(function, exec, problem, bits, options, prepared).run();
  }
}

// Outside the class, and so not inline: only then does `extern template` keep it out of a user's translation unit, and
// the user's floating-point flags out of Abax' kernels.
template <class Exec, class T>
void gemm_integer<Exec, T>::run(const Exec& exec, const char* trans_a, const char* trans_b, T alpha,
                                const tile::matrix<const T>& A, const tile::matrix<const T>& B, T beta,
                                const tile::matrix<T>& c, const integer_options& options,
                                const prepared_operands<T>& prepared, sharing memory) {
  constexpr const char* function = "abax::gemm_integer";
  const auto problem = checked_product(function, trans_a, trans_b, alpha, A, B, beta, c, memory);
  const int bits = bits_with<T>(function, trans_a, trans_b, prepared, options);
  integer_product_of(function, exec, problem, bits, options, prepared);
}

/// The same with a functor at its end.
template <class Exec, class T, class Functor>
void gemm_integer_ending_in(const Exec& exec, const char* trans_a, const char* trans_b, T alpha,
                            const tile::matrix<const T>& A, const tile::matrix<const T>& B, T beta,
                            const tile::matrix<T>& c, const Functor& functor, const integer_options& options,
                            const prepared_operands<T>& prepared) {
  constexpr const char* function = "abax::gemm_integer";
  const auto problem = checked_product(function, trans_a, trans_b, alpha, A, B, beta, c, sharing::checked);
  check_functor(functor, {function, "C", "extent 0 of C", "extent 1 of C", footprint_of(c)});
  const int bits = bits_with<T>(function, trans_a, trans_b, prepared, options);
  integer_product_of(function, exec, tile::product<T, Functor>{problem, functor}, bits, options, prepared);
}

/// op(X)'s lines as rows, as the left or the right operand of a product.
template <class T>
tile::matrix<const T> lines_of_operand(const char* function, bool is_left, const char* trans,
                                       const tile::matrix<const T>& X) {
  const bool turned = (transposition(function, "trans", trans) == 'N') != is_left;
  return turned ? X.transposed() : X;
}

template <class Exec, class T>
prepared_lines<T> gemm_integer<Exec, T>::prepare(const Exec& exec, const char* side, const char* trans,
                                                 const tile::matrix<const T>& X, const integer_options& options,
                                                 const std::function<void*(std::size_t)>& take) {
  constexpr const char* function = "abax::integer_operand";
  using backend = backends::backend_for_t<Exec>;
  using bits_type = typename tile::ieee<T>::bits;
  const bool is_left = operand_side(function, "side", side) == 'L';
  const auto lines = lines_of_operand(function, is_left, trans, X);
  const int bits = bits_of<T>(function, options);
  require_memory(function, "X", footprint_of(X), true);
  const index_t rows = lines.rows, terms = lines.cols;
  const int count = moduli_of<T>(function, is_left ? "extent 1 of op(X)" : "extent 0 of op(X)", terms, bits);
  const auto machine = backend::machine(exec);
  const tile::byte_engine engine = backend::byte_engine(machine);
  tile::byte_planes<std::uint8_t> planes{nullptr, rows, tile::plane_stride(engine.planes, terms), count, engine.planes};
  if (double(count) * double(planes.room) * double(planes.stride) > 1e17)
    throw resource_error(std::string(function) + ": X is too large");
  const bool is_empty = rows == 0 || terms == 0;
  const std::size_t plane_bytes =
      is_empty ? 0 : integer_blocks::aligned(static_cast<std::size_t>(count * planes.room * planes.stride));
  auto* const memory =
      static_cast<std::uint8_t*>(take(plane_bytes + static_cast<std::size_t>(rows) * sizeof(bits_type)));
  planes.data = memory;
  auto* const largest = reinterpret_cast<bits_type*>(memory + plane_bytes);
  const bool is_unsigned = is_left && engine.left_unsigned;
  if (!is_empty) {
    tile::line_peaks<T> peaks{lines, nullptr};
    const auto workspace =
        make_workspace<backend>(function, exec, static_cast<std::size_t>(peaks.size()) * sizeof(bits_type), 0);
    peaks.peaks = static_cast<bits_type*>(workspace.sums());
    run_step<backend>(function, exec, machine, peaks);
    run_step<backend>(function, exec, machine, tile::line_residues<T>{peaks, bits, is_unsigned, 0, planes, largest});
  }
  return {{planes.data, rows, planes.stride, count, engine.planes}, largest, bits, is_left ? 'L' : 'R', is_unsigned};
}

template <class Exec, class T>
index_t gemm_integer<Exec, T>::lost(const Exec& exec, const char* side, const char* trans,
                                    const tile::matrix<const T>& X, const integer_options& options) {
  constexpr const char* function = "abax::gemm_integer_lost";
  using backend = backends::backend_for_t<Exec>;
  const bool is_left = operand_side(function, "side", side) == 'L';
  const auto lines = lines_of_operand(function, is_left, trans, X);
  const int bits = bits_of<T>(function, options);
  require_memory(function, "X", footprint_of(X), true);
  tile::line_peaks<T> peaks{lines, nullptr};
  if (peaks.lines.rows == 0 || peaks.lines.cols == 0) return 0;
  const std::size_t peak_bytes = integer_blocks::aligned(static_cast<std::size_t>(peaks.size()) * sizeof(*peaks.peaks));
  const auto workspace = make_workspace<backend>(
      function, exec, peak_bytes + static_cast<std::size_t>(peaks.teams()) * sizeof(std::uint64_t), 0);
  peaks.peaks = static_cast<typename tile::ieee<T>::bits*>(workspace.sums());
  const tile::line_losses<T> losses{
      peaks, bits, reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(workspace.sums()) + peak_bytes)};
  const auto machine = backend::machine(exec);
  run_step<backend>(function, exec, machine, peaks);
  run_step<backend>(function, exec, machine, losses);
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(peaks.teams()));
  copy_to_host<backend>(function, exec, losses.counts, counts);
  index_t all = 0;
  for (const std::uint64_t count : counts) all += static_cast<index_t>(count);
  return all;
}

// Host spaces of the library's own, and the steps that know of no functor.
#ifdef KOKKOS_ENABLE_OPENMP
extern template struct gemm_integer<openmp::instance, float>;
extern template struct gemm_integer<openmp::instance, double>;
extern template struct kernel_rows<openmp::backend, tile::line_peaks<float>>;
extern template struct kernel_rows<openmp::backend, tile::line_peaks<double>>;
extern template struct kernel_rows<openmp::backend, tile::line_residues<float>>;
extern template struct kernel_rows<openmp::backend, tile::line_residues<double>>;
extern template struct kernel_rows<openmp::backend, tile::line_weights>;
extern template struct kernel_rows<openmp::backend, tile::residue_check>;
extern template struct kernel_rows<openmp::backend, tile::residue_product>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct kernel_rows<cuda::backend, tile::line_peaks<float>>;
extern template struct kernel_rows<cuda::backend, tile::line_peaks<double>>;
extern template struct kernel_rows<cuda::backend, tile::line_residues<float>>;
extern template struct kernel_rows<cuda::backend, tile::line_residues<double>>;
extern template struct kernel_rows<cuda::backend, tile::line_weights>;
extern template struct kernel_rows<cuda::backend, tile::residue_check>;
extern template struct kernel_rows<cuda::backend, tile::residue_product>;
#endif

}  // namespace abax::launch

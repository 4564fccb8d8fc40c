// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm_integer: arguments checked, C cut into blocks, the steps of each launched one after another.
#include <Kokkos_Core.hpp>
#include <algorithm>
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
template <class Primitives, class T, int Count, class Functor>
struct residue_sum_team {
  typename Primitives::parameters parameters;
  tile::residue_sum<T, Count, Functor> problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::residue_sum<Primitives>(team, parameters, problem);
  }
};

/// Values that a launch has written, once it is over.
template <class Backend, class Value>
std::vector<Value> values_on_host(const char* function, const typename Backend::instance& exec, const Value* values,
                                  index_t count) {
  using space = typename Backend::execution_space;
  std::vector<Value> found(static_cast<std::size_t>(count));
  if constexpr (Kokkos::SpaceAccessibility<space, Kokkos::HostSpace>::accessible) {
    if constexpr (requires { exec.fence(function); }) exec.fence(function);
    std::copy_n(values, count, found.data());
  } else {
    Kokkos::deep_copy(exec, Kokkos::View<Value*, Kokkos::HostSpace>(found.data(), found.size()),
                      Kokkos::View<const Value*, typename space::memory_space>(values, found.size()));
    exec.fence(function);
  }
  return found;
}

/// Of the tile's first output; where the problem is turned, C is the transpose of the caller's.
[[noreturn]] inline void throw_fault(const char* function, int t, bool turned, index_t row, index_t col) {
  if (turned) std::swap(row, col);
  throw verification_error(std::string(function) + ": a product of integers is wrong: modulus " +
                           std::to_string(tile::moduli[static_cast<std::size_t>(t)]) + ", C's tile from row " +
                           std::to_string(row) + " and column " + std::to_string(col) + " on");
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
    constexpr tile::residue_tile_shape shape = P::shape;
    const tile::residue_tiles tiles = problem.tiles(shape);
    const auto launch = [&]<bool Checked>(std::bool_constant<Checked>, const tile::residue_product& given) {
      run_integer_row<Backend, Row>(function, exec, machine, P::teams(tiles.all(), machine.teams_at_once),
                                    residue_product_team<Checked, P>{Row::parameters(problem, machine), given});
    };
    if (!problem.checked) return launch(std::false_type(), problem);
    tile::residue_product checked = problem;
    const bool are_weighed = checked.weights_a.weighed != nullptr;
    if (!are_weighed) {
      checked.weights_a = {problem.a, Backend::integers_left_unsigned, true, shape.rows, nullptr};
      checked.weights_b = {problem.b, false, false, shape.cols, nullptr};
    }
    const index_t words_a = are_weighed ? 0 : checked.weights_a.size(),
                  words_b = are_weighed ? 0 : checked.weights_b.size();
    const auto workspace = make_workspace<Backend>(
        function, exec, static_cast<std::size_t>(words_a + words_b) * sizeof(std::uint64_t) + tiles.all(), 0);
    auto* const words = static_cast<std::int64_t*>(workspace.sums());
    checked.faults = reinterpret_cast<std::uint8_t*>(words + words_a + words_b);
    if (!are_weighed) {
      checked.weights_a.weighed = words;
      checked.weights_b.weighed = words + words_a;
      run_step<Backend>(function, exec, machine, checked.weights_a);
      run_step<Backend>(function, exec, machine, checked.weights_b);
    }
    launch(std::true_type(), checked);
    const auto faults = values_on_host<Backend>(function, exec, checked.faults, tiles.all());
    for (index_t n = 0; n < tiles.all(); ++n)
      if (faults[static_cast<std::size_t>(n)] != 0) {
        const auto [t, row, col] = tiles.place_of(n);
        throw_fault(function, t, problem.turned, problem.row + row, problem.col + col);
      }
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

/// One operand on its way: its lines as rows, and where what is made of a block of them goes.
template <class T>
struct integer_operand {
  using bits_type = typename tile::ieee<T>::bits;
  tile::matrix<const T> lines;
  bits_type *peaks, *largest;
  std::uint8_t* planes;

  /// The block of lines from `line` on.
  integer_operand from(index_t line, index_t count) const {
    return {lines.block(line, 0, count, lines.cols), peaks, largest, planes};
  }
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
  using operand = integer_operand<T>;

  integer_product(const char* function, const typename Backend::instance& exec,
                  const tile::product<T, Functor>& problem, int bits, const integer_options& options)
      : function_(function),
        exec_(exec),
        machine_(Backend::machine(exec)),
        problem_(problem),
        bits_(bits),
        verify_(options.verify),
        count_(tile::max(tile::fewest_moduli<T>, tile::moduli_for(problem.terms(), bits_))),
        blocks_(integer_blocks_for({problem.c.rows, problem.c.cols, problem.terms()}, count_, sizeof(T),
                                   preferred_bytes(exec), limit(exec, options), Backend::integer_planes(machine_),
                                   Backend::integer_residues_in_cache)) {
    if (count_ > tile::most_moduli_of<T>)
      throw invalid_argument(std::string(function) + ": extent 1 of op(A) is " + std::to_string(problem.terms()) +
                             ", but with " + std::to_string(bits_) + " bits it can be " +
                             std::to_string(tile::most_terms(tile::most_moduli_of<T>, bits_)) + " at most");
    if (const std::size_t most = limit(exec, options); blocks_.bytes() > most)
      throw resource_error(std::string(function) + ": a workspace of " + std::to_string(most) +
                           " bytes was allowed, but the smallest blocks need " + std::to_string(blocks_.bytes()));
  }

  void run() {
    const auto workspace =
        make_workspace<Backend, typename Backend::integer_workspace>(function_, exec_, blocks_.bytes(), 0);
    auto* at = static_cast<std::byte*>(workspace.sums());
    const auto take = [&]<class Value>(Value*, index_t count) {
      auto* const taken = reinterpret_cast<Value*>(at);
      at += integer_blocks::aligned(static_cast<std::size_t>(count) * sizeof(Value));
      return taken;
    };
    using bits_type = typename tile::ieee<T>::bits;
    const auto operand_of = [&](const tile::matrix<const T>& lines, index_t block) {
      operand o{lines, nullptr, nullptr, nullptr};
      o.peaks = take(static_cast<bits_type*>(nullptr), block * blocks_.pieces());
      o.largest = take(static_cast<bits_type*>(nullptr), block);
      o.planes = take(static_cast<std::uint8_t*>(nullptr), count_ * blocks_.line_bytes(block));
      return o;
    };
    const operand a = operand_of(problem_.a, blocks_.rows), b = operand_of(problem_.b.transposed(), blocks_.cols);
    auto* const c =
        take(static_cast<std::uint8_t*>(nullptr), count_ * tile::remainder_stride(blocks_.rows) * blocks_.cols);
    const bool all_terms = blocks_.terms >= problem_.terms();
    for (index_t j = 0; j < b.lines.rows; j += blocks_.cols)
      for (index_t i = 0; i < a.lines.rows; i += blocks_.rows) {
        const operand some_a = a.from(i, blocks_.rows), some_b = b.from(j, blocks_.cols);
        for (index_t p = 0; p < problem_.terms(); p += blocks_.terms) {
          make_residues(some_a, p, Backend::integers_left_unsigned);
          if (i == 0 || !all_terms) make_residues(some_b, p, false);
          const index_t terms = tile::min(blocks_.terms, problem_.terms() - p);
          for (index_t q = 0; q < terms; q += tile::exact_terms)
            step(tile::residue_product{planes_of(some_a, p), planes_of(some_b, p), q,
                                       tile::min(tile::exact_terms, terms - q), c, p + q > 0, verify_, problem_.turned,
                                       i, j});
        }
        with_count<T>(count_, [&]<int Count>(std::integral_constant<int, Count>) {
          step(tile::residue_sum<T, Count, Functor>{problem_, i, j, some_a.lines.rows, some_b.lines.rows, c,
                                                    some_a.largest, some_b.largest, bits_});
        });
      }
  }

 private:
  static std::size_t preferred_bytes(const typename Backend::instance& exec) {
    if constexpr (requires { Backend::integer_workspace::preferred(exec); })
      return Backend::integer_workspace::preferred(exec);
    else
      return std::size_t(1) << 30;
  }
  static std::size_t limit(const typename Backend::instance& exec, const integer_options& options) {
    constexpr std::size_t least = std::size_t(2) << 30;
    return options.workspace != 0 ? options.workspace : std::max(least, preferred_bytes(exec));
  }
  template <class Problem>
  void step(const Problem& problem) const {
    run_step<Backend>(function_, exec_, machine_, problem);
  }
  /// For the terms from p on.
  template <class Byte>
  tile::byte_planes<Byte> planes_of(Byte* planes, const operand& o, index_t p) const {
    const index_t terms = tile::min(blocks_.terms, problem_.terms() - p);
    return {planes, o.lines.rows, tile::plane_stride(blocks_.order, terms), count_, blocks_.order};
  }
  tile::byte_planes<const std::uint8_t> planes_of(const operand& o, index_t p) const {
    return planes_of<const std::uint8_t>(o.planes, o, p);
  }
  /// Of the terms from p on; before the first of them, what a line's largest element is.
  void make_residues(const operand& o, index_t p, bool are_unsigned) const {
    const tile::line_peaks<T> peaks{o.lines, o.peaks};
    if (p == 0) step(peaks);
    step(tile::line_residues<T>{peaks, bits_, are_unsigned, p, planes_of<std::uint8_t>(o.planes, o, p), o.largest});
  }

  const char* function_;
  typename Backend::instance exec_;  // a space's may be one that is made of it for the call of the constructor
  typename Backend::machine_type machine_;
  const tile::product<T, Functor>& problem_;
  int bits_;
  bool verify_;
  int count_;
  integer_blocks blocks_;
};

// Outside the class, and so not inline: only then does `extern template` keep it out of a user's translation unit, and
// the user's floating-point flags out of Abax' kernels.
template <class Exec, class T>
void gemm_integer<Exec, T>::run(const Exec& exec, const char* trans_a, const char* trans_b, T alpha,
                                const tile::matrix<const T>& A, const tile::matrix<const T>& B, T beta,
                                const tile::matrix<T>& c, const integer_options& options, sharing memory) {
  constexpr const char* function = "abax::gemm_integer";
  const auto problem = tile::along_rows(checked_product(function, trans_a, trans_b, alpha, A, B, beta, c, memory));
  const int bits = bits_of<T>(function, options);
  if (c.rows == 0 || c.cols == 0) return;
  if (tile::is_zero(alpha) || problem.terms() == 0) return gemm<Exec, T>::launch(function, exec, problem);
  integer_product<backends::backend_for_t<Exec>, T, tile::no_functor>(function, exec, problem, bits, options).run();
}

/// The same with a functor at its end.
template <class Exec, class T, class Functor>
void gemm_integer_ending_in(const Exec& exec, const char* trans_a, const char* trans_b, T alpha,
                            const tile::matrix<const T>& A, const tile::matrix<const T>& B, T beta,
                            const tile::matrix<T>& c, const Functor& functor, const integer_options& options) {
  constexpr const char* function = "abax::gemm_integer";
  const auto product_alone = checked_product(function, trans_a, trans_b, alpha, A, B, beta, c, sharing::checked);
  check_functor(functor, {function, "C", "extent 0 of C", "extent 1 of C", footprint_of(c)});
  const auto problem = tile::along_rows(tile::product<T, Functor>{product_alone, functor});
  const int bits = bits_of<T>(function, options);
  if (c.rows == 0 || c.cols == 0) return;
  if (tile::is_zero(alpha) || problem.terms() == 0)
    product<shape::matrix>(function, exec, problem);
  else
    integer_product<backends::backend_for_t<Exec>, T, Functor>(function, exec, problem, bits, options).run();
}

template <class Exec, class T>
index_t gemm_integer<Exec, T>::lost(const Exec& exec, const char* side, const char* trans,
                                    const tile::matrix<const T>& X, const integer_options& options) {
  constexpr const char* function = "abax::gemm_integer_lost";
  using backend = backends::backend_for_t<Exec>;
  const bool left = operand_side(function, "side", side) == 'L';
  const bool turned = (transposition(function, "trans", trans) == 'N') != left;  // lines become rows
  const int bits = bits_of<T>(function, options);
  require_memory(function, "X", footprint_of(X), true);
  tile::line_peaks<T> peaks{turned ? X.transposed() : X, nullptr};
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
  index_t all = 0;
  for (const std::uint64_t count : values_on_host<backend>(function, exec, losses.counts, peaks.teams()))
    all += static_cast<index_t>(count);
  return all;
}

// The steps that know of no functor.
#ifdef KOKKOS_ENABLE_OPENMP
extern template struct kernel_rows<openmp::backend, tile::line_peaks<float>>;
extern template struct kernel_rows<openmp::backend, tile::line_peaks<double>>;
extern template struct kernel_rows<openmp::backend, tile::line_residues<float>>;
extern template struct kernel_rows<openmp::backend, tile::line_residues<double>>;
extern template struct kernel_rows<openmp::backend, tile::line_weights>;
extern template struct kernel_rows<openmp::backend, tile::residue_product>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct kernel_rows<cuda::backend, tile::line_peaks<float>>;
extern template struct kernel_rows<cuda::backend, tile::line_peaks<double>>;
extern template struct kernel_rows<cuda::backend, tile::line_residues<float>>;
extern template struct kernel_rows<cuda::backend, tile::line_residues<double>>;
extern template struct kernel_rows<cuda::backend, tile::line_weights>;
extern template struct kernel_rows<cuda::backend, tile::residue_product>;
#endif

}  // namespace abax::launch

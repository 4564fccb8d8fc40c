// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A real product by way of integers: C cut into blocks, the steps of each launched one after another.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "abax/detail/launch/gemm_integer.hpp"
#include "abax/detail/launch/integer_blocks.hpp"
#include "abax/detail/launch/integer_steps.hpp"
#include "abax/detail/launch/workspace.hpp"

namespace abax::launch {

/// Where a product lies in the caller's C: its first element's row and column, and columns of it for each of C's.
struct place_in_c {
  index_t row = 0, col = 0, cols_of_one = 1;
};

/// A product of residues whose sums are compared with those of its lines' weights, which were made before; throws where
/// one is wrong. What the check needs is sums and a byte for each of the tiles of the machine's engine, `found` on the
/// host. `row` and `col` are where the product begins in the whole one, which lies at `whole`, its transpose if
/// `turned`.
template <class Backend>
void run_checked(const char* function, const typename Backend::instance& exec,
                 const typename Backend::machine_type& machine, tile::residue_product problem,
                 const tile::line_weights& a, const tile::line_weights& b, std::uint64_t* sums, std::uint8_t* faults,
                 std::vector<std::uint8_t>& found, index_t row, index_t col, bool turned,
                 const place_in_c& whole = {}) {
  const tile::residue_tile_shape shape = Backend::byte_engine(machine).tile;
  const tile::residue_tiles tiles = problem.tiles(shape);
  problem.sums = sums;
  run_step<Backend>(function, exec, machine, problem);
  const tile::residue_check check{tiles, a, b, problem.first, problem.terms, sums, faults};
  run_step<Backend>(function, exec, machine, check);
  found.resize(static_cast<std::size_t>(check.all()));
  copy_to_host<Backend>(function, exec, faults, found);
  for (int t = 0; t < tiles.count; ++t)
    for (index_t i = 0; i < a.tiles(); ++i)
      for (index_t j = 0; j < b.tiles(); ++j) {
        if (found[static_cast<std::size_t>(check.number_of(t, i, j))] == 0) continue;
        index_t first_row = row + i * shape.rows, first_col = col + j * shape.cols;
        if (turned) std::swap(first_row, first_col);
        first_row += whole.row;
        first_col = whole.col + first_col / whole.cols_of_one;
        throw verification_error(std::string(function) + ": a product of integers is wrong: modulus " +
                                 std::to_string(tile::moduli[static_cast<std::size_t>(t)]) + ", C's tile from row " +
                                 std::to_string(first_row) + " and column " + std::to_string(first_col) + " on");
      }
}

/// Moduli for sums of so many terms, which `extent` names: of complex numbers, each of them two real ones.
template <class T>
int moduli_of(const char* function, const char* extent, index_t terms, int bits) {
  using real = tile::real_of<T>;
  constexpr index_t parts = tile::is_complex<T> ? 2 : 1;
  const int count = tile::max(tile::fewest_moduli<real>, tile::moduli_for(parts * terms, bits));
  if (count > tile::most_moduli_of<real>)
    throw invalid_argument(std::string(function) + ": " + extent + " is " + std::to_string(terms) + ", but with " +
                           std::to_string(bits) + " bits it can be " +
                           std::to_string(tile::most_terms(tile::most_moduli_of<real>, bits) / parts) + " at most");
  return count;
}

/// What a call without a limit of its own begins to do with where there is less memory.
inline constexpr std::size_t least_integer_memory = std::size_t(64) << 20;
/// What a product should do with where that costs it little.
template <class Backend>
std::size_t preferred_integer_memory(const typename Backend::instance& exec) {
  if constexpr (requires { Backend::integer_workspace::preferred(exec); })
    return Backend::integer_workspace::preferred(exec);
  else
    return std::size_t(1) << 30;
}
/// The most that it takes beside its operands.
template <class Backend>
std::size_t integer_memory_limit(const typename Backend::instance& exec, const integer_options& options) {
  constexpr std::size_t usual = std::size_t(2) << 30;
  return options.workspace != 0 ? options.workspace : std::max(usual, preferred_integer_memory<Backend>(exec));
}

/// Memory of bytes(). Where there is less, and the call `may_shrink`: of what is left of it when shrink(limit) has made
/// it less, as long as it says that it has.
template <class Backend, class Bytes, class Shrink>
typename Backend::integer_workspace take_integer_workspace(const char* function, const typename Backend::instance& exec,
                                                           bool may_shrink, const Bytes& bytes, const Shrink& shrink) {
  while (true) {
    const std::size_t wanted = bytes();
    try {
      return make_workspace<Backend, typename Backend::integer_workspace>(function, exec, wanted, 0);
    } catch (const resource_error&) {
      if (!may_shrink || wanted <= least_integer_memory) throw;
      if (!shrink(std::max(least_integer_memory, wanted / 2))) throw;
    }
  }
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

/// C <- epilogue(A B), real. `taken`: bytes of the call's workspace that it has left to others.
template <class Backend, class T, class Functor>
class integer_product {
 public:
  using operand = operand_lines<T>;

  integer_product(const char* function, const typename Backend::instance& exec,
                  const tile::product<T, Functor>& problem, int bits, const integer_options& options,
                  const prepared_operands<T>& prepared = {}, const place_in_c& whole = {}, std::size_t taken = 0)
      : function_(function),
        exec_(exec),
        machine_(Backend::machine(exec)),
        engine_(Backend::byte_engine(machine_)),
        problem_(problem),
        prepared_(prepared),
        whole_(whole),
        bits_(bits),
        verify_(options.verify),
        count_(moduli_of<T>(function, "extent 1 of op(A)", problem.terms(), bits)),
        may_shrink_(options.workspace == 0) {
    const std::size_t all = integer_memory_limit<Backend>(exec, options), rest = all - std::min(all, taken);
    const std::size_t limit = may_shrink_ ? std::max(rest, least_integer_memory) : rest;
    blocks_ = blocks_within(limit);
    if (blocks_.bytes() > limit)
      throw resource_error(std::string(function) + ": a workspace of " + std::to_string(all) +
                           " bytes was allowed, but the smallest blocks need " +
                           std::to_string(taken + blocks_.bytes()));
  }

  void run() {
    const auto workspace = take_integer_workspace<Backend>(
        function_, exec_, may_shrink_, [&] { return blocks_.bytes(); },
        [&](std::size_t limit) {
          const integer_blocks smaller = blocks_within(limit);
          if (smaller.bytes() > limit) return false;
          blocks_ = smaller;
          return true;
        });
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
                                   weights_of(some_b, p, !is_left), sums, faults, found, i, j, problem_.turned, whole_);
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
  /// Within the limit, if there are such.
  integer_blocks blocks_within(std::size_t limit) const {
    const made_for_product made{prepared_.a == nullptr, prepared_.b == nullptr, verify_, engine_.tile};
    return integer_blocks_for({problem_.c.rows, problem_.c.cols, problem_.terms()}, count_, sizeof(T), engine_,
                              preferred_integer_memory<Backend>(exec_), limit, made);
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
  place_in_c whole_;
  int bits_;
  bool verify_;
  int count_;
  bool may_shrink_;
  integer_blocks blocks_ = {};
};

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
/// Whether a product has operands that are prepared, and therefore may not be turned: the engine takes other bytes on
/// its left.
template <class Backend, class T>
bool has_own_sides(const char* function, const typename Backend::instance& exec, const prepared_operands<T>& prepared) {
  if (prepared.a == nullptr && prepared.b == nullptr) return false;
  const tile::byte_engine engine = Backend::byte_engine(Backend::machine(exec));
  require_made_for(function, engine, prepared.a, "A");
  require_made_for(function, engine, prepared.b, "B");
  return engine.left_unsigned;
}

/// Launches a real product that has terms, C along its rows: where it is not, the transposes are multiplied, but where
/// an engine takes what is prepared on its own side only.
template <class Backend, class T, class Functor>
void launch_integer_product(const char* function, const typename Backend::instance& exec,
                            const tile::product<T, Functor>& given, int bits, const integer_options& options,
                            prepared_operands<T> prepared, const place_in_c& whole = {}, std::size_t taken = 0) {
  const auto problem = has_own_sides<Backend>(function, exec, prepared) ? given : tile::along_rows(given);
  if (problem.turned) std::swap(prepared.a, prepared.b);
  integer_product<Backend, T, Functor>(function, exec, problem, bits, options, prepared, whole, taken).run();
}

}  // namespace abax::launch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A complex product by way of integers: real lines of its operands, a real product of them, and C from its sums.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "abax/detail/launch/integer_product.hpp"

namespace abax::launch {

/// Some lines of what is prepared of a complex operand, as what is prepared of its real lines. Where lines come in
/// blocks, `first` real lines are whole ones.
template <class Real>
prepared_lines<Real> real_lines_of(const prepared_lines<tile::complex<Real>>& made, index_t first, index_t lines) {
  const index_t each = made.side == 'L' ? 1 : 2;
  return {made.planes.block(each * first, each * lines, 0), made.largest + each * first, made.bits, made.side,
          made.is_unsigned};
}

/// C <- epilogue(A B), complex.
template <class Backend, class T, class Functor>
class complex_integer_product {
  using real = tile::real_of<T>;

 public:
  complex_integer_product(const char* function, const typename Backend::instance& exec,
                          const tile::product<T, Functor>& problem, int bits, const integer_options& options,
                          const prepared_operands<T>& prepared)
      : function_(function),
        exec_(exec),
        problem_(problem),
        bits_(bits),
        options_(options),
        prepared_(prepared),
        rows_(problem.c.rows),
        cols_(problem.c.cols) {
    moduli_of<T>(function, "extent 1 of op(A)", problem.terms(), bits);
    shrink_to(integer_memory_limit<Backend>(exec, options) / 2);  // the real product takes the rest
    if (options.workspace != 0 && bytes() >= options.workspace)
      throw resource_error(std::string(function) + ": a workspace of " + std::to_string(options.workspace) +
                           " bytes was allowed, but the smallest blocks' real and imaginary parts alone need " +
                           std::to_string(bytes()));
  }

  void run() {
    const auto workspace = take_integer_workspace<Backend>(
        function_, exec_, options_.workspace == 0, [&] { return bytes(); },
        [&](std::size_t limit) {
          const std::size_t before = bytes();
          shrink_to(limit);
          return bytes() != before;
        });
    auto* const left = static_cast<real*>(workspace.sums());
    auto* const right = left + padded(left_size());
    auto* const sums = right + padded(right_size());
    const auto machine = Backend::machine(exec_);
    const auto step = [&](const auto& work) { run_step<Backend>(function_, exec_, machine, work); };
    for (index_t j = 0; j < problem_.c.cols; j += cols_) {
      const index_t cols = tile::min(cols_, problem_.c.cols - j);
      const tile::real_lines<real> of_b{problem_.b.block(0, j, problem_.terms(), cols).transposed(),
                                        problem_.conjugated_b, false, right};
      step(of_b);
      for (index_t i = 0; i < problem_.c.rows; i += rows_) {
        const index_t rows = tile::min(rows_, problem_.c.rows - i);
        const tile::real_lines<real> of_a{problem_.a.block(i, 0, rows, problem_.terms()), problem_.conjugated_a, true,
                                          left};
        if (j == 0 || rows_ < problem_.c.rows) step(of_a);
        const tile::sums_of_parts<T, Functor> of_c{problem_, i, j, rows, cols, sums};
        multiply(of_a, of_b, of_c);
        step(of_c);
      }
    }
  }

 private:
  static constexpr index_t least_rows = 256, least_cols = 128;  // two real lines a column, in whole blocks of 256

  static index_t padded(index_t numbers) { return tile::ceil_div<index_t>(numbers, 32) * 32; }
  index_t left_size() const { return tile::real_lines<real>::size(rows_, problem_.terms(), true); }
  index_t right_size() const { return tile::real_lines<real>::size(cols_, problem_.terms(), false); }
  /// The largest number where it is too much for any machine.
  std::size_t bytes() const {
    const double about =
        double(sizeof(real)) *
        ((2.0 * double(rows_) + 4.0 * double(cols_)) * double(problem_.terms()) + 2.0 * double(rows_) * double(cols_));
    if (about > 1e17) return std::numeric_limits<std::size_t>::max();
    return sizeof(real) * static_cast<std::size_t>(padded(left_size()) + padded(right_size()) + 2 * rows_ * cols_);
  }
  /// Blocks of C that take no more, if there are such.
  void shrink_to(std::size_t limit) {
    const auto halved = [](index_t n, index_t least) { return std::min(n, std::max(least, n / 2 / least * least)); };
    while (bytes() > limit && (rows_ > least_rows || cols_ > least_cols)) {
      const bool by_cols = cols_ > least_cols && (rows_ <= least_rows || 2 * cols_ >= rows_);
      by_cols ? cols_ = halved(cols_, least_cols) : rows_ = halved(rows_, least_rows);
    }
  }
  /// The real sums of a block.
  void multiply(const tile::real_lines<real>& a, const tile::real_lines<real>& b,
                const tile::sums_of_parts<T, Functor>& c) const {
    const tile::product<real> sums{a.result(), b.result().transposed(), c.parts(), {real(1), real(0)}};
    std::optional<prepared_lines<real>> left, right;
    if (prepared_.a != nullptr) left = real_lines_of(*prepared_.a, c.row, c.rows);
    if (prepared_.b != nullptr) right = real_lines_of(*prepared_.b, c.col, c.cols);
    const prepared_operands<real> prepared{left ? &*left : nullptr, right ? &*right : nullptr};
    launch_integer_product<Backend>(function_, exec_, sums, bits_, options_, prepared, {c.row, c.col, 2}, bytes());
  }

  const char* function_;
  typename Backend::instance exec_;
  const tile::product<T, Functor>& problem_;
  int bits_;
  integer_options options_;
  prepared_operands<T> prepared_;
  index_t rows_, cols_;  ///< of a block of C
};

}  // namespace abax::launch

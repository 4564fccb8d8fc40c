// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend's catalogue of gemm: which rows there are for operands that lie so, and how a problem's operands
/// do.
#include <type_traits>

#include "abax/detail/backends/cuda/dgemm_rows.hpp"
#include "abax/detail/backends/cuda/sgemm_rows.hpp"

namespace abax::cuda {

template <class T>
class matrix_rows {
  static constexpr auto outer = along::outer, terms = along::terms;
  static constexpr int wide = 16 / sizeof(T);
  template <along A, along B, int Width>
  using rows = std::conditional_t<std::is_same_v<T, float>, sgemm_rows<A, B, Width>, dgemm_rows<A, B, Width>>;

 public:
  using groups = backends::groups<rows<outer, outer, wide>, rows<outer, terms, wide>, rows<terms, outer, wide>,
                                  rows<terms, terms, wide>, rows<outer, outer, 1>, rows<outer, terms, 1>,
                                  rows<terms, outer, 1>, rows<terms, terms, 1>>;
  /// One operand that does not come by chunks takes both to element-wise copies.
  static int group_of(const tile::product<T>& problem, const machine& m) {
    const tile::matrix<const T> b = problem.b.transposed();
    const bool chunks = by_chunks(problem.a, problem.a_padded, m) && by_chunks(b, problem.b_padded, m);
    return (chunks ? 0 : 4) + (direction_of(problem.a) == terms ? 2 : 0) + (direction_of(b) == terms ? 1 : 0);
  }
  static int preferred(const tile::product<T>&, const machine&) { return backends::by_cost; }
  using immediate = backends::rows<>;

  /// Operands that do not lie on 16 bytes are copied element by element, stage by stage, which costs up to a quarter of
  /// the speed of large tiles in float, less than a tenth in double, and up to half of that of small ones.
  static backends::copies gain_by_copies(const tile::product<T>& problem, const machine& on) {
    return {gains_by_copy(problem.a, on), gains_by_copy(problem.b.transposed(), on)};
  }

 private:
  /// What is copied 16 bytes at a time: one contiguous index, chunks on 16 bytes, strides that 32 bits can count.
  /// `padded`: a chunk may reach beyond the end of a line; if not, the tensor cores' primitives, which never copy a
  /// part of one, need lines of whole chunks.
  static bool by_chunks(const tile::matrix<const T>& m, bool padded, const machine& on) {
    const auto near = [](index_t stride) { return -near_stride < stride && stride < near_stride; };
    const bool by_outer = direction_of(m) == along::outer;
    if (on.tensor_cores && std::is_same_v<T, double> && !padded && (by_outer ? m.rows : m.cols) % 2 != 0) return false;
    return by_outer ? near(m.col_stride) && wide_access(m.data, m.row_stride, m.col_stride)
                    : near(m.row_stride) && wide_access(m.data, m.col_stride, m.row_stride);
  }
  /// What would be such an operand if its lines, which a copy puts side by side, began on multiples of 128 bytes.
  static bool gains_by_copy(const tile::matrix<const T>& m, const machine& on) {
    return !by_chunks(m, false, on) && (direction_of(m) == along::outer ? m.rows : m.cols) < near_stride - 128;
  }
};

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Argument checks, on in every build: constant time, before anything is launched, each message complete.
#include <cstdint>

#include "abax/detail/tile/matrix.hpp"
#include "abax/error.hpp"

namespace abax::launch {

/// Where elements of an operand lie, without their type's value: enough to ask whether two operands share memory.
struct footprint {
  const void* data;
  index_t rows, cols, row_stride, col_stride;  // bytes
  index_t element;                             // bytes of one element
};
template <class T>
[[gnu::always_inline]] inline footprint footprint_of(const tile::matrix<T>& m) {
  constexpr index_t size = sizeof(T);
  return {m.data, m.rows, m.cols, m.row_stride * size, m.col_stride * size, size};
}
template <class T>
[[gnu::always_inline]] inline footprint footprint_of(const tile::vector<T>& v) {
  constexpr index_t size = sizeof(T);
  return {v.data, v.size, 1, v.stride * size, 0, size};
}

/// A copy for a function that is not in line, which takes its argument by its address: made where such a function is
/// called, while the footprint itself would have to lie in memory in every call.
[[gnu::always_inline]] inline footprint copy_of(const footprint& f) {
  return {f.data, f.rows, f.cols, f.row_stride, f.col_stride, f.element};
}

/// True if the ranges of addresses that the operands span meet; of operands without elements it means nothing, and
/// overlap() asks. In line: for most calls it is the whole check.
[[gnu::always_inline]] inline bool ranges_meet(const footprint& a, const footprint& b) {
  const auto begin = [](const footprint& f) {
    return reinterpret_cast<std::intptr_t>(f.data) + tile::min<index_t>((f.rows - 1) * f.row_stride, 0) +
           tile::min<index_t>((f.cols - 1) * f.col_stride, 0);
  };
  const auto end = [](const footprint& f) {
    return reinterpret_cast<std::intptr_t>(f.data) + tile::max<index_t>((f.rows - 1) * f.row_stride, 0) +
           tile::max<index_t>((f.cols - 1) * f.col_stride, 0) + f.element;
  };
  return begin(a) < end(b) && begin(b) < end(a);
}

/// True if the operands may share an element. Exact for blocks of one matrix, also where one is a row, a column or
/// transposed; otherwise it errs towards true where their address ranges meet.
bool overlap(const footprint& a, const footprint& b);

/// True if the operands are the same elements, each under the same indices.
[[gnu::always_inline]] inline bool same_elements(const footprint& a, const footprint& b) {
  const auto along = [](index_t extent, index_t stride, index_t other) { return extent <= 1 || stride == other; };
  return a.data == b.data && a.rows == b.rows && a.cols == b.cols && along(a.rows, a.row_stride, b.row_stride) &&
         along(a.cols, a.col_stride, b.col_stride);
}

/// True if two indices of the operand name the same element, so that writing it would be a race.
bool overlaps_itself(const footprint& f);

[[noreturn]] void fail_transposition(const char* function, const char* argument, const char* trans,
                                     const char* expected);
[[noreturn]] void fail_triangle(const char* function, const char* argument, const char* uplo);
[[noreturn]] void fail_side(const char* function, const char* argument, const char* side);
[[noreturn]] void fail_equal(const char* function, const char* left, index_t left_extent, const char* right,
                             index_t right_extent);
[[noreturn]] void fail_same_extents(const char* function, const char* left, const footprint& a, const char* right,
                                    const footprint& b);
[[noreturn]] void fail_null(const char* function, const char* operand, const footprint& f);
[[noreturn]] void fail_injective(const char* function, const char* output, const footprint& out);
[[noreturn]] void fail_alias(const char* function, const char* output, const footprint& out, const char* input,
                             const footprint& in);

// In line, because a small product waits for every call: what is right passes, what is not leaves.

/// 'N', 'T' or 'C' for the first character of `trans` in either case; throws for any other, and for one that is
/// `refused`, naming `argument` and what is expected.
[[gnu::always_inline]] inline char transposition(const char* function, const char* argument, const char* trans,
                                                 char refused = '\0', const char* expected = "\"N\", \"T\" or \"C\"") {
  const char c = trans == nullptr ? '\0' : static_cast<char>(trans[0] & ~('a' - 'A'));
  if ((c != 'N' && c != 'T' && c != 'C') || c == refused) fail_transposition(function, argument, trans, expected);
  return c;
}

/// 'L' or 'U' for the first character of `uplo` in either case; throws for any other, naming `argument`.
inline char triangle(const char* function, const char* argument, const char* uplo) {
  const char c = uplo == nullptr ? '\0' : static_cast<char>(uplo[0] & ~('a' - 'A'));
  if (c != 'L' && c != 'U') fail_triangle(function, argument, uplo);
  return c;
}

/// 'L' or 'R' for the first character of `side` in either case; throws for any other, naming `argument`.
inline char operand_side(const char* function, const char* argument, const char* side) {
  const char c = side == nullptr ? '\0' : static_cast<char>(side[0] & ~('a' - 'A'));
  if (c != 'L' && c != 'R') fail_side(function, argument, side);
  return c;
}

/// Throws unless the extents are equal: "abax::gemm: extent 1 of op(A) is 3, but extent 0 of op(B) is 4".
[[gnu::always_inline]] inline void require_equal(const char* function, const char* left, index_t left_extent,
                                                 const char* right, index_t right_extent) {
  if (left_extent != right_extent) fail_equal(function, left, left_extent, right, right_extent);
}

/// Throws unless two operands have the same extents, one for vectors.
[[gnu::always_inline]] inline void require_same_extents(const char* function, const char* left, const footprint& a,
                                                        const char* right, const footprint& b) {
  if (a.rows != b.rows || a.cols != b.cols) fail_same_extents(function, left, copy_of(a), right, copy_of(b));
}

/// Throws if the operand has elements, `touched` ones, but no memory.
[[gnu::always_inline]] inline void require_memory(const char* function, const char* operand, const footprint& f,
                                                  bool touched) {
  if (f.data == nullptr && touched && f.rows != 0 && f.cols != 0) fail_null(function, operand, copy_of(f));
}

/// Whether memory that operands share, or do not have, is looked for, or the caller guarantees that an output shares
/// none and names no element twice, and that no operand is null.
enum class sharing { checked, trusted };

/// Throws if the output names an element twice.
[[gnu::always_inline]] inline void require_injective(const char* function, const char* output, const footprint& out) {
  const bool lines_follow =
      out.row_stride >= out.element && (out.cols == 1 || out.rows * out.row_stride <= out.col_stride);
  if (!lines_follow && overlaps_itself(copy_of(out))) fail_injective(function, output, copy_of(out));
}

/// Throws if the output may share an element with the input.
[[gnu::always_inline]] inline void require_disjoint(const char* function, const char* output, const footprint& out,
                                                    const char* input, const footprint& in) {
  if (ranges_meet(out, in) && overlap(copy_of(out), copy_of(in)))
    fail_alias(function, output, copy_of(out), input, copy_of(in));
}

/// The same for elementwise kernels, which may also work in place: output and input exactly the same elements.
[[gnu::always_inline]] inline void require_same_or_disjoint(const char* function, const char* output,
                                                            const footprint& out, const char* input,
                                                            const footprint& in) {
  if (!same_elements(out, in) && ranges_meet(out, in) && overlap(copy_of(out), copy_of(in)))
    fail_alias(function, output, copy_of(out), input, copy_of(in));
}

/// Throws unless output and input are exactly the same elements.
void require_same(const char* function, const char* output, const footprint& out, const char* input,
                  const footprint& in);

/// Throws unless a team can have that much scratch.
void require_scratch(const char* function, const char* plan, std::size_t needed, std::size_t available);

/// `teams` as the int that Kokkos counts a league in; throws where it does not fit.
int league(const char* function, index_t teams);

}  // namespace abax::launch

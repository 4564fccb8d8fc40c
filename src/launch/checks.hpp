// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Argument checks, on in every build: constant time, before anything is launched, each message complete.
#include <string>

#include "abax/error.hpp"
#include "tile/matrix.hpp"

namespace abax::launch {

/// Where elements of an operand lie, without their type's value: enough to ask whether two operands share memory.
struct footprint {
  const void* data;
  index_t rows, cols, row_stride, col_stride;  // bytes
  index_t element;                             // bytes of one element
};
template <class T>
footprint footprint_of(const tile::matrix<T>& m) {
  constexpr index_t size = sizeof(T);
  return {m.data, m.rows, m.cols, m.row_stride * size, m.col_stride * size, size};
}
template <class T>
footprint footprint_of(const tile::vector<T>& v) {
  constexpr index_t size = sizeof(T);
  return {v.data, v.size, 1, v.stride * size, 0, size};
}

/// True if the operands may share an element. Exact for blocks of one matrix, also where one is a row, a column or
/// transposed; otherwise it errs towards true where their address ranges meet.
bool overlap(const footprint& a, const footprint& b);

/// True if two indices of the operand name the same element, so that writing it would be a race.
bool overlaps_itself(const footprint& f);

/// 'N', 'T' or 'C' for the first character of `trans` in either case; throws for any other, naming `argument`.
char transposition(const char* function, const char* argument, const char* trans);

/// Throws unless the extents are equal: "abax::gemm: extent 1 of op(A) is 3, but extent 0 of op(B) is 4".
void require_equal(const char* function, const char* left, index_t left_extent, const char* right,
                   index_t right_extent);

/// Whether memory that operands share is looked for, or the caller vouches that an output shares none.
enum class sharing { checked, trusted };

/// Throws if the output names an element twice.
void require_injective(const char* function, const char* output, const footprint& out);

/// Throws if the output may share an element with the input.
void require_disjoint(const char* function, const char* output, const footprint& out, const char* input,
                      const footprint& in);

/// The same for elementwise kernels, which may also work in place: output and input exactly the same elements.
void require_same_or_disjoint(const char* function, const char* output, const footprint& out, const char* input,
                              const footprint& in);

/// Throws unless a team can have that much scratch.
void require_scratch(const char* function, const char* plan, std::size_t needed, std::size_t available);

/// `teams` as the int that Kokkos counts a league in; throws where it does not fit.
int league(const char* function, index_t teams);

}  // namespace abax::launch

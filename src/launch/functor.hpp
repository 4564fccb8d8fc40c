// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a functor at the end of a product may say of itself, so that it is checked before anything is launched.
#include <string>

#include "abax/detail/launch/checks.hpp"

namespace abax::launch {

/// The output that a functor follows: a matrix, or a vector, which has one column.
struct ended_output {
  const char *function, *name, *rows_name, *columns_name;
  footprint elements;

  /// Throws unless the vector has an element for each row, or column, memory, and none of the output's.
  template <class T>
  void require_rows(const char* operand, const tile::vector<T>& vector) const {
    require(operand, footprint_of(vector), rows_name, elements.rows);
  }
  template <class T>
  void require_columns(const char* operand, const tile::vector<T>& vector) const {
    require(operand, footprint_of(vector), columns_name, elements.cols);
  }

 private:
  void require(const char* operand, const footprint& vector, const char* extent_name, index_t extent) const {
    if (vector.rows != extent)
      fail_equal(function, (std::string("the extent of the ") + operand).c_str(), vector.rows, extent_name, extent);
    require_memory(function, operand, vector, true);
    require_disjoint(function, name, elements, operand, vector);
  }
};

/// Throws unless what the functor says it needs is there.
template <class Functor>
void check_functor(const Functor& functor, const ended_output& output) {
  if constexpr (requires { functor.check(output); }) functor.check(output);
}

/// Whether `Exec` can access what the functor says it holds.
template <class Exec, class Functor>
inline constexpr bool reaches_functor = true;
template <class Exec, class Functor>
requires requires { Functor::template reached_by<Exec>; }
inline constexpr bool reaches_functor<Exec, Functor> = Functor::template reached_by<Exec>;

}  // namespace abax::launch

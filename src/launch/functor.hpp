// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a functor at the end of a product may say of itself, so that it is checked before anything is launched.
#include <Kokkos_Macros.hpp>
#include <string>
#include <type_traits>

#include "abax/detail/launch/checks.hpp"
#include "abax/detail/tile/complex_value.hpp"

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

/// A functor of a caller's complex numbers as one of the library's own.
template <class Complex, class Functor>
struct functor_of_complex {
  Functor functor;

  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION tile::complex<Real> operator()(index_t i, const tile::complex<Real>& value) const {
    return own(functor(i, Complex(value.re, value.im)));
  }
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION tile::complex<Real> operator()(index_t i, index_t j,
                                                             const tile::complex<Real>& value) const {
    return own(functor(i, j, Complex(value.re, value.im)));
  }
  void check(const ended_output& c) const { check_functor(functor, c); }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static tile::complex<typename Complex::value_type> own(const Complex& value) {
    return {value.real(), value.imag()};
  }
};
/// The functor as one of the library's own type for T.
template <class T, class Functor>
auto on_own_elements(const Functor& functor) {
  if constexpr (std::is_floating_point_v<T>)
    return functor;
  else
    return functor_of_complex<T, Functor>{functor};
}

/// Whether `Exec` can access what the functor says it holds.
template <class Exec, class Functor>
inline constexpr bool reaches_functor = true;
template <class Exec, class Functor>
requires requires { Functor::template reached_by<Exec>; }
inline constexpr bool reaches_functor<Exec, Functor> = Functor::template reached_by<Exec>;

}  // namespace abax::launch

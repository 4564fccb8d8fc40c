// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the operands of a call must be, as concepts and as the sentences that a compiler prints first; and from Views
/// to strided operands, which differ in strides only, so that one instantiation serves all layouts.
#include <Kokkos_Core.hpp>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "abax/detail/launch/available.hpp"
#include "abax/detail/tile/complex_value.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax::launch {

template <class V>
concept view = Kokkos::is_view_v<V>;
template <class V>
concept matrix = view<V> && V::rank()
== 2;
template <class V>
concept vector = view<V> && V::rank()
== 1;
template <class V>
concept number = view<V> && V::rank()
== 0;
/// Both vectors or both matrices.
template <class V, class... Others>
concept same_rank = (vector<V> && (vector<Others> && ...)) || (matrix<V> && (matrix<Others> && ...));

/// What a View holds. What is no View gets a type, too, so that a call of it gets as far as the
/// sentence that says what is expected.
template <class V>
struct value {
  using type = double;
};
template <view V>
struct value<V> {
  using type = typename V::non_const_value_type;
};
template <class V>
using value_t = typename value<V>::type;

/// The library's own type for a caller's: what Kokkos and the standard library have for complex numbers is one to it.
template <class T>
struct own_type {
  using type = T;
};
template <class Real>
struct own_type<Kokkos::complex<Real>> {
  using type = tile::complex<Real>;
};
template <class Real>
struct own_type<std::complex<Real>> {
  using type = tile::complex<Real>;
};
template <class T>
using own_t = typename own_type<T>::type;
/// What a View holds, as the library's own type.
template <class V>
using element_t = own_t<value_t<V>>;

template <class T>
own_t<T> own(const T& x) {
  if constexpr (std::same_as<own_t<T>, T>)
    return x;
  else
    return {x.real(), x.imag()};
}
template <class T>
auto* own_elements(T* data) {
  using own = std::conditional_t<std::is_const_v<T>, const own_t<std::remove_const_t<T>>, own_t<T>>;
  return reinterpret_cast<own*>(data);
}

/// Where an output is computed that comes without an execution space.
template <class V>
auto execution_space_of() {
  if constexpr (view<V>)
    return typename V::execution_space();
  else  // as for value_t
    return Kokkos::DefaultHostExecutionSpace();
}

template <class T>
concept real_element = std::same_as<T, float> || std::same_as<T, double>;
/// Of the library's own types.
template <class T>
concept element = real_element<tile::real_of<T>>;
template <class V>
concept writable = !std::is_const_v<typename V::value_type>;
template <class Exec, class V>
concept reaches = bool(Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible);

/// Whether there are kernels for T on `Exec`; where there are none, the compiler says so.
template <class Exec, class T>
constexpr bool compiles() {
  static_assert(element<T>, "abax: operands must hold float, double, or complex numbers of them");
  static_assert(!element<T> || available<Exec, T>,
                "abax: no kernels are compiled for this execution space: include <abax/templates.hpp>");
  return element<T> && available<Exec, T>;
}

/// Whether `Exec` can read operands like these; where it cannot, the compiler says why, unless it has already: `Ranks`
/// says whether all are Views of the ranks that the function takes.
template <bool Ranks, class Exec, class First, class... Others>
constexpr bool inputs_fit() {
  if constexpr (Ranks) {
    constexpr bool same = (std::same_as<value_t<Others>, value_t<First>> && ...);
    constexpr bool reached = reaches<Exec, First> && (reaches<Exec, Others> && ...);
    static_assert(same, "abax: all operands of a call must hold the same type");
    static_assert(reached, "abax: the execution space must be able to access every operand");
    return compiles<Exec, element_t<First>>() && same && reached;
  }
  return false;
}

/// The same for an output, which comes first, and its inputs.
template <bool Ranks, class Exec, class Output, class... Inputs>
constexpr bool operands_fit() {
  if constexpr (Ranks) {
    static_assert(writable<Output>, "abax: the output must not be const");
    return inputs_fit<Ranks, Exec, Output, Inputs...>() && writable<Output>;
  }
  return false;
}

/// Whether they are the operands of a product of bytes: inputs of int8_t and an output of int32_t, which `Exec`
/// reaches.
template <bool Ranks, class Exec, class Output, class... Inputs>
constexpr bool bytes_fit() {
  if constexpr (Ranks) {
    constexpr bool bytes = (std::same_as<value_t<Inputs>, std::int8_t> && ...);
    if constexpr (bytes) {
      constexpr bool fits = std::same_as<value_t<Output>, std::int32_t> && writable<Output>;
      constexpr bool reached = reaches<Exec, Output> && (reaches<Exec, Inputs> && ...);
      static_assert(fits, "abax: the output of a product of int8_t must be of int32_t, and not const");
      static_assert(reached, "abax: the execution space must be able to access every operand");
      static_assert(available<Exec, float>,
                    "abax: no kernels are compiled for this execution space: include <abax/templates.hpp>");
      return fits && reached && available<Exec, float>;
    }
  }
  return false;
}

/// a b, rounded as in all of the library, whatever mode and flags the caller's unit has.
float product_of(float a, float b);
double product_of(double a, double b);
/// A factor of 1 leaves the other one as it is.
tile::complex<float> product_of(const tile::complex<float>& a, const tile::complex<float>& b);
tile::complex<double> product_of(const tile::complex<double>& a, const tile::complex<double>& b);
/// a |b|^2.
float product_of_square(float a, const tile::complex<float>& b);
double product_of_square(double a, const tile::complex<double>& b);

// The types of elements are named: Clang deduces no aggregate's arguments before version 17.
template <view View>
using own_element_t = std::remove_pointer_t<decltype(own_elements(std::declval<const View&>().data()))>;
template <vector View>
tile::vector<own_element_t<View>> vector_of(const View& view) {
  return {own_elements(view.data()), static_cast<index_t>(view.extent(0)), static_cast<index_t>(view.stride(0))};
}
/// A vector is one column.
template <view View>
tile::matrix<own_element_t<View>> matrix_of(const View& view) {
  if constexpr (vector<View>)
    return tile::column(vector_of(view));
  else
    return {own_elements(view.data()), static_cast<index_t>(view.extent(0)), static_cast<index_t>(view.extent(1)),
            static_cast<index_t>(view.stride(0)), static_cast<index_t>(view.stride(1))};
}
template <view View>
tile::matrix<const element_t<View>> input_matrix(const View& view) {
  return matrix_of(view).as_input();
}
template <vector View>
tile::vector<const element_t<View>> input_vector(const View& view) {
  return vector_of(view).as_input();
}

}  // namespace abax::launch

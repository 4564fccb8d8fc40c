// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Views and scratch tiles as the operands of a function that a kernel calls.
#include <Kokkos_Core.hpp>
#include <concepts>

#include "abax/detail/tile/operand.hpp"
#include "abax/detail/tile/own_type.hpp"

namespace abax::team {

/// A member of a team policy, of any execution space.
template <class M>
concept member = requires(const M& m) {
  typename M::execution_space;
  m.team_rank();
  m.team_barrier();
};

template <class V, int Rank>
concept view = Kokkos::is_view_v<V> && V::rank()
== Rank;

/// abax::scratch_tile, or a part of one.
template <class V>
concept scratch_operand = requires {
  V::is_scratch_operand;
};

template <class V>
concept matrix = view<V, 2> || scratch_operand<V>;
template <class V>
concept vector = view<V, 1>;

template <class V>
using value_t = std::remove_const_t<typename V::value_type>;
template <class T>
concept real_element = std::same_as<T, float> || std::same_as<T, double>;
/// float, double, or Kokkos' complex numbers of them.
template <class T>
concept element = real_element<tile::real_of<tile::own_t<T>>>;
template <class V>
using own_value_t = tile::own_t<value_t<V>>;

/// A View's extent, if its type has it.
template <class V>
constexpr int known_extent(int index) {
  return index < int(V::rank_dynamic) ? tile::any : int(V::static_extent(index));
}
template <class V>
constexpr tile::fast fast_index() {
  using layout = typename V::array_layout;
  if (std::same_as<layout, Kokkos::LayoutLeft>) return tile::fast::row;
  return std::same_as<layout, Kokkos::LayoutRight> ? tile::fast::col : tile::fast::unknown;
}

template <class Machine, view<2> V>
KOKKOS_FORCEINLINE_FUNCTION auto operand_of(const V& v) {
  using place = tile::strided<fast_index<V>()>;
  tile::change_hands<value_t<V>>();
  return tile::operand<tile::own_t<typename V::value_type>, place, known_extent<V>(0), known_extent<V>(1)>{
      tile::own_elements(v.data()), place{index_t(v.stride(0)), index_t(v.stride(1))}, int(v.extent(0)),
      int(v.extent(1))};
}
/// A vector is one column.
template <class Machine, view<1> V>
KOKKOS_FORCEINLINE_FUNCTION auto operand_of(const V& v) {
  using place = tile::strided<fast_index<V>() == tile::fast::unknown ? tile::fast::unknown : tile::fast::row>;
  tile::change_hands<value_t<V>>();
  return tile::operand<tile::own_t<typename V::value_type>, place, known_extent<V>(0), 1>{
      tile::own_elements(v.data()), place{index_t(v.stride(0)), 0}, int(v.extent(0)), 1};
}
template <class Machine, scratch_operand V>
KOKKOS_FORCEINLINE_FUNCTION auto operand_of(const V& v) {
  constexpr tile::scratch_layout layout = V::layout;
  Machine::assume_scratch(v.data());
  tile::change_hands<value_t<V>>();
  if constexpr (Machine::has_banks) {
    return v.operand(tile::laid_out<layout>());
  } else {
    constexpr tile::fast run = layout.by_columns ? tile::fast::row : tile::fast::col;
    constexpr int line = layout.length();
    return v.operand(tile::strided<run>{layout.by_columns ? 1 : line, layout.by_columns ? line : 1});
  }
}

/// op(X): X for 'N', its transpose for 'T', and for 'C' the conjugate of that, where elements are complex.
template <char Op, class X>
KOKKOS_FORCEINLINE_FUNCTION auto op_of(const X& x) {
  if constexpr (Op == 'N')
    return x;
  else if constexpr (Op == 'C' && tile::is_complex<typename X::value>)
    return x.transposed().conjugated();
  else
    return x.transposed();
}
constexpr bool is_op(char op) { return op == 'N' || op == 'T' || op == 'C'; }

/// Whether extents may be equal, as far as they are known when the kernel is compiled.
constexpr bool may_agree(int a, int b) { return a == tile::any || b == tile::any || a == b; }

}  // namespace abax::team

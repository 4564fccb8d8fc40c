// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of products of one shape.
#include <type_traits>

#include "abax/detail/tile/matrices.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::tile {

/// C_b <- alpha A_b B_b + beta C_b for first.items items: products of one shape, whose operands lie `step` elements
/// apart, 0 where all items share one, or, if there are pointers, where these say: then those of `first` are null.
template <class T>
struct batch {
  product<T> first;
  index_t a_step = 0, b_step = 0, c_step = 0;
  const T* const* a_at = nullptr;  ///< in memory of the machine that computes, as b_at and c_at
  const T* const* b_at = nullptr;
  T* const* c_at = nullptr;

  batch() = default;
  constexpr batch(const product<T>& only) : first(only) {}  // NOLINT: one product is a batch

  KOKKOS_FORCEINLINE_FUNCTION index_t items() const { return first.items; }
  KOKKOS_FORCEINLINE_FUNCTION const T* a(index_t item) const {
    return a_at != nullptr ? a_at[item] : first.a.data + item * a_step;
  }
  KOKKOS_FORCEINLINE_FUNCTION const T* b(index_t item) const {
    return b_at != nullptr ? b_at[item] : first.b.data + item * b_step;
  }
  KOKKOS_FORCEINLINE_FUNCTION T* c(index_t item) const {
    return c_at != nullptr ? c_at[item] : first.c.data + item * c_step;
  }
  KOKKOS_FORCEINLINE_FUNCTION product<T> operator()(index_t item) const {
    product<T> p = first;
    p.a.data = a(item);
    p.b.data = b(item);
    p.c.data = c(item);
    p.items = 1;
    return p;
  }
  /// `count` items from item `begin` on.
  batch part(index_t begin, index_t count) const {
    const auto move = [](auto*& to, index_t by) {
      if (to != nullptr) to += by;
    };
    batch some = *this;
    some.first.items = count;
    move(some.first.a.data, begin * a_step);
    move(some.first.b.data, begin * b_step);
    move(some.first.c.data, begin * c_step);
    move(some.a_at, begin);
    move(some.b_at, begin);
    move(some.c_at, begin);
    return some;
  }
  /// True where items are neighbours: the batch's index runs along memory.
  bool is_interleaved() const {
    return c_at == nullptr && c_step == 1 && (a_step == 1 || a_step == 0) && (b_step == 1 || b_step == 0);
  }
};

/// One product that ends in a functor, for rows, which all take batches.
template <class T, class Functor>
struct batch_with_functor : batch<T> {
  product<T, Functor> problem;

  explicit constexpr batch_with_functor(const product<T, Functor>& only) : batch<T>(only), problem(only) {}
};
/// A batch's first product; one that ends in a functor is that of a batch_with_functor.
template <class Functor, class T>
product<T, Functor> first_of(const batch<T>& batch) {
  if constexpr (std::is_same_v<Functor, no_functor>)
    return batch.first;
  else
    return static_cast<const batch_with_functor<T, Functor>&>(batch).problem;
}

/// The same as its transpose: see turned() of a product.
template <class T>
KOKKOS_FUNCTION batch<T> turned(const batch<T>& given) {
  batch<T> turned = given;
  turned.first = tile::turned(given.first);
  turned.first.items = given.items();
  turned.a_step = given.b_step;
  turned.b_step = given.a_step;
  turned.a_at = given.b_at;
  turned.b_at = given.a_at;
  return turned;
}
/// The same as primitives want it: see along_rows of a product.
template <class T>
batch<T> along_rows(const batch<T>& given) {
  return is_along_cols(given.first.c) ? turned(given) : given;
}

}  // namespace abax::tile

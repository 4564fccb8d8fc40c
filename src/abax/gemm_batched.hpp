// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Many products in one call: C_b <- alpha op(A_b) op(B_b) + beta C_b and y_b <- alpha op(A_b) x_b + beta y_b.
///
/// Every item has the bits of its own abax::gemm or abax::gemv (docs/canon.md), however many there are and however they
/// lie.
#include <Kokkos_Core.hpp>
#include <type_traits>

#include "abax/detail/launch/batch.hpp"
#include "abax/detail/launch/operands.hpp"
#include "abax/error.hpp"

namespace abax {
namespace launch {

template <class V>
concept matrix_batch = view<V> && V::rank()
== 3;
/// One matrix, or one for each item.
template <class V>
concept matrix_or_batch = matrix<V> || matrix_batch<V>;
/// One vector, or one for each item.
template <class V>
concept vector_or_batch = vector<V> || matrix<V>;

/// The matrices of a View whose first index counts items; of a View of one rank less, the one that all items share.
template <class T, matrix_or_batch View>
tile::matrices<T> matrices_of(const View& view) {
  const auto extent = [&](int r) { return static_cast<index_t>(view.extent(r)); };
  const auto stride = [&](int r) { return static_cast<index_t>(view.stride(r)); };
  if constexpr (matrix<View>)
    return {{own_elements(view.data()), extent(0), extent(1), stride(0), stride(1)}, tile::matrices<T>::shared, 0};
  else
    return {{own_elements(view.data()), extent(1), extent(2), stride(1), stride(2)}, extent(0), stride(0)};
}
/// The same for vectors, each of them one column.
template <class T, vector_or_batch View>
tile::matrices<T> columns_of(const View& view) {
  const auto extent = [&](int r) { return static_cast<index_t>(view.extent(r)); };
  const auto stride = [&](int r) { return static_cast<index_t>(view.stride(r)); };
  if constexpr (vector<View>)
    return {{own_elements(view.data()), extent(0), 1, stride(0), 0}, tile::matrices<T>::shared, 0};
  else
    return {{own_elements(view.data()), extent(1), 1, stride(1), 0}, extent(0), stride(0)};
}

}  // namespace launch

/// C_b <- alpha op(A_b) op(B_b) + beta C_b for every item b, asynchronously on `exec`.
///
/// Shapes: op(A) items x m x k, op(B) items x k x n, C items x m x n: Views of rank 3 whose first index counts the
/// items, any layout and strides, float, double or complex throughout. Matrices that follow one another, each dense,
/// and matrices that are interleaved (the first index runs along memory) are the fast cases. A or B of rank 2 is one
/// matrix that all items share.
/// transA, transB: as in gemm; op is applied to each item.
/// Aliasing: C shares no element with A or B, and none with itself. Checked: C's strides, any two of them; of items,
/// the first, the last and those that lie beside them. What cannot be decided so is left to the caller.
/// Read: as gemm reads each item.
/// Order and bits: those of gemm, item by item.
/// Throws invalid_argument, before anything is launched or written, for extents that disagree (each message names
/// both), an output that shares memory, an unknown transposition, a null View of elements that would be read or
/// written; resource_error where the machine cannot run the call. Where memory runs out, some items may have been
/// computed, each as a whole.
/// Source: Dongarra et al., A proposed API for batched basic linear algebra subprograms (2016).
template <class Exec, class AView, class BView, class CView>
requires(Kokkos::is_execution_space_v<Exec> &&
         !std::is_pointer_v<AView>) void gemm_batched(const Exec& exec, const char* transA, const char* transB,
                                                      launch::value_t<CView> alpha, const AView& A, const BView& B,
                                                      launch::value_t<CView> beta, const CView& C) {
  using T = launch::element_t<CView>;
  constexpr bool ranks =
      launch::matrix_or_batch<AView> && launch::matrix_or_batch<BView> && launch::matrix_batch<CView>;
  static_assert(ranks, "abax::gemm_batched: C must be a View of rank 3, A and B Views of rank 3 or, shared, of rank 2");
  if constexpr (launch::operands_fit<ranks, Exec, CView, AView, BView>())
    launch::batch<Exec, T>::gemm(exec, transA, transB, launch::own(alpha), launch::matrices_of<const T>(A),
                                 launch::matrices_of<const T>(B), launch::own(beta), launch::matrices_of<T>(C));
}

/// The same on the default instance of C's execution space.
template <class AView, class BView, class CView>
requires launch::view<CView>
void gemm_batched(const char* transA, const char* transB, launch::value_t<CView> alpha, const AView& A, const BView& B,
                  launch::value_t<CView> beta, const CView& C) {
  abax::gemm_batched(launch::execution_space_of<CView>(), transA, transB, alpha, A, B, beta, C);
}

/// The same for `items` products of one shape whose matrices begin where arrays of pointers say.
///
/// A, B and C are arrays of `items` pointers, in memory that `exec` can read; they and the matrices must stay until the
/// work is done. Pointers may be equal in A and in B. The matrices lie as the BLAS has them, by columns or by rows,
/// with the leading dimensions of `shape`. Aliasing: no matrix of C shares an element with another, or with one of A or
/// B: not checked. Throws invalid_argument for negative extents, for leading dimensions that are less than the lines of
/// their matrices are long (each message names both), an unknown transposition, an array that is null and would be
/// read; resource_error as above.
template <class Exec, class T>
requires Kokkos::is_execution_space_v<Exec>
void gemm_batched(const Exec& exec, const char* transA, const char* transB, const gemm_shape& shape,
                  std::type_identity_t<T> alpha, const T* const* A, const T* const* B, std::type_identity_t<T> beta,
                  T* const* C, index_t items, storage order = storage::by_columns) {
  using own = launch::own_t<T>;
  if constexpr (launch::compiles<Exec, own>())
    launch::batch<Exec, own>::gemm_at(exec, order, transA, transB, shape, launch::own(alpha),
                                      reinterpret_cast<const own* const*>(A), reinterpret_cast<const own* const*>(B),
                                      launch::own(beta), reinterpret_cast<own* const*>(C), items);
}

/// The same for `count` products whose sizes may differ.
///
/// `items` lie in host memory and are read before the call returns; the matrices lie in memory that `exec` can access.
/// Items of one shape are computed together, so that few shapes take few launches. On a GPU the call waits until their
/// pointers have been copied there, and cannot be captured.
/// Aliasing: as for arrays of pointers.
/// Throws what that does for each item, with its number, and invalid_argument for an item with a null matrix that would
/// be read or written: before anything is launched.
template <class Exec, class T>
requires Kokkos::is_execution_space_v<Exec>
void gemm_batched(const Exec& exec, const char* transA, const char* transB, std::type_identity_t<T> alpha,
                  const gemm_item<T>* items, std::type_identity_t<T> beta, index_t count,
                  storage order = storage::by_columns) {
  using own = launch::own_t<T>;
  if constexpr (launch::compiles<Exec, own>())
    launch::batch<Exec, own>::gemm_of(exec, order, transA, transB, launch::own(alpha),
                                      reinterpret_cast<const gemm_item<own>*>(items), launch::own(beta), count);
}

/// y_b <- alpha op(A_b) x_b + beta y_b for every item b, asynchronously on `exec`.
///
/// Shapes: op(A) items x m x k (View of rank 3), x items x k, y items x m (Views of rank 2), the first index counting
/// the items, any layout and strides, float, double or complex throughout. A of rank 2 or x of rank 1 is shared by all
/// items. Aliasing, reading and errors: as in gemm_batched. Order and bits: those of gemv, item by item.
template <class Exec, class AView, class XView, class YView>
requires Kokkos::is_execution_space_v<Exec>
void gemv_batched(const Exec& exec, const char* trans, launch::value_t<YView> alpha, const AView& A, const XView& x,
                  launch::value_t<YView> beta, const YView& y) {
  using T = launch::element_t<YView>;
  constexpr bool ranks = launch::matrix_or_batch<AView> && launch::vector_or_batch<XView> && launch::matrix<YView>;
  static_assert(ranks,
                "abax::gemv_batched: y must be a View of rank 2, A of rank 3 or, shared, 2, x of rank 2 or, shared, 1");
  if constexpr (launch::operands_fit<ranks, Exec, YView, AView, XView>())
    launch::batch<Exec, T>::gemv(exec, trans, launch::own(alpha), launch::matrices_of<const T>(A),
                                 launch::columns_of<const T>(x), launch::own(beta), launch::columns_of<T>(y));
}

/// The same on the default instance of y's execution space.
template <class AView, class XView, class YView>
requires launch::view<YView>
void gemv_batched(const char* trans, launch::value_t<YView> alpha, const AView& A, const XView& x,
                  launch::value_t<YView> beta, const YView& y) {
  abax::gemv_batched(launch::execution_space_of<YView>(), trans, alpha, A, x, beta, y);
}

}  // namespace abax

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Matrix product by way of exact integers: C <- alpha op(A) op(B) + beta C.
#include <Kokkos_Core.hpp>
#include <exception>
#include <memory>
#include <string>

#include "abax/detail/launch/gemm_integer.hpp"
#include "abax/detail/launch/operands.hpp"
#include "abax/error.hpp"

namespace abax {

/// op(X) in integers, as the left ("L") or the right ("R") operand of gemm_integer: made once, on construction, for
/// many products, which take this in X's place, "N" as its transposition, and no other number of bits. No bit of a
/// result changes by it. Copies share what was made.
///
/// X: a View of rank 2, any layout and strides, float, double or complex numbers of them. Its elements must stay as
/// they are as long as this is used, because products still read those of lines with an infinity; a View that owns its
/// memory is kept.
/// Memory: 8 to 11 bytes an element in float, 14 to 20 in double, twice as much for complex numbers on the left and
/// four times on the right, of lines and terms that are filled up: to multiples
/// of 256 and 128 on an NVIDIA GPU from sm_80 on, terms to multiples of 64 elsewhere; beside options.workspace, which
/// does not count here. Work: asynchronous on `exec`, once there is memory; a product on another instance must be made
/// to wait for it by the caller. A product on an execution space or a GPU that takes other bytes refuses it. Throws
/// invalid_argument for an unknown side or transposition, a number of bits that there is not, more terms than they
/// allow, or a null View; resource_error where there is no memory.
template <class Exec, class T>
class integer_operand {
  using element = launch::own_t<T>;

 public:
  using memory_space = typename Exec::memory_space;
  using value_type = T;

  template <class XView>
  integer_operand(const Exec& exec, const char* side, const char* trans, const XView& X,
                  const integer_options& options = {})
      : X_(std::make_shared<XView>(X)) {
    static_assert(launch::matrix<XView>, "abax::integer_operand: X must be a View of rank 2");
    if constexpr (launch::inputs_fit<launch::matrix<XView>, Exec, XView>()) {
      elements_ = launch::input_matrix(X);
      lines_ =
          launch::gemm_integer<Exec, element>::prepare(exec, side, trans, elements_, options, [&](std::size_t bytes) {
            try {
              memory_ = decltype(memory_)(
                  Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "abax::integer_operand"), bytes);
            } catch (const std::exception& error) {
              throw resource_error("abax::integer_operand: no memory for " + std::to_string(bytes) +
                                   " bytes: " + error.what());
            }
            return memory_.data();
          });
      if (launch::transposition("abax::integer_operand", "trans", trans) != 'N') elements_ = elements_.transposed();
    }
  }

  /// Of op(X), 0 or 1.
  std::int64_t extent(int dimension) const { return dimension == 0 ? elements_.rows : elements_.cols; }
  /// Digits that count.
  int bits() const { return lines_.bits; }
  /// That are held.
  std::size_t bytes() const { return memory_.size(); }

  // What products take.
  const tile::matrix<const element>& elements() const { return elements_; }
  const launch::prepared_lines<element>& lines() const { return lines_; }

 private:
  std::shared_ptr<const void> X_;
  tile::matrix<const element> elements_;
  Kokkos::View<std::uint8_t*, memory_space> memory_;
  launch::prepared_lines<element> lines_;
};
template <class Exec, class XView>
integer_operand(const Exec&, const char*, const char*, const XView&, const integer_options& = {})
    -> integer_operand<Exec, launch::value_t<XView>>;

namespace launch {

/// An operand of gemm_integer: a View, or what is prepared of one.
template <class X>
struct integer_factor {
  using view_type = X;
  static constexpr bool is_matrix = matrix<X>;
  static auto elements(const X& x) { return input_matrix(x); }
  static auto lines(const X&) { return nullptr; }
};
template <class Exec, class T>
struct integer_factor<integer_operand<Exec, T>> {
  using view_type = Kokkos::View<const T**, Kokkos::LayoutStride, typename Exec::memory_space>;
  static constexpr bool is_matrix = true;
  static auto elements(const integer_operand<Exec, T>& x) { return x.elements(); }
  static auto lines(const integer_operand<Exec, T>& x) { return &x.lines(); }
};

}  // namespace launch

/// C <- alpha op(A) op(B) + beta C, asynchronously on `exec`, whose product follows the integer canon: each row of
/// op(A) and each column of op(B) is rounded to the grid of its largest element, lines are multiplied exactly, each sum
/// is rounded once (docs/integer.md says when that is faster, and what it costs in accuracy).
///
/// Shapes, transA, transB, aliasing and what is read: as in gemm; A and B may be what is prepared of them
/// (integer_operand).
/// Order: none. T(i, j) = the sum over p of q(a(i, p)) q(b(p, j)), in the integers, times 2^-(s + t), rounded to the
/// type; q(x) = x 2^s rounded to the nearest integer, ties to even, s = options.bits - 1 - floor(log2 max|x|) of its
/// line. A line with an infinity or a NaN: the sum in the extended reals. Then gemm's epilogue. Of complex numbers each
/// part of T is such a sum, of twice the terms, and a line's largest element its largest part. The bits depend on
/// nothing else (docs/canon.md).
/// Throws as gemm does; and invalid_argument for a number of bits that there is not or is not that of an operand that
/// is prepared, one that is prepared for the other side or for other bytes, or more terms than the bits allow;
/// resource_error where options.workspace bytes do not do: all before anything is written. verification_error with
/// options.verify, after which elements of C may have their new value; as they may where a C that is computed in
/// several blocks ends in an error of the machine (runtime_error) or, of complex numbers, in a resource_error.
/// Source: Ozaki, Uchino, Imamura, Ozaki scheme II: A GEMM-oriented emulation of floating-point matrix multiplication
/// using an integer modular technique (2025); the definition is Abax' own.
template <class Exec, class AView, class BView, class CView>
requires Kokkos::is_execution_space_v<Exec>
void gemm_integer(const Exec& exec, const char* transA, const char* transB, launch::value_t<CView> alpha,
                  const AView& A, const BView& B, launch::value_t<CView> beta, const CView& C,
                  const integer_options& options = {}) {
  using factor_a = launch::integer_factor<AView>;
  using factor_b = launch::integer_factor<BView>;
  constexpr bool ranks = factor_a::is_matrix && factor_b::is_matrix && launch::matrix<CView>;
  static_assert(ranks, "abax::gemm_integer: C must be a View of rank 2, A and B Views of rank 2 or prepared");
  if constexpr (launch::operands_fit<ranks, Exec, CView, typename factor_a::view_type, typename factor_b::view_type>())
    launch::gemm_integer<Exec, launch::element_t<CView>>::run(
        exec, transA, transB, launch::own(alpha), factor_a::elements(A), factor_b::elements(B), launch::own(beta),
        launch::matrix_of(C), options, {factor_a::lines(A), factor_b::lines(B)});
}

/// The same on the default instance of C's execution space.
template <class AView, class BView, class CView>
void gemm_integer(const char* transA, const char* transB, launch::value_t<CView> alpha, const AView& A, const BView& B,
                  launch::value_t<CView> beta, const CView& C, const integer_options& options = {}) {
  abax::gemm_integer(launch::execution_space_of<CView>(), transA, transB, alpha, A, B, beta, C, options);
}

/// How many elements of op(X) lose bits as the left ("L") or right ("R") operand of gemm_integer with these options:
/// those that lie off the grid of their line's largest element. Of complex numbers parts count, each by itself. 0 says
/// that X is multiplied as it is. Waits for `exec`.
///
/// X: a View of rank 2, any layout and strides, float, double or complex numbers of them. Lines with an infinity or a
/// NaN count nothing. Throws invalid_argument for an unknown side or transposition, a number of bits that there is not,
/// or a null View.
template <class Exec, class XView>
requires Kokkos::is_execution_space_v<Exec> std::int64_t gemm_integer_lost(const Exec& exec, const char* side,
                                                                           const char* trans, const XView& X,
                                                                           const integer_options& options = {}) {
  static_assert(launch::matrix<XView>, "abax::gemm_integer_lost: X must be a View of rank 2");
  if constexpr (launch::inputs_fit<launch::matrix<XView>, Exec, XView>())
    return launch::gemm_integer<Exec, launch::element_t<XView>>::lost(exec, side, trans, launch::input_matrix(X),
                                                                      options);
  else
    return 0;
}

}  // namespace abax

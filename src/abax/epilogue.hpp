// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm and gemv that end in a functor: C(i, j) <- epilogue(i, j, value), where value is what C would get; and functors
/// to begin with: bias, scaling, ReLU, one after another.
///
/// The kernels are compiled for each functor in the unit that calls it, as those of <abax/templates.hpp> are: not with
/// fast-math.
#include <Kokkos_Core.hpp>
#include <concepts>
#include <type_traits>

#include "abax/gemm.hpp"
#include "abax/gemm_integer.hpp"
#include "abax/gemv.hpp"
#include "abax/templates.hpp"

/// Functors for the end of a gemm, and those that need no column, of a gemv. Each is one operation an element, rounded
/// by itself, of the type that C has, real or complex (tile/complex.hpp has the order of a complex product); the
/// vectors are Views of rank 1, which the functor does not keep alive.
namespace abax::epilogue {

/// What the functors below that hold a vector have in common: one element for each row, or column, of C.
template <class T, class Space>
struct vector_functor {
  tile::vector<const launch::own_t<T>> elements;

  template <class Exec>
  static constexpr bool reached_by = Kokkos::SpaceAccessibility<Exec, Space>::accessible;
};

/// a b, rounded by itself: compilers that may would fuse it with an addition that follows.
KOKKOS_FORCEINLINE_FUNCTION float rounded_product(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#elif defined(__FP_FAST_FMAF)
  return __builtin_fmaf(a, b, -0.0F);
#else
  return a * b;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION double rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#elif defined(__FP_FAST_FMA)
  return __builtin_fma(a, b, -0.0);
#else
  return a * b;
#endif
}

/// value + b and value s, of complex numbers by parts and by the canon's product.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T biased(const T& value, const launch::own_t<T>& b) {
  if constexpr (std::is_floating_point_v<T>)
    return value + b;
  else
    return T(value.real() + b.re, value.imag() + b.im);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T scaled(const T& value, const launch::own_t<T>& s) {
  if constexpr (std::is_floating_point_v<T>) {
    return rounded_product(value, s);
  } else {
    const auto product = tile::product_of(launch::own_t<T>{value.real(), value.imag()}, s);
    return T(product.re, product.im);
  }
}

/// value + b(i): a bias for each row, or for each element of y.
template <class T, class Space>
struct row_bias : vector_functor<T, Space> {
  template <launch::vector View>
  explicit row_bias(const View& b) : vector_functor<T, Space>{launch::input_vector(b)} {}
  template <std::same_as<T> Value>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t i, Value value) const {
    return biased<T>(value, this->elements(i));
  }
  template <std::same_as<T> Value>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t i, index_t, Value value) const {
    return (*this)(i, value);
  }
  void check(const launch::ended_output& c) const { c.require_rows("row bias", this->elements); }
};
template <launch::vector View>
row_bias(const View&) -> row_bias<launch::value_t<View>, typename View::memory_space>;

/// value + b(j): a bias for each column.
template <class T, class Space>
struct column_bias : vector_functor<T, Space> {
  template <launch::vector View>
  explicit column_bias(const View& b) : vector_functor<T, Space>{launch::input_vector(b)} {}
  template <std::same_as<T> Value>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t, index_t j, Value value) const {
    return biased<T>(value, this->elements(j));
  }
  void check(const launch::ended_output& c) const { c.require_columns("column bias", this->elements); }
};
template <launch::vector View>
column_bias(const View&) -> column_bias<launch::value_t<View>, typename View::memory_space>;

/// value s(i): a factor for each row, or for each element of y.
template <class T, class Space>
struct row_scale : vector_functor<T, Space> {
  template <launch::vector View>
  explicit row_scale(const View& s) : vector_functor<T, Space>{launch::input_vector(s)} {}
  template <std::same_as<T> Value>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t i, Value value) const {
    return scaled<T>(value, this->elements(i));
  }
  template <std::same_as<T> Value>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t i, index_t, Value value) const {
    return (*this)(i, value);
  }
  void check(const launch::ended_output& c) const { c.require_rows("row scale", this->elements); }
};
template <launch::vector View>
row_scale(const View&) -> row_scale<launch::value_t<View>, typename View::memory_space>;

/// value s(j): a factor for each column.
template <class T, class Space>
struct column_scale : vector_functor<T, Space> {
  template <launch::vector View>
  explicit column_scale(const View& s) : vector_functor<T, Space>{launch::input_vector(s)} {}
  template <std::same_as<T> Value>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t, index_t j, Value value) const {
    return scaled<T>(value, this->elements(j));
  }
  void check(const launch::ended_output& c) const { c.require_columns("column scale", this->elements); }
};
template <launch::vector View>
column_scale(const View&) -> column_scale<launch::value_t<View>, typename View::memory_space>;

/// +0 for what is less than 0, and all else as it is: NaN stays NaN, and -0 stays -0. Of real numbers: complex ones are
/// refused.
struct relu {
  template <std::floating_point T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t, T value) const {
    return value < T(0) ? T(0) : value;
  }
  template <std::floating_point T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t, index_t, T value) const {
    return value < T(0) ? T(0) : value;
  }
  template <class T>
  requires tile::is_complex<launch::own_t<T>> KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t, T value) const {
    return refused(value);
  }
  template <class T>
  requires tile::is_complex<launch::own_t<T>> KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t, index_t,
                                                                                       T value) const {
    return refused(value);
  }

 private:
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T refused(T value) {
    static_assert(std::is_floating_point_v<T>, "abax::epilogue::relu: a complex number is not less than 0, nor more");
    return value;
  }
};

/// The functors one after another, each on what the one before it leaves.
template <class First, class... Rest>
struct then {
  First first;
  then<Rest...> rest;

  explicit then(const First& one, const Rest&... others) : first(one), rest(others...) {}
  template <class T>
  requires std::is_invocable_r_v<T, const First&, index_t, T> && std::is_invocable_r_v < T, const then<Rest...>
  &, index_t, T > KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t i, T value) const {
    return rest(i, static_cast<T>(first(i, value)));
  }
  template <class T>
  requires std::is_invocable_r_v<T, const First&, index_t, index_t, T> && std::is_invocable_r_v < T, const then<Rest...>
  &, index_t, index_t, T > KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t i, index_t j, T value) const {
    return rest(i, j, static_cast<T>(first(i, j, value)));
  }
  void check(const launch::ended_output& c) const {
    launch::check_functor(first, c);
    rest.check(c);
  }
  template <class Exec>
  static constexpr bool reached_by =
      launch::reaches_functor<Exec, First>&& launch::reaches_functor<Exec, then<Rest...>>;
};
template <class Last>
struct then<Last> {
  Last last;

  explicit then(const Last& one) : last(one) {}
  template <class T>
  requires std::is_invocable_r_v<T, const Last&, index_t, T> KOKKOS_FORCEINLINE_FUNCTION T operator()(index_t i,
                                                                                                      T value) const {
    return last(i, value);
  }
  template <class T>
  requires std::is_invocable_r_v<T, const Last&, index_t, index_t, T> KOKKOS_FORCEINLINE_FUNCTION T
  operator()(index_t i, index_t j, T value) const {
    return last(i, j, value);
  }
  void check(const launch::ended_output& c) const { launch::check_functor(last, c); }
  template <class Exec>
  static constexpr bool reached_by = launch::reaches_functor<Exec, Last>;
};
template <class... Functors>
then(const Functors&...) -> then<Functors...>;

}  // namespace abax::epilogue

namespace abax {

/// C(i, j) <- epilogue(i, j, r(i, j)), asynchronously on `exec`, where r is what
/// gemm(exec, transA, transB, alpha, A, B, beta, C) would leave in C; all that it asks of its arguments holds here,
/// too.
///
/// epilogue: what device code can copy and call, const, as value = epilogue(i, j, value): KOKKOS_LAMBDA or
/// KOKKOS_FUNCTION. It is called once for each element of C, in no particular order, also where alpha == 0 or k == 0,
/// and may store what else it likes. It must not read or write C.
/// Order: r in C's type, with the one NaN for every NaN; the functor; then again the one NaN (docs/canon.md).
/// Throws what gemm does, and invalid_argument for a vector of abax::epilogue whose extent is not C's, or that shares
/// memory with C.
template <class Exec, class AView, class BView, class CView, class Epilogue>
requires Kokkos::is_execution_space_v<Exec>
void gemm(const Exec& exec, const char* transA, const char* transB, launch::value_t<CView> alpha, const AView& A,
          const BView& B, launch::value_t<CView> beta, const CView& C, const Epilogue& epilogue) {
  constexpr bool ranks = launch::matrix<AView> && launch::matrix<BView> && launch::matrix<CView>;
  using T = launch::value_t<CView>;
  static_assert(ranks, "abax::gemm: A, B and C must be Views of rank 2");
  constexpr bool callable = std::is_invocable_r_v<T, const Epilogue&, index_t, index_t, T>;
  static_assert(callable,
                "abax::gemm: the epilogue must be callable, const, as value = epilogue(i, j, value) on C's type");
  static_assert(launch::reaches_functor<Exec, Epilogue>,
                "abax::gemm: the execution space must be able to access every vector of the epilogue");
  if constexpr (launch::operands_fit<ranks, Exec, CView, AView, BView>() && callable)
    launch::gemm_ending_in(exec, transA, transB, launch::own(alpha), launch::input_matrix(A), launch::input_matrix(B),
                           launch::own(beta), launch::matrix_of(C), launch::on_own_elements<T>(epilogue));
}

/// The same on the default instance of C's execution space.
template <class AView, class BView, class CView, class Epilogue>
void gemm(const char* transA, const char* transB, launch::value_t<CView> alpha, const AView& A, const BView& B,
          launch::value_t<CView> beta, const CView& C, const Epilogue& epilogue) {
  abax::gemm(launch::execution_space_of<CView>(), transA, transB, alpha, A, B, beta, C, epilogue);
}

/// The same for gemm_integer: r is what that would leave in C, under the same options.
template <class Exec, class AView, class BView, class CView, class Epilogue>
requires(Kokkos::is_execution_space_v<Exec> && !std::convertible_to<Epilogue, integer_options>) void gemm_integer(
    const Exec& exec, const char* transA, const char* transB, launch::value_t<CView> alpha, const AView& A,
    const BView& B, launch::value_t<CView> beta, const CView& C, const Epilogue& epilogue,
    const integer_options& options = {}) {
  using factor_a = launch::integer_factor<AView>;
  using factor_b = launch::integer_factor<BView>;
  constexpr bool ranks = factor_a::is_matrix && factor_b::is_matrix && launch::matrix<CView>;
  using T = launch::value_t<CView>;
  static_assert(ranks, "abax::gemm_integer: C must be a View of rank 2, A and B Views of rank 2 or prepared");
  constexpr bool callable = std::is_invocable_r_v<T, const Epilogue&, index_t, index_t, T>;
  static_assert(callable,
                "abax::gemm_integer: the epilogue must be callable, const, as value = epilogue(i, j, value) on C's "
                "type");
  static_assert(launch::reaches_functor<Exec, Epilogue>,
                "abax::gemm_integer: the execution space must be able to access every vector of the epilogue");
  if constexpr (launch::operands_fit<ranks, Exec, CView, typename factor_a::view_type,
                                     typename factor_b::view_type>() &&
                callable)
    launch::gemm_integer_ending_in<Exec, launch::own_t<T>>(
        exec, transA, transB, launch::own(alpha), factor_a::elements(A), factor_b::elements(B), launch::own(beta),
        launch::matrix_of(C), launch::on_own_elements<T>(epilogue), options, {factor_a::lines(A), factor_b::lines(B)});
}

template <class AView, class BView, class CView, class Epilogue>
requires(!std::convertible_to<Epilogue, integer_options>) void gemm_integer(
    const char* transA, const char* transB, launch::value_t<CView> alpha, const AView& A, const BView& B,
    launch::value_t<CView> beta, const CView& C, const Epilogue& epilogue, const integer_options& options = {}) {
  abax::gemm_integer(launch::execution_space_of<CView>(), transA, transB, alpha, A, B, beta, C, epilogue, options);
}

/// y(i) <- epilogue(i, r(i)), asynchronously on `exec`, where r is what gemv(exec, trans, alpha, A, x, beta, y) would
/// leave in y. The functor is called as value = epilogue(i, value); all else is as for gemm.
template <class Exec, class AView, class XView, class YView, class Epilogue>
requires Kokkos::is_execution_space_v<Exec>
void gemv(const Exec& exec, const char* trans, launch::value_t<YView> alpha, const AView& A, const XView& x,
          launch::value_t<YView> beta, const YView& y, const Epilogue& epilogue) {
  constexpr bool ranks = launch::matrix<AView> && launch::vector<XView> && launch::vector<YView>;
  using T = launch::value_t<YView>;
  static_assert(ranks, "abax::gemv: A must be a View of rank 2, x and y Views of rank 1");
  constexpr bool callable = std::is_invocable_r_v<T, const Epilogue&, index_t, T>;
  static_assert(callable,
                "abax::gemv: the epilogue must be callable, const, as value = epilogue(i, value) on y's type");
  static_assert(launch::reaches_functor<Exec, Epilogue>,
                "abax::gemv: the execution space must be able to access every vector of the epilogue");
  if constexpr (launch::operands_fit<ranks, Exec, YView, AView, XView>() && callable)
    launch::gemv_ending_in(exec, trans, launch::own(alpha), launch::input_matrix(A), launch::input_vector(x),
                           launch::own(beta), launch::vector_of(y), launch::on_own_elements<T>(epilogue));
}

/// The same on the default instance of y's execution space.
template <class AView, class XView, class YView, class Epilogue>
void gemv(const char* trans, launch::value_t<YView> alpha, const AView& A, const XView& x, launch::value_t<YView> beta,
          const YView& y, const Epilogue& epilogue) {
  abax::gemv(launch::execution_space_of<YView>(), trans, alpha, A, x, beta, y, epilogue);
}

}  // namespace abax

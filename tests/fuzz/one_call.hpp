// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What every fuzzed call has: how its arguments are drawn and spoilt, how it is made, and what is expected of it.
#include <abax/abax.h>

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

#include "../blas_complex_names.hpp"
#include "../c_names.hpp"
#include "../complex_reference.hpp"
#include "calls.hpp"

namespace abax::tests::fuzz {

using reference::transposes;
using std::int32_t, std::int64_t;

/// A stride that no operand of two elements can have: it leads out of any address space.
constexpr index_t far = index_t(1) << 61;

template <class T>
bool is_value(const T& x, int value) {
  return x == T(value);
}

/// An argument that cannot be used: its number in Fortran's list, whether that would be one, and how it comes about.
struct fault {
  int position;
  bool applies;
  std::function<void()> apply;
};

struct one_call {
  choices& choose;
  abax_stream* stream;
  const std::array<room, 4>& rooms;
  bool tells;
  double integer_terms;  ///< the least m n k of which the BLAS computes a gemm by integers: ABAX_BLAS_INTEGER's cube
  face how;
  const char* kernel = "";
  bool refused = false;
  std::string wrong = {};

  bool is_native() const { return how == face::native; }
  bool is_cblas() const { return how == face::cblas || how == face::cblas_64; }
  bool is_wide() const { return how != face::fortran && how != face::cblas; }

  // -------------------------------------------------------------------------------------------------------------------
  // Arguments. Most calls are small, so that there are many.

  /// For products: rarely many, more than a block of the canon has.
  index_t extent();
  index_t terms(index_t m, index_t n);
  /// Of a vector.
  index_t length();
  /// For the BLAS no elements are 0 or fewer.
  index_t none() { return choose.below(2) == 0 ? 0 : -1 - choose.below(60000); }
  char op() { return "NTCNTCntc"[choose.below(9)]; }
  char uplo() { return "LUlu"[choose.below(4)]; }
  bool by_rows() { return is_cblas() && choose.below(2) == 1; }
  template <class T>
  T factor();

  /// A stride, leading dimension or increment that nothing uses: any number of the width that the face has.
  index_t unused(bool may_be_negative);
  /// By columns or rows with a leading dimension; for abax.h any two strides under which a written element has one
  /// place.
  layout matrix_layout(index_t rows, index_t cols, bool lies_by_rows, bool written);
  layout vector_layout(index_t n, bool may_be_zero);
  template <class T>
  operand<T> place(int slot, const layout& where) {
    return operand<T>(rooms.at(slot), choose, where);
  }
  /// Leading dimension, as BLAS has it.
  static index_t ld_of(const layout& where, bool by_rows) { return by_rows ? where.row_stride : where.col_stride; }
  /// One less than the least leading dimension.
  static index_t too_small(const layout& where, bool by_rows) {
    return std::max<index_t>(1, by_rows ? where.cols : where.rows) - 1;
  }

  /// Where there is a layout to be wrong.
  fault wrong_layout() const { return {bad_layout, is_cblas(), nullptr}; }
  /// One of the faults in one call of twelve; its number, or 0.
  int spoil(std::initializer_list<fault> faults);
  /// The number of a layout of the CBLAS that there is not: the first of its list, and none of Fortran's.
  static constexpr int bad_layout = -1;

  // -------------------------------------------------------------------------------------------------------------------
  // The call.

  /// Prints what is called, if that is wanted.
  template <class T, class... V>
  void tell(const char* names, const V&... values);
  /// make(), under a mode of the thread's that has no influence on the bits and must be left as it is.
  void run(const std::function<void()>& make);

  // -------------------------------------------------------------------------------------------------------------------
  // What is expected. The first difference is kept.

  void expect(const std::string& difference) {
    if (wrong.empty()) wrong = difference;
  }
  /// That the library told of the argument that is `position`-th in Fortran's list; `in_cblas` is its number there.
  template <class InCblas>
  void expect_info(int position, const InCblas& in_cblas) {
    expect_told(position == 0 || !is_cblas() ? position : position == bad_layout ? 1 : in_cblas(position));
  }
  void expect_told(int64_t want);
  /// Success, or a refusal with a message.
  void expect_status(abax_status status, int position);
};

/// Numbers of the CBLAS, whose lists begin with the layout.
inline int after_layout(int position) { return position + 1; }
/// Where both lists are the same.
inline int the_same(int position) { return position; }

template <class T>
T one_call::factor() {
  using R = real_of<T>;
  if constexpr (is_complex<T>) {
    const int turn = choose.below(4);
    if (turn == 0) return {factor<R>(), R(0)};
    const R re = factor<R>();
    return {re, factor<R>()};
  } else {
    constexpr R infinity = std::numeric_limits<R>::infinity(), least = std::numeric_limits<R>::denorm_min();
    const R usual[] = {1, 0, R(-1), R(0.5), R(1.7), R(-0.3)};
    const R rare[] = {R(-0.0), infinity, nan_with_payload<R>(), least, std::numeric_limits<R>::max(), R(3)};
    return choose.one_in(32) ? rare[choose.below(6)] : usual[choose.below(6)];
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Arguments as each face takes them.

template <class T, class Int>
struct names_of {
  using type = blas<T, Int>;
};
template <class R, class Int>
struct names_of<Kokkos::complex<R>, Int> {
  using type = complex_blas<Kokkos::complex<R>, Int>;
};
/// The names of T's routines with integers of either width: visit(names).
template <class T, class Visit>
auto with_names(const one_call& c, const Visit& visit) {
  if (c.is_wide()) return visit(typename names_of<T, int64_t>::type());
  return visit(typename names_of<T, int32_t>::type());
}

template <class Int, class V>
auto narrowed(const V& v) {
  if constexpr (std::is_same_v<V, index_t>)
    return static_cast<Int>(v);
  else
    return v;
}
/// Everything by address.
template <class Int, class Function, class... V>
auto by_address(Function function, const V&... v) {
  const auto address = []<class W>(const W& w) {
    if constexpr (std::is_pointer_v<W>)
      return w;
    else
      return &w;
  };
  return [&](const auto&... w) { return function(address(w)...); }(narrowed<Int>(v)...);
}
/// Everything by value, but complex factors.
template <class Int, class Function, class... V>
auto by_value(Function function, const V&... v) {
  const auto argument = []<class W>(const W& w) {
    if constexpr (is_complex<W>)
      return static_cast<const void*>(&w);
    else
      return narrowed<Int>(w);
  };
  return function(argument(v)...);
}

CBLAS_TRANSPOSE number_of(char op);
inline CBLAS_UPLO triangle_of(char uplo) {
  return uplo == 'U' || uplo == 'u' ? CblasUpper : uplo == 'L' || uplo == 'l' ? CblasLower : CBLAS_UPLO(0);
}
inline CBLAS_LAYOUT layout_of(bool by_rows, int bad = 0) {
  return bad == one_call::bad_layout ? CBLAS_LAYOUT(0) : by_rows ? CblasRowMajor : CblasColMajor;
}

/// alpha x, element by element, also by a real factor, and also where alpha is 0.
template <class Factor, class T>
matrix<T> multiplied(const Factor& alpha, const matrix<T>& x) {
  matrix<T> result = x;
  for (T& e : result.elements) {
    if constexpr (is_complex<Factor>)
      e = reference::one_nan(reference::multiply(alpha, e));
    else if constexpr (is_complex<T>)
      e = T(reference::one_nan(alpha * e.real()), reference::one_nan(alpha * e.imag()));
    else
      e = reference::one_nan(alpha * e);
  }
  return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// What is called.

/// "sgemm"'s s
template <class T>
constexpr const char* type_name = std::is_same_v<T, float>    ? "s"
                                  : std::is_same_v<T, double> ? "d"
                                  : std::is_same_v<T, c32>    ? "c"
                                                              : "z";

/// Prints a call of `type` in words.
void tell_of(const one_call& c, const char* type, const std::string& arguments);

template <class T, class... V>
void one_call::tell(const char* names, const V&... values) {
  if (!tells) return;
  std::ostringstream text;
  text << names << " =";
  ((text << ' ' << values), ...);
  tell_of(*this, type_name<T>, text.str());
}

// A kernel of each family, in numbers of type T: float, double and their complex numbers.

/// gemm, gemm_integer, gemmt, syrk, herk, gemv.
template <class T>
void product(one_call& c);
/// Batches of gemm and gemv, by strides or by arrays of pointers.
template <class T>
void batch(one_call& c);
/// dot, nrm2, asum, sum, iamax, copy and, of the BLAS, axpy and scal.
template <class T>
void vector(one_call& c);
/// axpby, scal, triad and increment of abax.h.
template <class T>
void stream(one_call& c);
/// omatcopy, and abax.h's transposes.
template <class T>
void transposition(one_call& c);

}  // namespace abax::tests::fuzz

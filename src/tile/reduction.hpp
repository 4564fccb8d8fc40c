// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Reductions: the canon's order of them in code, and each kind as what it does to one term.
#include <cstdint>

#include "abax/detail/tile/canon.hpp"
#include "abax/detail/tile/reduction_block.hpp"

namespace abax::tile {

/// Blocks of n terms; no terms at all are one block, too, which says what an empty reduction is.
KOKKOS_FORCEINLINE_FUNCTION constexpr index_t reduction_blocks(index_t n) {
  return max<index_t>(1, ceil_div(n, reduction_block));
}

// A kind of reduction has `operand`, its vectors of equal size, and: `state`, what a lane holds; `none`, what it begins
// with; `take`, which brings in the term of index i with its element of each operand; `joined`, which makes one of two
// states, those of lanes or of blocks; and `finish`, which turns the last state into the result.

/// The terms of a reduction of vectors of T: their elements, or the parts of complex ones.
template <class T>
struct terms {
  using type = vector<const T>;
  static constexpr type of(const vector<const T>& x) { return x; }
};
template <class Real>
struct terms<complex<Real>> {
  using type = parts<Real>;
  static constexpr type of(const vector<const complex<Real>>& x, bool swapped = false) {
    return {x.data == nullptr ? nullptr : &x.data->re, 2 * x.size, x.stride, swapped};
  }
};
template <class T>
using terms_of = typename terms<T>::type;

/// What sums of terms have in common.
template <class T, int Operands, class Vector = vector<const T>>
struct sum_of_terms {
  using element = T;
  using state = T;
  using result_type = T;
  static constexpr int operands = Operands;
  Vector operand[Operands];

  KOKKOS_FORCEINLINE_FUNCTION static T none() { return T(0); }
  KOKKOS_FORCEINLINE_FUNCTION static T joined(T a, T b) { return a + b; }
  KOKKOS_FORCEINLINE_FUNCTION static T finish(T sum) { return canonical(sum); }
};

/// Sum of x_i y_i.
template <class T>
struct dot : sum_of_terms<T, 2> {
  static constexpr const char* name = "abax::dot";
  KOKKOS_FORCEINLINE_FUNCTION static void take(T& s, const T* t, index_t) { s = Kokkos::fma(t[0], t[1], s); }
};

/// Sum of x_i y_i, or of conj(x_i) y_i, of complex elements: two sums of as many terms as there are parts. The operands
/// are x, y and y with its parts swapped.
template <class Real>
struct dot<complex<Real>> {
  using element = Real;
  using state = complex<Real>;
  using result_type = complex<Real>;
  static constexpr const char *name = "abax::dot", *name_of_conjugated = "abax::dotc";
  static constexpr int operands = 3;
  parts<Real> operand[operands];
  bool conjugated = false;

  dot() = default;
  constexpr dot(const vector<const complex<Real>>& x, const vector<const complex<Real>>& y, bool conjugated_x)
      : operand{terms<complex<Real>>::of(x), terms<complex<Real>>::of(y), terms<complex<Real>>::of(y, true)},
        conjugated(conjugated_x) {}

  KOKKOS_FORCEINLINE_FUNCTION static state none() { return {Real(0), Real(0)}; }
  KOKKOS_FORCEINLINE_FUNCTION void take(state& s, const Real* t, index_t i) const {
    const bool imaginary = i % 2 != 0;
    const Real x = conjugated && imaginary ? -t[0] : t[0];
    s.re = Kokkos::fma(imaginary ? -x : x, t[1], s.re);
    s.im = Kokkos::fma(x, t[2], s.im);
  }
  KOKKOS_FORCEINLINE_FUNCTION static state joined(const state& a, const state& b) { return a + b; }
  KOKKOS_FORCEINLINE_FUNCTION static state finish(const state& sum) { return canonical(sum); }
};

/// Sum of x_i.
template <class T>
struct sum : sum_of_terms<T, 1> {
  static constexpr const char* name = "abax::sum";
  KOKKOS_FORCEINLINE_FUNCTION static void take(T& s, const T* t, index_t) { s = s + t[0]; }
};

/// Sum of |x_i|, of complex elements of |Re x_i| + |Im x_i|.
template <class Element>
struct asum : sum_of_terms<real_of<Element>, 1, terms_of<Element>> {
  using T = real_of<Element>;
  static constexpr const char* name = "abax::asum";
  KOKKOS_FORCEINLINE_FUNCTION static void take(T& s, const T* t, index_t) { s = s + Kokkos::fabs(t[0]); }
};

/// Square root of the sum of |x_i|^2.
template <class Element>
struct nrm2 {
  using T = real_of<Element>;
  using element = T;
  using result_type = T;
  static constexpr const char* name = "abax::nrm2";
  static constexpr int operands = 1;
  terms_of<Element> operand[1];

  /// The sums of (x_i)^2, (x_i 2^k)^2 and (x_i 2^-k)^2.
  struct state {
    T plain, raised, lowered;
  };
  KOKKOS_FORCEINLINE_FUNCTION static state none() { return {T(0), T(0), T(0)}; }
  KOKKOS_FORCEINLINE_FUNCTION static void take(state& s, const T* t, index_t) {
    const T up = t[0] * norm_range<T>::raise, down = t[0] * norm_range<T>::lower;
    s.plain = Kokkos::fma(t[0], t[0], s.plain);
    s.raised = Kokkos::fma(up, up, s.raised);
    s.lowered = Kokkos::fma(down, down, s.lowered);
  }
  KOKKOS_FORCEINLINE_FUNCTION static state joined(const state& a, const state& b) {
    return {a.plain + b.plain, a.raised + b.raised, a.lowered + b.lowered};
  }
  /// Whether a plain sum is the result's square.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_in_range(T plain) {
    return plain >= norm_range<T>::least && plain <= norm_range<T>::most;
  }
  /// Of the three the one that neither overflows nor loses what underflows.
  KOKKOS_FORCEINLINE_FUNCTION static T finish(const state& s) {
    using range = norm_range<T>;
    if (s.plain < range::least) return Kokkos::sqrt(s.raised) * range::lower;
    if (is_in_range(s.plain)) return Kokkos::sqrt(s.plain);
    return canonical(Kokkos::sqrt(s.lowered) * range::raise);  // an infinity or a NaN stays one
  }
};

/// What iamax compares: |x|, of a complex element |Re x| + |Im x|.
KOKKOS_FORCEINLINE_FUNCTION float magnitude(float x) { return Kokkos::fabs(x); }
KOKKOS_FORCEINLINE_FUNCTION double magnitude(double x) { return Kokkos::fabs(x); }
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real magnitude(const complex<Real>& x) {
  return Kokkos::fabs(x.re) + Kokkos::fabs(x.im);
}

/// The lowest index of an x_i of largest magnitude, a NaN being larger than all numbers; -1 if there is none.
template <class T>
struct iamax {
  using element = T;
  using result_type = index_t;
  static constexpr const char* name = "abax::iamax";
  static constexpr int operands = 1;
  vector<const T> operand[1];

  /// The magnitude's bits are in the order of magnitudes, with those of the one NaN after infinity's.
  using key_type = std::conditional_t<sizeof(real_of<T>) == 4, std::uint32_t, std::uint64_t>;
  struct state {
    index_t index;  // -1: of no element
    key_type key;
  };
  KOKKOS_FORCEINLINE_FUNCTION static key_type key_of(T x) {
    return Kokkos::bit_cast<key_type>(canonical(magnitude(x))) << 1;  // without the sign
  }
  KOKKOS_FORCEINLINE_FUNCTION static state none() { return {-1, 0}; }
  /// Terms come to a lane in ascending order.
  KOKKOS_FORCEINLINE_FUNCTION static void take(state& s, const T* t, index_t i) {
    const key_type key = key_of(t[0]);
    if (s.index < 0 || key > s.key) s = {i, key};
  }
  KOKKOS_FORCEINLINE_FUNCTION static state joined(const state& a, const state& b) {
    if (a.index < 0 || b.index < 0) return a.index < 0 ? b : a;
    return b.key > a.key || (b.key == a.key && b.index < a.index) ? b : a;
  }
  KOKKOS_FORCEINLINE_FUNCTION static index_t finish(const state& s) { return s.index; }
};

/// The states that blocks have left, as the terms of the next level.
template <class Kernel>
struct block_states {
  using element = typename Kernel::state;
  using state = element;
  static constexpr int operands = 1;
  vector<const element> operand[1];

  KOKKOS_FORCEINLINE_FUNCTION static state none() { return Kernel::none(); }
  KOKKOS_FORCEINLINE_FUNCTION static void take(state& s, const state* t, index_t) { s = Kernel::joined(s, t[0]); }
  KOKKOS_FORCEINLINE_FUNCTION static state joined(const state& a, const state& b) { return Kernel::joined(a, b); }
};

/// A block's state, the canon word for word: 64 lanes take its terms in turn, then halves are joined.
template <class Terms>
KOKKOS_INLINE_FUNCTION typename Terms::state block_state(const Terms& terms, index_t block) {
  const index_t begin = block * reduction_block, end = min(terms.operand[0].size, begin + reduction_block);
  typename Terms::state lane[reduction_lanes];
  for (int l = 0; l < reduction_lanes; ++l) lane[l] = Terms::none();
  for (index_t i = begin; i < end; i += reduction_lanes) {
    const int here = static_cast<int>(min<index_t>(reduction_lanes, end - i));
    for (int l = 0; l < here; ++l) {
      typename Terms::element t[Terms::operands];
      for (int o = 0; o < Terms::operands; ++o) t[o] = terms.operand[o](i + l);
      terms.take(lane[l], t, i + l);
    }
  }
  for (int half = reduction_lanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) lane[l] = Terms::joined(lane[l], lane[l + half]);
  return lane[0];
}

/// result <- the reduction by `kernel`, cut into teams' shares.
template <class Kernel>
struct reduction {
  Kernel kernel;
  typename Kernel::result_type* result;
  typename Kernel::state* states = nullptr;  ///< of the blocks of every level, one level after another
  unsigned* arrivals = nullptr;              ///< a counter a block of every level but the first; zero before and after
  index_t run = 0;                           ///< blocks of a team: a power of two, at most reduction_block

  KOKKOS_FORCEINLINE_FUNCTION index_t size() const { return kernel.operand[0].size; }
};

}  // namespace abax::tile

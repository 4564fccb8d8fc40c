// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Inputs that need not be read back, and the canon in scalar loops for single elements of a result.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "abax/detail/tile/complex.hpp"
#include "abax/detail/tile/matrix.hpp"
#include "element.hpp"
#include "kernels.hpp"

namespace abax::perf {

template <class T>
using bits_t = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// splitmix64's finaliser (Steele, Lea and Flood, OOPSLA 2014).
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t mix(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Element i of operand `operand`: uniform in [-1, 1), of a complex one each part, which are the real operand's numbers
/// 2 i and 2 i + 1. An integer scaled by a power of two, so exact in T, and the same wherever it is computed: the
/// oracle knows every operand without reading one.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T input(int operand, index_t i) {
  if constexpr (tile::is_complex<T>) {
    using real = tile::real_of<T>;
    return T{input<real>(operand, 2 * i), input<real>(operand, 2 * i + 1)};
  } else {
    constexpr int digits = sizeof(T) == 4 ? 24 : 53;
    const std::uint64_t random = mix(mix(operand) + static_cast<std::uint64_t>(i)) >> (64 - digits);
    const auto half = std::int64_t(1) << (digits - 1);
    return static_cast<T>(static_cast<std::int64_t>(random) - half) * (T(1) / static_cast<T>(half));
  }
}

/// What no kernel stores for such inputs, in either part: it marks elements that were never written.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T poison() {
  if constexpr (tile::is_complex<T>)
    return T{poison<tile::real_of<T>>(), poison<tile::real_of<T>>()};
  else
    return Kokkos::bit_cast<T>(static_cast<bits_t<T>>(~bits_t<T>(0)));
}

/// The parts of a complex sum over p < k of a(p) b(p), each a real one of 2 k terms: sum(2 k, a's, b's).
template <class T, class A, class B, class Sum>
T sum_by_parts(index_t k, const A& a, const B& b, const Sum& sum) {
  using real = tile::real_of<T>;
  return {sum(
              2 * k, [&](index_t t) -> real { return t % 2 == 0 ? a(t / 2).re : -a(t / 2).im; },
              [&](index_t t) -> real { return t % 2 == 0 ? b(t / 2).re : b(t / 2).im; }),
          sum(
              2 * k, [&](index_t t) -> real { return t % 2 == 0 ? a(t / 2).re : a(t / 2).im; },
              [&](index_t t) -> real { return t % 2 == 0 ? b(t / 2).im : b(t / 2).re; })};
}

/// sum over p < k of a(p) b(p) as docs/canon.md defines it for an element of a product.
template <class T, class A, class B>
T canonical_dot(index_t k, const A& a, const B& b) {
  if constexpr (tile::is_complex<T>) {
    return sum_by_parts<T>(k, a, b, [](index_t terms, const auto& left, const auto& right) {
      return canonical_dot<tile::real_of<T>>(terms, left, right);
    });
  } else {
    constexpr index_t block = 2048;
    T total = 0;
    for (index_t begin = 0; begin < k; begin += block) {
      T s = 0;
      for (index_t p = begin; p < std::min(k, begin + block); ++p) s = std::fma(a(p), b(p), s);
      total = begin == 0 ? s : total + s;
    }
    return total;
  }
}

/// The same sum as docs/canon.md defines it for a reduction.
template <class T, class A, class B>
T canonical_reduction(index_t k, const A& a, const B& b) {
  if constexpr (tile::is_complex<T>) {
    return sum_by_parts<T>(k, a, b, [](index_t terms, const auto& left, const auto& right) {
      return canonical_reduction<tile::real_of<T>>(terms, left, right);
    });
  } else {
    constexpr index_t block = 1024, lanes = 64;
    std::vector<T> sums;
    for (index_t begin = 0; begin == 0 || begin < k; begin += block) {
      T lane[lanes] = {};
      for (index_t p = begin; p < std::min(k, begin + block); ++p)
        lane[p % lanes] = std::fma(a(p), b(p), lane[p % lanes]);
      for (index_t half = lanes / 2; half > 0; half /= 2)
        for (index_t l = 0; l < half; ++l) lane[l] = lane[l] + lane[l + half];
      sums.push_back(lane[0]);
    }
    if (sums.size() == 1) return sums[0];
    const std::function<T(index_t)> term = [&](index_t p) { return sums[p]; }, one = [](index_t) { return T(1); };
    return canonical_reduction<T>(static_cast<index_t>(sums.size()), term, one);
  }
}

/// T of sum over p < k of a(p) b(p), a row of op(A) and a column of op(B), as docs/canon.md defines it for products by
/// way of integers with all digits of the type. For numbers of input(), and k < 2^20: their sums fit 128 bits, and no
/// result is subnormal.
template <class T, class A, class B>
T canonical_integer_sum(index_t k, const A& a, const B& b) {
  const auto shift_of = [k](const auto& line) {
    T largest = 0;
    for (index_t p = 0; p < k; ++p) largest = std::max(largest, std::abs(line(p)));
    return largest == 0 ? 0 : std::numeric_limits<T>::digits - 1 - std::ilogb(largest);
  };
  const int s = shift_of(a), t = shift_of(b);
  __int128 sum = 0;
  for (index_t p = 0; p < k; ++p)
    sum += static_cast<__int128>(std::llrint(std::ldexp(a(p), s))) * std::llrint(std::ldexp(b(p), t));
  return std::ldexp(static_cast<T>(sum), -(s + t));  // rounded to nearest even, once
}

/// a b, and a b + c: a complex one by a product and fma of real numbers, or by fma alone, for each part.
template <class T>
T canonical_times(const T& a, const T& b) {
  if constexpr (tile::is_complex<T>)
    return {std::fma(-a.im, b.im, a.re * b.re), std::fma(a.im, b.re, a.re * b.im)};
  else
    return a * b;
}
template <class T>
T canonical_multiply_add(const T& a, const T& b, const T& c) {
  if constexpr (tile::is_complex<T>)
    return {std::fma(-a.im, b.im, std::fma(a.re, b.re, c.re)), std::fma(a.im, b.re, std::fma(a.re, b.im, c.im))};
  else
    return std::fma(a, b, c);
}

/// What alpha and beta make of it.
template <class T>
T canonical_end(const T& alpha, const T& sum, const T& beta, const T& c) {
  const T zero = T(0), one = T(1), kept = beta == one ? c : canonical_times(beta, c);
  if (alpha == zero) return beta == zero ? zero : kept;
  if (beta == zero) return alpha == one ? sum : canonical_times(alpha, sum);
  return canonical_multiply_add(alpha, sum, kept);
}

struct place {
  index_t i, j;

  auto operator<=>(const place&) const = default;
};

/// The corners of an m x n result and up to `count` random elements of it, each once.
inline std::vector<place> sample(index_t m, index_t n, int count) {
  std::vector<place> places{{0, 0}, {m - 1, 0}, {0, n - 1}, {m - 1, n - 1}};
  for (int s = 0; s < count; ++s)
    places.push_back({static_cast<index_t>(mix(2 * s) % m), static_cast<index_t>(mix(2 * s + 1) % n)});
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

// Device code below: functors with names, because they stand in templates that nvcc compiles too.

/// The number of the element that lies at `at`, line after line; -1 in a gap, or where it is none of the operand's.
KOKKOS_FORCEINLINE_FUNCTION index_t element_at(const lines& l, index_t at) {
  const index_t line = (at - l.offset) / l.leading, place = (at - l.offset) % l.leading;
  if (at < l.offset || place >= l.length || line >= l.count || (l.from_diagonal && place < line)) return -1;
  return line * l.length + place;
}

/// Gaps hold the poison: what is read there does not stay unseen.
template <class T>
struct fill_inputs {
  int operand;
  lines lie;
  T* x;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t element = element_at(lie, i);
    x[i] = element < 0 ? poison<T>() : input<T>(operand, element);
  }
};

/// All sets like the first.
template <class T>
struct repeat {
  index_t set;  // elements
  T* x;

  KOKKOS_FUNCTION void operator()(index_t i) const { x[i] = x[i % set]; }
};

template <class T>
struct fill_poison {
  T* x;

  KOKKOS_FUNCTION void operator()(index_t i) const { x[i] = poison<T>(); }
};

// The range of the next two is that of real numbers: of the parts of complex elements.

/// Of as many sets as the range has, together.
template <class T>
struct sum_of_bits {
  index_t set;  // real numbers
  const T* x;

  KOKKOS_FUNCTION void operator()(index_t i, std::uint64_t& sum) const {
    sum += mix(mix(static_cast<std::uint64_t>(i % set)) ^ Kokkos::bit_cast<bits_t<T>>(x[i]));
  }
};

/// Of one set, in pieces: the range is theirs.
template <class T>
struct sum_pieces {
  index_t count, piece;  // real numbers
  const T* x;
  std::uint64_t* sums;

  KOKKOS_FUNCTION void operator()(index_t p) const {
    std::uint64_t sum = 0;
    const index_t end = (p + 1) * piece < count ? (p + 1) * piece : count;
    for (index_t i = p * piece; i < end; ++i) sum_of_bits<T>{count, x}(i, sum);
    sums[p] = sum;
  }
};

/// Those that were not written, and those of gaps that were.
template <class T>
struct count_strays {
  lines lie;
  int parts;  // of an element
  const T* x;

  KOKKOS_FUNCTION void operator()(index_t i, index_t& count) const {
    const bool written = Kokkos::bit_cast<bits_t<T>>(x[i]) != static_cast<bits_t<T>>(~bits_t<T>(0));
    count += written != (element_at(lie, i / parts) >= 0);
  }
};

}  // namespace abax::perf

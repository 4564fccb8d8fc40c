// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Transposes in registers, once for every vector that consists of 128-bit lanes.
///
/// Such a vector V brings the exchanges that its instructions have:
/// - unpack_low(a, b), unpack_high(a, b): in each 128-bit lane the values of a's and b's lower or upper half in turn;
/// - pairs_low(a, b), pairs_high(a, b) (float only): the same with pairs of values;
/// - even_lanes(a, b), odd_lanes(a, b): the 128-bit lanes of a with an even or an odd number, then those of b;
/// - halves(p, q) (of two lanes only): half a vector from p below half a vector from q.
#include "kernels.hpp"

namespace abax::openmp {
namespace {

/// Values in 128 bits.
template <class V>
inline constexpr int lane_values = 16 / sizeof(typename V::value);

/// In each 128-bit lane, of as many vectors as it has values: x[t] <- value t of x[0], x[1], ...
template <class V>
[[gnu::always_inline]] inline void transpose_within_lanes(typename V::reg* x) {
  const auto low = V::unpack_low(x[0], x[1]), high = V::unpack_high(x[0], x[1]);
  if constexpr (lane_values<V> == 2) {
    x[0] = low;
    x[1] = high;
  } else {
    const auto next_low = V::unpack_low(x[2], x[3]), next_high = V::unpack_high(x[2], x[3]);
    x[0] = V::pairs_low(low, next_low);
    x[1] = V::pairs_high(low, next_low);
    x[2] = V::pairs_low(high, next_high);
    x[3] = V::pairs_high(high, next_high);
  }
}

/// What is left of a transpose of `lanes` lanes of `values` values once these are where they belong within each lane.
template <class V, int values, int lanes>
[[gnu::always_inline]] inline void exchange_lanes(typename V::reg* x) {
  for (int t = 0; t < values; ++t) {
    const auto even = V::even_lanes(x[t], x[values + t]), odd = V::odd_lanes(x[t], x[values + t]);
    if constexpr (lanes == 2) {
      x[t] = even;
      x[values + t] = odd;
    } else {
      const auto next_even = V::even_lanes(x[2 * values + t], x[3 * values + t]);
      const auto next_odd = V::odd_lanes(x[2 * values + t], x[3 * values + t]);
      x[t] = V::even_lanes(even, next_even);
      x[values + t] = V::even_lanes(odd, next_odd);
      x[2 * values + t] = V::odd_lanes(even, next_even);
      x[3 * values + t] = V::odd_lanes(odd, next_odd);
    }
  }
}

/// x[t] <- value t of x[0], x[1], ...: within the 128-bit lanes first, then the lanes themselves.
template <class V>
[[gnu::always_inline]] inline void transpose_lanes(typename V::reg (&x)[V::lanes]) {
  constexpr int values = lane_values<V>, lanes = V::lanes / values;
  for (int i = 0; i < V::lanes; i += values) transpose_within_lanes<V>(x + i);
  exchange_lanes<V, values, lanes>(x);
}

/// The same for complex values, pairs of values that stay side by side.
template <class V>
[[gnu::always_inline]] inline void transpose_complex_lanes(typename V::reg (&x)[V::lanes / 2]) {
  constexpr int values = lane_values<V> / 2, lanes = V::lanes / lane_values<V>;
  if constexpr (values == 2)
    for (int i = 0; i < V::lanes / 2; i += 2) {
      const auto low = V::pairs_low(x[i], x[i + 1]), high = V::pairs_high(x[i], x[i + 1]);
      x[i] = low;
      x[i + 1] = high;
    }
  exchange_lanes<V, values, lanes>(x);
}

/// y[t] <- values at(i)[t] of all lanes i, for half as many t, of vectors that have two 128-bit lanes: halves of rows
/// meet as they are loaded, which spares the exchange of lanes.
template <class V, class At>
[[gnu::always_inline]] inline void load_half_transposed(const At& at, typename V::reg* y) {
  constexpr int half = V::lanes / 2;
  static_assert(half == lane_values<V>);
  for (int i = 0; i < half; ++i) y[i] = V::halves(at(i), at(half + i));
  transpose_within_lanes<V>(y);
}

}  // namespace
}  // namespace abax::openmp

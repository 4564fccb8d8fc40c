// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The vocabulary of the loops, in plain C++: four lanes as an array, right on every machine.
///
/// The C library's fma is correctly rounded where the hardware has none.
#include <cstddef>
#include <cstring>

#include "scalar.hpp"

namespace abax::openmp {
namespace {

template <class T>
struct plain_x4 {
  using value = T;
  using narrow = plain_x4;
  static constexpr int lanes = 4, registers = 16;
  struct reg {
    T v[4];
  };

  static reg zero() { return {}; }
  static reg set(T v) { return {{v, v, v, v}}; }
  // Loads and stores go through memcpy: a copied signalling NaN must not meet a floating-point register that quiets it.
  static reg load(const T* p) {
    reg r;
    std::memcpy(r.v, p, sizeof(r.v));
    return r;
  }
  static reg load(const T* p, index_t n) {
    reg r{};
    std::memcpy(r.v, p, static_cast<std::size_t>(n) * sizeof(T));
    return r;
  }
  static void store(T* p, const reg& r) { std::memcpy(p, r.v, sizeof(r.v)); }
  static void store(T* p, const reg& r, index_t n) { std::memcpy(p, r.v, static_cast<std::size_t>(n) * sizeof(T)); }
  static void store_nontemporal(T* p, const reg& r) { store(p, r); }
  static void fence() {}
  static reg fma(const reg& a, const reg& b, const reg& c) {
    reg r;
    for (int i = 0; i < 4; ++i) r.v[i] = fused(a.v[i], b.v[i], c.v[i]);
    return r;
  }
  static void accumulate(reg& c, const reg& a, const reg& b) { c = fma(a, b, c); }
  template <int Times, int Terms>
  static void accumulate_times(reg& c, const reg& a, const T* base, index_t stride) {
    accumulate(c, a, set_at<Times, Terms>(base, stride));
  }
  template <int Times, int Terms>
  static reg set_at(const T* base, index_t stride) {
    return set(reinterpret_cast<const T*>(reinterpret_cast<const char*>(base) + Times * stride)[Terms]);
  }
  /// c <- fma(-a, b, c)
  static void accumulate_negated(reg& c, const reg& a, const reg& b) {
    for (int i = 0; i < 4; ++i) c.v[i] = fused(-a.v[i], b.v[i], c.v[i]);
  }
  static reg mul(const reg& a, const reg& b) {
    reg r;
    for (int i = 0; i < 4; ++i) r.v[i] = a.v[i] * b.v[i];
    return r;
  }
  static reg add(const reg& a, const reg& b) {
    reg r;
    for (int i = 0; i < 4; ++i) r.v[i] = a.v[i] + b.v[i];
    return r;
  }
  static reg abs(const reg& a) {
    reg r;
    for (int i = 0; i < 4; ++i) r.v[i] = static_cast<T>(__builtin_fabs(a.v[i]));
    return r;
  }
  static reg max(const reg& a, const reg& b) {
    reg r;
    for (int i = 0; i < 4; ++i) r.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    return r;
  }
  static T sum(const reg& a) { return (a.v[0] + a.v[2]) + (a.v[1] + a.v[3]); }
  static T largest(const reg& a) {
    const reg pairs = max(a, {{a.v[2], a.v[3], a.v[2], a.v[3]}});
    return pairs.v[0] > pairs.v[1] ? pairs.v[0] : pairs.v[1];
  }
  /// The first n lanes are b's, the others a's.
  static reg merge(const reg& a, const reg& b, index_t n) {
    reg r;
    for (int i = 0; i < 4; ++i) r.v[i] = i < n ? b.v[i] : a.v[i];
    return r;
  }
  /// A bit a lane, from the lowest up.
  static unsigned equal(const reg& a, const reg& b) {
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) bits |= unsigned(a.v[i] == b.v[i]) << i;
    return bits;
  }
  static reg canonical(const reg& a) {
    reg r;
    for (int i = 0; i < 4; ++i) r.v[i] = canonical_nan(a.v[i]);
    return r;
  }
  static bool numbers() { return true; }
  static bool numbers(bool so_far, const reg& a, const reg& b) {
    for (int i = 0; i < 4; ++i) so_far &= a.v[i] == a.v[i] && b.v[i] == b.v[i];
    return so_far;
  }
  static bool all_numbers(bool found) { return found; }
  static void prefetch(const void*) {}
  static void prefetch_second(const void*) {}

  // Complex values: the parts of each side by side.
  static reg set_parts(T re, T im) { return {{re, im, re, im}}; }
  /// One value in every place.
  static reg set_value(const T* p) { return set_parts(p[0], p[1]); }
  static reg real_parts(const reg& a) { return {{a.v[0], a.v[0], a.v[2], a.v[2]}}; }
  static reg imaginary_parts(const reg& a) { return {{a.v[1], a.v[1], a.v[3], a.v[3]}}; }
  static reg swapped_parts(const reg& a) { return {{a.v[1], a.v[0], a.v[3], a.v[2]}}; }
  static reg conjugate(const reg& a) { return {{a.v[0], -a.v[1], a.v[2], -a.v[3]}}; }
  static reg negate_real(const reg& a) { return {{-a.v[0], a.v[1], -a.v[2], a.v[3]}}; }
  /// re, im <- the parts of the values of low and then of high; and back.
  static void split(const reg& low, const reg& high, reg& re, reg& im) {
    re = {{low.v[0], low.v[2], high.v[0], high.v[2]}};
    im = {{low.v[1], low.v[3], high.v[1], high.v[3]}};
  }
  static void join(const reg& re, const reg& im, reg& low, reg& high) {
    low = {{re.v[0], im.v[0], re.v[1], im.v[1]}};
    high = {{re.v[2], im.v[2], re.v[3], im.v[3]}};
  }
  static void transpose_complex(reg (&x)[2]) {
    const reg a = x[0], b = x[1];
    x[0] = {{a.v[0], a.v[1], b.v[0], b.v[1]}};
    x[1] = {{a.v[2], a.v[3], b.v[2], b.v[3]}};
  }
  static void transpose(reg (&x)[4]) {
    reg y[4];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) std::memcpy(&y[i].v[j], &x[j].v[i], sizeof(T));
    std::memcpy(x, y, sizeof(y));
  }
  /// x[t] <- values at(i)[t] of all lanes i, for t < 2.
  template <class At>
  static void load_half_transposed(const At& at, reg* x) {
    for (int t = 0; t < 2; ++t)
      for (int i = 0; i < 4; ++i) std::memcpy(&x[t].v[i], at(i) + t, sizeof(T));
  }
};

}  // namespace
}  // namespace abax::openmp

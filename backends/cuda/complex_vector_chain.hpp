// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The chains of a complex gemv's team.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/vector_chain.hpp"
#include "abax/detail/tile/banks.hpp"
#include "abax/detail/tile/complex.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::cuda {

/// Sixteen outputs a warp, on the FMA units: neighbouring lanes have the parts of one. A lane takes the two real terms
/// that an element makes for its part: Re a by the same part of x, then Im a by the other one, negated for a real part.
/// The products' factors are in the caller's order, and x is not conjugated.
template <class T, along A, bool Aligned, int Rows, int Depth, int LoadThreads>
class part_chain {
  static_assert(Rows == 16);
  using real = tile::real_of<T>;
  static constexpr int wide = 16 / sizeof(T);

 public:
  using stage_of_a = vector_stage<T, A, Aligned, Rows, Depth, LoadThreads>;
  static constexpr int threads = 32;

  template <class Functor>
  KOKKOS_FORCEINLINE_FUNCTION part_chain(const tile::product<T, Functor>& problem, const tile::matrix<const T>& a,
                                         int thread)
      : lane_(thread % 32), negates_((lane_ % 2 == 0) != problem.conjugated_a), line_(a, lane_ / 2) {}

  KOKKOS_FORCEINLINE_FUNCTION void clear() { part_ = real(0); }
  KOKKOS_FORCEINLINE_FUNCTION void begin(const T* a, const T* x) { next_ = load(a, x, 0); }
  template <class Advance>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const T* a, const T* x, const Advance& advance) {
    for_each_group<Depth, group_terms>(
        next_, [&](int q) { return load(a, x, q); }, advance,
        [this](const group& now) {
#pragma unroll
          for (int t = 0; t < group_terms; ++t) take(now.a[t], now.x[t]);
        });
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add_part(const T* a, const T* x, int terms) {
#pragma unroll 4
    for (int q = 0; q < terms; ++q) {
      element at;
      real by[2];
      load_element(at, by, a, x, q);
      take(at, by);
    }
  }
  /// Of output `thread`; by all threads of the team.
  KOKKOS_FORCEINLINE_FUNCTION T sum() const {
#ifdef __CUDA_ARCH__
    const int holder = 2 * (lane_ % Rows);
    return {__shfl_sync(~0u, part_, holder), __shfl_sync(~0u, part_, holder + 1)};
#else
    return {part_, part_};  // never runs: lanes are a GPU's
#endif
  }

 private:
  using element = pack<real, 2>;
  static constexpr int group_terms = 8;
  static_assert(group_terms % wide == 0);
  struct group {
    element a[group_terms];
    real x[group_terms][2];  // what the element's parts are multiplied by
  };

  static constexpr bool by_chunks = A == along::terms && Aligned && wide > 1;  // terms are read so from scratch

  // Of lines that begin anywhere, where all are shifted alike; vector_stage looks at other shifts.
  static constexpr bool free_of_conflicts() {
    constexpr int step = by_chunks ? wide : 1;
    bool all = true;
    for (int q = 0; q < 8 * step; q += step)
      all = all && tile::banks::free_of_conflicts(sizeof(T) * step,
                                                  [=](int l) { return sizeof(T) * stage_of_a::offset(l / 2, q); });
    return all;
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_element(element& to, real (&by)[2], const T* a, const T* x, int q) const {
    to = *reinterpret_cast<const element*>(a + line_.offset(q));
    load_x(by, x, q);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_x(real (&by)[2], const T* x, int q) const {
    const real* const parts = reinterpret_cast<const real*>(x + q);
    by[0] = parts[lane_ % 2];
    by[1] = parts[1 - lane_ % 2];
  }
  KOKKOS_FORCEINLINE_FUNCTION group load(const T* a, const T* x, int q) const {
    static_assert(free_of_conflicts());
    group to;
#pragma unroll
    for (int t = 0; t < group_terms; t += wide) {
      if constexpr (by_chunks) {
        const auto some = *reinterpret_cast<const pack<element, wide>*>(a + line_.offset(q + t));
#pragma unroll
        for (int v = 0; v < wide; ++v) to.a[t + v] = some.element[v];
#pragma unroll
        for (int v = 0; v < wide; ++v) load_x(to.x[t + v], x, q + t + v);
      } else {
#pragma unroll
        for (int v = 0; v < wide; ++v) load_element(to.a[t + v], to.x[t + v], a, x, q + t + v);
      }
    }
    return to;
  }
  KOKKOS_FORCEINLINE_FUNCTION void take(const element& a, const real (&x)[2]) {
    part_ = Kokkos::fma(a.element[0], x[0], part_);
    part_ = Kokkos::fma(tile::negated_if(negates_, a.element[1]), x[1], part_);
  }

  int lane_;
  bool negates_;
  typename stage_of_a::lane line_;
  group next_;
  real part_ = 0;
};

}  // namespace abax::cuda

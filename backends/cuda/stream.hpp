// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Streaming primitives: neighbouring threads take neighbouring elements, several of them in flight a thread.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/tile/stream.hpp"

namespace abax::cuda {

/// Width > 1: every vector of the kernel is contiguous and aligned to 16 bytes. 1: elements lie on multiples of their
/// size, and each is moved in one access. 0: complex ones may lie anywhere. A thread has `Accesses` of each operand in
/// flight, a team's accesses apart; with more than 16 bytes, reads and writes alternate less often, which is slower.
template <int Width, int Accesses, class Team>
class stream {
  static_assert(Width == 1 || Accesses == 1);

 public:
  struct parameters {};
  static constexpr int team_size = 256, residents = 8;
  static constexpr int elements = tile::max(Width, 1);  // of an access
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t run(const parameters&) {
    return team_size * elements * Accesses;
  }
  static std::size_t scratch_bytes() { return 0; }

  template <class Kernel>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(const Team& team, const parameters& p, const Kernel& kernel) {
    const int size = static_cast<int>(kernel.size()), i = team.team_rank() * elements;
    if constexpr (Width == 0) {
      if (i < size) kernel(i);
    } else if (size == run(p)) {
      at_once<true>(kernel, i, size);
    } else if constexpr (Width == 1) {
      at_once<false>(kernel, i, size);
    } else {
      for (int v = 0; v < elements && i + v < size; ++v) kernel(i + v);
    }
  }

 private:
  static constexpr int step = team_size * elements;
  template <class T>
  using group = pack<T, elements>;
  template <class T>
  struct inputs {
    group<T> x{}, y{};
  };

  /// A thread's accesses, the first from element i on: all of them are loaded before one is stored. Without `Whole`
  /// only those that begin before `size` are made.
  template <bool Whole, class Kernel>
  KOKKOS_FORCEINLINE_FUNCTION static void at_once(const Kernel& k, int i, int size) {
    decltype(loaded(k, i)) in[Accesses];
#pragma unroll
    for (int a = 0; a < Accesses; ++a)
      if (Whole || i + a * step < size) in[a] = loaded(k, i + a * step);
#pragma unroll
    for (int a = 0; a < Accesses; ++a)
      if (Whole || i + a * step < size) store(k, i + a * step, in[a]);
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static group<T> group_at(const T* from) {
    return *reinterpret_cast<const group<T>*>(from);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static inputs<T> loaded(const tile::combine<T>& k, index_t i) {
    inputs<T> in;
    if (k.epilogue.alpha != T(0)) in.x = group_at(&k.x(i));
    if (k.epilogue.beta != T(0)) in.y = group_at(&k.y(i));
    return in;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void store(const tile::combine<T>& k, index_t i, const inputs<T>& in) {
    group<T> z;
#pragma unroll
    for (int v = 0; v < elements; ++v)
      z.element[v] = k.epilogue.alpha != T(0) ? k.epilogue(in.x.element[v], &in.y.element[v])
                                              : k.epilogue.without_product(&in.y.element[v]);
    *reinterpret_cast<group<T>*>(&k.z(i)) = z;
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static group<T> loaded(const tile::increment<T>& k, index_t i) {
    return group_at(&k.x(i));
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void store(const tile::increment<T>& k, index_t i, group<T> x) {
#pragma unroll
    for (int v = 0; v < elements; ++v) x.element[v] = tile::canonical(x.element[v] + k.value);
    *reinterpret_cast<group<T>*>(&k.x(i)) = x;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static group<T> loaded(const tile::copy<T>& k, index_t i) {
    return group_at(&k.x(i));
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void store(const tile::copy<T>& k, index_t i, const group<T>& x) {
    *reinterpret_cast<group<T>*>(&k.y(i)) = x;
  }
};

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Streaming primitives: neighbouring threads take neighbouring elements, several of them in flight a thread.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/tile/stream.hpp"

namespace abax::cuda {

/// Width > 1: every vector of the kernel is contiguous and aligned to 16 bytes. 1: elements lie on multiples of their
/// size, and each is moved in one access. 0: complex ones may lie anywhere. One access a thread and operand, and many
/// threads: more of them in flight a thread was slower, since reads and writes then alternate less often.
template <int Width, class Team>
struct stream {
  struct parameters {};
  static constexpr int team_size = 256, residents = 8;
  static constexpr int elements = tile::max(Width, 1);  // of a thread
  static constexpr index_t run = team_size * elements;  // of one team
  static std::size_t scratch_bytes() { return 0; }

  template <class Kernel>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(const Team& team, const parameters&, const Kernel& kernel) {
    const int size = static_cast<int>(kernel.size()), i = team.team_rank() * elements;
    if constexpr (Width < 2) {
      if (i < size) at_once(kernel, i);
    } else if (size == run) {
      at_once(kernel, i);
    } else {
      for (int v = 0; v < elements && i + v < size; ++v) kernel(i + v);
    }
  }

 private:
  template <class T>
  using group = pack<T, elements>;

  /// A thread's elements, from i on.
  template <class Kernel>
  KOKKOS_FORCEINLINE_FUNCTION static void at_once(const Kernel& k, index_t i) {
    if constexpr (Width == 0)
      k(i);
    else
      wide(k, i);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void wide(const tile::combine<T>& k, index_t i) {
    const bool reads_x = k.epilogue.alpha != T(0), reads_y = k.epilogue.beta != T(0);
    group<T> x{}, y{}, z;
    if (reads_x) x = *reinterpret_cast<const group<T>*>(&k.x(i));
    if (reads_y) y = *reinterpret_cast<const group<T>*>(&k.y(i));
#pragma unroll
    for (int v = 0; v < elements; ++v)
      z.element[v] = reads_x ? k.epilogue(x.element[v], &y.element[v]) : k.epilogue.without_product(&y.element[v]);
    *reinterpret_cast<group<T>*>(&k.z(i)) = z;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void wide(const tile::combine_matrices<T>& k, index_t i) {
    static_assert(Width == 1);
    const index_t col = k.col_of(i), row = k.first + i - col * k.z.rows;
    wide(tile::combine<T>{{&k.x(row, col), 1, 1}, {&k.y(row, col), 1, 1}, {&k.z(row, col), 1, 1}, k.epilogue}, 0);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void wide(const tile::increment<T>& k, index_t i) {
    auto* const at = reinterpret_cast<group<T>*>(&k.x(i));
    group<T> x = *at;
#pragma unroll
    for (int v = 0; v < elements; ++v) x.element[v] = tile::canonical(x.element[v] + k.value);
    *at = x;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void wide(const tile::copy<T>& k, index_t i) {
    *reinterpret_cast<group<T>*>(&k.y(i)) = *reinterpret_cast<const group<T>*>(&k.x(i));
  }
};

}  // namespace abax::cuda

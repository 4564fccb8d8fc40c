// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Accesses to memory of up to 16 bytes: which operands allow them, and what they move.
#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <type_traits>

#include "abax/detail/tile/complex_value.hpp"
#include "abax/detail/tile/matrix.hpp"

namespace abax::cuda {

/// Which index of an operand runs along memory, as far as a kernel is compiled for it. The outer index is m for A and n
/// for B.
enum class along { outer, terms, either };

/// `Count` consecutive elements moved as one access of up to 16 bytes.
template <class T, int Count>
struct alignas(sizeof(T) * Count > 16 ? 16 : sizeof(T) * Count) pack {
  T element[Count];
};

/// 16 bytes from registers to global memory that is aligned to them, in one access: left to itself, the compiler may
/// take them apart, and a transpose then loses a quarter of its speed.
KOKKOS_FORCEINLINE_FUNCTION void store_chunk([[maybe_unused]] float* to, [[maybe_unused]] const pack<float, 4>& from) {
#ifdef __CUDA_ARCH__
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};\n" ::"l"(__cvta_generic_to_global(to)), "f"(from.element[0]),
               "f"(from.element[1]), "f"(from.element[2]), "f"(from.element[3])
               : "memory");
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void store_chunk([[maybe_unused]] double* to,
                                             [[maybe_unused]] const pack<double, 2>& from) {
#ifdef __CUDA_ARCH__
  asm volatile("st.global.v2.f64 [%0], {%1, %2};\n" ::"l"(__cvta_generic_to_global(to)), "d"(from.element[0]),
               "d"(from.element[1])
               : "memory");
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void store_chunk([[maybe_unused]] tile::complex<float>* to,
                                             [[maybe_unused]] const pack<tile::complex<float>, 2>& from) {
#ifdef __CUDA_ARCH__
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};\n" ::"l"(__cvta_generic_to_global(to)),
               "f"(from.element[0].re), "f"(from.element[0].im), "f"(from.element[1].re), "f"(from.element[1].im)
               : "memory");
#endif
}

/// Brings what is at `at` to the L2 cache, where it lies in global memory, and waits for nothing.
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] const void* at) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];\n" ::"l"(__cvta_generic_to_global(at)));
#endif
}

/// True where accesses of 16 bytes along an index are aligned.
template <class T>
KOKKOS_INLINE_FUNCTION bool wide_access(const T* data, index_t contiguous_stride, index_t other_stride) {
  constexpr index_t count = 16 / sizeof(T);
  return contiguous_stride == 1 && other_stride % count == 0 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

/// True where every element lies on a multiple of its size: complex ones need not.
template <class Operand>
KOKKOS_INLINE_FUNCTION bool lies_on_elements(const Operand& x) {
  return reinterpret_cast<std::uintptr_t>(x.data) % sizeof(*x.data) == 0;
}

/// Lines that 32 bits can be counted across, and the largest stride between them.
inline constexpr int near_lines = 128;
inline constexpr index_t near_stride = (index_t(1) << 31) / near_lines;
/// A stride of a gemm's tiles: those of 16-byte accesses are near, which their callers see to.
template <int Width>
using tile_stride = std::conditional_t<(Width > 1), int, index_t>;

}  // namespace abax::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The tensor cores' instructions that a warp executes: on FP64 (sm_90) and on bytes (sm_80).
#include <Kokkos_Macros.hpp>
#include <cstdint>

#include "abax/detail/backends/cuda/scratch.hpp"

namespace abax::cuda {

/// c (16 x 8) <- a (16 x k) b (k x 8) + c, k of 4, 8 or 16, each element an fma chain with k ascending: the FP64 tensor
/// cores round after every term, so they follow the canon. Lane l, g = l / 4, q = l % 4, holds
///   a: (g, q) (g+8, q), then (g, q+4) (g+8, q+4) and so on   b: (q, g), then (q+4, g) and so on
///   c: (g, 2q) (g, 2q+1) (g+8, 2q) (g+8, 2q+1)
KOKKOS_FORCEINLINE_FUNCTION void mma([[maybe_unused]] double (&c)[4], [[maybe_unused]] const double (&a)[2],
                                     [[maybe_unused]] const double (&b)[1]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};\n"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#elif defined(__CUDA_ARCH__)
  __trap();  // the backend chooses this path on sm_90 and later only
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void mma([[maybe_unused]] double (&c)[4], [[maybe_unused]] const double (&a)[4],
                                     [[maybe_unused]] const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void mma([[maybe_unused]] double (&c)[4], [[maybe_unused]] const double (&a)[8],
                                     [[maybe_unused]] const double (&b)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
      "{%12,%13,%14,%15}, {%0,%1,%2,%3};\n"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// Four blocks of eight lines of 16 bytes in scratch: lane l says where line l % 8 of block l / 8 is, a multiple of 16
/// bytes, and gets bytes 4 (l % 4) to 4 (l % 4) + 3 of line l / 4 of each block.
KOKKOS_FORCEINLINE_FUNCTION void load_bytes([[maybe_unused]] std::uint32_t (&to)[4],
                                            [[maybe_unused]] const std::uint8_t* line) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(line))
               : "memory");
#elif defined(__CUDA_ARCH__)
  __trap();  // as below
#endif
}

/// c (16 x 8) <- a (16 x 32) b (32 x 8) + c for signed bytes, modulo 2^32. Lane l, g = l / 4, q = l % 4, holds, four
/// bytes from each named place of a and b on,
///   a: (g, 4q) (g+8, 4q) (g, 16+4q) (g+8, 16+4q)   b: (4q, g) (16+4q, g)
///   c: (g, 2q) (g, 2q+1) (g+8, 2q) (g+8, 2q+1)
KOKKOS_FORCEINLINE_FUNCTION void mma_bytes([[maybe_unused]] std::int32_t* c, [[maybe_unused]] const std::uint32_t* a,
                                           [[maybe_unused]] const std::uint32_t* b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif defined(__CUDA_ARCH__)
  __trap();  // the backend chooses this path on sm_80 and later only
#endif
}

}  // namespace abax::cuda
